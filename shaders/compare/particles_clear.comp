// particles_clear.comp - sets the lists of all bins to empty.
#version 460
#include "particles.glsl"

layout(binding = PARTICLES_FIRST) writeonly restrict buffer First { uvec4 first[]; };

void main() {
    const uint i = thread_index();
    if (i * 4 < push.words) first[i] = uvec4(~0u);
}
