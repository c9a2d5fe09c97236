// canvas_blend.comp - one thread per sample: blended surfaces over what is behind them.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"
#include "canvas_images.glsl"

layout(set = CANVAS_IMAGES, binding = CANVAS_BLENDED) uniform texture2D blended_image;
layout(binding = CANVAS_COLOR) restrict buffer Colors { uvec2 colors[]; };

void main() {
    const uint i = thread_index();
    if (i >= eye.width * eye.height) return;
    const vec4 over = texelFetch(blended_image, sample_at(i), 0);
    if (over.a == 0) return;
    const vec3 behind = vec3(unpackHalf2x16(colors[i].x), unpackHalf2x16(colors[i].y).x);
    const vec3 color = min(over.rgb + behind * (1 - over.a), vec3(60000));
    colors[i] = uvec2(packHalf2x16(color.rg), packHalf2x16(vec2(color.b, 1)));
}
