/* gpu_system_internal.h - declarations shared by all systems. */
#ifndef ENT_GPU_SYSTEM_INTERNAL_H
#define ENT_GPU_SYSTEM_INTERNAL_H

#include "gpu_frame_internal.h"
#include "gpu_system.h"
#include "vec.h"

/* Writes the message and returns the status. */
ent_status gpu_problem(GpuProblem* problem, ent_status status, const char* text, ...)
    PRINTF_LIKE(3, 4);

/* Why something that has changed cannot be used: part of a message. */
static inline const char* gpu_reason(ent_status status) {
    return status == ENT_LIMIT       ? "a limit of the device is exceeded"
           : status == ENT_NO_MEMORY ? "there is no memory"
                                     : "a call of the driver failed";
}

/* The world matrix of an entity; the identity when it has no transform. */
static inline Mat34 entity_pose(const World* world, Entity entity) {
    const Mat34* m = ent_transform_world(world, entity);
    return m ? *m : mat34_identity;
}

#endif
