/* particles_internal.h - the initial state of particles, and access for tests and
 * measurements. */
#ifndef ENT_PARTICLES_INTERNAL_H
#define ENT_PARTICLES_INTERNAL_H

#include "gpu_list.h"
#include "particles.h"

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
