// water_look.comp - a thread for some of the particles: the box around all particles of a fluid, and how much of it is around the eye, by
// the kernel (1 - (r/h)^2)^3 whose integral is 64 pi h^3 / 315.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "water_io.h"

layout(push_constant, scalar) uniform Push { WaterPush push; };
layout(binding = CANVAS_VIEW, scalar) readonly restrict buffer View { CanvasEye eye; };
#include "water_particle.glsl"
layout(binding = WATER_STATE, scalar) restrict buffer Waters { WaterState water; };

#include "canvas_extent_group.glsl"

shared uint around;

void main() {
    const uint t = gl_LocalInvocationID.x, all = gl_NumWorkGroups.x * gl_NumWorkGroups.y * WATER_GROUP;
    group_clear(t);
    if (t == 3) around = 0;
    barrier();
    vec3 from = vec3(1e38), to = vec3(-1e38);
    const float volume = push.spacing_m * push.spacing_m * push.spacing_m;
    const float scale = 65536 * volume * 315 / (64 * 3.14159265 * push.h * push.h * push.h);
    for (uint i = thread_index(); i < push.count; i += all) {
        if (!is_of_fluid(positions[i])) continue;
        const vec3 at = positions[i].xyz, aside = at - eye.origin;
        from = min(from, at);
        to = max(to, at);
        const float left = 1 - dot(aside, aside) / (push.h * push.h);
        if (left > 0) atomicAdd(around, uint(left * left * left * scale));
    }
    group_add(from, to);
    barrier();
    if (t < 3) {
        atomicMin(water.box[push.fluid].low[t], group_low[t]);
        atomicMin(water.box[push.fluid].high[t], group_high[t]);
    }
    if (t == 3 && around != 0) atomicAdd(water.box[push.fluid].around, 0u - around);
}
