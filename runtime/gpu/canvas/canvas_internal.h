/* canvas_internal.h - what the files of the canvas share: the canvas, and the images behind a
 * picture.
 *
 * canvas.c         what is drawn, the camera, colours
 * canvas_raster.c  images of depth and numbers, and the pipelines that fill them */
#ifndef ENT_CANVAS_INTERNAL_H
#define ENT_CANVAS_INTERNAL_H

#include "canvas_draw.h"
#include "gpu_list.h"

#include "canvas_io.h"

typedef struct CanvasImage {
    VkImage        image;
    VkImageView    view;
    VkDeviceMemory memory;
    u64            bytes;
} CanvasImage;

typedef struct CanvasRaster {
    Gpu*          gpu;
    u32           width, height; /* samples */
    CanvasImage   depth, id;
    VkRenderPass  pass;
    VkFramebuffer frame;
    VkPipeline    pipeline[CANVAS_KINDS];
} CanvasRaster;

MUST_CHECK ent_status canvas_raster_create(CanvasRaster* raster, Gpu* gpu, u32 width, u32 height);
void                  canvas_raster_destroy(CanvasRaster* raster);

/* Two passes: "raster", and "copy" of what came of it into buffers. */
void canvas_raster_record(const CanvasRaster* raster, GpuList* list, const GpuBuffer* eye,
                          const CanvasDraw* draws, u32 count, const GpuBuffer* depth,
                          const GpuBuffer* id);

/* What is pushed for draw `which`. */
CanvasPush canvas_push(const CanvasDraw* draws, u32 which);

/* Memory of what a host gave, kept from picture to picture. */
typedef struct CanvasSlot {
    GpuPool   pool;
    GpuBuffer position, velocity;
    u32       count; /* that there is room for */
} CanvasSlot;

struct Canvas {
    Gpu*         gpu;
    CanvasDesc   desc;
    CanvasRaster raster;
    GpuKernel    shade[CANVAS_KINDS], rest, resolve;
    GpuPool      pool;
    GpuBuffer    eye, plane, depth, id, color, pixel;
    CanvasDraw   draw[CANVAS_DRAWS_MAX];
    u32          draw_count;
    CanvasSlot   slot[CANVAS_DRAWS_MAX];
    GpuTime      time[8]; /* of the last picture */
    u32          time_count;
    f64          ms;
};

#endif
