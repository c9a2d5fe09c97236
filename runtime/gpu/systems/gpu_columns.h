/* gpu_columns.h - the columns of a manager in device memory, kept equal to those of the world.
 *
 *     GpuColumns lights;
 *     TRY(gpu_columns_create(&lights, gpu, world, type_id, GPU_COLUMNS_ALL));
 *     each frame:
 *         TRY(gpu_columns_update(&lights, frame));   before the passes that read the columns
 *         ... passes that read lights.entity and lights.column[0], of lights.count rows
 *     gpu_columns_destroy(&lights);
 *
 * Shapes of the buffers: entity [count] words; column c [count] elements of the size that the
 * component type states, then the extra columns of the runtime, such as the world matrices of
 * transforms. Columns whose elements are not whole words are left out. The buffers are replaced when
 * the number of rows exceeds the capacity. */
#ifndef ENT_GPU_COLUMNS_H
#define ENT_GPU_COLUMNS_H

#include "manager_watch.h"
#include "scatter.h"
#include "world.h"

#define GPU_COLUMNS_ALL 0xffffffffu

typedef struct GpuColumns {
    Gpu*      gpu;
    World*    world;
    u32       type;
    u32       count; /* rows after the last update */
    u32       column_count;
    u32       element_bytes[MANAGER_COLUMNS_MAX]; /* of each column; 0: it is not copied */
    GpuPool   pool;
    GpuBuffer entity, column[MANAGER_COLUMNS_MAX];
    u32       dropped;        /* Gpu.dropped at the last update */
    u64       uploaded_bytes; /* by the last update, row numbers included */
    u32       changed_count;  /* rows that the last update uploaded */
    bool moved; /* in the last update, entities had got, lost or changed rows; in the first, true */
    ManagerWatch watch;
    u32          moves;        /* of the watch, at the last update */
    u32*         rows;         /* [listed_count] that the last update uploaded */
    u32          listed_count; /* NONE: all rows */
    Scatter      scatter;
} GpuColumns;

/* The first update uploads all rows.
 *
 *   type          the id of a component type of the world
 *   columns_mask  bit c: column c is copied
 *
 * Returns  ENT_OK; ENT_LIMIT, ENT_NO_MEMORY or a failure of the device. After a failure the copy can
 *          still be destroyed. */
MUST_CHECK ent_status gpu_columns_create(GpuColumns* columns, Gpu* gpu, World* world, u32 type,
                                         u32 columns_mask);
/* Before the world is destroyed. */
void gpu_columns_destroy(GpuColumns* columns);

/* Records the passes that write what changed since the last update; when the rows exceed the
 * capacity, or more than a quarter of it changed, all of them. The world can change as soon as the
 * function has returned.
 * Cost     a bit per row of the capacity, and a copy of what changed. */
MUST_CHECK ent_status gpu_columns_update(GpuColumns* columns, GpuFrame* frame);

/* Records the upload of rows again: kernels have written to them. The last update was in the same frame.
 *
 *   rows  [count] below columns->count, read before the function returns */
ent_status gpu_columns_restore(GpuColumns* columns, GpuFrame* frame, const u32* rows, u32 count);

/* Lists the rows below `count` whose bits are set, and clears these bits. Returns their number, or NONE
 * when there are more than `most`: then some bits are cleared.
 *
 *   rows  [most] */
u32 gpu_columns_take(ManagerWatch* watch, u32 count, u32* rows, u32 max);

#endif
