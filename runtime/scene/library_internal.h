/* library_internal.h - shared by the parts of a library. Private.
 *
 * library_source.c  opens one resource: from a file of the folder, or from the bundle
 * library_table.c   the resources that are open, and opening what they refer to
 * library_follow.c  replaces those that a build has changed
 * library.c         the calls of a host */
#ifndef ENT_LIBRARY_INTERNAL_H
#define ENT_LIBRARY_INTERNAL_H

#include "bundle_internal.h"
#include "file.h"
#include "library.h"

/* A bundle that is open. */
typedef struct LibrarySource {
    struct LibrarySource* next;
    FileView              view;
    Bundle                bundle;
    BundleDecoder         decoder;
    size_t                bytes; /* of this block, which ends with the memory of the decoder */
    bool                  used;  /* an entry needs it */
} LibrarySource;

/* The file that could not be used in an attempt to follow. */
typedef struct LibraryFailed {
    char      path[4096]; /* "": another reason */
    FileStamp stamp;      /* 0: it does not exist */
} LibraryFailed;

/* What ent_library_follow keeps. While it reads, `next` is a library of its own, with an entry for
 * each resource that is open: unchanged ones are borrowed from the library, and changed ones are opened in
 * it (version 1). Then they are moved to the library, all or none. */
typedef struct LibraryFollow {
    ent_status     status; /* of the last attempt */
    bool           attempted;
    FileStamp      stamp;      /* of the index or the bundle in the last attempt */
    u64            taken_ns;   /* before the stamp was read */
    u64            hash;       /* of the index that was taken last; 0: none yet */
    u32            compared;   /* entries of the library at that time */
    char           path[4096]; /* the file that a build replaces last */
    LibraryFailed  failed;
    bool           reading; /* a thread of the pool does, or has done it */
    JobGroup       group;
    Library*       library; /* that follows: only what does not change while it reads is read */
    Library        next;
    u32            known; /* entries of the library when reading began */
    FileView       view;  /* of the index of a folder */
    OutputIndex    index;
    LibraryChange* change;  /* [capacity] that were taken by the last call */
    Resource*      retired; /* [capacity] former blobs of these */
    u32            count, capacity;
    bool           has_opened;        /* the last attempt: a bundle, which states what it needs */
    bool           has_former_bundle; /* which may be needed by former blobs only */
    char           problem[sizeof((Library*)0)->problem]; /* of the last attempt */
} LibraryFollow;

/* --- library_source.c --- */

void* library_alloc(const Library* library, size_t bytes);
void  library_free(const Library* library, void* at, size_t bytes);

/* Sets library->problem and returns the status. */
ent_status library_problem(Library* library, ent_status status, const char* format, ...)
    PRINTF_LIKE(3, 4);
ent_status library_problem_io(Library* library, ent_status status, const char* path);
ent_status library_problem_fault(Library* library, const char* what, const BlobFault* fault);

/* Opens the bundle at library->path, the newest source of the library; `stamp` receives that of its file. */
ent_status source_open(Library* library, FileStamp* stamp);

void source_close(Library* library, LibrarySource* source);

/* Opens the resource of an entry with id and name. */
ent_status library_resource_open(Library* library, LibraryEntry* out, u32 type);

/* Hash of a piece of a bundle, and of what expanding it needs. */
u64 library_piece(const Bundle* bundle, const BundleResource* row);

/* --- library_table.c --- */

LibraryEntry* library_entry_at(const Library* library, u32 index);
LibraryEntry* library_entry_find(const Library* library, ResourceRef id);
u32           library_entry_index(const Library* library, ResourceRef id); /* or NONE */

/* Ensures capacity for so many more entries. */
ent_status library_reserve(Library* library, u32 more);

/* Adds an entry, for which there is capacity. */
LibraryEntry* library_entry_add(Library* library, const LibraryEntry* entry);

/* Opens a resource that is not open. */
ent_status library_entry_open(Library* library, ResourceRef id, const char* name, u32 type,
                              LibraryEntry** out);

/* Opens what the wanted entries refer to, from an entry on. */
ent_status library_wanted_follow(Library* library, u32 first);

/* After a failure of the load with the number library->loads, so that the next one neither opens what
 * only this one needed, nor omits what this one did not reach. */
void library_load_undo(Library* library);

/* Reports to desc->log what an entry refers to and is not open. */
void library_references_warn(Library* library, const LibraryEntry* entry);

/* Does the blob of an entry refer to the resource? */
bool library_refers(const LibraryEntry* entry, ResourceRef id);

/* Closes all resources. */
void library_entries_close(Library* library);
void library_table_free(Library* library);

/* --- library_follow.c --- */

/* Closes the bundles that no entry needs any more; the newest one stays. */
void library_sources_sweep(Library* library);

/* Waits for a thread that reads, and frees everything. */
void library_follow_end(Library* library);

#endif
