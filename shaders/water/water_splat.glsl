// water_splat.glsl - the depth of particles as spheres, at each pixel the nearest one, or the farthest one when the eye is in the
// fluid, by an atomic maximum of keys: exact, so that the order of threads does not matter.
#include "canvas_io.h"
#include "water_io.h"
#include "canvas.glsl"
#define WATER_STATE_ACCESS readonly
#include "water.glsl"
#include "water_depth.glsl"
#include "canvas_sphere.glsl"
#include "water_particle.glsl"
layout(binding = WATER_NEAREST) restrict buffer Nearest { uint nearest[]; };
layout(binding = WATER_LARGE, scalar) restrict buffer Large {
    uint  large_count[WATER_FLUIDS_MAX];
    uvec2 large[]; // particle and part of its box: a range for each fluid
};

// The parts that a fluid can list, of all its large particles.
uint listed_max() { return WATER_LISTED / push.fluids; }

// The pixels that a sphere can cover; its centre is from the eye.
Box box_of(vec3 center) {
    const float radius = push.radius_m, reach = dot(center, eye.forward) + radius; // what is seen of it is not farther
    const vec2  half_size = vec2(length(eye.right), length(eye.up));
    const vec2  aside = abs(vec2(dot(center, eye.right), dot(center, eye.up)) / half_size) - radius;
    const bool  is_flat = eye.orthographic != 0;
    if (!is_flat && (reach < eye.near_m || any(greaterThan(aside, reach * half_size)))) return Box(uvec2(0), uvec2(0));
    return sphere_box(center, radius, eye.right, eye.up, eye.forward, is_flat, uvec2(push.width, push.height));
}

// What no key of a sphere exceeds, whatever is rounded.
uint limit_of(vec3 center) {
    const float more = push.radius_m + 1e-4 * (length(center) + push.radius_m), z = dot(center, eye.forward);
    const float far = water.is_inside != 0 ? z + more : z - more;
    const float depth = far > eye.near_m ? clamp(depth_of(far), 0, 1) : 1;
    return key_of(depth, WATER_FLUID_BITS);
}

// `old`: the key of the pixel, or an earlier one.
void pixel_splat(vec3 center, uvec2 at, uint old) {
    const vec2 place = place_in_picture(vec2(at) + 0.5);
    const vec3 aside = eye.right * place.x + eye.up * place.y;
    const bool is_flat = eye.orthographic != 0;
    const vec3 ray = is_flat ? eye.forward : eye.forward + aside, to = is_flat ? center - aside : center;
    const float inverse2 = 1 / dot(ray, ray), along = dot(to, ray) * inverse2;
    const vec3  off = to - ray * along;
    const float half2 = push.radius_m * push.radius_m - dot(off, off);
    if (!(half2 >= 0)) return;
    const float reach = sqrt(half2 * inverse2), far = water.is_inside != 0 ? along + reach : along - reach;
    const float depth = depth_of(far);
    if (!(far >= eye.near_m && depth > 0)) return;
    const uint key = key_of(min(depth, 1), push.fluid);
    if (key > old) atomicMax(nearest[at.y * push.width + at.x], key);
}

const uint EXACT = 1u << 20; // pixels up to which the row follows from a product of floats

// The pixels of a box, in rows, from number `first` on, each `stride`-th. Several are read at once, because reading takes long.
void box_splat(vec3 center, uint limit, Box box, uint first, uint end, uint stride) {
    const float wide = 1 / float(box.size.x);
    for (uint k = first; k < end; k += 4 * stride) {
        uvec2 at[4];
        uint  old[4];
        [[unroll]] for (uint j = 0; j < 4; j++) {
            const uint n = k + j * stride;
            uint row = uint((float(n) + 0.5) * wide);
            if (end > EXACT) row = n / box.size.x;
            at[j] = box.low + uvec2(n - row * box.size.x, row);
            old[j] = n < end ? nearest[at[j].y * push.width + at[j].x] : 0xffffffffu;
        }
        [[unroll]] for (uint j = 0; j < 4; j++)
            if (old[j] <= limit) pixel_splat(center, at[j], old[j]); // others are hidden
    }
}
