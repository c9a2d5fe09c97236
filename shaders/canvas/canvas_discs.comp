// canvas_discs.comp - one thread per sample: samples in which a disc of the draw is visible get its
// colour, from the system's colour to a glow by heat, slightly darker towards the rim.
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

void main() {
    const uint i = thread_index();
    if (i >= eye.width * eye.height) return;
    const uint id = id_at(i).x, which = id - push.id_first - 1;
    if (id == 0 || which >= push.count) return;
    const vec4  disc = positions[which];
    const vec2  place = place_of(i);
    const vec3  at = ray_origin(place) + ray_direction(place) * distance_of(depth_at(i));
    const vec4  p = vec4(disc.xy, 0, 1);
    const vec3  center = vec3(dot(push.pose_x, p), dot(push.pose_y, p), dot(push.pose_z, p));
    const float scale = length(vec3(push.pose_x.x, push.pose_y.x, push.pose_z.x));
    const float rim = min(distance(at, center) / (disc.z * scale), 1);
    const float heat = clamp(velocities[which][push.heat_word], 0, 1);
    const vec3  glow = mix(push.color, vec3(1, 0.22, 0.03), heat * heat);
    const vec3  color = unreached(glow * (1 - 0.55 * rim * rim));
    colors[i] = uvec2(packHalf2x16(color.rg), packHalf2x16(vec2(color.b, 1)));
}
