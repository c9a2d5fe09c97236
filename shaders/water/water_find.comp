// water_find.comp - one thread: where fluids can be seen, and the groups of all passes; none when all are outside of the view
// or hidden.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "water_io.h"
#include "canvas.glsl"
#define WATER_STATE_ACCESS
#include "water.glsl"
#include "water_depth.glsl"
#include "canvas_bounds.glsl"
#include "canvas_extent.glsl"
#include "canvas_hidden.glsl"

layout(binding = WATER_FLUID, scalar) readonly restrict buffer Fluids { WaterFluid fluids[]; };

Bounds box_of(uint fluid) {
    const vec3 low = point_of(water.box[fluid].low, 0), high = point_of(water.box[fluid].high, 0xffffffffu);
    return Bounds((low + high) * 0.5, (high - low) * 0.5 + fluids[fluid].reach_m);
}

struct Rectangle {
    vec2  low, high; // from -1 to 1
    float nearest;   // the largest depth
};

// Where a box is seen. One that reaches beside the eye is seen everywhere.
void rectangle_add(inout Rectangle r, Bounds b) {
    for (uint k = 0; k < 8; k++) {
        const vec3 sides = vec3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 4) != 0 ? 1 : -1);
        const vec4 clip = clip_of(b.center + b.size * sides);
        if (clip.w <= 0 || clip.z > clip.w) {
            r = Rectangle(vec2(-1), vec2(1), 1);
            return;
        }
        r.low = min(r.low, clip.xy / clip.w);
        r.high = max(r.high, clip.xy / clip.w);
        r.nearest = max(r.nearest, clip.z / clip.w);
    }
}

void groups_write(uint row, uint groups) {
    water.groups[row][0] = min(groups, 32768);
    water.groups[row][1] = (groups + 32767) / 32768;
    water.groups[row][2] = 1;
}

// The blocks of the rectangle, with one pixel more on each side.
void rectangle_write(Rectangle r) {
    const vec2  size = vec2(push.width, push.height), block = vec2(WATER_WIDE, WATER_HIGH);
    const vec2  from = clamp((r.low * 0.5 + 0.5) * size - 1, vec2(0), size), to = clamp((r.high * 0.5 + 0.5) * size + 1, vec2(0), size);
    const uvec2 low = uvec2(from / block), high = uvec2(ceil(to / block));
    const bool  is_seen = all(lessThan(low, high));
    water.left = low.x;
    water.top = low.y;
    water.wide = is_seen ? high.x - low.x : 0;
    water.high = is_seen ? high.y - low.y : 0;
}

void main() {
    if (thread_index() != 0) return;
    Rectangle r = Rectangle(vec2(2), vec2(-2), 0);
    float     widest = 0;
    uint      around = 0;
    for (uint k = 0; k < push.fluids; k++) {
        around += ~water.box[k].around;
        bool seen = water.box[k].low[0] != 0xffffffffu;
        if (seen) {
            const Bounds b = box_of(k);
            const Clip   clip = Clip(eye.clip_x, eye.clip_y, eye.clip_z, eye.clip_w);
            seen = is_in_view(b.center, b.size) && (push.has_pyramid == 0 || !is_hidden(clip, b.center, b.size, false));
            if (seen) rectangle_add(r, b);
            widest = max(widest, fluids[k].smoothing_m);
        }
        for (uint n = 0; n < 3; n++) water.box[k].low[n] = water.box[k].high[n] = 0xffffffffu; // for the next picture
        water.box[k].around = 0xffffffffu;
        groups_write(WATER_OF_FLUIDS + k, seen ? (fluids[k].count + WATER_GROUP - 1) / WATER_GROUP : 0);
    }
    water.is_inside = around > 32768 && push.is_map == 0 ? 1 : 0;
    rectangle_write(r);
    const uint  blocks = water.wide * water.high, pixels = push.width * push.height;
    const vec2  each = pixels_of_metre(r.nearest);
    const float deviation = widest * max(each.x, each.y) * (push.is_map != 0 ? WATER_MAP_SMOOTHER : 1);
    groups_write(WATER_OF_BLOCKS, blocks);
    const uint all = (max(pixels, push.cells) + WATER_GROUP - 1) / WATER_GROUP;
    groups_write(WATER_OF_PICTURE, blocks != 0 ? all : 0);
    groups_write(WATER_OF_CLEAR, blocks != 0 || push.has_layers != 0 ? all : 0); // which read where no surface is
    groups_write(WATER_OF_LARGE, blocks != 0 ? WATER_GROUPS : 0);
    for (uint pair = 0; pair < WATER_STEPS / 2; pair++) {
        const uint before = pair * 2 == WATER_LAST ? 1 : pair; // pairs, which smooth squared deviations up to (4^n - 1) / 3, of n steps
        groups_write(WATER_OF_STEPS + pair, pair == 0 || deviation * deviation > (pow(4, before * 2) - 1) / 3 ? blocks : 0);
    }
}
