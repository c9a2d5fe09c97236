/* link_paths.c - finds the relative paths in a source. */
#include "link_paths.h"

#include "json_tree.h"
#include "relative.h"

typedef struct Visit {
    Links*         links;
    LinkFile*      file;
    LinkPathVisit* call;
    void*          user;
} Visit;

static Diagnostics* diag_of(const Visit* v) { return v->links->projects.at[0]->diag; }

static void uri_visit(const Visit* v, const JsonTree* tree, const cJSON* uri) {
    if (!cJSON_IsString(uri) || uri_has_scheme(uri->valuestring)) return;
    const char* plain = uri_decode(&v->links->arena, uri->valuestring);
    if (!plain || !*plain || *plain == '/') return;
    const u32      offset = json_tree_offset(tree, uri);
    const LinkPath path = {offset, json_value_text(&v->file->asset->source, offset).bytes, plain,
                           uri->valuestring};
    v->call(v->user, v->file, &path);
}

static void uris_visit(const Visit* v) {
    static const char* const lists[] = {"buffers", "images"};
    JsonTree                 tree;
    const Source             own = source_own(&v->file->asset->source);
    if (!json_tree_open_gltf(&tree, &own, diag_of(v))) return;
    for (u32 i = 0; i < COUNT_OF(lists); i++) {
        const cJSON* list = json_tree_get(tree.root, lists[i]);
        for (const cJSON* item = list ? list->child : NULL; item; item = item->next) {
            const cJSON* uri = json_tree_get(item, "uri");
            if (uri) uri_visit(v, &tree, uri);
        }
    }
    json_tree_close(&tree);
}

static void image_visit(const Visit* v) {
    const Asset* asset = v->file->asset;
    JsonString   value;
    if (asset->type != RESOURCE_TEXTURE || asset->image_offset == 0) return;
    Json json = json_open(&asset->source, asset->image_offset, diag_of(v));
    if (!json_string(&json, &value)) return;
    const LinkPath path = {asset->image_offset, value.raw.bytes + 2,
                           json_decode(value, &v->links->arena), NULL};
    v->call(v->user, v->file, &path);
}

void link_paths_visit(Links* l, LinkFile* file, LinkPathVisit* call, void* user) {
    const Visit visit = {l, file, call, user};
    if (form_is_model(file->asset->form)) uris_visit(&visit);
    if (file->asset->form == ASSET_JSON) image_visit(&visit);
}

const char* link_path_target(Links* l, const LinkFile* file, const char* relative) {
    const char* root = l->projects.at[0]->assets.root_real;
    const char* path = arena_print(&l->arena, "%s/%s", root, file->path);
    return path_beside(&l->arena, path, relative);
}
