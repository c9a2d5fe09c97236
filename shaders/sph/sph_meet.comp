// sph_meet.comp - a thread per particle that can meet colliders: keeps it out of them, and counts it in its new cell. The last group
// empties the list.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"
#include "sph_counted.glsl"
#include "colliders_meet.glsl"

layout(binding = SPH_POSITION) readonly restrict buffer Position { vec4 position[]; };
layout(binding = SPH_POSITION_INPUT) restrict buffer PositionMoved { vec4 position_moved[]; };
layout(binding = SPH_VELOCITY_INPUT) restrict buffer VelocityMoved { vec4 velocity_moved[]; };
layout(binding = SPH_MEETING, scalar) restrict buffer Meetings { SphMeeting meeting; uint meetings[]; };

// Returns whether it met any.
bool particle_bound(vec3 from, inout vec3 p, inout vec3 v) {
    const Around around = colliders_around(p, push.direct_count, push.collider_cell_m);
    bool met = false;
    for (uint k = 0; k < around.end; k++) {
        const uint n = push.collider_first + collider_number(around, k);
        if (!collider_is_near(n, p)) continue;
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
        vec4 p = position_moved[i], v = velocity_moved[i];
        for (uint round = 0; round < COLLIDER_ROUNDS && particle_bound(position[i].xyz, p.xyz, v.xyz); round++) {}
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
