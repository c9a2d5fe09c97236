// bodies_place.comp - a thread per body, after bodies_move.comp: its colliders in the step.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "bodies_io.h"
#include "colliders_motion.glsl"

layout(push_constant, scalar) uniform Push { BodiesPush push; };
layout(binding = BODIES_SET, scalar) readonly restrict buffer Bodies { BodySet bodies[]; };
layout(binding = BODIES_STATE, scalar) restrict buffer States { BodyState states[]; };
layout(binding = COLLIDERS_STEP, scalar) restrict buffer Colliders { ColliderShape colliders[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const vec3 at_was = states[i].at, at = states[i].at_next;
    const uint first = push.collider_first + bodies[i].first;
    for (uint n = first; n < first + bodies[i].count; n++) {
        ColliderShape c = colliders[n];
        c.at_was = at_was;
        c.at = at;
        motion_set(c, shape_reach(c));
        colliders[n] = c;
    }
    states[i].at = at;
    states[i].velocity = states[i].velocity_next;
}
