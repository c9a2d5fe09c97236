/* emission.h - emitters and sinks of a fluid or a particle system, and how many particles there are.
 *
 *     EntEmitterAt emitter = {0};
 *     emitter.record.half_extent_m.x = emitter.record.half_extent_m.z = 0.1f;
 *     emitter.record.rate_per_s = 1000;
 *     emitter.record.velocity_m_s.y = 4;
 *     emitter.pose = *ent_transform_world(world, entity);
 *     EntEmission emission = {0};
 *     emission.emitter = &emitter;
 *     emission.emitter_count = 1;
 *     // When it begins or changes: ent_sph_emission(sph, 0, &emission) or ent_particles_emission(particles, &emission), then
 *     // steps as before
 *
 * The members `target` are not read. In a world, the systems of fluids and particles do this for the components `emitter` and `sink`.
 *
 * Particles begin at the beginning of a step, and end at its end; the place of one that has ended can be taken one or two steps later. An emitter
 * emits rate_per_s times the time of steps, exactly in the sum: in a step 0 or more. What does not fit into the capacity is not emitted
 * later. Particles of an emitter are the same for the same seed, poses and steps, bit by bit on every device. An emitter that moves is
 * interpolated over the steps of a frame; a particle does not have its velocity. Sinks are in a frame where they are at its end. */
#ifndef ENT_EMISSION_H
#define ENT_EMISSION_H

#include "gpu.h"
#ifdef ENT_BUILD
#include "emitter.h"
#include "sink.h"
#else
#include "records.h"
#endif

/* Of a fluid or a particle system; others are left out with a warning. */
enum { ENT_EMISSION_EMITTERS_MAX = 64, ENT_EMISSION_SINKS_MAX = 64 };

typedef struct EntEmitterAt {
    EntEmitterRecord record;
    EntMat34         pose; /* in the world */
} EntEmitterAt;

typedef struct EntSinkAt {
    EntSinkRecord record;
    EntMat34      pose; /* in the world; one that is scaled to 0 along an axis takes nothing */
} EntSinkAt;

typedef struct EntEmission {
    const EntEmitterAt* emitter; /* [emitter_count] */
    const EntSinkAt*    sink;    /* [sink_count] */
    uint32_t            emitter_count, sink_count;
} EntEmission;

typedef struct EntEmissionCounts {
    uint32_t capacity, alive; /* particles: at most, and now */
    uint64_t emitted;         /* since the creation */
    uint64_t
        refused; /* that were not emitted, because there was no room. A warning is logged once */
} EntEmissionCounts;

#endif
