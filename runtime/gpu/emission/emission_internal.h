/* emission_internal.h - what systems call whose particles begin and end.
 *
 *     create:   TRY(emission_init(&e, gpu, pools, step_s)); emission_pool_set(&e, pool, ...) for each; EMISSION_REQUESTS among the
 *               buffers; then TRY(emission_start(&e, NULL))
 *     change:   emission_set(&e, pool, &emission, &space)
 *     record:   TRY(emission_update(&e, frame, steps)); before the passes of all steps
 *               they use EMISSION_USE(&e); of emission_step_max(&e) threads each begins a particle of a step
 *               TRY(emission_report(&e, frame)); after them
 *
 * emission.c        the table and the counts
 * emission_scene.c  the components of a world */
#ifndef ENT_EMISSION_INTERNAL_H
#define ENT_EMISSION_INTERNAL_H

#include "emission.h"
#include "gpu_list.h"
#include "vec.h"
#include "world.h"

#include "emission_io.h"

/* What one fluid or particle system has. */
typedef struct EmissionPart {
    u32         capacity, alive; /* at the start */
    u32         most;            /* particles that begin in a step, at most */
    bool        changed;         /* the rows, since they were uploaded */
    bool        warned[2];       /* that there is no room; that there are too many */
    const char* name;            /* for messages */
} EmissionPart;

typedef struct Emission {
    Gpu*          gpu;
    u32           capacity; /* of all pools; 0: nothing begins or ends */
    u32           pools;
    f32           step_s;
    u32           steps; /* that were recorded */
    EmissionPart  part[EMISSION_POOLS_MAX];
    EmissionRows* rows; /* [pools] */
    GpuBuffer     table, lives;
} Emission;

/* Then the pools are set in their order, whose numbers follow each other. After a failure it can be destroyed. */
MUST_CHECK ent_status emission_init(Emission* emission, Gpu* gpu, u32 pools, f32 step_s);
/* A pool in which `alive` particles exist at the start, with the first numbers. If all have a capacity of 0, nothing begins or ends, and the
 * buffers have one element.
 *
 *   density  of particles that begin; the kernel states of what */
void emission_pool_set(Emission* emission, u32 pool, u32 capacity, u32 alive, f32 density,
                       const char* name);
void emission_destroy(Emission* emission);

#define EMISSION_REQUESTS(e)                                                                       \
    {&(e)->table, 1, sizeof(EmissionState) + MAX_OF((e)->pools, 1u) * sizeof(EmissionPool),        \
     "emitters"},                                                                                  \
    {                                                                                              \
        &(e)->lives, MAX_OF((e)->capacity, 1u), sizeof(EmissionLife), "particles of emitters"      \
    }

/* When there are buffers: brings the start to the device.
 *
 *   words  [pools] what is added to a number in the word of a particle; NULL: 0 */
MUST_CHECK ent_status emission_start(Emission* emission, const u32* words);

/* Replaces emitters and sinks of a pool for what is recorded next. They are moved from the world to the space of the particles, by the
 * inverse of its pose; NULL: it is that of the world. */
void emission_set(Emission* emission, u32 pool, const EntEmission* from, const Mat34* space);

/* Particles that begin in a step, at most. */
u32 emission_step_max(const Emission* emission);

/* Brings what was set to the device, for so many steps. Without a frame, it waits for the device, and emitters stand. */
MUST_CHECK ent_status emission_update(Emission* emission, GpuFrame* frame, u32 steps);

/* After the steps of a frame: warns once it is known that something was refused. */
MUST_CHECK ent_status emission_report(Emission* emission, GpuFrame* frame);

MUST_CHECK ent_status emission_counts(const Emission* emission, u32 pool,
                                      EntEmissionCounts* counts);

/* The buffers of a pass in which particles begin or end, or which needs to know how many there are. */
#define EMISSION_ACCESS(e) ((e)->capacity ? GPU_READ_WRITE : GPU_READ)
#define EMISSION_USE(e)                                                                            \
    [EMISSION_TABLE] = {&(e)->table, EMISSION_ACCESS(e)}, [EMISSION_LIVES] = {&(e)->lives,         \
                                                                              EMISSION_ACCESS(e)}

/* --- the components of a world --- */

/* What acts on one entity; members are from malloc, or NULL. */
typedef struct EmissionFound {
    EntEmitterAt* emitter;
    EntSinkAt*    sink;
    u32           emitters, sinks, emitter_room, sink_room;
} EmissionFound;

/* Of what is simulated: can particles begin and end? */
typedef struct EmissionFollower {
    bool emits, warned;
} EmissionFollower;

/* Finds emitters and sinks of an entity, where they are now; they replace those from before. */
MUST_CHECK ent_status emission_find(EmissionFound* found, World* world, Entity target);
/* The same in each frame: warns once of those of a `what` that has no buffers for them, because it had none at its creation. */
MUST_CHECK ent_status emission_follow(EmissionFound* found, World* world, Entity target, Gpu* gpu,
                                      EmissionFollower* follower, const char* what);
void                  emission_found_drop(EmissionFound* found);

static inline EntEmission emission_of(const EmissionFound* f) {
    return (EntEmission){f->emitter, f->sink, f->emitters, f->sinks};
}

#endif
