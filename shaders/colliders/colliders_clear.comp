// colliders_clear.comp - a thread for each word of the cells, and each collider: empties the cells and the list.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "colliders_io.h"

layout(push_constant, scalar) uniform Push { CollidersPush push; };
layout(binding = COLLIDERS_CELL) writeonly restrict buffer Cells { uint cells[]; };
layout(binding = COLLIDERS_LIST) writeonly restrict buffer List { uint list[]; };

void main() {
    const uint i = thread_index();
    if (i < COLLIDERS_CELLS * COLLIDERS_WORDS) cells[i] = i % COLLIDERS_WORDS == 0 ? 0 : 0xffffffffu;
    if (i < push.count) list[1 + push.count + i] = 0;
    if (i == 0) list[0] = 0;
}
