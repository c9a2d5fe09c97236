// lights_nearest.comp - one group: of the elements in the view, the nearest LIGHTS_MAX keep their flags. The largest
// distance that is kept is found bit by bit; of those at the next distance, the first ones are kept.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "lights_io.h"

layout(push_constant, scalar) uniform Push { LightsPush push; };
layout(binding = LIGHTS_FLAG) writeonly restrict buffer Flags { uint flags[]; };
layout(binding = LIGHTS_KEY) readonly restrict buffer Keys { uint keys[]; };
layout(binding = LIGHTS_STATE, scalar) restrict buffer State { LightsState state; };

shared uint total, ties_before[LIGHTS_GROUP];

uint element_count() { return push.decal_count + push.probe_count + push.light_count; }

// How many keys are below a limit; for all threads.
uint keys_below(uint limit) {
    const uint t = gl_LocalInvocationID.x, count = element_count();
    uint below = 0;
    barrier();
    if (t == 0) total = 0;
    barrier();
    for (uint i = t; i < count; i += LIGHTS_GROUP) below += keys[i] < limit ? 1 : 0;
    atomicAdd(total, below);
    barrier();
    return total;
}

void main() {
    const uint t = gl_LocalInvocationID.x, count = element_count(), words = (count + 31) / 32;
    const uint seen = keys_below(LIGHTS_NONE);
    if (t == 0) state.excess = seen > push.limit ? seen - push.limit : 0;
    if (seen <= push.limit) return; // the flags are right
    uint limit = 0;                 // the largest one below which there are at most as many
    for (uint bit = 0x80000000u; bit != 0; bit >>= 1)
        if (keys_below(limit | bit) <= push.limit) limit |= bit;
    const uint ties = push.limit - keys_below(limit);
    // Each thread has words of its own that follow each other, so that ties are kept in order.
    const uint each = (words + LIGHTS_GROUP - 1) / LIGHTS_GROUP;
    const uint first = min(t * each, words), end = min(first + each, words);
    uint below = 0;
    for (uint i = first * 32; i < min(end * 32, count); i++) below += keys[i] == limit ? 1 : 0;
    ties_before[t] = below;
    barrier();
    uint before = 0;
    for (uint k = 0; k < t; k++) before += ties_before[k];
    for (uint w = first; w < end; w++) {
        uint word = 0;
        for (uint i = w * 32; i < min(w * 32 + 32, count); i++) {
            const bool kept = keys[i] < limit || (keys[i] == limit && before++ < ties);
            word |= kept ? 1u << i % 32 : 0;
        }
        flags[w] = word;
    }
}
