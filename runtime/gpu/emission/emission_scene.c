/* emission_scene.c - the emitters and sinks of a world. */
#include "emission_internal.h"

#include <stdlib.h>

#include "gpu_system_internal.h"
#include "rows.h"

/* Makes room for one more element. */
static ent_status room_reserve(void** at, u32* room, u32 count, size_t bytes) {
    if (count < *room) return ENT_OK;
    const u32 more = MAX_OF(*room * 2, 8u);
    void*     grown = realloc(*at, more * bytes);
    if (!grown) return ENT_NO_MEMORY;
    *at = grown;
    *room = more;
    return ENT_OK;
}

static bool acts_on(Entity target, Entity entity, Entity wanted) {
    return (target == ENT_ENTITY_NULL ? entity : target) == wanted;
}

ent_status emission_find(EmissionFound* f, World* world, Entity target) {
    const EmitterRows emitters = ent_emitter_rows(world);
    const SinkRows    sinks = ent_sink_rows(world);
    f->emitters = f->sinks = 0;
    for (u32 i = 0; i < emitters.count; i++) {
        if (!acts_on(emitters.record[i].target, emitters.entity[i], target)) continue;
        void* at = f->emitter;
        TRY(room_reserve(&at, &f->emitter_room, f->emitters, sizeof *f->emitter));
        f->emitter = at;
        f->emitter[f->emitters++] =
            (EntEmitterAt){emitters.record[i], entity_pose(world, emitters.entity[i])};
    }
    for (u32 i = 0; i < sinks.count; i++) {
        if (!acts_on(sinks.record[i].target, sinks.entity[i], target)) continue;
        void* at = f->sink;
        TRY(room_reserve(&at, &f->sink_room, f->sinks, sizeof *f->sink));
        f->sink = at;
        f->sink[f->sinks++] = (EntSinkAt){sinks.record[i], entity_pose(world, sinks.entity[i])};
    }
    return ENT_OK;
}

ent_status emission_follow(EmissionFound* f, World* world, Entity target, Gpu* gpu,
                           EmissionFollower* follower, const char* what) {
    TRY(emission_find(f, world, target));
    if (follower->emits || follower->warned || f->emitters + f->sinks == 0) return ENT_OK;
    follower->warned = true;
    gpu_log(gpu, LOG_WARNING,
            "emitters and sinks that were added to a %s without a capacity have no effect until it "
            "is created again",
            what);
    return ENT_OK;
}

void emission_found_drop(EmissionFound* f) {
    free(f->emitter);
    free(f->sink);
    *f = (EmissionFound){0};
}
