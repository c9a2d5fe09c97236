/* bundle_frames.c - compresses the resources of a bundle, each for itself, by all threads.
 *
 * Which thread compresses what changes no byte: a frame depends on its input, the level and the dictionary alone. */
#include <stdio.h>
#include <stdlib.h>

#include "bundle_pack_internal.h"
#include "exit_codes.h"

/* Of larger resources, levels are tried on slices. */
#define TRIED_BYTES_MAX (256u << 10)
#define SLICES          8u

/* In larger resources, only the levels from FAR_LEVEL on find repetitions that are far apart, and slices contain none. */
#define FAR_BYTES (2u << 20)
#define FAR_LEVEL 2u /* the third of PACK_LEVELS */

#define FRAME_COPIED_MAX (64u << 10)

/* Larger memory of a worker is freed after a window: otherwise each worker would keep that of the largest resource. */
#define KEPT_BYTES (8u << 20)

static const u32 levels[] = {PACK_LEVELS};

/* --- workers --- */

static void zstd_need(size_t code) {
    if (!ZSTD_isError(code)) return;
    fprintf(stderr, "entc: error: zstd: %s\n", ZSTD_getErrorName(code));
    exit(EXIT_LIMIT); /* it fails only when memory is exhausted: the buffer is large enough for any
                       * input */
}

/* Sets all parameters that affect a frame, but its level and dictionary. */
static void worker_open(PackWorker* w) {
    w->context = ZSTD_createCCtx();
    if (!w->context) memory_exhausted(0);
    zstd_need(ZSTD_CCtx_setParameter(w->context, ZSTD_c_contentSizeFlag, 1));
    zstd_need(ZSTD_CCtx_setParameter(w->context, ZSTD_c_checksumFlag, 0));
    zstd_need(ZSTD_CCtx_setParameter(w->context, ZSTD_c_dictIDFlag, 0));
}

static void worker_trim(PackWorker* w) {
    if (w->capacity_bytes > KEPT_BYTES) {
        memory_free(w->room);
        w->room = NULL;
        w->capacity_bytes = 0;
    }
    if (w->slices_bytes > KEPT_BYTES) {
        memory_free(w->slices);
        w->slices = NULL;
        w->slices_bytes = 0;
    }
    if (ZSTD_sizeof_CCtx(w->context) > 2 * KEPT_BYTES) {
        ZSTD_freeCCtx(w->context);
        worker_open(w);
    }
}

void workers_open(Pack* p) {
    const u32 workers = ent_job_worker_count(p->pool);
    p->worker = memory_alloc(sizeof *p->worker * workers);
    for (u32 i = 0; i < workers; i++) worker_open(&p->worker[i]);
}

void workers_close(Pack* p) {
    for (u32 i = 0; p->worker && i < ent_job_worker_count(p->pool); i++) {
        ZSTD_freeCCtx(p->worker[i].context);
        memory_free(p->worker[i].room);
        memory_free(p->worker[i].slices);
    }
    memory_free(p->worker);
    p->worker = NULL;
}

/* --- frames --- */

u32 frame_make(PackWorker* w, u32 level, const ZSTD_CDict* with, const void* bytes, size_t size) {
    const size_t bound = ZSTD_compressBound(size);
    if (bound > w->capacity_bytes) {
        memory_free(w->room);
        w->room = memory_alloc_raw(bound);
        w->capacity_bytes = bound;
    }
    zstd_need(ZSTD_CCtx_setParameter(w->context, ZSTD_c_compressionLevel, (int)level));
    zstd_need(ZSTD_CCtx_refCDict(w->context, with));
    const size_t frame_bytes = ZSTD_compress2(w->context, w->room, w->capacity_bytes, bytes, size);
    zstd_need(frame_bytes);
    return (u32)MIN_OF(frame_bytes, (size_t)UINT32_MAX);
}

u32 level_choose(const u64 bytes[PACK_LEVEL_COUNT]) {
    u64 smallest = UINT64_MAX;
    for (u32 i = 0; i < PACK_LEVEL_COUNT; i++) smallest = MIN_OF(smallest, bytes[i]);
    for (u32 i = 0; i < PACK_LEVEL_COUNT; i++) {
        if (bytes[i] <= smallest + smallest / 100) return levels[i];
    }
    assert(!"the smallest is one of them");
    return levels[0];
}

/* Slices from all parts of a large resource, an eighth of it. */
static const u8* slices_take(PackWorker* w, const BlobFile* file, size_t* size) {
    const size_t part = MAX_OF(file->size / 8, (size_t)TRIED_BYTES_MAX) / SLICES;
    *size = part * SLICES;
    if (w->slices_bytes < *size) {
        memory_free(w->slices);
        w->slices = memory_alloc_raw(*size);
        w->slices_bytes = *size;
    }
    for (u32 i = 0; i < SLICES; i++)
        memcpy(w->slices + i * part, file->bytes + file->size / SLICES * i, part);
    return w->slices;
}

/* The level of a resource that has none from its type. */
static u32 level_try(PackWorker* w, const BlobFile* file) {
    size_t    size = file->size;
    u64       tried[PACK_LEVEL_COUNT];
    const u8* bytes = size > TRIED_BYTES_MAX ? slices_take(w, file, &size) : file->bytes;
    for (u32 i = 0; i < COUNT_OF(tried); i++) {
        const bool is_near = i < FAR_LEVEL && file->size > FAR_BYTES;
        tried[i] = is_near ? UINT64_MAX : frame_make(w, levels[i], NULL, bytes, size);
    }
    return level_choose(tried);
}

/* A long frame keeps its room: copying it costs more than another room. */
static u8* frame_take(PackWorker* w, u32 stored) {
    u8* piece = w->room;
    if (stored < FRAME_COPIED_MAX) {
        piece = memory_alloc_raw(stored);
        memcpy(piece, w->room, stored);
        return piece;
    }
    w->room = NULL;
    w->capacity_bytes = 0;
    return memory_shrink(piece, stored);
}

static u8* blob_take(const BlobFile* file) {
    u8* piece = memory_alloc_raw(file->size);
    memcpy(piece, file->bytes, file->size);
    return piece;
}

/* Stores the frame, or the blob if compression does not pay. */
static void item_compress(const Pack* p, PackItem* item, PackWorker* w) {
    static const PackPlan unplanned;
    const PackPlan*       plan = item->size <= SAMPLE_BYTES_MAX ? &p->plan[item->type] : &unplanned;
    u32                   level = p->options->level, frame_bytes = 0;
    BlobFile              file;
    if (!item_read(p, item, &file)) return;
    if (level == PACK_LEVEL_CHOSEN) level = plan->level ? plan->level : level_try(w, &file);
    if (level) frame_bytes = frame_make(w, level, plan->digested, file.bytes, file.size);
    const bool pays = level && frame_pays(frame_bytes, item->size);
    item->codec = pays ? BUNDLE_ZSTD : BUNDLE_PLAIN;
    item->with_dictionary = pays && plan->digested;
    item->stored = pays ? frame_bytes : item->size;
    item->piece = pays ? frame_take(w, frame_bytes) : blob_take(&file);
    blob_file_close(&file);
}

/* --- work of all threads --- */

typedef struct Pass {
    Pack* pack;
    PackItem* const*
        items; /* the largest first, so that no thread is left with a large one at the end */
} Pass;

static int size_order(const void* a, const void* b) {
    const PackItem *const *x = a, *const *y = b;
    if ((*x)->size != (*y)->size) return (*x)->size < (*y)->size ? 1 : -1;
    return (*x > *y) - (*x < *y);
}

static void compress_some(void* user, u32 first, u32 end, u32 worker) {
    const Pass* pass = user;
    for (u32 i = first; i < end; i++)
        item_compress(pass->pack, pass->items[i], &pass->pack->worker[worker]);
    progress_add(&pass->pack->progress, end - first);
}

int frames_make(Pack* p, u32 first, u32 end) {
    const u32  count = end - first;
    PackItem** items = memory_alloc(sizeof *items * ((size_t)count + 1));
    Pass       pass = {p, items};
    JobGroup   jobs = {0};
    int        code = EXIT_OK;
    for (u32 i = 0; i < count; i++) items[i] = &p->items.at[first + i];
    qsort(items, count, sizeof *items, size_order);
    ent_job_dispatch(p->pool, &jobs, count, 1, compress_some, &pass);
    ent_job_wait(p->pool, &jobs);
    memory_free(items);
    for (u32 i = 0; i < ent_job_worker_count(p->pool); i++) worker_trim(&p->worker[i]);
    for (u32 i = first; i < end && code == EXIT_OK; i++) {
        if (p->items.at[i].unread != ENT_OK) progress_end(&p->progress); /* before the message */
        if (p->items.at[i].unread != ENT_OK) code = item_unread_report(p, &p->items.at[i]);
    }
    return code;
}
