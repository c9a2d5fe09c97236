// canvas_layers_ends.comp - one thread per sample: where the rounds end, how many layers there are, and which are dropped.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "kernel.glsl"
#include "canvas_io.h"

layout(push_constant, scalar) uniform Push { CanvasRound push; };
layout(binding = CANVAS_LAYER_BEGIN) readonly restrict buffer LayerBegins { uint layer_begins[]; };
layout(binding = CANVAS_LAYERS, scalar) restrict buffer All { CanvasLayers all; };

void main() {
    const uint i = thread_index();
    const bool is_sample = i < push.samples;
    const uint begin = is_sample ? layer_begins[i] : 0, end = is_sample ? layer_begins[i + 1] : 0;
    const uint count = end - begin, round = begin / push.step, deepest = subgroupMax(count);
    const bool is_dropped = count != 0 && (round >= push.rounds || begin % push.step + count > push.room);
    const uint samples = subgroupAdd(count != 0 ? 1u : 0u), dropped = subgroupAdd(is_dropped ? 1u : 0u);
    if (subgroupElect() && samples != 0) {
        atomicAdd(all.samples, samples);
        atomicMax(all.deepest, deepest);
        if (dropped != 0) atomicAdd(all.dropped, dropped);
    }
    if (!is_sample) return;
    const bool is_last = i + 1 == push.samples;
    if (is_last) all.layers = end;
    if (count == 0 || round >= push.rounds) return;
    if (end == layer_begins[push.samples] || end / push.step != round) all.end[round] = end;
}
