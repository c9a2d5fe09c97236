// particles.glsl - shared by the kernels of particles: parameters, and the numbering of bins.
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "particles_io.h"

layout(push_constant, scalar) uniform Push { ParticlesPush push; };
layout(constant_id = PARTICLES_EMITS) const uint EMITS = 0;

float emission_step_s() { return push.step_s; }
uint  emission_pool(uint word) { return 0; }
uint  emission_number(uint word) { return EMITS != 0 ? word & PARTICLES_PARTNER_MASK : word; }
#include "emission.glsl"

// What is added to the number of a particle that ends in a step.
uint tag_of(uint step) { return (step >> PARTICLES_TAG_STEPS) << PARTICLES_PARTNER_BITS; }

int columns() { return int(push.half_columns) * 2; }
int rows() { return int(push.half_rows) * 2; }

// The result is the same for the same position in every kernel: a single product, rounded once,
// with no addition to fuse it with.
ivec2 bin_of(vec2 position) {
    const ivec2   half_bins = ivec2(push.half_columns, push.half_rows);
    precise const vec2 scaled = position * push.bins_per_m;
    return clamp(ivec2(floor(scaled)), -half_bins, half_bins - 1) + half_bins;
}
uint bin_index(ivec2 bin) { return uint(bin.y * columns() + bin.x); }

// The maximum distance of the centre of a disc from that of the rectangle, along each axis.
vec2 capacity_of(float radius) { return max(push.half_extent_m - radius, vec2(0)); }
