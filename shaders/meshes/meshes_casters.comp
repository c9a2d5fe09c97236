// meshes_casters.comp - one thread per instance and shadow map that is drawn, of the instances that stand, or of those that
// move: when their opaque or their blended parts may cast into the map, sets its bit of the coarsest level whose error is at most one texel.
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
#include "shadows_tally.glsl"

layout(binding = MESHES_FLAG) writeonly restrict buffer Flags { uint flags[]; };
layout(binding = MESHES_MOVES) readonly restrict buffer Moves { uint moves[]; };
layout(binding = MESHES_COUNT) writeonly restrict buffer Counts { uint counts[]; };

layout(binding = SHADOWS_BLOCKS) readonly restrict buffer Blocks { uint blocks[]; };
layout(binding = SHADOWS_SEEN) readonly restrict buffer Seen { uint seen_at[]; };

const uint WORDS = MESHES_BLOCK, NOWHERE = 0xfffffffeu;

shared uint seen[WORDS * 2 * MESHES_LEVELS_MAX];

// Casters of each map that are drawn, too small, and not seen.
const uint DRAWN = 0, SMALL = 1, UNSEEN = 2, KINDS = 3;

shared uint cast_counts[SHADOWS_MAPS_MAX * KINDS];

void cast_add(uint i, uint kind) { atomicAdd(cast_counts[i % push.maps * KINDS + kind], 1); }

// Is a surface that is seen behind a box, from the light? As many texels nearer to it as planes of surfaces are compared with.
bool meets_seen(uint map, ShadowMap m, Bounds b) {
    MapBox box;
    if (!map_box(m, b, box)) return true;
    const vec4  behind = shadow_clip(m, b.center);
    const float texels = length(m.z.xyz) * m.texel_m * 8 / behind.w;
    const float scale = float(SHADOWS_SQUARES) / 2, last = float(SHADOWS_SQUARES) - 1;
    const uvec2 from = uvec2(clamp((box.low + 1) * scale, 0, last)), to = uvec2(clamp((box.high + 1) * scale, 0, last));
    for (uint y = from.y; y <= to.y; y++)
        for (uint x = from.x; x <= to.x; x++)
            if (uintBitsToFloat(seen_at[(map * SHADOWS_SQUARES + y) * SHADOWS_SQUARES + x]) < box.nearest + texels) return true;
    return false;
}

// Do opaque surfaces that move cover texels of the blocks over which a box may be?
bool is_covered(uint map, ShadowMap m, Bounds b) {
    MapBox box;
    if (!map_box(m, b, box)) box = MapBox(vec2(-1), vec2(1), 0);
    const uint  wide = uint(m.side) / SHADOWS_BLOCK;
    const float last = float(wide) - 1, scale = float(wide) / 2, more = 2 / float(SHADOWS_BLOCK);
    const uvec2 from = uvec2(clamp((box.low + 1) * scale - more, 0, last)), to = uvec2(clamp((box.high + 1) * scale + more, 0, last));
    for (uint y = from.y; y <= to.y; y++)
        for (uint x = from.x; x <= to.x; x++)
            if (blocks[shadows.block_first[map] + y * wide + x] != 0) return true;
    return false;
}

// Blended parts that stand are also drawn where opaque surfaces move.
bool is_drawn(uint which) {
    const uint moving = moves[which / 32] >> which % 32 & 1;
    return push.moves == MESHES_ALL || moving == push.moves || (push.is_filter != 0 && push.moves == MESHES_THAT_MOVE);
}

uint caster_cull(uint i) {
    const uint         which = i / push.maps, k = i % push.maps;
    const MeshInstance instance = instances[which];
    if (instance.mesh == MESHES_NONE || instance.shown == MESHES_UNSEEN || !is_drawn(which)) return NOWHERE;
    const MeshRow mesh = meshes[instance.mesh];
    if ((push.is_filter != 0 ? mesh.blended_count : mesh.opaque_count) == 0) return NOWHERE;
    const ShadowMap m = shadow_maps[shadows.now[k]];
    const Pose      pose = pose_of(instance.transform);
    const Bounds    bounds = bounds_of(instance, pose);
    const bool      stands = (moves[which / 32] >> which % 32 & 1) == 0;
    if (!is_in_reach(m, bounds)) return NOWHERE;
    if (push.is_filter != 0 && push.moves == MESHES_THAT_MOVE && stands && !is_covered(k, m, bounds)) return NOWHERE;
    const float far = max(dot(m.w, vec4(bounds.center, 1)) - dot(abs(m.w.xyz), bounds.size), 0);
    const float texel_m = m.texel_m * max(far, 1e-3);
    const bool  is_small = push.has_pyramid != 0 && 4 * length(bounds.size) < texel_m;
    const bool  is_unseen = !is_small && push.is_seen != 0 && !meets_seen(k, m, bounds);
    cast_add(i, is_small ? SMALL : is_unseen ? UNSEEN : DRAWN);
    if (is_small || is_unseen) return NOWHERE;
    seen_note(instance);
    const uint level = level_of(mesh, scale_of(pose) / texel_m);
    return level + (determinant_of(pose) < 0 ? push.level_max : 0);
}

void main() {
    const uint i = thread_index(), t = gl_LocalInvocationID.x, words = WORDS * 2 * push.level_max;
    const uint word = t / 32, first = group_index() * WORDS;
    for (uint n = t; n < words; n += MESHES_CULL_GROUP) seen[n] = 0;
    for (uint n = t; n < push.maps * KINDS; n += MESHES_CULL_GROUP) cast_counts[n] = 0;
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
    const uint drawn_word = push.moves == MESHES_THAT_MOVE ? SHADOWS_TALLY_MOVING : SHADOWS_TALLY_STANDING;
    for (uint n = t; n < push.maps * KINDS; n += MESHES_CULL_GROUP)
        tally_add(n / KINDS, n % KINDS == DRAWN ? drawn_word : n % KINDS == SMALL ? SHADOWS_TALLY_SMALL : SHADOWS_TALLY_UNSEEN, cast_counts[n]);
    if (first >= push.flag_stride - WORDS) return;
    for (uint n = t; n < words; n += MESHES_CULL_GROUP)
        flags[n / WORDS * push.flag_stride + first + n % WORDS] = seen[n];
    for (uint n = t; n < 2 * push.level_max; n += MESHES_CULL_GROUP) {
        uint count = 0;
        for (uint w = 0; w < WORDS; w++) count += bitCount(seen[n * WORDS + w]);
        counts[(n * push.flag_stride + first) / WORDS] = count;
    }
}
