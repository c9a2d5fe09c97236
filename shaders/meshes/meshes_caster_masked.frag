// meshes_caster_masked.frag - depth, where the opacity is at least the cutoff of the material.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "meshes_io.h"
#include "lighting_texture.glsl"
#include "meshes_texture.glsl"
#include "meshes_texel.glsl"

layout(binding = MESHES_MATERIAL, scalar) readonly restrict buffer Materials { MeshMaterial materials[]; };

layout(location = 0) flat in uint material;
layout(location = 1) in vec2 uv;
layout(location = 2) in float alpha;

void main() {
    const MeshTexture t = materials[material].texture[MESHES_BASE_COLOR];
    const float opacity = alpha * materials[material].opacity * texel_of(t, uv.xyxy).a;
    if (opacity < materials[material].alpha_cutoff) discard;
}
