/* gpu_columns.c - uploads of columns: all rows, or those that changed. */
#include "gpu_columns.h"

#include <stdlib.h>

#define ROWS_MIN      64u
#define CHANGED_SHARE 4u /* when more than one row in four changed, all are uploaded */

static Manager* manager_of(const GpuColumns* c) { return ent_world_manager(c->world, c->type); }

/* Bytes of a row in all columns that are copied, owner included. */
static u64 row_bytes(const GpuColumns* c) {
    u64 bytes = sizeof(Entity);
    for (u32 i = 0; i < c->column_count; i++) bytes += c->element_bytes[i];
    return bytes;
}

/* --- all rows --- */

static ent_status bits_create(GpuColumns* c, u32 capacity) {
    free(c->watch.changed);
    free(c->rows);
    c->watch.capacity = 0;
    c->watch.changed = calloc(MANAGER_WATCH_WORDS(capacity), sizeof *c->watch.changed);
    c->rows = malloc((capacity / CHANGED_SHARE + 1) * sizeof *c->rows);
    if (!c->watch.changed || !c->rows) return ENT_NO_MEMORY;
    c->watch.capacity = capacity;
    return ENT_OK;
}

static ent_status capacity_set(GpuColumns* c, GpuFrame* frame, u32 rows) {
    GpuBufferRequest requests[MANAGER_COLUMNS_MAX + 1];
    const u32        capacity = MAX_OF(rows + rows / 2, ROWS_MIN);
    u32              count = 0;
    assert(c->column_count < COUNT_OF(requests)); /* of a manager */
    TRY(bits_create(c, capacity));
    gpu_frame_retire_pool(frame, &c->pool);
    requests[count++] = (GpuBufferRequest){&c->entity, capacity, sizeof(Entity), "owners of rows"};
    for (u32 i = 0; i < c->column_count; i++) {
        if (c->element_bytes[i])
            requests[count++] = (GpuBufferRequest){&c->column[i], capacity, c->element_bytes[i],
                                                   "rows of a column"};
    }
    return gpu_pool_create(&c->pool, c->gpu, requests, count);
}

static ent_status rows_upload(GpuColumns* c, const Manager* m, GpuFrame* frame) {
    if (m->count > c->watch.capacity || !c->pool.count) TRY(capacity_set(c, frame, m->count));
    memset(c->watch.changed, 0, MANAGER_WATCH_WORDS(c->watch.capacity) * sizeof(u64));
    c->watch.overflow = 0;
    c->changed_count = m->count;
    c->listed_count = NONE;
    c->uploaded_bytes = row_bytes(c) * m->count;
    TRY(gpu_frame_upload(frame, &c->entity, 0, m->entity, m->count * sizeof(Entity)));
    for (u32 i = 0; i < c->column_count; i++) {
        if (c->element_bytes[i])
            TRY(gpu_frame_upload(frame, &c->column[i], 0, m->column[i],
                                 (u64)m->count * c->element_bytes[i]));
    }
    return ENT_OK;
}

/* --- rows that changed --- */

u32 gpu_columns_take(ManagerWatch* watch, u32 count, u32* rows, u32 max) {
    u32 taken = 0;
    for (u32 w = 0; w < MANAGER_WATCH_WORDS(count); w++) {
        for (u64 bits = watch->changed[w]; bits; bits &= bits - 1) {
            const u32 row = w * 64 + (u32)__builtin_ctzll(bits);
            if (taken == max) return NONE;
            if (row < count) rows[taken++] = row;
        }
        watch->changed[w] = 0;
    }
    return taken;
}

static void changes_record(GpuColumns* c, const Manager* m, GpuFrame* frame, u32 count) {
    const ScatterRows rows = {c->rows, count};
    c->uploaded_bytes = 0;
    if (c->moved) {
        scatter_record(&c->scatter, frame, &c->entity, 1, m->entity, rows);
        c->uploaded_bytes = scatter_bytes(1, count);
    }
    for (u32 i = 0; i < c->column_count; i++) {
        const u32 words = c->element_bytes[i] / 4;
        if (words == 0) continue;
        scatter_record(&c->scatter, frame, &c->column[i], words, m->column[i], rows);
        c->uploaded_bytes += scatter_bytes(words, count);
    }
    c->changed_count = c->listed_count = count;
}

ent_status gpu_columns_update(GpuColumns* c, GpuFrame* frame) {
    const Manager* m = manager_of(c);
    c->moved = c->moves != c->watch.moves;
    c->moves = c->watch.moves;
    c->count = m->count;
    if (c->dropped != c->gpu->dropped) { /* an upload may be lost */
        c->moved = true;
        c->watch.overflow = 1;
    }
    c->dropped = c->gpu->dropped;
    if (c->watch.overflow || m->count > c->watch.capacity) return rows_upload(c, m, frame);
    const u32 changed =
        gpu_columns_take(&c->watch, m->count, c->rows, c->watch.capacity / CHANGED_SHARE);
    if (changed == NONE) return rows_upload(c, m, frame);
    changes_record(c, m, frame, changed);
    return frame->list.status;
}

ent_status gpu_columns_restore(GpuColumns* c, GpuFrame* frame, const u32* rows, u32 count) {
    const Manager* m = manager_of(c);
    for (u32 i = 0; i < c->column_count && count > 0; i++)
        if (c->element_bytes[i])
            scatter_record(&c->scatter, frame, &c->column[i], c->element_bytes[i] / 4, m->column[i],
                           (ScatterRows){rows, count});
    return frame->list.status;
}

/* --- create and destroy --- */

ent_status gpu_columns_create(GpuColumns* c, Gpu* gpu, World* world, u32 type, u32 columns_mask) {
    *c = (GpuColumns){.gpu = gpu, .world = world, .type = type};
    Manager* m = manager_of(c);
    assert(m && "the component type belongs to the world");
    c->column_count = m->column_count;
    c->dropped = gpu->dropped;
    c->moves = c->watch.moves - 1; /* the first update reports that entities have rows */
    for (u32 i = 0; i < m->column_count; i++) {
        if (columns_mask >> i & 1 && m->column_bytes[i] % 4 == 0)
            c->element_bytes[i] = m->column_bytes[i];
    }
    TRY(bits_create(c, ROWS_MIN));
    c->watch.overflow = 1;
    ent_manager_watch(m, &c->watch);
    return scatter_create(&c->scatter, gpu);
}

void gpu_columns_destroy(GpuColumns* c) {
    if (!c->gpu) return;
    Manager* m = manager_of(c);
    if (m) ent_manager_unwatch(m, &c->watch);
    free(c->watch.changed);
    free(c->rows);
    gpu_wait(c->gpu);
    scatter_destroy(&c->scatter);
    gpu_pool_destroy(&c->pool);
    *c = (GpuColumns){0};
}
