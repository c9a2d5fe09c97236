// colliders_place.comp - one thread per collider and step: where it is at the beginning and the end of the step; and once for the frame,
// the cells that particles can meet it from.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "bodies_io.h"
#include "colliders_cell.glsl"
#include "colliders_shape.glsl"
#include "colliders_motion.glsl"

layout(push_constant, scalar) uniform Push { CollidersPush push; };
layout(binding = COLLIDERS_FRAME, scalar) readonly restrict buffer Frame { ColliderShape frame[]; };
layout(binding = BODIES_STATE, scalar) readonly restrict buffer States { BodyState states[]; };
layout(binding = COLLIDERS_STEP, scalar) writeonly restrict buffer Colliders { ColliderShape colliders[]; };
#include "colliders_fill.glsl"

vec4 turn_at(ColliderShape c, float time) {
    const vec4 end = dot(c.turn_was, c.turn) < 0 ? -c.turn : c.turn;
    return time == 0 ? c.turn_was : time == 1 ? c.turn : normalize(mix(c.turn_was, end, time));
}

// In this frame. The place of a body is known here, not to the host.
ColliderShape collider_of(uint i) {
    ColliderShape c = frame[i];
    if (c.body == 0 || c.body > push.bodies) return c;
    c.at_was = states[c.body - 1].at_frame;
    c.at = states[c.body - 1].at;
    return c;
}

void main() {
    const uint thread = thread_index(), i = thread % push.count, step = thread / push.count;
    if (step >= max(push.steps, 1)) return;
    const float begin = push.steps == 0 ? 1 : float(step) / float(push.steps);
    const float end = push.steps == 0 ? 1 : float(step + 1) / float(push.steps);
    const ColliderShape c = collider_of(i);
    ColliderShape now = c;
    now.at_was = mix(c.at_was, c.at, begin);
    now.at = mix(c.at_was, c.at, end);
    now.turn_was = turn_at(c, begin);
    now.turn = turn_at(c, end);
    motion_set(now, c.reach_m);
    if (c.is_plane != 0) {
        const bool stands = begin == end || (c.turn_was == c.turn && c.at_was == c.at);
        now.half_m = stands ? turned(c.turn, vec3(0, 1, 0)) : vec3(0);
        now.reach_m = 0;
    }
    colliders[thread] = now;
    if (step == 0 && i >= push.plane_count && push.cell_m > 0) cells_add(i, c);
}
