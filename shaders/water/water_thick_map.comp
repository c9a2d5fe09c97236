// water_thick_map.comp - water_thick.glsl for a shadow map.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "kernel.glsl"
#include "water_thick.glsl"
#include "shadows_io.h"
#include "shadows_table.glsl"
layout(set = SHADOWS_IMAGES, binding = SHADOWS_DEPTH) uniform texture2D depth_shown;
layout(set = SHADOWS_IMAGES, binding = SHADOWS_KEPT) uniform texture2D depth_kept;
layout(constant_id = 1) const uint IS_KEPT = 0; // the map of what stands

float opaque_at(uvec2 pixel) {
    const ShadowMap m = shadow_maps[shadows.now[push.map]];
    const ivec2     texel = ivec2(m.left, m.top) + ivec2(pixel * 2 + 1);
    return IS_KEPT != 0 ? texelFetch(depth_kept, texel, 0).x : texelFetch(depth_shown, texel, 0).x;
}
