/* link_store.c - reads the references of a folder from the build database, and stores them there. */
#include "link_store.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "database_links.h"
#include "diag.h"
#include "exit_codes.h"
#include "failure.h"
#include "identity.h"
#include "link_places.h"
#include "link_update.h"

/* --- the folder --- */

/* The stamp is read before the content, so that a later change has another stamp. */
static bool content_read(const TreeFile* file, DatabaseSeen* seen) {
    FileView view;
    if (file_map_stamped(&view, file->path, &seen->stamp) != ENT_OK) return false;
    seen->hash = hash_content(view.bytes, view.size);
    file_unmap(&view);
    return true;
}

/* Does the database prove which content a file has? */
static bool content_is_known(const Database* db, const TreeFile* file, u32 row,
                             DatabaseSeen* seen) {
    if (row == NONE) return false;
    const DatabaseFile* known = &db->files[row];
    if (hash_equal(known->hash, (Hash128){0, 0})) return false;
    if (!database_is_settled(db, &known->stamp, &file->stamp, db->head->scanned_ns)) return false;
    seen->stamp = known->stamp;
    seen->hash = known->hash;
    return true;
}

/* [files of the database] The rows of the references of each, or NONE: to find a path in the database is
 * faster than to find it in their order. */
static u32* rows_join(const Stored* s, const Database* db) {
    u32* stored = memory_alloc_raw(sizeof *stored * ((size_t)db->head->file_count + 1));
    for (u32 i = 0; i < db->head->file_count; i++) stored[i] = NONE;
    for (u32 i = 0; i < s->head->file_count; i++) {
        const u32 row = database_file(db, s->text + s->files[i].path);
        if (row != NONE) stored[row] = i;
    }
    return stored;
}

/* The limit for files with other contents of which only these and their dependents are compiled. */
#define CHANGED_MAX 256u

/* The differences between a folder and stored references. */
typedef struct Differences {
    ARRAY(u32) unknown;         /* files of the tree whose content has to be read, and their rows */
    ARRAY(const char*) changed; /* paths of sources with another content */
} Differences;

/* May a change of the content of a source only affect the source and those that refer to it? The
 * name of its resource is that of the file, and the others are not read before it. */
static bool changes_alone(const StoredFile* file) {
    return file->name != STORED_NO_NAME && file->form == ASSET_JSON && file->kind == FILE_REGULAR &&
           file->type != RESOURCE_COMPONENT && file->type != RESOURCE_DATA;
}

/* Adds what is known about a file to the list. Returns false when its content is another one, and the
 * folder has to be compiled for that. */
static bool content_compare(LinkStore* store, const StoredFile* stored, const DatabaseSeen* seen,
                            Differences* d) {
    *array_push(&store->seen) = *seen;
    if (hash_equal(seen->hash, stored->hash)) return true;
    *array_push(&d->changed) = seen->path;
    return changes_alone(stored) && d->changed.count <= CHANGED_MAX;
}

/* Are all files there, and no others, and do those on which references depend have the same content,
 * except for a few sources? */
static bool folder_compare(const Stored* s, LinkStore* store, Differences* d) {
    const Database* db = &store->database;
    const Tree*     tree = store->tree;
    u32*            joined = rows_join(s, db);
    bool            same = tree->files.count == s->head->file_count;
    for (u32 i = 0; i < tree->files.count && same; i++) {
        const TreeFile*   file = &tree->files.at[i];
        DatabaseSeen      seen = {.path = tree_relative(file)};
        const u32         known = database_file(db, seen.path);
        const u32         row = known == NONE ? stored_file_find(s, seen.path) : joined[known];
        const StoredFile* stored = row == NONE ? NULL : &s->files[row];
        same = stored && stored->kind == (u32)file->kind && stored->link == (u32)file->link;
        if (!same || !stored_has_hash(stored)) continue;
        if (content_is_known(db, file, known, &seen)) {
            same = content_compare(store, stored, &seen, d);
        } else {
            *array_push(&d->unknown) = i;
            *array_push(&d->unknown) = row;
        }
    }
    memory_free(joined);
    for (u32 i = 0; i < d->unknown.count && same; i += 2) {
        const TreeFile* file = &tree->files.at[d->unknown.at[i]];
        DatabaseSeen    seen = {.path = tree_relative(file)};
        same = content_read(file, &seen) &&
               content_compare(store, &s->files[d->unknown.at[i + 1]], &seen, d);
    }
    return same;
}

/* --- reading --- */

static const char* text_restore(Links* l, const Stored* s, u32 at) {
    return arena_text(&l->arena, text_of(s->text + at));
}

/* Assets without their content. */
static LinkFile* file_restore(Links* l, const Stored* s, const StoredFile* row) {
    Asset*       asset = ARENA_NEW(&l->arena, Asset, 1);
    LinkFile*    file = ARENA_NEW(&l->arena, LinkFile, 1);
    const size_t root = strlen(l->root), bytes = strlen(s->text + row->path);
    char* const  path = arena_alloc(&l->arena, root + bytes + 2);
    memcpy(path, l->root, root);
    path[root] = '/';
    memcpy(path + root + 1, s->text + row->path, bytes + 1);
    asset->content = ARENA_NEW(&l->arena, AssetContent, 1);
    asset->outline = ARENA_NEW(&l->arena, AssetOutline, 1);
    asset->name = text_restore(l, s, row->name);
    asset->type = (ResourceType)row->type;
    asset->form = (AssetForm)row->form;
    asset->content->image_offset = row->image_offset;
    asset->source = source_of(path, "", 0);
    *file =
        (LinkFile){.asset = asset, .path = path + root + 1, .link = row->link, .hash = row->hash};
    *array_push(&l->files) = file;
    return file;
}

static void links_restore(Links* l, LinkStore* store, const Stored* s) {
    LinkFile** file = memory_alloc(sizeof *file * (s->head->file_count + 1));
    for (u32 i = 0; i < s->head->file_count; i++) {
        const StoredFile* row = &s->files[i];
        if (row->name != STORED_NO_NAME)
            file[i] = file_restore(l, s, row);
        else if (strcmp(s->text + row->path, SETTINGS_FILE) == 0)
            store->settings = row->hash;
    }
    for (u32 i = 0; i < s->head->place_count; i++) {
        const StoredPlace* p = &s->places[i];
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
        const StoredProduct* p = &s->products[i];
        *array_push(&l->products) = (LinkProduct){.name = text_restore(l, s, p->name),
                                                  .type = (ResourceType)p->type,
                                                  .file = file[p->file]};
    }
    for (u32 i = 0; i < s->head->target_count; i++) {
        const StoredTarget* t = &s->targets[i];
        *array_push(&l->targets) = (LinkTarget){file[t->file], text_restore(l, s, t->path)};
    }
    for (u32 i = 0; i < s->head->beside_count; i++) {
        const StoredBeside* b = &s->besides[i];
        const StoredFile*   other = &s->files[b->other];
        *array_push(&l->besides) =
            (LinkBeside){file[b->file], text_restore(l, s, other->path), other->hash};
    }
    l->stored = true;
    memory_free(file);
}

int links_store(const Links* l, const LinkStore* store) {
    u8*              bytes;
    const Text       part = links_part(l, store, &bytes);
    const ent_status status = database_renew(&store->database, store->out, part, store->seen.at,
                                             store->seen.count, store->scanned_ns);
    const int        kept = errno;
    memory_free(bytes);
    errno = kept;
    return status == ENT_OK ? EXIT_OK
                            : io_failure("cannot write the build database in", store->out);
}

/* --- the command --- */

/* The sources of stored references, without their contents. Returns an exit code; `has_errors`: they
 * have errors, which are reported when they are compiled. */
static int project_open_stored(Links* l, LinkStore* store, const BuildOptions* o,
                               bool* has_errors) {
    Project* project = memory_alloc(sizeof *project);
    *array_push(&l->projects) = project;
    const int code = project_open_listed(project, &store->listed, o->variant);
    l->assets = &project->assets, l->diag = project->diag;
    store->tree = &project->tree;
    *has_errors = diag_error_count(project->diag) > 0;
    return code;
}

/* What the caller of links_open_stored specifies. */
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
static bool folder_read(LinkStore* store, const BuildOptions* o) {
    const char* failed;
    const bool  is_long = store->database.head->file_count >= FILES_FOR_THREADS;
    JobPool*    pool = is_long ? ent_job_pool_create(ent_job_processor_count() - 1, NULL) : NULL;
    const bool  read = tree_read(&store->listed, o->source, true, pool, &failed) == ENT_OK;
    ent_job_pool_destroy(pool);
    store->tree = &store->listed;
    return read;
}

/* Replaces the references of the sources that have changed. Returns an exit code; `found` is false
 * when the folder has to be compiled. */
static int stored_update(Links* l, const Reading* r, const Differences* d, bool* found) {
    if (d->changed.count == 0) return EXIT_OK;
    for (u32 i = 0; i < d->changed.count; i++) links_file(l, d->changed.at[i])->reached = true;
    return links_update(l, r->options, r->use, found);
}

/* Returns an exit code; `found`: stored references are used. */
static int stored_use(Links* l, LinkStore* store, const Stored* s, const Reading* r, Differences* d,
                      bool* found) {
    const bool needs_project = l->needs_project;
    bool       has_errors = false;
    if (store->is_distrusted || !hash_equal(s->head->identity, store->identity) ||
        !folder_compare(s, store, d))
        return EXIT_OK;
    *l = (Links){0};
    l->root = arena_text(&l->arena, text_of(store->tree->root));
    links_restore(l, store, s);
    *found = r->suffice(l, r->user);
    int code = *found ? stored_update(l, r, d, found) : EXIT_OK;
    if (code == EXIT_OK && *found && needs_project)
        code = project_open_stored(l, store, r->options, &has_errors);
    *found &= !has_errors;
    if (*found) return code;
    if (has_errors) store->out = NULL; /* the list of files is the project's, which is closed */
    links_close(l);
    return code;
}

/* Opens the database; without a valid one, references are not stored. Returns an exit code. */
static int store_open(LinkStore* store, const BuildOptions* o) {
    if (!o->out || o->plugins.count > 0) return EXIT_OK;
    if (database_open(&store->database, o->out, DATABASE_FILES) != ENT_OK)
        return io_failure("cannot read the build database in", o->out);
    if (!store->database.head) return EXIT_OK;
    store->out = o->out;
    store->identity = identity_program(o->variant);
    return EXIT_OK;
}

/* Returns an exit code. */
static int stored_read(Links* l, LinkStore* store, const Reading* r, Differences* d, bool* found) {
    Stored s;
    int    code = EXIT_OK;
    if (!folder_read(store, r->options))
        store->out = NULL;
    else if (stored_open(&s, store->database.links))
        code = stored_use(l, store, &s, r, d, found);
    if (!*found) store->seen.count = 0;
    return code;
}

int links_open_stored(Links* l, LinkStore* store, const BuildOptions* o, JournalUse use,
                      LinksSuffice suffice, const void* user) {
    const Links   before = *l; /* what the caller has set */
    const Reading reading = {o, use, suffice, user};
    Differences   d = {0};
    bool          found = false;
    store->scanned_ns = clock_wall_ns();
    int code = store_open(store, o);
    if (!store->out) return code == EXIT_OK ? links_open(l, o, true, use) : code;
    code = move_finish(o->source, use);
    if (code == EXIT_OK) code = stored_read(l, store, &reading, &d, &found);
    const bool is_stale = !found || d.unknown.count > 0 || d.changed.count > 0;
    array_drop(&d.unknown);
    array_drop(&d.changed);
    if (code == EXIT_OK && !found) {
        *l = before;
        code = links_open(l, o, true, use);
    }
    if (code != EXIT_OK || !store->out) return code;
    if (!found) {
        links_sort_files(l);
        links_complete(l, store);
    }
    if (!build_writes(o) || !is_stale || use == JOURNAL_COMPLETE) return EXIT_OK;
    return links_store(l, store);
}
