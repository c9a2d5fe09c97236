// normals_shared.comp - a group has 8 x 8 samples and a border of one in shared memory. The words are those of
// normals_direct.comp. Values are all that is stored: the positions of samples follow from their coordinates.
//
// Source: as normals_direct.comp.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "normals_io.h"
#include "normals_taps.glsl"
#include "normals_world.glsl"

#define WIDE (NORMALS_SIDE + 2)

shared float values[WIDE * WIDE];

void main() {
    const uint  t = gl_LocalInvocationID.x, group = group_index();
    const uvec2 first = uvec2(group % push.groups_wide, group / push.groups_wide) * NORMALS_SIDE;
    for (uint i = t; i < WIDE * WIDE; i += NORMALS_GROUP)
        values[i] = value_at(int(first.x + i % WIDE) - 1, int(first.y + i / WIDE) - 1);
    barrier();
    const uvec2 lane = uvec2(t % NORMALS_SIDE, t / NORMALS_SIDE), at = first + lane;
    if (at.x >= push.width || at.y >= push.height) return;
    const uint  i = (lane.y + 1) * WIDE + lane.x + 1;
    const float center = values[i], across = step_of(values[i - 1], center, values[i + 1]);
    const float down = step_of(values[i - WIDE], center, values[i + WIDE]);
    words[at.y * push.width + at.x] =
        word_at(center, across, down, float(at.x) + push.across.w, float(at.y) + push.down.w);
}
