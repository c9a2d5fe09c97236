/* model_properties.c - which clip animates a light or camera of a model. */
#include "model_properties.h"

#include <math.h>
#include <stdlib.h>

#include "camera.h"
#include "clip.h"
#include "diag.h"
#include "hash.h"
#include "light.h"
#include "model_names.h"

#define REST_TOLERANCE 1e-5f /* relative to the larger of the numbers or 1 */

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

static bool number_rests(f32 value, f32 rest) {
    return fabsf(value - rest) <= REST_TOLERANCE * MAX_OF(1.0f, MAX_OF(fabsf(value), fabsf(rest)));
}

/* Does a track keep the value at rest? */
static bool track_rests(const GltfModel* g, const GltfPropertyTrack* t) {
    const f32* rest = model_property_rest(g, t->property, t->object);
    const u32  words = CLIP_PROPERTY_WORDS(t->property);
    const bool cubic = t->interpolation == CLIP_CUBIC;
    bool       rests = true;
    for (u32 i = 0; i < t->key_count && rests; i++) {
        const f32* value = t->values + (size_t)i * words * (cubic ? 3 : 1) + (cubic ? words : 0);
        for (u32 k = 0; k < words; k++) rests &= number_rests(value[k], rest[k]);
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

typedef struct ObjectId {
    u32         id;
    const char* name;
} ObjectId;

static int id_order(const void* a, const void* b) {
    const ObjectId *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The ids of the names, which are made unique. */
static u32* ids_make(const char* const* names, u32 count, const char* kind, const Source* source,
                     Arena* arena, Diagnostics* diag) {
    NameSet   unique = {0};
    ObjectId* at = ARENA_NEW(arena, ObjectId, count);
    u32*      ids = ARENA_NEW(arena, u32, count);
    for (u32 i = 0; i < count; i++) {
        const char* base = *names[i] ? names[i] : arena_print(arena, "%s_%u", kind, i);
        at[i].name = name_unique(&unique, arena, 0, base);
        at[i].id = ids[i] = hash_name(text_of(at[i].name));
    }
    if (count) qsort(at, count, sizeof *at, id_order);
    for (u32 i = 1; i < count; i++)
        if (at[i].id == at[i - 1].id)
            diag_error(diag, E0310, source, 0, 1,
                       "the %ss \"%s\" and \"%s\" have the same id 0x%08x; rename one of them",
                       kind, at[i - 1].name, at[i].name, at[i].id);
    names_drop(&unique);
    return ids;
}

static bool any_animated(const GltfModel* g) {
    bool any = false;
    for (u32 i = 0; i < g->clip_count && !any; i++) any = g->clips[i].property_count > 0;
    return any;
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
    if (!any_animated(g)) return out;
    model->light_ids = ids_make(g->light_names, g->light_count, "light", source, arena, diag);
    model->camera_ids = ids_make(g->camera_names, g->camera_count, "camera", source, arena, diag);
    clips_find(g, &out);
    return out;
}
