/* gpu_colliders.h - colliders on the device, which fluids and particles meet.
 *
 *     EntGpuColliders* colliders;
 *     if (ent_gpu_colliders_create(&colliders, gpu) != ENT_OK) return 1;
 *     // In each frame, before it is recorded; list: of ent_colliders_list, or made with ent_collider_of
 *     if (ent_gpu_colliders_set(colliders, list, count) != ENT_OK) return 1;
 *     ent_gpu_colliders_destroy(colliders); // after the fluids and particles that meet them
 *
 * In a world, ent_colliders_system does this: its state is an EntGpuColliders. It is the first system that simulates.
 *
 * A frame of a fluid has several steps: colliders are interpolated from step to step. Whatever they are at the end of the frame
 * holds for steps without a frame, such as those of ent_sph_run, in which they stand. */
#ifndef ENT_GPU_COLLIDERS_H
#define ENT_GPU_COLLIDERS_H

#include "colliders.h"
#include "gpu_system.h"

typedef struct EntGpuColliders EntGpuColliders;

#ifdef __cplusplus
extern "C" {
#endif

/* Returns  ENT_OK; ENT_NO_MEMORY. */
ENT_API ENT_MUST_CHECK EntStatus ent_gpu_colliders_create(EntGpuColliders** colliders, EntGpu* gpu);
ENT_API void                     ent_gpu_colliders_destroy(EntGpuColliders* colliders);

/* Replaces all of them for what is recorded or run next.
 *
 *   collider  [count] in any order
 *
 * Returns  ENT_OK; ENT_NO_MEMORY: they are those from before.
 * Cost     a copy; 200 bytes of device memory each, and 150 for each step of a frame while any of them moves. */
ENT_API ENT_MUST_CHECK EntStatus ent_gpu_colliders_set(EntGpuColliders*         colliders,
                                                       const EntColliderMotion* collider,
                                                       uint32_t                 count);

/* All colliders of a world, for a host's table of systems, before those that simulate. */
ENT_API const EntGpuSystem* ent_colliders_system(void);

#ifdef __cplusplus
}
#endif

#endif
