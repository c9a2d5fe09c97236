/* particles.h - discs that move and collide in a rectangle, on the device: all particles of one
 * particle_system, stepped any number of times without a transfer to the host.
 *
 *     EntParticles*    particles;
 *     EntParticlesDesc desc = {0};
 *     desc.system = &particle_system;
 *     desc.step_s = 0.01f;
 *     if (ent_particles_create(&particles, gpu, &desc) != ENT_OK) return 1;
 *     // In a frame: ent_particles_record
 *     if (ent_particles_run(particles, 1) != ENT_OK) return 1;
 *     if (ent_particles_read(particles, particle_state) != ENT_OK) return 1;
 *     ent_particles_destroy(particles);
 *
 * A step moves each particle, reflects it at the walls and assigns it to a bin, a square at least
 * as wide as the largest particle. Then each particle is tested for overlaps with the particles of
 * the 3 x 3 bins around its own, and each overlap displaces it by 51 % of the overlap; then its
 * velocity changes:
 *
 *   two particles that touch only each other and approach each other collide elastically, with
 *   masses proportional to their areas: momentum and energy are conserved;
 *   a particle that touches more than one, or one that does, is reflected as by a wall
 *   perpendicular to the sum of its displacements when it moves against that sum: energy is
 *   conserved, momentum is not.
 *
 * Colliders are met as well: a particle is a ball in space for them, and moved only in its plane. A collider that is parallel to
 * the plane moves nothing.
 *
 * Two particles that touch only each other are separated after the step, up to the precision of
 * floats, unless a wall limits the displacement. When the particles fill a third of the rectangle
 * and move at most a twentieth of the smallest diameter in a step, at most 5 % of the two radii
 * remain of any overlap. No particle is beyond a wall after a step: a displacement beyond a wall
 * ends at the wall. A particle that touched another one has the temperature 1; it loses twice its
 * temperature per second. The attractor accelerates each particle by 1/s2 times its distance: a
 * single particle oscillates about it with a period of 2 pi seconds.
 *
 * Results are not deterministic: particles are added to a bin in the order of threads, and
 * displacements are summed in that order, so that results of two runs differ by rounding, as do
 * results of different devices. Of two particles at exactly the same position, the one that was
 * created first is displaced to the left.
 *
 * Source   E. Yusov, Diligent Engine, Tutorial 14, Compute Shader, in the form that counts
 *          collisions: its four passes. Differences: the partner of a particle is
 *          stored, so that velocities need no second search of the bins; two particles that move
 *          apart do not collide; and a particle with several contacts is reflected along its
 *          displacement, where the tutorial reverses its velocity.
 *          S. Green, Particle simulation using CUDA, NVIDIA, 2008: the order of bins. */
#ifndef ENT_PARTICLES_H
#define ENT_PARTICLES_H

#include "emission.h"
#include "gpu_colliders.h"
#include "shapes.h"
#include "gpu_system.h"
#ifdef ENT_BUILD
#include "particle_system.h"
#else
#include "records.h"
#endif

typedef struct EntParticles EntParticles;

typedef struct EntParticlesDesc {
    const EntParticleSystemRecord* system; /* read by create only; `attractor` of it is not read */
    float                          step_s; /* above 0, at most 1 */
    int                            has_attractor;
    EntVec2                        attractor; /* in the plane of the rectangle, from its centre */
    EntGpuColliders* colliders; /* that they meet, which exist longer; NULL: there are none */
    EntGpuTimes      times;
} EntParticlesDesc;

typedef struct EntParticleState {
    EntVec2  position, velocity; /* m from the centre of the rectangle, m/s */
    float    radius;             /* m */
    float    temperature;        /* 0 to 1 */
    uint32_t collisions;         /* particles touched in the last step; 255: 255 or more */
} EntParticleState;

#ifdef __cplusplus
extern "C" {
#endif

/* Creates particles at random positions in the rectangle, with random speeds up to the largest and
 * random directions: the same for the same seed on every machine. Some overlap; the first steps
 * separate them.
 *
 * Returns  ENT_OK; ENT_LIMIT after a message with the number of particles that would fit;
 *          ENT_NO_MEMORY or ENT_DEVICE_FAULT. After a failure there is nothing to destroy, and
 *          *particles is NULL.
 * Cost     about 80 bytes of device memory per particle. */
ENT_API ENT_MUST_CHECK EntStatus ent_particles_create(EntParticles** particles, EntGpu* gpu,
                                                      const EntParticlesDesc* desc);
ENT_API void                     ent_particles_destroy(EntParticles* particles);

/* Where the rectangle is, its XY, when particles meet colliders in the next steps; without a call, in the XY plane of the world. */
ENT_API void ent_particles_place(EntParticles* particles, const EntMat34* pose);

/* What emits particles and removes them, in the steps that are recorded or run next; after ent_particles_place, because
 * places and velocities are projected to the plane.
 *
 * Needs    a capacity of the particle_system. */
ENT_API void ent_particles_emission(EntParticles* particles, const EntEmission* emission);

/* How many particles there are, after waiting for the device. */
ENT_API ENT_MUST_CHECK EntStatus ent_particles_emission_counts(const EntParticles* particles,
                                                               EntEmissionCounts*  counts);

/* Records the passes of `steps` steps. */
ENT_API ENT_MUST_CHECK EntStatus ent_particles_record(EntParticles* particles, EntGpuFrame* frame,
                                                      uint32_t steps);

/* Runs `steps` steps and waits until they are complete. */
ENT_API ENT_MUST_CHECK EntStatus ent_particles_run(EntParticles* particles, uint32_t steps);

/* Records the pass that brings the state of all particles to two buffers, in any order, as compute
 * kernels leave them. Either pointer may be NULL.
 *
 *   body    16 bytes each: x, which of a particle that does not exist is above 1e38, y, radius; and an unsigned word: in the lowest 8 bits the
 *           particles touched, in the others how much of its life it has had, in 2^-24
 *   motion  16 bytes each: velocity x, y; the temperature; and the number, an unsigned word */
ENT_API ENT_MUST_CHECK EntStatus ent_particles_ranges(EntParticles* particles, EntGpuFrame* frame,
                                                      EntGpuRange* body, EntGpuRange* motion);

/* Reads the current state of all particles, after waiting for the device.
 *
 *   state  [ent_particles_count] in the order of creation; with a capacity, by a number that a particle has as long as it exists: of one that
 *          does not exist, the position is NaN */
ENT_API ENT_MUST_CHECK EntStatus ent_particles_read(EntParticles*     particles,
                                                    EntParticleState* state);

/* Adds the particles to all pictures from the next one on, as discs, until ent_shapes_clear. Their state is read when
 * a picture is drawn; they must exist until then, and are not simulated between this call and the picture. The heat of a
 * disc is that of its particle.
 *
 *   shapes  state of ent_shapes_system
 *   pose    of the plane of the rectangle, its XY, in the world
 *
 * Returns  the same as ent_shapes_discs. */
ENT_API ENT_MUST_CHECK EntStatus ent_particles_draw(EntParticles* particles, void* shapes,
                                                    const EntMat34*      pose,
                                                    const EntShapesLook* look);

/* Time of a step in milliseconds: the mean of the last ent_particles_run. With ENT_GPU_TIMES_PASSES, the time of
 * its last step, and the times of that step's passes, at most `capacity` of them. */
ENT_API double   ent_particles_ms(const EntParticles* particles);
ENT_API uint32_t ent_particles_times(const EntParticles* particles, EntGpuTime* times,
                                     uint32_t capacity);

/* The capacity, or without one the number of particles. */
ENT_API uint32_t ent_particles_count(const EntParticles* particles);

/* All particle systems of a world, for a host's table of systems. */
ENT_API const EntGpuSystem* ent_particles_system(void);

#ifdef __cplusplus
}
#endif

#endif
