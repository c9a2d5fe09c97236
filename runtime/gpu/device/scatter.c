/* scatter.c - elements are gathered with their numbers in host-visible memory; a kernel writes them to
 * their places. */
#include "scatter.h"

#include "scatter_io.h"

#include "scatter.comp.h"

ent_status scatter_create(Scatter* s, Gpu* gpu) {
    return gpu_kernel_create(&s->kernel, gpu, &GPU_KERNEL(scatter, SCATTER_GROUP));
}

void scatter_destroy(Scatter* s) { gpu_kernel_destroy(&s->kernel); }

void scatter_record(const Scatter* s, GpuFrame* frame, const GpuBuffer* to, u32 element_words,
                    const void* from, const u32* rows, u32 count) {
    const ScatterPush push = {count, element_words};
    GpuSpan           span;
    if (count == 0) return;
    if (gpu_frame_take(frame, scatter_bytes(element_words, count), &span) != ENT_OK) return;
    u32* out = (u32*)(void*)span.at;
    memcpy(out, rows, count * sizeof *rows);
    out += count;
    for (u32 i = 0; i < count; i++) {
        const u32* element = (const u32*)from + (size_t)rows[i] * element_words;
        for (u32 w = 0; w < element_words; w++) *out++ = element[w];
    }
    gpu_pass(&frame->list,
             &(GpuPass){
                 .name = "changes",
                 .kernel = &s->kernel,
                 .use = {[SCATTER_FROM] = {&span.buffer, GPU_READ}, [SCATTER_TO] = {to, GPU_WRITE}},
                 .push = &push,
                 .push_bytes = sizeof push,
                 .threads = (u64)count * element_words});
}
