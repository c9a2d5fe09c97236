/* sph.h - smoothed particle hydrodynamics on the device: one body of fluid, stepped as often as
 * wanted without coming back to the host.
 *
 *     EntSph* sph;
 *     const EntSphDesc desc = {.fluid = &record, .count = n, .position = position};
 *     EntStatus        status = ent_sph_create(&sph, gpu, &desc);
 *     status = ent_sph_run(sph, record.substeps);          a frame
 *     status = ent_sph_read(sph, position, velocity, NULL);
 *     ent_sph_destroy(sph);
 *
 * A step finds each particle's neighbours within h, sums their mass to a density, from that the
 * pressure and the forces, then moves all particles, and last puts those behind a plane back on it.
 * There are no bounds but those of the planes: cells of the grid are numbered modulo its size, and
 * particles of another cell are excluded by their distance. Coordinates up to 2^22 h are exact.
 *
 * Sums are made in the order in which threads came to a cell: results of two runs differ by
 * rounding, as they do between devices.
 *
 * Source   M. Mueller, D. Charypar, M. Gross, Particle-based fluid simulation for interactive
 *          applications, 2003; J. Turanszki, (Scalable) GPU fluid simulation, wickedengine.net,
 *          2018; S. Green, Particle simulation using CUDA, NVIDIA, 2008. */
#ifndef ENT_SPH_H
#define ENT_SPH_H

#include "canvas.h"
#include "records.h"
#include "gpu_system.h"

typedef struct EntSph EntSph;

/* How neighbours are found. */
typedef enum EntSphSearch {
    ENT_SPH_COUNTED, /* cells are counted, and particles moved into their order; the fastest */
    ENT_SPH_SORTED,  /* indices are sorted by cell, bitonically, as the article does it */
    ENT_SPH_ALL_PAIRS /* every particle looks at every other one: small counts, and to compare with */
} EntSphSearch;

/* How a cell gets its number. */
typedef enum EntSphCells {
    ENT_SPH_WRAPPED, /* low bits of its coordinates, x fastest: neighbours stay together */
    ENT_SPH_HASHED   /* the article's hash */
} EntSphCells;

typedef struct EntSphDesc {
    const EntFluidRecord* fluid;
    uint32_t              count;
    const EntVec3*        position; /* [count] */
    const EntVec3*        velocity; /* [count], or NULL: at rest */
    const EntVec4*        plane;    /* [plane_count] unit normal to the free side, and its product
                                    with a point of the plane */
    const float*          restitution; /* [plane_count] share of the speed that is thrown back */
    uint32_t              plane_count; /* at most ENT_GPU_PLANES_MAX */
    EntSphSearch          search;
    EntSphCells           cells;
    EntGpuTimes           times;
} EntSphDesc;

#ifdef __cplusplus
extern "C" {
#endif

/* Returns  ENT_OK; ENT_LIMIT after a sentence that says how many particles would fit; ENT_NO_MEMORY
 *          or ENT_DEVICE_FAULT. After a failure there is nothing to destroy.
 * Cost     about 150 bytes of the device a particle. */
ENT_API ENT_MUST_CHECK EntStatus ent_sph_create(EntSph** sph, EntGpu* gpu, const EntSphDesc* desc);
ENT_API void                     ent_sph_destroy(EntSph* sph);

/* Makes steps of fluid->step_s, and waits for them. */
ENT_API ENT_MUST_CHECK EntStatus ent_sph_run(EntSph* sph, uint32_t steps);

/* The particles as they are, in the order in which they were given; any may be NULL. The density is
 * that of the last step, before particles were moved.
 *
 *   position  [count]
 *   velocity  [count]
 *   density   [count] kg/m3 */
ENT_API ENT_MUST_CHECK EntStatus ent_sph_read(EntSph* sph, EntVec3* position, EntVec3* velocity,
                                              float* density);

/* Adds the particles to the next picture of a canvas, as spheres. They are read when that picture
 * is drawn, in the place and with the speed that they have then; the fluid must exist until then.
 *
 *   speed_max_m_s  particles that are as fast or faster are white
 *
 * Returns  as ent_canvas_spheres. */
ENT_API ENT_MUST_CHECK EntStatus ent_sph_draw(const EntSph* sph, EntCanvas* canvas, float radius_m,
                                              float speed_max_m_s);

/* Milliseconds of the last step, and of its passes: as many as there are, `capacity` at most. */
ENT_API double   ent_sph_ms(const EntSph* sph);
ENT_API uint32_t ent_sph_times(const EntSph* sph, EntGpuTime* times, uint32_t capacity);

ENT_API uint32_t ent_sph_count(const EntSph* sph);

/* All fluids of a world, for a host's table of systems. */
ENT_API const EntGpuSystem* ent_sph_system(void);

#ifdef __cplusplus
}
#endif

#endif
