// water_splat_large.comp - the listed particles of a fluid: a group each for the parts of their boxes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "water_splat.glsl"

void part_splat(uint i, uint part) {
    const vec3 center = positions[i].xyz - eye.origin;
    const Box  box = box_of(center);
    const uint area = area_of(box), size = (area + WATER_PARTS - 1) / WATER_PARTS;
    const uint first = part * size, end = min(first + size, area), limit = limit_of(center);
    for (uint k = first + gl_LocalInvocationID.x; k < end; k += gl_WorkGroupSize.x)
        pixel_splat(center, limit, box.low + uvec2(k % box.size.x, k / box.size.x));
}

void main() {
    const uint parts = min(large_count, WATER_LISTED) * WATER_PARTS;
    for (uint n = group_index(); n < parts; n += gl_NumWorkGroups.x)
        part_splat(large[n / WATER_PARTS], n % WATER_PARTS);
}
