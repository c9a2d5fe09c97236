/* asset_read.c - reads sources of every type, each once. */
#include "assets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "diag_print.h"
#include "lfs_pointer.h"
#include "model.h"
#include "order.h"

/* A list of inputs may name a file that does not exist: this is found out for those that something refers to. */
static bool is_present(Assets* assets, Asset* asset) {
    u32      kind_known = __atomic_load_n(&asset->kind_known, __ATOMIC_RELAXED);
    FileKind kind;
    if (!assets->inputs) return true;
    if (!kind_known) {
        if (file_look(asset->source.path, true, &kind) != ENT_OK)
            return asset_read(assets, asset); /* which reports why */
        kind_known = (u32)kind + 1;
        __atomic_store_n(&asset->kind_known, kind_known, __ATOMIC_RELAXED);
    }
    return kind_known == (u32)FILE_REGULAR + 1;
}

bool assets_have(Assets* assets, Text name, ResourceType type) {
    u32 index;
    if (assets_resource(assets, name, type, &index)) return true;
    return assets->inputs && input_list_resource(assets->inputs, name, type);
}

Asset* assets_resource(Assets* assets, Text name, ResourceType type, u32* index) {
    Asset* asset = assets_file(assets, name, type);
    *index = NONE;
    if (asset && !is_present(assets, asset)) return NULL;
    if (asset && assets_image_is_owned(assets, asset)) return NULL;
    if (asset || type == RESOURCE_LEVEL) return asset;
    for (u32 bytes = name.bytes; bytes > 0; bytes--) { /* models/fox/walk: is models/fox a model? */
        if (name.at[bytes - 1] != '/') continue;
        asset = assets_model(assets, (Text){name.at, bytes - 1});
        if (type == RESOURCE_ENTITY && asset && !asset->content_file)
            continue; /* it is not split */
        if (!asset || !asset_read(assets, asset)) continue;
        const ModelResource* r = model_named(asset->content->model, name, type);
        if (!r) continue;
        *index = r->index;
        return asset;
    }
    return NULL;
}

/* The line of the list of inputs that names a file. */
static void input_note(const Assets* assets, const char* path, Diagnostics* diag) {
    const InputLine* line = input_list_file(assets->inputs, path + strlen(assets->root) + 1);
    if (line)
        diag_note(diag, &assets->inputs->source, line->offset, 1,
                  "the list of inputs contains it here");
}

static bool asset_map(Assets* assets, Asset* asset, Diagnostics* diag) {
    if (!asset_load(assets, asset)) {
        diag_error(diag, diag_unread_code(asset->unread), &asset->source, 0, 1,
                   "the file cannot be read: %s", strerror(asset->unread));
        if (assets->inputs) input_note(assets, asset->source.path, diag);
        return false;
    }
    if (asset->content->view.size > asset_bytes_limit(asset)) {
        diag_error(diag, E0106, &asset->source, 0, 1,
                   "the file size of %zu bytes exceeds the limit of %u bytes",
                   asset->content->view.size, asset_bytes_limit(asset));
        return false;
    }
    if (lfs_is_pointer(asset->content->view.bytes, asset->content->view.size)) {
        diag_error(diag, E0110, &asset->source, 0, 1, "the file cannot be read: " LFS_POINTER_TEXT);
        return false;
    }
    if (form_is_bytes(asset->form)) return true; /* it has no text */
    asset->source.text = (const char*)asset->content->view.bytes;
    asset->source.bytes = (u32)asset->content->view.size;
    return true;
}

/* Reads a source whose text is mapped, but an entity or level. */
static bool other_read(Assets* assets, Asset* asset, Diagnostics* diag) {
    if (form_is_model(asset->form)) return model_read(assets, asset, diag);
    if (form_is_bytes(asset->form)) return true; /* an image is decoded when it is compiled */
    if (asset->type == RESOURCE_DATA) return data_settings_read(assets, asset, diag);
    if (asset->type == RESOURCE_TEXTURE) return texture_read(assets, asset, diag);
    return json_tokens_open(&asset->content->tokens, &asset->source, diag);
}

bool asset_read(Assets* assets, Asset* asset) {
    if (job_once_begin(&asset->once)) {
        Diagnostics* diag = diag_create();
        bool         is_valid = false;
        if (assets->severities) diag_set_severities(diag, assets->severities);
        if (!asset_hold(assets, asset))
            asset_modified(asset, diag);
        else if (!asset_map(assets, asset, diag))
            is_valid = false;
        else if (asset_has_doc(asset))
            is_valid = asset_doc_read(assets, asset, diag);
        else
            is_valid = other_read(assets, asset, diag);
        asset->state = is_valid ? ASSET_VALID : ASSET_INVALID;
        if (diag_report_count(diag) > 0)
            asset->diag = diag;
        else
            diag_destroy(diag);
        job_once_end(&asset->once);
        asset_release(assets, asset, false);
    }
    if (asset->unneeded) asset->unneeded = false; /* of `compile`, in one thread */
    return asset->state == ASSET_VALID;
}

void asset_refuse(Asset* asset) {
    if (!job_once_begin(&asset->once)) return;
    asset->state = ASSET_INVALID;
    job_once_end(&asset->once);
}

/* In the order of the sources, not in the one in which threads have read them. */
void assets_report(Assets* assets, Diagnostics* diag) {
    if (assets->read_count) qsort(assets->read, assets->read_count, sizeof(u32), order_numbers);
    for (u32 i = 0; i < assets->read_count; i++) {
        const Asset* asset = assets->asset[assets->read[i]];
        if (asset->diag && !asset->unneeded) diag_absorb(diag, asset->diag);
    }
}
