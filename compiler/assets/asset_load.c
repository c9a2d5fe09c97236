/* asset_load.c - the content of sources. */
#include "assets.h"
#include "diag_print.h"

#include <errno.h>

u32 asset_bytes_limit(const Asset* asset) {
    return asset->form == ASSET_FILE ? DATA_BYTES_MAX : SOURCE_BYTES_MAX;
}

bool asset_load(const Assets* assets, Asset* asset) {
    if (job_once_begin(&asset->load)) {
        if (file_copy_stamped(&asset->view, asset->source.path, &asset->stamp,
                              asset_bytes_limit(asset), assets->pool) != ENT_OK)
            asset->unread = errno;
        else if (assets->hashes && asset->view.size <= asset_bytes_limit(asset))
            asset->hash = hash_content(asset->view.bytes, asset->view.size);
        job_once_end(&asset->load);
    }
    return !asset->unread;
}

bool asset_model_open(const Assets* assets, Asset* asset) {
    assert(form_is_model(asset->form));
    if (!asset_load(assets, asset)) return false;
    if (job_once_begin(&asset->opened)) {
        if (asset->view.size <= SOURCE_BYTES_MAX) { /* a larger one is refused */
            Source* source = ARENA_NEW(&asset->arena, Source, 1);
            *source = source_of(asset->source.path, (const char*)asset->view.bytes,
                                (u32)asset->view.size);
            asset->model_diag = diag_create();
            gltf_open(&asset->model_file, source, asset->form == ASSET_GLB, &asset->arena,
                      asset->model_diag);
            asset->model_cost = gltf_cost(&asset->model_file);
            __atomic_store_n(&asset->has_cost, true, __ATOMIC_RELEASE);
        }
        job_once_end(&asset->opened);
    }
    return true;
}

const SourceLines* asset_lines(Asset* asset) {
    if (job_once_begin(&asset->counted)) {
        source_lines_count(&asset->lines, &asset->source);
        job_once_end(&asset->counted);
    }
    return &asset->lines;
}
