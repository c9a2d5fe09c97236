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
layout(constant_id = 2) const uint BENDS = 0; // some layers refract, or are glass
layout(binding = CANVAS_LAYER_BEND, scalar) readonly restrict buffer Bends { CanvasBend bends[]; };
layout(binding = CANVAS_BEHIND) readonly restrict buffer Behind { uvec2 behind[]; };
layout(binding = CANVAS_BEHIND_DEPTH) readonly restrict buffer BehindDepths { float behind_depths[]; };
#include "canvas_shifted.glsl"
layout(constant_id = 1) const uint HAS_WATER = 0; // layers before it are kept
layout(binding = CANVAS_WATER) readonly restrict buffer Waters { float waters[]; };
layout(binding = CANVAS_FRONT, scalar) writeonly restrict buffer Fronts { CanvasFront fronts[]; };

const uint SORTED = 16;

CanvasLayer sorted[SORTED]; // the farthest ones that are left, and their numbers
uint        which[SORTED];

// Is a layer behind another one? Of the same depth, the one with the lower number is.
bool is_behind(CanvasLayer a, CanvasLayer b) {
    if (a.depth != b.depth) return a.depth < b.depth;
    return a.id != b.id ? a.id < b.id : a.word < b.word;
}

struct Mix {
    vec3 color, passed; // the share of what is behind all of it that is seen
};

Mix blended(Mix behind, uint layer) {
    const vec2 rg = unpackHalf2x16(layer_colors[layer].x), ba = unpackHalf2x16(layer_colors[layer].y);
    vec3 passed = vec3(1 - ba.y);
    if (BENDS != 0) {
        const vec2 red_green = unpackHalf2x16(bends[layer].red_green);
        if (red_green.x >= 0) passed = vec3(red_green, unpackHalf2x16(bends[layer].blue_and_reach_m).x);
    }
    return Mix(vec3(rg, ba.x) + behind.color * passed, behind.passed * passed);
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
        const CanvasBend bend = bends[which[k]];
        if (bend.aside != 0) {
            const float gap_m = (distance_of(behind_depth) - distance_of(sorted[k].depth)) * ray_m;
            shift += unpackHalf2x16(bend.aside) * min(gap_m, unpackHalf2x16(bend.blue_and_reach_m).y);
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
    Mix        all = Mix(vec3(unpackHalf2x16(colors[i].x), unpackHalf2x16(colors[i].y).x), vec3(1)), before = Mix(vec3(0), vec3(1));
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
        if (BENDS != 0 && done == 0) all.color = bent(i, all.color, some);
        for (uint k = 0; k < some; k++) {
            if (sorted[k].depth > water) before = blended(before, which[k]);
            else all = blended(all, which[k]);
        }
        last = sorted[some - 1];
        done += some;
    }
    all.color = min(all.color, vec3(60000));
    colors[i] = uvec2(packHalf2x16(all.color.rg), packHalf2x16(vec2(all.color.b, 1)));
    before.color = min(before.color, vec3(60000));
    if (HAS_WATER != 0 && water < 1)
        fronts[i] = CanvasFront(packHalf2x16(before.color.rg), packHalf2x16(vec2(before.color.b, 1 - before.passed.r)),
                                packHalf2x16(1 - before.passed.gb));
}
