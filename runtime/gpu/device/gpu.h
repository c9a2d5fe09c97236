/* gpu.h - a Vulkan device without a window, on which the systems of this folder run.
 *
 *     EntGpu*    gpu;
 *     EntGpuDesc desc = {0};
 *     desc.log.write = log_print;
 *     if (ent_gpu_create(&gpu, &desc) != ENT_OK) return 1;
 *     // After everything that was created with it:
 *     ent_gpu_destroy(gpu);
 *
 * The loader is opened at run time: a program that is linked with this library also starts on
 * machines without Vulkan, where ent_gpu_create returns ENT_NO_DEVICE. Only one thread at a time
 * may use an EntGpu and the objects that were created with it. */
#ifndef ENT_GPU_H
#define ENT_GPU_H

#include "host.h"

typedef struct EntGpu EntGpu;

/* Maximum number of planes with which the particles of a system collide, or of a picture. */
enum { ENT_GPU_PLANES_MAX = 64 };

typedef struct EntGpuDesc {
    const char* device;   /* its number in the order of the driver, or a part of its name; NULL: the
                           first discrete device, else an integrated, virtual or software one */
    int         validate; /* enables the validation layer; its messages go to `log` as errors */
    /* Budget: what exceeds it is refused with ENT_LIMIT. 0, or more than the device has: its memory. */
    uint64_t   memory_bytes;
    EntHostLog log; /* receives details of a failure where a status is not enough */
    /* The host's own device (gpu_vulkan.h), of which `device` and `validate` do not matter; it exists
     * until the EntGpu is destroyed. NULL: a device is opened. */
    const struct EntGpuHost* host;

    /* For tests of hosts: the n-th driver call that can fail, counted from 1, returns
     * fault_result. 0: none. */
    uint32_t fault_call;
    int32_t  fault_result; /* a VkResult */
} EntGpuDesc;

typedef struct EntGpuInfo {
    char     name[256];   /* of the device */
    char     driver[256]; /* and its version */
    uint32_t index;       /* among the driver's devices */
    int      software;    /* it runs on the CPU: its timestamps are not reliable */
    uint32_t subgroup_size;
    uint64_t memory_bytes; /* the budget; without one, the largest heap on the device */
    uint64_t buffer_bytes; /* maximum range of a buffer that a kernel can access */
    uint32_t shared_bytes; /* of a work group */
} EntGpuInfo;

/* What a system measures while it runs. Where the timestamps of the device are not reliable, the
 * clock of the host is used, and passes run one by one. */
typedef enum EntGpuTimes {
    ENT_GPU_TIMES_NONE,
    ENT_GPU_TIMES_LIST,  /* from its first to its last pass */
    ENT_GPU_TIMES_PASSES /* of each pass, which then waits for the previous one */
} EntGpuTimes;

typedef struct EntGpuTime {
    const char* group; /* of the pass in a frame, such as the name of its phase; NULL: none */
    const char* name;  /* of a pass; the times of passes with the same name are added up */
    double      ms;    /* of the last run */
} EntGpuTime;

#ifdef __cplusplus
extern "C" {
#endif

/* Finds a device with Vulkan 1.2 and the features that the kernels need, and opens it.
 *
 * Returns  ENT_OK; ENT_NO_DEVICE when there is no loader, no driver or no such device, after a
 *          message to desc->log; ENT_NO_MEMORY; ENT_DEVICE_FAULT when a driver call fails. */
ENT_API ENT_MUST_CHECK EntStatus ent_gpu_create(EntGpu** gpu, const EntGpuDesc* desc);
ENT_API void                     ent_gpu_destroy(EntGpu* gpu);

ENT_API const EntGpuInfo* ent_gpu_info(const EntGpu* gpu);

/* The number of messages of the validation layer so far. */
ENT_API uint32_t ent_gpu_validation_count(const EntGpu* gpu);

/* Bytes of device memory that are allocated now, and their peak. */
ENT_API uint64_t ent_gpu_bytes(const EntGpu* gpu);
ENT_API uint64_t ent_gpu_bytes_peak(const EntGpu* gpu);

#ifdef __cplusplus
}
#endif

#endif
