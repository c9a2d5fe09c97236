/* canvas_draw.h - draws spheres and discs from buffers on the device, and elements of other shapes
 * with passes of their own, so that systems draw their elements without a copy. Private: hosts draw
 * arrays or call the draw function of a system. */
#ifndef ENT_CANVAS_DRAW_H
#define ENT_CANVAS_DRAW_H

#include "canvas.h"
#include "canvas_io.h"
#include "gpu_frame_internal.h"

typedef enum CanvasKind { CANVAS_SPHERES, CANVAS_DISCS, CANVAS_KINDS } CanvasKind;

/* The buffers of a picture, as in canvas_io.h. */
typedef struct CanvasTarget {
    GpuFrame*        frame; /* in which it is recorded */
    const CanvasEye* view;  /* `eye` on the host */
    const GpuBuffer *eye, *color;
    const GpuBuffer *eye_before,
        *pyramid;                  /* of the last picture; in the second phase, the pyramid is
                                              that of what the first one has drawn */
    bool            has_pyramid;   /* there was a last picture */
    u32             phase;         /* 0, or 1 of painters that cull by depth */
    VkDescriptorSet images;        /* depth and numbers, of set CANVAS_IMAGES */
    u32             width, height; /* samples */
    u32             id_first;      /* the id of element i of the draw is id_first + i + 1 */
} CanvasTarget;

/* How elements of another shape are drawn. Functions record passes or draws; they report a failure in
 * list->status.
 *
 * A painter that culls by depth is called twice: in the second phase, it draws what the depth of the
 * last picture hides and the depth of the first phase does not.
 *
 *   prepare  records passes before anything is rasterised
 *   raster   records draws of the render pass; they write the id and a word of the draw's own
 *   blends   true: surfaces are blended over what is behind them; NULL: never
 *   blend    records draws of these, in a render pass of their own, the farthest first; they write a
 *            colour multiplied by its opacity, and the opacity
 *   shade    records the pass that writes the colours of the samples with ids of the draw */
typedef struct CanvasPainter {
    bool culls_by_depth;
    void (*prepare)(void* user, GpuList* list, const CanvasTarget* target);
    void (*raster)(void* user, GpuList* list, const CanvasTarget* target);
    void (*shade)(void* user, GpuList* list, const CanvasTarget* target);
    bool (*blends)(const void* user);
    void (*blend)(void* user, GpuList* list, const CanvasTarget* target);
} CanvasPainter;

/* Instances of one kind. An element of each buffer is a vec4. */
typedef struct CanvasDraw {
    const CanvasPainter* painter; /* NULL: spheres or discs */
    void*                user;    /* of the painter, or of `prepare` */
    /* Of spheres and discs: records passes that write the buffers; NULL: none. */
    void (*prepare)(const void* user, GpuList* list);
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

/* What kernels read of a camera, for a picture of this size in pixels. */
CanvasEye canvas_eye(const CanvasView* view, u32 width, u32 height, u32 samples);

/* The colours of the samples of the last picture, as CANVAS_COLOR. */
const GpuBuffer* canvas_colors(const Canvas* canvas);

/* Adds a draw to the next picture. The buffers are read when that picture is drawn; they must exist
 * until then. Returns the same as ent_canvas_spheres. */
MUST_CHECK ent_status canvas_add(Canvas* canvas, const CanvasDraw* draw);

/* A pipeline for a painter: reversed depth, an id and a second word. Viewport and scissor are set
 * by the canvas. It can be used with every canvas of the device. */
typedef struct CanvasPipelineDesc {
    const char*         name; /* for messages */
    const u32 *         vert, *frag;
    size_t              vert_bytes, frag_bytes;
    VkPrimitiveTopology topology;
    VkCullModeFlags     cull;
    VkFrontFace         front;
    u32                 constants[2]; /* constants 1 and 2 of the fragment shader */
    bool                blends;       /* of the function `blend` */
} CanvasPipelineDesc;

MUST_CHECK ent_status canvas_pipeline_create(Canvas* canvas, const CanvasPipelineDesc* desc,
                                             VkPipeline* pipeline);

#endif
