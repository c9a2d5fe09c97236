// bodies_show.comp - a thread per transform that a body moves: its world matrix gets the place of the body, which the host does not know yet.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "bodies_io.h"

layout(push_constant, scalar) uniform Push { BodiesPush push; };
layout(binding = BODIES_STATE, scalar) readonly restrict buffer States { BodyState states[]; };
layout(binding = BODIES_SHOWN, scalar) readonly restrict buffer Shown { BodyShown shown[]; };
layout(binding = BODIES_MATRIX) writeonly restrict buffer Matrices { float matrices[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const BodyShown s = shown[i];
    const vec3      at = states[s.body].at + s.offset;
    for (uint r = 0; r < 3; r++) matrices[12 * s.row + 4 * r + 3] = at[r];
}
