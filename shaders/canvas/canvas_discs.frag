// canvas_discs.frag - the part of the square that is in the disc, and the number of the disc.
#version 460

layout(location = 0) in vec2 corner;
layout(location = 1) flat in uint id;
layout(location = 0) out uvec2 seen;

void main() {
    if (dot(corner, corner) > 1) discard;
    seen = uvec2(id, 0);
}
