// sph_move.glsl - moves a particle, projects it onto planes that it has passed, and counts it in its
// new cell for the next step.
layout(binding = SPH_POSITION_INPUT) writeonly buffer PositionMoved { vec4 position_moved[]; };
layout(binding = SPH_VELOCITY_INPUT) writeonly buffer VelocityMoved { vec4 velocity_moved[]; };
layout(binding = SPH_COUNT) restrict buffer Count { uint cell_count[]; };
layout(binding = SPH_RANK) writeonly restrict buffer Rank { uint rank[]; };
layout(binding = SPH_PLANES, scalar) readonly restrict buffer Planes { SphPlane planes[]; };

// Particle i of the position p and velocity v, with the inverse of its density.
void particle_move(uint i, vec4 p, vec4 v, vec3 acceleration, bool counted) {
    v.w = 1 / v.w;
    v.xyz += acceleration * push.step_s;
    p.xyz += v.xyz * push.step_s;
    for (uint k = 0; k < push.plane_count; k++) {
        const vec4  plane = planes[k].plane;
        const float distance = dot(plane.xyz, p.xyz) - plane.w, speed = dot(plane.xyz, v.xyz);
        if (distance >= 0) continue;
        p.xyz -= plane.xyz * distance;
        if (speed < 0) v.xyz -= plane.xyz * (speed * (1 + planes[k].restitution));
    }
    position_moved[i] = p;
    velocity_moved[i] = v;
    if (!counted) return;
    const ivec3 c = cell_of(p.xyz);
    rank[i] = atomicAdd(cell_count[slot_of(c)], 1);
}
