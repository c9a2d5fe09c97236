// water_thick_map.comp - water_thick.glsl for a shadow map.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "kernel.glsl"
#include "water_thick.glsl"
#include "shadows_io.h"
#include "shadows_table.glsl"
layout(set = SHADOWS_IMAGES, binding = SHADOWS_DEPTH) uniform texture2D shadow_depth;

float opaque_at(uvec2 pixel) {
    const ShadowMap m = shadow_maps[shadows.now[push.map]];
    return texelFetch(shadow_depth, ivec2(m.left, m.top) + ivec2(pixel * 2 + 1), 0).x;
}
