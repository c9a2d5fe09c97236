// skinning_direct.comp - skins a block with the palette in the buffer: for skeletons with many bones.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "skinning_io.h"
#include "skinning_buffers.glsl"

uint first_bone;

Rows bone_at(uint bone) {
    const uint at = (first_bone + bone) * 3;
    return Rows(palettes[at], palettes[at + 1], palettes[at + 2]);
}

void bones_load(uint first, uint count) { first_bone = first; }

#define HAS_BONES true
#define EACH      SKINNING_EACH
#include "skinning_skin.glsl"
