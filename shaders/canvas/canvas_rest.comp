// canvas_rest.comp - one thread per sample: the background where no element is.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"
#include "canvas_images.glsl"

layout(binding = CANVAS_COLOR) writeonly restrict buffer Colors { uvec2 colors[]; };

void main() {
    const uint i = thread_index();
    if (i >= eye.width * eye.height || id_at(i).x != 0) return;
    const vec2 place = place_of(i);
    const vec3 color = unreached(background(place, ray_direction(place)));
    colors[i] = uvec2(packHalf2x16(color.rg), packHalf2x16(vec2(color.b, 1)));
}
