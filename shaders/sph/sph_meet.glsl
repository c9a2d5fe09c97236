// sph_meet.glsl - a thread per particle that can be near colliders: they press it, and keep it out; and it is counted in its new
// cell. The last group empties the list. With MOVES_BODIES, bodies get the opposite of what they change of its momentum.
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"
#include "sph_speed.glsl"
#include "sph_among.glsl"

layout(binding = SPH_POSITION) readonly restrict buffer Position { vec4 position[]; };
layout(binding = SPH_POSITION_INPUT) restrict buffer PositionMoved { vec4 position_moved[]; };
#include "sph_counted.glsl"
layout(binding = SPH_VELOCITY_INPUT) restrict buffer VelocityMoved { vec4 velocity_moved[]; };
layout(binding = SPH_MEETING, scalar) restrict buffer Meetings { SphMeeting meeting; uint meetings[]; };
layout(binding = SPH_WALLS) readonly restrict buffer WallsBefore { vec4 walls_before[]; };
layout(binding = SPH_WALLS_INPUT) writeonly restrict buffer WallsMoved { vec4 walls_moved[]; };
#include "sph_given.glsl"

#ifdef MOVES_BODIES
// The part of what bodies press a particle with, where they were at the beginning of the step.
void bodies_press(uint i, SphKind kind, Walls walls, float density, inout Given given) {
    const vec3   p = position[i].xyz;
    const Around around = around_of(p, push.h);
    for (uint k = 0; k < around.end; k++) {
        const uint number = collider_number(around, k, push.collider_count), n = push.collider_first + number;
        if (number == NO_COLLIDER || colliders[n].body == 0 || !collider_is_near(n, p, push.h)) continue;
        const ColliderShape c = colliders[n];
        vec3        normal;
        const float q = shape_distance(c, turned_back(c.turn_was, p - c.at_was), normal) * push.inverse_h;
        if (q >= 1) continue;
        const WallShare share = wall_share(q, shape_volume(c));
        const Walls     its = Walls(1, turned(c.turn_was, normal) * (share.pressing * walls.free / (1 - share.filled)));
        given_add(given, kind, c, walls_press(kind, its, 1 / density) * push.step_s);
    }
}
#endif

// Walls that are near at the beginning of the step press a particle.
void particle_press(uint i, SphKind kind, inout vec3 p, inout vec3 v, float density, inout Given given) {
    if (floatBitsToUint(position[i].w) < SPH_NEAR) return;
    const Walls walls = walls_of(walls_before[i]);
    const vec3  pressed = speed_limited(v + walls_press(kind, walls, 1 / density) * push.step_s, kind.speed_max_m_s);
#ifdef MOVES_BODIES
    bodies_press(i, kind, walls, density, given);
#endif
    p += (pressed - v) * push.step_s;
    v = pressed;
}

// Returns whether it met any.
bool particle_bound(SphKind kind, vec3 from, inout vec3 p, inout vec3 v, inout Given given) {
    const float way_m = distance(from, p);
    const Around around = around_of(p, way_m);
    bool met = false;
    for (uint k = 0; k < around.end; k++) {
        const uint number = collider_number(around, k, push.collider_count), n = push.collider_first + number;
        if (number == NO_COLLIDER) continue;
        if (!collider_is_near(n, p, way_m) || !collider_reaches(n, p, way_m)) continue;
        const ColliderShape c = colliders[n];
        Contact contact;
        if (!collider_met(c, from, p, 0, push.step_s, contact)) continue;
        p += contact.normal * contact.depth_m;
        const vec3 after = velocity_after(c, contact, v);
        given_add(given, kind, c, after - v);
        v = after;
        met = true;
    }
    return met;
}

// Friction: the speed along a wall changes by that share of the change of the speed by its pressure.
void wall_rub(ColliderShape c, vec3 p, vec3 normal, float far, float added, inout vec3 v) {
    const vec3 touched = turned_back(c.turn, p - normal * far - c.at);
    const vec3 surface = (c.at - c.at_was + turned(c.turn, touched) - turned(c.turn_was, touched)) / push.step_s;
    const vec3 along = v - surface, slide = along - normal * dot(along, normal);
    v -= slide * min(c.friction * added / max(length(slide), 1e-20), 1);
}

// The walls that are near it at the end of the step.
Walls walls_after(SphKind kind, vec3 p, float density, inout vec3 v, inout Given given) {
    const Around around = around_of(p, push.h);
    Walls walls = NO_WALLS;
    vec3  normal;
    for (uint k = 0; k < around.end; k++) {
        const uint number = collider_number(around, k, push.collider_count), n = push.collider_first + number;
        if (number == NO_COLLIDER) continue;
        if (!collider_is_near(n, p, push.h)) continue;
        const ColliderShape c = colliders[n];
        const float far = collider_wall(walls, c, c.at, c.turn, p, normal);
        if (c.friction == 0 || far >= push.h) continue;
        Walls one = NO_WALLS;
        wall_add(one, far * push.inverse_h, normal, shape_volume(c));
        const vec3 before = v;
        wall_rub(c, p, normal, far, length(walls_press(kind, one, 1 / density)) * push.step_s, v);
        given_add(given, kind, c, v - before);
    }
    return walls;
}

void main() {
    const uint count = meeting.count, all = gl_NumWorkGroups.x * SPH_MEET_GROUP;
    for (uint k = thread_index(); k < count; k += all) {
        const uint i = meetings[k];
        const vec3 from = position[i].xyz;
        vec4 p = position_moved[i], v = velocity_moved[i];
        const SphKind kind = kind_of(p.w);
        Given given = NOTHING_GIVEN;
        particle_press(i, kind, p.xyz, v.xyz, v.w, given);
        for (uint round = 0; round < COLLIDER_ROUNDS && particle_bound(kind, from, p.xyz, v.xyz, given); round++) {}
        const Walls walls = walls_after(kind, p.xyz, v.w, v.xyz, given);
        given_end(given, kind);
        position_moved[i] = p;
        velocity_moved[i] = vec4(v.xyz, walls.free < 1 ? -v.w : v.w);
        walls_moved[i] = vec4(walls.push, walls.free);
        particle_count(i, p);
    }
    barrier(); // all of them have read the count
    if (gl_LocalInvocationID.x == 0 && atomicAdd(meeting.done, 1) + 1 == gl_NumWorkGroups.x) {
        meeting.groups[0] = 0;
        meeting.count = 0;
        meeting.done = 0;
    }
}
