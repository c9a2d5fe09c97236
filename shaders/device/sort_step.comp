// sort_step.comp - one thread per two pairs that are `stride` apart: sorts them.
//
// Based on: K. E. Batcher, Sorting networks and their applications, 1968.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sort_io.h"

layout(push_constant, scalar) uniform Push { SortPush push; };
layout(binding = SORT_PAIR) restrict buffer Pair { uvec2 pair[]; };

bool after(uvec2 a, uvec2 b) { return a.x != b.x ? a.x > b.x : a.y > b.y; }

void main() {
    const uint t = thread_index();
    if (t >= push.count / 2) return;
    const uint  low = t / push.stride * push.stride * 2 + t % push.stride, high = low + push.stride;
    const uvec2 a = pair[low], b = pair[high];
    if (after(a, b) != ((low & push.turn) == 0)) return;
    pair[low] = b;
    pair[high] = a;
}
