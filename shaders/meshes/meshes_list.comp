// meshes_list.comp - one thread per bit: the instances whose bits are set, in their order; and one thread per draw:
// how many instances it draws, and the first of them in that list. In shadow maps, each instance has a bit for each map. The second phase continues the list of the first.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "meshes_io.h"
#include "meshes.glsl"

layout(binding = MESHES_FLAG) readonly restrict buffer Flags { uint flags[]; };
layout(binding = MESHES_SUM) readonly restrict buffer Sums { uint sums[]; };
layout(binding = MESHES_COMMAND) restrict buffer Commands { uint commands[]; };
layout(binding = MESHES_DRAW, scalar) readonly restrict buffer Draws { MeshDraw draws[]; };
layout(binding = MESHES_TOTAL) restrict buffer Totals { uint totals[]; };
layout(binding = MESHES_VISIBLE) writeonly restrict buffer Visible { uint visible[]; };

// The number of set bits before a bit of a word.
uint rank_of(uint word, uint bit) {
    uint rank = sums[word / MESHES_BLOCK] + bitCount(flags[word] & ((1u << bit) - 1));
    for (uint w = word / MESHES_BLOCK * MESHES_BLOCK; w < word; w++) rank += bitCount(flags[w]);
    return rank;
}

shared uint before[MESHES_BLOCK];

void main() {
    const uint t = gl_LocalInvocationID.x, block = group_index(), i = thread_index();
    const uint blocks = push.flag_stride / MESHES_BLOCK, words = push.flag_stride * push.level_max * 2;
    const uint first = push.phase == MESHES_SECOND ? totals[0] : 0;
    const bool used = block < blocks * push.level_max * 2;
    if (used && t < MESHES_BLOCK) before[t] = rank_of(block * MESHES_BLOCK + t, 0);
    barrier();
    const uint bits = used ? flags[block * MESHES_BLOCK + t / 32] : 0;
    if ((bits >> t % 32 & 1) != 0)
        visible[first + before[t / 32] + bitCount(bits & ((1u << t % 32) - 1))] = block % blocks * MESHES_CULL_GROUP + t;
    if (i == 0 && push.phase == MESHES_FIRST) totals[0] = sums[words / MESHES_BLOCK - 1]; // the last words are 0
    if (i >= push.draw_count) return;
    const MeshRow mesh = meshes[draws[i].mesh];
    const uint    from = mesh.first_instance * push.maps, to = from + mesh.instance_count * push.maps, base = draws[i].flags * push.flag_stride;
    const uint    rank = rank_of(base + from / 32, from % 32);
    commands[i * 5 + 1] = rank_of(base + to / 32, to % 32) - rank;
    commands[i * 5 + 4] = first + rank;
}
