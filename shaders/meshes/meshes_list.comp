// meshes_list.comp - one thread per bit: the instances whose bits are set, in their order; and one thread per draw:
// how many instances it draws, and the first of them in that list. The second phase continues the list of the first.
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

void main() {
    const uint i = thread_index(), words = push.flag_stride * push.level_most * 2, word = i / 32, bit = i % 32;
    const uint first = push.phase == MESHES_FIRST ? 0 : totals[0];
    if (word < words && (flags[word] >> bit & 1) != 0)
        visible[first + rank_of(word, bit)] = word % push.flag_stride * 32 + bit;
    if (i == 0 && push.phase == MESHES_FIRST) totals[0] = sums[words / MESHES_BLOCK - 1]; // the last words are 0
    if (i >= push.draw_count) return;
    const MeshRow mesh = meshes[draws[i].mesh];
    const uint    from = mesh.first_instance, to = from + mesh.instance_count, base = draws[i].flags * push.flag_stride;
    const uint    before = rank_of(base + from / 32, from % 32);
    commands[i * 5 + 1] = rank_of(base + to / 32, to % 32) - before;
    commands[i * 5 + 4] = first + before;
}
