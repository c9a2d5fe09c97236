// sph_force_rows.glsl - LANES threads per particle: iterates over the bits that
// sph_density_rows.comp has written, so that only neighbours are processed, and moves the particle.
#extension GL_KHR_shader_subgroup_shuffle : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"
#include "sph_pair.glsl"

layout(binding = SPH_POSITION) readonly restrict buffer Position { vec4 position[]; };
layout(binding = SPH_VELOCITY) readonly restrict buffer Velocity { vec4 velocity[]; };
layout(binding = SPH_MASK) readonly restrict buffer Mask { uint mask[]; };
layout(binding = SPH_MASK_MORE) readonly restrict buffer MaskMore { uint mask_more[]; };
#include "sph_rows.glsl"
#include "sph_move.glsl"

// Computes the bits of candidates without stored bits: the last ones of the range `first` to `end`.
uint near_of(vec3 p, uint first, uint end) {
    uint near = 0;
    for (uint j = max(first + ROW_BITS, end) - ROW_BITS; j < end; j++) {
        const vec3 d = p - position[j].xyz;
        near = near << 1 | uint(dot(d, d) < push.h2);
    }
    return near;
}

// The neighbours whose bits are set, relative to the end of a range.
void neighbours_add(inout vec3 sum, Self self, uint end, uint near) {
    while (near != 0) {
        const uint bit = uint(findMSB(near)), j = end - 1 - bit;
        near ^= 1u << bit;
        pair_add(sum, self, self.position - position[j].xyz, velocity[j], position[j].w);
    }
}

// Candidates of a row without a place in its first word, which few rows have.
void rest_add(inout vec3 sum, Self self, uvec4 range, uint at) {
    if (range.x < last_bits(range)) {
        range.y -= ROW_BITS;
        neighbours_add(sum, self, range.y, mask_more[at]);
    }
    while (range.y > range.x + ROW_BITS || range.z < range.w) {
        if (range.y > range.x + ROW_BITS)
            range.y -= ROW_BITS;
        else
            range = uvec4(range.zw, 0, 0);
        neighbours_add(sum, self, range.y, near_of(self.position, range.x, range.y));
    }
}

// Some rows of a thread: one that has processed its neighbours in a row proceeds to the next row.
// Threads of a subgroup have different numbers of neighbours in each row, but similar ones in several.
const uint TOGETHER = 3;

struct Rows {
    uint near[TOGETHER], end[TOGETHER]; // bits of neighbours, and the end of their range
};

Rows rows_load(inout vec3 sum, Self self, Window w, uint i, uint first) {
    Rows rows;
    [[unroll]] for (uint k = 0; k < TOGETHER; k++) {
        const uint  r = min(first + k * LANES, ROWS - 1);
        const bool exists = first + k * LANES < ROWS;
        const uvec4 range = row_ranges(w, r);
        rows.near[k] = exists ? mask[r * push.count + i] : 0;
        rows.end[k] = range.y;
        if (exists && (range.x < last_bits(range) || range.z < range.w))
            rest_add(sum, self, range, r * push.count + i);
    }
    return rows;
}

// Puts rows without neighbours last.
void rows_order(inout Rows rows) {
    [[unroll]] for (uint n = TOGETHER - 1; n > 0; n--) {
        [[unroll]] for (uint k = 0; k < n; k++) {
            const bool is_empty = rows.near[k] == 0;
            rows.near[k] |= is_empty ? rows.near[k + 1] : 0;
            rows.end[k] = is_empty ? rows.end[k + 1] : rows.end[k];
            rows.near[k + 1] = is_empty ? 0 : rows.near[k + 1];
        }
    }
}

void rows_add(inout vec3 sum, Self self, Rows rows) {
    while (rows.near[0] != 0) {
        const uint bit = uint(findMSB(rows.near[0])), j = rows.end[0] - 1 - bit;
        rows.near[0] ^= 1u << bit;
        pair_add(sum, self, self.position - position[j].xyz, velocity[j], position[j].w);
        if (rows.near[0] != 0) continue;
        [[unroll]] for (uint k = 0; k + 1 < TOGETHER; k++) {
            rows.near[k] = rows.near[k + 1];
            rows.end[k] = rows.end[k + 1];
        }
        rows.near[TOGETHER - 1] = 0;
    }
}

// The rows that the density of the particle was computed from.
Window window_of_particle(uint i, vec3 p) {
    const ivec3 c = cell_of(p);
    if (SHARED == 1) return window_of(c, c);
    const ivec3 d = cell_of(position[min(i ^ 1, sorted_count() - 1)].xyz);
    return window_of(c, is_together(c, d) ? d : c);
}

vec3 forces_add(Self self, Window w, uint i, uint lane) {
    vec3 sum = vec3(0);
    for (uint r = lane; r < ROWS; r += LANES * TOGETHER) {
        Rows rows = rows_load(sum, self, w, i, r);
        rows_order(rows);
        rows_add(sum, self, rows);
    }
    return sum;
}

void main() {
    const uint thread = thread_index(), lane = thread % LANES, count = sorted_count();
    const bool live = thread / LANES < count;
    if (EMITS && !live && lane == 0 && thread / LANES < push.count) particle_leave(thread / LANES);
    if (LANES == 1 && !live) return;
    const uint i = min(thread / LANES, max(count, 1) - 1);
    const Self self = self_of(position[i], velocity[i]);
    vec3       sum = forces_add(self, window_of_particle(i, self.position), i, lane);
    if (LANES > 1) sum += subgroupShuffleXor(sum, 1);
    if (LANES > 2) sum += subgroupShuffleXor(sum, 2);
    if (live && lane == 0) particle_move(i, position[i], velocity[i], acceleration_of(self, sum), true);
}
