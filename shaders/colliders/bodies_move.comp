// bodies_move.comp - a group per body, at the beginning of a step: the impulses that it has got in the last step, gravity and its force move
// it, and it meets colliders and other bodies. They meet where they were at the end of the last step, so that both get opposite impulses.
// All threads find what is near, of as many colliders as there are threads; the first one lets the body meet these in their order.
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

// Can it meet collider n?
bool is_near(uint i, ColliderShape mine, uint n, vec3 at) {
    if (n >= push.collider_count || n - bodies[i].first < bodies[i].count) return false;
    const ColliderShape c = colliders[push.collider_first + n];
    if (c.is_plane != 0) return true;
    const float reach_m = shape_reach(mine) + shape_reach(c);
    return c.body != 0 ? distance(states[i].at, states[c.body - 1].at) <= reach_m : distance(at, c.at) <= reach_m;
}

shared uint found[BODIES_GROUP / 32]; // bits
shared vec3 place;

void found_meet(uint i, ColliderShape mine, uint first, inout Moving m) {
    for (uint w = 0; w < BODIES_GROUP / 32; w++) {
        for (uint bits = found[w]; bits != 0; bits &= bits - 1) {
            const ColliderShape c = colliders[push.collider_first + first + 32 * w + findLSB(bits)];
            if (c.body != 0)
                body_meet(i, mine, c, m);
            else
                solid_meet(mine, c, m);
        }
        found[w] = 0;
    }
    place = m.at;
}

Moving body_moved(uint i) {
    const BodySet   b = bodies[i];
    const BodyState s = states[i];
    vec3 impulse;
    for (uint a = 0; a < 3; a++) impulse[a] = fixed_value(uvec2(s.sum[2 * a], s.sum[2 * a + 1]));
    vec3 v = s.velocity + (impulse * push.unit + b.force * push.step_s) / b.mass_kg + push.gravity * push.step_s;
    v *= min(min(push.speed_max_m_s, b.stride_max_m / push.step_s) / max(length(v), 1e-20), 1);
    return Moving(s.at + v * push.step_s, v);
}

void main() {
    const uint i = group_index(), lane = gl_LocalInvocationID.x;
    if (i >= push.count) return;
    Moving m = body_moved(i);
    if (lane < BODIES_GROUP / 32) found[lane] = 0;
    place = m.at;
    for (uint k = 0; k < bodies[i].count; k++) {
        const ColliderShape mine = colliders[push.collider_first + bodies[i].first + k];
        for (uint first = 0; first < push.collider_count; first += BODIES_GROUP) {
            barrier();
            if (is_near(i, mine, first + lane, place)) atomicOr(found[lane / 32], 1u << lane % 32);
            barrier();
            if (lane == 0) found_meet(i, mine, first, m);
        }
    }
    if (lane != 0) return;
    states[i].at_next = m.at;
    states[i].velocity_next = m.velocity;
    for (uint k = 0; k < 6; k++) states[i].sum[k] = 0;
}
