/* gpu_colliders.h - colliders on the device, which fluids and particles meet.
 *
 *     EntGpuColliders* colliders;
 *     if (ent_gpu_colliders_create(&colliders, gpu) != ENT_OK) return 1;
 *     // In each frame, before it is recorded; list: of ent_colliders_list, or made with ent_collider_of
 *     if (ent_gpu_colliders_set(colliders, list, count) != ENT_OK) return 1;
 *     ent_gpu_colliders_destroy(colliders); // after the fluids and particles that meet them
 *
 * In a world, ent_colliders_system does this: its state is an EntGpuColliders. It is the first system of all, so that lighting
 * shows bodies where they are.
 *
 * Bodies are entities with a collider and a point_mass. The first fluid of a world, and those that meet it, move them: they get the opposite of each
 * change of the velocity of a particle, by pressure, contact and friction; gravity is that of the fluid, and `force` of the point mass
 * acts as well. They do not rotate. They stay out of the other colliders and of each other, with the mean of both values of friction and
 * restitution, and move no farther in a step than half of their smallest size. In a step, a body moves first; what particles give to it has an
 * effect in the next step. For the fluid, a body is larger by about a quarter of its smoothing radius h, and floats higher: one of half of the density,
 * with a diameter of 10 h, by 4 % of its diameter, of 4 h by 12 %. One that is lighter than a particle gets very fast; a warning is logged.
 *
 * A picture shows a body, and all entities below it, where the device has moved it. The host receives `position` and `velocity` of the point mass,
 * which the transform of the entity follows, when the frame is complete: in ent_gpu_frame_begin or ent_gpu_frames_wait. One that
 * the host changes before goes on from there; what the device did with it until then is lost.
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

/* Replaces all bodies for what is recorded or run next: a fluid moves them (EntSphDesc.moves_bodies), and the colliders that refer to them.
 * One whose entity, position and velocity are those that were set or read last goes on as it is; another one begins as it is stated.
 *
 *   body     [count] of different entities; EntColliderMotion.body is at most this count
 *
 * Returns  ENT_OK; ENT_NO_MEMORY: they are those from before.
 * Cost     a comparison for each; 400 bytes of device memory each. */
ENT_API ENT_MUST_CHECK EntStatus ent_gpu_colliders_bodies(EntGpuColliders* colliders,
                                                          const EntBody* body, uint32_t count);

/* Reads where they are, and their velocities, after waiting for the device.
 *
 *   body     [capacity] in the order in which they were set
 *
 * Returns  ENT_OK, or a failure of the device. */
ENT_API ENT_MUST_CHECK EntStatus ent_gpu_colliders_read(EntGpuColliders* colliders, EntBody* body,
                                                        uint32_t capacity);

/* All colliders of a world, for a host's table of systems, before those that simulate. */
ENT_API const EntGpuSystem* ent_colliders_system(void);

#ifdef __cplusplus
}
#endif

#endif
