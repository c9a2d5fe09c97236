/* canvas.h - pictures without a window: spheres, discs and planes as a camera sees them.
 *
 *     EntCanvas* canvas;
 *     const EntCanvasDesc desc = {.width = 1280, .height = 720};
 *     EntStatus           status = ent_canvas_create(&canvas, gpu, &desc);
 *     status = ent_canvas_spheres(canvas, &(EntCanvasSpheres){.count = n, .position = position,
 *                                                             .velocity = velocity,
 *                                                             .radius_m = 0.1f,
 *                                                             .speed_max_m_s = 5});
 *     status = ent_canvas_draw(canvas, &view);
 *     status = ent_canvas_read(canvas, pixels);
 *     ent_canvas_destroy(canvas);
 *
 * Depth and the number of what is seen are rasterised and nothing else; kernels then colour what is
 * seen, which is many times faster where graphics units are few. What a device draws is the same
 * every time; devices differ at the edges by a sample. */
#ifndef ENT_CANVAS_H
#define ENT_CANVAS_H

#include "records.h"
#include "gpu.h"

enum { ENT_CANVAS_DRAWS_MAX = 64 }; /* of a picture */

typedef struct EntCanvas EntCanvas;

typedef struct EntCanvasDesc {
    uint32_t width, height; /* pixels */
    /* Samples of a pixel along each side, 1 to 4; 0: 2 where the device has room, else 1. */
    uint32_t    samples;
    EntGpuTimes times;
} EntCanvasDesc;

/* Matt balls with a small highlight: blue at rest, over cyan to white. */
typedef struct EntCanvasSpheres {
    uint32_t       count;
    const EntVec3* position; /* [count] in the world */
    const EntVec3* velocity; /* [count], or NULL: all at rest */
    float          radius_m;
    float          speed_max_m_s; /* and above: white */
} EntCanvasSpheres;

/* Flat discs, unlit, a little darker towards the rim; a hot one glows. */
typedef struct EntCanvasDiscs {
    uint32_t       count;
    const EntVec4* disc;  /* [count] x, y, radius in the system's plane, and heat from 0 to 1 */
    EntMat34       pose;  /* of that plane, its XY, in the world */
    EntVec3        color; /* linear RGB of a cold one */
} EntCanvasDiscs;

typedef struct EntCanvasView {
    EntCameraRecord camera;      /* its target is not looked at; an orthographic one with far_m of 0
                                ends at 1000 times its height */
    EntMat34        pose;        /* of the camera; its scale does not count */
    EntVec3         light;       /* unit vector towards the lamp */
    EntVec3         light_color; /* linear RGB */
    const EntVec4*  plane; /* [plane_count] unit normal to the free side, and its product with a
                                point of the plane. Seen from the free side only, where no other
                                plane takes it away */
    uint32_t        plane_count; /* at most ENT_GPU_PLANES_MAX */
    EntVec3         center;      /* planes are drawn around it */
    float           reach_m;     /* to here, and fade out around it */
    float           grid_m;      /* between their lines */
} EntCanvasView;

#ifdef __cplusplus
extern "C" {
#endif

/* Returns  ENT_OK; ENT_LIMIT after a sentence that says what would fit; ENT_NO_MEMORY or
 *          ENT_DEVICE_FAULT. After a failure there is nothing to destroy.
 * Cost     28 bytes of the device a sample. */
ENT_API ENT_MUST_CHECK EntStatus ent_canvas_create(EntCanvas** canvas, EntGpu* gpu,
                                                   const EntCanvasDesc* desc);
ENT_API void                     ent_canvas_destroy(EntCanvas* canvas);

/* Adds to the next picture. The arrays are copied. A system on the device is drawn without a copy
 * by a function of its own, ent_xxx_draw for system xxx.
 *
 * Returns  ENT_OK; ENT_NO_MEMORY; ENT_LIMIT: more than ENT_CANVAS_DRAWS_MAX, or than a kernel can
 *          see. */
ENT_API ENT_MUST_CHECK EntStatus ent_canvas_spheres(EntCanvas*              canvas,
                                                    const EntCanvasSpheres* spheres);
ENT_API ENT_MUST_CHECK EntStatus ent_canvas_discs(EntCanvas* canvas, const EntCanvasDiscs* discs);

/* Draws what was added, and waits for it. The next picture begins empty, also after a failure. */
ENT_API ENT_MUST_CHECK EntStatus ent_canvas_draw(EntCanvas* canvas, const EntCanvasView* view);

/* The picture that was drawn last.
 *
 *   rgba  [height * width * 4] sRGB, the top row first; alpha is 255 */
ENT_API ENT_MUST_CHECK EntStatus ent_canvas_read(EntCanvas* canvas, unsigned char* rgba);

/* Milliseconds of the last picture's passes: as many as there are, `capacity` at most. */
ENT_API double   ent_canvas_ms(const EntCanvas* canvas);
ENT_API uint32_t ent_canvas_times(const EntCanvas* canvas, EntGpuTime* times, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
