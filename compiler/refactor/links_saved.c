/* links_saved.c - writes and reads the references of a folder. */
#include "links_saved.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "database.h"
#include "exit_codes.h"
#include "hash.h"
#include "json.h"
#include "link_paths.h"
#include "link_places.h"
#include "links_rows.h"
#include "links_update.h"
#include "print.h"
#include "process.h"
#include "search.h"
#include "text_scan.h"

#define SAVED_NAME "links"

/* --- what the references depend on --- */

static void object_print(void* user, const char* name, const char* id) {
    if (strncmp(name, "linux-", 6) == 0) return; /* the kernel's */
    fprintf(user, "%s\t%s\n", name, id);
}

/* After a restart of the machine, a file may have lost content while its stamp remains. */
static Hash128 identity_of(const BuildOptions* o) {
    char  boot[128];
    Print print;
    FILE* out = print_begin(&print);
    boot_name(boot, sizeof boot);
    process_objects(object_print, out);
    fprintf(out, "%s\t%s\t%s\n", o->lang ? o->lang : "", o->platform ? o->platform : "", boot);
    print_end(&print);
    const Hash128 hash = hash_content(print.text, strlen(print.text));
    free(print.text);
    return hash;
}

/* Rows of a saved file are in the order of their paths. */
static u32 file_find(const Saved* s, const char* path) {
    const u32 count = s->head->file_count;
    Search    at = search_between(0, count);
    while (search_continues(&at))
        search_narrow(&at, strcmp(s->text + s->files[at.middle].path, path) < 0);
    return at.first < count && strcmp(s->text + s->files[at.first].path, path) == 0 ? at.first
                                                                                    : NONE;
}

/* Is a file unchanged, according to its stamp? */
static bool is_settled(const Saved* s, const SavedFile* was, const TreeFile* now) {
    return file_stamp_equal(&was->stamp, &now->stamp) &&
           file_stamp_is_settled(&now->stamp, s->head->scanned_ns);
}

/* The stamp is read before the content, so that a later change has another stamp. */
static bool content_is_same(const SavedFile* was, TreeFile* now) {
    FileView view;
    if (now->kind != FILE_REGULAR || file_map_stamped(&view, now->path, &now->stamp) != ENT_OK)
        return false;
    const bool same = hash_equal(hash_content(view.bytes, view.size), was->hash);
    file_unmap(&view);
    return same;
}

/* The most files with other contents of which only these and their dependents are compiled. */
#define CHANGED_MAX 256u

/* The differences between a folder and the saved files. */
typedef struct Differences {
    bool read;                  /* a stamp is not current, or not older than the list */
    ARRAY(const char*) changed; /* paths of sources with another content */
} Differences;

/* May a change of the content of a source only affect the source and those that refer to it? The
 * name of its resource is that of the file, and the others are not read before it. */
static bool changes_alone(const SavedFile* file) {
    return file->name != NO_NAME_TEXT && file->form == ASSET_JSON && file->kind == FILE_REGULAR &&
           file->type != RESOURCE_COMPONENT && file->type != RESOURCE_DATA;
}

/* Are all files there, and no others, and are they unchanged, except for the contents of a few
 * sources? Of a file whose stamp does not prove that it is unchanged, the content decides; it gets
 * its current stamp. */
static bool folder_compare(const Saved* s, Tree* tree, Differences* d) {
    typedef struct Row {
        TreeFile*        now;
        const SavedFile* was;
    } Row;
    ARRAY(Row) unsettled = {0};
    bool same = tree->files.count == s->head->file_count;
    for (u32 i = 0; i < tree->files.count && same; i++) {
        TreeFile*        now = &tree->files.at[i];
        const u32        row = file_find(s, tree_relative(now));
        const SavedFile* was = row == NONE ? NULL : &s->files[row];
        same = was && was->kind == now->kind && was->link == now->link;
        if (!same || is_settled(s, was, now)) continue;
        same = has_hash(was);
        *array_push(&unsettled) = (Row){now, was};
    }
    for (u32 i = 0; i < unsettled.count && same; i++) {
        const Row* row = &unsettled.at[i];
        if (content_is_same(row->was, row->now)) continue;
        *array_push(&d->changed) = tree_relative(row->now);
        same = changes_alone(row->was) && d->changed.count <= CHANGED_MAX;
    }
    d->read = unsettled.count > 0;
    array_drop(&unsettled);
    return same;
}

/* --- reading --- */

static const char* text_restore(Links* l, const Saved* s, u32 at) {
    return arena_text(&l->arena, text_of(s->text + at));
}

/* Assets without their content. */
static LinkFile* file_restore(Links* l, const Saved* s, const SavedFile* row) {
    Asset*       asset = ARENA_NEW(&l->arena, Asset, 1);
    LinkFile*    file = ARENA_NEW(&l->arena, LinkFile, 1);
    const size_t root = strlen(l->root), bytes = strlen(s->text + row->path);
    char* const  path = arena_alloc(&l->arena, root + bytes + 2);
    memcpy(path, l->root, root);
    path[root] = '/';
    memcpy(path + root + 1, s->text + row->path, bytes + 1);
    asset->name = text_restore(l, s, row->name);
    asset->type = (ResourceType)row->type;
    asset->form = (AssetForm)row->form;
    asset->image_offset = row->image_offset;
    asset->source = source_of(path, "", 0);
    *file =
        (LinkFile){.asset = asset, .path = path + root + 1, .link = row->link, .hash = row->hash};
    *array_push(&l->files) = file;
    return file;
}

static void links_restore(Links* l, LinksSaved* saved, const Saved* s) {
    LinkFile** file = memory_alloc(sizeof *file * (s->head->file_count + 1));
    for (u32 i = 0; i < s->head->file_count; i++) {
        const SavedFile* row = &s->files[i];
        if (row->name != NO_NAME_TEXT)
            file[i] = file_restore(l, s, row);
        else if (has_hash(row))
            *array_push(&saved->others) = (SavedOther){text_restore(l, s, row->path), row->hash};
    }
    for (u32 i = 0; i < s->head->place_count; i++) {
        const SavedPlace* p = &s->places[i];
        *array_push(&l->places) = (LinkPlace){.file = file[p->file],
                                              .kind = (LinkKind)p->kind,
                                              .offset = p->offset,
                                              .bytes = p->bytes,
                                              .name = text_restore(l, s, p->name),
                                              .type = (ResourceType)p->type,
                                              .line = p->line,
                                              .column = p->column};
    }
    for (u32 i = 0; i < s->head->product_count; i++) {
        const SavedProduct* p = &s->products[i];
        *array_push(&l->products) = (LinkProduct){.name = text_restore(l, s, p->name),
                                                  .type = (ResourceType)p->type,
                                                  .file = file[p->file]};
    }
    for (u32 i = 0; i < s->head->target_count; i++) {
        const SavedTarget* t = &s->targets[i];
        *array_push(&l->targets) = (LinkTarget){file[t->file], text_restore(l, s, t->path)};
    }
    l->saved = true;
    memory_free(file);
}

/* --- writing --- */

typedef struct Draft {
    ARRAY(SavedFile) files;
    ARRAY(SavedPlace) places;
    ARRAY(SavedProduct) products;
    ARRAY(SavedTarget) targets;
    ARRAY(char) text;
} Draft;

static u32 draft_add(Draft* d, const char* text) {
    const u32 at = d->text.count, bytes = (u32)strlen(text) + 1;
    array_append(&d->text, text, bytes);
    return at;
}

static int path_order(const void* a, const void* b) {
    const TreeFile *const *x = a, *const *y = b;
    return strcmp(tree_relative(*x), tree_relative(*y));
}

static u32 draft_find(const Draft* d, const char* path) {
    const SavedHead head = {.file_count = d->files.count};
    const Saved     s = {.head = &head, .files = d->files.at, .text = d->text.at};
    return file_find(&s, path);
}

static void draft_files(Draft* d, const Links* l, const LinksSaved* saved) {
    const Tree* const tree = saved->tree;
    const u32         count = tree->files.count;
    const TreeFile**  sorted = memory_alloc(sizeof *sorted * ((size_t)count + 1));
    for (u32 i = 0; i < count; i++) sorted[i] = &tree->files.at[i];
    rows_sort(sorted, count, sizeof *sorted, path_order);
    array_reserve(&d->files, count);
    for (u32 i = 0; i < count; i++) {
        *array_push(&d->files) = (SavedFile){.path = draft_add(d, tree_relative(sorted[i])),
                                             .kind = sorted[i]->kind,
                                             .link = sorted[i]->link,
                                             .stamp = sorted[i]->stamp};
    }
    memory_free(sorted);
    for (u32 i = 0, row = 0; i < l->files.count; i++) {
        LinkFile* file = l->files.at[i];
        int       order = -1;
        while (row < count && (order = strcmp(d->text.at + d->files.at[row].path, file->path)) < 0)
            row++;
        file->row = order == 0 ? row++ : NONE;
        if (file->row == NONE) continue; /* it is new, so that what is written will not be used */
        SavedFile* f = &d->files.at[file->row];
        f->name = draft_add(d, file->asset->name);
        f->type = file->asset->type;
        f->form = file->asset->form;
        f->image_offset = file->asset->image_offset;
        f->hash = file->hash;
    }
    for (u32 i = 0; i < saved->others.count; i++) {
        const u32 row = draft_find(d, saved->others.at[i].path);
        if (row != NONE) d->files.at[row].hash = saved->others.at[i].hash;
    }
}

static void draft_fill(Draft* d, const Links* l, const LinksSaved* saved) {
    draft_add(d, "");
    draft_files(d, l, saved);
    array_reserve(&d->places, l->places.count);
    array_reserve(&d->products, l->products.count);
    for (u32 i = 0; i < l->places.count; i++) {
        const LinkPlace* p = &l->places.at[i];
        *array_push(&d->places) =
            (SavedPlace){p->file->row,          p->kind, p->offset, p->bytes, p->line, p->column,
                         draft_add(d, p->name), p->type};
    }
    for (u32 i = 0; i < l->products.count; i++) {
        const LinkProduct* p = &l->products.at[i];
        *array_push(&d->products) = (SavedProduct){p->file->row, draft_add(d, p->name), p->type};
    }
    for (u32 i = 0; i < l->targets.count; i++) {
        const LinkTarget* t = &l->targets.at[i];
        *array_push(&d->targets) = (SavedTarget){t->file->row, draft_add(d, t->path)};
    }
}

static void draft_drop(Draft* d) {
    array_drop(&d->files);
    array_drop(&d->places);
    array_drop(&d->products);
    array_drop(&d->targets);
    array_drop(&d->text);
}

ent_status links_write(const Links* l, const LinksSaved* saved) {
    Draft d = {0};
    draft_fill(&d, l, saved);
    SavedHead      head = {.version = SAVED_VERSION,
                           .row_bytes = ROW_BYTES,
                           .identity = saved->identity,
                           .scanned_ns = saved->scanned_ns,
                           .file_count = d.files.count,
                           .place_count = d.places.count,
                           .product_count = d.products.count,
                           .target_count = d.targets.count,
                           .text_bytes = d.text.count};
    const FilePart parts[] = {{&head, sizeof head},
                              {d.files.at, sizeof *d.files.at * d.files.count},
                              {d.places.at, sizeof *d.places.at * d.places.count},
                              {d.products.at, sizeof *d.products.at * d.products.count},
                              {d.targets.at, sizeof *d.targets.at * d.targets.count},
                              {d.text.at, d.text.count}};
    FilePart       hashed[COUNT_OF(parts)];
    memcpy(head.magic, SAVED_MAGIC, sizeof head.magic);
    memcpy(hashed, parts, sizeof parts);
    hashed[0] = (FilePart){(const u8*)&head + HASHED_FROM, sizeof head - HASHED_FROM};
    head.hash = hash_content_parts(hashed, COUNT_OF(hashed));
    const ent_status status = file_put_parts(saved->path, parts, COUNT_OF(parts), NULL);
    const int        kept = errno;
    draft_drop(&d);
    errno = kept;
    return status;
}

int links_save(const Links* l, const LinksSaved* saved) {
    return links_write(l, saved) == ENT_OK ? EXIT_OK : io_failure("cannot write", saved->path);
}

static void target_add(void* user, LinkFile* file, const LinkPath* path) {
    Links*      l = user;
    const Text  root = text_of(l->assets->root_real);
    const char* target = link_path_target(l, file, path->relative);
    if (strncmp(target, root.at, root.bytes) == 0 && target[root.bytes] == '/')
        *array_push(&l->targets) = (LinkTarget){file, target + root.bytes + 1};
}

static int target_order(const void* a, const void* b) {
    const LinkTarget *x = a, *y = b;
    const int         file = strcmp(x->file->path, y->file->path);
    return file ? file : strcmp(x->path, y->path);
}

static void targets_sort(Links* l) {
    rows_sort(l->targets.at, l->targets.count, sizeof(LinkTarget), target_order);
}

void links_settle(Links* l) {
    links_sort(l);
    links_sort_files(l);
    targets_sort(l);
}

void links_complete(Links* l) {
    LinkCursor at = {0};
    for (u32 i = 0; i < l->files.count; i++) {
        LinkFile* file = l->files.at[i];
        if (file->asset->state != ASSET_VALID) continue; /* it is not selected */
        file->hash = file->asset->hash;
        link_paths_visit(l, file, target_add, l);
    }
    for (u32 i = 0; i < l->places.count; i++) {
        LinkPlace* place = &l->places.at[i];
        links_locate(&at, place);
        place->line = at.line, place->column = at.column;
    }
    targets_sort(l);
}

/* --- the command --- */

/* The sources of saved references, without their contents. Returns an exit code; `has_errors`: they
 * have errors, which are reported when they are compiled. */
static int project_open_saved(Links* l, LinksSaved* saved, const BuildOptions* o,
                              bool* has_errors) {
    Project* project = memory_alloc(sizeof *project);
    *array_push(&l->projects) = project;
    const int code = project_open_listed(project, &saved->listed, (Variant){o->lang, o->platform});
    l->assets = &project->assets, l->diag = project->diag;
    saved->tree = &project->tree;
    *has_errors = diag_error_count(project->diag) > 0;
    return code;
}

/* What the caller of links_open_saved specifies. */
typedef struct Reading {
    const BuildOptions* options;
    JournalUse          use;
    LinksSuffice        suffice;
    const void*         user;
} Reading;

/* A long list is read by all threads. A short one is not: commands that change the folder are tested
 * by being killed at each system call, of which threads would make another number each time. */
#define FILES_FOR_THREADS 1000u

/* Lists the folder. Returns false when it cannot be read, which is reported when it is compiled. */
static bool folder_read(LinksSaved* saved, const BuildOptions* o, bool is_long) {
    const char* failed;
    JobPool*    pool = is_long ? ent_job_pool_create(ent_job_processor_count() - 1, NULL) : NULL;
    const bool  read = tree_read(&saved->listed, o->source, true, pool, &failed) == ENT_OK;
    ent_job_pool_destroy(pool);
    saved->tree = &saved->listed;
    return read;
}

/* Replaces the references of the sources that have changed. Returns an exit code; `found` is false
 * when the folder has to be compiled. */
static int saved_update(Links* l, const BuildOptions* o, JournalUse use, const Differences* d,
                        bool* found) {
    if (d->changed.count == 0) return EXIT_OK;
    for (u32 i = 0; i < d->changed.count; i++) links_file(l, d->changed.at[i])->reached = true;
    return links_update(l, o, use, found);
}

/* Returns an exit code; `found`: the file is used. */
static int saved_use(Links* l, LinksSaved* saved, const Saved* s, const Reading* r, Differences* d,
                     bool* found) {
    const bool needs_project = l->needs_project;
    bool       has_errors = false;
    if (saved->is_distrusted || !hash_equal(s->head->identity, saved->identity) ||
        !folder_compare(s, &saved->listed, d))
        return EXIT_OK;
    *l = (Links){0};
    l->root = arena_text(&l->arena, text_of(saved->tree->root));
    links_restore(l, saved, s);
    *found = r->suffice(l, r->user);
    int code = *found ? saved_update(l, r->options, r->use, d, found) : EXIT_OK;
    if (code == EXIT_OK && *found && needs_project)
        code = project_open_saved(l, saved, r->options, &has_errors);
    *found &= !has_errors;
    if (*found) return code;
    if (has_errors) saved->path[0] = 0; /* the list of files is the project's, which is closed */
    links_close(l);
    saved->others.count = 0;
    return code;
}

/* Returns an exit code. */
static int saved_read(Links* l, LinksSaved* saved, const Reading* r, Differences* d, bool* found) {
    FileView         view = {0};
    Saved            s = {0};
    int              code = EXIT_OK;
    const ent_status status = file_map(&view, saved->path);
    if (status != ENT_OK && status != ENT_NOT_FOUND) return io_failure("cannot read", saved->path);
    const bool valid = status == ENT_OK && links_rows_open(&s, &view);
    const bool is_long = valid && s.head->file_count >= FILES_FOR_THREADS;
    if (!folder_read(saved, r->options, is_long))
        saved->path[0] = 0;
    else if (valid)
        code = saved_use(l, saved, &s, r, d, found);
    if (status == ENT_OK) file_unmap(&view);
    return code;
}

bool links_locate_saved(LinksSaved* saved, const BuildOptions* o) {
    const bool stored = o->out && o->plugins.count == 0 &&
                        database_beside(o->out, SAVED_NAME, saved->path, sizeof saved->path);
    if (stored)
        saved->identity = identity_of(o);
    else
        saved->path[0] = 0;
    return stored;
}

int links_open_saved(Links* l, LinksSaved* saved, const BuildOptions* o, JournalUse use,
                     LinksSuffice suffice, const void* user) {
    const Links   before = *l; /* what the caller has set */
    const Reading reading = {o, use, suffice, user};
    Differences   d = {0};
    bool          found = false;
    saved->scanned_ns = clock_wall_ns();
    if (!links_locate_saved(saved, o)) return links_open(l, o, true, use);
    int code = move_finish(o->source, use);
    if (code == EXIT_OK) code = saved_read(l, saved, &reading, &d, &found);
    array_drop(&d.changed);
    if (code == EXIT_OK && !found) {
        *l = before;
        code = links_open(l, o, true, use);
    }
    if (code != EXIT_OK || !*saved->path) return code;
    if (!found) {
        links_sort_files(l);
        links_complete(l);
    }
    if (o->dry_run || (found && (use == JOURNAL_OWN || !d.read))) return EXIT_OK;
    return links_save(l, saved);
}

void links_saved_close(LinksSaved* saved) {
    tree_drop(&saved->listed);
    array_drop(&saved->others);
}

/* --- contents --- */

/* The text of a source; false: it has none. */
static bool text_set(Links* l, Asset* asset) {
    Text text = {(const char*)asset->view.bytes, (u32)asset->view.size};
    if (asset->form == ASSET_GLB) { /* copied: a Source ends with a NUL */
        if (!glb_json(asset->view.bytes, asset->view.size, &text)) return false;
        text.at = arena_text(&l->arena, text);
    }
    asset->source = source_of(asset->source.path, text.at, text.bytes);
    return true;
}

/* The text of a reference is the name that is stored, or a pattern. */
static bool place_is_there(Links* l, const LinkPlace* place, Diagnostics* diag) {
    const Source source = source_own(&place->file->asset->source);
    const char*  slash = strrchr(place->name, '/');
    const u32    name = (u32)strlen(place->name);
    const char*  suffix = ent_resource_suffix(place->type);
    JsonString   text;
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
static bool image_is_there(const Asset* asset) {
    const Source* source = &asset->source;
    const Text    key = text_of("\"image\"");
    u32           at = asset->image_offset;
    if (at == 0) return true;
    if (at >= source->bytes || source->text[at] != '"') return false;
    while (at && text_is_space(source->text[at - 1])) at--;
    if (at == 0 || source->text[--at] != ':') return false;
    while (at && text_is_space(source->text[at - 1])) at--;
    return at >= key.bytes && memcmp(source->text + at - key.bytes, key.at, key.bytes) == 0;
}

bool links_fit(Links* l, const LinkFile* file, Diagnostics* diag) {
    bool fit = image_is_there(file->asset);
    for (u32 i = links_first_place(l, file);
         i < l->places.count && l->places.at[i].file == file && fit; i++)
        fit = place_is_there(l, &l->places.at[i], diag);
    return fit;
}

bool links_load(Links* l, LinkFile* file) {
    Asset* asset = file->asset;
    if (links_are_loaded(l, file)) return true;
    if (!asset_load(&l->projects.at[0]->assets, asset) || !hash_equal(asset->hash, file->hash))
        return false;
    return form_is_bytes(asset->form) || (text_set(l, asset) && links_fit(l, file, l->diag));
}
