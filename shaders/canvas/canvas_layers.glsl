// canvas_layers.glsl - for fragments of blended surfaces: counts them, and stores them. A sample belongs to one round.
layout(early_fragment_tests) in;

layout(binding = CANVAS_LAYER_COUNT) restrict buffer LayerCounts { uint layer_counts[]; };

uint layer_sample() {
    const uvec2 at = uvec2(gl_FragCoord.xy);
    return at.y * eye.width + at.x;
}

#ifdef STORES
layout(binding = CANVAS_LAYER_BEGIN) readonly restrict buffer LayerBegins { uint layer_begins[]; };
layout(binding = CANVAS_LAYER, scalar) writeonly restrict buffer Layers { CanvasLayer layers[]; };
layout(binding = CANVAS_LAYER_COLOR) writeonly restrict buffer LayerColors { uvec2 layer_colors[]; };

void layer_store(CanvasRound r, uint id, uint word) {
    const uint i = layer_sample(), begin = layer_begins[i];
    if (begin / r.step != r.round) return;
    const uint k = atomicAdd(layer_counts[i], 1), at = begin % r.step + k;
    if (k >= layer_begins[i + 1] - begin || at >= r.room) return;
    layers[at] = CanvasLayer(gl_FragCoord.z, id, word);
    layer_colors[at] = uvec2(i, 0);
}
#else
void layer_count() { atomicAdd(layer_counts[layer_sample()], 1); }
#endif
