// meshes_casters.comp - one thread per instance and shadow map that is drawn: of the instances that stand, or of those that move; when one may cast into the map,
// sets its bit of the coarsest level whose error is at most one texel.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "meshes_io.h"
#include "shadows_io.h"
#include "meshes.glsl"
#include "meshes_view.glsl"
#include "meshes_wanted.glsl"
#include "meshes_level.glsl"
#include "meshes_bits.glsl"
#include "shadows_table.glsl"
#include "shadows_reach.glsl"

layout(binding = MESHES_FLAG) writeonly restrict buffer Flags { uint flags[]; };
layout(binding = MESHES_MOVES) readonly restrict buffer Moves { uint moves[]; };
layout(binding = MESHES_COUNT) writeonly restrict buffer Counts { uint counts[]; };

const uint WORDS = MESHES_BLOCK, NOWHERE = 0xfffffffeu;

shared uint seen[WORDS * 2 * MESHES_LEVELS_MAX];

uint caster_cull(uint i) {
    const uint         which = i / push.maps;
    const MeshInstance instance = instances[which];
    if ((moves[which / 32] >> which % 32 & 1) != push.moves) return NOWHERE;
    if (instance.mesh == MESHES_NONE || instance.shown == MESHES_UNSEEN) return NOWHERE;
    const ShadowMap m = shadow_maps[shadows.now[i % push.maps]];
    const Pose      pose = pose_of(instance.transform);
    const Bounds    bounds = bounds_of(instance, pose);
    if (!is_in_reach(m, bounds)) return NOWHERE;
    seen_note(instance);
    const float far = max(dot(m.w, vec4(bounds.center, 1)) - dot(abs(m.w.xyz), bounds.size), 0);
    const float texel_m = m.texel_m * max(far, 1e-3);
    if (push.has_pyramid != 0 && 2 * length(bounds.size) < texel_m) return NOWHERE;
    const uint  level = level_of(meshes[instance.mesh], scale_of(pose) / texel_m);
    return level + (determinant_of(pose) < 0 ? push.level_max : 0);
}

void main() {
    const uint i = thread_index(), t = gl_LocalInvocationID.x, words = WORDS * 2 * push.level_max;
    const uint word = t / 32, first = group_index() * WORDS;
    for (uint n = t; n < words; n += MESHES_CULL_GROUP) seen[n] = 0;
    barrier();
    uint drawn = NOWHERE;
    if (i < push.instance_count * push.maps) drawn = caster_cull(i);
    const uint first_bit = (t - gl_SubgroupInvocationID) % 32;
    const bool sets = gl_SubgroupInvocationID % 32 == 0;
    for (uint n = 0; n < 2 * push.level_max; n++) {
        const uint bits = bits_of(drawn == n, first_bit);
        if (sets && bits != 0) atomicOr(seen[n * WORDS + word], bits);
    }
    barrier();
    if (first >= push.flag_stride - WORDS) return;
    for (uint n = t; n < words; n += MESHES_CULL_GROUP)
        flags[n / WORDS * push.flag_stride + first + n % WORDS] = seen[n];
    for (uint n = t; n < 2 * push.level_max; n += MESHES_CULL_GROUP) {
        uint count = 0;
        for (uint w = 0; w < WORDS; w++) count += bitCount(seen[n * WORDS + w]);
        counts[(n * push.flag_stride + first) / WORDS] = count;
    }
}
