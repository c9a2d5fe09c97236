// sph_move.glsl - moves a particle, keeps it out of colliders, and counts it in its new cell for the next step. With AMONG_COLLIDERS,
// these are of all kinds, and move; without, they are planes that stand, onto which a particle that has passed one is projected.
layout(binding = SPH_POSITION_INPUT) writeonly buffer PositionMoved { vec4 position_moved[]; };
layout(binding = SPH_VELOCITY_INPUT) writeonly buffer VelocityMoved { vec4 velocity_moved[]; };
layout(binding = SPH_COUNT) restrict buffer Count { uint cell_count[]; };
layout(binding = SPH_RANK) writeonly restrict buffer Rank { uint rank[]; };
layout(binding = SPH_SLOWED) restrict buffer Slowed { uint slowed; };

#ifdef AMONG_COLLIDERS
#include "colliders_meet.glsl"

void particle_bound(vec3 from, inout vec3 p, inout vec3 v) {
    const Around around = colliders_around(p, push.direct_count, push.collider_cell_m);
    for (uint k = 0; k < around.end; k++) {
        const uint n = collider_number(around, k);
        if (!collider_is_near(n, p)) continue;
        const ColliderShape c = colliders[n];
        Contact contact;
        if (!collider_met(c, from, p, 0, push.step_s, contact)) continue;
        p += contact.normal * contact.depth_m;
        v = velocity_after(c, contact, v);
    }
}
#else
layout(binding = SPH_PLANES, scalar) readonly restrict buffer Planes { ColliderPlane planes[]; };

void particle_bound(vec3 from, inout vec3 p, inout vec3 v) {
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
    const vec3 from = p.xyz;
    v.w = 1 / v.w;
    v.xyz += acceleration * push.step_s;
    const float speed2 = dot(v.xyz, v.xyz);
    if (speed2 > push.speed_max_m_s * push.speed_max_m_s) {
        v.xyz *= push.speed_max_m_s * inversesqrt(speed2);
        atomicAdd(slowed, 1);
    }
    p.xyz += v.xyz * push.step_s;
    particle_bound(from, p.xyz, v.xyz);
    position_moved[i] = p;
    velocity_moved[i] = v;
    if (!counted) return;
    const ivec3 c = cell_of(p.xyz);
    rank[i] = atomicAdd(cell_count[slot_of(c)], 1);
}
