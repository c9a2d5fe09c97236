/* scatter.c - elements are gathered with their numbers; a kernel writes them to their places. */
#include "scatter.h"

#include "scatter_io.h"

#include "scatter.comp.h"

ent_status scatter_create(Scatter* s, Gpu* gpu, u64 bytes) {
    *s = (Scatter){0};
    TRY(gpu_kernel_create(&s->kernel, gpu, &GPU_KERNEL(scatter, SCATTER_GROUP)));
    return gpu_mapped_create(&s->memory, gpu, MAX_OF(bytes, (u64)4));
}

void scatter_destroy(Scatter* s) {
    gpu_kernel_destroy(&s->kernel);
    gpu_mapped_destroy(&s->memory);
    *s = (Scatter){0};
}

void scatter_begin(Scatter* s) { s->used = 0; }

u64 scatter_bytes_left(const Scatter* s) { return s->memory.buffer.bytes - s->used; }

void scatter_record(Scatter* s, GpuList* list, const GpuBuffer* to, u32 element_words,
                    const void* from, const u32* rows, u32 count) {
    const ScatterPush push = {count, element_words, (u32)(s->used / 4)};
    const u64         bytes = (u64)count * (1 + element_words) * 4;
    u32*              out = (u32*)(void*)(s->memory.at + s->used);
    if (count == 0) return;
    assert(bytes <= scatter_bytes_left(s));
    memcpy(out, rows, count * sizeof *rows);
    out += count;
    for (u32 i = 0; i < count; i++) {
        const u32* element = (const u32*)from + (size_t)rows[i] * element_words;
        for (u32 w = 0; w < element_words; w++) *out++ = element[w];
    }
    s->used += bytes;
    gpu_pass(
        list,
        &(GpuPass){
            .name = "changes",
            .kernel = &s->kernel,
            .use = {[SCATTER_FROM] = {&s->memory.buffer, GPU_READ}, [SCATTER_TO] = {to, GPU_WRITE}},
            .push = &push,
            .push_bytes = sizeof push,
            .threads = (u64)count * element_words});
}
