// sph_move.glsl - moves a particle, keeps it out of planes that stand, and counts it in its new cell for the next step. With
// AMONG_COLLIDERS there are other colliders: a particle that can meet one is listed instead, for sph_meet.comp, because few of them
// need the registers that this takes.
#include "sph_counted.glsl"
layout(binding = SPH_POSITION_INPUT) writeonly buffer PositionMoved { vec4 position_moved[]; };
layout(binding = SPH_VELOCITY_INPUT) writeonly buffer VelocityMoved { vec4 velocity_moved[]; };
layout(binding = SPH_SLOWED) restrict buffer Slowed { uint slowed; };

#ifdef AMONG_COLLIDERS
#include "colliders_meet.glsl"
layout(binding = SPH_MEETING, scalar) restrict buffer Meetings { SphMeeting meeting; uint meetings[]; };

// Can it meet a collider? Then it is listed.
bool particle_meets(uint i, vec3 p) {
    const Around around = colliders_around(p, push.direct_count, push.collider_cell_m);
    bool         meets = false;
    for (uint k = 0; k < around.end && !meets; k++) meets = collider_is_near(push.collider_first + collider_number(around, k), p);
    if (!meets) return false;
    const uint slot = atomicAdd(meeting.count, 1);
    meetings[slot] = i;
    if (slot % SPH_MEET_GROUP == 0) atomicMax(meeting.groups[0], min(slot / SPH_MEET_GROUP + 1, SPH_MEET_GROUPS));
    return true;
}
#else
layout(binding = SPH_PLANES, scalar) readonly restrict buffer Planes { ColliderPlane planes[]; };

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
    v.w = 1 / v.w;
    v.xyz += acceleration * push.step_s;
    const float speed2 = dot(v.xyz, v.xyz);
    if (speed2 > push.speed_max_m_s * push.speed_max_m_s) {
        v.xyz *= push.speed_max_m_s * inversesqrt(speed2);
        atomicAdd(slowed, 1);
    }
    p.xyz += v.xyz * push.step_s;
#ifdef AMONG_COLLIDERS
    counted = counted && !particle_meets(i, p.xyz);
#else
    particle_bound(p.xyz, v.xyz);
#endif
    position_moved[i] = p;
    velocity_moved[i] = v;
    if (counted) particle_count(i, p.xyz);
}
