// sph_density_rows.glsl - LANES threads per particle, or one thread for SHARED particles: the density,
// and for the forces a bit for each candidate that is set when it is within h. Reads each candidate of
// the rows once.
#extension GL_KHR_shader_subgroup_shuffle : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"
#include "sph_emission.glsl"

layout(binding = SPH_POSITION) readonly restrict buffer Position { vec4 position[]; };
layout(binding = SPH_VELOCITY) restrict buffer Velocity { vec4 velocity[]; };
layout(binding = SPH_MASK) writeonly restrict buffer Mask { uint mask[]; };
layout(binding = SPH_MASK_MORE) writeonly restrict buffer MaskMore { uint mask_more[]; };
#include "sph_rows.glsl"
layout(constant_id = 4) const uint UNROLL = 4;
#ifdef AMONG_COLLIDERS
layout(binding = SPH_WALLS) readonly restrict buffer WallsAround { vec4 walls[]; };

float free_share(uint i, vec3 p) { return floatBitsToUint(position[i].w) >= SPH_NEAR ? walls[i].w : 1; }
#else
#include "sph_planes.glsl"

float free_share(uint i, vec3 p) { return walls_around(p).free; }
#endif

// The squared distance minus h2: negative for neighbours.
float beyond(vec3 d) { return fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, -push.h2))); }

// Of two particles; without sharing, the second one is the first one again, and not computed.
struct Found {
    vec2  sum; // of negative cubes
    uvec2 near; // a bit for each candidate, the last one has the lowest
};

void candidate_add(inout Found f, vec3 p, vec3 q, vec3 at) {
    const vec2 w = vec2(beyond(p - at), beyond(q - at)), inside = min(w, vec2(0));
    f.near = f.near << 1 | floatBitsToUint(w) >> 31;
    f.sum = fma(inside * inside, inside, f.sum);
}

// The candidates from `first` to `end`, whose row begins with the particle `begin`. The number is
// increased to a multiple of UNROLL by particles before the first one: those of the same row are too
// far away to count. Where the row has none, the last candidates are still tested together, so that
// their loads do not wait for each other.
void candidates_add(inout Found f, vec3 p, vec3 q, uint first, uint end, uint begin) {
    const uint more = (UNROLL - (end - first) % UNROLL) % UNROLL;
    const bool is_complete = first >= begin + more;
    uint       j = is_complete ? first - more : first;
    f.near = uvec2(0);
    for (; j + UNROLL <= end; j += UNROLL) {
        [[unroll]] for (uint k = 0; k < UNROLL; k++) candidate_add(f, p, q, position[j + k].xyz);
    }
    if (is_complete || j >= end) return;
    const uint rest = end - j;
    [[unroll]] for (uint k = 0; k + 1 < UNROLL; k++) {
        Found next = f;
        candidate_add(next, p, q, position[min(j + k, end - 1)].xyz);
        f.sum = k < rest ? next.sum : f.sum;
        f.near = k < rest ? next.near : f.near;
    }
}

// Of particles i and k, by a thread of several; the second one only if `both`.
void rows_search(Window w, vec3 p, vec3 q, uint i, uint k, uint lane, bool live, bool both) {
    Found f;
    uvec4 next = row_ranges(w, lane);
    uint  begin_next = row_begin(w, lane);
    f.sum = vec2(0);
    for (uint r = lane; r < ROWS; r += LANES) {
        const uvec4 range = next;
        const uint  begin = begin_next, more = min(r + LANES, ROWS - 1), last = last_bits(range);
        next = row_ranges(w, more); // loaded while candidates are tested
        begin_next = row_begin(w, more);
        if (range.x < last) {
            candidates_add(f, p, q, range.x, last, max(begin, range.w));
            if (live) mask_more[r * push.count + i] = f.near.x;
            if (both) mask_more[r * push.count + k] = f.near.y;
        }
        candidates_add(f, p, q, last, range.y, max(begin, range.w));
        const uvec2 near = f.near;
        if (range.z < range.w) candidates_add(f, p, q, range.z, range.w, begin);
        if (live) mask[r * push.count + i] = near.x;
        if (both) mask[r * push.count + k] = near.y;
    }
    if (LANES > 1) f.sum.x += subgroupShuffleXor(f.sum.x, 1);
    if (LANES > 2) f.sum.x += subgroupShuffleXor(f.sum.x, 2);
    if (live && lane == 0) velocity[i].w = inverse_density_of(kind_of(position[i].w), -f.sum.x, free_share(i, p));
    if (both) velocity[k].w = inverse_density_of(kind_of(position[k].w), -f.sum.y, free_share(k, q));
}

void main() {
    const uint thread = thread_index(), lane = thread % LANES, shared_first = thread / LANES * SHARED, count = sorted_count();
    const bool live = shared_first < count;
    if (LANES == 1 && !live) return;
    const uint k = max(min(shared_first + SHARED, count), 1) - 1;
    uint       i = min(shared_first, max(count, 1) - 1);
    const vec3 q = position[k].xyz;
    vec3       p = position[i].xyz;
    const ivec3 d = cell_of(q);
    ivec3       c = cell_of(p);
    if (SHARED == 1) {
        rows_search(window_of(c, c), p, p, i, i, lane, live, false);
        return;
    }
    const bool both = is_together(c, d);
    for (uint pass = both ? 1 : 0; pass < 2; pass++) {
        rows_search(window_of(c, both ? d : c), p, q, i, k, 0, true, both && i != k);
        i = k, p = q, c = d;
    }
}
