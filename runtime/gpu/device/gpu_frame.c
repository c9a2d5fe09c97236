/* gpu_frame.c - frames in flight: each has a list of passes, memory for uploads, a fence, and what is
 * read back. */
#include "gpu_frame_internal.h"

#include <stdlib.h>

#include "clock.h"

#define RING_MIN   ((u64)64 << 10)
#define RING_KEEPS ((u64)32 << 20) /* larger blocks are freed when their frame is complete */
#define SPAN_ALIGN 256u            /* of ranges that kernels read: no device requires more */
#define TIMES_MAX  128

struct GpuFrames {
    Gpu*          gpu;
    GpuFramesDesc desc;
    GpuFrame      frame[GPU_FRAMES_IN_FLIGHT];
    u64           begun; /* frames */
    GpuFrames*    next;  /* of the same device */
};

/* --- memory for uploads --- */

static ent_status ring_grow(GpuFrame* f, u64 bytes) {
    GpuRing* ring = &f->ring;
    u64      room = RING_MIN;
    if (ring->count == GPU_RING_BLOCKS) return ENT_LIMIT;
    if (ring->count) room = ring->block[ring->count - 1].buffer.bytes * 2;
    while (room < bytes) room *= 2;
    if (room > RING_KEEPS) room = align_up(bytes, SPAN_ALIGN);
    GpuMapped*       block = &ring->block[ring->count++];
    const ent_status status = gpu_mapped_create(block, f->gpu, room, 0);
    if (status != ENT_OK) {
        gpu_mapped_destroy(block);
        ring->count--;
        return status;
    }
    ring->bytes += ring->used;
    ring->used = 0;
    return ENT_OK;
}

/* For the next frame in the same memory. */
static void ring_reset(GpuFrame* f) {
    GpuRing*   ring = &f->ring;
    const u64  needed = ring->bytes + ring->used;
    const bool keeps = ring->count == 1 && ring->block[0].buffer.bytes <= RING_KEEPS;
    ring->bytes = ring->used = 0;
    if (ring->count == 0 || keeps) return;
    for (u32 i = 0; i < ring->count; i++) gpu_mapped_destroy(&ring->block[i]);
    ring->count = 0;
    if (needed > RING_KEEPS) return;
    if (ring_grow(f, needed) != ENT_OK) return; /* the next upload reports it, if it fails again */
}

ent_status gpu_frame_take(GpuFrame* f, u64 bytes, GpuSpan* span) {
    GpuRing*  ring = &f->ring;
    const u64 room = align_up(MAX_OF(bytes, (u64)4), SPAN_ALIGN);
    if (ring->count == 0 || ring->used + room > ring->block[ring->count - 1].buffer.bytes) {
        const ent_status status = ring_grow(f, room);
        if (status != ENT_OK) {
            if (f->list.status == ENT_OK) f->list.status = status;
            return status;
        }
    }
    const GpuMapped* block = &ring->block[ring->count - 1];
    *span = (GpuSpan){{block->buffer.handle, ring->used, bytes, block->buffer.number},
                      block->at + ring->used};
    ring->used += room;
    return ENT_OK;
}

ent_status gpu_frame_upload(GpuFrame* f, const GpuBuffer* to, u64 offset, const void* from,
                            u64 bytes) {
    GpuSpan span;
    if (bytes == 0) return ENT_OK;
    TRY(gpu_frame_take(f, bytes, &span));
    memcpy(span.at, from, bytes);
    gpu_copy(
        &f->list,
        &(GpuCopy){
            .name = "upload", .from = &span.buffer, .to = to, .to_offset = offset, .bytes = bytes});
    return f->list.status;
}

/* --- objects that the device may still use --- */

static void old_destroy(Gpu* gpu, GpuOld* old) {
    gpu->changes++; /* commands that name it are not used again */
    switch (old->kind) {
    case GPU_OLD_POOL: gpu_pool_destroy(&old->pool); return;
    case GPU_OLD_KERNEL: gpu_kernel_destroy(&old->kernel); return;
    case GPU_OLD_PIPELINE: gpu->vk.vkDestroyPipeline(gpu->device, old->pipeline, NULL); return;
    case GPU_OLD_IMAGE: gpu_image_destroy(&old->image, gpu); return;
    case GPU_OLD_SAMPLER: gpu->vk.vkDestroySampler(gpu->device, old->sampler, NULL); return;
    case GPU_OLD_SETS: gpu->vk.vkDestroyDescriptorPool(gpu->device, old->sets, NULL); return;
    case GPU_OLD_OBJECT: old->object.destroy(old->object.at); return;
    }
}

static void retire(GpuFrame* f, GpuOld old) {
    GpuRetired* r = &f->retired;
    if (r->count == r->capacity) {
        const u32 room = MAX_OF(r->capacity * 2, 8u);
        GpuOld*   grown = realloc(r->at, room * sizeof *grown);
        if (!grown) {
            gpu_wait(f->gpu);
            old_destroy(f->gpu, &old);
            f->list.status = ENT_NO_MEMORY; /* its passes may name the object */
            return;
        }
        r->at = grown;
        r->capacity = room;
    }
    r->at[r->count++] = old;
}

void gpu_frame_retire_pool(GpuFrame* f, GpuPool* pool) {
    if (pool->count) retire(f, (GpuOld){GPU_OLD_POOL, .pool = *pool});
    *pool = (GpuPool){0};
}

void gpu_frame_retire_kernel(GpuFrame* f, GpuKernel* kernel) {
    if (kernel->gpu) retire(f, (GpuOld){GPU_OLD_KERNEL, .kernel = *kernel});
    *kernel = (GpuKernel){0};
}

void gpu_frame_retire_pipeline(GpuFrame* f, VkPipeline* pipeline) {
    if (*pipeline) retire(f, (GpuOld){GPU_OLD_PIPELINE, .pipeline = *pipeline});
    *pipeline = VK_NULL_HANDLE;
}

void gpu_frame_retire_image(GpuFrame* f, GpuImage* image) {
    if (image->image) retire(f, (GpuOld){GPU_OLD_IMAGE, .image = *image});
    *image = (GpuImage){0};
}

void gpu_frame_retire_sampler(GpuFrame* f, VkSampler* sampler) {
    if (*sampler) retire(f, (GpuOld){GPU_OLD_SAMPLER, .sampler = *sampler});
    *sampler = VK_NULL_HANDLE;
}

void gpu_frame_retire_sets(GpuFrame* f, VkDescriptorPool* sets) {
    if (*sets) retire(f, (GpuOld){GPU_OLD_SETS, .sets = *sets});
    *sets = VK_NULL_HANDLE;
}

void gpu_frame_retire_object(GpuFrame* f, void* object, void (*destroy)(void* object)) {
    if (object) retire(f, (GpuOld){GPU_OLD_OBJECT, .object = {destroy, object}});
}

static void retired_destroy(GpuFrame* f) {
    for (u32 i = 0; i < f->retired.count; i++) old_destroy(f->gpu, &f->retired.at[i]);
    f->retired.count = 0;
}

ent_status gpu_frame_reserve(GpuFrame* f, GpuPool* pool, u32* room,
                             const GpuBufferRequest* request) {
    GpuBufferRequest larger = *request;
    if (*room && request->count <= *room) return ENT_OK;
    larger.count = MAX_OF(request->count + request->count / 2, 16u);
    gpu_frame_retire_pool(f, pool);
    *room = 0;
    TRY(gpu_pool_create(pool, f->gpu, &larger, 1));
    *room = (u32)larger.count;
    return ENT_OK;
}

/* --- reads --- */

GpuRange gpu_range_of(const GpuBuffer* b, VkPipelineStageFlags stages, VkAccessFlags access) {
    return (GpuRange){b->handle, b->offset, b->bytes, stages, access, b->number};
}

static ent_status read_reserve(GpuRead* read, Gpu* gpu, u64 bytes) {
    if (read->memory.buffer.bytes >= bytes) return ENT_OK;
    gpu_mapped_destroy(&read->memory);
    const ent_status status = gpu_mapped_create(&read->memory, gpu, MAX_OF(bytes, (u64)4),
                                                VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    if (status != ENT_OK) gpu_mapped_destroy(&read->memory);
    return status;
}

static void read_record(GpuFrame* f, GpuRead* read, const GpuBuffer* buffer, u64 offset) {
    gpu_copy(&f->list, &(GpuCopy){.name = "read",
                                  .from = buffer,
                                  .to = &read->memory.buffer,
                                  .from_offset = offset,
                                  .bytes = read->bytes,
                                  .to_host = true});
}

ent_status gpu_frame_read(GpuFrame* f, const GpuBuffer* buffer, u64 offset, u64 bytes,
                          GpuReadDone* done, void* user) {
    if (f->read_count == GPU_READS_MAX) return ENT_LIMIT;
    GpuRead* read = &f->read[f->read_count];
    TRY(read_reserve(read, f->gpu, bytes));
    read->bytes = bytes;
    read->done = done;
    read->user = user;
    f->read_count++;
    read_record(f, read, buffer, offset);
    return f->list.status;
}

ent_status gpu_frame_count(GpuFrame* f, const GpuBuffer* buffer, u64 bytes, GpuReadDone* done,
                           void* user) {
    if (f->count_count == GPU_COUNTS_MAX) return ENT_OK;
    GpuRead*         read = &f->count[f->count_count];
    const ent_status status = read_reserve(read, f->gpu, bytes);
    if (status != ENT_OK) return status == ENT_LIMIT ? ENT_OK : status;
    read->bytes = bytes;
    read->done = done;
    read->user = user;
    f->count_count++;
    read_record(f, read, buffer, 0);
    return f->list.status;
}

void gpu_frames_forget(Gpu* gpu, const void* user) {
    for (GpuFrames* all = gpu->frames; all; all = all->next)
        for (u32 i = 0; i < GPU_FRAMES_IN_FLIGHT; i++)
            for (u32 k = 0; k < GPU_COUNTS_MAX; k++)
                if (all->frame[i].count[k].user == user) all->frame[i].count[k].done = NULL;
}

ent_status ent_gpu_frame_read(GpuFrame* f, const GpuRange* range, GpuReadDone* done, void* user) {
    const GpuBuffer buffer = {range->buffer, range->offset, range->bytes, range->number};
    return gpu_frame_read(f, &buffer, 0, range->bytes, done, user);
}

/* --- a frame --- */

void ent_gpu_frame_group(GpuFrame* f, const char* group) { f->list.group = group; }

static ent_status frame_await(GpuFrame* f) {
    const bool waits = f->state == GPU_FRAME_SUBMITTED && !gpu_list_runs_apart(&f->list);
    return waits ? gpu_fence_await(f->gpu, f->fence) : ENT_OK;
}

static ent_status times_report(GpuFrame* f) {
    const GpuFramesDesc* desc = &f->frames->desc;
    GpuTime              times[TIMES_MAX];
    if (!gpu_list_runs_apart(&f->list)) TRY(gpu_list_measure(&f->list));
    f->cost.device_ms = f->list.ms;
    if (desc->done)
        desc->done(desc->user, &f->cost, times, gpu_list_times(&f->list, times, TIMES_MAX));
    return ENT_OK;
}

/* The frame is complete: its memory can be used for the next one. */
static ent_status frame_finish(GpuFrame* f) {
    const bool ran = f->state == GPU_FRAME_SUBMITTED || f->state == GPU_FRAME_IN_HOST;
    if (!ran && f->retired.count > 0) gpu_wait(f->gpu); /* it failed; earlier frames may use them */
    const u32        reads = f->read_count, counts = f->count_count;
    const ent_status waited = frame_await(f);
    ent_status       status = ran && waited == ENT_OK ? times_report(f) : waited;
    f->state = GPU_FRAME_FREE;
    f->read_count = f->count_count = 0;
    for (u32 i = 0; i < reads && ran && status == ENT_OK; i++)
        f->read[i].done(f->read[i].user, f->read[i].memory.at, f->read[i].bytes);
    for (u32 i = 0; i < counts && ran && status == ENT_OK; i++)
        if (f->count[i].done)
            f->count[i].done(f->count[i].user, f->count[i].memory.at, f->count[i].bytes);
    retired_destroy(f);
    ring_reset(f);
    return status;
}

ent_status ent_gpu_frame_begin(GpuFrames* all, GpuFrame** frame) {
    GpuFrame* f = &all->frame[all->begun % GPU_FRAMES_IN_FLIGHT];
    const u64 start = clock_ns();
    *frame = NULL;
    assert(f->state != GPU_FRAME_RECORDED && "the previous frame has ended");
    TRY(gpu_upload_end(all->gpu)); /* before objects are destroyed */
    TRY(frame_finish(f));
    f->begun_ns = clock_ns();
    f->cost = (GpuFrameCost){.frame = ++all->begun, .wait_ms = (f64)(f->begun_ns - start) / 1e6};
    gpu_list_restart(&f->list, f->gpu, all->desc.times);
    f->state = GPU_FRAME_RECORDED;
    *frame = f;
    return ENT_OK;
}

static ent_status frame_submit(GpuFrame* f) {
    Gpu*               gpu = f->gpu;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .commandBufferCount = 1,
                               .pCommandBuffers = f->list.parts.at};
    if (gpu->lost) return ENT_DEVICE_LOST;
    TRY(gpu_upload_end(gpu)); /* copies that were added are made before the passes */
    if (gpu_list_runs_apart(&f->list)) return gpu_list_run(&f->list);
    GPU_TRY(gpu, "a submission", gpu->vk.vkQueueSubmit(gpu->queue, 1, &info, f->fence));
    return ENT_OK;
}

ent_status ent_gpu_frame_end(GpuFrame* f) {
    ent_status status = gpu_list_end(&f->list);
    const u64  recorded = clock_ns();
    f->cost.recorded = f->list.was_recorded;
    f->cost.record_ms = (f64)(recorded - f->begun_ns) / 1e6;
    if (status == ENT_OK) status = frame_submit(f);
    f->cost.submit_ms = (f64)(clock_ns() - recorded) / 1e6;
    f->state = status == ENT_OK ? GPU_FRAME_SUBMITTED : GPU_FRAME_FREE;
    f->gpu->dropped += status != ENT_OK;
    return status;
}

/* A software device measures passes only when it runs them one by one. */
ent_status ent_gpu_frame_end_in(GpuFrame* f, VkCommandBuffer commands) {
    if (f->gpu->info.software) f->list.times = GPU_TIMES_NONE;
    ent_status status = gpu_list_end_in(&f->list, commands);
    if (status == ENT_OK) status = gpu_upload_end(f->gpu);
    f->cost.recorded = 1;
    f->cost.record_ms = (f64)(clock_ns() - f->begun_ns) / 1e6;
    f->state = status == ENT_OK ? GPU_FRAME_IN_HOST : GPU_FRAME_FREE;
    f->gpu->dropped += status != ENT_OK;
    return status;
}

/* --- all frames --- */

ent_status ent_gpu_frames_wait(GpuFrames* all) {
    for (u32 i = 0; i < GPU_FRAMES_IN_FLIGHT; i++) {
        GpuFrame* f = &all->frame[(all->begun + i) % GPU_FRAMES_IN_FLIGHT]; /* the older first */
        assert(f->state != GPU_FRAME_RECORDED && "every frame has ended");
        TRY(frame_finish(f));
    }
    return ENT_OK;
}

ent_status ent_gpu_frames_create(GpuFrames** out, Gpu* gpu, const GpuFramesDesc* desc) {
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    GpuFrames*              all = calloc(1, sizeof *all);
    VkResult                result = VK_SUCCESS;
    *out = NULL;
    if (!all) return ENT_NO_MEMORY;
    all->gpu = gpu;
    if (desc) all->desc = *desc;
    for (u32 i = 0; i < GPU_FRAMES_IN_FLIGHT && result == VK_SUCCESS; i++) {
        GpuFrame* f = &all->frame[i];
        *f = (GpuFrame){.gpu = gpu, .frames = all};
        result = GPU_CALL(gpu, gpu->vk.vkCreateFence(gpu->device, &info, NULL, &f->fence));
    }
    all->next = gpu->frames;
    gpu->frames = all;
    if (result == VK_SUCCESS) {
        *out = all;
        return ENT_OK;
    }
    ent_gpu_frames_destroy(all);
    return gpu_refused(gpu, "a fence", result);
}

static void frame_destroy(GpuFrame* f) {
    for (u32 i = 0; i < f->ring.count; i++) gpu_mapped_destroy(&f->ring.block[i]);
    for (u32 i = 0; i < GPU_READS_MAX; i++) gpu_mapped_destroy(&f->read[i].memory);
    for (u32 i = 0; i < GPU_COUNTS_MAX; i++) gpu_mapped_destroy(&f->count[i].memory);
    retired_destroy(f);
    free(f->retired.at);
    gpu_list_destroy(&f->list);
    f->gpu->vk.vkDestroyFence(f->gpu->device, f->fence, NULL);
}

void ent_gpu_frames_destroy(GpuFrames* all) {
    if (!all) return;
    gpu_wait(all->gpu);
    GpuFrames** at = &all->gpu->frames;
    while (*at != all) at = &(*at)->next;
    *at = all->next;
    for (u32 i = 0; i < GPU_FRAMES_IN_FLIGHT; i++) {
        if (all->frame[i].gpu) frame_destroy(&all->frame[i]);
    }
    free(all);
}

/* --- a single frame --- */

ent_status gpu_alone_begin(Gpu* gpu, GpuFrames** frames, GpuFrame** frame) {
    TRY(ent_gpu_frames_create(frames, gpu, NULL));
    const ent_status status = ent_gpu_frame_begin(*frames, frame);
    if (status != ENT_OK) ent_gpu_frames_destroy(*frames);
    return status;
}

ent_status gpu_alone_end(GpuFrames* frames, GpuFrame* frame, ent_status status) {
    frames->gpu->dropped += status != ENT_OK;
    if (status == ENT_OK) status = ent_gpu_frame_end(frame);
    if (status == ENT_OK) status = ent_gpu_frames_wait(frames);
    ent_gpu_frames_destroy(frames);
    return status;
}
