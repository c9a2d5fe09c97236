// sph_meet.comp - a thread per particle that can be near colliders: they press it, and keep it out; and it is counted in its new
// cell. The last group empties the list.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"
#include "sph_counted.glsl"
#include "sph_speed.glsl"
#include "sph_among.glsl"

layout(binding = SPH_POSITION) readonly restrict buffer Position { vec4 position[]; };
layout(binding = SPH_POSITION_INPUT) restrict buffer PositionMoved { vec4 position_moved[]; };
layout(binding = SPH_VELOCITY_INPUT) restrict buffer VelocityMoved { vec4 velocity_moved[]; };
layout(binding = SPH_MEETING, scalar) restrict buffer Meetings { SphMeeting meeting; uint meetings[]; };

// A wall takes from the speed along it what its friction is of the speed that its pressure adds.
void wall_rub(ColliderShape c, vec3 from, float added, inout vec3 v) {
    vec3 normal;
    const vec3 local = turned_back(c.turn_was, from - c.at_was);
    const float far = shape_distance(c, local, normal);
    const vec3 touched = local - normal * far;
    const vec3 surface = (c.at - c.at_was + turned(c.turn, touched) - turned(c.turn_was, touched)) / push.step_s;
    normal = turned(c.turn_was, normal);
    const vec3 along = v - surface, slide = along - normal * dot(along, normal);
    v -= slide * min(c.friction * added / max(length(slide), 1e-20), 1);
}

// What walls that it is near at the beginning of the step do to its velocity.
vec3 walls_change(vec3 from, vec3 v, float density) {
    const Around around = colliders_around(from, push.direct_count, push.collider_cell_m);
    Walls all = NO_WALLS;
    for (uint k = 0; k < around.end; k++) {
        const uint n = push.collider_first + collider_number(around, k);
        if (!collider_is_near(n, from, push.h)) continue;
        const ColliderShape c = colliders[n];
        Walls one = NO_WALLS;
        collider_wall(one, c, from);
        collider_wall(all, c, from);
        if (c.friction > 0 && one.free < 1) wall_rub(c, from, length(walls_press(one, 1 / density)) * push.step_s, v);
    }
    return v + walls_press(all, 1 / density) * push.step_s;
}

// Returns whether it met any.
bool particle_bound(vec3 from, inout vec3 p, inout vec3 v) {
    const float way_m = distance(from, p);
    const Around around = colliders_around(p, push.direct_count, push.collider_cell_m);
    bool met = false;
    for (uint k = 0; k < around.end; k++) {
        const uint n = push.collider_first + collider_number(around, k);
        if (!collider_is_near(n, p, way_m)) continue;
        const ColliderShape c = colliders[n];
        Contact contact;
        if (!collider_met(c, from, p, 0, push.step_s, contact)) continue;
        p += contact.normal * contact.depth_m;
        v = velocity_after(c, contact, v);
        met = true;
    }
    return met;
}

void main() {
    const uint count = meeting.count, all = gl_NumWorkGroups.x * SPH_MEET_GROUP;
    for (uint k = thread_index(); k < count; k += all) {
        const uint i = meetings[k];
        const vec3 from = position[i].xyz;
        vec4 p = position_moved[i], v = velocity_moved[i];
        const vec3 pressed = speed_limited(walls_change(from, v.xyz, abs(v.w)));
        p.xyz += (pressed - v.xyz) * push.step_s;
        v.xyz = pressed;
        for (uint round = 0; round < COLLIDER_ROUNDS && particle_bound(from, p.xyz, v.xyz); round++) {}
        position_moved[i] = p;
        velocity_moved[i] = v;
        particle_count(i, p.xyz);
    }
    barrier(); // all of them have read the count
    if (gl_LocalInvocationID.x == 0 && atomicAdd(meeting.done, 1) + 1 == gl_NumWorkGroups.x) {
        meeting.groups[0] = 0;
        meeting.count = 0;
        meeting.done = 0;
    }
}
