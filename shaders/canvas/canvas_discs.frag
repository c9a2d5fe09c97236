// canvas_discs.frag - what of the square is disc, and whose it is.
#version 460

layout(location = 0) in vec2 corner;
layout(location = 1) flat in uint id;
layout(location = 0) out uint seen;

void main() {
    if (dot(corner, corner) > 1) discard;
    seen = id;
}
