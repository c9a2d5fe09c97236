/* canvas_draw.h - draws spheres and discs from buffers on the device, so that systems draw their
 * elements without a copy. Private: hosts draw arrays or call the draw function of a system. */
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

/* Adds a draw to the next picture. The buffers are read when that picture is drawn; they must exist
 * until then. Returns the same as ent_canvas_spheres. */
MUST_CHECK ent_status canvas_add(Canvas* canvas, const CanvasDraw* draw);

#endif
