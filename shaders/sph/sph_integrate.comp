// sph_integrate.comp - one thread per particle: moves it, projects it onto planes that it has
// passed, and counts it in its new cell for the next step.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"

layout(constant_id = 3) const uint COUNTED = 1; // the next step needs the counts
layout(binding = SPH_POSITION) readonly buffer From { vec4 position_from[]; };
layout(binding = SPH_VELOCITY) readonly buffer VelocityFrom { vec4 velocity_from[]; };
layout(binding = SPH_ACCELERATION, scalar) readonly restrict buffer Acceleration { vec3 acceleration[]; };
layout(binding = SPH_POSITION_INPUT) writeonly buffer Position { vec4 position[]; };
layout(binding = SPH_VELOCITY_INPUT) writeonly buffer Velocity { vec4 velocity[]; };
layout(binding = SPH_COUNT) restrict buffer Count { uint cell_count[]; };
layout(binding = SPH_RANK) writeonly restrict buffer Rank { uint rank[]; };
layout(binding = SPH_PLANES, scalar) readonly restrict buffer Planes { SphPlane planes[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    vec4 p = position_from[i], v = velocity_from[i];
    v.w = 1 / v.w;
    v.xyz += acceleration[i] * push.step_s;
    p.xyz += v.xyz * push.step_s;
    for (uint k = 0; k < push.plane_count; k++) {
        const vec4  plane = planes[k].plane;
        const float distance = dot(plane.xyz, p.xyz) - plane.w, speed = dot(plane.xyz, v.xyz);
        if (distance >= 0) continue;
        p.xyz -= plane.xyz * distance;
        if (speed < 0) v.xyz -= plane.xyz * (speed * (1 + planes[k].restitution));
    }
    position[i] = p;
    velocity[i] = v;
    if (COUNTED == 0) return;
    const ivec3 c = cell_of(p.xyz);
    rank[i] = atomicAdd(cell_count[slot_of(c)], 1);
}
