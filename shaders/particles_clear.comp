// particles_clear.comp - bins that hold nobody.
#version 460
#include "particles.glsl"

layout(constant_id = PARTICLES_ORDERED) const uint ordered = 1;
layout(binding = PARTICLES_FIRST) writeonly restrict buffer First { uvec4 first[]; };

void main() {
    const uint i = thread_index();
    if (i * 4 < push.words) first[i] = uvec4(ordered == 1 ? 0 : ~0u);
}
