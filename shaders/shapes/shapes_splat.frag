// shapes_splat.frag - the depth and the number of the nearest sphere that kernels have found.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "canvas.glsl"
#include "shapes_io.h"

layout(binding = SHAPES_NEAREST) readonly restrict buffer Nearest { uint nearest_depth[]; };
layout(binding = SHAPES_NUMBER) readonly restrict buffer Number { uint number[]; };

layout(location = 0) out uvec2 seen;

void main() {
    const uvec2 at = uvec2(gl_FragCoord.xy);
    const uint  index = at.y * eye.width + at.x, bits = nearest_depth[index];
    if (bits == 0) discard;
    gl_FragDepth = uintBitsToFloat(bits);
    seen = uvec2(number[index], 0);
}
