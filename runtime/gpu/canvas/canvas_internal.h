/* canvas_internal.h - declarations shared by the files of the canvas: the canvas, and the images
 * that a picture is rendered from.
 *
 * canvas.c          draws, camera, colours
 * canvas_pyramid.c  farthest and nearest depths of blocks
 * canvas_splat.c    many spheres
 * canvas_blend.c    blended surfaces
 * canvas_raster.c   images of depth and element numbers, and the pipelines that write them */
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
    VkPipeline       pipeline[CANVAS_KINDS];
    VkDescriptorPool pool;
    VkDescriptorSet  images;       /* set CANVAS_IMAGES */
    VkDescriptorSet  blend_images; /* the same with the image of blended surfaces */
    GpuImage         blended;      /* these three exist when something is blended */
    VkRenderPass     blend_pass;
    VkFramebuffer    blend_frame;
} CanvasRaster;

MUST_CHECK ent_status canvas_raster_create(CanvasRaster* raster, Gpu* gpu, u32 width, u32 height);
void                  canvas_raster_destroy(CanvasRaster* raster);

/* An image of the size of the picture that kernels can read. */
MUST_CHECK ent_status canvas_image_create(const CanvasRaster* raster, GpuImage* image,
                                          VkFormat format, VkImageUsageFlags usage,
                                          VkImageAspectFlags aspect);

/* The image of blended surfaces, when there is none yet. */
MUST_CHECK ent_status canvas_blend_create(CanvasRaster* raster);
void                  canvas_blend_destroy(CanvasRaster* raster);

/* Has the picture draws of spheres that are so many that kernels find their samples? */
bool                  canvas_splats(const Canvas* canvas);
MUST_CHECK ent_status canvas_splat_create(Canvas* canvas); /* when there is none yet */
void                  canvas_splat_destroy(Canvas* canvas);
/* Records the passes "splat". */
void canvas_splat_record(const Canvas* canvas, GpuList* list);
/* Is a draw one of these? The first one draws all of them, in the pass "raster". */
bool canvas_splat_draws(const Canvas* canvas, GpuList* list, u32 which);

/* Blocks of all levels, of a picture with this size in pixels; and what kernels read of them. */
u64  canvas_pyramid_blocks(u32 width, u32 height);
void canvas_pyramid_describe(CanvasEye* eye, u32 width, u32 height);

/* The push constants of draw `which`. */
CanvasPush canvas_push(const CanvasDraw* draws, u32 which);

/* Device memory for arrays of the host, reused from picture to picture. */
typedef struct CanvasSlot {
    GpuPool   pool;
    GpuBuffer position, velocity;
    u32       count; /* capacity in elements */
} CanvasSlot;

/* From this number of spheres in a draw on, kernels find the samples; measured on an H200. */
#define CANVAS_SPLAT_MIN 65536u

typedef struct CanvasSplat {
    GpuKernel  small[2], large[2]; /* of depths, and of numbers */
    GpuPool    pool;
    GpuBuffer  nearest, number, list[2];
    VkPipeline pipeline;
} CanvasSplat;

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
    Gpu*         gpu;
    CanvasDesc   desc;
    CanvasRaster raster;
    GpuKernel    shade[CANVAS_KINDS], rest, blend, resolve;
    GpuPool      pool;
    GpuBuffer    eyes[2], plane, color, pixel, pyramid;
    GpuKernel    depth, level; /* of the pyramid */
    CanvasEye    view;         /* of the picture that is being recorded */
    u32          which;        /* of `eyes`: the camera of the next picture */
    bool         has_pyramid;
    u32          splat_min; /* spheres of a draw */
    CanvasSplat  splat;     /* empty until a picture has such a draw */
    CanvasMeter  meter;     /* empty until a picture is measured */
    CanvasDraw   draw[CANVAS_DRAWS_MAX];
    u32          draw_count;
    GpuFrames*   frames; /* of ent_picture_draw; NULL: it was not called yet */
    CanvasSlot   slot[CANVAS_DRAWS_MAX];
    GpuTime      time[128]; /* of the last picture of ent_picture_draw */
    u32          time_count;
    f64          ms;
};

#endif
