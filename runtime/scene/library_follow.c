/* library_follow.c - replaces the resources that a build has changed: all of them, or none.
 *
 * An attempt has two steps. next_read opens what has changed in a library of its own, beside the one
 * of the host, which may be used meanwhile; it may run on a thread of the pool. next_take completes
 * this for resources that the host has opened meanwhile, allocates what it needs, and then moves
 * everything. */
#include <stdio.h>

#include "clock.h"
#include "hash.h"
#include "library_internal.h"
#include "sections.h"

#define LIBRARY_CHANGES_FIRST 64u

/* --- the beginning and the end --- */

/* The former blobs of the last call. */
static void retired_close(LibraryFollow* f) {
    for (u32 i = 0; i < f->count; i++) ent_resource_close(&f->retired[i]);
    f->count = 0;
}

void library_sources_sweep(Library* library) {
    for (LibrarySource* s = library->source; s; s = s->next) s->used = s == library->source;
    for (u32 i = 0; i < library->count; i++) {
        LibrarySource* source = library_entry_at(library, i)->source;
        if (source) source->used = true;
    }
    for (LibrarySource** at = &library->source; *at;) {
        LibrarySource* source = *at;
        if (source->used) {
            at = &source->next;
            continue;
        }
        *at = source->next;
        source_close(library, source);
    }
}

/* Drops what was opened and not taken. */
static void next_close(LibraryFollow* f) {
    Library* next = &f->next;
    library_entries_close(next);
    library_table_free(next);
    if (next->source) source_close(next, next->source);
    *next = (Library){0};
    file_unmap(&f->view);
    f->view = (FileView){0};
    f->index = (OutputIndex){0};
}

void library_follow_end(Library* library) {
    LibraryFollow* f = library->follow;
    if (!f) return;
    if (f->reading) ent_job_wait(library->desc.pool, &f->group);
    next_close(f);
    retired_close(f);
    library_free(library, f->change, sizeof(LibraryChange) * f->capacity);
    library_free(library, f->retired, sizeof(Resource) * f->capacity);
    library_free(library, f, sizeof *f);
    library->follow = NULL;
}

/* The file that a build replaces last: the index of a folder, or the bundle. */
static ent_status path_set(Library* library) {
    char*        path = library->follow->path;
    const size_t bytes = sizeof library->follow->path;
    const int    wrote =
        snprintf(path, bytes, "%s%s", library->path, library->source ? "" : "/" OUTPUT_INDEX_FILE);
    if ((size_t)wrote < bytes) return ENT_OK;
    library_follow_end(library);
    return library_problem(library, ENT_LIMIT, "the path \"%s\" has %d bytes; the limit is %zu",
                           library->path, wrote, bytes - 1);
}

static ent_status follow_begin(Library* library) {
    LibraryFollow* f = library->follow;
    if (f) {
        retired_close(f);
        if (f->has_former_bundle) library_sources_sweep(library);
        f->has_former_bundle = false;
        return ENT_OK;
    }
    f = library_alloc(library, sizeof *f);
    if (!f) return library_problem_io(library, ENT_NO_MEMORY, library->path);
    memset(f, 0, sizeof *f);
    f->library = library;
    library->follow = f;
    return path_set(library);
}

/* --- has a build replaced it? --- */

/* A file that is still as it was in the last attempt; one that does not exist has a stamp of 0. */
static bool file_is_same(const char* path, const FileStamp* stored, u64 taken_ns) {
    FileStamp        stamp = {0};
    const ent_status status = file_stamp(path, &stamp);
    return (status == ENT_OK || status == ENT_NOT_FOUND) && file_stamp_equal(&stamp, stored) &&
           file_stamp_is_settled(stored, taken_ns);
}

/* Would another attempt find the same? */
static bool attempt_is_current(const LibraryFollow* f) {
    if (!f->attempted || !file_is_same(f->path, &f->stamp, f->taken_ns)) return false;
    if (f->status == ENT_OK) return true;
    if (f->status == ENT_NO_MEMORY || (f->status == ENT_LIMIT && !f->has_opened)) return false;
    return !f->failed.path[0] || file_is_same(f->failed.path, &f->failed.stamp, f->taken_ns);
}

/* --- reading --- */

static ent_status index_read(LibraryFollow* f) {
    Library*         next = &f->next;
    const char*      path = f->path;
    BlobFault        fault;
    const ent_status status = file_map_stamped(&f->view, path, &f->stamp);
    if (status == ENT_NOT_FOUND) {
        return library_problem(next, status,
                               "there is no index \"%s\"; build the folder with `entc build`, or "
                               "write it with `entc index`",
                               path);
    }
    if (status != ENT_OK) return library_problem_io(next, status, path);
    if (ent_output_index_open(&f->index, f->view.bytes, f->view.size, &fault) != ENT_OK) {
        library_problem_fault(next, path, &fault);
        const size_t used = strlen(next->problem);
        snprintf(next->problem + used, sizeof next->problem - used,
                 "; build the folder again with `entc build`");
        return fault.status;
    }
    next->index = &f->index;
    return ENT_OK;
}

/* The hash of the index, which is that of the content of all resources. */
static u64 next_hash(const LibraryFollow* f) {
    return resource_id(f->next.source ? f->next.bundle.header->hash : f->index.header->hash);
}

static bool piece_is_same(const Library* next, const LibraryEntry* entry, bool* row) {
    const BundleResource* r = ent_bundle_find(&next->bundle, entry->id);
    *row = r != NULL;
    return r && library_piece(&next->bundle, r) == entry->piece;
}

static bool file_hash_is_same(const Library* next, const LibraryEntry* entry, bool* row) {
    const OutputIndexRow* r = ent_output_index_find(next->index, entry->id);
    *row = r != NULL;
    return r && resource_id(r->hash) == resource_id(entry->resource.blob.header->hash);
}

/* Opens a resource that is borrowed if it has changed. */
static ent_status entry_compare(Library* next, LibraryEntry* entry) {
    const BlobHeader* old = entry->resource.blob.header;
    LibraryEntry      opened = *entry;
    bool              row;
    const bool        same =
        next->source ? piece_is_same(next, entry, &row) : file_hash_is_same(next, entry, &row);
    const bool was_removed = entry->removed;
    entry->removed = !row;
    if (!row || (same && !was_removed)) return ENT_OK;
    opened.removed = 0;
    TRY(library_resource_open(next, &opened, old->resource_type));
    if (next->source && !was_removed &&
        resource_id(opened.resource.blob.header->hash) == resource_id(old->hash)) {
        entry->piece = opened.piece; /* it is only packed in another way */
        next->expanded -= opened.expanded;
        ent_resource_close(&opened.resource);
        return ENT_OK;
    }
    opened.version = 1;
    opened.followed = 0;
    *entry = opened;
    return ENT_OK;
}

static bool content_is_same(const LibraryEntry* a, const LibraryEntry* b) {
    return resource_id(a->resource.blob.header->hash) == resource_id(b->resource.blob.header->hash);
}

/* Adds the entries of the library from one on, as they are. */
static ent_status entries_borrow(LibraryFollow* f, u32 first) {
    Library*         next = &f->next;
    const ent_status room = library_reserve(next, f->library->count - first);
    if (room == ENT_LIMIT) return room; /* already reported */
    if (room != ENT_OK) return library_problem_io(next, room, f->library->path);
    for (u32 i = first; i < f->library->count; i++) {
        LibraryEntry  entry = *library_entry_at(f->library, i);
        LibraryEntry* opened = library_entry_find(next, entry.id);
        entry.resource = (Resource){.blob = entry.resource.blob};
        entry.version = 0;
        if (next->desc.skip_missing) entry.followed = 0; /* what was missing may exist now */
        if (!opened) {
            library_entry_add(next, &entry);
        } else if (content_is_same(opened, &entry)) { /* both have opened it */
            ent_resource_close(&opened->resource);
            *opened = entry;
        }
    }
    f->known = f->library->count;
    return ENT_OK;
}

/* Does an attempt with this hash find nothing else than the last one? */
static bool is_compared(const LibraryFollow* f) {
    return next_hash(f) == f->hash && f->next.count == f->compared;
}

static ent_status entries_compare(LibraryFollow* f, u32 first) {
    Library* next = &f->next;
    for (u32 i = first, end = next->count; i < end; i++) {
        LibraryEntry* entry = library_entry_at(next, i);
        if (entry->version == 0) TRY(entry_compare(next, entry));
        if (entry->version == 0) next->expanded += entry->expanded;
    }
    return library_wanted_follow(next, 0);
}

/* Reads and validates: it only reads what the library does not change meanwhile. */
static ent_status next_read(LibraryFollow* f) {
    f->taken_ns = clock_wall_ns();
    f->stamp = (FileStamp){0};
    f->has_opened = false;
    TRY(f->library->source ? source_open(&f->next, &f->stamp) : index_read(f));
    f->has_opened = f->library->source != NULL;
    return is_compared(f) ? ENT_OK : entries_compare(f, 0);
}

static void next_read_job(void* user, u32 first, u32 end, u32 worker) {
    LibraryFollow* f = user;
    UNUSED(first);
    UNUSED(end);
    UNUSED(worker);
    f->status = next_read(f);
}

/* Prepares the library of the attempt. Its messages are returned, not logged, because a thread of the
 * pool may write them. */
static ent_status next_begin(Library* library) {
    LibraryFollow* f = library->follow;
    f->next = (Library){.desc = library->desc,
                        .path = library->path,
                        .loads = library->loads + 1,
                        .failed = &f->failed};
    f->next.desc.log = (HostLog){0};
    f->failed.path[0] = 0;
    return entries_borrow(f, 0);
}

/* --- taking --- */

static ent_status changes_reserve(Library* library, u32 count) {
    LibraryFollow* f = library->follow;
    if (count <= f->capacity) return ENT_OK;
    u32 capacity = MAX_OF(f->capacity, LIBRARY_CHANGES_FIRST);
    while (capacity < count) capacity *= 2;
    LibraryChange* change = library_alloc(library, sizeof *change * capacity);
    Resource*      retired = library_alloc(library, sizeof *retired * capacity);
    if (!change || !retired) {
        library_free(library, change, sizeof *change * capacity);
        library_free(library, retired, sizeof *retired * capacity);
        return ENT_NO_MEMORY;
    }
    library_free(library, f->change, sizeof *change * f->capacity);
    library_free(library, f->retired, sizeof *retired * f->capacity);
    f->change = change;
    f->retired = retired;
    f->capacity = capacity;
    return ENT_OK;
}

/* What the host has opened and loaded since reading began. */
static ent_status next_extend(LibraryFollow* f) {
    Library*  next = &f->next;
    const u32 first = next->count;
    TRY(entries_borrow(f, f->known));
    for (u32 i = 0; i < f->library->count; i++) {
        const LibraryEntry* now = library_entry_at(f->library, i);
        LibraryEntry*       entry = library_entry_find(next, now->id);
        if (now->wanted && !entry->wanted) entry->wanted = now->wanted;
    }
    return entries_compare(f, first);
}

static const LibraryEntry* referrer_find(const Library* library, ResourceRef id) {
    for (u32 i = 0; i < library->count; i++) {
        const LibraryEntry* entry = library_entry_at(library, i);
        if (!entry->removed && library_refers(entry, id)) return entry;
    }
    return NULL;
}

static void change_add(Library* library, LibraryChangeKind kind, LibraryEntry* entry,
                       const Resource* before) {
    LibraryFollow* f = library->follow;
    Resource*      retired = &f->retired[f->count];
    *retired = before ? *before : (Resource){0};
    f->change[f->count++] =
        (LibraryChange){.kind = kind, .entry = entry, .before = before ? &retired->blob : NULL};
    entry->version = ++library->version;
}

/* Moves a resource that was opened to the library. */
static void entry_take(Library* library, LibraryEntry* taken) {
    LibraryEntry* entry = library_entry_find(library, taken->id);
    if (!entry) {
        entry = library_entry_add(library, taken);
        library->expanded += taken->expanded;
        change_add(library, LIBRARY_ADDED, entry, NULL);
    } else {
        const Resource before = entry->resource;
        const bool     removed = entry->removed;
        library->bytes += (u64)taken->resource.blob.size - (u64)before.blob.size;
        library->expanded += taken->expanded - (u64)entry->expanded;
        *entry = *taken;
        change_add(library, removed ? LIBRARY_ADDED : LIBRARY_CHANGED, entry, &before);
    }
    taken->resource = (Resource){0};
}

/* An entry that stays as it is. */
static void entry_keep(Library* library, const LibraryEntry* kept) {
    LibraryEntry* entry = library_entry_find(library, kept->id);
    const bool    removed = kept->removed && !entry->removed;
    entry->wanted = kept->wanted;
    entry->followed = kept->followed;
    entry->removed = kept->removed;
    entry->piece = kept->piece;
    if (removed) change_add(library, LIBRARY_REMOVED, entry, NULL);
}

/* The entries of `next` that would become a change. */
static u32 changes_count(const LibraryFollow* f, u32* added) {
    u32 count = 0;
    *added = 0;
    for (u32 i = 0; i < f->next.count; i++) {
        const LibraryEntry* entry = library_entry_at(&f->next, i);
        const LibraryEntry* now = library_entry_find(f->library, entry->id);
        *added += !now;
        count += entry->version || (entry->removed && !now->removed);
    }
    return count;
}

static void next_move(Library* library) {
    LibraryFollow* f = library->follow;
    if (f->next.source) {
        f->next.source->next = library->source;
        library->source = f->next.source;
        library->bundle = f->next.bundle;
        f->next.source = NULL;
        f->has_former_bundle = true;
    }
    library->loads = MAX_OF(library->loads, f->next.loads);
    for (u32 i = 0; i < f->next.count; i++) {
        LibraryEntry* entry = library_entry_at(&f->next, i);
        if (entry->version)
            entry_take(library, entry);
        else
            entry_keep(library, entry);
    }
    for (u32 i = 0; i < f->count; i++) {
        LibraryChange* c = &f->change[i];
        if (c->kind == LIBRARY_REMOVED)
            c->referrer = referrer_find(library, c->entry->id);
        else if (library->desc.skip_missing)
            library_references_warn(library, c->entry);
    }
}

/* Takes what was read: after the last allocation everything is moved. */
static ent_status next_take(Library* library) {
    LibraryFollow* f = library->follow;
    u32            added;
    if (f->status != ENT_OK) return f->status;
    if (is_compared(f) && f->known == f->library->count) return ENT_OK;
    const u64 hash = next_hash(f);
    TRY(next_extend(f));
    const u32        count = changes_count(f, &added);
    const ent_status status = changes_reserve(library, count);
    if (status != ENT_OK) return library_problem_io(&f->next, status, library->path);
    if (library_reserve(library, added) != ENT_OK) /* `next` has as many entries */
        return library_problem_io(&f->next, ENT_NO_MEMORY, library->path);
    next_move(library);
    f->hash = hash;
    f->compared = library->count;
    return ENT_OK;
}

/* --- the call --- */

static ent_status attempt_end(Library* library) {
    LibraryFollow* f = library->follow;
    f->reading = false;
    f->status = next_take(library);
    f->attempted = true;
    if (f->status != ENT_OK) {
        memcpy(f->problem, f->next.problem, sizeof f->problem);
        memcpy(library->problem, f->next.problem, sizeof library->problem);
    }
    next_close(f);
    return f->status;
}

/* Nothing has changed since the last attempt. */
static ent_status attempt_again(Library* library) {
    const LibraryFollow* f = library->follow;
    if (f->status != ENT_OK) memcpy(library->problem, f->problem, sizeof library->problem);
    return f->status;
}

static void changes_report(const Library* library) {
    const LibraryFollow* f = library->follow;
    for (u32 i = 0; i < f->count && library->desc.changed; i++)
        library->desc.changed(library->desc.user, &f->change[i]);
}

ent_status ent_library_follow(Library* library, LibraryChanges* changes) {
    *changes = (LibraryChanges){0};
    TRY(follow_begin(library));
    LibraryFollow* f = library->follow;
    JobPool*       pool = library->desc.pool;
    if (f->reading) {
        if (ent_job_busy(pool, &f->group)) return ENT_OK;
        ent_job_wait(pool, &f->group);
    } else {
        if (attempt_is_current(f)) return attempt_again(library);
        f->status = next_begin(library);
        f->reading = pool && ent_job_worker_count(pool) > 1 && f->status == ENT_OK;
        if (f->reading) {
            ent_job_execute(pool, &f->group, next_read_job, f);
            return ENT_OK;
        }
        if (f->status == ENT_OK) f->status = next_read(f);
    }
    TRY(attempt_end(library));
    changes_report(library);
    *changes = (LibraryChanges){f->change, f->count};
    return ENT_OK;
}
