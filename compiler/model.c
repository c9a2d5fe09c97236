/* model.c - a glTF file becomes a doc of nodes with records, and a list of named resources. */
#include "model.h"

#include <errno.h>
#include <stdlib.h>

#include "assets.h"
#include "hash.h"
#include "mesh.h"
#include "sections.h"
#include "skin.h"

/* --- files beside the model --- */

typedef struct Beside {
    Assets* assets;
    Asset*  asset;
} Beside;

static const u8* beside_read(void* user, const char* uri, size_t* bytes, const char** why) {
    Beside*     beside = user;
    Assets*     assets = beside->assets;
    const char* path = beside->asset->source.path;
    const char* slash = strrchr(path, '/');
    char        real[4096];
    FileView    view;
    if (uri[0] == '/' || strstr(uri, "://")) {
        *why = "it must be a relative path below the asset folder";
        return NULL;
    }
    const char* whole = arena_print(&assets->arena, "%.*s%s", (int)(slash + 1 - path), path, uri);
    if (!path_resolve(whole, real, sizeof real)) {
        *why = "there is no such file";
        return NULL;
    }
    const size_t root = strlen(assets->root_real);
    if (strncmp(real, assets->root_real, root) != 0 || real[root] != '/') {
        *why = "it leads out of the asset folder";
        return NULL;
    }
    for (u32 i = 0; i < assets->views.count; i++) { /* several buffers may be one file */
        if (strcmp(assets->buffers.at[i], whole) != 0) continue;
        *bytes = assets->views.at[i].size;
        return assets->views.at[i].bytes;
    }
    if (file_map(&view, real) != ENT_OK) {
        *why = file_kind(real, true) != FILE_REGULAR
                   ? "it is not a regular file"
                   : arena_text(&assets->arena, text_of(strerror(errno)));
        return NULL;
    }
    *array_push(&assets->views) = view;
    *array_push(&assets->buffers) = whole;
    *bytes = view.size;
    return view.bytes;
}

/* --- names --- */

/* A name from the file as one segment of a resource's name. */
static const char* segment_of(Arena* arena, const char* name, const char* kind, u32 index) {
    char  fixed[256];
    char* flat = arena_text(arena, text_of(name));
    for (char* at = flat; *at; at++) {
        if (*at == '/' || *at == '\\') *at = '_';
    }
    name_is_canonical(text_of(flat), fixed);
    if (!fixed[0] || strlen(fixed) > 200) return arena_print(arena, "%s_%u", kind, index);
    return arena_text(arena, text_of(fixed));
}

static bool resource_taken(const Model* model, ResourceType type, const char* name) {
    for (u32 i = 0; i < model->resource_count; i++) {
        if (model->resources[i].type == type && strcmp(model->resources[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void resource_add(Arena* arena, Model* model, const Asset* asset, ResourceType type,
                         u32 index, const char* name) {
    const char* suffix = ent_resource_suffix(type);
    const char* segment = segment_of(arena, name, suffix, index);
    const char* whole = arena_print(arena, "%s/%s", asset->name, segment);
    for (u32 n = 2; resource_taken(model, type, whole); n++) {
        whole = arena_print(arena, "%s/%s_%u", asset->name, segment, n);
    }
    model->resources[model->resource_count++] =
        (ModelResource){type, index, whole, hash_resource(text_of(whole), suffix)};
}

static void resources_name(Arena* arena, Model* model, const Asset* asset) {
    const GltfModel* g = &model->gltf;
    model->resources = ARENA_NEW(arena, ModelResource,
                                 g->mesh_count + g->skin_count + g->clip_count + g->material_count);
    for (u32 i = 0; i < g->mesh_count; i++) {
        resource_add(arena, model, asset, RESOURCE_MESH, i, g->meshes[i].name);
    }
    for (u32 i = 0; i < g->skin_count; i++) {
        resource_add(arena, model, asset, RESOURCE_SKELETON, i, g->skins[i].name);
    }
    for (u32 i = 0; i < g->clip_count; i++) {
        resource_add(arena, model, asset, RESOURCE_CLIP, i, g->clips[i].name);
    }
    for (u32 i = 0; i < g->material_count; i++) {
        resource_add(arena, model, asset, RESOURCE_MATERIAL, i, g->materials[i].name);
    }
}

const ModelResource* model_resource(const Model* model, ResourceType type, u32 index) {
    for (u32 i = 0; i < model->resource_count; i++) {
        const ModelResource* r = &model->resources[i];
        if (r->type == type && r->index == index) return r;
    }
    return NULL;
}

/* An entity's name from a node's: what no path can hold becomes '_'. */
static const char* entity_name(Arena* arena, const GltfNode* node) {
    char* name = arena_text(arena, text_of(node->name));
    for (char* at = name; *at; at++) {
        if (*at == '/' || (u8)*at < 0x20 || *at == 0x7f) *at = '_';
    }
    if (name[0] == '#' || name[0] == '$') name[0] = '_';
    if (entity_name_fault(text_of(name))) return arena_print(arena, "node_%u", node->source);
    return name;
}

static bool sibling_taken(const Doc* doc, u32 parent, Text name) {
    for (u32 i = doc->nodes.at[parent].first_child; i != NONE; i = doc->nodes.at[i].next) {
        if (text_equal(doc_name(&doc->nodes.at[i]), name)) return true;
    }
    return false;
}

/* --- nodes --- */

typedef struct Builder {
    Assets* assets;
    Asset*  asset;
    Model*  model;
    u32     transform, mesh, skin, light, camera; /* types in the registry */
} Builder;

static u32 type_index(const Registry* registry, const char* name) {
    const u32 type = registry_find(registry, (JsonString){text_of(name), false});
    assert(type != NONE);
    return type;
}

static void record_add(Builder* b, u32 type, const void* record) {
    Doc* doc = &b->asset->doc;
    *array_push(&doc->components) = (DocComponent){(u16)type, DOC_RECORD, doc->records.count};
    *array_push(&doc->records) = record;
}

static const MeshRecord* mesh_record(Builder* b, u32 mesh) {
    MeshRecord* record = ARENA_NEW(&b->assets->arena, MeshRecord, 1);
    record->resource = resource_ref(model_resource(b->model, RESOURCE_MESH, mesh)->id);
    record->visible = 1;
    return record;
}

/* A skin plays the file's first clip; its pose is relative to our root, which is entity 0 here. */
static const SkinRecord* skin_record(Builder* b, u32 skin) {
    SkinRecord*          record = ARENA_NEW(&b->assets->arena, SkinRecord, 1);
    const ModelResource* clip = model_resource(b->model, RESOURCE_CLIP, 0);
    record->skeleton = resource_ref(model_resource(b->model, RESOURCE_SKELETON, skin)->id);
    if (clip) record->clip = resource_ref(clip->id);
    record->root = 0;
    record->speed = 1;
    return record;
}

static void node_components(Builder* b, const GltfNode* node, u32 index) {
    Doc*             doc = &b->asset->doc;
    const GltfModel* g = &b->model->gltf;
    const u32        first = doc->components.count;
    record_add(b, b->transform, &node->local);
    if (node->mesh != NONE) record_add(b, b->mesh, mesh_record(b, node->mesh));
    if (node->skin != NONE) record_add(b, b->skin, skin_record(b, node->skin));
    if (node->light != NONE) record_add(b, b->light, &g->lights[node->light]);
    if (node->camera != NONE) record_add(b, b->camera, &g->cameras[node->camera]);
    if (node->components) {
        Json json = json_open(&b->asset->source, node->components, b->assets->diag);
        u32  extra_first, extra_count = 0;
        doc_components_read(doc, &json, b->assets->registry, &extra_first, &extra_count);
    }
    doc->nodes.at[index].first_component = first;
    doc->nodes.at[index].component_count = (u16)(doc->components.count - first);
    doc->nodes.at[index].layered = 1; /* extras may speak of what is a record already */
}

static void node_add(Builder* b, const GltfNode* node) {
    Doc*        doc = &b->asset->doc;
    Arena*      arena = &b->assets->arena;
    const u32   parent = node->parent == NONE ? 0 : node->parent + 1;
    const char* base = entity_name(arena, node);
    const char* name = base;
    for (u32 n = 2; sibling_taken(doc, parent, text_of(name)); n++) {
        name = arena_print(arena, "%s_%u", base, n);
    }
    const u32 index = doc_node_add(doc, parent);
    doc->nodes.at[index].name_at = name;
    doc->nodes.at[index].name_bytes = (u32)strlen(name);
    doc->nodes.at[index].offset = node->offset;
    node_components(b, node, index);
}

static void nodes_build(Builder* b) {
    static const TransformRecord identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    Doc*                         doc = &b->asset->doc;
    const GltfModel*             g = &b->model->gltf;
    *doc = (Doc){.source = &b->asset->source, .first_root = NONE, .last_root = NONE};
    doc_node_add(doc, NONE);
    record_add(b, b->transform, &identity);
    doc->nodes.at[0].component_count = 1;
    for (u32 i = 0; i < g->node_count; i++) node_add(b, &g->nodes[i]);
}

/* --- paths of nodes, by which joints and tracks find each other --- */

static const char* node_path(Arena* arena, const Doc* doc, u32 index) {
    const DocNode* node = &doc->nodes.at[index];
    const char*    name = arena_text(arena, doc_name(node));
    for (u32 at = node->parent; at != 0; at = doc->nodes.at[at].parent) {
        const Text above = doc_name(&doc->nodes.at[at]);
        name = arena_print(arena, "%.*s/%s", (int)above.bytes, above.at, name);
    }
    return name;
}

typedef struct PathId {
    u32 id, node;
} PathId;

static int path_order(const void* a, const void* b) {
    const PathId *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->node < y->node ? -1 : 1;
}

static void paths_hash(Builder* b) {
    const GltfModel* g = &b->model->gltf;
    const Doc*       doc = &b->asset->doc;
    Arena            scratch = {0};
    PathId*          ids = ARENA_NEW(&scratch, PathId, g->node_count + 1);
    b->model->node_path = ARENA_NEW(&b->assets->arena, u32, g->node_count + 1);
    for (u32 i = 0; i < g->node_count; i++) {
        Arena path = {0};
        ids[i] = (PathId){hash_name(text_of(node_path(&path, doc, i + 1))), i};
        b->model->node_path[i] = ids[i].id;
        arena_drop(&path);
    }
    qsort(ids, g->node_count, sizeof *ids, path_order);
    for (u32 i = 1; i < g->node_count; i++) {
        if (ids[i].id != ids[i - 1].id) continue;
        diag_error(b->assets->diag, E0310, &b->asset->source, g->nodes[ids[i].node].offset, 1,
                   "the nodes \"%s\" and \"%s\" have the same id 0x%08x; rename one of them",
                   node_path(&scratch, doc, ids[i - 1].node + 1),
                   node_path(&scratch, doc, ids[i].node + 1), ids[i].id);
        diag_note(b->assets->diag, &b->asset->source, g->nodes[ids[i - 1].node].offset, 1,
                  "the other one stands here");
    }
    arena_drop(&scratch);
}

bool model_read(Assets* assets, Asset* asset) {
    Builder         b = {.assets = assets, .asset = asset};
    Beside          beside = {assets, asset};
    const u32       errors = diag_error_count(assets->diag);
    const GltfFiles files = {beside_read, &beside};
    b.model = asset->model = ARENA_NEW(&assets->arena, Model, 1);
    if (!gltf_read(&b.model->gltf, &asset->source, asset->form == ASSET_GLB, &files, &assets->arena,
                   assets->diag)) {
        return false;
    }
    asset->source = b.model->gltf.json;
    b.transform = type_index(assets->registry, "transform");
    b.mesh = type_index(assets->registry, "mesh");
    b.skin = type_index(assets->registry, "skin");
    b.light = type_index(assets->registry, "light");
    b.camera = type_index(assets->registry, "camera");
    resources_name(&assets->arena, b.model, asset);
    nodes_build(&b);
    paths_hash(&b);
    return diag_error_count(assets->diag) == errors;
}
