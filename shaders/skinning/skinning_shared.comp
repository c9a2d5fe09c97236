// skinning_shared.comp - skins a block with the palette in shared memory: faster for skeletons with few bones, because
// each bone is read from the buffer once per block. Constant 1 is the number of bones for which there is memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "skinning_io.h"
#include "skinning_buffers.glsl"

layout(constant_id = 1) const uint BONES = 64;
shared vec4 bones[BONES * 3];

Rows bone_at(uint bone) { return Rows(bones[bone * 3], bones[bone * 3 + 1], bones[bone * 3 + 2]); }

void bones_load(uint first, uint count) {
    for (uint i = gl_LocalInvocationID.x; i < count * 3; i += SKINNING_THREADS) bones[i] = palettes[first * 3 + i];
    barrier();
}

#define HAS_BONES true
#define EACH      SKINNING_EACH
#include "skinning_skin.glsl"
