// animated_place.comp - one thread per entity that moves: its world matrix. Each thread multiplies the matrices of the
// ancestors that move itself, so that entities need no order.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "animated_io.h"
#include "pose_matrix.glsl"

layout(push_constant, scalar) uniform Push { AnimatedPush push; };
layout(binding = MOVED_LOCAL) readonly restrict buffer Locals { vec4 locals[]; };
layout(binding = MOVED_ROW, scalar) readonly restrict buffer Moved { AnimatedRow moved[]; };
layout(binding = MOVED_WORLD) restrict buffer Worlds { vec4 worlds[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const uint row = moved[i].row;
    uint       slot = i, root = moved[i].root;
    Rows       m = Rows(locals[i * 3], locals[i * 3 + 1], locals[i * 3 + 2]);
    while (moved[slot].parent != CHANNEL_NONE) {
        slot = moved[slot].parent;
        root = moved[slot].root;
        m = rows_multiply(Rows(locals[slot * 3], locals[slot * 3 + 1], locals[slot * 3 + 2]), m);
    }
    if (root != CHANNEL_NONE)
        m = rows_multiply(Rows(worlds[root * 3], worlds[root * 3 + 1], worlds[root * 3 + 2]), m);
    worlds[row * 3] = m.x;
    worlds[row * 3 + 1] = m.y;
    worlds[row * 3 + 2] = m.z;
}
