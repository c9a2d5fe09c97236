/* sph_internal.h - what pictures and measurements see of a fluid. */
#ifndef ENT_SPH_INTERNAL_H
#define ENT_SPH_INTERNAL_H

#include "scan.h"
#include "sph.h"
#include "sph_io.h"

#define SPH_BUFFERS 11

typedef struct SphKernels {
    GpuKernel count, scatter, density, force, integrate;
    GpuKernel list, sort, sort_block, sort_turn, offset;
} SphKernels;

struct Sph {
    Gpu*       gpu;
    SphDesc    desc;
    SphPush    push;
    u32        cells, pairs; /* pairs: of a sort, a power of two */
    u32        lanes;
    SphKernels kernel;
    Scan       scan;
    GpuPool    pool;
    GpuBuffer  buffer[SPH_BUFFERS]; /* by binding; what is not moved has both places in one */
    GpuList    step;
};

/* Where the particles are between steps: position and number, velocity and density, a vec4 each. */
static inline const GpuBuffer* sph_positions(const Sph* sph) {
    return &sph->buffer[SPH_POSITION_INPUT];
}
static inline const GpuBuffer* sph_velocities(const Sph* sph) {
    return &sph->buffer[SPH_VELOCITY_INPUT];
}

/* Records the passes of a step, or those that build the grid; a step leaves particles counted for
 * the next one, others count them first. */
void sph_record_count(const Sph* sph, GpuList* list);
void sph_record_grid(const Sph* sph, GpuList* list);
void sph_record_step(const Sph* sph, GpuList* list);

#endif
