// shapes_spheres.comp - the surface of a sphere. In the view of speeds its colour is that of its velocity.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "shapes_surface.glsl"

layout(binding = SHAPES_EXTRA) readonly restrict buffer Velocities { vec4 velocities[]; };

bool surface_fetch(Sample s, out Surface surface) {
    uint which;
    if (!is_of_draw(s, which)) return false;
    const vec3 at = sample_point(s);
    surface_set(s, at, normalize(at - center_of(which)), surface);
    if (push.speed_max_m_s > 0) surface.speed = length(velocities[which].xyz) / push.speed_max_m_s;
    return true;
}
#include "lighting_shade.glsl"
