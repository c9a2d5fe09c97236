/* model_properties.c - which clip animates a light or camera of a model. */
#include "model_properties.h"

#include <stdlib.h>

#include "camera.h"
#include "clip.h"
#include "diag.h"
#include "hash.h"
#include "light.h"
#include "model_names.h"
#include "model_skins.h"

u32 model_property_object(const GltfNode* node, u32 property) {
    return property == CLIP_VERTICAL_FOV ? node->camera : node->light;
}

const f32* model_property_rest(const GltfModel* g, u32 property, u32 object) {
    if (property == CLIP_VERTICAL_FOV) return &g->cameras[object].vertical_fov_rad;
    return property == CLIP_LIGHT_COLOR ? &g->lights[object].color.x : &g->lights[object].intensity;
}

u32 model_property_id(const Model* model, u32 property, u32 object) {
    return (property == CLIP_VERTICAL_FOV ? model->camera_ids : model->light_ids)[object];
}

static u32 object_count(const GltfModel* g, u32 property) {
    return property == CLIP_VERTICAL_FOV ? g->camera_count : g->light_count;
}

/* --- the clip that is played --- */

/* Does a track keep the value at rest? */
static bool track_rests(const GltfModel* g, const GltfPropertyTrack* t) {
    const f32* rest = model_property_rest(g, t->property, t->object);
    const u32  words = CLIP_PROPERTY_WORDS(t->property);
    const bool cubic = t->interpolation == CLIP_CUBIC;
    bool       rests = true;
    for (u32 i = 0; i < t->key_count && rests; i++) {
        const f32* value = t->values + (size_t)i * words * (cubic ? 3 : 1) + (cubic ? words : 0);
        rests = model_values_rest(value, rest, words, 1);
        for (u32 k = 0; cubic && k < words; k++) /* its tangents */
            rests &= value[(i32)k - (i32)words] == 0 && value[k + words] == 0;
    }
    return rests;
}

static void clips_find(const GltfModel* g, ModelProperties* out) {
    for (u32 i = g->clip_count; i-- > 0;)
        for (u32 k = 0; k < g->clips[i].property_count; k++) {
            const GltfPropertyTrack* track = &g->clips[i].properties[k];
            if (!track_rests(g, track)) out->clip[track->property][track->object] = i;
        }
}

/* --- names --- */

/* A light or camera that a clip animates. */
typedef struct ObjectId {
    u32         id, offset;
    const char* name;
} ObjectId;

static int id_order(const void* a, const void* b) {
    const ObjectId *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void ids_compare(const ObjectId* at, u32 count, const char* kind, const Source* source,
                        Diagnostics* diag) {
    for (u32 i = 1; i < count; i++) {
        if (at[i].id != at[i - 1].id) continue;
        diag_error(diag, E0310, source, at[i].offset, 1,
                   "the %ss \"%s\" and \"%s\" have the same id 0x%08x; rename one of them", kind,
                   at[i - 1].name, at[i].name, at[i].id);
        diag_note(diag, source, at[i - 1].offset, 1, "the other %s is here", kind);
    }
}

/* The ids of the unique names of those that are animated. */
static u32* ids_make(const GltfNamed* names, u32 count, const bool* is_animated, const char* kind,
                     const Source* source, Arena* arena, Diagnostics* diag) {
    NameSet   unique = {0};
    ObjectId* at = ARENA_NEW(arena, ObjectId, count);
    u32*      ids = ARENA_NEW(arena, u32, count);
    u32       found = 0;
    for (u32 i = 0; i < count; i++) {
        if (!is_animated[i]) continue;
        const char* base = *names[i].text ? names[i].text : arena_print(arena, "%s_%u", kind, i);
        const char* name = name_unique(&unique, arena, 0, base);
        ids[i] = hash_name(text_of(name));
        at[found++] = (ObjectId){ids[i], names[i].offset, name};
    }
    if (found) qsort(at, found, sizeof *at, id_order);
    ids_compare(at, found, kind, source, diag);
    names_drop(&unique);
    return ids;
}

/* Which lights or cameras have a track? NULL: none. */
static const bool* animated_find(const GltfModel* g, bool cameras, u32 count, Arena* arena) {
    bool* out = NULL;
    for (u32 i = 0; i < g->clip_count; i++)
        for (u32 k = 0; k < g->clips[i].property_count; k++) {
            const GltfPropertyTrack* track = &g->clips[i].properties[k];
            if ((track->property == CLIP_VERTICAL_FOV) != cameras) continue;
            if (!out) out = ARENA_NEW(arena, bool, count);
            out[track->object] = true;
        }
    return out;
}

ModelProperties model_properties_find(Model* model, const Source* source, Arena* arena,
                                      Diagnostics* diag) {
    const GltfModel* g = &model->gltf;
    ModelProperties  out;
    for (u32 p = 0; p < MODEL_PROPERTIES; p++) {
        const u32 count = object_count(g, p);
        out.clip[p] = ARENA_NEW(arena, u32, count);
        for (u32 i = 0; i < count; i++) out.clip[p][i] = NONE;
    }
    const bool* lights = animated_find(g, false, g->light_count, arena);
    const bool* cameras = animated_find(g, true, g->camera_count, arena);
    if (lights)
        model->light_ids =
            ids_make(g->light_names, g->light_count, lights, "light", source, arena, diag);
    if (cameras)
        model->camera_ids =
            ids_make(g->camera_names, g->camera_count, cameras, "camera", source, arena, diag);
    clips_find(g, &out);
    return out;
}
