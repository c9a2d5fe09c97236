/* particles_internal.h - what particles are before their first step, for tests and measurements. */
#ifndef ENT_PARTICLES_INTERNAL_H
#define ENT_PARTICLES_INTERNAL_H

#include "gpu_list.h"
#include "particles.h"

/* Particles `first` to `first + count - 1`, at the start. */
void particles_start(const ParticleSystemRecord* system, u32 first, u32 count,
                     ParticleState* state);

/* Others in place of those of the start: [count] in the order of creation. */
MUST_CHECK ent_status particles_write(Particles* particles, const ParticleState* state);

/* A step, as passes of a list; and the particles in the order of creation, as they are after it, in
 * buffers as particles_io.h has them. */
void             particles_record_step(const Particles* particles, GpuList* list);
void             particles_record_settled(const Particles* particles, GpuList* list);
const GpuBuffer* particles_body(const Particles* particles);
const GpuBuffer* particles_motion(const Particles* particles);

#endif
