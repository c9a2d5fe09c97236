// capsules.comp - the surface of a capsule.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "shapes_surface.glsl"
bool surface_fetch(Sample s, out Surface surface) {
    uint which;
    if (!is_of_draw(s, which)) return false;
    const float tall = elements[which].w;
    const vec3  at = sample_point(s), off = at - center_of(which);
    surface_set(s, at, normalize(off - vec3(0, clamp(off.y, -tall, tall), 0)), surface);
    return true;
}
#include "lighting_shade.glsl"
