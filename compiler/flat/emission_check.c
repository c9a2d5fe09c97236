/* emission_check.c - see emission_check.h. */
#include "emission_check.h"

#include "diag.h"
#include "flat_places.h"
#include "fluid.h"
#include "fluid_start.h"
#include "particle_system.h"
#include "sink.h"

static void* records_of(Output* out, ComponentIndex type) {
    return output_column(out, &ent_component_types()[type], 0);
}

/* An emitter or sink of `owner` acts on this entity. */
static u32 target_of(EntityRef target, u32 owner) { return target == NONE ? owner : target; }

/* What an emitter or sink acts on. */
typedef struct Aim {
    u32         entity;
    const char* type;
    f64 count, capacity; /* at the start, which is negative if it is not known here; at most */
} Aim;

static bool target_find(const Compile* c, Output* out, u32 entity, Aim* t) {
    const u32 fluid = flat_row(out, COMPONENT_FLUID, entity);
    const u32 discs = flat_row(out, COMPONENT_PARTICLE_SYSTEM, entity);
    t->entity = entity;
    if (fluid != NONE) {
        t->type = "fluid";
        t->count = fluid_start_count(c, out, fluid);
        t->capacity = ((const FluidRecord*)records_of(out, COMPONENT_FLUID))[fluid].capacity;
    } else if (discs != NONE) {
        const ParticleSystemRecord* r = records_of(out, COMPONENT_PARTICLE_SYSTEM);
        t->type = "particle_system";
        t->count = r[discs].count;
        t->capacity = r[discs].capacity;
    }
    return fluid != NONE || discs != NONE;
}

static void target_warn(Compile* c, ComponentIndex type, u32 owner, u32 target) {
    const CompilePlace* place = flat_place(c, type, owner);
    if (!place) return;
    diag_warning(c->diag, W0710, place->source, place->offset, place->bytes,
                 "%s: the entity \"%s\" has neither a fluid nor a particle_system, so that nothing "
                 "%s; set `target` to an entity that has one",
                 ent_component_types()[type].record.name, flat_shown_name(c, target),
                 type == COMPONENT_EMITTER ? "is emitted" : "is removed");
}

/* --- emitters --- */

/* Particles that all emitters of an entity together have emitted, and that still exist. */
static f64 emitted_of(Output* out, u32 target, bool* ends) {
    const ComponentType* t = &ent_component_types()[COMPONENT_EMITTER];
    const u32*           owner = output_owners(out, t);
    const EmitterRecord* record = records_of(out, COMPONENT_EMITTER);
    f64                  sum = 0;
    *ends = true;
    for (u32 i = 0; i < output_count(out, t); i++) {
        const u32 its = target_of(record[i].target, owner[i]);
        if (its != target) continue;
        sum += (f64)record[i].rate_per_s * (f64)record[i].life_s;
        *ends &= record[i].life_s > 0 || record[i].rate_per_s <= 0;
    }
    return sum;
}

static void room_check(Compile* c, Output* out, u32 owner, const Aim* t) {
    const CompilePlace* place = flat_place(c, COMPONENT_EMITTER, owner);
    bool                ends;
    const f64           emitted = emitted_of(out, t->entity, &ends);
    const f64           room = t->capacity > t->count ? t->capacity - t->count : 0;
    if (!place || t->count < 0) return;
    if (emitted > room)
        diag_warning(c->diag, W0709, place->source, place->offset, place->bytes,
                     "emitter: the %s of the entity \"%s\" has room for %.0f particles beside the "
                     "%.0f at its start, but its emitters keep %.0f alive by rate_per_s and "
                     "life_s; set its capacity to %.0f or greater, or reduce rate_per_s",
                     t->type, flat_shown_name(c, t->entity), room, t->count, emitted,
                     t->count + emitted);
    else if (!ends && room <= 0)
        diag_warning(c->diag, W0709, place->source, place->offset, place->bytes,
                     "emitter: the %s of the entity \"%s\" has no room for particles beside the "
                     "%.0f at its start; set its capacity to a greater number",
                     t->type, flat_shown_name(c, t->entity), t->count);
}

static void emitters_finish(Compile* c, Output* out) {
    const ComponentType* t = &ent_component_types()[COMPONENT_EMITTER];
    const u32            count = output_count(out, t);
    const u32*           owner = output_owners(out, t);
    const EmitterRecord* record = records_of(out, COMPONENT_EMITTER);
    u32                  checked = NONE; /* several of an entity are reported once */
    if (count == 0 || !flat_is_complete(c, out)) return;
    for (u32 i = 0; i < count; i++) {
        const u32 entity = target_of(record[i].target, owner[i]);
        Aim       target;
        if (!target_find(c, out, entity, &target))
            target_warn(c, COMPONENT_EMITTER, owner[i], entity);
        else if (entity != checked)
            room_check(c, out, owner[i], &target);
        checked = entity;
    }
}

const CompileHooks emitter_compile_hooks = {.layer = flat_place_keep, .finish = emitters_finish};

/* --- sinks --- */

static void sinks_finish(Compile* c, Output* out) {
    const ComponentType* t = &ent_component_types()[COMPONENT_SINK];
    const u32            count = output_count(out, t);
    const u32*           owner = output_owners(out, t);
    const SinkRecord*    record = records_of(out, COMPONENT_SINK);
    if (count == 0 || !flat_is_complete(c, out)) return;
    for (u32 i = 0; i < count; i++) {
        const u32 entity = target_of(record[i].target, owner[i]);
        Aim       target;
        if (!target_find(c, out, entity, &target)) target_warn(c, COMPONENT_SINK, owner[i], entity);
    }
}

const CompileHooks sink_compile_hooks = {.layer = flat_place_keep, .finish = sinks_finish};
