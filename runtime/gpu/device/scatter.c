/* scatter.c - elements are gathered with their numbers in host-visible memory; a kernel writes them to
 * their places. */
#include "scatter.h"

#include "scatter_io.h"

#include "scatter.comp.h"

ent_status scatter_create(Scatter* s, Gpu* gpu) {
    return gpu_kernel_create(&s->kernel, gpu, &GPU_KERNEL(scatter, SCATTER_GROUP));
}

void scatter_destroy(Scatter* s) { gpu_kernel_destroy(&s->kernel); }

#define PREFETCHED 24u /* elements: their cache lines arrive while the ones before are copied */

/* The rows are far from each other: without prefetching, each copy waits for memory. */
static void elements_gather(u32* out, const u32* from, u32 words, const u32* rows, u32 count) {
    const size_t bytes = words * sizeof(u32);
    for (u32 i = 0; i < count; i++, out += words) {
        if (i + PREFETCHED < count) {
            const u32* next = from + (size_t)rows[i + PREFETCHED] * words;
            __builtin_prefetch(next);
            __builtin_prefetch((const u8*)next + bytes - 1);
        }
        const u32* element = from + (size_t)rows[i] * words;
        if (words == sizeof(Mat34) / 4)
            memcpy(out, element,
                   sizeof(Mat34)); /* a constant size, for the most frequent elements */
        else
            memcpy(out, element, bytes);
    }
}

void scatter_record(const Scatter* s, GpuFrame* frame, const GpuBuffer* to, u32 element_words,
                    const void* from, ScatterRows rows) {
    const u32         count = rows.count;
    const ScatterPush push = {count, element_words};
    GpuSpan           span;
    if (count == 0) return;
    if (gpu_frame_take(frame, scatter_bytes(element_words, count), &span) != ENT_OK) return;
    memcpy(span.at, rows.at, count * sizeof *rows.at);
    elements_gather((u32*)(void*)span.at + count, from, element_words, rows.at, count);
    gpu_pass(&frame->list,
             &(GpuPass){
                 .name = "changes",
                 .kernel = &s->kernel,
                 .use = {[SCATTER_FROM] = {&span.buffer, GPU_READ}, [SCATTER_TO] = {to, GPU_WRITE}},
                 GPU_PUSH(push),
                 .threads = (u64)count * element_words});
}
