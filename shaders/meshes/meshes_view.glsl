// meshes_view.glsl - the camera, and the bounds of instances.
layout(binding = MESHES_EYE, scalar) readonly restrict buffer View { CanvasEye eye; };

layout(binding = MESHES_BOX, scalar) readonly restrict buffer Boxes { SkinBounds boxes[]; };
#include "canvas_bounds.glsl"

// The box around an instance.
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
