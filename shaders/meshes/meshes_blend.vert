// meshes_blend.vert - a vertex of a blended part.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "canvas.glsl"
#include "meshes_io.h"
#include "meshes.glsl"
#include "meshes_vertex.glsl"
#include "meshes_normal.glsl"
#include "meshes_moved.glsl"

layout(binding = MESHES_PART, scalar) readonly restrict buffer Parts { MeshPart parts[]; };
layout(binding = MESHES_BLENDED, scalar) readonly restrict buffer Blended { MeshBlended blended[]; };
layout(binding = MESHES_PAIR) readonly restrict buffer Pairs { uvec2 pairs[]; };

layout(location = 0) flat out uvec2 kind; // material; bit 0: it is mirrored, bit 1: it has normals, bit 2: it receives no decals
layout(location = 1) out vec3 at;
layout(location = 2) out vec3 normal;
layout(location = 3) out vec4 tangent;
layout(location = 4) out vec4 uvs;
layout(location = 5) out vec4 color;

void main() {
    const MeshBlended  which = blended[pairs[gl_InstanceIndex].y];
    const MeshInstance instance = instances[which.instance];
    const MeshRow      mesh = meshes[instance.mesh];
    const Pose         pose = pose_of(instance.transform);
    const uint         v = gl_VertexIndex;
    kind = uvec2(parts[which.part].material,
                 (determinant_of(pose) < 0 ? 1 : 0) + (mesh.normal == MESHES_NONE ? 0 : 2) +
                     ((instance.shown & MESHES_NO_DECALS) == 0 ? 0 : 4));
    at = posed(pose, position_at(instance, mesh, v));
    normal = mesh.normal == MESHES_NONE ? vec3(0) : posed_normal(pose, normal_at(instance, mesh, v));
    const vec4 along = mesh.tangent == MESHES_NONE ? vec4(0) : tangent_at(instance, mesh, v);
    tangent = vec4(posed_along(pose, along.xyz), along.w);
    uvs = vec4(mesh.uv == MESHES_NONE ? vec2(0) : vec2_at(mesh.uv, v),
               mesh.uv_1 == MESHES_NONE ? vec2(0) : vec2_at(mesh.uv_1, v));
    color = mesh.color == MESHES_NONE ? vec4(1) : color_at(mesh.color, v);
    gl_Position = clip_of(at);
}
