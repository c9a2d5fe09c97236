/* data_file.c - the settings of a resource of type data: NAME.EXT.data.json beside the file NAME.EXT.
 * They have no keys yet; that they exist makes the file a resource. */
#include "assets.h"
#include "diag.h"
#include "model.h"

const FileView* asset_data(const Asset* asset) {
    return asset->form == ASSET_FILE ? &asset->content->view : &asset->content->besides.at[0].view;
}

/* Must be an object without keys, except for notes. */
static bool settings_check(Asset* asset, Diagnostics* diag) {
    const Source* source = &asset->source;
    const u32     errors = diag_error_count(diag);
    if (!json_tokens_open(&asset->content->tokens, source, diag)) return false;
    const JsonToken* root = json_tokens_root(&asset->content->tokens);
    if (!json_token_is(root, JSON_OBJECT)) {
        diag_error(diag, E0202, source, json_token_offset(source, root), 1,
                   "the settings of a resource of type data must be an object, {}, not %s",
                   json_kind_name(json_token_kind(root)));
        return false;
    }
    for (const JsonToken* m = json_first(root); m; m = json_next(m)) {
        const JsonString key = json_token_key(m);
        if (!json_key_is_note(key))
            diag_error(diag, E0201, source, json_token_offset(source, m - 1), key.raw.bytes + 2,
                       "unknown key \"%.*s\": the settings of a resource of type data have no keys "
                       "but \"$schema\" and \"$comment\"",
                       (int)key.raw.bytes, key.raw.at);
    }
    return diag_error_count(diag) == errors;
}

bool data_settings_read(Assets* assets, Asset* asset, Diagnostics* diag) {
    const char*   reason;
    DiagCode      code = E0302;
    const char*   name = strrchr(asset->content_file, '/') + 1;
    const bool    is_valid = settings_check(asset, diag);
    const Beside* file = asset_beside(assets, asset, asset->content_file, &reason, &code);
    if (!file) {
        diag_error(diag, code == E0405 ? E0302 : code, &asset->source, 0, 1,
                   "the file \"%s\", which would be \"%s.data\", cannot be read: %s", name,
                   asset->name, reason);
        return false;
    }
    if (file->view.size <= DATA_BYTES_MAX) return is_valid;
    diag_error(diag, E0106, &asset->source, 0, 1,
               "the file size of \"%s\", %zu bytes, exceeds the limit of %u bytes", name,
               file->view.size, DATA_BYTES_MAX);
    return false;
}
