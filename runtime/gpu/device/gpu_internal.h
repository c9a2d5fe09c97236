/* gpu_internal.h - declarations shared by the files of this module: the device, and the handling of
 * failed calls.
 *
 * gpu.c           instance, choice of a device, its queue
 * gpu_call.c      failed calls, submissions
 * gpu_needs.c     what a device must have
 * gpu_layout.c    the layouts that all pipelines share
 * gpu_memory.c    allocations, memory that the host sees
 * gpu_pool.c      few large allocations, buffers in them
 * gpu_stage.c     copies in both directions
 * gpu_guard.c     words around buffers, for tests
 * gpu_image.c     images, and copies to them
 * gpu_kernel.c    compute pipelines
 * gpu_list.c      descriptions of passes, times
 * gpu_commands.c  the commands of passes, with the barriers they need
 * gpu_frame.c     frames in flight, their uploads and read-backs */
#ifndef ENT_GPU_INTERNAL_H
#define ENT_GPU_INTERNAL_H

#define VK_NO_PROTOTYPES
#include <volk.h>

#include "base.h"
#include "gpu_vulkan.h"

/* Maximum number of buffers of a kernel: every kernel uses bindings 0 to GPU_BINDINGS - 1 of set 0.
 */
#define GPU_BINDINGS   22
#define GPU_PUSH_BYTES 128 /* the minimum that Vulkan guarantees */
#define GPU_TEXTURES   32  /* images of set 1 with samplers: arrays of textures, of binding 0 */
#define GPU_STORED     4   /* images of set 1 that kernels write, of the bindings behind these */
#define GPU_MAPS       4   /* images of set 1 without samplers, of bindings 1 and so on */
#define GPU_IMAGES     3   /* images of set 2, which kernels read without a sampler */

/* What a device may lack without being refused: systems that need it check it. */
typedef struct GpuAbilities {
    bool indirect_draws; /* several with one call, each with a first instance */
    bool draw_numbers;   /* in vertex shaders: which draw of a call it is */
    bool primitives;     /* in fragment shaders: which primitive of a draw it is */
    bool clips;          /* in vertex shaders: distances at which primitives are clipped */
    bool stores;         /* in fragment shaders: to buffers, also atomically */
    bool blends;         /* several images in different ways, also one of floats of 32 bits */
    bool textures;       /* GPU_TEXTURES sampled images in a kernel */
    bool block_textures; /* BC1 to BC5 */
} GpuAbilities;

/* Do groups proceed that wait for groups which have begun before them? scan.h tries it. */
typedef enum GpuChains { GPU_CHAINS_UNTRIED, GPU_CHAINS_PROCEED, GPU_CHAINS_STOP } GpuChains;

/* A range of a block, valid until its pool is destroyed. */
typedef struct GpuBuffer {
    VkBuffer handle;
    u64      offset, bytes;
    u32      number; /* unique among the buffers of its Gpu */
} GpuBuffer;

/* Memory that the host and the device see. Zeroed: empty. */
typedef struct GpuMapped {
    struct EntGpu* gpu;
    VkDeviceMemory memory;
    GpuBuffer      buffer;
    u64            bytes; /* of the allocation */
    u8*            at;    /* [buffer.bytes] mapped */
} GpuMapped;

typedef struct GpuStagePart {
    VkCommandBuffer commands;
    VkFence         fence;
    bool            is_running;
} GpuStagePart;

/* Memory for copies: gpu_stage.h. */
typedef struct GpuStage {
    GpuMapped       memory;
    u8*             at; /* [GPU_STAGE_BYTES], mapped */
    GpuStagePart    part[2];
    u32             which;    /* part in use */
    VkCommandBuffer commands; /* of that part */
    u64             used;     /* its bytes of copies that are recorded and not submitted */
} GpuStage;

typedef struct GpuLayouts {
    VkDescriptorSetLayout      buffers, textures, images; /* sets 0, 1 and 2 */
    VkDescriptorUpdateTemplate all_buffers;               /* of a set 0 */
    VkPipelineLayout           pipelines;
} GpuLayouts;

typedef struct GpuUsedMemory {
    VkPhysicalDeviceMemoryProperties types;
    u64                              bytes, bytes_peak, allocation_bytes_max;
    u32                              buffer_count; /* created so far: the next one's number */
} GpuUsedMemory;

/* For tests: words between buffers, which are checked when pools are destroyed, and the validation layer. */
typedef struct GpuGuards {
    bool is_on;
    u32  broken;   /* words that were written */
    u32  reported; /* messages of the validation layer */
} GpuGuards;

struct Gpu {
    GpuInfo                  info;
    GpuDesc                  desc;
    VkInstance               instance;
    VkDebugUtilsMessengerEXT messenger;
    VkPhysicalDevice         physical;
    VkPhysicalDeviceLimits   limits;
    GpuUsedMemory            memory;
    VkDevice                 device;
    struct VolkDeviceTable   vk;
    VkQueue                  queue;
    u32                      queue_family;
    VkCommandPool            commands;
    struct EntGpuFrames*     frames; /* all of them */
    VkPipelineCache          cache;
    GpuLayouts               layouts;
    GpuAbilities             can;
    GpuChains                chains;
    VkFence                  fence;
    GpuStage                 stage;
    u32                      calls; /* that can fail, for desc.fault_call */
    u32       changes; /* destroyed objects that commands could name: commands are not used again */
    u32       dropped; /* frames that failed: what they were to upload is not on the device */
    GpuGuards guards;
    bool      lost;
    bool      is_of_host; /* the instance, the device and the queue */
};

/* Logs which call failed and returns the corresponding status. */
ent_status gpu_refused(Gpu* gpu, const char* what, VkResult result);
void       gpu_log(const Gpu* gpu, LogLevel level, const char* text, ...) PRINTF_LIKE(3, 4);

static inline bool gpu_fault_now(Gpu* gpu) { return ++gpu->calls == gpu->desc.fault_call; }

/* The call is skipped when it is the one that desc.fault_call selects. */
#define GPU_CALL(gpu, call) (gpu_fault_now(gpu) ? (VkResult)(gpu)->desc.fault_result : (call))

/* Returns from the function on failure: GPU_TRY(gpu, "a fence", vkCreateFence(...)); */
#define GPU_TRY(gpu, what, call)                                                                   \
    do {                                                                                           \
        const VkResult gpu_result_ = GPU_CALL(gpu, call);                                          \
        if (gpu_result_ != VK_SUCCESS) return gpu_refused((gpu), (what), gpu_result_);             \
    } while (0)

/* What a physical device lacks and which features are enabled; gpu->can from that. */
void gpu_needs_find(GpuNeeds* needs, VkPhysicalDevice device);
void gpu_abilities_find(Gpu* gpu);

ent_status gpu_layouts_create(Gpu* gpu);
void       gpu_layouts_destroy(Gpu* gpu);
ent_status gpu_stage_create(Gpu* gpu);
void       gpu_stage_destroy(Gpu* gpu);

/* Waits for a fence, and resets it. After a failure the device is idle, and lost for the library. */
MUST_CHECK ent_status gpu_fence_await(Gpu* gpu, VkFence fence);

/* Waits for everything that was submitted: before objects are destroyed that it uses. */
void gpu_wait(Gpu* gpu);

/* Of a new block with guards: every word is set. At the end of its life, between the buffers none may
 * have changed. */
struct GpuPool;
MUST_CHECK ent_status gpu_guards_set(Gpu* gpu, const struct GpuPool* pool);
void                  gpu_guards_check(Gpu* gpu, const struct GpuPool* pool);

/* Submits command buffers in order and waits until they are complete. */
MUST_CHECK ent_status gpu_submit(Gpu* gpu, const VkCommandBuffer* commands, u32 count);

/* A memory type with the properties `wanted`, and `liked` if possible; NONE: there is none. */
u32 gpu_memory_type(const Gpu* gpu, u32 allowed, VkMemoryPropertyFlags wanted,
                    VkMemoryPropertyFlags liked);

MUST_CHECK ent_status gpu_buffer_create(Gpu* gpu, u64 bytes, VkBufferUsageFlags usage,
                                        VkBuffer* buffer);

/* Allocates device memory and adds it to the count of allocated bytes. */
MUST_CHECK ent_status gpu_allocate(Gpu* gpu, u64 bytes, u32 type, VkDeviceMemory* memory);
void                  gpu_release(Gpu* gpu, u64 bytes, VkDeviceMemory memory);

#endif
