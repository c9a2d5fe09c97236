/* water_internal.h - the surface of fluids in a picture, from particles on the device: what systems need to draw theirs.
 *
 *     create:        TRY(water_create(&water, gpu, scene->lighting));
 *     phase place:   water_clear(&water); TRY(water_add(&water, &draw));
 *     phase cull:    water_cull(&water, picture);
 *     phase water:   TRY(water_record(&water, picture));
 *     destroy:       water_destroy(&water);
 *
 * All fluids of a system have one surface; what is behind it is seen through the nearest of them.
 *
 * water.c         kernels, memory, fluids
 * water_picture.c the phases of a picture */
#ifndef ENT_WATER_INTERNAL_H
#define ENT_WATER_INTERNAL_H

#include "canvas_draw.h"
#include "lighting_internal.h"
#include "shapes.h"

#include "water_io.h"

/* Particles of one fluid. An element of each buffer is a vec4. */
typedef struct WaterDraw {
    u32       count;
    GpuBuffer position; /* [count] and the number of the particle */
    GpuBuffer velocity; /* [count] and the density */
    GpuBuffer foam;     /* [count] a float by number; water_foam_record writes it */
    f32       spacing_m, radius_m, h_m; /* h_m: radius of influence */
    f32       smoothing, foaming;       /* 0 to 1 */
    f32       rest_density, fast_m_s;
    Vec3      absorption_per_m;
    f32       index; /* of refraction */
    EntShapesLook look;
} WaterDraw;

typedef struct WaterKernels {
    GpuKernel look, find, clear, splat, splat_large, hide, thick, total, smooth[2], behind, shade;
} WaterKernels;

typedef struct Water {
    Gpu*         gpu;
    Lighting*    lighting; /* NULL: nothing is drawn */
    WaterDraw    draw[WATER_FLUIDS_MAX];
    u32          draw_count;
    WaterKernels kernel; /* empty until something is drawn */
    GpuKernel    foam;
    GpuPool      pool, picture_pool;
    GpuBuffer    state, fluids;                   /* WATER_STATE, WATER_FLUID */
    GpuBuffer    nearest, smoothed, behind, far;  /* of pixels */
    GpuBuffer    hidden;                          /* of blocks */
    GpuBuffer    thick, foams, large;             /* of cells; of one fluid */
    u32          width, height, cells;            /* for which there is memory */
    WaterPush    push;                            /* of the picture that is being recorded */
} Water;

/* After a failure it can still be destroyed. Without a lighting, draws are ignored. */
void water_create(Water* water, Gpu* gpu, void* lighting);
void water_destroy(Water* water);

/* Adds a fluid to the next pictures; its buffers exist until it is cleared.
 *
 * Returns  ENT_OK, or ENT_LIMIT after a message: more than WATER_FLUIDS_MAX. */
MUST_CHECK ent_status water_add(Water* water, const WaterDraw* draw);
void                  water_clear(Water* water);

/* Records the pass that changes the foam of a fluid, when it was simulated. */
MUST_CHECK ent_status water_foam_record(Water* water, GpuFrame* frame, const WaterDraw* draw,
                                        f32 duration_s);

/* States that the picture has fluids. */
void water_cull(const Water* water, GpuPicture* picture);
/* The steps of the phase `water`. */
MUST_CHECK ent_status water_record(Water* water, GpuPicture* picture);

/* --- for the files of this module --- */

MUST_CHECK ent_status water_need(Water* water, const GpuPicture* picture);

#endif
