/* particles_internal.h - the initial state of particles, and access for tests and
 * measurements. */
#ifndef ENT_PARTICLES_INTERNAL_H
#define ENT_PARTICLES_INTERNAL_H

#include "emission_internal.h"
#include "gpu_colliders_internal.h"
#include "gpu_list.h"
#include "particles.h"
#include "particles_io.h"
#include "scan.h"

/* How a step finds the particles that collide. Systems have one method; others are in runtime/gpu/compare, for
 * measurements.
 *
 *   settled  the buffers in which particles are in the order of creation: 0 or 1
 *   create   the kernels, and what else is needed
 *   destroy  what is no member of Particles; or NULL
 *   settle   writes the settled particles; NULL: a step does */
typedef struct ParticlesMethod {
    u32 settled;
    ent_status (*create)(Particles* particles);
    void (*destroy)(Particles* particles);
    void (*step)(const Particles* particles, GpuList* list);
    void (*settle)(const Particles* particles, GpuList* list);
} ParticlesMethod;

typedef struct ParticlesKernels {
    GpuKernel move, emit, scatter, settle;
    GpuKernel among; /* moves among colliders; created when it is used */
} ParticlesKernels;

struct Particles {
    Gpu*                   gpu;
    const ParticlesMethod* method;
    void*                  extra; /* of another method */
    ParticlesDesc          desc;
    ParticlesPush          push;
    f32                    radius_max_m, speed_max_m_s; /* of all particles; at the start */
    u32                    start_count;
    Vec3                   color_end;
    Emission               emission;
    ParticlesKernels       kernel;
    bool                   is_among;
    u32                    step_version; /* of the colliders with which `step` was recorded */
    Scan                   scan;
    GpuPool                pool;
    GpuBuffer              body[2], motion[2], count, first;
    GpuList                step, steps, settled;
    f64                    ms;
};

/* `method`: NULL for that of particle systems. */
MUST_CHECK ent_status particles_create(Particles** particles, Gpu* gpu, const ParticlesDesc* desc,
                                       const ParticlesMethod* method);

/* Destroys a system that the device does not use any more. */
void particles_drop(void* particles);

/* Creates the kernels that move and settle; `ordered`: their constant. */
MUST_CHECK ent_status particles_kernels_create(Particles* particles, u32 ordered);

/* Records a pass with a thread for each particle. */
void particles_pass(const Particles* particles, GpuList* list, GpuPass pass);

/* Writes the initial state of particles `first` to `first + count - 1`. */
void particles_start(const ParticleSystemRecord* system, u32 first, u32 count,
                     ParticleState* state);

/* Replaces the state of all particles: [count] in the order of creation. */
MUST_CHECK ent_status particles_write(Particles* particles, const ParticleState* state);

/* Records the passes of a step; and those that write the resulting particles, in the order of
 * creation, to buffers in the layout of particles_io.h. */
void             particles_record_step(const Particles* particles, GpuList* list);
void             particles_record_settled(const Particles* particles, GpuList* list);
const GpuBuffer* particles_body(const Particles* particles);
const GpuBuffer* particles_motion(const Particles* particles);

#endif
