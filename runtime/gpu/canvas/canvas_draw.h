/* canvas_draw.h - spheres and discs that are drawn from buffers on the device: for systems, which
 * draw what they simulate without a copy. Private: hosts draw arrays, or call a system. */
#ifndef ENT_CANVAS_DRAW_H
#define ENT_CANVAS_DRAW_H

#include "canvas.h"
#include "gpu_memory.h"

typedef enum CanvasKind { CANVAS_SPHERES, CANVAS_DISCS, CANVAS_KINDS } CanvasKind;

/* Instances of one kind. An element of each buffer is a vec4. */
typedef struct CanvasDraw {
    CanvasKind kind;
    u32        count;
    GpuBuffer  position;      /* [count] of a sphere x, y, z; of a disc x, y, radius in the plane */
    GpuBuffer  velocity;      /* [count] of a sphere x, y, z; of a disc the word with its heat */
    u32        heat_word;     /* of discs: which word of `velocity` that is, 0 to 3 */
    f32        radius_m;      /* of spheres */
    f32        speed_max_m_s; /* of spheres */
    Mat34      pose;          /* of the plane of discs */
    Vec3       color;         /* of discs */
} CanvasDraw;

/* Adds to the next picture. The buffers are read when that picture is drawn; they must exist until
 * then. Returns as ent_canvas_spheres. */
MUST_CHECK ent_status canvas_add(Canvas* canvas, const CanvasDraw* draw);

#endif
