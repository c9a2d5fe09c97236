/* gpu_list.h - kernels, and lists of passes that are recorded once and run repeatedly.
 *
 *     GpuList list;
 *     TRY(gpu_list_begin(&list, gpu, GPU_TIMES_NONE));
 *     gpu_pass(&list, &(GpuPass){.name = "density", .kernel = &kernel, .threads = count,
 *                                .use = {{&position, GPU_READ}, {&density, GPU_WRITE}},
 *                                .push = &push, .push_bytes = sizeof push});
 *     TRY(gpu_list_end(&list));
 *     TRY(gpu_list_run(&list));                any number of times; complete when it returns
 *     gpu_list_destroy(&list);
 *
 * A pass declares which buffers its kernel reads and writes, but no barriers: the list records a
 * barrier before a pass that accesses a buffer that an earlier pass has written, or that writes a
 * buffer that an earlier pass has read, unless there is already a barrier between the two. */
#ifndef ENT_GPU_LIST_H
#define ENT_GPU_LIST_H

#include "gpu_memory.h"

/* --- kernels --- */

typedef struct GpuKernelDesc {
    const char* name; /* for messages */
    const u32*  code; /* SPIR-V */
    size_t      bytes;
    u32         group_size; /* threads: constant 0 of the kernel */
    const u32*  constants;  /* [constant_count] constants 1, 2, ... */
    u32         constant_count;
} GpuKernelDesc;

typedef struct GpuKernel {
    Gpu*        gpu;
    const char* name;
    VkPipeline  pipeline;
    u32         group_size;
} GpuKernel;

#define GPU_CONSTANTS_MAX 8

/* The kernel of shaders/STEM.comp, whose code is in STEM.comp.h. */
#define GPU_KERNEL(stem, group)                                                                    \
    (GpuKernelDesc) {                                                                              \
        .name = #stem, .code = stem##_comp, .bytes = sizeof stem##_comp, .group_size = (group)     \
    }

MUST_CHECK ent_status gpu_kernel_create(GpuKernel* kernel, Gpu* gpu, const GpuKernelDesc* desc);
void                  gpu_kernel_destroy(GpuKernel* kernel);

/* The same with specialisation constants; the caller documents their order at the call. */
MUST_CHECK ent_status gpu_kernel_create_with(GpuKernel* kernel, Gpu* gpu, const GpuKernelDesc* desc,
                                             const u32* constants, u32 count);

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
    u64              threads;  /* rounded up to groups: the kernel checks its count */
    const GpuBuffer* indirect; /* instead of threads: its three words are the numbers of groups */
    u64              indirect_offset;
} GpuPass;

#define GPU_PASSES_MAX 512

/* The pipeline stages that use buffers: barriers distinguish these. */
typedef enum GpuStageKind {
    GPU_COMPUTE,
    GPU_INDIRECT,
    GPU_COPY,
    GPU_RASTER,
    GPU_STAGES
} GpuStageKind;

typedef struct GpuTrack {
    u32 number;      /* of the buffer */
    u32 write, read; /* number of the last such pass, counted from 1; 0: none */
} GpuTrack;

typedef struct GpuList {
    Gpu*             gpu;
    GpuTimes         times;
    VkCommandBuffer  commands; /* being recorded */
    VkCommandBuffer* part;     /* [part_count] one, or one per pass */
    u32              part_count;
    u32              part_made; /* buffers of commands, which are used again */
    VkDescriptorPool sets[GPU_PASSES_MAX / 64];
    u32              set_count;
    VkQueryPool      queries;
    u32              pass_count, barrier_count;
    const char*      pass_name[GPU_PASSES_MAX];
    f64              pass_ms[GPU_PASSES_MAX];
    f64              ms; /* of the last run, when measured */
    GpuTrack*        track;
    u32              track_count, track_capacity;
    u32              barrier[GPU_STAGES]; /* the pass before which a stage had its last barrier */
    u32              active[GPU_STAGES];  /* the last pass that used the stage */
    ent_status       status;              /* the first failure while recording */
} GpuList;

MUST_CHECK ent_status gpu_list_begin(GpuList* list, Gpu* gpu, GpuTimes times);
/* The same for a list that is zeroed, or whose passes were recorded before and have ended: its
 * objects are used again.
 *
 * Needs    the same gpu and times as before. */
MUST_CHECK ent_status gpu_list_restart(GpuList* list, Gpu* gpu, GpuTimes times);
void                  gpu_pass(GpuList* list, const GpuPass* pass);
MUST_CHECK ent_status gpu_list_end(GpuList* list); /* also returns a pass's failure */
MUST_CHECK ent_status gpu_list_run(GpuList* list);

/* Runs the list `count` times; a list without times is submitted in one call. */
MUST_CHECK ent_status gpu_list_run_often(GpuList* list, u32 count);
void                  gpu_list_destroy(GpuList* list);

/* The times of the last run, in order of first use of a name. Returns their number. */
u32 gpu_list_times(const GpuList* list, GpuTime* times, u32 capacity);

/* For passes that are not kernels: begins a pass, with the barrier that its uses need, and ends it.
 * Commands between the two calls are recorded to list->commands. */
void gpu_pass_begin(GpuList* list, const char* name, GpuStageKind stage, const GpuUse* uses,
                    u32 count);
void gpu_pass_end(GpuList* list);
MUST_CHECK ent_status gpu_bind(GpuList* list, VkPipelineBindPoint point, const GpuUse* uses,
                               u32 count);

#endif
