/* link_paths.c - finds the relative paths in a source. */
#include "link_paths.h"

#include "json.h"
#include "relative.h"

typedef struct Visit {
    Links*         links;
    LinkFile*      file;
    LinkPathVisit* call;
    void*          user;
} Visit;

static void uri_visit(const Visit* v, u32 offset, JsonString text) {
    Arena* const arena = &v->links->arena;
    if (uri_has_scheme(text.raw.at)) return; /* mostly data */
    const char* uri = json_decode(text, arena);
    if (uri_has_scheme(uri)) return;
    const char* plain = uri_decode(arena, uri);
    if (!plain || !*plain || *plain == '/') return;
    const LinkPath path = {offset, text.raw.bytes + 2, plain, uri};
    v->call(v->user, v->file, &path);
}

static bool is_kind(const Json* json, JsonKind expected) {
    Json     at = *json;
    JsonKind kind;
    return json_kind(&at, &kind) && kind == expected;
}

static void member_skip(Json* json, JsonString key) {
    const bool foreign = json_key_is_foreign(json, key);
    json->foreign += foreign;
    json_skip(json);
    json->foreign -= foreign;
}

/* The URI of a buffer or an image. */
static void object_visit(const Visit* v, Json json) {
    JsonString key, text;
    if (!is_kind(&json, JSON_OBJECT) || !json_enter(&json, JSON_OBJECT)) return;
    while (json_key(&json, &key)) {
        const u32 offset = json_offset(&json);
        if (json_equals(key, "uri") && is_kind(&json, JSON_STRING)) {
            if (json_string(&json, &text)) uri_visit(v, offset, text);
            return;
        }
        member_skip(&json, key);
    }
}

static void list_visit(const Visit* v, Json json) {
    if (!is_kind(&json, JSON_ARRAY) || !json_enter(&json, JSON_ARRAY)) return;
    while (json_item(&json)) {
        object_visit(v, json);
        json_skip(&json);
    }
}

static void uris_visit(const Visit* v) {
    JsonString   key;
    const Model* model = v->file->asset->model; /* NULL: only the text was read */
    if (model && !model->gltf.refers_to_files) return;
    const Source own = source_own(&v->file->asset->source);
    Json         json = json_open_gltf(&own, v->links->diag);
    if (!json_enter(&json, JSON_OBJECT)) return;
    while (json_key(&json, &key)) {
        if (json_equals(key, "buffers") || json_equals(key, "images")) list_visit(v, json);
        member_skip(&json, key);
    }
}

static void image_visit(const Visit* v) {
    const Asset* asset = v->file->asset;
    if (asset->type != RESOURCE_TEXTURE || asset->image_offset == 0) return;
    const JsonString value = json_string_at(&asset->source, asset->image_offset);
    const LinkPath   path = {asset->image_offset, value.raw.bytes + 2,
                             json_decode(value, &v->links->arena), NULL};
    v->call(v->user, v->file, &path);
}

void link_paths_visit(Links* l, LinkFile* file, LinkPathVisit* call, void* user) {
    const Visit visit = {l, file, call, user};
    if (form_is_model(file->asset->form)) uris_visit(&visit);
    if (file->asset->form == ASSET_JSON) image_visit(&visit);
}

const char* link_path_target(Links* l, const LinkFile* file, const char* relative) {
    const char* root = l->assets->root_real;
    const char* path = arena_print(&l->arena, "%s/%s", root, file->path);
    return path_beside(&l->arena, path, relative);
}
