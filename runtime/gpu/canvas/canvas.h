/* canvas.h - pictures without a window: spheres, discs and planes as a camera sees them.
 *
 *     Canvas* canvas;
 *     const CanvasDesc desc = {.width = 1280, .height = 720};
 *     ent_status       status = ent_canvas_create(&canvas, gpu, &desc);
 *     status = ent_canvas_spheres(canvas, &(CanvasSpheres){.count = n, .position = position,
 *                                                          .velocity = velocity, .radius_m = 0.1f,
 *                                                          .speed_max_m_s = 5});
 *     status = ent_canvas_draw(canvas, &view);
 *     status = ent_canvas_read(canvas, pixels);
 *     ent_canvas_destroy(canvas);
 *
 * Depth and the number of what is seen are rasterised and nothing else; kernels then colour what is
 * seen, which is many times faster where graphics units are few. What a device draws is the same
 * every time; devices differ at the edges by a sample. */
#ifndef ENT_CANVAS_H
#define ENT_CANVAS_H

#include "camera.h"
#include "gpu.h"

enum { CANVAS_DRAWS_MAX = 64 }; /* of a picture */

typedef struct Canvas Canvas;

typedef struct CanvasDesc {
    u32 width, height; /* pixels */
    u32 samples; /* of a pixel along each side, 1 to 4; 0: 2 where the device has room, else 1 */
    GpuTimes times;
} CanvasDesc;

/* Matt balls with a small highlight: blue at rest, over cyan to white. */
typedef struct CanvasSpheres {
    u32         count;
    const Vec3* position; /* [count] in the world */
    const Vec3* velocity; /* [count], or NULL: all at rest */
    f32         radius_m;
    f32         speed_max_m_s; /* and above: white */
} CanvasSpheres;

/* Flat discs, unlit, a little darker towards the rim; a hot one glows. */
typedef struct CanvasDiscs {
    u32         count;
    const Vec4* disc;  /* [count] x, y, radius in the system's plane, and heat from 0 to 1 */
    Mat34       pose;  /* of that plane, its XY, in the world */
    Vec3        color; /* linear RGB of a cold one */
} CanvasDiscs;

typedef struct CanvasView {
    CameraRecord camera;      /* its target is not looked at; an orthographic one with far_m of 0
                                ends at 1000 times its height */
    Mat34        pose;        /* of the camera; its scale does not count */
    Vec3         light;       /* unit vector towards the lamp */
    Vec3         light_color; /* linear RGB */
    const Vec4*  plane;       /* [plane_count] unit normal to the free side, and its product with a
                                point of the plane. Seen from the free side only, where no other
                                plane takes it away */
    u32          plane_count; /* at most GPU_PLANES_MAX */
    Vec3         center;      /* planes are drawn around it */
    f32          reach_m;     /* to here, and fade out around it */
    f32          grid_m;      /* between their lines */
} CanvasView;

#ifdef __cplusplus
extern "C" {
#endif

/* Returns  ENT_OK; ENT_LIMIT after a sentence that says what would fit; ENT_NO_MEMORY or
 *          ENT_DEVICE_FAULT. After a failure there is nothing to destroy.
 * Cost     28 bytes of the device a sample. */
ENT_API MUST_CHECK ent_status ent_canvas_create(Canvas** canvas, Gpu* gpu, const CanvasDesc* desc);
ENT_API void                  ent_canvas_destroy(Canvas* canvas);

/* Adds to the next picture. The arrays are copied. A system on the device is drawn without a copy by
 * a function of its own, ent_xxx_draw for system xxx.
 *
 * Returns  ENT_OK; ENT_LIMIT: more than CANVAS_DRAWS_MAX, or than a kernel can see; ENT_NO_MEMORY.
 */
ENT_API MUST_CHECK ent_status ent_canvas_spheres(Canvas* canvas, const CanvasSpheres* spheres);
ENT_API MUST_CHECK ent_status ent_canvas_discs(Canvas* canvas, const CanvasDiscs* discs);

/* Draws what was added, and waits for it. The next picture begins empty, also after a failure. */
ENT_API MUST_CHECK ent_status ent_canvas_draw(Canvas* canvas, const CanvasView* view);

/* The picture that was drawn last.
 *
 *   rgba  [height * width * 4] sRGB, the top row first; alpha is 255 */
ENT_API MUST_CHECK ent_status ent_canvas_read(Canvas* canvas, unsigned char* rgba);

/* Milliseconds of the last picture's passes: as many as there are, `capacity` at most. */
ENT_API double   ent_canvas_ms(const Canvas* canvas);
ENT_API uint32_t ent_canvas_times(const Canvas* canvas, GpuTime* times, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
