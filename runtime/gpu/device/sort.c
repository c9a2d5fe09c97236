/* sort.c - the passes of a bitonic sort. */
#include "sort.h"

#include "sort_io.h"

#include "sort_block.comp.h"
#include "sort_step.comp.h"

ent_status sort_create(Sort* sort, Gpu* gpu) {
    const u32 complete[] = {1}, last_steps[] = {0};
    *sort = (Sort){0};
    TRY(gpu_kernel_create(&sort->step, gpu, &GPU_KERNEL(sort_step, SORT_GROUP)));
    TRY(gpu_kernel_create_with(&sort->block, gpu, &GPU_KERNEL(sort_block, SORT_BLOCK / 2), complete,
                               1));
    return gpu_kernel_create_with(&sort->turn, gpu, &GPU_KERNEL(sort_block, SORT_BLOCK / 2),
                                  last_steps, 1);
}

void sort_destroy(Sort* sort) {
    gpu_kernel_destroy(&sort->step);
    gpu_kernel_destroy(&sort->block);
    gpu_kernel_destroy(&sort->turn);
}

u32 sort_capacity(u32 count) {
    u32 capacity = SORT_BLOCK;
    assert(count <= 1u << 31);
    while (capacity < count) capacity *= 2;
    return capacity;
}

static void step_record(GpuList* list, const GpuKernel* kernel, const GpuBuffer* pairs,
                        SortPush push) {
    gpu_pass(list, &(GpuPass){.name = "sort",
                              .kernel = kernel,
                              .use = {[SORT_PAIR] = {pairs, GPU_READ_WRITE}},
                              GPU_PUSH(push),
                              .threads = push.count / 2});
}

/* Strides within a block are processed in shared memory, the rest of a turn in one pass. */
void sort_record(const Sort* sort, GpuList* list, const GpuBuffer* pairs, u32 count) {
    step_record(list, &sort->block, pairs, (SortPush){count, 0, 0});
    for (u64 turn = SORT_BLOCK * 2; turn <= count; turn *= 2) {
        for (u32 stride = (u32)(turn / 2); stride >= SORT_BLOCK; stride /= 2)
            step_record(list, &sort->step, pairs, (SortPush){count, stride, (u32)turn});
        step_record(list, &sort->turn, pairs, (SortPush){count, 0, (u32)turn});
    }
}
