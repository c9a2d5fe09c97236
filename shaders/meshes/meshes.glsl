// meshes.glsl - reading instances and vertices: shared by all passes of meshes.
layout(push_constant, scalar) uniform Push { MeshesPush push; };
layout(binding = MESHES_INSTANCE, scalar) readonly restrict buffer Instances { MeshInstance instances[]; };
layout(binding = MESHES_MATRIX, scalar) readonly restrict buffer Matrices { vec4 matrices[]; };
layout(binding = MESHES_MESH, scalar) readonly restrict buffer Meshes { MeshRow meshes[]; };

// Rows of the matrix from the mesh to the world.
struct Pose { vec4 x, y, z; };

Pose pose_of(uint transform) {
    if (transform == MESHES_NONE) return Pose(vec4(1, 0, 0, 0), vec4(0, 1, 0, 0), vec4(0, 0, 1, 0));
    return Pose(matrices[transform * 3], matrices[transform * 3 + 1], matrices[transform * 3 + 2]);
}
vec3 posed(Pose p, vec3 at) {
    const vec4 v = vec4(at, 1);
    return vec3(dot(p.x, v), dot(p.y, v), dot(p.z, v));
}
float determinant_of(Pose p) { return dot(p.x.xyz, cross(p.y.xyz, p.z.xyz)); }
