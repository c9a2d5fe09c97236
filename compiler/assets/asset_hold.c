/* asset_hold.c - the memory of sources: it is given up while no thread holds the source, and read again when one does.
 *
 * Of a model, a texture and data, these are the bytes of the files; what others need of a model remains: its nodes, the
 * names of its resources and its text. Of an entity or a level, it is all: its text and the nodes. */
#include "assets.h"

#include <errno.h>
#include <string.h>

#include "diag.h"
#include "diag_print.h"
#include "model.h"

/* Texts of other types are few, and any resource may need them at any time. */
static bool is_held(const Assets* assets, const Asset* asset) {
    return assets->kept_max > 0 && assets->hashes &&
           (asset_has_doc(asset) || form_is_model(asset->form) || form_is_bytes(asset->form) ||
            asset_reads_beside(asset));
}

static void lock(Asset* asset) { job_lock_take(&asset->content->hold.lock); }
static void unlock(Asset* asset) { job_lock_give(&asset->content->hold.lock); }

/* --- giving up --- */

/* The text of a .gltf file, and that of settings, is needed as long as the source is used. */
static bool has_text(const Asset* asset) {
    return (asset->form == ASSET_JSON && !asset_has_doc(asset)) ||
           (asset->form == ASSET_GLTF && job_once_done(&asset->once));
}

static bool beside_is_settings(const Asset* asset, const Beside* beside) {
    return form_is_model(asset->form) && asset->content_file &&
           strcmp(beside->path, asset->content_file) == 0;
}

static u64 bytes_held(const Asset* asset) {
    const AssetContent* content = asset->content;
    u64                 bytes = arena_bytes(&content->gltf_arena);
    if (content->doc && asset_has_doc(asset))
        bytes += doc_bytes(content->doc) + arena_bytes(&content->arena);
    if (content->view.memory && !has_text(asset)) bytes += content->view.size;
    for (u32 i = 0; i < content->besides.count; i++) {
        const Beside* beside = &content->besides.at[i];
        if (beside->view.memory && !beside_is_settings(asset, beside)) bytes += beside->view.size;
    }
    return bytes;
}

/* A model that was opened, to estimate its size, is opened again when it is read. */
static void opened_drop(Asset* asset) {
    AssetOutline* outline = asset->outline;
    if (!job_once_done(&outline->opened) || job_once_done(&asset->once)) return;
    gltf_close(&outline->model_file);
    diag_destroy(outline->model_diag);
    outline->model_file = (GltfFile){0};
    outline->model_diag = NULL;
    outline->opened = (JobOnce){0};
}

/* Positions of messages are found again: asset_text_again. */
static void doc_give_up(Asset* asset) {
    AssetContent* content = asset->content;
    if (content->doc) doc_drop(content->doc);
    content->doc = NULL;
    arena_drop(&content->arena);
    source_lines_drop(&content->lines);
    content->lines = (SourceLines){0};
    content->counted = (JobOnce){0};
}

static void give_up(Asset* asset) {
    AssetContent* content = asset->content;
    if (asset_has_doc(asset)) doc_give_up(asset);
    opened_drop(asset);
    if (!has_text(asset)) {
        const bool is_text = asset->source.text == (const char*)content->view.bytes;
        if (is_text) asset->source.text = "", asset->source.bytes = 0;
        content->hold.had_text |= is_text;
        file_unmap(&content->view);
    }
    for (u32 i = 0; i < content->besides.count; i++) {
        Beside* beside = &content->besides.at[i];
        if (!beside_is_settings(asset, beside)) file_unmap(&beside->view);
    }
    if (content->model) gltf_forget(&content->model->gltf);
    arena_drop(&content->gltf_arena);
    content->hold.is_given_up = true;
}

static void held_count(Assets* assets, Asset* asset) {
    const u64 now = bytes_held(asset), before = asset->content->hold.bytes;
    if (now == before) return; /* all threads share the sum */
    __atomic_add_fetch(&assets->kept, now - before, __ATOMIC_RELAXED);
    asset->content->hold.bytes = now;
}

/* --- reading again --- */

static bool file_again(const Assets* assets, Asset* asset) {
    FileStamp stamp;
    if (asset->content->view.memory) return true;
    if (file_copy_stamped(&asset->content->view, asset->source.path, &stamp,
                          asset_bytes_limit(asset), assets->pool) != ENT_OK) {
        asset->content->hold.unread = errno;
        return false;
    }
    const FileView view = asset->content->view;
    const bool     is_same = view.size <= asset_bytes_limit(asset) &&
                         hash_equal(hash_content(view.bytes, view.size), asset->content->hash);
    if (!is_same) file_unmap(&asset->content->view);
    return is_same;
}

static bool besides_again(const Assets* assets, Asset* asset) {
    bool same = true;
    for (u32 i = 0; i < asset->content->besides.count && same; i++) {
        same = asset_beside_again(assets, asset, &asset->content->besides.at[i]);
        if (!same) asset->content->hold.beside = asset->content->besides.at[i].path;
    }
    return same;
}

static void text_again(Asset* asset) {
    asset->source.text = (const char*)asset->content->view.bytes;
    asset->source.bytes = (u32)asset->content->view.size;
}

/* If it was not parsed yet, asset_read is its caller, or nothing but the bytes is needed. */
static bool doc_again(Assets* assets, Asset* asset) {
    if (!file_again(assets, asset)) return false;
    if (!job_once_done(&asset->once)) return true;
    text_again(asset);
    return asset_doc_read(assets, asset, NULL); /* its warnings are reported already */
}

static bool read_again(Assets* assets, Asset* asset) {
    if (!job_once_done(&asset->load) || asset->unread || asset->state == ASSET_INVALID) return true;
    if (asset_has_doc(asset)) return doc_again(assets, asset);
    if (!file_again(assets, asset) || !besides_again(assets, asset)) return false;
    return !asset->content->model || model_read_again(assets, asset);
}

/* --- use --- */

bool asset_hold(Assets* assets, Asset* asset) {
    AssetHold* hold = &asset->content->hold;
    if (!is_held(assets, asset)) return true;
    lock(asset);
    hold->count++;
    if (hold->is_given_up && !hold->has_changed) {
        hold->has_changed = !read_again(assets, asset);
        hold->is_given_up = false;
        hold->is_shared = hold->users == 0;
        held_count(assets, asset);
    }
    const bool is_same = !hold->has_changed;
    unlock(asset);
    return is_same;
}

#define SHARED_BYTES 1024u /* of an average prefab */

/* No level needs another. Entities that were read for others too are prefabs: to read them again for each level would
 * take very long, so that the limit for them depends on the number of sources. */
static u64 kept_limit(const Assets* assets, const Asset* asset) {
    if (!asset_has_doc(asset)) return assets->kept_max;
    if (!asset->content->hold.is_shared) return assets->kept_max / 4 * 3;
    return assets->kept_max + MIN_OF((u64)assets->count * SHARED_BYTES, assets->kept_max * 4);
}

static bool is_spare(const Assets* assets, const Asset* asset, bool is_done) {
    const AssetHold* hold = &asset->content->hold;
    const bool       exceeds =
        __atomic_load_n(&assets->kept, __ATOMIC_RELAXED) > kept_limit(assets, asset);
    if (asset->type == RESOURCE_LEVEL) return hold->users == 0 || exceeds;
    if (asset_has_doc(asset)) return exceeds;
    return is_done ? hold->users == 0 : exceeds && !hold->is_in_use;
}

void asset_release(Assets* assets, Asset* asset, bool is_done) {
    AssetHold* hold = &asset->content->hold;
    if (!is_held(assets, asset)) return;
    lock(asset);
    assert(hold->count > 0);
    hold->count--;
    if (is_done) {
        assert(hold->users > 0);
        hold->users--;
    }
    if (hold->count > 0) { /* others may be reading it: they count it */
        unlock(asset);
        return;
    }
    held_count(assets, asset);
    if (job_once_done(&asset->load) && is_spare(assets, asset, is_done)) {
        give_up(asset);
        held_count(assets, asset);
    }
    if (is_done) hold->is_in_use = hold->users > 0;
    unlock(asset);
}

void asset_expect(Asset* asset) {
    lock(asset);
    asset->content->hold.users++;
    unlock(asset);
}

bool asset_hold_nodes(Assets* assets, Asset* asset) {
    return !asset_has_doc(asset) || asset_hold(assets, asset);
}

void asset_release_nodes(Assets* assets, Asset* asset) {
    if (asset_has_doc(asset)) asset_release(assets, asset, false);
}

void assets_give_up(Assets* assets) {
    if (assets->kept_max == 0) return;
    for (u32 i = 0; i < assets->read_count; i++) {
        Asset* asset = assets->asset[assets->read[i]];
        if (!asset_has_doc(asset) || asset->content->hold.is_given_up) continue;
        assert(asset->content->hold.count == 0);
        give_up(asset);
        held_count(assets, asset);
    }
}

void asset_text_again(Assets* assets, const Source* source) {
    const Asset* const all = assets->all;
    const u8* const    at = (const u8*)source;
    if (at < (const u8*)all || at >= (const u8*)(all + assets->count)) return;
    Asset* asset = &assets->all[(size_t)(at - (const u8*)all) / sizeof *all];
    if (!asset_has_doc(asset) || !job_once_done(&asset->load) || !asset->content->hold.had_text)
        return;
    if (file_again(assets, asset)) text_again(asset);
}

void asset_modified(const Asset* asset, Diagnostics* diag) {
    const AssetHold* hold = &asset->content->hold;
    const char*      file = hold->beside ? hold->beside : asset->source.path;
    if (hold->unread)
        diag_error(diag, diag_unread_code(hold->unread), &asset->source, 0, 1,
                   "the file \"%s\" cannot be read: %s", file, strerror(hold->unread));
    else
        diag_error(diag, E0107, &asset->source, 0, 1,
                   "the file \"%s\" was modified while it was being read; build again", file);
}
