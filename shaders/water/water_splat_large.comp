// water_splat_large.comp - the listed parts of particles of a fluid: a group each.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "water_splat.glsl"

void main() {
    const uint parts = min(large_count[push.fluid], listed_max());
    for (uint n = group_index(); n < parts; n += gl_NumWorkGroups.x) {
        const uvec2 listed = large[push.fluid * listed_max() + n];
        const vec3  center = positions[min(listed.x, push.count - 1)].xyz - eye.origin;
        const Box   box = box_of(center);
        const uint  first = listed.y * WATER_PART, end = min(first + WATER_PART, area_of(box));
        box_splat(center, limit_of(center), box, first + gl_LocalInvocationID.x, end, gl_WorkGroupSize.x);
    }
}
