// meshes_cull.comp - one thread per instance: sets its flag when its bounds are in the view.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "meshes_io.h"
#include "meshes.glsl"

layout(binding = MESHES_EYE, scalar) readonly restrict buffer View { CanvasEye eye; };
layout(binding = MESHES_FLAG) writeonly restrict buffer Flags { uint flags[]; };

// Is a box, by centre and half its size, on the inner side of a plane at least in part?
bool is_inside(vec4 plane, vec3 center, vec3 size) {
    return dot(plane.xyz, center) + plane.w + dot(abs(plane.xyz), size) >= 0;
}

bool is_seen(vec3 center, vec3 size) {
    return is_inside(eye.clip_w - eye.clip_x, center, size) && is_inside(eye.clip_w + eye.clip_x, center, size) &&
           is_inside(eye.clip_w - eye.clip_y, center, size) && is_inside(eye.clip_w + eye.clip_y, center, size) &&
           is_inside(eye.clip_w - eye.clip_z, center, size) && is_inside(eye.clip_z, center, size);
}

void main() {
    const uint i = thread_index();
    if (i >= push.instance_count) return;
    const MeshInstance instance = instances[i];
    const Pose         pose = pose_of(instance.transform);
    const vec3         low = meshes[instance.mesh].low, high = meshes[instance.mesh].high;
    const vec3         half_size = (high - low) * 0.5;
    const vec3         center = posed(pose, (low + high) * 0.5);
    const vec3 size = vec3(dot(abs(pose.x.xyz), half_size), dot(abs(pose.y.xyz), half_size),
                           dot(abs(pose.z.xyz), half_size));
    const bool seen = instance.visible != 0 && is_seen(center, size);
    const bool mirrored = determinant_of(pose) < 0;
    flags[i] = uint(seen && !mirrored);
    flags[push.mirrored_first + i] = uint(seen && mirrored);
}
