/* gpu.h - a Vulkan device: what the systems of this folder run on, without a window.
 *
 *     EntGpu* gpu;
 *     EntStatus status = ent_gpu_create(&gpu, &(EntGpuDesc){.log = log});
 *     ...
 *     ent_gpu_destroy(gpu);           after everything that was made with it
 *
 * The loader is opened at run time: a program that is linked with this library starts where there
 * is no Vulkan, and gets ENT_NO_DEVICE. One thread at a time may use an EntGpu and what was made
 * with it. */
#ifndef ENT_GPU_H
#define ENT_GPU_H

#include "host.h"

typedef struct EntGpu EntGpu;

/* Planes that hold back the particles of a system, or that are in a picture. */
enum { ENT_GPU_PLANES_MAX = 64 };

typedef struct EntGpuDesc {
    const char* device;   /* its number in the order of the driver, or a part of its name; NULL: the
                           first discrete one, else an integrated, virtual or software one */
    int         validate; /* with the validation layer, whose messages go to `log` as errors */
    EntHostLog  log;      /* the name of what failed, where a status is not enough */

    /* For tests of hosts: the n-th call of the driver that may fail, counted from 1, fails so. 0:
     * none. */
    uint32_t fault_call;
    int32_t  fault_result; /* a VkResult */
} EntGpuDesc;

typedef struct EntGpuInfo {
    char     name[256];   /* of the device */
    char     driver[256]; /* and its version */
    uint32_t index;       /* among the driver's devices */
    int      software;    /* it runs on the processor: its timestamps are not to be trusted */
    uint32_t subgroup_size;
    uint64_t memory_bytes; /* of the largest heap on the device */
    uint64_t buffer_bytes; /* a kernel sees at most so much of a buffer */
    uint32_t shared_bytes; /* of a work group */
} EntGpuInfo;

/* What a system measures while it runs. Where the device's own clock is not to be trusted, that of
 * the host is taken, and passes run one by one. */
typedef enum EntGpuTimes {
    ENT_GPU_TIMES_NONE,
    ENT_GPU_TIMES_LIST,  /* from its first to its last pass */
    ENT_GPU_TIMES_PASSES /* of each pass, which then waits for the one before */
} EntGpuTimes;

typedef struct EntGpuTime {
    const char* name; /* of a pass; those of one name are added up */
    double      ms;   /* of the last run */
} EntGpuTime;

#ifdef __cplusplus
extern "C" {
#endif

/* Finds a device with Vulkan 1.2 and what the kernels need, and opens it.
 *
 * Returns  ENT_OK; ENT_NO_DEVICE where there is no loader, no driver or no such device, after a
 *          sentence to desc->log; ENT_NO_MEMORY; ENT_DEVICE_FAULT when the driver refuses. */
ENT_API ENT_MUST_CHECK EntStatus ent_gpu_create(EntGpu** gpu, const EntGpuDesc* desc);
ENT_API void                     ent_gpu_destroy(EntGpu* gpu);

ENT_API const EntGpuInfo* ent_gpu_info(const EntGpu* gpu);

/* Messages of the validation layer so far. */
ENT_API uint32_t ent_gpu_validation_count(const EntGpu* gpu);

/* Bytes of device memory that are allocated now, and their peak. */
ENT_API uint64_t ent_gpu_bytes(const EntGpu* gpu);
ENT_API uint64_t ent_gpu_bytes_peak(const EntGpu* gpu);

#ifdef __cplusplus
}
#endif

#endif
