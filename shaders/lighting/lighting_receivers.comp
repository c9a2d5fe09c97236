// lighting_receivers.comp - one thread per tile of the picture and map that is drawn: the squares of the map over which
// surfaces of the tile may be, and how far from the light the farthest of these is. What casts nowhere before a surface that
// is seen need not be drawn.
//
// Source: J. Bittner et al., Shadow Caster Culling for Efficient Shadow Mapping, 2011.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "lights_io.h"
#include "shadows_io.h"
#include "lighting_io.h"
#include "shadows_table.glsl"

layout(push_constant, scalar) uniform Push { LightingReceivers push; };
layout(binding = CANVAS_VIEW, scalar) readonly restrict buffer View { CanvasEye eye; };
layout(binding = LIGHTS_BOUNDS, scalar) readonly restrict buffer Tiles { LightsBounds tiles[]; };
layout(binding = SHADOWS_SEEN) restrict buffer Seen { uint seen[]; };

const float BEYOND_M = 1e5; // blended surfaces before nothing

bool is_empty(LightsBounds b) { return b.near_m > b.far_m; }

vec3 corner_of(uvec2 tile, uint k, LightsBounds b) {
    const vec2  at = (vec2(tile) + vec2(k & 1, k >> 1 & 1)) * push.tile / vec2(eye.width, eye.height) * 2 - 1;
    const float near = push.blends != 0 ? eye.near_m : b.near_m * 0.999;
    const float far = (k & 4) == 0 ? near : (push.blends != 0 ? min(b.reach_m, BEYOND_M) : b.far_m) * 1.001;
    const vec3  aside = eye.right * at.x - eye.up * at.y;
    return eye.origin + eye.forward * far + aside * (eye.orthographic != 0 ? 1 : far);
}

void main() {
    const uint i = thread_index(), count = push.wide * push.high;
    if (i >= count * shadows.now_count) return;
    const uint         number = i % count, map = i / count;
    const LightsBounds b = tiles[number];
    const ShadowMap    m = shadow_maps[shadows.now[map]];
    vec2  low = vec2(1e9), high = vec2(-1e9);
    float farthest = 1e9; // 0 is far from the light
    if (is_empty(b) && push.blends == 0) return;
    for (uint k = 0; k < 8; k++) {
        const vec4 clip = shadow_clip(m, corner_of(uvec2(number % push.wide, number / push.wide), k, b));
        const bool is_behind = clip.w < 1e-4;
        low = is_behind ? vec2(-1) : min(low, clip.xy / clip.w);
        high = is_behind ? vec2(1) : max(high, clip.xy / clip.w);
        farthest = is_behind ? 0 : min(farthest, clip.z / clip.w);
        if (is_behind) break;
    }
    const float more = 2 * SHADOWS_BORDER / m.side;
    if (any(greaterThan(low, vec2(1 + more))) || any(lessThan(high, vec2(-1 - more)))) return;
    const float scale = float(SHADOWS_SQUARES) / 2, last = float(SHADOWS_SQUARES) - 1;
    const uvec2 from = uvec2(clamp((low + 1 - more) * scale, 0, last)), to = uvec2(clamp((high + 1 + more) * scale, 0, last));
    for (uint y = from.y; y <= to.y; y++)
        for (uint x = from.x; x <= to.x; x++)
            atomicMin(seen[(map * SHADOWS_SQUARES + y) * SHADOWS_SQUARES + x], floatBitsToUint(max(farthest, 0)));
}
