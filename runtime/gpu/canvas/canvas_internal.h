/* canvas_internal.h - declarations shared by the files of the canvas: the canvas, and the images
 * that a picture is rendered from.
 *
 * canvas.c          camera, colours
 * canvas_pyramid.c  farthest and nearest depths of blocks
 * canvas_layers.c   blended surfaces
 * canvas_raster.c   images of depth and element numbers, and the render passes that write them
 * canvas_pipeline.c pipelines of systems for these passes */
#ifndef ENT_CANVAS_INTERNAL_H
#define ENT_CANVAS_INTERNAL_H

#include "canvas_draw.h"
#include "gpu_image.h"
#include "gpu_list.h"
#include "gpu_pipeline.h"

#include "canvas_io.h"

#define CANVAS_DEPTH_FORMAT VK_FORMAT_D32_SFLOAT
#define CANVAS_ID_FORMAT    VK_FORMAT_R32G32_UINT

typedef struct CanvasRaster {
    Gpu*             gpu;
    u32              width, height; /* samples */
    GpuImage         depth, id;
    VkRenderPass     pass[2]; /* of each phase: the second one keeps what the first one has drawn */
    VkFramebuffer    frame;
    VkDescriptorPool pool;
    VkDescriptorSet  images;     /* set CANVAS_IMAGES */
    VkRenderPass     layer_pass; /* of depth only; both exist when something is blended */
    VkFramebuffer    layer_frame;
} CanvasRaster;

MUST_CHECK ent_status canvas_raster_create(CanvasRaster* raster, Gpu* gpu, u32 width, u32 height);
void                  canvas_raster_destroy(CanvasRaster* raster);

/* The render pass of blended surfaces, when there is none yet. */
MUST_CHECK ent_status canvas_layer_pass_need(CanvasRaster* raster);
void                  canvas_layers_destroy(Canvas* canvas);

/* Blocks of all levels, of a picture with this size in pixels; and what kernels read of them. */
u64  canvas_pyramid_blocks(u32 width, u32 height);
void canvas_pyramid_describe(CanvasEye* eye, u32 width, u32 height);

/* The light of a picture, when it is measured. */
typedef struct CanvasMeter {
    GpuKernel kernel;
    GpuPool   pool;
    GpuBuffer bins;
    bool      is_on; /* the picture that is being recorded is measured, and not resolved */
} CanvasMeter;

void canvas_meter_destroy(Canvas* canvas);
void canvas_meter_record(const Canvas* canvas, GpuList* list);

struct Canvas {
    Gpu*            gpu;
    CanvasDesc      desc;
    CanvasRaster    raster;
    GpuKernel       rest, resolve;
    GpuPool         pool;
    GpuBuffer       eyes[2], color, pixel, pyramid;
    GpuKernel       depth, level; /* of the pyramid */
    CanvasEye       view;         /* of the picture that is being recorded */
    u32             which;        /* of `eyes`: the camera of the next picture */
    bool            has_pyramid;
    CanvasLayersOf  layers; /* empty until something is blended */
    EntCanvasLayers layer_sum;
    CanvasMeter     meter;     /* empty until a picture is measured */
    GpuFrames*      frames;    /* of ent_picture_draw; NULL: it was not called yet */
    GpuTime         time[128]; /* of the last picture of ent_picture_draw */
    u32             time_count;
    f64             ms;
};

#endif
