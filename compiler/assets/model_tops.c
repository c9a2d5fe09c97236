/* model_tops.c - splits a model into entities: by its root objects, or by collections, to which properties of these assign
 * them. */
#include "model_tops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clip.h"
#include "diag.h"
#include "diag_print.h"
#include "model_axes.h"
#include "hash.h"
#include "slots.h"
#include "transform.h"

#define COLLECTION        "collection"
#define COLLECTION_OFFSET "collection.offset"

/* --- properties --- */

const GltfProperty* model_property_find(const GltfExtras* extras, const char* key) {
    for (u32 i = 0; i < extras->count; i++)
        if (strcmp(extras->properties[i].key, key) == 0) return &extras->properties[i];
    return NULL;
}

bool model_property_is_structure(const GltfProperty* p) {
    static const char* const keys[] = {"prefab", "group", COLLECTION, COLLECTION_OFFSET};
    for (u32 i = 0; i < COUNT_OF(keys); i++)
        if (strcmp(p->key, keys[i]) == 0) return true;
    return false;
}

typedef struct Finder {
    const Model*  model;
    const Source* source;
    Arena*        arena;
    Diagnostics*  diag;
    ModelTops     tops;
    u32           capacity;
    Slots         slots; /* of the tops of collections, by name */
} Finder;

static void property_error(Finder* f, DiagCode code, const GltfNode* node, const GltfProperty* p,
                           const char* reason) {
    char object[GLTF_OBJECT_BYTES], path[GLTF_PATH_BYTES];
    snprintf(path, sizeof path, "nodes[%u].extras.%.64s", node->source, p->key);
    diag_error(f->diag, code, f->source, p->offset, 1, "%s %s",
               gltf_object_print(object, path, node->name), reason);
}

#define OFFSET_MAX_M 1e9

/* Reads "[1, 2, 3]"; false: it is something else. */
static bool vector_read(Arena* arena, Text text, f32 out[3]) {
    const Source source =
        source_of("", arena_text(arena, text), text.bytes); /* it ends with a NUL */
    Diagnostics* ignored = diag_create();
    JsonTokens   tokens;
    u32          count = 0;
    if (json_tokens_open(&tokens, &source, ignored) &&
        json_token_is(json_tokens_root(&tokens), JSON_ARRAY)) {
        const JsonToken* item = json_first(json_tokens_root(&tokens));
        for (; item && json_token_is(item, JSON_NUMBER) && count < 4; item = json_next(item)) {
            const f64 number = json_token_number(item);
            if (fabs(number) > OFFSET_MAX_M) break;
            if (count < 3) out[count] = (f32)number;
            count++;
        }
        if (item) count = 4;
    }
    json_tokens_close(&tokens);
    diag_destroy(ignored);
    return count == 3;
}

/* --- tops --- */

static u32 top_add(Finder* f, ModelTop top) {
    if (f->tops.count == f->capacity) {
        ModelTop* more = ARENA_NEW(f->arena, ModelTop, f->capacity * 2 + 8);
        if (f->tops.count) memcpy(more, f->tops.at, sizeof *more * f->tops.count);
        f->tops.at = more;
        f->capacity = f->capacity * 2 + 8;
    }
    f->tops.at[f->tops.count] = top;
    return f->tops.count++;
}

static Vec3 position_of(const Finder* f, u32 root) { return f->model->gltf.locals[root].position; }

/* A frame has no properties: its node, which comes next, has those of the object. */
static const GltfNode* object_of(const Finder* f, u32 root) {
    const GltfNode* node = &f->model->gltf.nodes[root];
    return node->is_frame ? node + 1 : node;
}

static u32* collection_slot(const Finder* f, const char* name) {
    u32* slot = slots_first(&f->slots, hash_bytes(name, strlen(name), 0));
    while (*slot && strcmp(f->tops.at[*slot - 1].name, name) != 0)
        slot = slots_next(&f->slots, slot);
    return slot;
}

static void slots_fill(Finder* f) {
    slots_grow(&f->slots, 64);
    for (u32 i = 1; i < f->tops.count; i++) *collection_slot(f, f->tops.at[i].name) = i + 1;
}

/* Where a collection begins: the first of its objects whose property says so decides. */
static void collection_place(Finder* f, u32 root, ModelTop* top) {
    const GltfNode*     node = object_of(f, root);
    const GltfProperty* p = model_property_find(&node->extras, COLLECTION_OFFSET);
    f32                 at[3];
    if (!p) return;
    if (!vector_read(f->arena, p->value, at)) {
        property_error(f, E0202, node, p,
                       "must be an array of three numbers from -1e9 to 1e9, a position in m");
        return;
    }
    const Vec3 stated = {at[0], at[1], at[2]};
    const Vec3 place = model_axes_are_z_up(f->model) ? axes_vec3(stated) : stated;
    if (top->is_placed && memcmp(&top->place, &place, sizeof place) != 0)
        property_error(f, E0206, node, p,
                       "differs from that of another object of the collection; all of them must "
                       "have the same one");
    if (!top->is_placed) top->place = place;
    top->is_placed = true;
}

/* The top of a root object in a collection; 0: it is in none. */
static u32 collection_top(Finder* f, u32 root) {
    const GltfNode*     node = object_of(f, root);
    const GltfProperty* p = model_property_find(&node->extras, COLLECTION);
    if (!p) return 0;
    if (!p->text || !*p->text) {
        property_error(f, E0202, node, p, "must be the name of a collection, such as \"crate\"");
        return 0;
    }
    if (slots_are_full(&f->slots, f->tops.count)) slots_fill(f);
    u32* slot = collection_slot(f, p->text);
    if (!*slot)
        *slot = 1 + top_add(f, (ModelTop){.name = p->text,
                                          .root = root,
                                          .place = position_of(f, root),
                                          .is_added = true});
    collection_place(f, root, &f->tops.at[*slot - 1]);
    return *slot - 1;
}

/* Is a skin attached to the node, or a joint of one? Poses are relative to an entity that has no place of its own. */
static bool* bones_find(const GltfModel* g, const u32* top, u32 tops, Arena* arena) {
    bool* out = ARENA_NEW(arena, bool, tops);
    for (u32 i = 0; i < g->node_count; i++) {
        const GltfNode* node = &g->nodes[i];
        if (node->skin == NONE || node->mesh == NONE) continue;
        const GltfSkin* skin = &g->skins[node->skin];
        out[top[i]] = true;
        for (u32 k = 0; k < skin->joint_count; k++) out[top[skin->joints[k]]] = true;
    }
    return out;
}

/* An animation sets the pose of an object relative to the entity above it, which instances place. */
static void animated_add(const GltfModel* g, const u32* top, bool* is_added) {
    for (u32 i = 0; i < g->clip_count; i++)
        for (u32 k = 0; k < g->clips[i].track_count; k++) {
            const u32 node = g->clips[i].tracks[k].node;
            if (g->nodes[node].parent == NONE) is_added[top[node]] = true;
        }
}

static void instance_add(const Finder* f, u32 node, bool* is_added) {
    const u32 top = f->tops.of_node[node], root = f->tops.at[top].root;
    if (root != NONE && model_property_find(&f->model->gltf.nodes[root].extras, "prefab"))
        is_added[top] = true;
}

/* The animators of an object would take the place of those of the prefab that it instances. */
static void instances_add(const Finder* f, bool* is_added) {
    const GltfModel* g = &f->model->gltf;
    for (u32 i = 0; i < g->clip_count; i++) {
        const GltfClip* clip = &g->clips[i];
        for (u32 k = 0; k < clip->track_count; k++) instance_add(f, clip->tracks[k].node, is_added);
        for (u32 node = 0; node < g->node_count && clip->property_count; node++)
            if (g->nodes[node].light != NONE || g->nodes[node].camera != NONE)
                instance_add(f, node, is_added);
    }
}

static void roots_find(Finder* f) {
    const GltfModel* g = &f->model->gltf;
    for (u32 i = 0; i < g->node_count; i++) {
        const GltfNode* node = &g->nodes[i];
        u32*            top = &f->tops.of_node[i];
        if (node->parent != NONE)
            *top = f->tops.of_node[node->parent];
        else if (f->model->settings.split == SPLIT_COLLECTIONS)
            *top = collection_top(f, i);
        else
            *top = top_add(
                f, (ModelTop){.name = node->name,
                              .root = i,
                              .place = f->tops.is_split ? position_of(f, i) : (Vec3){0, 0, 0}});
    }
    if (f->model->settings.split == SPLIT_COLLECTIONS) return;
    bool* is_added = bones_find(g, f->tops.of_node, f->tops.count, f->arena);
    if (f->tops.is_split) animated_add(g, f->tops.of_node, is_added);
    if (f->tops.is_level || f->tops.is_split) instances_add(f, is_added);
    for (u32 i = f->tops.is_split; i < f->tops.count; i++) f->tops.at[i].is_added = is_added[i];
}

static const char* object_name(const Finder* f, u32 node, char out[GLTF_OBJECT_BYTES]) {
    const GltfNode* n = &f->model->gltf.nodes[node];
    char            path[GLTF_PATH_BYTES];
    snprintf(path, sizeof path, "nodes[%u]", n->source);
    return gltf_object_print(out, path, n->name);
}

/* A mesh and the joints that move it belong to one part, whose place both are relative to. */
static void skins_check(Finder* f) {
    const GltfModel* g = &f->model->gltf;
    char             mesh[GLTF_OBJECT_BYTES], joint[GLTF_OBJECT_BYTES];
    for (u32 i = 0; i < g->node_count; i++) {
        if (g->nodes[i].mesh == NONE || g->nodes[i].skin == NONE) continue;
        const GltfSkin* skin = &g->skins[g->nodes[i].skin];
        u32             k = 0;
        while (k < skin->joint_count && f->tops.of_node[skin->joints[k]] == f->tops.of_node[i]) k++;
        if (k == skin->joint_count) continue;
        diag_error(f->diag, E0407, f->source, g->nodes[i].offset, 1,
                   "%s is moved by %s, which \"split\" puts into another entity; make one of their "
                   "root objects the parent of the other, or put both into one collection",
                   object_name(f, i, mesh), object_name(f, skin->joints[k], joint));
    }
}

ModelTops model_tops_find(const Model* model, ResourceType kind, const Source* source, Arena* arena,
                          Diagnostics* diag) {
    Finder f = {.model = model, .source = source, .arena = arena, .diag = diag};
    f.tops.of_node = ARENA_NEW(arena, u32, model->gltf.node_count);
    f.tops.is_level = kind == RESOURCE_LEVEL;
    f.tops.is_split = !f.tops.is_level && model->settings.split != SPLIT_NONE;
    if (!f.tops.is_level) top_add(&f, (ModelTop){.name = "", .root = NONE, .is_added = true});
    if (f.tops.is_level || f.tops.is_split) roots_find(&f);
    if (f.tops.is_split) skins_check(&f);
    slots_drop(&f.slots);
    return f.tops;
}

/* --- places --- */

static void keys_place(GltfTrack* track, Vec3 place) {
    const bool cubic = track->interpolation == CLIP_CUBIC; /* tangents stay as they are */
    for (u32 i = 0; i < track->key_count; i++) {
        f32* value = track->values + (size_t)i * (cubic ? 9 : 3) + (cubic ? 3 : 0);
        value[0] -= place.x;
        value[1] -= place.y;
        value[2] -= place.z;
    }
}

void model_tops_place(const ModelTops* tops, GltfModel* g) {
    if (!tops->is_split) return;
    for (u32 i = 0; i < g->node_count; i++) {
        const Vec3* place = &tops->at[tops->of_node[i]].place;
        Vec3*       at = &g->locals[i].position;
        if (g->nodes[i].parent != NONE) continue;
        *at = (Vec3){at->x - place->x, at->y - place->y, at->z - place->z};
    }
    for (u32 i = 0; i < g->clip_count; i++)
        for (u32 k = 0; k < g->clips[i].track_count; k++) {
            GltfTrack* track = &g->clips[i].tracks[k];
            if (track->channel == CLIP_TRANSLATION && g->nodes[track->node].parent == NONE)
                keys_place(track, tops->at[tops->of_node[track->node]].place);
        }
}
