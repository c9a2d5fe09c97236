// shadows_erase.frag - light passes unfiltered, without caustics.
#version 460
layout(location = 0) out vec4 passed;
void main() { passed = vec4(1, 1, 1, 0); }
