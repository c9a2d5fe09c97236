// canvas_spheres.comp - one thread per sample: samples in which a sphere of the draw is visible get
// its colour, from blue through cyan to white by speed.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"
#include "canvas_images.glsl"

layout(push_constant, scalar) uniform Push { CanvasPush push; };
layout(binding = CANVAS_POSITION) readonly restrict buffer Positions { vec4 positions[]; };
layout(binding = CANVAS_VELOCITY) readonly restrict buffer Velocities { vec4 velocities[]; };
layout(binding = CANVAS_COLOR) writeonly restrict buffer Colors { uvec2 colors[]; };

vec3 color_of(float speed_m_s) {
    const float x = clamp(speed_m_s / push.speed_max_m_s, 0, 1) * 2;
    const vec3  slow = vec3(0.010, 0.070, 0.330), middle = vec3(0.030, 0.480, 0.700);
    return x < 1 ? mix(slow, middle, x) : mix(middle, vec3(0.95), x - 1);
}

void main() {
    const uint i = thread_index();
    if (i >= eye.width * eye.height) return;
    const uint id = id_at(i).x, which = id - push.id_first - 1;
    if (id == 0 || which >= push.count) return;
    const vec2 place = place_of(i);
    const vec3 ray = ray_direction(place);
    const vec3 at = ray_origin(place) + ray * distance_of(depth_at(i));
    const vec3 normal = normalize(at - positions[which].xyz);
    const vec3 color = unreached(lit(color_of(length(velocities[which].xyz)), normal, -normalize(ray)));
    colors[i] = uvec2(packHalf2x16(color.rg), packHalf2x16(vec2(color.b, 1)));
}
