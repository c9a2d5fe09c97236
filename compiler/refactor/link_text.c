/* link_text.c - the contents of sources whose references are stored. */
#include "json.h"
#include "link_store.h"
#include "text_scan.h"

/* The text of a source; false: it has none. */
static bool text_set(Links* l, Asset* asset) {
    Text text = {(const char*)asset->content->view.bytes, (u32)asset->content->view.size};
    if (asset->form == ASSET_GLB) { /* copied: a Source ends with a NUL */
        if (!glb_json(asset->content->view.bytes, asset->content->view.size, &text)) return false;
        text.at = arena_text(&l->arena, text);
    }
    asset->source = source_of(asset->source.path, text.at, text.bytes);
    return true;
}

/* The text of a reference is the name that is stored, or a pattern. */
static bool place_exists(Links* l, const LinkPlace* place, Diagnostics* diag) {
    const Source source = source_file_text(&place->file->asset->source);
    const char*  slash = strrchr(place->name, '/');
    const u32    name = (u32)strlen(place->name);
    const char*  suffix = ent_resource_suffix(place->type);
    JsonString   text = {0};
    if (!link_kind_is_text(place->kind)) return place->offset <= source.bytes;
    if (place->offset >= source.bytes || source.text[place->offset] != '"') return false;
    Json json = json_open(&source, place->offset, diag);
    if (!json_string(&json, &text) || text.raw.bytes + 2 != place->bytes) return false;
    if (place->kind == LINK_PATTERN) return true;
    if (place->kind == LINK_COMPONENT && slash) return json_equals(text, slash + 1);
    if (place->kind != LINK_ROOT) return json_equals(text, place->name);
    const Text plain = text_of(json_decode(text, &l->arena));
    return plain.bytes == name + 1 + strlen(suffix) && memcmp(plain.at, place->name, name) == 0 &&
           plain.at[name] == '.' && strcmp(plain.at + name + 1, suffix) == 0;
}

/* Is the position that of the value of "image"? */
static bool image_exists(const Asset* asset) {
    const Source* source = &asset->source;
    const Text    key = text_of("\"image\"");
    u32           at = asset->content->image_offset;
    if (at == 0) return true;
    if (at >= source->bytes || source->text[at] != '"') return false;
    while (at && text_is_space(source->text[at - 1])) at--;
    if (at == 0 || source->text[--at] != ':') return false;
    while (at && text_is_space(source->text[at - 1])) at--;
    return at >= key.bytes && memcmp(source->text + at - key.bytes, key.at, key.bytes) == 0;
}

bool links_fit(Links* l, const LinkFile* file, Diagnostics* diag) {
    bool fit = image_exists(file->asset);
    for (u32 i = links_first_place(l, file);
         i < l->places.count && l->places.at[i].file == file && fit; i++)
        fit = place_exists(l, &l->places.at[i], diag);
    return fit;
}

bool links_load(Links* l, LinkFile* file) {
    Asset* asset = file->asset;
    if (links_are_loaded(l, file)) return true;
    if (!asset_load(&l->projects.at[0]->assets, asset) ||
        !hash_equal(asset->content->hash, file->hash))
        return false;
    return form_is_bytes(asset->form) || (text_set(l, asset) && links_fit(l, file, l->diag));
}
