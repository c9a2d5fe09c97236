// meshes_caster.vert - a vertex of an opaque part in a shadow map.
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

void main() {
    const uint         which = visible[gl_InstanceIndex];
    const MeshInstance instance = instances[which / push.maps];
    const vec3         at = position_at(instance, meshes[instance.mesh], gl_VertexIndex);
    cast_to(which % push.maps, posed(pose_of(instance.transform), at));
}
