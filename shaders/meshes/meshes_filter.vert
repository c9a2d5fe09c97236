// meshes_filter.vert - a vertex of a blended part in a shadow map.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "meshes_io.h"
#include "shadows_io.h"
#include "meshes.glsl"
#include "meshes_vertex.glsl"
#include "meshes_moved.glsl"
#include "shadows_table.glsl"
#include "shadows_cast.glsl"

layout(binding = MESHES_PART, scalar) readonly restrict buffer Parts { MeshPart parts[]; };
layout(binding = MESHES_BLENDED, scalar) readonly restrict buffer Blended { MeshBlended blended[]; };
layout(binding = MESHES_PAIR) readonly restrict buffer Pairs { uvec2 pairs[]; };

layout(location = 0) flat out uint material;
layout(location = 1) out vec4 uvs;
layout(location = 2) out vec4 color;
layout(location = 3) flat out uint is_covered;

void main() {
    const uvec2        pair = pairs[gl_InstanceIndex];
    const MeshBlended  which = blended[pair.y];
    const MeshInstance instance = instances[which.instance];
    const MeshRow      mesh = meshes[instance.mesh];
    const uint         v = gl_VertexIndex;
    is_covered = pair.x & MESHES_IS_COVERED;
    cast_to(pair.x & ~MESHES_IS_COVERED, posed(pose_of(instance.transform), position_at(instance, mesh, v)));
    material = parts[which.part].material;
    uvs = vec4(mesh.uv == MESHES_NONE ? vec2(0) : vec2_at(mesh.uv, v),
               mesh.uv_1 == MESHES_NONE ? vec2(0) : vec2_at(mesh.uv_1, v));
    color = mesh.color == MESHES_NONE ? vec4(1) : color_at(mesh.color, v);
}
