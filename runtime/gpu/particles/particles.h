/* particles.h - discs that move and collide in a rectangle, on the device: all particles of one
 * particle_system, stepped as often as wanted without coming back to the host.
 *
 *     EntParticles* particles;
 *     const EntParticlesDesc desc = {.system = &record, .step_s = 0.01f};
 *     EntStatus              status = ent_particles_create(&particles, gpu, &desc);
 *     status = ent_particles_run(particles, 1);          a frame
 *     status = ent_particles_read(particles, state);
 *     ent_particles_destroy(particles);
 *
 * A step moves each particle, turns it at the walls and puts it into a bin, a square at least as
 * wide as the largest particle. Then each looks for those it overlaps in the 3 x 3 bins about its
 * own, and every one of them pushes it away by 51 % of the overlap; then its speed changes:
 *
 *   two that touch only each other, while they come closer, exchange what an elastic collision
 *   exchanges, their masses being as their areas: momentum and energy stay what they were;
 *   who touches more than one, or one who does, is thrown back as by a wall that stands across the
 *   sum of what pushes it, when it moves against that: the energy stays, the momentum does not.
 *
 * Two that touch only each other are apart after the step, as far as floats tell, unless a wall
 * holds one back. In a crowd that fills a third of the rectangle, with steps no longer than a
 * twentieth of the smallest diameter, at most 5 % of the two radii are left of any overlap. No
 * particle is ever beyond a wall: what a step would take there ends at it. A particle that touched
 * somebody has the temperature 1, and loses twice its temperature a second. The attractor
 * accelerates each particle by 1/s2 times its distance: one alone swings about it once in 2 pi
 * seconds.
 *
 * What is unordered: particles come to a bin in the order of threads, and what pushes one is summed
 * in that order, so that results of two runs differ by rounding, as they do between devices. Of two
 * at the very same place, the one that was created first goes to the left.
 *
 * Source   E. Yusov, Diligent Engine, Tutorial 14, Compute Shader, in the form that counts
 *          collisions: its four passes, in `unordered`. Unlike there, speeds are not looked for in
 *          the bins again, as a particle knows its partner; two that move apart exchange nothing;
 *          and a crowd throws back along what pushes, where there it reverses every speed.
 *          S. Green, Particle simulation using CUDA, NVIDIA, 2008: the order of bins. */
#ifndef ENT_PARTICLES_H
#define ENT_PARTICLES_H

#include "canvas.h"
#include "gpu_system.h"
#include "records.h"

typedef struct EntParticles EntParticles;

typedef struct EntParticlesDesc {
    const EntParticleSystemRecord* system; /* read by create only; `attractor` of it is not read */
    float                          step_s; /* above 0, at most 1 */
    int         unordered; /* particles stay where they are, and bins are lists, as in the tutorial.
                      0: they are moved into the order of bins in every step, which is several
                      times faster from 100,000 on */
    int         has_attractor;
    EntVec2     attractor; /* in the plane of the rectangle, from its middle */
    EntGpuTimes times;
} EntParticlesDesc;

typedef struct EntParticleState {
    EntVec2  position, velocity; /* m from the middle of the rectangle, m/s */
    float    radius;             /* m */
    float    temperature;        /* 0 to 1 */
    uint32_t collisions;         /* how many it touched in the last step; 255: or more */
} EntParticleState;

#ifdef __cplusplus
extern "C" {
#endif

/* Puts particles all over the rectangle, with any speed up to the largest in any direction: the
 * same for the same seed on every machine. Some overlap: the first steps push them apart.
 *
 * Returns  ENT_OK; ENT_LIMIT after a sentence that says how many particles would fit; ENT_NO_MEMORY
 *          or ENT_DEVICE_FAULT. After a failure there is nothing to destroy, and *particles is
 *          NULL.
 * Cost     about 80 bytes of the device a particle. */
ENT_API ENT_MUST_CHECK EntStatus ent_particles_create(EntParticles** particles, EntGpu* gpu,
                                                      const EntParticlesDesc* desc);
ENT_API void                     ent_particles_destroy(EntParticles* particles);

/* Makes steps, and waits for them. */
ENT_API ENT_MUST_CHECK EntStatus ent_particles_run(EntParticles* particles, uint32_t steps);

/* The particles as they are.
 *
 *   state  [count] in the order of creation */
ENT_API ENT_MUST_CHECK EntStatus ent_particles_read(EntParticles*     particles,
                                                    EntParticleState* state);

/* Adds the particles to the next picture of a canvas, as discs. They are drawn as they are now;
 * they must neither be stepped nor destroyed until that picture is drawn.
 *
 *   pose   of the plane of the rectangle, its XY, in the world
 *   color  linear RGB of a particle whose temperature is 0
 *
 * Returns  as ent_canvas_discs, or ENT_DEVICE_FAULT. */
ENT_API ENT_MUST_CHECK EntStatus ent_particles_draw(EntParticles* particles, EntCanvas* canvas,
                                                    const EntMat34* pose, EntVec3 color);

/* Milliseconds of a step: the mean of the last run. With ENT_GPU_TIMES_PASSES that of its last
 * step, and of its passes: as many as there are, `capacity` at most. */
ENT_API double   ent_particles_ms(const EntParticles* particles);
ENT_API uint32_t ent_particles_times(const EntParticles* particles, EntGpuTime* times,
                                     uint32_t capacity);

ENT_API uint32_t ent_particles_count(const EntParticles* particles);

/* All particle systems of a world, for a host's table of systems. */
ENT_API const EntGpuSystem* ent_particles_system(void);

#ifdef __cplusplus
}
#endif

#endif
