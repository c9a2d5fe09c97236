/* output_files.c - writes the index of an output folder from its blobs, and compares the two. */
#include "output_files.h"

#include <stdio.h>
#include <stdlib.h>

#include "blob_file.h"
#include "blob_folder.h"
#include "failure.h"
#include "hash.h"
#include "inspect_text.h"
#include "sections.h"

/* --- a draft --- */

void index_draft_add(IndexDraft* draft, const char* name, u32 type, const void* blob) {
    const u64 hash = blob_stored_hash(blob, &draft->other_order);
    *array_push(&draft->entries) =
        (OutputIndexEntry){.id = hash_resource(text_of(name), ent_resource_suffix(type)),
                           .type = type,
                           .name = arena_print(&draft->arena, "%s", name),
                           .hash = hash};
}

void* index_draft_make(IndexDraft* draft, size_t* bytes) {
    *bytes = output_index_lay(draft->entries.at, draft->entries.count);
    void* index = memory_alloc(*bytes);
    output_index_write(draft->entries.at, draft->entries.count, draft->other_order, index);
    return index;
}

void index_draft_drop(IndexDraft* draft) {
    array_drop(&draft->entries);
    arena_drop(&draft->arena);
}

/* --- entc index --- */

typedef struct IndexRun {
    const char* folder;
    IndexDraft  draft;
} IndexRun;

static int path_refuse(const char* path, const char* why) {
    fprintf(stderr, "%s: error: %s\n", path, why);
    return EXIT_INVALID;
}

static int index_add(void* user, const char* path) {
    IndexRun*    run = user;
    const size_t root = strlen(run->folder);
    const char*  dot = strrchr(path, '.');
    const u32    type = dot ? (u32)resource_from_suffix(text_of(dot + 1)) : RESOURCE_NONE;
    FileView     view;
    if (strncmp(path, run->folder, root) != 0 || path[root] != '/')
        return path_refuse(path, "it is not in the folder whose index is written");
    if (type == RESOURCE_NONE) return path_refuse(path, "its name does not end with a type");
    const char*      below = path + root + 1;
    const char*      name = arena_print(&run->draft.arena, "%.*s", (int)(dot - below), below);
    const u64        id = hash_resource(text_of(name), ent_resource_suffix(type));
    const ent_status status = file_map(&view, path);
    if (status == ENT_NOT_FOUND) return EXIT_OK; /* `compile` has no output for an unusable image */
    if (status != ENT_OK) return io_failure("cannot read", path);
    const bool names = blob_header_names(view.bytes, view.size, id);
    if (names) index_draft_add(&run->draft, name, type, view.bytes);
    file_unmap(&view);
    return names ? EXIT_OK : path_refuse(path, "it is not the blob of the resource of its name");
}

/* The draft was sorted by ids. */
static int entries_check(const IndexRun* run) {
    const OutputIndexEntry* e = run->draft.entries.at;
    const u32               count = run->draft.entries.count;
    if (count > OUTPUT_INDEX_ROWS_MAX) {
        fprintf(stderr, "entc: error: there are %u resources; an index has at most %u\n", count,
                OUTPUT_INDEX_ROWS_MAX);
        return EXIT_LIMIT;
    }
    for (u32 i = 1; i < count; i++) {
        if (e[i].id != e[i - 1].id) continue;
        fprintf(stderr, "entc: error: index: \"%s.%s\" is specified twice\n", e[i].name,
                ent_resource_suffix(e[i].type));
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

static int index_write(IndexRun* run, bool verbose) {
    FileChange change;
    size_t     bytes;
    void*      index = index_draft_make(&run->draft, &bytes);
    const int  code = entries_check(run);
    if (code != EXIT_OK) {
        memory_free(index);
        return code;
    }
    const char*      path = arena_print(&run->draft.arena, "%s/" OUTPUT_INDEX_FILE, run->folder);
    const ent_status status = file_replace(path, index, bytes, &change);
    memory_free(index);
    if (status != ENT_OK) return io_failure("cannot write", path);
    if (verbose && change == FILE_CHANGED) printf("wrote %s (%zu bytes)\n", path, bytes);
    return EXIT_OK;
}

int index_run(const char* folder, const char* const* paths, u32 count, bool other_order,
              bool verbose) {
    IndexRun run = {.draft.other_order = other_order};
    size_t   bytes = strlen(folder);
    while (bytes > 1 && folder[bytes - 1] == '/') bytes--;
    folder = run.folder = arena_print(&run.draft.arena, "%.*s", (int)bytes, folder);
    int code = count ? EXIT_OK : paths_each(folder, index_add, &run);
    for (u32 i = 0; i < count; i++) {
        const int added = index_add(&run, paths[i]);
        code = MAX_OF(code, added);
    }
    if (code == EXIT_OK) code = index_write(&run, verbose);
    index_draft_drop(&run.draft);
    return code;
}

/* --- verify --- */

static int row_verify(const char* folder, const OutputIndex* index, const OutputIndexRow* row,
                      Arena* arena) {
    FileView    view;
    bool        other;
    const char* path = arena_print(arena, "%s/%s.%s", folder, ent_output_index_name(index, row),
                                   ent_resource_suffix(row->type));
    const ent_status status = file_map(&view, path);
    if (status == ENT_NOT_FOUND)
        return path_refuse(path, "the index of the folder names it, and it does not exist; build "
                                 "the folder again");
    if (status != ENT_OK) return io_failure("cannot read", path);
    const bool same = blob_header_names(view.bytes, view.size, resource_id(row->id)) &&
                      blob_stored_hash(view.bytes, &other) == resource_id(row->hash);
    file_unmap(&view);
    return same ? EXIT_OK
                : path_refuse(path, "it is not the blob that the index of the folder names; build "
                                    "the folder again");
}

static int rows_verify(const char* folder, const OutputIndex* index) {
    Arena arena = {0};
    int   worst = EXIT_OK;
    for (u32 i = 0; i < index->header->resource_count; i++) {
        const int code = row_verify(folder, index, &index->row[i], &arena);
        worst = MAX_OF(worst, code);
    }
    arena_drop(&arena);
    return worst;
}

static int bytes_verify(const char* folder, const char* path, void* bytes, size_t size,
                        bool quiet) {
    OutputIndex index;
    BlobFault   fault;
    ent_status  status = ent_output_index_open(&index, bytes, size, &fault);
    const bool  other = status == ENT_OTHER_BYTE_ORDER;
    if (other) {
        output_index_swap(bytes, size);
        status = ent_output_index_open(&index, bytes, size, &fault);
    }
    if (status != ENT_OK) return fault_report(path, &fault);
    const int code = rows_verify(folder, &index);
    if (code == EXIT_OK && !quiet)
        printf("%s: ok (index, %zu bytes, %u resource%s%s)\n", path, size,
               index.header->resource_count, index.header->resource_count == 1 ? "" : "s",
               other ? ", other byte order" : "");
    return code;
}

static int file_verify(const char* folder, const char* path, bool quiet) {
    Arena            arena = {0};
    FileView         view;
    const ent_status status = file_map(&view, path);
    int              code = EXIT_OK;
    if (status == ENT_OK) {
        void* copy = arena_alloc(&arena, view.size + 16);
        memcpy(copy, view.bytes, view.size);
        code = bytes_verify(folder, path, copy, view.size, quiet);
        file_unmap(&view);
    } else if (status != ENT_NOT_FOUND) {
        code = io_failure("cannot read", path);
    }
    arena_drop(&arena);
    return code;
}

int index_verify(const char* folder, bool quiet) {
    Arena     arena = {0};
    const int code =
        file_verify(folder, arena_print(&arena, "%s/" OUTPUT_INDEX_FILE, folder), quiet);
    arena_drop(&arena);
    return code;
}

int index_verify_file(const char* path, bool quiet) {
    Arena       arena = {0};
    const char* slash = strrchr(path, '/');
    const char* folder = slash ? arena_print(&arena, "%.*s", (int)(slash - path), path) : ".";
    const int   code = file_verify(folder, path, quiet);
    arena_drop(&arena);
    return code;
}
