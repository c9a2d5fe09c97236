/* gpu_colliders_steps.c - the passes that move colliders through the steps of a frame. */
#include "gpu_colliders_internal.h"

#include "colliders_cells.comp.h"
#include "colliders_clear.comp.h"
#include "colliders_place.comp.h"

ent_status gpu_colliders_upload(const GpuColliders* c, GpuFrame* frame, const GpuBuffer* to,
                                const void* from, u64 bytes) {
    if (bytes == 0) return ENT_OK;
    return frame ? gpu_frame_upload(frame, to, 0, from, bytes)
                 : gpu_upload(c->gpu, to, 0, from, bytes);
}

static bool has_cells(const GpuColliders* c) { return c->count - c->plane_count > COLLIDERS_FEW; }

u32 gpu_colliders_direct(const GpuColliders* c) { return has_cells(c) ? c->plane_count : c->count; }

/* A collider of mean size is in about 30 cells. Of thousands that are close together, those that have no place in a cell are met by
 * all particles. */
f32 gpu_colliders_cell(const GpuColliders* c, f32 near_m) {
    return has_cells(c) ? MAX_OF(c->size_m / 2 + near_m, 1e-6f) : 0;
}

static ent_status kernels_need(GpuColliders* c) {
    if (c->place.pipeline) return ENT_OK;
    gpu_kernel_destroy(&c->clear); /* after a failure */
    gpu_kernel_destroy(&c->cells);
    TRY(gpu_kernel_create(&c->clear, c->gpu, &GPU_KERNEL(colliders_clear, COLLIDERS_GROUP)));
    TRY(gpu_kernel_create(&c->cells, c->gpu, &GPU_KERNEL(colliders_cells, COLLIDERS_GROUP)));
    return gpu_kernel_create(&c->place, c->gpu, &GPU_KERNEL(colliders_place, COLLIDERS_GROUP));
}

static void clear_record(const GpuColliders* c, GpuList* list, const CollidersPush* push) {
    if (!has_cells(c)) return;
    gpu_pass(list, &(GpuPass){.name = "colliders",
                              .kernel = &c->clear,
                              .use = {[COLLIDERS_CELL] = {&c->cell, GPU_WRITE},
                                      [COLLIDERS_LIST] = {&c->list, GPU_WRITE}},
                              .push = push,
                              .push_bytes = sizeof *push,
                              .threads = MAX_OF(c->count, COLLIDERS_CELLS * COLLIDERS_WORDS)});
}

ent_status gpu_colliders_cells(GpuColliders* c, GpuList* list, u32 step, f32 near_m) {
    const CollidersPush push = {.count = c->count,
                                .plane_count = c->plane_count,
                                .cell_m = gpu_colliders_cell(c, near_m),
                                .near_m = near_m,
                                .first = gpu_colliders_first(c, step)};
    if (!has_cells(c)) return list->status;
    clear_record(c, list, &push);
    gpu_pass(list, &(GpuPass){.name = "colliders",
                              .kernel = &c->cells,
                              .use = {[COLLIDERS_STEP] = {&c->step, GPU_READ},
                                      [COLLIDERS_CELL] = {&c->cell, GPU_READ_WRITE},
                                      [COLLIDERS_LIST] = {&c->list, GPU_READ_WRITE}},
                              GPU_PUSH(push),
                              .threads = c->count});
    return list->status;
}

ent_status gpu_colliders_place(GpuColliders* c, GpuList* list, u32 steps, f32 near_m) {
    const u32           placed = gpu_colliders_move(c) ? steps : 0;
    const bool          has_bodies = gpu_bodies_are_begun(&c->bodies);
    const GpuBuffer*    states = has_bodies ? gpu_bodies_state(&c->bodies) : &c->frame;
    const CollidersPush push = {.count = c->count,
                                .plane_count = c->plane_count,
                                .steps = placed,
                                .cell_m = gpu_colliders_cell(c, near_m),
                                .near_m = near_m,
                                .bodies = has_bodies ? c->bodies.count : 0};
    assert(c->uploaded == c->version);
    TRY(kernels_need(c));
    clear_record(c, list, &push);
    gpu_pass(list, &(GpuPass){.name = "colliders",
                              .kernel = &c->place,
                              .use = {[COLLIDERS_FRAME] = {&c->frame, GPU_READ},
                                      [BODIES_STATE] = {states, GPU_READ},
                                      [COLLIDERS_STEP] = {&c->step, GPU_WRITE},
                                      [COLLIDERS_CELL] = {&c->cell, GPU_READ_WRITE},
                                      [COLLIDERS_LIST] = {&c->list, GPU_READ_WRITE}},
                              GPU_PUSH(push),
                              .threads = (u64)c->count * MAX_OF(placed, 1u)});
    return list->status;
}
