// skinning_select.comp - one thread per block: lists those of wanted ranges for the kernel that skins them, in any order.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "skinning_io.h"

layout(push_constant, scalar) uniform Push { SkinningPush push; };
layout(binding = SKINNING_BLOCK, scalar) readonly restrict buffer Blocks { SkinBlock blocks[]; };
layout(binding = SKINNING_WANTED) readonly restrict buffer Wanted { uint wanted[]; };
layout(binding = SKINNING_CHOSEN, scalar) writeonly restrict buffer Chosen { SkinBlock chosen[]; };
layout(binding = SKINNING_CALL, scalar) restrict buffer Calls { SkinCall calls[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.block_first[SKINNING_KERNELS]) return;
    const SkinBlock block = blocks[i];
    if (wanted[block.range] != SKINNING_IS_WANTED) return;
    uint kernel = 0;
    while (i >= push.block_first[kernel + 1]) kernel++;
    const uint n = atomicAdd(calls[kernel].count, 1);
    chosen[push.block_first[kernel] + n] = block;
    calls[kernel].groups[0] = SKINNING_WIDE;
    atomicMax(calls[kernel].groups[1], n / SKINNING_WIDE + 1);
    calls[kernel].groups[2] = 1;
}
