/* scan.c - the passes of a prefix sum. */
#include "scan.h"

#include <stdlib.h>

#include "scan_io.h"

#include "scan_apply.comp.h"
#include "scan_chain.comp.h"
#include "scan_reduce.comp.h"
#include "scan_sums.comp.h"

/* From this number of words on, a single pass is faster than multiple ones; measured on an H200. */
#define CHAINED_MIN (1u << 24)
#define CHAINED_END (1u << 30)         /* from here on, there are more tiles than tickets */
#define TRIED_WORDS ((1u << 22) + 260) /* the last tile is not full */

static const ScanTune usual = {true, 512, 8, 1u << 16};

static u32 tiles_of(u32 count) { return (count + SCAN_TILE - 1) / SCAN_TILE; }

static u32 chain_tiles_of(const Scan* scan) {
    return (u32)(((u64)scan->count_max + scan->chain_tile - 1) / scan->chain_tile);
}

/* --- create and destroy --- */

static ent_status chain_create(Scan* scan, Gpu* gpu, bool clears, const ScanTune* t) {
    scan->chain_tile = t->group * t->vectors * 4;
    const u32              tiles = chain_tiles_of(scan);
    const GpuBufferRequest request = {&scan->state, SCAN_STATE_WORDS + tiles * 2u, sizeof(u32),
                                      "prefix sum"};
    const u32              chain[] = {clears, t->attempts, 0, t->vectors};
    const u32              rest[] = {clears, UINT32_MAX, 1, t->vectors};
    assert(tiles <= SCAN_TICKET_MASK);
    TRY(gpu_kernel_create_with(&scan->chain, gpu, &GPU_KERNEL(scan_chain, t->group), chain,
                               COUNT_OF(chain)));
    TRY(gpu_kernel_create_with(&scan->rest, gpu, &GPU_KERNEL(scan_chain, t->group), rest,
                               COUNT_OF(rest)));
    TRY(gpu_pool_create(&scan->pool, gpu, &request, 1));
    return gpu_fill(gpu, &scan->state, 0);
}

ent_status scan_create_tuned(Scan* scan, Gpu* gpu, u32 count_max, bool clears,
                             const ScanTune* tune) {
    const GpuBufferRequest request = {&scan->sum, tiles_of(count_max), sizeof(u32), "prefix sum"};
    *scan = (Scan){.count_max = count_max,
                   .is_few = tiles_of(count_max) <= SCAN_FEW,
                   .is_chained = tune->is_chained};
    if (scan->is_chained) return chain_create(scan, gpu, clears, tune);
    TRY(gpu_kernel_create(&scan->reduce, gpu, &GPU_KERNEL(scan_reduce, SCAN_GROUP)));
    TRY(gpu_kernel_create_with(&scan->apply, gpu, &GPU_KERNEL(scan_apply, SCAN_GROUP),
                               (u32[]){clears, scan->is_few}, 2));
    if (!scan->is_few) TRY(gpu_kernel_create(&scan->sums, gpu, &GPU_KERNEL(scan_sums, SCAN_GROUP)));
    return gpu_pool_create(&scan->pool, gpu, &request, 1);
}

ent_status scan_create(Scan* scan, Gpu* gpu, u32 count_max, bool clears) {
    ScanTune   tune = usual;
    bool       proceeds = gpu->chains == GPU_CHAINS_PROCEED;
    const bool is_many = count_max >= CHAINED_MIN && count_max < CHAINED_END;
    *scan = (Scan){0};
    if (is_many && gpu->chains == GPU_CHAINS_UNTRIED) {
        TRY(scan_try(gpu, &tune, &proceeds));
        gpu->chains = proceeds ? GPU_CHAINS_PROCEED : GPU_CHAINS_STOP;
    }
    tune.is_chained = proceeds && is_many;
    return scan_create_tuned(scan, gpu, count_max, clears, &tune);
}

void scan_destroy(Scan* scan) {
    gpu_kernel_destroy(&scan->reduce);
    gpu_kernel_destroy(&scan->sums);
    gpu_kernel_destroy(&scan->apply);
    gpu_kernel_destroy(&scan->chain);
    gpu_kernel_destroy(&scan->rest);
    gpu_pool_destroy(&scan->pool);
}

void scan_retire(Scan* scan, GpuFrame* frame) {
    gpu_frame_retire_kernel(frame, &scan->reduce);
    gpu_frame_retire_kernel(frame, &scan->sums);
    gpu_frame_retire_kernel(frame, &scan->apply);
    gpu_frame_retire_kernel(frame, &scan->chain);
    gpu_frame_retire_kernel(frame, &scan->rest);
    gpu_frame_retire_pool(frame, &scan->pool);
}

/* --- does a single pass work? --- */

ent_status scan_gave_up(const Scan* scan, bool* gave_up) {
    u32 state[SCAN_STATE_WORDS] = {0, 0};
    if (scan->is_chained) TRY(gpu_download(scan->chain.gpu, &scan->state, 0, state, sizeof state));
    *gave_up = state[1] != 0;
    return ENT_OK;
}

/* Are these the sums of words 1, 2, 3 and so on? */
static bool are_sums(const u32* sums, u32 count) {
    u32 sum = 0, wrong = 0;
    for (u32 i = 0; i < count; sum += ++i) wrong += sums[i] != sum;
    return wrong == 0;
}

static ent_status tried(Gpu* gpu, const Scan* scan, const GpuBuffer* buffer, u32* words,
                        bool* proceeds) {
    GpuList   list;
    bool      gave_up = true;
    const u32 count = scan->count_max;
    for (u32 i = 0; i < count; i++) words[i] = i + 1;
    TRY(gpu_upload(gpu, buffer, 0, words, (u64)count * sizeof *words));
    TRY(gpu_list_begin(&list, gpu, GPU_TIMES_NONE));
    scan_record(scan, &list, buffer, buffer, count);
    ent_status status = gpu_list_end(&list);
    if (status == ENT_OK) status = gpu_list_run(&list);
    gpu_list_destroy(&list);
    if (status == ENT_OK) status = scan_gave_up(scan, &gave_up);
    if (status == ENT_OK) status = gpu_download(gpu, buffer, 0, words, (u64)count * sizeof *words);
    *proceeds = status == ENT_OK && !gave_up && are_sums(words, count);
    return status;
}

ent_status scan_try(Gpu* gpu, const ScanTune* tune, bool* proceeds) {
    Scan                   scan;
    GpuPool                pool = {0};
    GpuBuffer              buffer;
    const GpuBufferRequest request = {&buffer, TRIED_WORDS, sizeof(u32), "prefix sum"};
    u32*                   words = malloc(sizeof *words * TRIED_WORDS);
    *proceeds = false;
    if (!words) return ENT_NO_MEMORY;
    ent_status status = scan_create_tuned(&scan, gpu, TRIED_WORDS, false, tune);
    if (status == ENT_OK) status = gpu_pool_create(&pool, gpu, &request, 1);
    if (status == ENT_OK) status = tried(gpu, &scan, &buffer, words, proceeds);
    gpu_pool_destroy(&pool);
    scan_destroy(&scan);
    free(words);
    return status;
}

/* --- recording --- */

/* All tiles in each run, so that no sum of a tile is as old as the numbers of runs last. */
static void chain_record(const Scan* scan, GpuList* list, const GpuBuffer* words,
                         const GpuBuffer* out, u32 count) {
    const ScanPush push = {count, chain_tiles_of(scan)};
    GpuPass        pass = {.name = "scan",
                           .kernel = &scan->chain,
                           .use = {[SCAN_WORDS] = {words, GPU_READ_WRITE},
                                   [SCAN_OUT] = {out, GPU_WRITE},
                                   [SCAN_STATE] = {&scan->state, GPU_READ_WRITE}},
                           GPU_PUSH(push),
                           .threads = (u64)push.tiles * scan->chain.group_size};
    gpu_pass(list, &pass);
    pass.kernel = &scan->rest;
    pass.threads = (u64)MIN_OF(push.tiles, SCAN_REST_GROUPS) * scan->rest.group_size;
    gpu_pass(list, &pass);
}

static void passes_record(const Scan* scan, GpuList* list, const GpuBuffer* words,
                          const GpuBuffer* out, u32 count) {
    const ScanPush push = {count, tiles_of(count)};
    const u64      threads = (u64)push.tiles * SCAN_GROUP;
    if (push.tiles > 1 || !scan->is_few)
        gpu_pass(
            list,
            &(GpuPass){
                .name = "scan",
                .kernel = &scan->reduce,
                .use = {[SCAN_WORDS] = {words, GPU_READ}, [SCAN_SUMS] = {&scan->sum, GPU_WRITE}},
                GPU_PUSH(push),
                .threads = threads});
    if (!scan->is_few)
        gpu_pass(list, &(GpuPass){.name = "scan",
                                  .kernel = &scan->sums,
                                  .use = {[SCAN_SUMS] = {&scan->sum, GPU_READ_WRITE}},
                                  GPU_PUSH(push),
                                  .threads = 1});
    gpu_pass(list, &(GpuPass){.name = "scan",
                              .kernel = &scan->apply,
                              .use = {[SCAN_WORDS] = {words, GPU_READ_WRITE},
                                      [SCAN_SUMS] = {&scan->sum, GPU_READ},
                                      [SCAN_OUT] = {out, GPU_WRITE}},
                              GPU_PUSH(push),
                              .threads = threads});
}

void scan_record(const Scan* scan, GpuList* list, const GpuBuffer* words, const GpuBuffer* out,
                 u32 count) {
    assert(count % 4 == 0 && count <= scan->count_max);
    if (scan->is_chained)
        chain_record(scan, list, words, out, count);
    else
        passes_record(scan, list, words, out, count);
}
