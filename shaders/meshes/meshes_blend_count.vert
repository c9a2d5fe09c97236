// meshes_blend_count.vert - as meshes_blend.vert, for a pass that only counts.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "canvas.glsl"
#include "meshes_io.h"
#include "meshes.glsl"
#include "meshes_vertex.glsl"
#include "meshes_moved.glsl"

layout(binding = MESHES_VISIBLE) readonly restrict buffer Visible { uint visible[]; };

invariant gl_Position;

void main() {
    const MeshInstance instance = instances[visible[gl_InstanceIndex]];
    const MeshRow      mesh = meshes[instance.mesh];
    gl_Position = clip_of(posed(pose_of(instance.transform), position_at(instance, mesh, gl_VertexIndex)));
}
