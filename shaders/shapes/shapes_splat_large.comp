// shapes_splat_large.comp - the listed spheres of a draw: a group each for the parts of their boxes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "shapes_splat.glsl"

void part_splat(uint which, uint part) {
    const uint   i = which % push.count;
    const Target t = target_of(which / push.count);
    const vec3 center = center_of(i) - t.view.origin;
    const Box  box = box_of(t, center);
    const uint area = area_of(box), size = (area + SHAPES_SPLAT_PARTS - 1) / SHAPES_SPLAT_PARTS;
    const uint first = part * size, end = min(first + size, area), front = front_bits(t, center);
    for (uint k = first + gl_LocalInvocationID.x; k < end; k += gl_WorkGroupSize.x)
        sample_splat(t, center, front, push.id_first + i + 1, box.low + uvec2(k % box.size.x, k / box.size.x));
}

void main() {
    const uint parts = min(large_count, SHAPES_SPLAT_LISTED) * SHAPES_SPLAT_PARTS;
    for (uint n = group_index(); n < parts; n += gl_NumWorkGroups.x)
        part_splat(large[n / SHAPES_SPLAT_PARTS], n % SHAPES_SPLAT_PARTS);
}
