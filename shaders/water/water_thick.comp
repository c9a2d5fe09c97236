// water_thick.comp - water_thick.glsl for a picture.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "water_thick.glsl"
#include "canvas_images.glsl"

float opaque_at(uvec2 pixel) { return texelFetch(depth_image, ivec2(pixel * eye.samples + eye.samples / 2), 0).x; }
