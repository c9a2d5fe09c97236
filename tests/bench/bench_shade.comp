// bench_shade.comp - shading with a constant normal and a plain light function, or with GGX, four samples a thread that share
// the walk over the lights of their tile.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"
#include "canvas_images.glsl"
#include "lights_io.h"
#include "lighting_look.glsl"

layout(constant_id = 1) const uint LISTS = 0;
layout(constant_id = 2) const uint IS_GGX = 0;
layout(constant_id = 3) const uint ACROSS = 4; // samples of a thread that follow each other: 4, or 2 in two rows

layout(binding = CANVAS_COLOR) writeonly restrict buffer Colors { uvec4 colors[]; };
layout(binding = LIGHTS_SPHERE) readonly restrict buffer Spheres { vec4 spheres[]; };
layout(binding = LIGHTS_STATE, scalar) readonly restrict buffer State { LightsState state; };
layout(binding = LIGHTS_ITEM, scalar) readonly restrict buffer Items { LightsItem items[]; };
layout(binding = LIGHTS_WORD) readonly restrict buffer Words { uint words[]; };

vec4 x, y, z, red = vec4(0), green = vec4(0), blue = vec4(0);

void add(uint k, vec3 color) {
    red[k] += color.r;
    green[k] += color.g;
    blue[k] += color.b;
}

void light_add(uint i) {
    const vec4 light = spheres[i], color = items[i].y;
    const float inverse = 1 / (light.w * light.w);
    const vec4 dx = light.x - x, dy = light.y - y, dz = light.z - z, d2 = dx * dx + dy * dy + dz * dz;
    const vec4 q = max(1 - d2 * inverse, vec4(0));
    if (IS_GGX != 0) {
        [[unroll]] for (uint k = 0; k < 4; k++) {
            if (q[k] == 0) continue;
            const vec3 to_eye = -normalize(vec3(x[k], y[k], z[k]));
            const Look look = Look(vec3(0.8, 0.7, 0.6), vec3(0), vec3(0, 0.70710678, -0.70710678), to_eye, 0.4, 0.5, 1, 1, MIRROR,
                                    0, 0, vec3(0));
            add(k, color.rgb * (q[k] * q[k]) * reflected(look, vec3(dx[k], dy[k], dz[k]) * inversesqrt(d2[k] + 1e-6)));
        }
        return;
    }
    const vec4 v = q * q * max((dy - dz) * inversesqrt(d2 + 1e-6) * 0.7, vec4(0));
    red += v * color.r;
    green += v * color.g;
    blue += v * color.b;
}

void main() {
    const uint t = gl_LocalInvocationID.x, tile = group_index(), side = state.tile / ACROSS;
    const uvec2 step = uvec2(ACROSS, 4 / ACROSS);
    const uvec2 at = uvec2(tile % state.wide, tile / state.wide) * state.tile + uvec2(t % side, t / side) * step;
    if (at.y >= eye.height || at.x >= eye.width) return;
    [[unroll]] for (uint k = 0; k < 4; k++) {
        const uvec2 pixel = at + uvec2(k % ACROSS, k / ACROSS);
        z[k] = distance_of(texelFetch(depth_image, ivec2(pixel), 0).x);
        x[k] = ((float(pixel.x) + 0.5) * (2 / float(eye.width)) - 1) * length(eye.right) * z[k];
        y[k] = (1 - (float(pixel.y) + 0.5) * (2 / float(eye.height))) * length(eye.up) * z[k];
    }
    if (LISTS != 0) {
        const uint first = tile * 2 * LIGHTS_LIST_WORDS, count = words[first];
        for (uint k = 0; k < count; k++)
            light_add(words[first + LIGHTS_LIST_HEAD + k / 2] >> k % 2 * 16 & 0xffffu);
    } else if (state.skips != 0) {
        const uint skips = state.skips + tile * 2 * state.skip_stride, used = (state.count + 1023) / 1024;
        for (uint s = 0; s < used; s++) {
            for (uint full = subgroupBroadcastFirst(words[skips + s]); full != 0; full &= full - 1) {
                const uint w = s * 32 + findLSB(full);
                for (uint bits = subgroupBroadcastFirst(words[tile * 2 * state.stride + w]); bits != 0; bits &= bits - 1)
                    light_add(w * 32 + findLSB(bits));
            }
        }
    } else {
        const uint used = (state.count + 31) / 32;
        for (uint w = 0; w < used; w++)
            for (uint bits = subgroupBroadcastFirst(words[tile * 2 * state.stride + w]); bits != 0; bits &= bits - 1)
                light_add(w * 32 + findLSB(bits));
    }
    uvec2 color[4];
    [[unroll]] for (uint k = 0; k < 4; k++)
        color[k] = uvec2(packHalf2x16(vec2(red[k], green[k])), packHalf2x16(vec2(blue[k], 1)));
    const uint to = (at.y * eye.width + at.x) / 2, below = to + eye.width / 2;
    colors[to] = uvec4(color[0], color[1]);
    if (ACROSS == 4 || at.y + 1 < eye.height) colors[ACROSS == 4 ? to + 1 : below] = uvec4(color[2], color[3]);
}
