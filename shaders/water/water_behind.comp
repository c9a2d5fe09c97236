// water_behind.comp - one thread per pixel of the picture: the mean colour of its samples behind the surface, and the depth of the
// nearest one of them; of all samples where there is no surface.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "water_io.h"
#include "canvas.glsl"
#include "canvas_images.glsl"
#define WATER_STATE_ACCESS readonly
#include "water.glsl"
#include "water_depth.glsl"

layout(binding = CANVAS_COLOR) readonly restrict buffer Colors { uvec2 colors[]; };
layout(binding = WATER_NEAREST) readonly restrict buffer Nearest { uint nearest[]; };
layout(binding = WATER_BEHIND) writeonly restrict buffer Behind { uvec2 behind[]; };
layout(binding = WATER_FAR) writeonly restrict buffer Far { float far_depth[]; };

void main() {
    const uint i = thread_index(), side = eye.samples;
    if (i >= push.width * push.height) return;
    const uint  first = i / push.width * side * eye.width + i % push.width * side, word = nearest[i];
    const float limit = word == 0 || water.is_inside != 0 ? 2 : depth_in(word);
    vec4  some = vec4(0), all = vec4(0); // and their number
    float near_some = 0, near_all = 0;
    for (uint y = 0; y < side; y++) {
        for (uint x = 0; x < side; x++) {
            const uint  s = first + y * eye.width + x;
            const vec4  color = vec4(unpackHalf2x16(colors[s].x), unpackHalf2x16(colors[s].y).x, 1);
            const float depth = depth_at(s);
            all += color;
            near_all = max(near_all, depth);
            if (depth >= limit) continue;
            some += color;
            near_some = max(near_some, depth);
        }
    }
    const vec3 mean = some.a > 0 ? some.rgb / some.a : all.rgb / all.a;
    behind[i] = uvec2(packHalf2x16(mean.rg), packHalf2x16(vec2(mean.b, 1)));
    far_depth[i] = some.a > 0 ? near_some : near_all;
}
