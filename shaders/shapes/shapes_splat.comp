// shapes_splat.comp - one thread per sphere, and shadow map that is drawn, which computes the samples of a small one. The
// threads of a subgroup share those of each larger one, so that they access adjacent samples; the largest ones are
// listed for shapes_splat_large.comp. What all threads do comes first, while they are together.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "kernel.glsl"
#include "shapes_splat.glsl"
layout(binding = SHAPES_CAST) readonly restrict buffer Casts { uint casts[]; };

bool is_listed(uint which) {
    const uint at = atomicAdd(large_count, 1);
    if (at < SHAPES_SPLAT_LISTED) large[at] = which;
    return at < SHAPES_SPLAT_LISTED;
}

// Every `stride`-th sample of a box, in rows.
void box_splat(Target t, vec3 center, uint id, uvec2 low, uvec2 size, uint first, uint stride) {
    const uint front = front_bits(t, center);
    uvec2      at = uvec2(first % size.x, first / size.x);
    while (at.y < size.y) {
        sample_splat(t, center, front, id, low + at);
        at.x += stride;
        while (at.x >= size.x) {
            at.x -= size.x;
            at.y++;
        }
    }
}

// The threads of a group have the same map, of which there are groups for all spheres.
void main() {
    const uint groups = (push.count + SHAPES_GROUP - 1) / SHAPES_GROUP;
    const uint map = CASTS != 0 ? group_index() / groups : 0, i = thread_index() - map * groups * SHAPES_GROUP;
    if (CASTS != 0 && (map >= SHADOWS_MAPS_MAX || casts[(push.draw * SHADOWS_MAPS_MAX + map) * 4 + 1] == 0)) return;
    const Target t = target_of(map);
    const uint id = push.id_first + i + 1;
    const vec3 center = center_of(min(i, push.count - 1)) - t.view.origin;
    const Box  box = box_of(t, center);
    const uint area = i < push.count && !is_absent(i) ? area_of(box) : 0;
    const bool is_shared = area > SHAPES_SPLAT_SMALL && area <= SHAPES_SPLAT_LARGE;
    for (uvec4 left = subgroupBallot(is_shared); left != uvec4(0);) {
        const uint  owner = subgroupBallotFindLSB(left);
        const vec3  its = subgroupShuffle(center, owner);
        const uvec2 low = subgroupShuffle(box.low, owner), size = subgroupShuffle(box.size, owner);
        box_splat(t, its, subgroupShuffle(id, owner), low, size, gl_SubgroupInvocationID, gl_SubgroupSize);
        left[owner / 32] &= ~(1u << owner % 32);
    }
    if (is_shared || area == 0 || (area > SHAPES_SPLAT_LARGE && is_listed(map * push.count + i))) return;
    box_splat(t, center, id, box.low, box.size, 0, 1);
}
