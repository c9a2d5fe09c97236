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

#include "canvas.glsl"
#include "canvas_images.glsl"
layout(constant_id = 2) const uint BENDS = 0; // some layers refract
layout(binding = CANVAS_LAYER_BEND) readonly restrict buffer Bends { uint bends[]; };
layout(binding = CANVAS_BEHIND) readonly restrict buffer Behind { uvec2 behind[]; };
layout(binding = CANVAS_BEHIND_DEPTH) readonly restrict buffer BehindDepths { float behind_depths[]; };
#include "canvas_shifted.glsl"
layout(constant_id = 1) const uint HAS_WATER = 0; // layers before it are kept
layout(binding = CANVAS_WATER) readonly restrict buffer Waters { float waters[]; };
layout(binding = CANVAS_FRONT) writeonly restrict buffer Fronts { uvec2 fronts[]; };

const uint SORTED = 16;

CanvasLayer sorted[SORTED]; // the farthest ones that are left, and their numbers
uint        which[SORTED];

// Is a layer behind another one? Of the same depth, the one with the lower number is.
bool is_behind(CanvasLayer a, CanvasLayer b) {
    if (a.depth != b.depth) return a.depth < b.depth;
    return a.id != b.id ? a.id < b.id : a.word < b.word;
}

// The alpha is how much of what is behind is hidden.
vec4 blended(vec4 color, uint layer) {
    const vec2 rg = unpackHalf2x16(layer_colors[layer].x), ba = unpackHalf2x16(layer_colors[layer].y);
    return vec4(rg, ba) + color * (1 - ba.y);
}

// The depth from which on layers are before water; 1: there is none.
float water_at(uint i) {
    if (HAS_WATER == 0) return 1;
    const uint  at = i / push.width / push.side * (push.width / push.side) + i % push.width / push.side;
    const float water = waters[at];
    return water > 0 ? water : 1;
}

// What is opaque, shifted by all layers that refract: each over the distance to what is behind it.
vec3 bent(uint i, vec3 color, uint some) {
    vec2  shift = vec2(0);
    float behind_depth = depth_at(i), nearest = 0;
    if (behind_depth <= 0) return color;
    const float far = distance_of(behind_depth), ray_m = length(ray_direction(place_of(i)));
    for (uint k = 0; k < some; k++) {
        const uint bend = bends[which[k]];
        if (bend != 0) {
            shift += unpackHalf2x16(bend) * (distance_of(behind_depth) - distance_of(sorted[k].depth)) * ray_m;
            nearest = sorted[k].depth;
        }
        behind_depth = sorted[k].depth;
    }
    if (shift == vec2(0)) return color;
    if (eye.orthographic == 0) shift /= far;
    const vec2 here = (vec2(i % eye.width, i / eye.width) + 0.5) / float(eye.samples);
    shift *= vec2(eye.width, eye.height) * vec2(0.5, -0.5) / float(eye.samples);
    return shifted_at(here, shift, nearest, color);
}

void main() {
    const uint i = thread_index();
    if (i >= push.samples) return;
    const uint begin = layer_begins[i], first = begin % push.step;
    if (layer_begins[i + 1] == begin || begin / push.step != push.round) return;
    const uint count = min(min(layer_counts[i], layer_begins[i + 1] - begin), push.room - first);
    vec4       color = vec4(unpackHalf2x16(colors[i].x), unpackHalf2x16(colors[i].y).x, 0), before = vec4(0);
    const float water = water_at(i);
    CanvasLayer last = CanvasLayer(-1, 0, 0);
    for (uint done = 0; done < count;) {
        uint some = 0;
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
        if (BENDS != 0 && done == 0) color.rgb = bent(i, color.rgb, some);
        for (uint k = 0; k < some; k++) {
            if (sorted[k].depth > water) before = blended(before, which[k]);
            else color = blended(color, which[k]);
        }
        last = sorted[some - 1];
        done += some;
    }
    color = min(color, vec4(60000));
    colors[i] = uvec2(packHalf2x16(color.rg), packHalf2x16(vec2(color.b, 1)));
    before = min(before, vec4(60000));
    if (HAS_WATER != 0 && water < 1) fronts[i] = uvec2(packHalf2x16(before.rg), packHalf2x16(before.ba));
}
