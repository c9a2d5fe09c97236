/* gpu_list.h - lists of passes: described on the host, recorded to commands, and run repeatedly.
 *
 *     GpuList list;
 *     TRY(gpu_list_begin(&list, gpu, GPU_TIMES_NONE));
 *     gpu_pass(&list, &(GpuPass){.name = "density", .kernel = &kernel, .threads = count,
 *                                .use = {{&position, GPU_READ}, {&density, GPU_WRITE}},
 *                                GPU_PUSH(push)});
 *     TRY(gpu_list_end(&list));
 *     TRY(gpu_list_run(&list));                any number of times; complete when it returns
 *     gpu_list_destroy(&list);
 *
 * A pass declares which buffers it reads and writes, but no barriers: a barrier is recorded before a
 * pass that accesses a buffer that an earlier pass has written, or that writes a buffer that an
 * earlier pass has read, unless there is already a barrier between the two.
 *
 * The functions that add passes only describe them. gpu_list_end records commands, except when a list
 * that is described again has the same passes as before: then its commands are used again. */
#ifndef ENT_GPU_LIST_H
#define ENT_GPU_LIST_H

#include "gpu_kernel.h"
#include "gpu_stage.h"

/* --- passes --- */

typedef enum GpuAccess { GPU_READ = 1, GPU_WRITE = 2, GPU_READ_WRITE = 3 } GpuAccess;

typedef struct GpuUse {
    const GpuBuffer* buffer; /* NULL: the kernel does not use the binding */
    GpuAccess        access;
} GpuUse;

typedef struct GpuPass {
    const char*      name; /* of its time; the times of passes with the same name are added up */
    const GpuKernel* kernel;
    GpuUse           use[GPU_BINDINGS]; /* of binding i */
    VkDescriptorSet  textures, images;  /* sets 1 and 2; VK_NULL_HANDLE: the kernel reads none */
    const void*      push;
    u32              push_bytes;
    u64              threads;  /* rounded up to groups: the kernel checks its count; 0: no pass */
    const GpuBuffer* indirect; /* instead of threads: its three words are the numbers of groups */
    u64              indirect_offset;
} GpuPass;

/* What is pushed, in the initializer of a pass or a draw. */
#define GPU_PUSH(variable) .push = &(variable), .push_bytes = sizeof(variable)

#define GPU_CLEARS_MAX 3

/* A render pass. The draws that are added next belong to it. */
typedef struct GpuRaster {
    const char*   name;
    VkRenderPass  render_pass;
    VkFramebuffer framebuffer;
    u32           width, height;
    VkClearValue  clear[GPU_CLEARS_MAX]; /* [clear_count] of its images */
    u32           clear_count;
} GpuRaster;

/* Vertices without attributes: shaders read them from buffers. With `indirect`, it has the counts of
 * indirect_count draws: with `index` such with indices, from draw indirect_first on, and indices count from the
 * beginning of the block of `index`; else VkDrawIndirectCommand from indirect_offset on. */
typedef struct GpuDraw {
    VkPipeline       pipeline;
    GpuUse           use[GPU_BINDINGS]; /* of binding i; fragments can write with GPU_READ_WRITE */
    VkDescriptorSet  textures;
    const void*      push;
    u32              push_bytes;
    u32              vertex_count, instance_count;
    const GpuBuffer *index, *indirect;
    u32              indirect_first, indirect_count;
    u64              indirect_offset;
} GpuDraw;

/* A range of a buffer, copied to another one. */
typedef struct GpuCopy {
    const char*      name;
    const GpuBuffer *from, *to;
    u64              from_offset, to_offset, bytes;
    bool             to_host; /* the host reads it afterwards */
} GpuCopy;

/* A rectangle of depth, copied between images that shaders read between passes and buffers with a word for each texel: to
 * the same place. */
typedef struct GpuRect {
    const char*      name;
    const GpuBuffer *from, *to; /* NULL: an image */
    VkImage          from_image, to_image;
    u32              row; /* texels of a row */
    u32              left, top, width, height;
} GpuRect;

/* A level of layers of an image that shaders read between passes: copied from a buffer, without padding, to one layer; or
 * from the same layers of another image. Without both: the image is new, and shaders may read all of it. */
typedef struct GpuLayers {
    const char*      name;
    const GpuBuffer* from;
    u64              from_offset; /* a multiple of 16 */
    VkImage          from_image, image;
    u32              level, layer, layer_count;
    u32              width, height;
} GpuLayers;

/* --- lists --- */

typedef enum GpuStepKind {
    GPU_STEP_KERNEL,
    GPU_STEP_RASTER,
    GPU_STEP_DRAW,
    GPU_STEP_COPY,
    GPU_STEP_FILL,
    GPU_STEP_RECT,
    GPU_STEP_LAYERS
} GpuStepKind;

/* A dispatch or a draw. */
typedef struct GpuStepCall {
    VkPipeline      pipeline;
    VkDescriptorSet textures, images;
    VkBuffer        indirect, index;
    u64             indirect_offset;
    u32             indirect_count;
    u32             count_x, count_y; /* of groups, or of vertices and instances */
    u32             push_bytes;
    u32             push[GPU_PUSH_BYTES / 4];
} GpuStepCall;

typedef struct GpuStepRaster {
    VkRenderPass  render_pass;
    VkFramebuffer framebuffer;
    u32           width, height, clear_count;
    VkClearValue  clear[GPU_CLEARS_MAX];
} GpuStepRaster;

/* A copy, or `fill` for every word of a buffer. */
typedef struct GpuStepCopy {
    VkBuffer from, to;
    u64      from_offset, to_offset, bytes;
    u32      fill, to_host;
} GpuStepCopy;

typedef struct GpuStepRect {
    VkBuffer from, to; /* VK_NULL_HANDLE: an image */
    VkImage  from_image, to_image;
    u64      offset; /* in the buffer */
    u32      row, left, top, width, height;
} GpuStepRect;

typedef struct GpuStepLayers {
    VkBuffer from;
    VkImage  from_image, image;
    u64      offset;
    u32      level, layer, layer_count, width, height, unused;
} GpuStepLayers;

/* A pass, or a draw of one. All bytes are set, so that steps can be compared. */
typedef struct GpuStep {
    GpuStepKind kind;
    u32         use_first, use_count;
    const char *group, *name;
    union {
        GpuStepCall   call; /* of kernels and draws */
        GpuStepRaster raster;
        GpuStepCopy   copy; /* also of GPU_STEP_FILL */
        GpuStepRect   rect;
        GpuStepLayers layers;
    };
} GpuStep;

/* The pipeline stages that use buffers: barriers distinguish these. */
typedef enum GpuStageKind {
    GPU_COMPUTE,
    GPU_INDIRECT,
    GPU_COPYING,
    GPU_RASTERISING,
    GPU_STAGES
} GpuStageKind;

#define GPU_NO_BINDING 0xffu

/* A buffer that a step uses. Without padding. */
typedef struct GpuStepUse {
    VkBuffer handle;
    u64      offset, bytes;
    u32      number; /* of the buffer */
    u8       binding, access, stage, unused;
} GpuStepUse;

typedef struct GpuScript {
    GpuStep*    step;
    GpuStepUse* use;
    u32         step_count, use_count;
    u32         step_capacity, use_capacity;
} GpuScript;

typedef struct GpuTrack {
    u32 number;      /* of the buffer, plus 1; 0: free */
    u32 write, read; /* number of the last such pass, counted from 1; 0: none */
} GpuTrack;

typedef struct GpuTracks {
    GpuTrack* at; /* hashed by number */
    u32       count, capacity;
    u32       barrier[GPU_STAGES]; /* the pass before which a stage had its last barrier */
    u32       active[GPU_STAGES];  /* the last pass that used the stage */
} GpuTracks;

/* A set of bindings, and what is bound. */
typedef struct GpuSet {
    VkDescriptorSet set;
    GpuStepUse      bound[GPU_BINDINGS];
} GpuSet;

typedef struct GpuSets {
    VkDescriptorPool* pool; /* [pool_count] */
    u32               pool_count;
    GpuSet*           at; /* [created] in the order of their use */
    u32               count, created;
} GpuSets;

/* The buffers of commands: one, or one per pass. */
typedef struct GpuListParts {
    VkCommandBuffer* at; /* [count] */
    u32              count, created, capacity;
} GpuListParts;

typedef struct GpuPassTime {
    const char *group, *name;
    f64         ms; /* of the last run */
} GpuPassTime;

typedef struct GpuTimer {
    VkQueryPool  queries;
    u32          query_capacity;
    GpuPassTime* pass; /* [pass_count] */
    u32          capacity;
} GpuTimer;

typedef struct GpuList {
    Gpu*            gpu;
    GpuTimes        times;
    const char*     group;    /* of the passes that are added; NULL: none */
    ent_status      status;   /* the first failure while describing or recording */
    GpuScript       script;   /* what is described */
    GpuScript       recorded; /* what the commands were recorded from */
    bool            is_recorded;
    bool            was_recorded; /* by the last gpu_list_end */
    u32             changes;      /* of the device, when the commands were recorded */
    VkCommandBuffer commands;     /* being recorded */
    GpuListParts    parts;
    GpuSets         sets;
    GpuTracks       tracks;
    GpuTimer        timer;
    u32             pass_count, barrier_count;
    f64             ms; /* of the last run, when measured */
} GpuList;

MUST_CHECK ent_status gpu_list_begin(GpuList* list, Gpu* gpu, GpuTimes times);
/* Describes a list again that is zeroed, or that has ended: its objects are used again.
 *
 * Needs    the same gpu as before; the commands are not running. */
void gpu_list_restart(GpuList* list, Gpu* gpu, GpuTimes times);
void gpu_list_destroy(GpuList* list);

void gpu_pass(GpuList* list, const GpuPass* pass);
void gpu_raster(GpuList* list, const GpuRaster* raster);
void gpu_draw(GpuList* list, const GpuDraw* draw);
void gpu_copy(GpuList* list, const GpuCopy* copy);
void gpu_copy_rect(GpuList* list, const GpuRect* rect);
void gpu_copy_layers(GpuList* list, const GpuLayers* layers);
/* Sets every word of a buffer. */
void gpu_set(GpuList* list, const char* name, const GpuBuffer* buffer, u32 word);

MUST_CHECK ent_status gpu_list_end(GpuList* list); /* also returns a pass's failure */
/* The same, but records to commands of the host. */
MUST_CHECK ent_status gpu_list_end_in(GpuList* list, VkCommandBuffer commands);
MUST_CHECK ent_status gpu_list_run(GpuList* list);
/* Runs the list `count` times; a list without times is submitted in one call. */
MUST_CHECK ent_status gpu_list_run_often(GpuList* list, u32 count);

/* Does each pass have commands of its own, whose time the host measures? */
static inline bool gpu_list_runs_apart(const GpuList* list) {
    return list->times == GPU_TIMES_PASSES && list->gpu->info.software;
}
/* Reads the times of a run that has ended. */
MUST_CHECK ent_status gpu_list_measure(GpuList* list);

/* The times of the last run, in order of first use of a name. Returns their number. */
u32 gpu_list_times(const GpuList* list, GpuTime* times, u32 capacity);

/* Private: records the commands of `script` (gpu_commands.c). */
MUST_CHECK ent_status gpu_commands_record(GpuList* list, VkCommandBuffer host);

#endif
