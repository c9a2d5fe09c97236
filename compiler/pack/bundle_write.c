/* bundle_write.c - writes a bundle while its resources are compressed: the pieces in the order of ids, the index at
 * the end, into the space that was left for it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "blob_folder.h"
#include "bundle_pack_internal.h"
#include "exit_codes.h"
#include "failure.h"
#include "file_draft.h"
#include "hash.h"
#include "temporary.h"
#include "tree.h"

/* Resources whose pieces are in memory at the same time, for each thread. */
#define WINDOW_BYTES (32u << 20)

typedef struct Writing {
    Pack*             pack;
    FileDraft*        draft;
    u64               end;   /* of what was written */
    u64               blobs; /* bytes of all blobs */
    u8*               index; /* [index_bytes] */
    u64               index_bytes;
    BundleHeader      header;
    BundleResource*   resource;   /* rows in the index */
    BundleDictionary* dictionary; /* */
    char*             name;       /* the next name in the index */
    char*             names;
    u32               row[RESOURCE_COUNT]; /* of the dictionary of a type */
} Writing;

static void halves(u64 value, u32* lo, u32* hi) {
    *lo = (u32)value;
    *hi = (u32)(value >> 32);
}

static ent_status bytes_add(Writing* w, const void* bytes, size_t size) {
    w->end += size;
    return file_draft_add(w->draft, bytes, size);
}

/* Reserves the index: its size is known before any piece is. */
static ent_status index_begin(Writing* w) {
    Pack* p = w->pack;
    w->header = (BundleHeader){.magic = {'E', 'N', 'T', 'P'},
                               .byte_order = BLOB_BYTE_ORDER,
                               .version = BUNDLE_VERSION,
                               .resource_count = p->items.count};
    for (u32 i = 0; i < RESOURCE_COUNT; i++)
        w->header.dictionary_count += p->plan[i].dictionary != NULL;
    for (u32 i = 0; i < p->items.count; i++)
        w->header.name_bytes += (u32)strlen(p->items.at[i].name) + 1;
    w->index_bytes = bundle_index_bytes(&w->header);
    w->index = memory_alloc((size_t)w->index_bytes);
    w->resource = (BundleResource*)(w->index + sizeof w->header);
    w->dictionary = (BundleDictionary*)(w->resource + w->header.resource_count);
    w->name = w->names = (char*)(w->dictionary + w->header.dictionary_count);
    return bytes_add(w, w->index, (size_t)w->index_bytes);
}

/* Writes the dictionaries, and sets the row of each type. */
static ent_status dictionaries_add(Writing* w) {
    u32 count = 0;
    for (u32 type = RESOURCE_NONE; type < RESOURCE_COUNT; type++) {
        const PackPlan* plan = &w->pack->plan[type];
        w->row[type] = BUNDLE_NO_DICTIONARY;
        if (!plan->dictionary) continue;
        const u64         hash = hash_bytes(plan->dictionary, plan->dictionary_bytes, 0);
        BundleDictionary* d = &w->dictionary[count];
        *d = (BundleDictionary){
            .type = type, .bytes = plan->dictionary_bytes, .hash = resource_ref(hash)};
        halves(w->end, &d->offset_lo, &d->offset_hi);
        TRY(bytes_add(w, plan->dictionary, plan->dictionary_bytes));
        w->row[type] = count++;
    }
    return ENT_OK;
}

static ent_status item_add_piece(Writing* w, u32 index) {
    static const u8 zeros[BLOB_ALIGN];
    const PackItem* item = &w->pack->items.at[index];
    BundleResource* r = &w->resource[index];
    const size_t    name_bytes = strlen(item->name) + 1;
    if (item->codec == BUNDLE_PLAIN)
        TRY(bytes_add(w, zeros, (size_t)(align_up(w->end, BLOB_ALIGN) - w->end)));
    *r = (BundleResource){.id = resource_ref(item->id),
                          .type = item->type,
                          .name = (u32)(w->name - w->names),
                          .stored = item->stored,
                          .size = item->size,
                          .codec = item->codec,
                          .dictionary =
                              item->with_dictionary ? w->row[item->type] : BUNDLE_NO_DICTIONARY,
                          .hash = resource_ref(hash_bytes(item->piece, item->stored, 0))};
    halves(w->end, &r->offset_lo, &r->offset_hi);
    memcpy(w->name, item->name, name_bytes);
    w->name += name_bytes;
    w->blobs += item->size;
    return bytes_add(w, item->piece, item->stored);
}

/* The end of the next resources that are compressed together. */
static u32 window_end(const Pack* p, u32 first) {
    u64 bytes = (u64)WINDOW_BYTES * ent_job_worker_count(p->pool);
    u32 end = first + 1;
    bytes -= MIN_OF(bytes, (u64)p->items.at[first].size);
    for (; end < p->items.count && p->items.at[end].size <= bytes; end++)
        bytes -= p->items.at[end].size;
    return end;
}

/* An exit code: what could not be read was reported. *status: of writing. */
static int items_add(Writing* w, ent_status* status) {
    Pack* p = w->pack;
    int   code = EXIT_OK, reason = 0;
    for (u32 first = 0, end; first < p->items.count && code == EXIT_OK; first = end) {
        end = window_end(p, first);
        code = frames_make(p, first, end);
        for (u32 i = first; i < end; i++) {
            if (code == EXIT_OK && *status == ENT_OK) {
                *status = item_add_piece(w, i);
                reason = errno;
            }
            memory_free(p->items.at[i].piece);
            p->items.at[i].piece = NULL;
        }
        memory_trim(); /* threads have freed much */
        if (*status != ENT_OK) break;
    }
    errno = reason; /* of writing */
    return code;
}

static ent_status index_end(Writing* w) {
    BlobFault fault;
    Bundle    bundle;
    halves(w->end, &w->header.bytes_lo, &w->header.bytes_hi);
    memcpy(w->index, &w->header, sizeof w->header);
    w->header.hash = resource_ref(bundle_hash(w->index, w->index_bytes));
    memcpy(w->index, &w->header, sizeof w->header);
    if (bundle_validate(&bundle, w->index, w->index, w->end, true, &fault) != ENT_OK) {
        fprintf(stderr, "entc: internal error: the packed bundle is invalid: %s: %s\n", fault.field,
                fault.reason);
        abort();
    }
    if (w->pack->other_order) bundle_swap(w->index, true);
    return file_draft_set(w->draft, 0, w->index, (size_t)w->index_bytes);
}

static int draft_write(Writing* w, FileChange* change) {
    const char* path = w->pack->options->file;
    int         code = EXIT_OK;
    ent_status  status = file_draft_begin(&w->draft, path);
    if (status == ENT_OK) status = index_begin(w);
    if (status == ENT_OK) status = dictionaries_add(w);
    if (status == ENT_OK) code = items_add(w, &status);
    if (code != EXIT_OK) return code;
    if (status == ENT_OK) status = index_end(w);
    if (status == ENT_OK) status = file_draft_end(w->draft, change);
    if (status == ENT_OK) return EXIT_OK;
    const int reason = errno;
    progress_end(&w->pack->progress);
    errno = reason;
    return io_failure("cannot write", path);
}

int bundle_write(Pack* p) {
    Writing    w = {.pack = p};
    FileChange change = FILE_SAME;
    folder_sweep(p->options->file);
    progress_begin(&p->progress, p->options->progress, "packing", p->items.count);
    const int code = draft_write(&w, &change);
    progress_end(&p->progress);
    if (code == EXIT_OK && p->options->verbose) {
        fprintf(stderr, "entc: %u resources, %llu bytes packed into %llu, %s\n", p->items.count,
                (unsigned long long)w.blobs, (unsigned long long)w.end,
                change == FILE_CHANGED ? "written" : "unchanged");
    }
    file_draft_drop(w.draft);
    memory_free(w.index);
    return code;
}
