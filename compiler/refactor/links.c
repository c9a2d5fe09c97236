/* links.c - compiles a folder in memory to find all references. */
#include "links.h"

#include <errno.h>
#include <stdlib.h>

#include "compile_rename.h"
#include "declare.h"
#include "diag.h"
#include "diag_print.h"
#include "exit_codes.h"
#include "link_places.h"
#include "model.h"
#include "search.h"
#include "sections.h"

/* One variant of the folder that is being read. */
typedef struct Pass {
    Links*   links;
    Project* project;
    Compile  compile;
    u32      first_file; /* of the variant, in links->files */
} Pass;

static const char* const kind_names[LINK_KINDS] = {"prefab", "resource", "root",    "component",
                                                   "plugin", "model",    "pattern", "property"};

const char* link_kind_name(LinkKind kind) { return kind_names[kind]; }

/* --- files --- */

static u32* file_slot(const Links* l, const char* path) {
    u32* slot = slots_first(&l->file_slots, hash_bytes(path, strlen(path), 0));
    while (*slot && strcmp(l->files.at[*slot - 1]->path, path) != 0) {
        slot = slots_next(&l->file_slots, slot);
    }
    return slot;
}

static void files_grow(Links* l) {
    slots_grow(&l->file_slots, 256);
    for (u32 i = 0; i < l->files.count; i++) *file_slot(l, l->files.at[i]->path) = i + 1;
}

/* Has no effect when another variant has read it. */
static void file_add(Links* l, const Project* project, Asset* asset) {
    const char* path = asset->source.path + strlen(l->root) + 1;
    if (slots_are_full(&l->file_slots, l->files.count)) files_grow(l);
    u32* slot = file_slot(l, path);
    if (*slot) return;
    LinkFile* file = ARENA_NEW(&l->arena, LinkFile, 1);
    *file =
        (LinkFile){.asset = asset, .path = path, .link = project->tree.files.at[asset->file].link};
    *array_push(&l->files) = file;
    *slot = l->files.count;
}

/* --- products --- */

static void product_keep(Links* l, LinkProduct* p, const Compile* c) {
    ARRAY(const char*) paths = {0};
    if (l->projects.at[0]->settings.exists) *array_push(&paths) = SETTINGS_FILE;
    LinkNeed*    needs = ARENA_NEW(&l->arena, LinkNeed, c->references.count + 1);
    const size_t root = strlen(l->root) + 1;
    for (u32 i = 0; i < c->reads.count; i++) {
        const Asset* asset = c->reads.at[i].asset;
        *array_push(&paths) = asset->source.path + root;
        for (u32 k = 0; k < asset->content->besides.count; k++) {
            *array_push(&paths) = asset->content->besides.at[k].path + root;
        }
    }
    for (u32 i = 0; i < c->references.count; i++) {
        const CompileReference* r = &c->references.at[i];
        needs[i] = (LinkNeed){arena_text(&l->arena, text_of(r->name)), r->type};
    }
    p->compiled_from = ARENA_NEW(&l->arena, const char*, paths.count + 1);
    if (paths.count) memcpy(p->compiled_from, paths.at, sizeof(char*) * paths.count);
    p->compiled_from_count = paths.count;
    p->needs = needs;
    p->need_count = c->references.count;
    array_drop(&paths);
}

/* Like compile_resource. An image that cannot be decoded has no references, and a build accepts it if
 * nothing refers to it. */
static bool product_links(Pass* pass, LinkFile* file, const char* name, ResourceType type,
                          u32 index) {
    Compile*     c = &pass->compile;
    Diagnostics* all = pass->project->diag;
    const bool   is_image = file->asset->form == ASSET_IMAGE;
    const bool   is_tolerant = pass->links->is_tolerant;
    Diagnostics* pass_diag = is_image || is_tolerant ? diag_create_like(all) : all;
    u8*          bytes = NULL;
    size_t       size;
    compile_begin(c, &pass->project->assets, pass_diag, &(CompileOptions){.target = TARGET_LITTLE});
    compile_choose(c, file->asset, name, type, index);
    const bool is_compiled = compile_resource(c, &bytes, &size) || c->unusable;
    if (is_image && !is_tolerant && !c->unusable) diag_absorb(all, pass_diag);
    if (pass_diag != all) diag_destroy(pass_diag);
    c->diag = all;
    memory_free(bytes);
    return is_compiled || is_tolerant;
}

static void product_compile(Pass* pass, LinkFile* file, const char* name, ResourceType type,
                            u32 index) {
    Links*      l = pass->links;
    Compile*    c = &pass->compile;
    LinkProduct product = {.name = name, .type = type, .file = file};
    if (product_links(pass, file, name, type, index)) {
        link_places_add(l, file, c, type);
        for (u32 i = 0; i < c->was.count; i++) {
            const CompileWas* was = &c->was.at[i];
            *array_push(&l->was) = (LinkWas){file, was->override, c->registry->names[was->type],
                                             arena_text(&l->arena, text_of(was->text))};
        }
        for (u32 i = 0; i < c->renames.count; i++) {
            const CompileRename* r = &c->renames.at[i];
            *array_push(&l->renames) =
                (LinkText){file, r->offset, r->bytes, arena_text(&l->arena, text_of(r->text))};
        }
        product_keep(l, &product, c);
        *array_push(&l->products) = product;
    }
    compile_end(c);
}

static void file_compile(Pass* pass, LinkFile* file) {
    Asset* asset = file->asset;
    if (!asset_read(&pass->project->assets, asset)) return;
    product_compile(pass, file, asset->name, asset->type, NONE);
    for (u32 i = 0; asset->content->model && i < asset->content->model->resource_count; i++) {
        const ModelResource* r = &asset->content->model->resources[i];
        product_compile(pass, file, r->name, r->type, r->index);
    }
}

static bool file_is_selected(const Links* l, const LinkFile* file) {
    const LinkFile* known = l->selection ? links_file(l->selection, file->path) : NULL;
    return !l->selection || (known && known->reached);
}

/* Most of the time is spent on opening and reading files. */
static void sources_read(void* user, u32 first, u32 end, u32 worker) {
    Pass*        pass = user;
    const Links* l = pass->links;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        const LinkFile* file = l->files.at[pass->first_file + i];
        if (file_is_selected(l, file)) asset_read(&pass->project->assets, file->asset);
    }
}

/* Reads and compiles the files that no previous variant has read. */
static void files_compile(Pass* pass) {
    Links*   l = pass->links;
    Assets*  assets = &pass->project->assets;
    JobGroup group = {0};
    pass->first_file = l->files.count;
    for (u32 i = 0; i < assets->count; i++) {
        Asset* asset = assets->asset[i];
        if (asset->has_namesake && assets_image_is_owned(assets, asset)) continue;
        file_add(l, pass->project, asset);
    }
    if (l->pool) {
        ent_job_dispatch(l->pool, &group, l->files.count - pass->first_file, 16, sources_read,
                         pass);
        ent_job_wait(l->pool, &group);
    }
    for (u32 i = pass->first_file; i < l->files.count; i++) {
        if (file_is_selected(l, l->files.at[i])) file_compile(pass, l->files.at[i]);
    }
}

/* --- variants --- */

static int product_order(const void* a, const void* b) {
    const LinkProduct *x = a, *y = b;
    const int          name = strcmp(x->name, y->name);
    if (name) return name;
    if (x->type != y->type) return x->type < y->type ? -1 : 1;
    return strcmp(x->file->path, y->file->path);
}

static void products_sort(Links* l, u32 first) {
    if (l->products.count > first)
        rows_sort(l->products.at + first, l->products.count - first, sizeof(LinkProduct),
                  product_order);
}

/* A resource of a model and a file may have the same name. */
static void pass_check(const Links* l, const Project* project, u32 first) {
    const LinkProduct* at = l->products.at;
    for (u32 i = first + 1; i < l->products.count; i++) {
        if (at[i].type != at[i - 1].type || strcmp(at[i].name, at[i - 1].name) != 0) continue;
        if (assets_image_is_owned(&project->assets, at[i].file->asset) ||
            assets_image_is_owned(&project->assets, at[i - 1].file->asset))
            continue; /* an image of a model has no name */
        diag_error(project->diag, E0303, &at[i].file->asset->source, 0, 1,
                   "\"%s.%s\" has two sources, \"%s\" and \"%s\"; rename one of them", at[i].name,
                   ent_resource_suffix(at[i].type), at[i - 1].file->path, at[i].file->path);
        diag_note(project->diag, &at[i - 1].file->asset->source, 0, 1, "the other source is here");
    }
}

/* --- an entity that gets another name --- */

static void rename_missing(const LinkRename* r, const Project* project, const Asset* asset,
                           u32 prefab) {
    const Doc* doc = asset->content->doc;
    if (form_is_model(asset->form)) {
        diag_error(project->diag, E0306, &asset->source, 0, 1,
                   "the entities of a model are renamed in the program that exports it");
    } else if (prefab == NONE) {
        diag_error(project->diag, E0306, &asset->source, 0, 1,
                   "\"%s.%s\" has no entity \"%s\" to rename", r->resource,
                   ent_resource_suffix(r->type), r->path);
    } else {
        const u32        offset = doc_instance(doc, &doc->nodes.at[prefab]).prefab;
        const JsonString name = json_string_at(&asset->source, offset);
        diag_error(project->diag, E0306, &asset->source, offset, name.raw.bytes + 2,
                   "this file does not define the entity \"%s\"; if it is an entity of the prefab, "
                   "rename it in \"%.*s.entity\"",
                   r->path, (int)name.raw.bytes, name.raw.at);
    }
}

/* Finds the node in the variant of a project. */
static void rename_find(Links* l, Project* project, EntityRename* rename) {
    LinkRename* r = l->rename;
    u32         prefab = NONE;
    Asset*      asset = r ? assets_file(&project->assets, text_of(r->resource), r->type) : NULL;
    if (!asset || !asset_read(&project->assets, asset)) return;
    *rename = (EntityRename){.asset = asset, .node = NONE, .name = r->name};
    if (!form_is_model(asset->form))
        rename->node = doc_path_find(asset->content->doc, r->type == RESOURCE_LEVEL,
                                     text_of(r->path), &prefab);
    if (rename->node != NONE)
        r->found++;
    else if (l->projects.count == 1)
        rename_missing(r, project, asset, prefab);
}

/* Reads what no previous variant has read. Returns an exit code, after reporting errors. */
static int pass_run(Links* l, const BuildOptions* o, Variant variant, JournalUse use) {
    Project*     project = memory_alloc(sizeof *project);
    const u32    first = l->products.count;
    Pass         pass = {.links = l,
                         .project = project,
                         .compile = {.needs_links = true, .needs_was = l->needs_was}};
    EntityRename rename = {.node = NONE};
    *array_push(&l->projects) = project;
    const Project* other = l->projects.count > 1 ? l->projects.at[0] : NULL;
    int            code = project_open(project, o->source, variant, &o->plugins, other, use);
    if (l->projects.count == 1) l->assets = &project->assets, l->diag = project->diag;
    if (code == EXIT_OK && l->projects.count == 1) {
        code = settings_check_variant(&project->settings, variant);
    }
    if (code == EXIT_OK) {
        diag_mute_warnings(project->diag); /* a build reports them */
        l->root = project->tree.root;
        project->assets.complete = true;
        rename_find(l, project, &rename);
        if (rename.node != NONE) pass.compile.rename = &rename;
        files_compile(&pass);
        products_sort(l, first);
        pass_check(l, project, first);
    }
    memory_free(pass.compile.read_stamp);
    memory_free(pass.compile.asset_bytes);
    return project_report(project, code, o->messages.format, o->messages.color);
}

/* The tags of a file as a variant: it does not matter which of the two is the language. */
static Variant variant_of(Arena* arena, Text tags) {
    const char* text = arena_text(arena, tags);
    char*       dot = strchr(text, '.');
    if (!dot) return (Variant){text, NULL};
    *dot = 0;
    return (Variant){text, dot + 1};
}

static int variants_run(Links* l, const BuildOptions* o) {
    ARRAY(Text) seen = {0};
    const Tree*     tree = &l->projects.at[0]->tree;
    int             code = EXIT_OK;
    const Settings* settings = &l->projects.at[0]->settings;
    for (u32 i = 0; i < tree->files.count && code == EXIT_OK; i++) {
        const TreeFile* file = &tree->files.at[i];
        const Text      tags = settings_suffix(settings, tree_relative(file)).tags;
        bool            known = tags.bytes == 0;
        for (u32 k = 0; k < seen.count; k++) known |= text_equal(seen.at[k], tags);
        if (known) continue;
        *array_push(&seen) = tags;
        code = pass_run(l, o, variant_of(&l->arena, tags), JOURNAL_REFUSE);
    }
    array_drop(&seen);
    return code;
}

/* --- all references --- */

void links_sort(Links* l) {
    products_sort(l, 0);
    l->places.count = link_places_sort(l->places.at, l->places.count);
}

static int file_order(const void* a, const void* b) {
    const LinkFile *const *x = a, *const *y = b;
    return strcmp((*x)->path, (*y)->path);
}

void links_sort_files(Links* l) {
    rows_sort(l->files.at, l->files.count, sizeof *l->files.at, file_order);
}

int links_open(Links* l, const BuildOptions* o, bool every, JournalUse use) {
    *l = (Links){.needs_was = l->needs_was,
                 .is_tolerant = l->is_tolerant,
                 .rename = l->rename,
                 .selection = l->selection};
    /* Commands that change the folder are tested by being killed at each system call, of which
     * threads would make another number each time. */
    if (use == JOURNAL_REFUSE) l->pool = ent_job_pool_create(ent_job_processor_count() - 1, NULL);
    int code = pass_run(l, o, o->variant, use);
    if (code == EXIT_OK && every) code = variants_run(l, o);
    links_sort(l);
    return code;
}

void links_close(Links* l) {
    for (u32 i = 0; i < l->files.count && l->stored; i++)
        file_unmap(&l->files.at[i]->asset->content->view);
    for (u32 i = 0; i < l->projects.count; i++) {
        project_close(l->projects.at[i]);
        memory_free(l->projects.at[i]);
    }
    array_drop(&l->projects);
    array_drop(&l->files);
    array_drop(&l->places);
    array_drop(&l->products);
    array_drop(&l->targets);
    array_drop(&l->besides);
    array_drop(&l->was);
    array_drop(&l->renames);
    slots_drop(&l->file_slots);
    arena_drop(&l->arena);
    ent_job_pool_destroy(l->pool);
}

LinkFile* links_file(const Links* l, const char* path) {
    Search s = search_between(0, l->files.count);
    while (search_continues(&s)) search_narrow(&s, strcmp(l->files.at[s.middle]->path, path) < 0);
    LinkFile* file = s.first < l->files.count ? l->files.at[s.first] : NULL;
    return file && strcmp(file->path, path) == 0 ? file : NULL;
}

u32 links_first_place(const Links* l, const LinkFile* file) {
    Search s = search_between(0, l->places.count);
    while (search_continues(&s))
        search_narrow(&s, strcmp(l->places.at[s.middle].file->path, file->path) < 0);
    return s.first;
}

LinkProduct* links_find(const Links* l, Text name, ResourceType type) {
    Search s = search_between(0, l->products.count);
    while (search_continues(&s)) {
        const LinkProduct* p = &l->products.at[s.middle];
        const Text         existing = text_of(p->name);
        int                order = memcmp(existing.at, name.at, MIN_OF(existing.bytes, name.bytes));
        if (order == 0) order = existing.bytes < name.bytes ? -1 : existing.bytes > name.bytes;
        search_narrow(&s, order < 0 || (order == 0 && p->type < type));
    }
    LinkProduct* p = s.first < l->products.count ? &l->products.at[s.first] : NULL;
    return p && p->type == type && text_equal(text_of(p->name), name) ? p : NULL;
}

/* Are there files of a resource, or of any of its variants, that were reached? */
static bool product_is_reached(const Links* l, u32 first) {
    const LinkProduct* p = &l->products.at[first];
    for (u32 i = first; i < l->products.count; i++) {
        const LinkProduct* q = &l->products.at[i];
        if (q->type != p->type || strcmp(q->name, p->name) != 0) return false;
        if (q->file->reached) return true;
    }
    return false;
}

void links_reach_dependents(Links* l) {
    u32* target = memory_alloc(sizeof *target * ((size_t)l->places.count + 1));
    bool more = true;
    for (u32 i = 0; i < l->places.count; i++) {
        const LinkPlace*   place = &l->places.at[i];
        const LinkProduct* p = links_find(l, text_of(place->name), place->type);
        target[i] = p ? (u32)(p - l->products.at) : NONE;
    }
    while (more) {
        more = false;
        for (u32 i = 0; i < l->places.count; i++) {
            LinkFile* file = (LinkFile*)l->places.at[i].file;
            if (file->reached || target[i] == NONE || !product_is_reached(l, target[i])) continue;
            file->reached = more = true;
        }
    }
    memory_free(target);
}

LinkProduct* links_named(Links* l, const char* resource, int* code) {
    Text         name;
    ResourceType type;
    *code = EXIT_USAGE;
    if (!resource_parse(resource, &name, &type)) return NULL;
    LinkProduct* product = links_find(l, name, type);
    *code = product ? EXIT_OK : EXIT_IO;
    if (product) return product;
    const char* near = assets_nearest(&l->projects.at[0]->assets, name, type);
    fprintf(stderr, "entc: error: there is no \"%s\" in \"%s\"%s%s%s%s%s\n", resource, l->root,
            ASSETS_NEAREST(near, type));
    return NULL;
}

void links_locate(LinkCursor* c, const LinkPlace* place) {
    const Source* source = &place->file->asset->source;
    if (place->line) {
        *c = (LinkCursor){.line = place->line, .column = place->column};
        return;
    }
    if (c->file != place->file) *c = (LinkCursor){.file = place->file, .line = 1};
    for (const char* end;
         (end = memchr(source->text + c->offset, '\n', place->offset - c->offset));) {
        c->line++;
        c->offset = c->line_start = (u32)(end - source->text) + 1;
    }
    c->offset = place->offset;
    c->column = place->offset - c->line_start + 1;
}
