// canvas_layers_blend.comp - one thread per sample: its layers over what is behind them, the farthest first. Of many, the
// farthest ones that are left are sorted again and again.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"

layout(push_constant, scalar) uniform Push { CanvasRound push; };
layout(binding = CANVAS_COLOR) restrict buffer Colors { uvec2 colors[]; };
layout(binding = CANVAS_LAYER, scalar) readonly restrict buffer Layers { CanvasLayer layers[]; };
layout(binding = CANVAS_LAYER_COLOR) readonly restrict buffer LayerColors { uvec2 layer_colors[]; };
layout(binding = CANVAS_LAYER_BEGIN) readonly restrict buffer LayerBegins { uint layer_begins[]; };
layout(binding = CANVAS_LAYER_COUNT) readonly restrict buffer LayerCounts { uint layer_counts[]; };

const uint SORTED = 16;

// Is a layer behind another one? Of the same depth, the one with the lower number is.
bool is_behind(CanvasLayer a, CanvasLayer b) {
    if (a.depth != b.depth) return a.depth < b.depth;
    return a.id != b.id ? a.id < b.id : a.word < b.word;
}

vec3 blended(vec3 color, uint layer) {
    const vec2 rg = unpackHalf2x16(layer_colors[layer].x), ba = unpackHalf2x16(layer_colors[layer].y);
    return vec3(rg, ba.x) + color * (1 - ba.y);
}

void main() {
    const uint i = thread_index();
    if (i >= push.samples) return;
    const uint begin = layer_begins[i], first = begin % push.step;
    if (layer_begins[i + 1] == begin || begin / push.step != push.round) return;
    const uint count = min(min(layer_counts[i], layer_begins[i + 1] - begin), push.room - first);
    vec3       color = vec3(unpackHalf2x16(colors[i].x), unpackHalf2x16(colors[i].y).x);
    CanvasLayer last = CanvasLayer(-1, 0, 0);
    for (uint done = 0; done < count;) {
        CanvasLayer sorted[SORTED];
        uint        which[SORTED], some = 0;
        for (uint k = first; k < first + count; k++) {
            const CanvasLayer layer = layers[k];
            if (done != 0 && !is_behind(last, layer)) continue;
            if (some == SORTED && !is_behind(layer, sorted[SORTED - 1])) continue;
            uint place = some == SORTED ? SORTED - 1 : some++;
            for (; place != 0 && is_behind(layer, sorted[place - 1]); place--) {
                sorted[place] = sorted[place - 1];
                which[place] = which[place - 1];
            }
            sorted[place] = layer;
            which[place] = k;
        }
        if (some == 0) break; // layers that are the same
        for (uint k = 0; k < some; k++) color = blended(color, which[k]);
        last = sorted[some - 1];
        done += some;
    }
    color = min(color, vec3(60000));
    colors[i] = uvec2(packHalf2x16(color.rg), packHalf2x16(vec2(color.b, 1)));
}
