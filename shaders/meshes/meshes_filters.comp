// meshes_filters.comp - one thread per blended part of an instance: lists the shadow maps that are drawn and that it may
// cast into, and writes its draw.
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
#include "shadows_table.glsl"
#include "shadows_reach.glsl"
#include "shadows_tally.glsl"

layout(binding = MESHES_BLENDED, scalar) readonly restrict buffer Blended { MeshBlended blended[]; };
layout(binding = MESHES_PART, scalar) readonly restrict buffer Parts { MeshPart parts[]; };
layout(binding = MESHES_COMMAND) writeonly restrict buffer Commands { uint commands[]; };
layout(binding = MESHES_MOVES) readonly restrict buffer Moves { uint moves[]; };
layout(binding = SHADOWS_BLOCKS) readonly restrict buffer Blocks { uint blocks[]; };
layout(binding = MESHES_PAIR) writeonly restrict buffer Pairs { uvec2 pairs[]; };

// Do opaque surfaces that move cover texels of the blocks over which a box may be?
bool is_covered(uint k, ShadowMap m, Bounds b) {
    const uint wide = uint(m.side) / SHADOWS_BLOCK;
    vec2       low = vec2(1e9), high = vec2(-1e9);
    for (uint i = 0; i < 8; i++) {
        const vec3 side = vec3(i & 1, i >> 1 & 1, i >> 2) * 2 - 1;
        const vec4 clip = shadow_clip(m, b.center + side * b.size);
        const bool is_before = clip.w < 1e-6;
        low = is_before ? vec2(-1) : min(low, clip.xy / clip.w);
        high = is_before ? vec2(1) : max(high, clip.xy / clip.w);
        if (is_before) break;
    }
    const float last = float(wide) - 1, scale = float(wide) / 2, more = 2 / float(SHADOWS_BLOCK);
    const uvec2 from = uvec2(clamp((low + 1) * scale - more, 0, last)), to = uvec2(clamp((high + 1) * scale + more, 0, last));
    for (uint y = from.y; y <= to.y; y++)
        for (uint x = from.x; x <= to.x; x++)
            if (blocks[shadows.block_first[k] + y * wide + x] != 0) return true;
    return false;
}

// Of the threads that call it together, which have the same map.
void cast_add(uint map, uint word) {
    const uint count = subgroupBallotBitCount(subgroupBallot(true));
    if (subgroupElect()) tally_add(map, word, count);
}

void main() {
    const uint i = thread_index();
    if (i >= push.blended_count) return;
    const MeshInstance instance = instances[blended[i].instance];
    const bool         exists = instance.mesh != MESHES_NONE && instance.shown != MESHES_UNSEEN;
    uint               count = 0;
    if (exists) {
        const Bounds bounds = bounds_of(instance, pose_of(instance.transform));
        const uint   which = blended[i].instance, moving = moves[which / 32] >> which % 32 & 1;
        const bool   is_drawn = push.moves == MESHES_ALL || push.moves == moving;
        const bool   is_hidden = !is_drawn && push.moves == MESHES_THAT_STAND;
        const bool   is_kept = push.moves != MESHES_THAT_MOVE;
        for (uint k = 0; k < push.maps && !is_hidden; k++) {
            const ShadowMap m = shadow_maps[shadows.now[k]];
            const float     far = max(dot(m.w, vec4(bounds.center, 1)) - dot(abs(m.w.xyz), bounds.size), 1e-3);
            if (!is_in_reach(m, bounds) || (!is_drawn && !is_covered(k, m, bounds))) continue;
            const bool is_small = push.has_pyramid != 0 && 2 * length(bounds.size) < m.texel_m * far;
            cast_add(k, is_small ? SHADOWS_TALLY_SMALL : is_kept ? SHADOWS_TALLY_STANDING : SHADOWS_TALLY_MOVING);
            if (is_small) continue;
            pairs[i * push.maps + count++] = uvec2(is_drawn ? k : k | MESHES_IS_COVERED, i);
        }
    }
    if (count != 0) seen_note(instance);
    const MeshPart part = parts[blended[i].part];
    commands[i * 5] = part.index_count;
    commands[i * 5 + 1] = count;
    commands[i * 5 + 2] = push.index_first + part.first_index;
    commands[i * 5 + 3] = 0;
    commands[i * 5 + 4] = i * push.maps;
}
