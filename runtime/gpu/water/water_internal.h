/* water_internal.h - the surface of fluids in a picture, from particles on the device: what systems need to draw theirs.
 *
 *     create:         water_create(&water, gpu, scene->lighting);
 *     phase place:    water_clear(&water); TRY(water_add(&water, &draw)); water_follow(&water, moved);
 *     phase cull:     water_cull(&water, picture);
 *     phase casters:  TRY(water_casters(&water, picture));
 *     phase water:    TRY(water_record(&water, picture));
 *     destroy:        water_destroy(&water);
 *
 * All fluids of a system have one surface; what is behind it is seen through the nearest of them.
 *
 * water.c          kernels, memory, fluids
 * water_find.c     the passes that find the surface, for a picture or a shadow map
 * water_picture.c  the phases of a picture
 * water_shadows.c  shadow maps */
#ifndef ENT_WATER_INTERNAL_H
#define ENT_WATER_INTERNAL_H

#include "canvas_draw.h"
#include "lighting_internal.h"
#include "shapes.h"

#include "water_io.h"

/* Particles of one fluid. An element of each buffer is a vec4. */
typedef struct WaterDraw {
    u32 count;
    u32 kind; /* of the particles, plus 1: ELEMENT_KIND of their word; 0: all are of this fluid */
    GpuBuffer     position;            /* [count] and the number of the particle */
    GpuBuffer     velocity;            /* [count] and the density */
    GpuBuffer     foam;                /* [count] a float by number: water_foam_record */
    GpuBuffer     crowd;               /* of WATER_CROWD */
    f32           spacing_m, radius_m; /* of particles at rest; of each, inside the surface */
    f32           h_m;                 /* radius of influence */
    f32           smoothing, foaming;  /* 0 to 1 */
    f32           fast_m_s;            /* above it, particles begin to foam */
    Vec3          absorption_per_m;
    f32           index; /* of refraction */
    EntShapesLook look;
} WaterDraw;

typedef struct WaterKernels {
    GpuKernel look, find, clear, splat, splat_large, hide, thick[3], total, smooth[2], behind, open,
        shade, cast[2];
    bool is_complete; /* all but `shade` */
} WaterKernels;

#define WATER_DEPTH_RADII 1.5f /* of a sphere in depth: so particles at rest leave no holes */

/* The surface as one camera sees it. */
typedef struct WaterView {
    GpuPool   pool;
    GpuBuffer nearest, smoothed; /* of pixels */
    GpuBuffer behind, far;       /* the same, of pictures */
    GpuBuffer hidden;            /* of blocks */
    GpuBuffer thick, foams;      /* of cells */
    u32       width, height, cells;
    u64       room; /* pixels */
} WaterView;

typedef struct Water {
    Gpu*            gpu;
    Lighting*       lighting; /* NULL: nothing is drawn */
    WaterDraw       draw[WATER_FLUIDS_MAX];
    u32             draw_count;
    WaterKernels    kernel; /* empty until something is drawn */
    GpuKernel       crowd, foam;
    GpuPool         pool;
    GpuBuffer       state, fluids, large; /* WATER_STATE, WATER_FLUID, WATER_LARGE */
    GpuBuffer       eye;                  /* of a shadow map */
    WaterView       view, map;            /* of the picture, of a shadow map */
    ShadowsFollowed followed;
} Water;

/* Without a lighting, draws are ignored. */
void water_create(Water* water, Gpu* gpu, void* lighting);
void water_destroy(Water* water);

/* Adds a fluid to the next pictures; its buffers exist until it is cleared.
 *
 * Returns  ENT_OK, or ENT_LIMIT after a message: more than WATER_FLUIDS_MAX. */
MUST_CHECK ent_status water_add(Water* water, const WaterDraw* draw);
void                  water_clear(Water* water);

/* When fluids were added: what moves is drawn into shadow maps again.
 *
 *   moved  the device has moved particles since the last call */
void water_follow(Water* water, bool moved);

/* Creates the buffers of foam of a draw of `count` particles, which have none yet. */
MUST_CHECK ent_status water_foam_create(WaterDraw* draw, GpuPool* pool, Gpu* gpu, u32 count);
/* Records the passes that change the foam of a fluid, when it was simulated. */
MUST_CHECK ent_status water_foam_record(Water* water, GpuFrame* frame, const WaterDraw* draw,
                                        f32 duration_s);

/* States that the picture has fluids. */
void water_cull(const Water* water, GpuPicture* picture);
/* Adds them to the shadow maps that are drawn. */
MUST_CHECK ent_status water_casters(Water* water, GpuPicture* picture);
/* The steps of the phase `water`. */
MUST_CHECK ent_status water_record(Water* water, GpuPicture* picture);

/* --- for the files of this module --- */

/* What finds a surface reads. */
typedef struct WaterScope {
    const Water*     water;
    const WaterView* view;
    GpuList*         list;
    const GpuBuffer *eye, *pyramid;
    VkDescriptorSet  images;
    WaterPush        push;
} WaterScope;

MUST_CHECK ent_status water_need(Water* water, GpuFrame* frame);
MUST_CHECK ent_status water_view_need(Water* water, WaterView* view, GpuFrame* frame, u32 width,
                                      u32 height, bool is_map);
WaterPush             water_push(const Water* water, const WaterView* view);
/* Records the passes that find the surface: afterwards `nearest`, `thick` and `foams` are complete. */
void water_find(const WaterScope* scope);
/* Where `state` has the groups of a dispatch: WATER_OF_BLOCKS .. */
u64 water_groups(u32 row);

#endif
