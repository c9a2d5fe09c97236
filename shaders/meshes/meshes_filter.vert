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
layout(binding = MESHES_VISIBLE) readonly restrict buffer Visible { uint visible[]; };
layout(binding = MESHES_DRAW, scalar) readonly restrict buffer Draws { MeshDraw draws[]; };
layout(binding = MESHES_MOVING) readonly restrict buffer Moves { uint moves[]; };

layout(location = 0) flat out uint material;
layout(location = 1) out vec4 uvs;
layout(location = 2) out vec4 color;
layout(location = 3) flat out uint is_covered;

void main() {
    const uint         which = visible[gl_InstanceIndex] / push.maps, map = visible[gl_InstanceIndex] % push.maps;
    const MeshInstance instance = instances[which];
    const MeshRow      mesh = meshes[instance.mesh];
    const uint         v = gl_VertexIndex;
    is_covered = push.moves == MESHES_THAT_MOVE && (moves[which / 32] >> which % 32 & 1) == 0 ? 1 : 0;
    cast_to(map, posed(pose_of(instance.transform), position_at(instance, mesh, v)));
    material = parts[draws[gl_DrawID].part].material;
    uvs = vec4(mesh.uv == MESHES_NONE ? vec2(0) : vec2_at(mesh.uv, v),
               mesh.uv_1 == MESHES_NONE ? vec2(0) : vec2_at(mesh.uv_1, v));
    color = mesh.color == MESHES_NONE ? vec4(1) : color_at(mesh.color, v);
}
