/* link_paths.c - finds the relative paths in a source. */
#include "link_paths.h"

#include "json_tokens.h"
#include "model.h"
#include "path_alike.h"
#include "relative.h"

typedef struct Visit {
    Links*         links;
    LinkFile*      file;
    LinkPathVisit* call;
    void*          user;
} Visit;

static void uri_visit(const Visit* v, const Source* source, const JsonToken* token) {
    Arena* const     arena = &v->links->arena;
    const JsonString text = json_token_string(token);
    if (uri_has_scheme(text.raw.at)) return; /* mostly data */
    const char* uri = json_decode(text, arena);
    if (uri_has_scheme(uri)) return;
    const char* plain = uri_decode(arena, uri);
    if (!plain || !*plain || *plain == '/') return;
    const LinkPath path = {json_token_offset(source, token), token->bytes, plain, uri};
    v->call(v->user, v->file, &path);
}

/* The URIs of buffers or images. */
static void list_visit(const Visit* v, const Source* source, const JsonToken* list) {
    for (const JsonToken* o = json_token_is(list, JSON_ARRAY) ? json_first(list) : NULL; o;
         o = json_next(o)) {
        const JsonToken* uri = json_get(o, "uri");
        if (json_token_is(uri, JSON_STRING)) uri_visit(v, source, uri);
    }
}

static void uris_visit(const Visit* v) {
    const Model* model = v->file->asset->content->model; /* NULL: only the text was read */
    if (model && !model->gltf.refers_to_files) return;
    const Source text_source = source_file_text(&v->file->asset->source);
    JsonTokens   tokens;
    if (json_tokens_open_gltf(&tokens, &text_source, v->links->diag)) {
        const JsonToken* root = json_tokens_root(&tokens);
        list_visit(v, &text_source, json_get(root, "buffers"));
        list_visit(v, &text_source, json_get(root, "images"));
    }
    json_tokens_close(&tokens);
}

static void image_visit(const Visit* v) {
    const Asset* asset = v->file->asset;
    if (asset->type != RESOURCE_TEXTURE || asset->content->image_offset == 0) return;
    const JsonString value = json_string_at(&asset->source, asset->content->image_offset);
    const LinkPath   path = {asset->content->image_offset, value.raw.bytes + 2,
                             json_decode(value, &v->links->arena), NULL};
    v->call(v->user, v->file, &path);
}

void link_paths_visit(Links* l, LinkFile* file, LinkPathVisit* call, void* user) {
    const Visit visit = {l, file, call, user};
    if (form_is_model(file->asset->form)) uris_visit(&visit);
    if (file->asset->form == ASSET_JSON) image_visit(&visit);
}

const char* link_path_target(Links* l, const LinkFile* file, const LinkPath* link) {
    const char*  root = l->assets->root_real;
    const size_t bytes = strlen(root);
    const char*  path = arena_print(&l->arena, "%s/%s", root, file->path);
    const char*  second;
    path = path_beside(&l->arena, path, link->relative);
    if (!link->uri || strncmp(path, root, bytes) != 0 || path[bytes] != '/') return path;
    const char* found = path_alike(l->assets->tree, path + bytes + 1, &second);
    return found ? arena_print(&l->arena, "%s/%s", root, found) : path;
}
