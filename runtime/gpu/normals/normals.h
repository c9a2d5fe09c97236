/* normals.h - normals of surfaces and ambient occlusion, computed from the depth of a picture. Private: for
 * systems that draw surfaces.
 *
 *     Normals n;
 *     normals_create(&n, gpu);
 *     each picture, after its depth is drawn:
 *         normals_resize(&n, target->width, target->height);
 *         TRY(normals_record(&n, list, target, normals_method(&n)));
 *         TRY(normals_occlusion_record(&n, list, target, 0.5f, true));
 *         ... passes that read n.words and n.visible, as in normals_io.h
 *     normals_destroy(&n);
 *
 * Normals are in world space, on the side of the eye, a word per sample: normal_of_word in
 * normals_word.glsl, or NORMALS_NONE. Occlusion is a byte per sample. Neither needs the other.
 *
 * Source   J. Turanszki, Improved normal reconstruction from depth, wickedengine.net, 2019. */
#ifndef ENT_NORMALS_H
#define ENT_NORMALS_H

#include "canvas_draw.h"

#include "normals_io.h"

/* How normals are computed. Those of the product are here, others in runtime/gpu/compare, for measurements.
 *
 *   slot     of its kernels in Normals
 *   columns  of a thread in strips: a lane has its neighbours from other lanes; 0: groups are squares of threads
 *   wide, high   samples of a thread in squares; high of 0: rows[0] */
typedef struct NormalsMethod {
    u32           slot;
    GpuKernelDesc kernel;
    u32           columns, wide, high;
} NormalsMethod;

extern const NormalsMethod
    normals_direct; /* four samples of some rows per thread, from loads of the image */
extern const NormalsMethod
    normals_strips; /* a column per thread, neighbours from other lanes: the same words */
extern const NormalsMethod normals_plain; /* without a choice of neighbours: wrong at edges */

#define NORMALS_SLOTS 5u

/* Rows that a thread computes of normals_direct, where 4 rows need 2 loads per sample, and of
 * normals_strips, where 8 rows and 32 lanes need 1.3. */
#define NORMALS_ROWS       4u
#define NORMALS_STRIP_ROWS 8u

typedef struct Normals {
    Gpu*      gpu;
    u32       width, height; /* samples */
    u32       rows[2];       /* of squares; of strips; set before the first picture: 1 to 8 */
    GpuPool   word_pool, raw_pool, visible_pool;
    GpuBuffer words;   /* [width * height] u32 */
    GpuBuffer raw;     /* [width * height] NormalsRaw, or a quarter of it with `half` */
    GpuBuffer visible; /* [width * height] u8: 255 is not occluded */
    u64       word_count, raw_count, visible_count;  /* for which there are buffers */
    GpuKernel normals[NORMALS_SLOTS][NORMALS_KINDS]; /* created when they are used */
    GpuKernel occlusion[2][NORMALS_KINDS], spread[2][NORMALS_KINDS]; /* full, half */
} Normals;

/* Cannot fail: kernels and buffers are created when they are used. */
void normals_create(Normals* normals, Gpu* gpu);
void normals_destroy(Normals* normals);

/* The size of the next pictures. Buffers that were sufficient for a larger picture are kept; the others are
 * replaced when they are used, and destroyed when the frame of that target is complete. */
void normals_resize(Normals* normals, u32 width, u32 height);

/* The faster method that finds the nearer neighbours: normals_strips where subgroups are wide. */
const NormalsMethod* normals_method(const Normals* normals);

/* Records the pass "normals". Afterwards `words` has the normals of all samples.
 *
 * Needs    target->images, view; the size of normals_resize; target->frame, or NULL: the list has a
 *          frame of its own, and none is in flight
 * Returns  ENT_OK; ENT_LIMIT after a message; ENT_NO_MEMORY or ENT_DEVICE_FAULT; list->status. After a
 *          failure it can still be used and destroyed. */
MUST_CHECK ent_status normals_record(Normals* normals, GpuList* list, const GpuPicture* picture,
                                     const NormalsMethod* method);

/* Records the passes "occlusion" and "occlusion spread". Afterwards `visible` has a byte per sample.
 *
 *   radius_m  of the hemisphere in which surfaces occlude
 *   half      computed for one of 2 x 2 samples: the nearest of them
 *
 * Needs, Returns  as normals_record */
MUST_CHECK ent_status normals_occlusion_record(Normals* normals, GpuList* list,
                                               const GpuPicture* picture, f32 radius_m, bool half);

#endif
