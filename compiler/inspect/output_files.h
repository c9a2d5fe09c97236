/* output_files.h - the index of an output folder: `entc index`, which a graph of `entc compile`s ends
 * with, and the part of `entc verify` for it. */
#ifndef ENTC_OUTPUT_FILES_H
#define ENTC_OUTPUT_FILES_H

#include "exit_codes.h"
#include "memory.h"
#include "output_index_internal.h"

typedef struct IndexDraft {
    ARRAY(OutputIndexEntry) entries;
    Arena arena; /* of their names */
    bool  other_order;
} IndexDraft;

/* Adds a resource, of which these are the bytes of its blob. */
void index_draft_add(IndexDraft* draft, const char* name, u32 type, const void* blob);

/* Returns the index, to be freed with memory_free. */
void* index_draft_make(IndexDraft* draft, size_t* bytes);
void  index_draft_drop(IndexDraft* draft);

/* Writes the index of the blobs at `paths`, which begin with the path of the folder; of all blobs in
 * it when `count` is 0. A path without a file is left out. `other_order`: the byte order
 * when there is no blob. Returns an exit code. */
int index_run(const char* folder, const char* const* paths, u32 count, bool other_order,
              bool verbose);

/* Compares the index of a folder, if it has one, with the blobs that it names, and reports every
 * difference. Returns an exit code. */
int index_verify(const char* folder, bool quiet);

/* The same for the path of an index. */
int index_verify_file(const char* path, bool quiet);

#endif
