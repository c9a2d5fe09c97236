/* sph.h - smoothed particle hydrodynamics on the device: one body of fluid, stepped any number of
 * times without a transfer to the host.
 *
 *     EntSph*    sph;
 *     EntSphDesc desc = {0};
 *     desc.fluid = &fluid;
 *     desc.count = count;
 *     desc.position = position;
 *     if (ent_sph_create(&sph, gpu, &desc) != ENT_OK) return 1;
 *     // In a frame: ent_sph_record
 *     if (ent_sph_run(sph, fluid.substeps) != ENT_OK) return 1;
 *     if (ent_sph_read(sph, position, velocity, NULL) != ENT_OK) return 1;
 *     ent_sph_destroy(sph);
 *
 * A step finds each particle's neighbours within h, computes the density from their masses, then
 * the pressure and the forces, then moves all particles, at most with speed_max_m_s, and finally keeps them out of
 * colliders: a particle ends at the first surface on its way, and gets the speed of what pushes it. Colliders are the only
 * bounds: cells of the grid are numbered modulo its size, and particles of a different cell with the same number are excluded by their distance. The
 * size follows the box of the particles at creation, with twice its length along x: a fluid that
 * spreads farther is computed as exactly, but more slowly. EntSphDesc states other numbers for such a fluid: more cells, each of which
 * needs 8 bytes and a little time in each step; or rows of cells along x that are numbered by a hash of y and z, so that
 * particles that are far apart along y and z in a regular pattern have fewer equal numbers; equal rows around a particle are searched once. A cell is h long along y and z, and h / 4 along x. The cells
 * of coordinates up to 2^20 h are exact.
 *
 * A wall fills a part of the sphere of radius h around a particle: it acts as if it were fluid of the same density and pressure, so that the pressure
 * beside a wall is that of the bulk, and a fluid at rest does not touch its walls. A wall with fluid on both sides should be thicker
 * than h. Each collider counts: where two overlap, or lie flush in one plane, the fluid keeps away from their seam, so that a flat floor
 * should be one collider. A particle that moves farther than h in a step is tested against all colliders.
 *
 * Several fluids meet by their number densities: each particle has the density of its own fluid that as many particles of it would have, and
 * pressures are the same on both sides of a border. The lighter one rises. Forces between them have the mean of both viscosities.
 *
 * Sums are computed in the order in which threads added particles to a cell: results of two runs
 * differ by rounding, as do results of different devices.
 *
 * Source   M. Mueller, D. Charypar, M. Gross, Particle-based fluid simulation for interactive
 *          applications, 2003; J. Turanszki, (Scalable) GPU fluid simulation, wickedengine.net,
 *          2018; S. Green, Particle simulation using CUDA, NVIDIA, 2008; T. Harada, S. Koshizuka,
 *          Y. Kawaguchi, Smoothed particle hydrodynamics in complex shapes, 2007: weights of walls;
 *          B. Solenthaler, R. Pajarola, Density contrast SPH interfaces, 2008: several fluids. */
#ifndef ENT_SPH_H
#define ENT_SPH_H

#include "emission.h"
#include "gpu_colliders.h"
#include "shapes.h"
#include "gpu_system.h"
#ifdef ENT_BUILD
#include "fluid.h"
#else
#include "records.h"
#endif

typedef struct EntSph EntSph;

enum { ENT_SPH_FLUIDS_MAX = 16 };

typedef struct EntSphDesc {
    /* [fluid_count] Those that meet have the same smoothing radius, step, substeps, gravity and model. */
    const EntFluidRecord* fluid;
    uint32_t              fluid_count; /* at most ENT_SPH_FLUIDS_MAX; 0: one */
    uint32_t              count;       /* particles at the start; 0 with a capacity: none exists */
    uint32_t
        capacity; /* of what emits, or ends in sinks; 0: as many as at the start, without an end */
    /* [fluid_count] The same of each of several fluids, whose particles follow each other; `capacities`: or NULL. */
    const uint32_t * counts, *capacities;
    const EntVec3*   position;  /* [count] */
    const EntVec3*   velocity;  /* [count], or NULL: at rest */
    EntGpuColliders* colliders; /* that it meets, which exist longer; NULL: there are none */
    int moves_bodies; /* 1: it moves the bodies of its colliders, which no other fluid moves */
    EntGpuTimes times;
    uint32_t    cells; /* of the grid, increased to a power of two from 256 to 2^30; 0: chosen */
    uint32_t
        hash_primes[2]; /* odd primes by which cells are hashed along y and z; 0: they are not */
} EntSphDesc;

#ifdef __cplusplus
extern "C" {
#endif

/* Returns  ENT_OK; ENT_LIMIT after a message with the number of particles that would fit;
 *          ENT_NO_MEMORY or ENT_DEVICE_FAULT. After a failure there is nothing to destroy.
 * Cost     about 170 bytes of device memory per particle, and 36 more among colliders that are not all standing planes without
 *          friction. */
ENT_API ENT_MUST_CHECK EntStatus ent_sph_create(EntSph** sph, EntGpu* gpu, const EntSphDesc* desc);
ENT_API void                     ent_sph_destroy(EntSph* sph);

/* Records the passes of `steps` steps of fluid->step_s. */
ENT_API ENT_MUST_CHECK EntStatus ent_sph_record(EntSph* sph, EntGpuFrame* frame, uint32_t steps);

/* Runs `steps` steps and waits until they are complete. */
ENT_API ENT_MUST_CHECK EntStatus ent_sph_run(EntSph* sph, uint32_t steps);

/* What emits particles into a fluid and removes them, in the steps that are recorded or run next.
 *
 *   fluid  its number; with one, 0
 *
 * Needs    a capacity. */
ENT_API void ent_sph_emission(EntSph* sph, uint32_t fluid, const EntEmission* emission);

/* How many particles of a fluid there are, after waiting for the device. */
ENT_API ENT_MUST_CHECK EntStatus ent_sph_emission_counts(const EntSph* sph, uint32_t fluid,
                                                         EntEmissionCounts* counts);

/* The particles on the device, in any order, as compute kernels leave them: positions as x, y, z and
 * the number of the particle, an unsigned word, of several fluids with that of the fluid in the bits from 27 on; velocities as x, y, z and the density, which is negative
 * while a collider is within h, unless all are standing planes without friction: its absolute value is the density. 16 bytes each. The x of a particle that does not exist is above 1e38.
 * Either pointer may be NULL. */
ENT_API void ent_sph_ranges(const EntSph* sph, EntGpuRange* position, EntGpuRange* velocity);

/* Reads the current particles, after waiting for the device, in the order in which they were created; any pointer may be NULL.
 * The density is that of the last step, before particles were moved.
 *
 *   position  [ent_sph_count]
 *   velocity  [ent_sph_count]
 *   density   [ent_sph_count] kg/m3
 *
 * Fluids follow each other, each with its capacity. With a capacity, particles are read by a number that one has as long as it exists; the numbers of those that do not exist are read as
 * NaN. */
ENT_API ENT_MUST_CHECK EntStatus ent_sph_read(EntSph* sph, EntVec3* position, EntVec3* velocity,
                                              float* density);

/* Adds the particles to all pictures from the next one on, as spheres, until ent_shapes_clear. Their positions and
 * velocities are read when a picture is drawn; the fluid must exist until then, and is not simulated between this
 * call and the picture.
 *
 *   shapes         state of ent_shapes_system
 *   speed_max_m_s  of ENT_CANVAS_SHOWS_SPEED: white
 *
 * Returns  the same as ent_shapes_spheres. */
ENT_API ENT_MUST_CHECK EntStatus ent_sph_draw(const EntSph* sph, void* shapes, float radius_m,
                                              float speed_max_m_s, const EntShapesLook* look);

/* Times of the last step of ent_sph_run in milliseconds: the total, and the times of its passes, at most
 * `capacity` of them. */
ENT_API double   ent_sph_ms(const EntSph* sph);
ENT_API uint32_t ent_sph_times(const EntSph* sph, EntGpuTime* times, uint32_t capacity);

/* The capacity, or without one the number of particles. */
ENT_API uint32_t ent_sph_count(const EntSph* sph);

/* How often a particle was slowed to speed_max_m_s since the fluid was created, after waiting for the device. */
ENT_API ENT_MUST_CHECK EntStatus ent_sph_slowed(EntSph* sph, uint64_t* count);

/* All fluids of a world, for a host's table of systems. */
ENT_API const EntGpuSystem* ent_sph_system(void);

#ifdef __cplusplus
}
#endif

#endif
