// shapes_surface.glsl - the surface of an element with the look of its draw; before lighting_shade.glsl.
#include "lighting_sample.glsl"
#include "shapes_io.h"
#include "shapes.glsl"

// The element of a sample; false: the sample is of another draw.
bool is_of_draw(Sample s, out uint which) {
    which = s.id.x - push.id_first - 1;
    return which < push.count;
}

// Where the ray of a neighbour meets the plane of the surface, for the textures of decals.
vec3 step_along(Surface surface, vec2 place) {
    const vec3  from = ray_origin(place), ray = ray_direction(place);
    const float down = dot(ray, surface.plane);
    if (abs(down) < 1e-6) return vec3(0);
    return from + ray * (dot(surface.at - from, surface.plane) / down) - surface.at;
}

// A point with the look of the draw. `normal` is of length 1, on the side of the eye.
void surface_set(Sample s, vec3 at, vec3 normal, out Surface surface) {
    const vec2 step = 2 / vec2(eye.width, eye.height);
    surface.at = at;
    surface.plane = normal;
    surface.dx = step_along(surface, s.place + vec2(step.x, 0));
    surface.dy = step_along(surface, s.place - vec2(0, step.y));
    surface.look = Look(push.color, push.emissive, normal, s.to_eye, push.roughness, push.metallic, 1, 1, MIRROR, 0, 0, normal);
    surface.has_decals = true;
    surface.cover = 1;
    surface.bend = 0;
    surface.passes = vec3(-1);
    surface.speed = -1;
}
