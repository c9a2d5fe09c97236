// meshes_caster_masked.vert - a vertex of a masked part in a shadow map, with the texture coordinates of its base colour.
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

layout(binding = MESHES_VISIBLE) readonly restrict buffer Visible { uint visible[]; };
layout(binding = MESHES_DRAW, scalar) readonly restrict buffer Draws { MeshDraw draws[]; };
layout(binding = MESHES_PART, scalar) readonly restrict buffer Parts { MeshPart parts[]; };
layout(binding = MESHES_MATERIAL, scalar) readonly restrict buffer Materials { MeshMaterial materials[]; };

layout(location = 0) flat out uint material;
layout(location = 1) out vec2 uv;
layout(location = 2) out float alpha;

void main() {
    const uint         which = visible[gl_InstanceIndex], v = gl_VertexIndex;
    const MeshInstance instance = instances[which / push.maps];
    const MeshRow      mesh = meshes[instance.mesh];
    cast_to(which % push.maps, posed(pose_of(instance.transform), position_at(instance, mesh, v)));
    material = parts[draws[push.draw_first + gl_DrawID].part].material;
    const uint set = materials[material].texture[MESHES_BASE_COLOR].uv_set == 0 ? mesh.uv : mesh.uv_1;
    uv = set == MESHES_NONE ? vec2(0) : vec2_at(set, v);
    alpha = mesh.color == MESHES_NONE ? 1 : color_at(mesh.color, v).a;
}
