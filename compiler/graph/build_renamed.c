/* build_renamed.c - the remark about files whose names are not those of their resources: one for a build, because a
 * folder that another program exports may have thousands of them. */
#include "build_internal.h"
#include "diag.h"
#include "sections.h"

typedef struct Renamed {
    u32          count;
    const char*  path; /* below the root; of the first one */
    const char*  name;
    ResourceType type;
} Renamed;

static void renamed_add(Renamed* r, const char* path, const char* name, ResourceType type) {
    r->count++;
    if (r->path && strcmp(r->path, path) < 0) return;
    r->path = path, r->name = name, r->type = type;
}

/* Of the products of a model, only the entity or level has its name; those of parts have more segments. */
static bool names_model(const char* path, const char* name, ResourceType type) {
    u32 depth = 0;
    for (; *path; path++) depth += *path == '/';
    for (; *name; name++) depth -= *name == '/';
    return depth == 0 && (type == RESOURCE_ENTITY || type == RESOURCE_LEVEL);
}

static void renamed_find_recorded(const Build* b, Renamed* r) {
    const Database* db = &b->database;
    for (u32 i = 0; i < db->head->product_count; i++) {
        const DatabaseProduct* p = &db->products[i];
        const DatabaseFile*    file = &db->files[p->file];
        if (!(file->flags & DATABASE_RENAMED)) continue;
        const char* path = database_text(db, file->path);
        const bool  is_model = form_is_model(settings_suffix(&b->settings, path).form);
        if (is_model && !names_model(path, database_text(db, p->name), (ResourceType)p->type))
            continue;
        renamed_add(r, path, database_text(db, p->name), (ResourceType)p->type);
    }
}

static void renamed_find(const Build* b, Renamed* r) {
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        if (p->asset->is_renamed && p->type == p->asset->type && p->index == NONE)
            renamed_add(r, p->asset->source.path + strlen(b->sources.root) + 1, p->name, p->type);
    }
}

void renamed_report(Build* b) {
    Renamed r = {0};
    char    others[64] = "";
    if (b->idle)
        renamed_find_recorded(b, &r);
    else
        renamed_find(b, &r);
    if (r.count == 0) return;
    if (r.count > 1)
        snprintf(others, sizeof others, "; %u other file%s named in such a way", r.count - 1,
                 r.count == 2 ? " is" : "s are");
    Source* source = ARENA_NEW(&b->arena, Source, 1);
    *source = source_of(arena_print(&b->arena, "%s/%s", b->sources.root, r.path), "", 0);
    diag_warning(b->diag, W0318, source, 0, 1,
                 "the resource of this file is \"%s.%s\", because names of resources contain only "
                 "a-z, 0-9, '_', '-' and '/'%s; \"entc mv SRC --canonical\" renames the files",
                 r.name, ent_resource_suffix(r.type), others);
}
