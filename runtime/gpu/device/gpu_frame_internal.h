/* gpu_frame_internal.h - what systems use to record a frame: its list of passes, memory for uploads,
 * and objects that are destroyed when the device no longer uses them. */
#ifndef ENT_GPU_FRAME_INTERNAL_H
#define ENT_GPU_FRAME_INTERNAL_H

#include "gpu_frame.h"
#include "gpu_image.h"
#include "gpu_list.h"
#include "gpu_vulkan.h"

#define GPU_RING_BLOCKS 24

/* Host-visible memory for the uploads of a frame. It grows by blocks; when a frame has needed more than
 * one, the next frame in the same memory gets one block of the sum. */
typedef struct GpuRing {
    GpuMapped block[GPU_RING_BLOCKS];
    u32       count;
    u64       used;  /* of the last block */
    u64       bytes; /* of all blocks that are full */
} GpuRing;

typedef struct GpuRead {
    GpuMapped    memory;
    u64          bytes;
    GpuReadDone* done;
    void*        user;
} GpuRead;

typedef enum GpuOldKind {
    GPU_OLD_POOL,
    GPU_OLD_KERNEL,
    GPU_OLD_PIPELINE,
    GPU_OLD_IMAGE,
    GPU_OLD_SAMPLER,
    GPU_OLD_SETS,
    GPU_OLD_OBJECT
} GpuOldKind;

/* What consists of several of these: a function destroys it, which does not wait. */
typedef struct GpuOldObject {
    void (*destroy)(void* object);
    void* at;
} GpuOldObject;

typedef struct GpuOld {
    GpuOldKind kind;
    union {
        GpuPool          pool;
        GpuKernel        kernel;
        VkPipeline       pipeline;
        GpuImage         image;
        VkSampler        sampler;
        VkDescriptorPool sets;
        GpuOldObject     object;
    };
} GpuOld;

/* Objects that are destroyed when the frame is complete. */
typedef struct GpuRetired {
    GpuOld* at; /* [count] */
    u32     count, capacity;
} GpuRetired;

#define GPU_COUNTS_MAX 8 /* reads of statistics in a frame */

typedef enum GpuFrameState {
    GPU_FRAME_FREE,
    GPU_FRAME_RECORDED, /* being recorded */
    GPU_FRAME_SUBMITTED,
    GPU_FRAME_IN_HOST /* recorded to commands of the host */
} GpuFrameState;

struct GpuFrame {
    Gpu*          gpu;
    GpuFrames*    frames;
    GpuFrameState state;
    GpuList       list;
    GpuRing       ring;
    GpuRead       read[GPU_READS_MAX];   /* [read_count] */
    GpuRead       count[GPU_COUNTS_MAX]; /* [count_count] of statistics */
    u32           read_count, count_count;
    GpuRetired    retired;
    VkFence       fence;
    GpuFrameCost  cost;
    u64           begun_ns;
};

/* Memory of the ring, for what kernels or copies read in this frame. */
typedef struct GpuSpan {
    GpuBuffer buffer; /* the span only */
    u8*       at;
} GpuSpan;

MUST_CHECK ent_status gpu_frame_take(GpuFrame* frame, u64 bytes, GpuSpan* span);

/* Records a copy of host memory, which is read before the function returns. Failures are also reported
 * at the end of the frame. */
ent_status gpu_frame_upload(GpuFrame* frame, const GpuBuffer* to, u64 offset, const void* from,
                            u64 bytes);

/* Destroys objects when the frame is complete; they are empty afterwards. When there is no memory for
 * that, the function waits for the device, and the frame fails. */
void gpu_frame_retire_pool(GpuFrame* frame, GpuPool* pool);
void gpu_frame_retire_kernel(GpuFrame* frame, GpuKernel* kernel);
void gpu_frame_retire_pipeline(GpuFrame* frame, VkPipeline* pipeline);
void gpu_frame_retire_image(GpuFrame* frame, GpuImage* image);
void gpu_frame_retire_sampler(GpuFrame* frame, VkSampler* sampler);
void gpu_frame_retire_sets(GpuFrame* frame, VkDescriptorPool* sets);
void gpu_frame_retire_object(GpuFrame* frame, void* object, void (*destroy)(void* object));

/* Replaces the only buffer of a pool, when it has less room than requested, by one with half as much more and at least 16 elements.
 * Nothing is copied. */
MUST_CHECK ent_status gpu_frame_reserve(GpuFrame* frame, GpuPool* pool, u32* room,
                                        const GpuBufferRequest* request);

/* Records the reading of a buffer: ent_gpu_frame_read. */
MUST_CHECK ent_status gpu_frame_read(GpuFrame* frame, const GpuBuffer* buffer, u64 offset,
                                     u64 bytes, GpuReadDone* done, void* user);

/* The same for statistics of a system: when there are too many, or they exceed the memory that the device may use, nothing
 * is read, and `done` is not called. */
MUST_CHECK ent_status gpu_frame_count(GpuFrame* frame, const GpuBuffer* buffer, u64 bytes,
                                      GpuReadDone* done, void* user);
/* Those of a user that is destroyed are not reported any more, of all frames. */
void gpu_frames_forget(Gpu* gpu, const void* user);

/* What a host sees of a buffer that compute kernels write. */
GpuRange gpu_range_of(const GpuBuffer* buffer, VkPipelineStageFlags stages, VkAccessFlags access);

/* A single frame: begins it, and submits it, waits and destroys the frames. */
MUST_CHECK ent_status gpu_alone_begin(Gpu* gpu, GpuFrames** frames, GpuFrame** frame);
MUST_CHECK ent_status gpu_alone_end(GpuFrames* frames, GpuFrame* frame, ent_status status);

#endif
