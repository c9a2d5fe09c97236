/* sph_internal.h - the parts of a fluid that measurements use. */
#ifndef ENT_SPH_INTERNAL_H
#define ENT_SPH_INTERNAL_H

#include "emission_internal.h"
#include "gpu_colliders_internal.h"
#include "scan.h"
#include "sph.h"
#include "sph_io.h"

#define SPH_BUFFERS 22

typedef struct SphKernels {
    GpuKernel count, emit, scatter, density, force;
    /* Among colliders that are not all planes which stand: the same, and what colliders do to particles; created when they are
     * used. */
    GpuKernel near, scatter_among, density_among, force_among, meet, meet_bodies;
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

/* How neighbours are found. Fluids have one method; others are in runtime/gpu/compare, for measurements.
 *
 *   buffers  a bit for each binding that has rows beside positions, velocities and planes
 *   counts   particles are moved into the order of their cells, and each step counts those of the next one
 *   fine     cells along x are shorter
 *   hashed   constant of the kernels: all coordinates of a cell are hashed
 *   create   the kernels, and what else is needed
 *   destroy  what is no member of a fluid; or NULL */
typedef struct SphMethod {
    u32  buffers;
    bool counts, fine;
    u32  hashed;
    ent_status (*create)(Sph* sph);
    void (*destroy)(Sph* sph);
    void (*grid)(const Sph* sph, GpuList* list);
    void (*step)(const Sph* sph, GpuList* list);
} SphMethod;

/* Particles of a fluid. */
typedef struct SphEach {
    u32 count, first, capacity; /* at the start; numbers */
} SphEach;

struct Sph {
    Gpu*             gpu;
    const SphMethod* method;
    void*            extra; /* of another method */
    SphDesc          desc;
    SphTune          tune;
    SphPush          push;
    FluidModel       model;
    f32              mass_kg; /* of a particle of the first fluid */
    u32              cells;
    SphKernels       kernel;
    bool             is_among;
    u32       near_set;     /* the set of colliders that are known to be near particles; 0: none */
    u32       step_version; /* of the colliders with which `step` was recorded */
    Scan      scan;
    GpuPool   pool, meeting_pool;
    GpuBuffer buffer[SPH_BUFFERS]; /* by binding; if not moved, input and sorted are one */
    GpuList   step;
    SphEach   each[ENT_SPH_FLUIDS_MAX];
    u32       fluids;
    Emission  emission;
    GpuBuffer fresh;   /* of what is drawn; or empty */
    u32       changes; /* of what `step` emits */
};

/* The particles between steps: position and number, velocity and density, a vec4 each. */
static inline const GpuBuffer* sph_positions(const Sph* sph) {
    return &sph->buffer[SPH_POSITION_INPUT];
}
static inline const GpuBuffer* sph_velocities(const Sph* sph) {
    return &sph->buffer[SPH_VELOCITY_INPUT];
}

#define SPH_BIT(binding) (1u << SPH_##binding)

/* The default parameters for a fluid. `method`: NULL for that of fluids. */
SphTune               sph_tune(const Gpu* gpu, const SphDesc* desc);
MUST_CHECK ent_status sph_create_tuned(Sph** sph, Gpu* gpu, const SphDesc* desc,
                                       const SphTune* tune, const SphMethod* method);

/* ent_sph_draw of the particles of a fluid: its number plus 1, or 0 of all. */
MUST_CHECK ent_status sph_draw(const Sph* sph, u32 kind, void* shapes, f32 radius_m,
                               f32 speed_max_m_s, const EntShapesLook* look);

/* A buffer of floats by number, in which that of a particle becomes 0 when it begins; it exists longer. */
void sph_emission_clears(Sph* sph, const GpuBuffer* fresh);

/* Records a pass, of which `pass` has name, kernel, threads, and bindings above these: bits of the bindings that its kernel
 * reads, and writes. */
void sph_pass(const Sph* sph, GpuList* list, GpuPass pass, u32 reads, u32 writes);

/* Creates a kernel with the constants of a fluid. */
MUST_CHECK ent_status sph_kernel_create(const Sph* sph, GpuKernel* kernel,
                                        const GpuKernelDesc* desc);

/* Creates the kernels that count and move particles. */
MUST_CHECK ent_status sph_counting_create(Sph* sph);

/* Starts and counts have four additional words, so that the last cell has an end and the prefix sum
 * processes complete vectors. */
static inline u32 sph_cell_words(const Sph* sph) { return sph->cells + 4; }

/* Records the passes of a step, or those that build the grid. A step also counts the particles for
 * the next step; otherwise sph_record_count must come first. */
void sph_record_count(const Sph* sph, GpuList* list);
void sph_record_grid(const Sph* sph, GpuList* list);
void sph_record_step(const Sph* sph, GpuList* list);

/* Prepares the steps of a frame, or without one those that are run: which colliders are met, and how. */
MUST_CHECK ent_status sph_colliders_begin(Sph* sph, GpuFrame* frame, u32 steps);
/* Records where they are in the steps of a frame; 0: they stand. */
MUST_CHECK ent_status sph_colliders_record(Sph* sph, GpuList* list, u32 steps);

/* What is near particles, before a list that is run repeatedly. */
MUST_CHECK ent_status sph_near_run(Sph* sph);

/* Records forces; particles that can meet colliders are listed, and meet them in a pass of their own. `reads`, `writes`: of the pass of
 * forces, as those of sph_pass. */
void sph_among_record(const Sph* sph, GpuList* list, u32 reads, u32 writes);

/* Destroys a fluid that the device does not use any more, and that moves no bodies. */
void sph_drop(void* sph);
/* Does it move the bodies of its colliders, of a fluid that was created to? */
void               sph_bodies_move(Sph* sph, bool moves);
static inline bool sph_moves_bodies(const Sph* sph) {
    return sph->desc.moves_bodies && gpu_bodies_are_moved(&sph->desc.colliders->bodies);
}
/* Records how bodies move, before a step. */
MUST_CHECK ent_status sph_bodies_record(const Sph* sph, GpuList* list, u32 step);

/* The grid of particles that were counted. */
void sph_counted_grid(const Sph* sph, GpuList* list);

#endif
