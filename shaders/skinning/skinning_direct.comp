// skinning_direct.comp - skins a block with the palette in the buffer: for skeletons with many bones, and for
// meshes without a skeleton, which only morph targets move.
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

#include "skinning_skin.glsl"
