// bench_decals.glsl - the decals of a tile, from the topmost down, on four samples a thread that share the walk over them;
// with the early end, down to those that cover all four samples.
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"
#include "canvas_images.glsl"
#include "lights_io.h"

layout(constant_id = 1) const uint ENDS_EARLY = 1;

layout(binding = CANVAS_COLOR) writeonly restrict buffer Colors { uvec4 colors[]; };
#define WORDS_ARE_UNIFORM
#ifdef LISTS
#include "lights_list_cursor.glsl"
#else
#include "lights_cursor.glsl"
#endif

vec3 points[4];
vec4 sum[4] = vec4[4](vec4(0), vec4(0), vec4(0), vec4(0)); // multiplied by how much they cover, and that

bool are_covered() { return min(min(sum[0].a, sum[1].a), min(sum[2].a, sum[3].a)) >= 0.999; }

void decal_add(uint i) {
    const LightsItem box = items[i];
    const vec3 decal = unpackUnorm4x8(i * 0x9e3779b9u).rgb;
    [[unroll]] for (uint k = 0; k < 4; k++) {
        const vec4 at = vec4(points[k], 1);
        const vec3 p = vec3(dot(box.x, at), dot(box.y, at), dot(box.z, at));
        if (any(greaterThan(abs(p), vec3(1)))) continue;
        sum[k] += vec4(decal, 1) * (1 - sum[k].a);
    }
}

void main() {
    const uint t = gl_LocalInvocationID.x, tile = group_index(), side = state.tile / 4;
    const uvec2 at = uvec2(tile % state.wide, tile / state.wide) * state.tile + uvec2(t % side * 4, t / side);
    if (at.y >= eye.height || at.x >= eye.width) return;
    [[unroll]] for (uint k = 0; k < 4; k++) {
        const uint index = at.y * eye.width + at.x + k;
        const vec2 place = place_of(index);
        points[k] = ray_origin(place) + ray_direction(place) * distance_of(depth_at(index));
    }
    uint   i;
    Cursor c = cursor_begin(tile * 2 + LIGHTS_SURFACES, DECALS);
    while (!(ENDS_EARLY != 0 && are_covered()) && cursor_next(c, i)) decal_add(i);
    uvec2 color[4];
    [[unroll]] for (uint k = 0; k < 4; k++)
        color[k] = uvec2(packHalf2x16(sum[k].rg), packHalf2x16(sum[k].ba));
    const uint to = (at.y * eye.width + at.x) / 2;
    colors[to] = uvec4(color[0], color[1]);
    colors[to + 1] = uvec4(color[2], color[3]);
}
