// meshes_masked.vert - a vertex of a masked part, with the texture coordinates of its base colour.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "canvas.glsl"
#include "meshes_io.h"
#include "meshes.glsl"
#include "meshes_vertex.glsl"
#include "meshes_moved.glsl"
#include "meshes_place.glsl"

layout(binding = MESHES_MATERIAL, scalar) readonly restrict buffer Materials { MeshMaterial materials[]; };

layout(location = 3) flat out uint material;
layout(location = 4) out vec2 uv;
layout(location = 5) out float alpha;

void main() {
    MeshRow mesh;
    material = place(mesh).material;
    const uint set = materials[material].texture[MESHES_BASE_COLOR].uv_set == 0 ? mesh.uv : mesh.uv_1;
    uv = set == MESHES_NONE ? vec2(0) : vec2_at(set, gl_VertexIndex);
    alpha = mesh.color == MESHES_NONE ? 1 : color_at(mesh.color, gl_VertexIndex).a;
}
