// capsules.frag - where a ray meets a capsule: its cylinder between both ends, else the sphere at an end.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "shapes_view.glsl"
#include "shapes_fragment.glsl"

void main() {
    vec3 from, ray;
    fragment_ray(from, ray);
    const vec3  to = center_of(element) - from;
    const float tall = elements[element].w, radius = push.radius_m - tall;
    const float a = max(dot(ray.xz, ray.xz), 1e-12), b = dot(to.xz, ray.xz), c = dot(to.xz, to.xz) - radius * radius;
    const float in_cylinder = b * b - a * c, up = ray.y * (b - sqrt(max(in_cylinder, 0))) / a - to.y;
    if (in_cylinder < 0) discard;
    if (abs(up) <= tall) {
        fragment_set(from, ray, (b - sqrt(in_cylinder)) / a);
        return;
    }
    const vec3  end = to + vec3(0, up > 0 ? tall : -tall, 0);
    const float near = dot(end, ray);
    const vec3  off = end - ray * near;
    if (dot(off, off) > radius * radius) discard;
    fragment_set(from, ray, near - sqrt(radius * radius - dot(off, off)));
}
