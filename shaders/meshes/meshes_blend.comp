// meshes_blend.comp - one thread per blended part of an instance, in the order of drawing: its draw.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "meshes_io.h"

layout(push_constant, scalar) uniform Push { MeshesPush push; };
layout(binding = MESHES_PART, scalar) readonly restrict buffer Parts { MeshPart parts[]; };
layout(binding = MESHES_COMMAND) writeonly restrict buffer Commands { uint commands[]; };
layout(binding = MESHES_BLENDED, scalar) readonly restrict buffer Blended { MeshBlended blended[]; };
layout(binding = MESHES_PAIR) readonly restrict buffer Pairs { uvec2 pairs[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.blended_count) return;
    const bool     drawn = pairs[i].y != MESHES_NONE;
    const MeshPart part = parts[drawn ? blended[pairs[i].y].part : 0];
    commands[i * 5] = part.index_count;
    commands[i * 5 + 1] = drawn ? 1 : 0;
    commands[i * 5 + 2] = push.index_first + part.first_index;
    commands[i * 5 + 3] = 0;
    commands[i * 5 + 4] = i;
}
