// meshes_blend.comp - one thread per draw of a blended part: its instances in a round, none when the round has no layers.
// The first round counts them.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "meshes_io.h"

layout(push_constant, scalar) uniform Push { MeshesPush push; };
layout(binding = MESHES_COMMAND) restrict buffer Commands { uint commands[]; };
layout(binding = CANVAS_LAYERS, scalar) restrict buffer All { CanvasLayers all; };

void main() {
    const uint i = thread_index();
    if (i >= push.draw_count) return;
    if (push.round.round == 0) atomicAdd(all.parts, commands[i * 5 + 1]);
    if (push.round.round >= all.rounds) commands[i * 5 + 1] = 0;
}
