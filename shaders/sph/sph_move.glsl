// sph_move.glsl - moves a particle, keeps it out of planes that stand, and counts it in its new cell for the next step. With
// AMONG_COLLIDERS there are other colliders: a particle that they can be near is listed instead, for sph_meet.comp, because few of them
// need the registers that this takes.
layout(binding = SPH_POSITION_INPUT) writeonly buffer PositionMoved { vec4 position_moved[]; };
#include "sph_counted.glsl"
#include "sph_speed.glsl"
layout(binding = SPH_VELOCITY_INPUT) writeonly buffer VelocityMoved { vec4 velocity_moved[]; };

#ifdef AMONG_COLLIDERS
#include "sph_among.glsl"
layout(binding = SPH_MEETING, scalar) restrict buffer Meetings { SphMeeting meeting; uint meetings[]; };

// Is a particle near a collider at the end of its way, or can it meet one on it?
bool particle_meets(vec3 p, float near_m) {
    const Around around = around_of(p, near_m);
    for (uint k = 0; k < around.end; k++) {
        const uint number = collider_number(around, k, push.collider_count), n = push.collider_first + number;
        if (number == NO_COLLIDER) continue;
        if (collider_is_near(n, p, near_m) && collider_reaches(n, p, near_m)) return true;
    }
    return false;
}

void meeting_add(uint i) {
    const uint slot = atomicAdd(meeting.count, 1);
    meetings[slot] = i;
    if (slot % SPH_MEET_GROUP == 0) atomicMax(meeting.groups[0], min(slot / SPH_MEET_GROUP + 1, SPH_MEET_GROUPS));
}
#else
#include "sph_planes.glsl"

void particle_bound(inout vec3 p, inout vec3 v) {
    for (uint k = 0; k < push.direct_count; k++) {
        const vec4  plane = planes[k].plane;
        const float distance = dot(plane.xyz, p) - plane.w, speed = dot(plane.xyz, v);
        if (distance >= 0) continue;
        p -= plane.xyz * distance;
        if (speed < 0) v -= plane.xyz * (speed * (1 + planes[k].restitution));
    }
}
#endif

// Particle i of the position p and velocity v, with the inverse of its density.
void particle_move(uint i, vec4 p, vec4 v, vec3 acceleration, bool counted) {
    const SphKind kind = kind_of(p.w);
#ifndef AMONG_COLLIDERS
    if (HAS_WALLS != 0) acceleration += walls_press(kind, walls_around(p.xyz), v.w);
#endif
    v.w = 1 / v.w;
    v.xyz = speed_limited(v.xyz + acceleration * push.step_s, kind.speed_max_m_s);
    p.xyz += v.xyz * push.step_s;
#ifdef AMONG_COLLIDERS
    const bool was_near = floatBitsToUint(p.w) >= SPH_NEAR;
    p.w = uintBitsToFloat(floatBitsToUint(p.w) & ~SPH_NEAR);
    if (was_near || particle_meets(p.xyz, max(length(v.xyz) * push.step_s, push.h))) {
        meeting_add(i);
        counted = false;
    }
#else
    particle_bound(p.xyz, v.xyz);
#endif
    position_moved[i] = p;
    velocity_moved[i] = v;
    if (counted) particle_count(i, p);
}
