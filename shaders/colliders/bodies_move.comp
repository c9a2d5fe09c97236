// bodies_move.comp - a thread per body, at the beginning of a step: the impulses that it has got in the last step, gravity and its force move
// it, and it meets colliders and other bodies. They meet where they were at the end of the last step, so that both get opposite impulses.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "bodies_io.h"
#include "colliders_shape.glsl"
#include "colliders_motion.glsl"
#include "bodies_touch.glsl"
#include "bodies_sum.glsl"

layout(push_constant, scalar) uniform Push { BodiesPush push; };
layout(binding = BODIES_SET, scalar) readonly restrict buffer Bodies { BodySet bodies[]; };
layout(binding = BODIES_STATE, scalar) restrict buffer States { BodyState states[]; };
layout(binding = COLLIDERS_STEP, scalar) readonly restrict buffer Colliders { ColliderShape colliders[]; };

struct Moving {
    vec3 at, velocity; // at the end of the step
};

// Of both, the mean.
ColliderShape surface_of(ColliderShape mine, ColliderShape other) {
    other.friction = 0.5 * (mine.friction + other.friction);
    other.restitution = 0.5 * (mine.restitution + other.restitution);
    return other;
}

void solid_meet(ColliderShape mine, ColliderShape c, inout Moving m) {
    if (c.is_plane == 0 && distance(m.at, c.at) > shape_reach(mine) + shape_reach(c)) return;
    Touch touch;
    if (c.is_plane != 0)
        touch = plane_touch(mine, m.at, c);
    else
        touch = shapes_touch(mine, m.at, c, c.at);
    if (touch.depth_m <= 0) return;
    const vec3 touched = turned_back(c.turn, touch.point - c.at);
    const vec3 moved = c.at - c.at_was + turned(c.turn, touched) - turned(c.turn_was, touched);
    m.velocity = velocity_after(surface_of(mine, c), Contact(touch.normal, touch.depth_m, moved / push.step_s), m.velocity);
    m.at += touch.normal * touch.depth_m;
}

// The touch is computed in the order of their numbers, so that both get the same one.
void body_meet(uint i, ColliderShape mine, ColliderShape c, inout Moving m) {
    const uint k = c.body - 1;
    const vec3 at = states[i].at, its = states[k].at;
    if (distance(at, its) > shape_reach(mine) + shape_reach(c)) return;
    Touch touch;
    if (i < k)
        touch = shapes_touch(mine, at, c, its);
    else
        touch = shapes_touch(c, its, mine, at);
    if (i > k) touch.normal = -touch.normal;
    if (touch.depth_m <= 0) return;
    const float share = bodies[k].mass_kg / (bodies[i].mass_kg + bodies[k].mass_kg);
    const vec3  apart = states[i].velocity - states[k].velocity;
    const vec3  change = velocity_after(surface_of(mine, c), Contact(touch.normal, 0, vec3(0)), apart) - apart;
    m.velocity += change * share;
    m.at += (change * push.step_s + touch.normal * touch.depth_m) * share;
}

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const BodySet      b = bodies[i];
    const BodyState s = states[i];
    vec3 impulse;
    for (uint a = 0; a < 3; a++) impulse[a] = fixed_value(uvec2(s.sum[2 * a], s.sum[2 * a + 1]));
    vec3 v = s.velocity + (impulse * push.unit + b.force * push.step_s) / b.mass_kg + push.gravity * push.step_s;
    v *= min(min(push.speed_max_m_s, b.stride_max_m / push.step_s) / max(length(v), 1e-20), 1);
    Moving m = Moving(s.at + v * push.step_s, v);
    for (uint k = 0; k < b.count; k++) {
        const ColliderShape mine = colliders[push.collider_first + b.first + k];
        for (uint n = 0; n < push.collider_count; n++) {
            if (n - b.first < b.count) continue;
            const ColliderShape c = colliders[push.collider_first + n];
            if (c.body != 0)
                body_meet(i, mine, c, m);
            else
                solid_meet(mine, c, m);
        }
    }
    states[i].at_next = m.at;
    states[i].velocity_next = m.velocity;
    for (uint k = 0; k < 6; k++) states[i].sum[k] = 0;
}
