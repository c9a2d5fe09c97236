// water_thick.glsl - one thread per particle: adds its volume to the cells of thickness around it, and its foam where it is at
// the surface. Sums are integers, so that the order of threads does not matter. The kernel is 3 (1 - q^2)^2 / (pi r^2), whose integral
// is 1. After it, a shader declares:
//   float opaque_at(uvec2 pixel)    the depth of what is opaque there
float opaque_at(uvec2 pixel);
#include "canvas_io.h"
#include "water_io.h"
#include "canvas.glsl"
#define WATER_STATE_ACCESS readonly
#include "water.glsl"
#include "water_depth.glsl"

#include "water_particle.glsl"
layout(binding = WATER_FOAM) readonly restrict buffer Foam { float foam[]; };
layout(binding = WATER_NEAREST) readonly restrict buffer Nearest { uint nearest[]; };
layout(binding = WATER_THICK) restrict buffer Thick { uint thick[]; };
layout(binding = WATER_FOAMS) restrict buffer Foams { uint foams[]; };

const float REACH = 1.5; // of the kernel, in distances between particles

// The pixel in the middle of a cell.
uvec2 middle_of(uvec2 cell, uint level) { return min(cell * (2u << level) + (1u << level), uvec2(push.width, push.height) - 1); }

// The foam of what is deeper than two particles is not seen.
bool is_on_surface(uvec2 pixel, float far) {
    const uint word = decoded(nearest[pixel.y * push.width + pixel.x]);
    return word != 0 && abs(far - distance_of(depth_in(word))) < 2 * push.spacing_m;
}

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const vec4  particle = positions[i];
    if (!is_of_fluid(particle)) return;
    const vec4  clip = clip_of(particle.xyz);
    const float far = dot(particle.xyz - eye.origin, eye.forward);
    if (far < eye.near_m) return;
    const float depth = depth_of(far);
    const vec2  each = pixels_of_metre(depth) * 0.5; // cells of level 0
    vec2        radius = max(each * (REACH * push.spacing_m), vec2(1.5));
    uint        level = 0;
    while (max(radius.x, radius.y) >= 4 && level + 1 < WATER_LEVELS) radius *= 0.5, level++;
    const float scale = 1.0 / float(1u << level);
    const uvec2 cells = cells_of(level);
    const vec2  center = (clip.xy / clip.w * 0.5 + 0.5) * vec2(push.width, push.height) * (0.5 * scale);
    const ivec2 low = max(ivec2(ceil(center - radius - 0.5)), ivec2(0));
    const ivec2 high = min(ivec2(floor(center + radius - 0.5)), ivec2(cells) - 1);
    const vec2  size_m = radius / (each * scale);
    const float peak = push.spacing_m * push.spacing_m * push.spacing_m * 3 / (3.14159265 * size_m.x * size_m.y) / push.unit_m;
    const float foaming = foam[number_of(particle)];
    uint        first = 0;
    for (uint k = 0; k < level; k++) first += cells_of(k).x * cells_of(k).y;
    for (int y = low.y; y <= high.y; y++) {
        for (int x = low.x; x <= high.x; x++) {
            const vec2  q = (vec2(x, y) + 0.5 - center) / radius;
            const float left = 1 - dot(q, q);
            const uvec2 pixel = middle_of(uvec2(x, y), level);
            if (left <= 0 || opaque_at(pixel) >= depth) continue;
            const uint cell = first + uint(y) * cells.x + uint(x);
            atomicAdd(thick[cell], uint(left * left * peak + 0.5));
            if (foaming > 0 && is_on_surface(pixel, far)) atomicAdd(foams[cell], uint(left * left * peak * foaming + 0.5));
        }
    }
}
