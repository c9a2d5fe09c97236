/* model_names.c - the names of the resources in a model, which depend on their names in the file and not
 * on their order, except for those that are equal there. */
#include "model_names.h"

#include "assets.h"
#include "diag_print.h"
#include "model_tops.h"

#include <stdio.h>
#include <stdlib.h>

#include "asset_name.h"
#include "diag.h"
#include "hash.h"
#include "search.h"
#include "sections.h"

/* --- unique names --- */

static u32* name_slot(const NameSet* set, u32 group, Text text) {
    u32* slot = slots_first(&set->slots, hash_bytes(text.at, text.bytes, group));
    for (; *slot; slot = slots_next(&set->slots, slot)) {
        const Name* name = &set->names.at[*slot - 1];
        if (name->group == group && text_equal(name->text, text)) break;
    }
    return slot;
}

/* Returns the row of the name; `is_new` is set when it is new. */
static Name* name_add(NameSet* set, u32 group, const char* text, bool* is_new) {
    if (slots_are_full(&set->slots, set->names.count)) {
        slots_grow(&set->slots, 64);
        for (u32 i = 0; i < set->names.count; i++) {
            *name_slot(set, set->names.at[i].group, set->names.at[i].text) = i + 1;
        }
    }
    u32* slot = name_slot(set, group, text_of(text));
    *is_new = !*slot;
    if (*is_new) {
        *array_push(&set->names) = (Name){group, 2, text_of(text)};
        *slot = set->names.count;
    }
    return &set->names.at[*slot - 1];
}

/* The name with a number at its end, which may take the place of the last characters of a long one. */
static const char* name_numbered(Arena* arena, const char* base, u32 number) {
    char       end[16];
    size_t     kept = strlen(base);
    const u32  bytes = (u32)snprintf(end, sizeof end, "_%u", number);
    const bool is_long = kept + bytes > NAME_BYTES_MAX;
    if (is_long) kept = NAME_BYTES_MAX - bytes;
    while (is_long && kept && ((u8)base[kept] & 0xc0) == 0x80) kept--; /* within a character */
    return arena_print(arena, "%.*s%s", (int)kept, base, end);
}

const char* name_unique(NameSet* set, Arena* arena, u32 group, const char* base) {
    bool        is_new;
    const char* name = base;
    Name*       first = name_add(set, group, base, &is_new);
    const u32   row = (u32)(first - set->names.at);
    while (!is_new) {
        name = name_numbered(arena, base, set->names.at[row].next++);
        name_add(set, group, name, &is_new);
    }
    return name;
}

void names_drop(NameSet* set) {
    array_drop(&set->names);
    slots_drop(&set->slots);
}

/* --- the names of the file --- */

/* An object of the file that becomes a resource. */
typedef struct Named {
    ResourceType type;
    u32          index, offset;
    const char*  name;
    const char*  segment; /* of the name of the resource */
} Named;

typedef struct NamedList {
    Named* at; /* [count] */
    u32    count;
    Slots  slots; /* the first row of each segment, by type and segment */
} NamedList;

static void named_add(NamedList* list, ResourceType type, u32 index, u32 offset, const char* name) {
    list->at[list->count++] = (Named){type, index, offset, name, NULL};
}

static void named_find(NamedList* list, const GltfModel* g, const ModelTops* tops) {
    for (u32 i = 0; i < g->mesh_count; i++)
        named_add(list, RESOURCE_MESH, i, g->meshes[i].offset, g->meshes[i].name);
    for (u32 i = 0; i < g->skin_count; i++)
        named_add(list, RESOURCE_SKELETON, i, g->skins[i].offset, g->skins[i].name);
    for (u32 i = 0; i < g->clip_count; i++)
        named_add(list, RESOURCE_CLIP, i, g->clips[i].offset, g->clips[i].name);
    for (u32 i = 0; i < g->material_count; i++)
        named_add(list, RESOURCE_MATERIAL, i, g->materials[i].offset, g->materials[i].name);
    for (u32 i = 0; i < g->texture_count; i++)
        named_add(list, RESOURCE_TEXTURE, i, g->textures[i].offset, g->textures[i].name);
    for (u32 i = 0; i < model_part_count(tops); i++) {
        const ModelTop* part = &tops->at[i + 1];
        named_add(list, RESOURCE_ENTITY, i, g->nodes[part->root].offset, part->name);
    }
}

static const char* segment_of(Arena* arena, const Named* n, bool distinct) {
    char fixed[NAME_SEGMENT_BYTES + 1];
    if (!name_fix_segment(text_of(n->name), distinct, fixed))
        return arena_print(arena, "%s_%u", ent_resource_suffix(n->type), n->index);
    return arena_text(arena, text_of(fixed));
}

/* Finds out which segments belong to different names: those that are not ASCII are distinguished by their
 * hashes, so that they do not depend on the order of the file. */
static void segments_find(NamedList* list, Arena* arena) {
    bool* shared = memory_alloc(list->count + 1);
    u32*  first = memory_alloc(sizeof(u32) * ((size_t)list->count + 1));
    slots_alloc(&list->slots, slots_needed(list->count, 64));
    for (u32 i = 0; i < list->count; i++) {
        Named* n = &list->at[i];
        n->segment = segment_of(arena, n, false);
        u32* slot = slots_first(&list->slots, hash_bytes(n->segment, strlen(n->segment), n->type));
        for (; *slot; slot = slots_next(&list->slots, slot)) {
            const Named* other = &list->at[*slot - 1];
            if (other->type == n->type && strcmp(other->segment, n->segment) == 0) break;
        }
        if (!*slot) *slot = i + 1;
        first[i] = *slot - 1;
        shared[first[i]] |= strcmp(list->at[first[i]].name, n->name) != 0;
    }
    for (u32 i = 0; i < list->count; i++) {
        Named* n = &list->at[i];
        if (shared[first[i]] && name_is_foreign(text_of(n->name)))
            n->segment = segment_of(arena, n, true);
    }
    memory_free(shared);
    memory_free(first);
    slots_drop(&list->slots);
}

static void name_remark(Arena* arena, GltfModel* g, const Named* n, const ModelResource* r) {
    GltfRemark* remark = gltf_remark_add(g->remarks, REMARK_RESOURCES, "", arena);
    if (!remark) return;
    remark->offset = n->offset;
    remark->bytes = 1;
    char name[DIAG_NAME_BYTES];
    remark->text =
        arena_print(arena,
                    "the name %s is changed: the resource is \"%s.%s\", because names of "
                    "resources contain only a-z, 0-9, '_' and '-'",
                    diag_name(name, n->name), r->name, ent_resource_suffix(r->type));
}

/* References to the second part would be ambiguous. */
static void twin_report(const Asset* asset, Diagnostics* diag, const NamedList* list,
                        const Named* second, const char* resource) {
    const Named* first = second - 1;
    char         name[2][DIAG_NAME_BYTES];
    while (first > list->at &&
           (first->type != second->type || strcmp(first->segment, second->segment) != 0))
        first--;
    diag_error(diag, E0303, &asset->source, second->offset, 1,
               "%s and %s would both be the entity \"%s\"; rename one of them",
               diag_name(name[0], first->name), diag_name(name[1], second->name), resource);
    diag_note(diag, &asset->source, first->offset, 1, "the other one is here");
}

/* Others refer to a part by its name, so that no number can take the place of one that is not valid. */
static void part_check(const Asset* asset, Diagnostics* diag, const Named* n) {
    char fixed[NAME_SEGMENT_BYTES + 1], name[DIAG_NAME_BYTES];
    if (name_fix_segment(text_of(n->name), false, fixed)) return;
    diag_error(
        diag, E0301, &asset->source, n->offset, 1,
        *n->name
            ? "the name %s cannot be that of a prefab: it must contain a letter or a digit, and "
              "not be longer than %u bytes"
            : "this object has no name%s, of which \"split\" would make that of a prefab",
        *n->name ? diag_name(name, n->name) : "", NAME_SEGMENT_BYTES);
}

/* --- resources --- */

typedef struct ResourceId {
    u64 id;
    u32 row;
} ResourceId;

static int id_order(const void* a, const void* b) {
    const ResourceId *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->row < y->row ? -1 : 1;
}

static void resources_sort(Arena* arena, Model* model) {
    ResourceId* ids = memory_alloc(sizeof(ResourceId) * ((size_t)model->resource_count + 1));
    model->by_id = ARENA_NEW(arena, u32, model->resource_count + 1);
    for (u32 i = 0; i < model->resource_count; i++) {
        ids[i] = (ResourceId){model->resources[i].id, i};
    }
    qsort(ids, model->resource_count, sizeof *ids, id_order);
    for (u32 i = 0; i < model->resource_count; i++) model->by_id[i] = ids[i].row;
    memory_free(ids);
}

/* The first place in by_id whose id is not less. */
static u32 id_place(const Model* model, u64 id) {
    Search s = search_between(0, model->resource_count);
    while (search_continues(&s)) {
        search_narrow(&s, model->resources[model->by_id[s.middle]].id < id);
    }
    return s.first;
}

const ModelResource* model_find(const Model* model, u64 id) {
    const u32 at = id_place(model, id);
    if (at == model->resource_count) return NULL;
    const ModelResource* r = &model->resources[model->by_id[at]];
    return r->id == id ? r : NULL;
}

/* Also if two resources have the same id, which is reported elsewhere. */
const ModelResource* model_named(const Model* model, Text name, ResourceType type) {
    const u64 id = hash_resource(name, ent_resource_suffix(type));
    for (u32 at = id_place(model, id); at < model->resource_count; at++) {
        const ModelResource* r = &model->resources[model->by_id[at]];
        if (r->id != id) return NULL;
        if (r->type == type && text_equal(text_of(r->name), name)) return r;
    }
    return NULL;
}

/* The materials of meshes that are being listed. */
typedef struct MaterialList {
    u32 *at, *stamp; /* stamp: [material_count] the last mesh that has it, + 1 */
    u32  count;
} MaterialList;

static void materials_add(MaterialList* list, const GltfMesh* mesh, u32 stamp) {
    for (u32 k = 0; k < mesh->primitive_count; k++) {
        const u32 material = mesh->primitives[k].material;
        if (material == NONE || list->stamp[material] == stamp) continue;
        list->stamp[material] = stamp;
        list->at[list->count++] = material;
    }
}

/* Also of the levels of detail that are other meshes. */
static u32 primitives_count(const GltfMesh* mesh) {
    u32 count = mesh->primitive_count;
    for (u32 i = 0; i < mesh->level_count; i++) count += mesh->levels[i].mesh.primitive_count;
    return count;
}

/* What is known of the materials of meshes when the bytes of the model were given up. */
static void materials_list(Arena* arena, Model* model) {
    const GltfModel* g = &model->gltf;
    MaterialList     list = {0};
    for (u32 i = 0; i < g->mesh_count; i++) list.count += primitives_count(&g->meshes[i]);
    list.at = model->mesh_material = ARENA_NEW(arena, u32, list.count);
    list.stamp = memory_alloc(sizeof(u32) * ((size_t)g->material_count + 1));
    list.count = 0;
    model->mesh_first = ARENA_NEW(arena, u32, (size_t)g->mesh_count + 1);
    model->material_names = ARENA_NEW(arena, const char*, g->material_count);
    for (u32 i = 0; i < g->material_count; i++)
        model->material_names[i] = arena_text(arena, text_of(g->materials[i].name));
    for (u32 i = 0; i < g->mesh_count; i++) {
        materials_add(&list, &g->meshes[i], i + 1);
        for (u32 k = 0; k < g->meshes[i].level_count; k++)
            materials_add(&list, &g->meshes[i].levels[k].mesh, i + 1);
        model->mesh_first[i + 1] = list.count;
    }
    memory_free(list.stamp);
}

void model_resources_name(Asset* asset, Diagnostics* diag) {
    Arena*     arena = &asset->content->arena;
    Model*     model = asset->content->model;
    GltfModel* g = &model->gltf;
    NameSet    names = {0};
    NamedList  list = {0};
    const u64  max = (u64)g->mesh_count + g->skin_count + g->clip_count + g->material_count +
                    g->texture_count + model_part_count(model->tops);
    list.at = memory_alloc(sizeof(Named) * (size_t)(max + 1));
    named_find(&list, g, model->tops);
    segments_find(&list, arena);
    model->resources = ARENA_NEW(arena, ModelResource, list.count);
    for (u32 i = 0; i < list.count; i++) {
        const Named*   n = &list.at[i];
        ModelResource* r = &model->resources[model->resource_count++];
        const char*    base = arena_print(arena, "%s/%s", asset->name, n->segment);
        const char*    full = name_unique(&names, arena, n->type, base);
        if (n->type == RESOURCE_ENTITY && full != base) twin_report(asset, diag, &list, n, base);
        if (n->type == RESOURCE_ENTITY) part_check(asset, diag, n);
        *r = (ModelResource){n->type, n->index, full,
                             hash_resource(text_of(full), ent_resource_suffix(n->type))};
        if (name_is_foreign(text_of(n->name))) name_remark(arena, g, n, r);
    }
    names_drop(&names);
    memory_free(list.at);
    resources_sort(arena, model);
    materials_list(arena, model);
}

const ModelResource* model_resource(const Model* model, ResourceType type, u32 index) {
    const GltfModel* g = &model->gltf;
    u32              first = 0; /* in the order of named_find */
    if (type > RESOURCE_MESH) first += g->mesh_count;
    if (type > RESOURCE_SKELETON) first += g->skin_count;
    if (type > RESOURCE_CLIP) first += g->clip_count;
    if (type > RESOURCE_MATERIAL) first += g->material_count;
    if (type == RESOURCE_ENTITY) first = model->resource_count - model_part_count(model->tops);
    const ModelResource* r = &model->resources[first + index];
    assert(first + index < model->resource_count && r->type == type && r->index == index);
    return r;
}
