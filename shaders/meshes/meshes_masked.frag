// meshes_masked.frag - as meshes_solid.frag, where the opacity is at least the cutoff of the material.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "canvas.glsl"
#include "meshes_io.h"
#include "lighting_texture.glsl"
#include "meshes_texture.glsl"
#include "meshes_texel.glsl"

layout(binding = MESHES_MATERIAL, scalar) readonly restrict buffer Materials { MeshMaterial materials[]; };

layout(location = 0) flat in uint id;
layout(location = 1) flat in uint first_index;
layout(location = 2) flat in uint corners;
layout(location = 3) flat in uint material;
layout(location = 4) in vec2 uv;
layout(location = 5) in float alpha;
layout(location = 0) out uvec2 seen;

void main() {
    const MeshTexture t = materials[material].texture[MESHES_BASE_COLOR];
    const float opacity = alpha * materials[material].opacity * texel_of(t, uv.xyxy).a;
    if (opacity < materials[material].alpha_cutoff) discard;
    seen = uvec2(id, first_index + gl_PrimitiveID * corners);
}
