/* scan.c - the passes of a prefix sum. */
#include "scan.h"

#include "scan_io.h"

#include "scan_apply.comp.h"
#include "scan_reduce.comp.h"
#include "scan_sums.comp.h"

static u32 tiles_of(u32 count) { return (count + SCAN_TILE - 1) / SCAN_TILE; }

ent_status scan_create(Scan* scan, Gpu* gpu, u32 count_max, bool clears) {
    const GpuBufferWish wish = {&scan->sum, tiles_of(count_max), sizeof(u32), "prefix sum"};
    *scan = (Scan){.count_max = count_max, .is_few = tiles_of(count_max) <= SCAN_FEW};
    TRY(gpu_kernel_create(&scan->reduce, gpu, &GPU_KERNEL(scan_reduce, SCAN_GROUP)));
    TRY(gpu_kernel_create_with(&scan->apply, gpu, &GPU_KERNEL(scan_apply, SCAN_GROUP),
                               (u32[]){clears, scan->is_few}, 2));
    if (!scan->is_few) TRY(gpu_kernel_create(&scan->sums, gpu, &GPU_KERNEL(scan_sums, SCAN_GROUP)));
    return gpu_pool_create(&scan->pool, gpu, &wish, 1);
}

void scan_destroy(Scan* scan) {
    gpu_kernel_destroy(&scan->reduce);
    gpu_kernel_destroy(&scan->sums);
    gpu_kernel_destroy(&scan->apply);
    gpu_pool_destroy(&scan->pool);
}

void scan_retire(Scan* scan, GpuFrame* frame) {
    gpu_frame_retire_kernel(frame, &scan->reduce);
    gpu_frame_retire_kernel(frame, &scan->sums);
    gpu_frame_retire_kernel(frame, &scan->apply);
    gpu_frame_retire_pool(frame, &scan->pool);
}

void scan_record(const Scan* scan, GpuList* list, const GpuBuffer* words, const GpuBuffer* out,
                 u32 count) {
    const ScanPush push = {count, tiles_of(count)};
    const u64      threads = (u64)push.tiles * SCAN_GROUP;
    assert(count % 4 == 0 && count <= scan->count_max);
    if (push.tiles > 1 || !scan->is_few)
        gpu_pass(
            list,
            &(GpuPass){
                .name = "scan",
                .kernel = &scan->reduce,
                .use = {[SCAN_WORDS] = {words, GPU_READ}, [SCAN_SUMS] = {&scan->sum, GPU_WRITE}},
                .push = &push,
                .push_bytes = sizeof push,
                .threads = threads});
    if (!scan->is_few)
        gpu_pass(list, &(GpuPass){.name = "scan",
                                  .kernel = &scan->sums,
                                  .use = {[SCAN_SUMS] = {&scan->sum, GPU_READ_WRITE}},
                                  .push = &push,
                                  .push_bytes = sizeof push,
                                  .threads = 1});
    gpu_pass(list, &(GpuPass){.name = "scan",
                              .kernel = &scan->apply,
                              .use = {[SCAN_WORDS] = {words, GPU_READ_WRITE},
                                      [SCAN_SUMS] = {&scan->sum, GPU_READ},
                                      [SCAN_OUT] = {out, GPU_WRITE}},
                              .push = &push,
                              .push_bytes = sizeof push,
                              .threads = threads});
}
