// shapes_planes.comp - the surface of a plane, with lines of a grid.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "shapes_surface.glsl"
#include "shapes_plane.glsl"

// The fraction of a sample that grid lines cover: lines are one sample wide, and fade out where
// they would be too dense.
float lines(float x, float wide) {
    const float off = abs(fract(x / eye.grid_m + 0.5) - 0.5) * eye.grid_m;
    return clamp(1.2 - off / wide, 0, 1) * clamp(1.5 - 4 * wide / eye.grid_m, 0, 1);
}

vec3 plane_color(vec3 normal, vec3 at, vec3 ray, float distance_m) {
    const vec3  x = normalize(abs(normal.y) > 0.7 ? vec3(normal.y, -normal.x, 0)
                                                  : vec3(normal.z, 0, -normal.x));
    const vec3  y = cross(normal, x);
    const float size = 2 * length(eye.up) / float(eye.height) * float(eye.samples) *
                       (eye.orthographic != 0 ? 1 : distance_m);
    const float slant = max(-dot(normalize(ray), normal), 0.05);
    const float line = max(lines(dot(at, x), size / slant), lines(dot(at, y), size / slant));
    return mix(vec3(0.075, 0.080, 0.090), vec3(0.170, 0.185, 0.210), line);
}

bool surface_fetch(Sample s, out Surface surface) {
    uint which;
    if (!is_of_draw(s, which)) return false;
    const vec3  from = ray_origin(s.place), ray = ray_direction(s.place), normal = planes[which].xyz;
    const float far = plane_distance(from, ray, which);
    surface_set(s, from + ray * far, normal, surface);
    surface.look.color = plane_color(normal, surface.at, ray, far);
    surface.cover = plane_cover(surface.at);
    return true;
}
#include "lighting_shade.glsl"
