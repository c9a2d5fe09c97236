/* gpu_frame.h - frames: everything that the device does for a picture, in one submission.
 *
 *     EntGpuFrames* frames;
 *     EntStatus     status = ent_gpu_frames_create(&frames, gpu, NULL);
 *     while (running && status == ENT_OK) {
 *         EntGpuFrame* frame;
 *         status = ent_gpu_frame_begin(frames, &frame);
 *         if (status == ENT_OK) status = ent_picture_record(frame, &parts, canvas, &view);
 *         if (status == ENT_OK) status = ent_canvas_read_later(canvas, frame, on_pixels, NULL);
 *         if (status == ENT_OK) status = ent_gpu_frame_end(frame);
 *     }
 *     if (status == ENT_OK) status = ent_gpu_frames_wait(frames);
 *     ent_gpu_frames_destroy(frames); // before the systems and the canvas
 *
 * Two frames are in flight: while the device runs one, the host records the next one.
 * ent_gpu_frame_begin waits for the frame before the last one, if it is still running; nothing else
 * waits. Barriers between passes follow from the buffers that they use, also between systems. When a
 * frame has the same passes as the last one of its memory, its commands are not recorded again.
 *
 * After a failure while a frame is recorded, it must still be ended. Systems that take part in it
 * have then lost the changes of the world that they had read, and must be created again. */
#ifndef ENT_GPU_FRAME_H
#define ENT_GPU_FRAME_H

#include "gpu.h"

enum { ENT_GPU_FRAMES_IN_FLIGHT = 2, ENT_GPU_READS_MAX = 16 };

typedef struct EntGpuFrames EntGpuFrames;
typedef struct EntGpuFrame  EntGpuFrame;

/* A range of a buffer of the device, and an image: gpu_vulkan.h. */
typedef struct EntGpuRange     EntGpuRange;
typedef struct EntGpuImageView EntGpuImageView;

/* Receives what was read: `bytes` exist until the function returns. It must not begin a frame. */
typedef void EntGpuReadDone(void* user, const void* bytes, uint64_t count);

/* What a frame cost the host and the device. */
typedef struct EntGpuFrameCost {
    uint64_t frame;     /* its number, counted from 1 */
    double   wait_ms;   /* of the host, for an earlier frame, in ent_gpu_frame_begin */
    double   record_ms; /* of the host, from then on until the commands are recorded */
    double   submit_ms; /* of the host, in the driver's submission */
    double   device_ms; /* from the first to the last pass; with ENT_GPU_TIMES_NONE 0 */
    int      recorded;  /* 0: the commands of an earlier frame were submitted again */
} EntGpuFrameCost;

/* Receives the times of the passes of a complete frame, before what it has read; `times` exist until
 * the function returns.
 *
 *   times  [count] with ENT_GPU_TIMES_PASSES, else none */
typedef void EntGpuFrameDone(void* user, const EntGpuFrameCost* cost, const EntGpuTime* times,
                             uint32_t count);

typedef struct EntGpuFramesDesc {
    EntGpuTimes      times;
    EntGpuFrameDone* done; /* called for each frame that is complete; NULL: not called */
    void*            user; /* of `done` */
} EntGpuFramesDesc;

#ifdef __cplusplus
extern "C" {
#endif

/*   desc  NULL: nothing is measured
 *
 * Returns  ENT_OK, ENT_NO_MEMORY, or a failure of the device. After a failure there is nothing to
 *          destroy. */
ENT_API ENT_MUST_CHECK EntStatus ent_gpu_frames_create(EntGpuFrames** frames, EntGpu* gpu,
                                                       const EntGpuFramesDesc* desc);
/* Waits for the frames in flight; what they read is not reported any more. */
ENT_API void ent_gpu_frames_destroy(EntGpuFrames* frames);

/* Begins a frame; calls the functions of the reads of the frame before the last one.
 *
 * Needs    the previous frame has ended. */
ENT_API ENT_MUST_CHECK EntStatus ent_gpu_frame_begin(EntGpuFrames* frames, EntGpuFrame** frame);

/* Submits the frame. Returns also the first failure while it was recorded; nothing is submitted then. */
ENT_API ENT_MUST_CHECK EntStatus ent_gpu_frame_end(EntGpuFrame* frame);

/* Waits until all frames are complete, and calls the functions of their reads. */
ENT_API ENT_MUST_CHECK EntStatus ent_gpu_frames_wait(EntGpuFrames* frames);

/* The group of the times of passes that are recorded next.
 *
 *   group  exists as long as the frames; NULL: none */
ENT_API void ent_gpu_frame_group(EntGpuFrame* frame, const char* group);

/* Reads a range when the frame is complete, after all passes that are recorded so far.
 *
 * Returns  ENT_OK; ENT_LIMIT: more than ENT_GPU_READS_MAX reads; ENT_NO_MEMORY or a failure of the
 *          device. */
ENT_API ENT_MUST_CHECK EntStatus ent_gpu_frame_read(EntGpuFrame* frame, const EntGpuRange* range,
                                                    EntGpuReadDone* done, void* user);

#ifdef __cplusplus
}
#endif

#endif
