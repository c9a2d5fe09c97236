/* model_animators.c - which clip moves which node. */
#include "model_animators.h"

/* Is the node moved by the skin of a mesh? */
static bool is_bone(const ModelSkins* skins, u32 node) { return skins->bone[node] == node; }

ModelAnimators model_animators_find(const GltfModel* g, const ModelSkins* skins, Arena* arena) {
    ModelAnimators out = {ARENA_NEW(arena, u32, g->clip_count),
                          ARENA_NEW(arena, u32, g->node_count), 0};
    Arena          scratch = {0};
    bool*          is_first = ARENA_NEW(&scratch, bool, g->clip_count);
    u32*           animator = ARENA_NEW(&scratch, u32, g->clip_count);
    for (u32 i = 0; i < g->node_count; i++)
        if (skins->mover[i] != NONE && !is_bone(skins, i)) is_first[skins->mover[i]] = true;
    for (u32 i = 0; i < g->clip_count; i++) {
        animator[i] = out.count;
        if (is_first[i]) out.clip[out.count++] = i;
    }
    for (u32 i = 0; i < g->node_count; i++) {
        const u32 clip = skins->mover[i];
        out.node[i] = clip == NONE || is_bone(skins, i) ? NONE : animator[clip];
    }
    arena_drop(&scratch);
    return out;
}
