// lights_seen.comp - one thread per element: is it in the view?
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "lights_io.h"
#include "lights_source.glsl"

layout(constant_id = 1) const uint KEYS = 0; // 1: distances are written, because there may be too many

layout(binding = LIGHTS_EYE, scalar) readonly restrict buffer View { CanvasEye eye; };
#include "lights_view.glsl"
layout(binding = LIGHTS_FLAG) writeonly restrict buffer Flags { uint flags[]; };
layout(binding = LIGHTS_KEY) writeonly restrict buffer Keys { uint keys[]; };

shared uint seen[LIGHTS_GROUP / 32];

void main() {
    const uint i = thread_index(), t = gl_LocalInvocationID.x;
    if (t < LIGHTS_GROUP / 32) seen[t] = 0;
    barrier();
    bool is_seen = false;
    if (i < element_count()) {
        const Element e = element_at(i);
        is_seen = is_in_view(e);
        if (KEYS != 0)
            keys[i] = is_seen ? floatBitsToUint(max(distance(e.center, eye.origin) - e.radius, 0)) : LIGHTS_NONE;
    }
    if (is_seen) atomicOr(seen[t / 32], 1u << t % 32);
    barrier();
    if (t < LIGHTS_GROUP / 32) flags[group_index() * (LIGHTS_GROUP / 32) + t] = seen[t];
}
