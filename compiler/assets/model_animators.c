/* model_animators.c - which clip moves which node, and changes which light or camera. */
#include "model_animators.h"

#include <stdlib.h>

#include "search.h"

/* Is the node moved by the skin of a mesh? */
static bool is_bone(const ModelSkins* skins, u32 node) { return skins->bone[node] == node; }

/* A clip that is the first to move a node, or to change a light or camera, of a top. */
typedef struct Use {
    u32 top, clip;
} Use;

static int use_order(const void* a, const void* b) {
    const Use *x = a, *y = b;
    if (x->top != y->top) return x->top < y->top ? -1 : 1;
    return x->clip < y->clip ? -1 : x->clip > y->clip;
}

static u32 uses_find(const GltfModel* g, const ModelSkins* skins, const ModelProperties* properties,
                     const ModelTops* tops, Use* uses) {
    u32 count = 0;
    for (u32 i = 0; i < g->node_count; i++) {
        const u32 top = tops->of_node[i];
        if (skins->mover[i] != NONE && !is_bone(skins, i))
            uses[count++] = (Use){top, skins->mover[i]};
        for (u32 p = 0; p < MODEL_PROPERTIES; p++) {
            const u32 object = model_property_object(&g->nodes[i], p);
            const u32 clip = object == NONE ? NONE : properties->clip[p][object];
            if (clip != NONE) uses[count++] = (Use){top, clip};
        }
    }
    return count;
}

ModelAnimators model_animators_find(const GltfModel* g, const ModelSkins* skins,
                                    const ModelProperties* properties, const ModelTops* tops,
                                    Arena* arena) {
    ModelAnimators out = {NULL, ARENA_NEW(arena, u32, (size_t)tops->count + 1),
                          ARENA_NEW(arena, u32, g->node_count)};
    Use* uses = memory_alloc(sizeof *uses * ((size_t)g->node_count * (1 + MODEL_PROPERTIES) + 1));
    const u32 found = uses_find(g, skins, properties, tops, uses);
    u32       count = 0;
    if (found) qsort(uses, found, sizeof *uses, use_order);
    for (u32 i = 0; i < found; i++)
        if (i == 0 || use_order(&uses[i - 1], &uses[i]) != 0) uses[count++] = uses[i];
    out.clip = ARENA_NEW(arena, u32, count);
    for (u32 i = 0; i < count; i++) {
        out.clip[i] = uses[i].clip;
        out.first[uses[i].top + 1] = i + 1;
    }
    for (u32 i = 0; i < tops->count; i++) out.first[i + 1] = MAX_OF(out.first[i], out.first[i + 1]);
    for (u32 i = 0; i < g->node_count; i++)
        out.node[i] = is_bone(skins, i) ? NONE : skins->mover[i];
    memory_free(uses);
    return out;
}

u32 model_animator_find(const ModelAnimators* animators, u32 top, u32 clip) {
    const u32 first = animators->first[top];
    Search    s = search_between(first, animators->first[top + 1]);
    while (search_continues(&s)) search_narrow(&s, animators->clip[s.middle] < clip);
    assert(s.first < animators->first[top + 1] && animators->clip[s.first] == clip);
    return s.first - first;
}
