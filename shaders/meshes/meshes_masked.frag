// meshes_masked.frag - as meshes_solid.frag, where the opacity is at least the cutoff of the material. Of a
// blended material, the cutoff differs between samples and surfaces, and is evenly distributed.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "canvas.glsl"
#include "meshes_io.h"
#include "meshes_texture.glsl"

layout(binding = MESHES_MATERIAL, scalar) readonly restrict buffer Materials { MeshMaterial materials[]; };

layout(location = 0) flat in uint id;
layout(location = 1) flat in uint first_index;
layout(location = 2) flat in uint corners;
layout(location = 3) flat in uint material;
layout(location = 4) in vec2 uv;
layout(location = 5) in float alpha;
layout(location = 0) out uvec2 seen;

// From 0 to 1. The sine of a large number: no pattern is visible in it.
float spread(vec2 at, float which) { return fract(sin(dot(at, vec2(12.9898, 78.233)) + which * 4.1414) * 43758.547); }

// The cutoffs of the samples of a pixel are one in each of as many equal steps.
float cutoff_of(uint which) {
    const uvec2 sample_at = uvec2(gl_FragCoord.xy) % eye.samples;
    const uint  count = eye.samples * eye.samples;
    const float turn = spread(floor(gl_FragCoord.xy / float(eye.samples)), float(which % 1024));
    const uint  step = (sample_at.y * eye.samples + sample_at.x + uint(turn * float(count))) % count;
    return (float(step) + spread(gl_FragCoord.xy, float(which % 1024))) / float(count) + 1e-6;
}

void main() {
    const MeshTexture t = materials[material].texture[MESHES_BASE_COLOR];
    const vec2 at = turned(t, uv) + t.offset, dx = dFdx(at), dy = dFdy(at);
    const float opacity = alpha * materials[material].opacity * texel(t.array, vec3(at, t.layer), dx, dy).a;
    float cutoff = materials[material].alpha_cutoff;
    if (materials[material].alpha_mode == MESHES_BLEND)
        cutoff = cutoff_of(first_index);
    if (opacity < cutoff) discard;
    seen = uvec2(id, first_index + gl_PrimitiveID * corners);
}
