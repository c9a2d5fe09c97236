// sph_move.glsl - moves a particle, keeps it out of planes that stand, and counts it in its new cell for the next step. With
// AMONG_COLLIDERS there are other colliders: a particle that can be near one is listed instead, for sph_meet.comp, because few of them
// need the registers that this takes; and its density is stored as a negative number, for the next density.
#include "sph_counted.glsl"
#include "sph_speed.glsl"
layout(binding = SPH_POSITION_INPUT) writeonly buffer PositionMoved { vec4 position_moved[]; };
layout(binding = SPH_VELOCITY_INPUT) writeonly buffer VelocityMoved { vec4 velocity_moved[]; };

#ifdef AMONG_COLLIDERS
#include "colliders_meet.glsl"
layout(binding = SPH_MEETING, scalar) restrict buffer Meetings { SphMeeting meeting; uint meetings[]; };

// Is a particle near a collider before or after its way, or can it meet one on it?
bool particle_meets(vec3 p, float way_m) {
    const Around around = colliders_around(p, push.direct_count, push.collider_cell_m);
    for (uint k = 0; k < around.end; k++) {
        const uint n = push.collider_first + collider_number(around, k);
        if (collider_is_near(n, p, push.h + way_m) && collider_reaches(n, p, push.h + way_m)) return true;
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
#ifndef AMONG_COLLIDERS
    acceleration += walls_press(walls_around(p.xyz), v.w);
#endif
    v.w = 1 / v.w;
    v.xyz = speed_limited(v.xyz + acceleration * push.step_s);
    p.xyz += v.xyz * push.step_s;
#ifdef AMONG_COLLIDERS
    if (particle_meets(p.xyz, length(v.xyz) * push.step_s)) {
        meeting_add(i);
        v.w = -v.w;
        counted = false;
    }
#else
    particle_bound(p.xyz, v.xyz);
#endif
    position_moved[i] = p;
    velocity_moved[i] = v;
    if (counted) particle_count(i, p.xyz);
}
