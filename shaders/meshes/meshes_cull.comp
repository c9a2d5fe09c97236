// meshes_cull.comp - one thread per instance: when its bounds are in the view, sets the flag of the coarsest
// level whose error is at most one pixel.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "meshes_io.h"
#include "meshes.glsl"

layout(binding = MESHES_EYE, scalar) readonly restrict buffer View { CanvasEye eye; };
layout(binding = MESHES_FLAG) writeonly restrict buffer Flags { uint flags[]; };
layout(binding = MESHES_PART, scalar) readonly restrict buffer Parts { MeshPart parts[]; };

// Is a box, by centre and half its size, on the inner side of a plane at least in part?
bool is_inside(vec4 plane, vec3 center, vec3 size) {
    return dot(plane.xyz, center) + plane.w + dot(abs(plane.xyz), size) >= 0;
}

bool is_seen(vec3 center, vec3 size) {
    return is_inside(eye.clip_w - eye.clip_x, center, size) && is_inside(eye.clip_w + eye.clip_x, center, size) &&
           is_inside(eye.clip_w - eye.clip_y, center, size) && is_inside(eye.clip_w + eye.clip_y, center, size) &&
           is_inside(eye.clip_w - eye.clip_z, center, size) && is_inside(eye.clip_z, center, size);
}

// Pixels for a metre at the point of the bounds that is closest to the eye.
float pixels_at(vec3 center, float radius) {
    const float high = float(eye.height / eye.samples) * 0.5 / length(eye.up);
    if (eye.orthographic != 0) return high;
    return high / max(distance(center, eye.origin) - radius, eye.near_m);
}

uint level_of(MeshRow mesh, float pixels_per_m) {
    uint level = 0;
    while (level + 1 < mesh.level_count &&
           parts[mesh.first_part + (level + 1) * mesh.part_count].error_m * pixels_per_m <= 1) level++;
    return level;
}

void main() {
    const uint i = thread_index();
    if (i >= push.instance_count) return;
    const MeshInstance instance = instances[i];
    if (instance.mesh == MESHES_NONE) {
        for (uint n = 0; n < push.level_most * 2; n++) flags[n * push.flag_stride + i] = 0;
        return;
    }
    const Pose         pose = pose_of(instance.transform);
    const vec3         low = meshes[instance.mesh].low, high = meshes[instance.mesh].high;
    const vec3         half_size = (high - low) * 0.5;
    const vec3         center = posed(pose, (low + high) * 0.5);
    const vec3 size = vec3(dot(abs(pose.x.xyz), half_size), dot(abs(pose.y.xyz), half_size),
                           dot(abs(pose.z.xyz), half_size));
    const bool seen = instance.visible != 0 && is_seen(center, size);
    const vec3  columns = vec3(length(vec3(pose.x.x, pose.y.x, pose.z.x)), length(vec3(pose.x.y, pose.y.y, pose.z.y)),
                               length(vec3(pose.x.z, pose.y.z, pose.z.z)));
    const float scale = max(columns.x, max(columns.y, columns.z));
    const uint  level = level_of(meshes[instance.mesh], scale * pixels_at(center, length(size)));
    const uint  drawn = level + (determinant_of(pose) < 0 ? push.level_most : 0);
    for (uint n = 0; n < push.level_most * 2; n++) flags[n * push.flag_stride + i] = uint(seen && n == drawn);
}
