/* emission_internal.h - what systems call whose particles begin and end.
 *
 *     create:   emission_init(&e, gpu, capacity, step_s); EMISSION_REQUESTS among the buffers; then TRY(emission_start(&e, count))
 *     change:   emission_set(&e, &emission, &to_space)
 *     record:   TRY(emission_update(&e, frame, steps)); before the passes of all steps
 *               they use EMISSION_USE(&e); of `emission_most` threads each begins a particle of a step
 *               TRY(emission_report(&e, frame, name)); after them
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

typedef struct Emission {
    Gpu*          gpu;
    u32           capacity; /* 0: nothing begins or ends */
    f32           step_s;
    u32           steps;     /* that were recorded */
    u32           most;      /* particles that begin in a step, at most */
    bool          changed;   /* the rows, since they were uploaded */
    bool          moved;     /* some emitter does not stand */
    bool          warned[2]; /* that there is no room; that there are too many */
    EmissionRows* rows;
    GpuBuffer     table, lives;
    const char*   name; /* of what emits, for messages */
} Emission;

/* `capacity` 0: nothing begins or ends, and the buffers have one element. */
MUST_CHECK ent_status emission_init(Emission* emission, Gpu* gpu, u32 capacity, f32 step_s,
                                    const char* name);
void                  emission_destroy(Emission* emission);

#define EMISSION_REQUESTS(e)                                                                       \
    {&(e)->table, 1, sizeof(EmissionTable), "emitters"}, {                                         \
        &(e)->lives, MAX_OF((e)->capacity, 1u), sizeof(EmissionLife), "particles of emitters"      \
    }

/* When there are buffers: `alive` particles exist, with the first numbers, and without an end of their lives. */
MUST_CHECK ent_status emission_start(Emission* emission, u32 alive);

/* Replaces emitters and sinks for what is recorded next. They are moved from the world to the space of the particles, by the inverse of
 * its pose; NULL: it is that of the world. */
void emission_set(Emission* emission, const EntEmission* from, const Mat34* space);

/* Brings what was set to the device, for so many steps. Without a frame, it waits for the device, and emitters stand. */
MUST_CHECK ent_status emission_update(Emission* emission, GpuFrame* frame, u32 steps);

/* After the steps of a frame: warns once it is known that something was refused. */
MUST_CHECK ent_status emission_report(Emission* emission, GpuFrame* frame);

MUST_CHECK ent_status emission_counts(const Emission* emission, EntEmissionCounts* counts);

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

/* Finds emitters and sinks of an entity, where they are now; they replace those from before. */
MUST_CHECK ent_status emission_find(EmissionFound* found, World* world, Entity target);
void                  emission_found_drop(EmissionFound* found);

static inline EntEmission emission_of(const EmissionFound* f) {
    return (EntEmission){f->emitter, f->sink, f->emitters, f->sinks};
}

#endif
