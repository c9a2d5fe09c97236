/* model_skins.c - the clip that each skin plays, and the nodes that follow a joint. Each list of the model is walked a
 * constant number of times. */
#include "model_skins.h"

#include "transform.h"

#include <math.h>

static u32* nones(Arena* arena, u32 count) {
    u32* out = ARENA_NEW(arena, u32, count);
    for (u32 i = 0; i < count; i++) out[i] = NONE;
    return out;
}

#define REST_TOLERANCE 1e-5f /* of a rotation, and relative to the larger of the numbers or 1 */

bool model_values_rest(const f32* value, const f32* rest, u32 count, f32 sign) {
    bool same = true;
    for (u32 i = 0; i < count; i++) {
        const f32 large = MAX_OF(1.0f, MAX_OF(fabsf(value[i]), fabsf(rest[i])));
        same &= fabsf(value[i] * sign - rest[i]) <= REST_TOLERANCE * large;
    }
    return same;
}

/* Does a track keep the rest pose of its node? Exporters that write keys of all joints write such tracks. */
static bool track_rests(const GltfModel* g, const GltfTrack* track) {
    const TransformRecord* local = &g->locals[track->node];
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
        rests = model_values_rest(value, rest, count, 1) ||
                (rotates && model_values_rest(value, rest, count, -1));
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
    u32 inside = NONE, other = NONE;
    for (u32 i = 0; i < skin->joint_count; i++) {
        inside = MIN_OF(inside, of_node[skin->joints[i]]);
        other = MIN_OF(other, above[skin->joints[i]]);
    }
    return inside == NONE ? other : inside;
}

/* Does a track keep the weights that its node has at rest? */
static bool morph_rests(const GltfModel* g, const GltfMorphTrack* track) {
    const GltfNode* node = &g->nodes[track->node];
    const GltfMesh* mesh = node->mesh == NONE ? NULL : &g->meshes[node->mesh];
    const u32       count = track->target_count;
    const bool      cubic = track->interpolation == CLIP_CUBIC;
    if (!mesh || count != mesh->target_count) return false;
    bool rests = true;
    for (u32 i = 0; i < track->key_count && rests; i++) {
        const f32* value = track->values + (size_t)i * count * (cubic ? 3 : 1);
        for (u32 t = 0; t < count && rests; t++) {
            const f32 usual = mesh->target_weights ? mesh->target_weights[t] : 0;
            const f32 rest = node->weights ? node->weights[t] : usual;
            const f32 key = value[t + (cubic ? count : 0)];
            rests = model_values_rest(&key, &rest, 1, 1) &&
                    (!cubic || (value[t] == 0 && value[t + 2 * count] == 0)); /* its tangents */
        }
    }
    return rests;
}

static u32* clips_of_weights(const GltfModel* g, Arena* arena) {
    u32* first = nones(arena, g->node_count);
    for (u32 i = g->clip_count; i-- > 0;)
        for (u32 k = 0; k < g->clips[i].morph_count; k++) {
            const GltfMorphTrack* track = &g->clips[i].morphs[k];
            if (!morph_rests(g, track)) first[track->node] = i;
        }
    return first;
}

/* --- followers --- */

/* Bones are the nodes of a skeleton: the joints of a skin that a mesh wears, and the nodes above them. */
typedef struct Bones {
    u32*
        wearer; /* [node_count] the first node that wears the skin of this bone; NONE: it is no bone */
    bool* is_moved; /* [node_count] it is a joint, or a clip moves it or a node above it */
} Bones;

static Bones bones_find(const GltfModel* g, const u32* above, Arena* arena) {
    const Bones out = {nones(arena, g->node_count), ARENA_NEW(arena, bool, g->node_count)};
    bool*       is_done = ARENA_NEW(arena, bool, g->skin_count);
    for (u32 i = 0; i < g->node_count; i++) out.is_moved[i] = above[i] != NONE;
    for (u32 i = 0; i < g->node_count; i++) {
        const u32 skin = g->nodes[i].skin;
        if (skin == NONE || g->nodes[i].mesh == NONE || is_done[skin]) continue;
        is_done[skin] = true;
        for (u32 k = 0; k < g->skins[skin].joint_count; k++) {
            u32 at = g->skins[skin].joints[k];
            out.is_moved[at] = true;
            for (; at != NONE && out.wearer[at] == NONE; at = g->nodes[at].parent)
                out.wearer[at] = i;
        }
    }
    return out;
}

/* A node below a bone follows it, and so does a bone itself, which matters when it has a mesh, a light or a camera. What
 * a skin deforms is not moved by its own transform: such a node follows only for the nodes below it. */
static void followers_find(const GltfModel* g, const Bones* bones, ModelSkins* out, Arena* arena) {
    bool* has_children = ARENA_NEW(arena, bool, g->node_count);
    for (u32 i = 0; i < g->node_count; i++)
        if (g->nodes[i].parent != NONE) has_children[g->nodes[i].parent] = true;
    for (u32 i = 0; i < g->node_count; i++) {
        const bool is_bone = bones->wearer[i] != NONE;
        const u32  bone = is_bone ? i : g->nodes[i].parent;
        if (bone == NONE || bones->wearer[bone] == NONE || !bones->is_moved[bone]) continue;
        if (!is_bone && g->nodes[i].skin != NONE && !has_children[i]) continue;
        out->bone[i] = bone;
        out->wearer[i] = bones->wearer[bone];
    }
}

ModelSkins model_skins_find(const GltfModel* g, Arena* arena) {
    Arena      scratch = {0};
    ModelSkins out = {nones(arena, g->skin_count), clips_of_weights(g, arena),
                      clips_of_nodes(g, arena), nones(arena, g->node_count),
                      nones(arena, g->node_count)};
    const u32* of_node = out.mover;
    u32*       above =
        nones(&scratch, g->node_count); /* of a node and those above it, which come first */
    for (u32 i = 0; i < g->node_count; i++) {
        const u32 parent = g->nodes[i].parent;
        above[i] = parent == NONE ? of_node[i] : MIN_OF(of_node[i], above[parent]);
    }
    for (u32 i = 0; i < g->skin_count; i++)
        out.clip[i] = clip_of_skin(&g->skins[i], of_node, above);
    const Bones bones = bones_find(g, above, &scratch);
    followers_find(g, &bones, &out, &scratch);
    arena_drop(&scratch);
    return out;
}
