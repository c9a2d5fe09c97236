/* gpu_colliders_internal.h - what systems call whose particles meet colliders.
 *
 *     create:   keep the GpuColliders of the scene, or NULL
 *     record:   TRY(gpu_colliders_update(colliders, frame, steps));
 *               before the passes of all steps: TRY(gpu_colliders_place(colliders, list, steps, near_m));
 *               they use GPU_COLLIDERS(colliders), or the planes if gpu_colliders_are_plain */
#ifndef ENT_GPU_COLLIDERS_INTERNAL_H
#define ENT_GPU_COLLIDERS_INTERNAL_H

#include "gpu_bodies_internal.h"
#include "gpu_colliders.h"
#include "gpu_kernel.h"
#include "gpu_list.h"
#include "gpu_system_internal.h"

#include "colliders_io.h"

/* Of a system: the colliders of its world. */
typedef struct CollidersFollowed {
    Colliders* list; /* NULL: the host sets them */
    World*     world;
    u32        version;
    bool       warned; /* that some have no volume */
} CollidersFollowed;

struct EntGpuColliders {
    Gpu*              gpu;
    CollidersFollowed followed;
    ColliderMotion* at; /* [count] planes first, and those of bodies last, in the order of these */
    u32             count, plane_count;
    bool            moves, is_plain;
    f32             size_m;  /* mean size of those that are no planes */
    u32             version; /* of `at`, and of the buffers */
    u32             sets;    /* how often they were set; */
    bool            jumped;  /* the last time, some did not begin where they had been */
    u32             uploaded;
    u32     room, steps_room; /* colliders of `frame`, and of `step`, for which there are buffers */
    GpuPool pool;
    GpuBuffer frame, step, list; /* bindings of colliders_io.h */
    GpuBuffer cell, planes;
    GpuKernel clear, place, cells;
    GpuBodies bodies;
};

/* Brings what was set to the device, and makes room for the steps of a frame. Without a frame, it waits for the device. */
MUST_CHECK ent_status gpu_colliders_update(GpuColliders* colliders, GpuFrame* frame, u32 steps);

/* Are all of them planes that stand, without friction, or is there none? Then `planes` has them as well. */
static inline bool gpu_colliders_are_plain(const GpuColliders* c) { return c->is_plain; }

/* Records the passes that move them through the steps of a frame; 0: one step, in which they stand.
 *
 *   near_m  how near particles are that find colliders in cells; others are tested against all
 *
 * Needs    an update for as many steps since they were set. */
MUST_CHECK ent_status gpu_colliders_place(GpuColliders* colliders, GpuList* list, u32 steps,
                                          f32 near_m);
/* Records the cells of a step again, where bodies move colliders. */
MUST_CHECK ent_status gpu_colliders_cells(GpuColliders* colliders, GpuList* list, u32 step,
                                          f32 near_m);

/* Do some of them move in this frame? */
static inline bool gpu_colliders_move(const GpuColliders* c) {
    return c->moves || gpu_bodies_are_moved(&c->bodies);
}

/* Where those of a step begin. */
static inline u32 gpu_colliders_first(const GpuColliders* c, u32 step) {
    return gpu_colliders_move(c) ? step * c->count : 0;
}

/* A copy to a buffer; without a frame, it waits for the device. */
MUST_CHECK ent_status gpu_colliders_upload(const GpuColliders* colliders, GpuFrame* frame,
                                           const GpuBuffer* to, const void* from, u64 bytes);

/* What is pushed to the kernels that read them: how many all particles meet, and the size of cells; 0: there are none. */
u32 gpu_colliders_direct(const GpuColliders* colliders);
f32 gpu_colliders_cell(const GpuColliders* colliders, f32 near_m);

/* The buffers of a pass that reads them. */
#define GPU_COLLIDERS(c)                                                                           \
    [COLLIDERS_STEP] = {&(c)->step, GPU_READ}, [COLLIDERS_CELL] = {&(c)->cell, GPU_READ},          \
    [COLLIDERS_LIST] = {&(c)->list, GPU_READ}

#endif
