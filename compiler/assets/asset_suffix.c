/* asset_suffix.c - the types of files, also of those that are of the type data because of NAME.EXT.data.json. */
#include "assets.h"

#include "hash.h"
#include "path_alike.h"

static u32* data_slot(const Assets* assets, const char* path, u32 bytes) {
    u32* slot = slots_first(&assets->data_slots, hash_bytes(path, bytes, 0));
    while (*slot && !text_equal(text_of(assets->data_files.at[*slot - 1]), (Text){path, bytes}))
        slot = slots_next(&assets->data_slots, slot);
    return slot;
}

bool assets_have_data(const Assets* assets, const char* path) {
    return assets->data_files.count && *data_slot(assets, path, (u32)strlen(path)) != 0;
}

Suffix assets_suffix(const Assets* assets, const char* path) {
    const char* slash = strrchr(path, '/');
    return assets_have_data(assets, path) ? suffix_of_data(text_of(slash ? slash + 1 : path))
                                          : settings_suffix(assets->settings, path);
}

/* The file to which NAME.EXT.data.json belongs may have any name of which NAME.EXT is the canonical spelling. */
const char* assets_data_path(Assets* assets, Text file) {
    const char* second;
    const char* path = arena_text(&assets->arena, file);
    const char* found = path_alike(assets->tree, path, &second);
    return found && !second ? found : path;
}

void assets_data_find(Assets* assets) {
    const Tree* tree = assets->tree;
    for (u32 i = 0; i < tree->files.count; i++) {
        const char* path = tree_relative(&tree->files.at[i]);
        const Text  data = data_file_of(text_of(path));
        if (data.bytes) *array_push(&assets->data_files) = assets_data_path(assets, data);
    }
    if (assets->data_files.count == 0) return;
    const u32 count = slots_needed(assets->data_files.count, 64);
    assets->data_slots = (Slots){ARENA_NEW(&assets->arena, u32, count), count};
    for (u32 i = 0; i < assets->data_files.count; i++) {
        const Text path = text_of(assets->data_files.at[i]);
        *data_slot(assets, path.at, path.bytes) = i + 1;
    }
}
