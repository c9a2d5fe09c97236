// canvas_layers_groups.comp - one thread per round: the groups of its kernels.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"

layout(push_constant, scalar) uniform Push { CanvasRound push; };
layout(binding = CANVAS_LAYERS, scalar) restrict buffer All { CanvasLayers all; };

void groups_write(uint round, uint first, uint threads) {
    const uint groups = (threads + CANVAS_LAYERS_GROUP - 1) / CANVAS_LAYERS_GROUP;
    all.groups[round][first] = min(groups, CANVAS_LAYERS_ROW);
    all.groups[round][first + 1] = (groups + CANVAS_LAYERS_ROW - 1) / CANVAS_LAYERS_ROW;
    all.groups[round][first + 2] = 1;
}

void main() {
    const uint round = thread_index();
    if (round >= CANVAS_LAYERS_ROUNDS) return;
    const uint end = all.end[round], count = end == 0 ? 0 : min(end - round * push.step, push.room);
    if (count != 0) atomicMax(all.rounds, round + 1);
    groups_write(round, 0, count);
    groups_write(round, 3, count == 0 ? 0 : push.samples);
}
