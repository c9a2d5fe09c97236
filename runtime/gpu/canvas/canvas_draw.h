/* canvas_draw.h - the steps of a picture, between which systems draw their elements. Private: hosts record a frame
 * of systems (gpu_picture.h). */
#ifndef ENT_CANVAS_DRAW_H
#define ENT_CANVAS_DRAW_H

#include "canvas.h"
#include "canvas_io.h"
#include "gpu_frame_internal.h"
#include "scan.h"
#include "vec.h"

/* The steps of the phase `blend`. */
typedef enum CanvasBlends {
    CANVAS_BLENDS_FIND,  /* kernels find what is drawn */
    CANVAS_BLENDS_COUNT, /* draws with layer_count of canvas_layers.glsl */
    CANVAS_BLENDS_ROUND, /* and for each round: kernels prepare the draws */
    CANVAS_BLENDS_STORE, /* draws with layer_store */
    CANVAS_BLENDS_SHADE  /* kernels colour the layers */
} CanvasBlends;

/* The steps of the phase `water`. */
typedef enum CanvasWater {
    CANVAS_WATER_FIND, /* where surfaces of fluids are, before layers are blended: sets `fluids.depth` */
    CANVAS_WATER_SHADE /* what they look like, over what is behind them */
} CanvasWater;

/* The blended surfaces of a picture. */
typedef struct CanvasLayersOf {
    GpuKernel ends, groups, means;
    GpuKernel blend[2][2]; /* those of [1] read where fluids are; of [][1], what layers refract */
    Scan      scan;
    GpuPool   pool;
    GpuBuffer layers, colors; /* [room] CANVAS_LAYER, CANVAS_LAYER_COLOR */
    GpuBuffer begins, counts; /* [words] CANVAS_LAYER_BEGIN, CANVAS_LAYER_COUNT */
    GpuBuffer all;            /* CANVAS_LAYERS */
    GpuPool   front_pool;
    GpuPool   bend_pool;
    GpuBuffer bends, behind,
        behind_depths; /* CANVAS_LAYER_BEND, CANVAS_BEHIND; empty until layers refract */
    GpuBuffer front;   /* CANVAS_FRONT; empty until there are fluids as well */
    u32       room, words;
    bool      is_reported; /* that some are not drawn */
} CanvasLayersOf;

/* The surfaces of fluids of a picture; NULL: there are none. */
typedef struct CanvasFluids {
    const GpuBuffer* depth; /* CANVAS_WATER: set in the phase `water` */
    const GpuBuffer* front; /* CANVAS_FRONT: layers before them, which the phase `water` blends */
} CanvasFluids;

/* A picture that is being recorded: what the phases of systems read. Its buffers are as in canvas_io.h.
 *
 *   id_first     of the system whose phase it is: the id of its element i is id_first + i + 1
 *   is_second    what the depth of the last picture hides is tested with that of the first draws
 *   is_captured  it is one that a system has requested for another picture
 *   blends       set by systems before the phase `blend`: surfaces are blended over what is behind them
 *   bends        the same: some of these refract
 *   has_water    the same in the phase `cull`: surfaces of fluids
 *   stage        of shadow maps in the phases `casters`, `shadows` and `filters`: a ShadowsStage; in `blend`: a
 *                CanvasBlends; in `water`: a CanvasWater
 *   filters      set by systems in the phase `casters`: transparent surfaces cast */
struct EntGpuPicture {
    Canvas*           canvas; /* NULL: only frames are simulated, or a host culls */
    GpuFrame*         frame;  /* in which it is recorded */
    const CanvasView* desc;
    const CanvasEye*  view; /* `eye` on the host */
    const GpuBuffer * eye, *color;
    const GpuBuffer * eye_before, *pyramid; /* of the last picture; in the second phase, the pyramid
                                               is that of what the first one has drawn */
    VkDescriptorSet   images;               /* depth and numbers, of set CANVAS_IMAGES */
    u32               width, height;        /* samples */
    u32               id_first, stage;
    bool              has_pyramid; /* there was a last picture */
    Bounds            bounds;      /* of all elements, when they were created */
    bool              has_tiles;   /* the tiles of its lights are known */
    bool              is_second, is_captured, blends, bends, filters, has_water;
    CanvasRound       round; /* of layers */
    const CanvasLayersOf* layers;
    CanvasFluids          fluids;
};

/* What kernels read of a camera, for a picture of this size in pixels. */
CanvasEye canvas_eye(const CanvasView* view, u32 width, u32 height, u32 samples);

/* The colours of the samples of the last picture, as CANVAS_COLOR. */
const GpuBuffer* canvas_colors(const Canvas* canvas);

/* --- the steps of a picture, in their order --- */

/* Sets what phases read. */
MUST_CHECK ent_status canvas_begin(GpuPicture* picture);
/* Begins the render pass of depth and ids. */
void canvas_surfaces_begin(const GpuPicture* picture);
void canvas_pyramid_record(const GpuPicture* picture);
/* The colours of samples without an element. */
void canvas_rest_record(const GpuPicture* picture);
/* Blended surfaces: sets what phases read. Begins the render pass in which they are counted; finds where they are stored;
 * for each round begins the render pass in which they are, and blends them; records the reading of what they cost. */
MUST_CHECK ent_status canvas_layers_begin(GpuPicture* picture);
void                  canvas_layers_count(const GpuPicture* picture);
void                  canvas_layers_place(const GpuPicture* picture);
void                  canvas_layers_store(GpuPicture* picture, u32 round);
void                  canvas_layers_blend(const GpuPicture* picture);
MUST_CHECK ent_status canvas_layers_end(const GpuPicture* picture);
/* Where `all` has the groups of a thread for each layer of the round. */
u64 canvas_layers_groups(const GpuPicture* picture);
/* The colours of pixels; or of a picture that is measured, its light. */
void canvas_resolve_record(const GpuPicture* picture);
/* The next picture starts empty.
 *
 *   has_pyramid  that of this picture can be read by the next one */
void canvas_end(GpuPicture* picture, bool has_pyramid);

/* The next pictures are measured, or not any more; and reads what was measured. */
MUST_CHECK ent_status canvas_meter_begin(Canvas* canvas);
void                  canvas_meter_end(Canvas* canvas);
MUST_CHECK ent_status canvas_meter_read(Canvas* canvas, CanvasLight* light);

/* Frames with nothing but a picture, measured as the canvas requests. */
MUST_CHECK ent_status canvas_frames(Canvas* canvas, GpuFrames** frames);
/* Forgets what the next picture would draw and read. */
void canvas_forget(Canvas* canvas);

/* A pipeline for another shape: reversed depth, an id and a second word. Viewport and scissor are set
 * by the canvas. It can be used with every canvas of the device. */
typedef struct CanvasPipelineDesc {
    const char*         name; /* for messages */
    const u32 *         vert, *frag;
    size_t              vert_bytes, frag_bytes;
    VkPrimitiveTopology topology;
    VkCullModeFlags     cull;
    VkFrontFace         front;
    u32                 constants[2]; /* constants 1 and 2 of both shaders */
    bool                blends;       /* of the phase `blend` */
} CanvasPipelineDesc;

MUST_CHECK ent_status canvas_pipeline_create(Canvas* canvas, const CanvasPipelineDesc* desc,
                                             VkPipeline* pipeline);

#endif
