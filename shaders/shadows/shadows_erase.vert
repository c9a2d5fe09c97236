// shadows_erase.vert - a square over each map that is drawn, farther than all: depth is not written by kernels.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "shadows_io.h"
#include "shadows_table.glsl"

void main() {
    const ShadowMap m = shadow_maps[shadows.now[gl_InstanceIndex]];
    gl_Position = atlas_clip(m, vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2 - 1, 0, 1));
}
