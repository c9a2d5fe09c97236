// meshes_filter.frag - the colour by which a blended surface multiplies light, the caustics that it adds, and its depth.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "meshes_io.h"
#include "shadows_io.h"
#include "lighting_texture.glsl"
#include "meshes_texture.glsl"
#include "meshes_texel.glsl"
#include "meshes_surface.glsl"
#include "meshes_scroll.glsl"
#include "shadows_table.glsl"

layout(push_constant, scalar) uniform Push { MeshesPush push; };
layout(binding = SHADOWS_COVERED) readonly restrict buffer Covered { uint covered[]; };

layout(location = 3) flat in uint is_covered; // it is drawn only where opaque surfaces that move cover texels
layout(location = 0) out vec4 passed;
layout(location = 1) out float front; // depth where it is not completely transparent

bool is_kept() {
    const uvec2 at = uvec2(gl_FragCoord.xy);
    return is_covered != 0 && (covered[at.y * (shadows.atlas_side / 32) + at.x / 32] >> at.x % 32 & 1) == 0;
}

void main() {
    if (is_kept()) discard;
    const vec4 base = base_at();
    float slope = 0; // 1 - z of the normal map
    if (has_slot(MESHES_NORMAL)) {
        const MeshMaterial m = materials[material];
        vec4 read = texel_of(scrolled(m.texture[MESHES_NORMAL], m.scroll.xy, push.time_s), uvs);
        if (scrolls(m)) read = (read + texel_of(scrolled(m.texture[MESHES_NORMAL], m.scroll.zw, push.time_s), uvs)) * 0.5;
        const vec2 xy = read.xy * 2 - 1;
        slope = 1 - sqrt(clamp(1 - dot(xy, xy), 0, 1));
    }
    front = base.a < 1.0 / 255 ? 0 : gl_FragCoord.z;
    vec3 color = base.rgb;
    if (materials[material].transmission > 0)
        color *= materials[material].transmitted * (materials[material].transmission * (1 - materials[material].metallic));
    passed = vec4(mix(vec3(1), color, clamp(base.a, 0, 1)), slope * materials[material].caustics / SHADOWS_CAUSTICS);
}
