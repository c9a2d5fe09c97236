/* asset_load.c - the content of sources. */
#include "assets.h"
#include "diag_print.h"
#include "libc.h"

#include <errno.h>

u32 asset_bytes_limit(const Asset* asset) {
    return asset->form == ASSET_FILE ? DATA_BYTES_MAX : SOURCE_BYTES_MAX;
}

bool asset_load(Assets* assets, Asset* asset) {
    if (job_once_begin(&asset->load)) {
        assets->read[__atomic_fetch_add(&assets->read_count, 1, __ATOMIC_RELAXED)] = asset->index;
        if (file_copy_stamped(&asset->content->view, asset->source.path, &asset->stamp,
                              asset_bytes_limit(asset), assets->pool) != ENT_OK)
            asset->unread = errno;
        else if (assets->hashes && asset->content->view.size <= asset_bytes_limit(asset))
            asset->content->hash =
                hash_content(asset->content->view.bytes, asset->content->view.size);
        job_once_end(&asset->load);
    }
    return !asset->unread;
}

/* Once: after it is released, a model is opened again while other threads read this. */
static void outline_learn(AssetOutline* outline) {
    const Source* text = &outline->model_file.json;
    if (__atomic_load_n(&outline->has_cost, __ATOMIC_RELAXED)) return;
    outline->model_cost = gltf_cost(&outline->model_file);
    outline->has_prefabs =
        text->text && bytes_find(text->text, text->bytes, text_of("\"prefab\"")) != NULL;
    __atomic_store_n(&outline->has_cost, true, __ATOMIC_RELEASE);
}

bool asset_model_open(Assets* assets, Asset* asset) {
    assert(form_is_model(asset->form));
    if (!asset_load(assets, asset)) return false;
    if (job_once_begin(&asset->outline->opened)) {
        if (asset->content->view.size <= SOURCE_BYTES_MAX) { /* a larger one is refused */
            Source* source = ARENA_NEW(&asset->content->arena, Source, 1);
            *source = source_of(asset->source.path, (const char*)asset->content->view.bytes,
                                (u32)asset->content->view.size);
            asset->outline->model_diag = diag_create();
            gltf_open(&asset->outline->model_file, source, asset->form == ASSET_GLB,
                      &asset->content->arena, asset->outline->model_diag);
            outline_learn(asset->outline);
        }
        job_once_end(&asset->outline->opened);
    }
    return true;
}

bool asset_doc_read(Assets* assets, Asset* asset, Diagnostics* diag) {
    AssetContent* const content = asset->content;
    Diagnostics* const  unseen = diag ? NULL : diag_create();
    Diagnostics* const  found = diag ? diag : unseen;
    content->doc = ARENA_NEW(&content->arena, Doc, 1);
    const bool is_valid = asset->type == RESOURCE_LEVEL
                              ? doc_level_read(content->doc, &asset->source, assets->registry,
                                               &content->arena, found, assets->pool)
                              : doc_entity_read(content->doc, &asset->source, assets->registry,
                                                &content->arena, found);
    if (diag) content->has_errors = content->doc->has_errors;
    diag_destroy(unseen);
    return is_valid;
}

const SourceLines* asset_lines(Asset* asset) {
    if (job_once_begin(&asset->content->counted)) {
        source_lines_count(&asset->content->lines, &asset->source);
        job_once_end(&asset->content->counted);
    }
    return &asset->content->lines;
}
