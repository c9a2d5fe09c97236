/* gpu_mirror.c - uploads of the blocks of a table that changed. */
#include "gpu_mirror.h"

#include <stdlib.h>

#include "hash.h"

#define BLOCK ((u64)4096)

static u64 block_hash(const void* from, u64 bytes, u32 block) {
    const u64 first = block * BLOCK;
    return hash_bytes((const u8*)from + first, MIN_OF(bytes - first, BLOCK), block);
}

static u32 blocks_of(u64 bytes) { return (u32)((bytes + BLOCK - 1) / BLOCK); }

static ent_status blocks_reserve(GpuMirror* m, u64 bytes) {
    const u32 count = blocks_of(bytes);
    if (count <= m->capacity) return ENT_OK;
    u64* const grown = realloc(m->hash, count * sizeof *grown);
    if (!grown) return ENT_NO_MEMORY;
    m->hash = grown;
    m->capacity = count;
    return ENT_OK;
}

static void blocks_note(GpuMirror* m, const Gpu* gpu, const GpuBuffer* buffer, const void* from,
                        u64 bytes) {
    for (u32 i = 0; i < blocks_of(bytes); i++) m->hash[i] = block_hash(from, bytes, i);
    m->bytes = bytes;
    m->number = buffer->number + 1;
    m->dropped = gpu->dropped;
}

ent_status gpu_mirror_note(GpuMirror* m, const Gpu* gpu, const GpuBuffer* buffer, const void* from,
                           u64 bytes) {
    m->number = 0;
    TRY(blocks_reserve(m, bytes));
    blocks_note(m, gpu, buffer, from, bytes);
    return ENT_OK;
}

ent_status gpu_mirror_upload(GpuMirror* m, GpuFrame* frame, const GpuBuffer* buffer,
                             const void* from, u64 bytes) {
    const bool is_known =
        m->number == buffer->number + 1 && m->bytes == bytes && m->dropped == frame->gpu->dropped;
    TRY(blocks_reserve(m, bytes));
    if (!is_known) {
        m->number = 0;
        TRY(gpu_frame_upload(frame, buffer, 0, from, bytes));
        blocks_note(m, frame->gpu, buffer, from, bytes);
        return ENT_OK;
    }
    for (u32 i = 0, end; i < blocks_of(bytes); i = end + 1) {
        for (end = i; end < blocks_of(bytes); end++) { /* a run of blocks that changed */
            const u64 hash = block_hash(from, bytes, end);
            if (m->hash[end] == hash) break;
            m->hash[end] = hash;
        }
        if (end == i) continue;
        const u64        first = i * BLOCK, last = MIN_OF(end * BLOCK, bytes);
        const ent_status status =
            gpu_frame_upload(frame, buffer, first, (const u8*)from + first, last - first);
        if (status != ENT_OK) m->number = 0; /* the next upload is of all blocks */
        TRY(status);
    }
    return ENT_OK;
}

ent_status gpu_mirrors_upload(GpuMirror* mirrors, GpuFrame* frame, GpuPool* pool,
                              const GpuBufferRequest* tables, const void* const* from, u32 count) {
    bool fits = pool->count > 0;
    for (u32 i = 0; i < count && fits; i++)
        fits = tables[i].count * tables[i].stride <= tables[i].buffer->bytes;
    if (!fits) {
        gpu_frame_retire_pool(frame, pool);
        TRY(gpu_pool_create(pool, frame->gpu, tables, count));
    }
    for (u32 i = 0; i < count; i++)
        TRY(gpu_mirror_upload(&mirrors[i], frame, tables[i].buffer, from[i],
                              tables[i].count * tables[i].stride));
    return ENT_OK;
}

void gpu_mirror_free(GpuMirror* m) {
    free(m->hash);
    *m = (GpuMirror){0};
}
