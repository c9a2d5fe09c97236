// water_splat.comp - one thread per particle, which computes the pixels of a small one. The threads of a subgroup share those of
// each larger one, so that they access adjacent pixels; the largest ones are listed for water_splat_large.comp.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "kernel.glsl"
#include "water_splat.glsl"

layout(binding = WATER_HIDDEN) readonly restrict buffer Hidden { uint hidden[]; };

// Are all pixels nearer than any of a sphere?
bool is_behind(Box box, uint limit) {
    const uvec2 size = uvec2(WATER_WIDE, WATER_HIGH), first = box.low / size, last = (box.low + box.size - 1) / size;
    if (any(greaterThan(last - first, uvec2(3)))) return false;
    for (uint y = first.y; y <= last.y; y++)
        for (uint x = first.x; x <= last.x; x++)
            if (hidden[y * blocks_wide() + x] <= limit) return false;
    return true;
}

bool is_listed(uint which) {
    const uint at = atomicAdd(large_count, 1);
    if (at < WATER_LISTED) large[at] = which;
    return at < WATER_LISTED;
}

// Every `stride`-th pixel of a box, in rows.
void box_splat(vec3 center, uvec2 low, uvec2 size, uint first, uint stride) {
    const uint limit = limit_of(center);
    uvec2      at = uvec2(first % size.x, first / size.x);
    while (at.y < size.y) {
        pixel_splat(center, limit, low + at);
        at.x += stride;
        while (at.x >= size.x) {
            at.x -= size.x;
            at.y++;
        }
    }
}

void main() {
    const uint n = thread_index(), i = push.step == 0 ? n * WATER_SOME : n / (WATER_SOME - 1) * WATER_SOME + n % (WATER_SOME - 1) + 1;
    const vec3 center = positions[min(i, push.count - 1)].xyz - eye.origin;
    const Box  box = box_of(center);
    uint area = i < push.count ? area_of(box) : 0;
    if (push.step != 0 && area != 0 && is_behind(box, limit_of(center))) area = 0;
    const bool is_shared = area > WATER_SMALL && area <= WATER_MIDDLE;
    for (uvec4 left = subgroupBallot(is_shared); left != uvec4(0);) {
        const uint  owner = subgroupBallotFindLSB(left);
        const vec3  its = subgroupShuffle(center, owner);
        const uvec2 low = subgroupShuffle(box.low, owner), size = subgroupShuffle(box.size, owner);
        box_splat(its, low, size, gl_SubgroupInvocationID, gl_SubgroupSize);
        left[owner / 32] &= ~(1u << owner % 32);
    }
    if (is_shared || area == 0 || (area > WATER_MIDDLE && is_listed(i))) return;
    box_splat(center, box.low, box.size, 0, 1);
}
