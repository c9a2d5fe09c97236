// colliders_cells.comp - a thread per collider: the cells that particles can meet it from in one step. Used where bodies move colliders, whose
// ways in a frame are not known when it begins.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "colliders_io.h"
#include "colliders_cell.glsl"

layout(push_constant, scalar) uniform Push { CollidersPush push; };
layout(binding = COLLIDERS_STEP, scalar) readonly restrict buffer Colliders { ColliderShape colliders[]; };
#include "colliders_fill.glsl"

void main() {
    const uint i = thread_index();
    if (i >= push.plane_count && i < push.count) cells_add(i, colliders[push.first + i]);
}
