/* model_skins.c - the clip that each skin plays, and the nodes that follow a joint. Each list of the model is walked a
 * constant number of times. */
#include "model_skins.h"

#include <math.h>

static u32* nones(Arena* arena, u32 count) {
    u32* out = ARENA_NEW(arena, u32, count);
    for (u32 i = 0; i < count; i++) out[i] = NONE;
    return out;
}

#define REST_TOLERANCE 1e-5f /* of a rotation, and relative to the larger of the numbers or 1 */

static bool values_are_rest(const f32* value, const f32* rest, u32 count, f32 sign) {
    bool same = true;
    for (u32 i = 0; i < count; i++) {
        const f32 large = MAX_OF(1.0f, MAX_OF(fabsf(value[i]), fabsf(rest[i])));
        same &= fabsf(value[i] * sign - rest[i]) <= REST_TOLERANCE * large;
    }
    return same;
}

/* Does a track keep the rest pose of its node? Exporters that write keys of all joints write such tracks. */
static bool track_rests(const GltfModel* g, const GltfTrack* track) {
    const TransformRecord* local = &g->nodes[track->node].local;
    const bool             rotates = track->channel == CLIP_ROTATION,
               cubic = track->interpolation == CLIP_CUBIC;
    const f32* rest = rotates                              ? &local->rotation.x
                      : track->channel == CLIP_TRANSLATION ? &local->position.x
                                                           : &local->scale.x;
    const u32  count = rotates ? 4 : 3;
    bool       rests = true;
    for (u32 i = 0; i < track->key_count && rests; i++) {
        const f32* value =
            track->values + (size_t)i * count * (cubic ? 3 : 1) + (cubic ? count : 0);
        rests = values_are_rest(value, rest, count, 1) ||
                (rotates && values_are_rest(value, rest, count, -1));
        for (u32 k = 0; cubic && rests && k < count; k++)
            rests = value[(i32)k - (i32)count] == 0 && value[k + count] == 0; /* its tangents */
    }
    return rests;
}

/* Of the nodes: the first clip with a track that moves it. */
static u32* clips_of_nodes(const GltfModel* g, Arena* arena) {
    u32* first = nones(arena, g->node_count);
    for (u32 i = g->clip_count; i-- > 0;) {
        for (u32 k = 0; k < g->clips[i].track_count; k++) {
            const GltfTrack* track = &g->clips[i].tracks[k];
            if (!track_rests(g, track)) first[track->node] = i;
        }
    }
    return first;
}

/* The first clip that moves one of its joints. A clip of another skin may move a node above both, so that only without
 * such a clip one that moves a node above a joint is played. */
static u32 clip_of_skin(const GltfSkin* skin, const u32* of_node, const u32* above) {
    u32 own = NONE, other = NONE;
    for (u32 i = 0; i < skin->joint_count; i++) {
        own = MIN_OF(own, of_node[skin->joints[i]]);
        other = MIN_OF(other, above[skin->joints[i]]);
    }
    return own == NONE ? other : own;
}

static u32* clips_of_weights(const GltfModel* g, Arena* arena) {
    u32* first = nones(arena, g->node_count);
    for (u32 i = g->clip_count; i-- > 0;)
        for (u32 k = 0; k < g->clips[i].morph_count; k++) first[g->clips[i].morphs[k].node] = i;
    return first;
}

/* A node below a joint follows it, unless it is a bone itself: a joint, or above one. What a skin deforms does not follow
 * either, because its own transform does not move it. */
static u32* followers_find(const GltfModel* g, Arena* arena) {
    u32* skinned = nones(arena, g->node_count);
    u32* of_joint =
        nones(arena, g->node_count); /* the first node with a skin of which this is a joint */
    bool* is_bone = ARENA_NEW(arena, bool, g->node_count);
    bool* is_done = ARENA_NEW(arena, bool, g->skin_count);
    for (u32 i = 0; i < g->node_count; i++) {
        const u32 skin = g->nodes[i].skin;
        if (skin == NONE || g->nodes[i].mesh == NONE || is_done[skin]) continue;
        is_done[skin] = true;
        for (u32 k = 0; k < g->skins[skin].joint_count; k++) {
            const u32 joint = g->skins[skin].joints[k];
            if (of_joint[joint] == NONE) of_joint[joint] = i;
            for (u32 at = joint; at != NONE && !is_bone[at]; at = g->nodes[at].parent)
                is_bone[at] = true;
        }
    }
    for (u32 i = 0; i < g->node_count; i++) {
        const u32 parent = g->nodes[i].parent;
        if (parent != NONE && !is_bone[i] && g->nodes[i].skin == NONE)
            skinned[i] = of_joint[parent];
    }
    return skinned;
}

ModelSkins model_skins_find(const GltfModel* g, Arena* arena) {
    Arena      scratch = {0};
    ModelSkins out = {nones(arena, g->skin_count), clips_of_weights(g, arena),
                      followers_find(g, arena)};
    const u32* of_node = clips_of_nodes(g, &scratch);
    u32*       above =
        nones(&scratch, g->node_count); /* of a node and those above it, which come first */
    for (u32 i = 0; i < g->node_count; i++) {
        const u32 parent = g->nodes[i].parent;
        above[i] = parent == NONE ? of_node[i] : MIN_OF(of_node[i], above[parent]);
    }
    for (u32 i = 0; i < g->skin_count; i++)
        out.clip[i] = clip_of_skin(&g->skins[i], of_node, above);
    arena_drop(&scratch);
    return out;
}
