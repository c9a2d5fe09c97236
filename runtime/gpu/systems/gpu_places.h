/* gpu_places.h - where entities are, for kernels: their world matrices, and the row of each entity.
 *
 *     GpuPlaces places;
 *     TRY(gpu_places_create(&places, gpu, world, NULL));
 *     each frame:
 *         TRY(gpu_places_update(&places, frame));
 *         ... passes that read GPU_MATRICES(&places) and places.rows
 *     gpu_places_destroy(&places);
 *
 * rows [row_slots] words: the row of the transform of an entity, by the index of the entity. An entry of an
 * entity that has no transform any more is recognised by the owner of the row, places.transforms.entity. */
#ifndef ENT_GPU_PLACES_H
#define ENT_GPU_PLACES_H

#include "gpu_animated.h"
#include "gpu_columns.h"
#include "gpu_kernel.h"
#include "transform_internal.h"

typedef struct GpuPlaces {
    Gpu*        gpu;
    World*      world;
    GpuColumns  transforms; /* world matrices */
    GpuAnimated animated;   /* of these, what the device computes */
    GpuKernel   find;
    GpuPool     pool;
    GpuBuffer   rows;
    u32         row_slots;
    u32         dropped; /* Gpu.dropped at the last update */
} GpuPlaces;

#define GPU_MATRICES(places) (&(places)->transforms.column[COLUMN_WORLD])

/*   animators  of the world, whose entities are where the clips are; NULL: they are where the host has them
 *
 * Returns  as gpu_columns_create. After a failure it can still be destroyed. */
MUST_CHECK ent_status gpu_places_create(GpuPlaces* places, Gpu* gpu, World* world,
                                        Animators* animators);
/* Before the world is destroyed. */
void gpu_places_destroy(GpuPlaces* places);

/* Records the passes that write what changed since the last update. places->transforms.moved: rows belong to
 * other entities than before. */
MUST_CHECK ent_status gpu_places_update(GpuPlaces* places, GpuFrame* frame);

/* The world matrix of an entity as on the device, to rounding; the identity when it has no transform. */
Mat34 gpu_places_pose(const GpuPlaces* places, Entity entity);

#endif
