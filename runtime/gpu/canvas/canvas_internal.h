/* canvas_internal.h - draws from buffers that are on the device already, and the images behind a
 * picture.
 *
 * canvas.c         what is drawn, the camera, colours
 * canvas_raster.c  images of depth and numbers, and the pipelines that fill them */
#ifndef ENT_CANVAS_INTERNAL_H
#define ENT_CANVAS_INTERNAL_H

#include "canvas.h"
#include "gpu_list.h"

#include "canvas_io.h"

typedef enum CanvasKind { CANVAS_SPHERES, CANVAS_DISCS, CANVAS_KINDS } CanvasKind;

/* Instances of one kind. */
typedef struct CanvasDraw {
    CanvasKind kind;
    u32        count;
    GpuBuffer
        position; /* [count] vec4: of a sphere its place, w is free; of a disc as CanvasDiscs */
    GpuBuffer velocity;                /* [count] vec4, w is free: of spheres */
    f32       radius_m, speed_max_m_s; /* of spheres */
    Mat34     pose;                    /* of discs */
    Vec3      color;
} CanvasDraw;

/* Adds to the next picture. The buffers must stay until it is drawn. */
MUST_CHECK ent_status canvas_add(Canvas* canvas, const CanvasDraw* draw);

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
