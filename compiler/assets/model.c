/* model.c - converts a glTF file into a doc of nodes with records and a list of named resources. */
#include "model.h"

#include <stdlib.h>

#include "diag.h"
#include "diag_print.h"
#include "model_builder.h"
#include "relative.h"

/* --- files beside the model --- */

typedef struct Reach {
    Assets* assets;
    Asset*  asset;
    Arena*  arena;
} Reach;

const Beside* model_beside(const Assets* assets, Asset* asset, const char* path) {
    const char* reason;
    DiagCode    code;
    return asset_beside_uri(assets, asset, &asset->content->arena, path, &reason, &code);
}

static const u8* beside_read(void* user, const char* uri, size_t* bytes, const char** reason,
                             DiagCode* code) {
    const Reach* reach = user;
    Asset*       asset = reach->asset;
    if (uri[0] == '/' || strstr(uri, "://")) {
        *reason = "it must be a relative path to a file in the asset folder";
        return NULL;
    }
    const char*   path = path_beside(reach->arena, asset->source.path, uri);
    const Beside* beside = asset_beside_uri(reach->assets, asset, reach->arena, path, reason, code);
    if (!beside) return NULL;
    *bytes = beside->view.size;
    return beside->view.bytes;
}

/* A path with a line break cannot be stored in the cache, and an invalid path cannot be stored in
 * the build database. */
static void beside_named(void* user, const char* uri) {
    const Reach* reach = user;
    Asset*       asset = reach->asset;
    const char*  path = path_beside(&asset->content->arena, asset->source.path, uri);
    const size_t root = strlen(reach->assets->root);
    if (strncmp(path, reach->assets->root, root) != 0 || path[root] != '/') return;
    if (path[root + 1] && strlen(path) < 4096 && !strchr(path, '\n'))
        *array_push(&asset->outline->named) = path + root + 1;
}

/* They are known already. */
static void beside_known(void* user, const char* uri) {
    UNUSED(user);
    UNUSED(uri);
}

bool model_read_again(Assets* assets, Asset* asset) {
    Arena*          arena = &asset->content->gltf_arena;
    Diagnostics*    diag = diag_create();
    Reach           reach = {assets, asset, arena};
    const GltfFiles files = {beside_read, beside_known, &reach};
    const Source    source = source_of(asset->source.path, (const char*)asset->content->view.bytes,
                                       (u32)asset->content->view.size);
    const Source    text = asset->content->model->gltf.json; /* diagnostics refer to it */
    GltfFile        file;
    const bool      is_valid = gltf_open(&file, &source, asset->form == ASSET_GLB, arena, diag) &&
                          gltf_read(&asset->content->model->gltf, &file, &files,
                                    &asset->content->model->naming, arena, diag);
    asset->content->model->gltf.json = text;
    if (is_valid) model_tops_place(asset->content->model->tops, &asset->content->model->gltf);
    gltf_close(&file);
    diag_destroy(diag);
    return is_valid;
}

/* Zeros need no bytes in the file, so their number is limited before any memory is allocated. */
static bool zeros_check(Assets* assets, Asset* asset, Diagnostics* diag) {
    const GltfCost* cost = &asset->outline->model_cost;
    if (cost->zero_bytes == 0) return true;
    const u64 all = __atomic_add_fetch(&assets->zero_bytes, cost->zero_bytes, __ATOMIC_RELAXED);
    if (all <= GLTF_ZERO_BYTES_MAX) return true;
    diag_error(diag, E0309, &asset->source, asset->form == ASSET_GLB ? 0 : cost->zero_offset, 1,
               "the accessors without a \"bufferView\" in this model need %llu bytes of zeros; the "
               "limit for all models together is %llu",
               (unsigned long long)cost->zero_bytes, (unsigned long long)GLTF_ZERO_BYTES_MAX);
    return false;
}

/* --- lights --- */

static bool says_shadows(const GltfExtras* extras) {
    for (u32 i = 0; i < extras->count; i++)
        if (strstr(extras->properties[i].key, "casts_shadow")) return true;
    return false;
}

/* glTF cannot say whether a light casts shadows. Reported once for a project: W0414. */
static void shadows_remark(const Model* model, Arena* arena) {
    const GltfModel* g = &model->gltf;
    u32              first = NONE;
    bool             is_said = model->lights_given;
    for (u32 i = 0; i < g->node_count; i++) {
        const u32 light = g->nodes[i].light;
        if (light == NONE) continue;
        first = MIN_OF(first, i);
        is_said |= says_shadows(&g->nodes[i].extras) || says_shadows(&g->light_extras[light]);
    }
    GltfRemark* remark =
        first == NONE || is_said ? NULL : gltf_remark_add(g->remarks, REMARK_SHADOWS, "", arena);
    if (!remark) return;
    remark->offset = g->nodes[first].offset;
    remark->bytes = 1;
    remark->text =
        "lights of models cast no shadows, unless NAME.model.json beside the model has "
        "\"lights\": { \"cast_shadows\": true }, or the data of a light a custom property "
        "casts_shadow; this is reported for one model only";
}

/* As in the field table of animated nodes. */
static bool animators_check(const ModelBuilder* b) {
    for (u32 top = 0; top < b->tops->count; top++) {
        const u32 first = b->animators.first[top], count = b->animators.first[top + 1] - first;
        if (count <= ANIMATORS_MAX) continue;
        const u32 clip = b->animators.clip[first + ANIMATORS_MAX];
        diag_error(b->diag, E0309, &b->asset->source, b->model->gltf.clips[clip].offset, 1,
                   "%u animations are the first that move a node, or change a light or camera; the "
                   "limit is %u",
                   count, ANIMATORS_MAX);
        return false;
    }
    return true;
}

/* Was it listed as what its settings make of it? */
static bool kind_check(Assets* assets, Asset* asset, Diagnostics* diag) {
    const bool is_level = asset->content->model->settings.as == AS_LEVEL;
    if (is_level == (asset->type == RESOURCE_LEVEL)) return true;
    __atomic_store_n(&assets->misled, true, __ATOMIC_RELAXED);
    diag_error(diag, E0107, &asset->source, 0, 1,
               "its settings were modified while the folder was being read; build again");
    return false;
}

bool model_read(Assets* assets, Asset* asset, Diagnostics* diag) {
    const Registry* registry = assets->registry;
    Arena*          arena = &asset->content->arena;
    ModelBuilder    b = {.registry = registry, .diag = diag, .asset = asset};
    Reach           reach = {assets, asset, arena};
    const u32       errors = diag_error_count(diag);
    const GltfFiles files = {beside_read, beside_named, &reach};
    if (!asset_model_open(assets, asset)) return false;
    if (!zeros_check(assets, asset, diag)) return false;
    b.model = asset->content->model = ARENA_NEW(arena, Model, 1);
    asset->content->doc = ARENA_NEW(arena, Doc, 1);
    const bool has_settings = model_settings_read(assets, asset, b.model, diag);
    diag_absorb(diag, asset->outline->model_diag);
    const bool is_valid = asset->outline->model_file.is_open &&
                          gltf_read(&b.model->gltf, &asset->outline->model_file, &files,
                                    &b.model->naming, &asset->content->gltf_arena, diag);
    gltf_close(&asset->outline->model_file);
    if (!is_valid || asset->outline->model_file.has_errors) return false;
    asset->source.text = b.model->gltf.json.text; /* the path may be in use by other threads */
    asset->source.bytes = b.model->gltf.json.bytes;
    if (!has_settings || !kind_check(assets, asset, diag)) return false;
    ModelTops* tops = ARENA_NEW(arena, ModelTops, 1);
    *tops = model_tops_find(b.model, asset->type, &asset->source, arena, diag);
    b.model->tops = b.tops = tops;
    model_resources_name(asset, diag);
    model_textures_apply(b.model, arena, diag);
    if (!model_depth_check(&b)) return false;
    model_tops_place(tops, &b.model->gltf);
    model_builder_open(&b);
    model_extras_read(&b.extras, &asset->source, b.model, registry, arena, diag);
    b.moved = model_skins_find(&b.model->gltf, arena);
    b.properties = model_properties_find(b.model, &asset->source, arena, diag);
    b.animators = model_animators_find(&b.model->gltf, &b.moved, &b.properties, tops, arena);
    if (!animators_check(&b))
        memset(b.animators.node, 0xff, sizeof(u32) * b.model->gltf.node_count);
    model_nodes_build(&b);
    model_paths_hash(&b);
    model_paths_write(&b);
    names_drop(&b.names);
    model_extras_drop(&b.extras);
    model_images_remark(b.model, arena);
    shadows_remark(b.model, arena);
    gltf_remarks_report(b.model->gltf.remarks, &assets->rules, &asset->source, diag);
    asset->content->has_errors = diag_error_count(diag) != errors;
    return true;
}
