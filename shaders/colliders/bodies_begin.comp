// bodies_begin.comp - a thread per body, at the beginning of a frame: those that the host has set begin there, the others go on.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "bodies_io.h"

layout(push_constant, scalar) uniform Push { BodiesPush push; };
layout(binding = BODIES_SET, scalar) readonly restrict buffer Bodies { BodySet bodies[]; };
layout(binding = BODIES_BEFORE, scalar) readonly buffer Before { BodyState before[]; };
layout(binding = BODIES_STATE, scalar) writeonly buffer States { BodyState states[]; };

BodyState state_begun(BodySet b) {
    BodyState s;
    s.at = s.at_next = b.at;
    s.velocity = s.velocity_next = b.velocity;
    for (uint k = 0; k < 6; k++) s.sum[k] = 0;
    s.unused = 0;
    return s;
}

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const BodySet b = bodies[i];
    const uint from = push.keeps != 0 ? i : b.from;
    BodyState  s;
    if (from == BODY_NONE)
        s = state_begun(b);
    else
        s = before[from];
    s.entity = b.entity;
    s.stamp = b.stamp;
    s.frame = push.frame;
    s.at_frame = s.at;
    states[i] = s;
}
