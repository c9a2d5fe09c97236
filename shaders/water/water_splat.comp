// water_splat.comp - one thread per particle, which computes the pixels of a small one. The threads of a subgroup share those of
// each larger one, so that they access adjacent pixels; the parts of the largest ones are listed for water_splat_large.comp.
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

bool is_listed(uint which, uint area) {
    const uint parts = (area + WATER_PART - 1) / WATER_PART, first = atomicAdd(large_count[push.fluid], parts);
    if (first + parts > listed_max()) return false;
    for (uint part = 0; part < parts; part++) large[push.fluid * listed_max() + first + part] = uvec2(which, part);
    return true;
}

// Some are added first: one of every few that follow each other, which is chosen at random.
uint particle_of(uint n) {
    const uint others = WATER_SOME - 1, few = push.step == 0 ? n : n / others;
    const uint chosen = (few * 0x9e3779b1u >> 16) % WATER_SOME;
    return few * WATER_SOME + (push.step == 0 ? chosen : (chosen + 1 + n % others) % WATER_SOME);
}

void main() {
    const uint i = particle_of(thread_index());
    const vec3 center = positions[min(i, push.count - 1)].xyz - eye.origin;
    const Box  box = box_of(center);
    const uint limit = limit_of(center);
    uint area = i < push.count && is_of_fluid(positions[i]) ? area_of(box) : 0;
    if (push.step != 0 && area != 0 && is_behind(box, limit)) area = 0;
    const bool is_large = area > WATER_MIDDLE && is_listed(i, area), is_shared = area > WATER_SMALL && !is_large;
    for (uvec4 left = subgroupBallot(is_shared); left != uvec4(0);) {
        const uint owner = subgroupBallotFindLSB(left);
        const vec3 its = subgroupShuffle(center, owner);
        const Box  shared_box = Box(subgroupShuffle(box.low, owner), subgroupShuffle(box.size, owner));
        box_splat(its, subgroupShuffle(limit, owner), shared_box, gl_SubgroupInvocationID, area_of(shared_box), gl_SubgroupSize);
        left[owner / 32] &= ~(1u << owner % 32);
    }
    if (!is_shared && !is_large && area != 0) box_splat(center, limit, box, 0, area, 1);
}
