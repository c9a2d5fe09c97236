// meshes_level.glsl - the coarsest level of a mesh whose error is at most one pixel.
layout(binding = MESHES_PART, scalar) readonly restrict buffer Parts { MeshPart parts[]; };

uint level_of(MeshRow mesh, float pixels_per_m) {
    uint level = 0;
    while (level + 1 < mesh.level_count &&
           parts[mesh.first_part + (level + 1) * mesh.part_count].error_m * pixels_per_m <= 1) level++;
    return level;
}

// The largest scale of a pose.
float scale_of(Pose p) {
    return max(length(vec3(p.x.x, p.y.x, p.z.x)), max(length(vec3(p.x.y, p.y.y, p.z.y)), length(vec3(p.x.z, p.y.z, p.z.z))));
}
