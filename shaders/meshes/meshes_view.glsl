// meshes_view.glsl - which boxes are in the view.
layout(binding = MESHES_EYE, scalar) readonly restrict buffer View { CanvasEye eye; };

layout(binding = MESHES_BOX, scalar) readonly restrict buffer Boxes { SkinBounds boxes[]; };

// A box around an instance, by centre and half its size.
struct Bounds { vec3 center, size; };

Bounds bounds_of(MeshInstance instance, Pose pose) {
    vec3 low, high;
    if (!MESHES_IS_MOVED(instance.shown)) {
        low = meshes[instance.mesh].low;
        high = meshes[instance.mesh].high;
    } else {
        low = boxes[MESHES_RANGE_OF(instance.shown)].low;
        high = boxes[MESHES_RANGE_OF(instance.shown)].high;
    }
    const vec3 half_size = (high - low) * 0.5;
    return Bounds(posed(pose, (low + high) * 0.5), vec3(dot(abs(pose.x.xyz), half_size),
                  dot(abs(pose.y.xyz), half_size), dot(abs(pose.z.xyz), half_size)));
}

// Is a box on the inner side of a plane at least in part?
bool is_inside(vec4 plane, vec3 center, vec3 size) {
    return dot(plane.xyz, center) + plane.w + dot(abs(plane.xyz), size) >= 0;
}

bool is_in_view(vec3 center, vec3 size) {
    return is_inside(eye.clip_w - eye.clip_x, center, size) && is_inside(eye.clip_w + eye.clip_x, center, size) &&
           is_inside(eye.clip_w - eye.clip_y, center, size) && is_inside(eye.clip_w + eye.clip_y, center, size) &&
           is_inside(eye.clip_w - eye.clip_z, center, size) && is_inside(eye.clip_z, center, size);
}
