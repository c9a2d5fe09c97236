/* model_animators.c - which clip moves which node, and changes which light or camera. */
#include "model_animators.h"

/* Is the node moved by the skin of a mesh? */
static bool is_bone(const ModelSkins* skins, u32 node) { return skins->bone[node] == node; }

/* The lights and cameras of the nodes, of which each clip that is the first to change one gets an animator. */
static void properties_mark(const GltfModel* g, const ModelProperties* properties, bool* is_first) {
    for (u32 i = 0; i < g->node_count; i++)
        for (u32 p = 0; p < MODEL_PROPERTIES; p++) {
            const u32 object = model_property_object(&g->nodes[i], p);
            const u32 clip = object == NONE ? NONE : properties->clip[p][object];
            if (clip != NONE) is_first[clip] = true;
        }
}

ModelAnimators model_animators_find(const GltfModel* g, const ModelSkins* skins,
                                    const ModelProperties* properties, Arena* arena) {
    ModelAnimators out = {ARENA_NEW(arena, u32, g->clip_count),
                          ARENA_NEW(arena, u32, g->clip_count),
                          ARENA_NEW(arena, u32, g->node_count), 0};
    Arena          scratch = {0};
    bool*          is_first = ARENA_NEW(&scratch, bool, g->clip_count);
    for (u32 i = 0; i < g->node_count; i++)
        if (skins->mover[i] != NONE && !is_bone(skins, i)) is_first[skins->mover[i]] = true;
    properties_mark(g, properties, is_first);
    for (u32 i = 0; i < g->clip_count; i++) {
        out.of_clip[i] = out.count;
        if (is_first[i]) out.clip[out.count++] = i;
    }
    for (u32 i = 0; i < g->node_count; i++) {
        const u32 clip = skins->mover[i];
        out.node[i] = clip == NONE || is_bone(skins, i) ? NONE : out.of_clip[clip];
    }
    arena_drop(&scratch);
    return out;
}
