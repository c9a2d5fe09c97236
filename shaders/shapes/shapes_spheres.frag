// shapes_spheres.frag - the depth at which the ray hits the sphere.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "shapes_view.glsl"
#include "shapes_fragment.glsl"

void main() {
    vec3 from, ray;
    fragment_ray(from, ray);
    const vec3  to = center_of(element) - from;
    const float nearest = dot(to, ray);
    const vec3  off = to - ray * nearest;
    const float half2 = push.radius_m * push.radius_m - dot(off, off);
    if (half2 < 0) discard;
    fragment_set(from, ray, nearest - sqrt(half2));
}
