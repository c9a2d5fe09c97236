/* sph_internal.h - the parts of a fluid that measurements use. */
#ifndef ENT_SPH_INTERNAL_H
#define ENT_SPH_INTERNAL_H

#include "scan.h"
#include "sort.h"
#include "sph.h"
#include "sph_io.h"

#define SPH_BUFFERS 12

typedef struct SphKernels {
    GpuKernel count, scatter, density, force, integrate;
    GpuKernel list, offset;
} SphKernels;

/* Parameters that affect only the speed of a step. */
typedef struct SphTune {
    u32 lanes;                  /* threads that share a particle: 1, 2 or 4 */
    u32 group, force_group;     /* threads of a group, in the two passes over neighbours */
    u32 unroll;                 /* candidates that are tested together */
    u32 bits_x, bits_y, bits_z; /* cells along each axis, as powers of two: 2 or more */
    u32 fine;                   /* cells along x have a length of h / 2^fine; bits_x >= fine + 2 */
    u32 shared; /* particles of a thread in the density pass: 1, or 2 with one lane */
} SphTune;

struct Sph {
    Gpu*       gpu;
    SphDesc    desc;
    SphTune    tune;
    SphPush    push;
    u32        cells, pairs; /* pairs: of a sort, a power of two */
    SphKernels kernel;
    Scan       scan;
    Sort       sort;
    GpuPool    pool;
    GpuBuffer  buffer[SPH_BUFFERS]; /* by binding; if not moved, input and sorted are one */
    GpuList    step;
};

/* The particles between steps: position and number, velocity and density, a vec4 each. */
static inline const GpuBuffer* sph_positions(const Sph* sph) {
    return &sph->buffer[SPH_POSITION_INPUT];
}
static inline const GpuBuffer* sph_velocities(const Sph* sph) {
    return &sph->buffer[SPH_VELOCITY_INPUT];
}

/* The default parameters for a fluid. */
SphTune               sph_tune(const Gpu* gpu, const SphDesc* desc);
MUST_CHECK ent_status sph_create_tuned(Sph** sph, Gpu* gpu, const SphDesc* desc,
                                       const SphTune* tune);

/* Records the passes of a step, or those that build the grid. A step also counts the particles for
 * the next step; otherwise sph_record_count must come first. */
void sph_record_count(const Sph* sph, GpuList* list);
void sph_record_grid(const Sph* sph, GpuList* list);
void sph_record_step(const Sph* sph, GpuList* list);

#endif
