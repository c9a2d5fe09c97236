// shapes_discs.frag - the part of the square that is in the disc.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "shapes_view.glsl"
#include "shapes_fragment.glsl"

layout(location = 3) in vec2 corner;

void main() {
    if (dot(corner, corner) > 1 || elements[element].z <= 0) discard;
    fragment_set(at, vec3(0), 0);
}
