/* fluid_start.c - see fluid_start.h. Particles are where the runtime puts them; of large fluids, some of them are looked at. */
#include "fluid_start.h"

#include <math.h>

#include "collider_shape.h"
#include "diag.h"
#include "flat_places.h"
#include "fluid_step.h"
#include "vec.h"

#define SIDE_MAX   16u  /* particles that are looked at, along each axis */
#define FLUIDS_MAX 64u  /* more are not compared, */
#define SHAPES_MAX 4096 /* and neither are more colliders */

/* --- fluids --- */

typedef struct Start {
    u32                entity;
    const FluidRecord* fluid;
    ColliderMotion     box;     /* around its particles */
    Vec3               first;   /* of the particles that are looked at */
    Vec3               step[3]; /* between them */
    u32                count[3];
    f64                all; /* particles */
} Start;

/* Returns false for what is not a box, has no place, or is empty. */
static bool start_find(const Compile* c, Output* out, u32 row, Start* s) {
    const ComponentType* t = &ent_component_types()[COMPONENT_FLUID];
    Mat34                pose;
    s->entity = output_owners(out, t)[row];
    s->fluid = (const FluidRecord*)output_column(out, t, 0) + row;
    if (s->fluid->points.lo | s->fluid->points.hi) return false;
    if (ent_fluid_starts_empty(s->fluid)) return false;
    if (!flat_pose(c, out, s->entity, &pose)) return false;
    const f32            half[3] = {s->fluid->half_extent_m.x, s->fluid->half_extent_m.y,
                                    s->fluid->half_extent_m.z};
    const ColliderRecord box = {.kind = COLLIDER_BOX, .half_extent_m = s->fluid->half_extent_m};
    if (!ent_collider_of(&s->box, &box, &pose)) return false;
    s->first = mat34_column(&pose, 3);
    s->all = 1;
    for (u32 a = 0; a < 3; a++) {
        const Vec3 axis = mat34_column(&pose, a);
        const f32  spacing = s->fluid->spacing_m, length = vec3_length(axis);
        const f32  cells = MAX_OF(floorf(2 * length * half[a] / spacing + 1e-3f), 1);
        s->all *= (f64)cells;
        s->count[a] = cells < SIDE_MAX ? (u32)cells : SIDE_MAX;
        const f32 apart = s->count[a] > 1 ? (cells - 1) * spacing / (f32)(s->count[a] - 1) : 0;
        s->step[a] = vec3_scale(axis, apart / length);
        s->first = vec3_add_scaled(s->first, s->step[a], -(f32)(s->count[a] - 1) / 2);
    }
    return true;
}

f64 fluid_start_count(const Compile* c, Output* out, u32 row) {
    const FluidRecord* f =
        (const FluidRecord*)output_column(out, &ent_component_types()[COMPONENT_FLUID], 0) + row;
    Start s;
    if (ent_fluid_starts_empty(f)) return 0;
    return start_find(c, out, row, &s) ? s.all : -1;
}

/* The share of the particles that are deeper in a shape than a quarter of their distance. */
static f64 share_inside(const Start* s, const ColliderMotion* shape) {
    const f32 depth = s->fluid->spacing_m / 4;
    u32       inside = 0;
    if (ent_collider_distance(shape, s->box.at) > s->box.reach_m) return 0;
    for (u32 z = 0; z < s->count[2]; z++)
        for (u32 y = 0; y < s->count[1]; y++)
            for (u32 x = 0; x < s->count[0]; x++) {
                Vec3 at = vec3_add_scaled(s->first, s->step[0], (f32)x);
                at = vec3_add_scaled(at, s->step[1], (f32)y);
                at = vec3_add_scaled(at, s->step[2], (f32)z);
                inside += ent_collider_distance(shape, at) < -depth;
            }
    return (f64)inside / ((f64)s->count[0] * s->count[1] * s->count[2]);
}

/* --- warnings --- */

static void warn(Compile* c, u32 entity, DiagCode code, const char* text, u32 other, f64 share) {
    const CompilePlace* place = flat_place(c, COMPONENT_FLUID, entity);
    diag_warning(c->diag, code, place->source, place->offset, place->bytes, text,
                 MAX_OF(share * 100, 1), flat_shown_name(c, other));
}

/* Of several colliders, that with most of the particles is reported. */
static void colliders_compare(Compile* c, Output* out, const Start* s) {
    const ComponentType*  t = &ent_component_types()[COMPONENT_COLLIDER];
    const u32             count = output_count(out, t);
    const u32*            owner = output_owners(out, t);
    const ColliderRecord* record = output_column(out, t, 0);
    u32                   which = 0;
    f64                   largest = 0;
    for (u32 i = 0; i < count && i < SHAPES_MAX; i++) {
        ColliderMotion shape;
        Mat34          pose;
        if (!flat_pose(c, out, owner[i], &pose)) continue;
        if (!ent_collider_of(&shape, &record[i], &pose)) continue;
        const f64 share = share_inside(s, &shape);
        if (share > largest) largest = share, which = owner[i];
    }
    if (largest > 0)
        warn(c, s->entity, W0707,
             "fluid: %.0f %% of its particles start inside the collider of the entity \"%s\", and "
             "are "
             "pushed out at once; move one of them, or make half_extent_m smaller",
             which, largest);
}

static void fluids_compare(Compile* c, Output* out, const Start* s, u32 before) {
    u32 which = 0;
    f64 largest = 0;
    for (u32 k = 0; k < before; k++) {
        Start other;
        if (!start_find(c, out, k, &other)) continue;
        const f64 share = MAX_OF(share_inside(s, &other.box), share_inside(&other, &s->box));
        if (share > largest) largest = share, which = other.entity;
    }
    if (largest > 0)
        warn(c, s->entity, W0708,
             "fluid: at the start, %.0f %% of the particles of it, or of the fluid of the entity "
             "\"%s\", "
             "are inside the other one; move one of them, or make half_extent_m smaller",
             which, largest);
}

/* The first field in which two fluids differ that do not meet; NULL: they meet. */
static const char* difference_find(const FluidRecord* a, const FluidRecord* b) {
    if (memcmp(&a->smoothing_radius_m, &b->smoothing_radius_m, sizeof a->smoothing_radius_m) != 0)
        return "smoothing_radius_m";
    if (memcmp(&a->step_s, &b->step_s, sizeof a->step_s) != 0) return "step_s";
    if (a->substeps != b->substeps) return "substeps";
    if (memcmp(&a->gravity_m_s2, &b->gravity_m_s2, sizeof a->gravity_m_s2) != 0)
        return "gravity_m_s2";
    return a->model != b->model ? "model" : NULL;
}

/* Of several that it does not meet, the first one is named. */
static void meeting_check(Compile* c, Output* out, u32 row) {
    const ComponentType* t = &ent_component_types()[COMPONENT_FLUID];
    const FluidRecord*   record = output_column(out, t, 0);
    const u32*           owner = output_owners(out, t);
    const CompilePlace*  place = flat_place(c, COMPONENT_FLUID, owner[row]);
    for (u32 k = 0; k < row && place; k++) {
        const char* field = difference_find(&record[k], &record[row]);
        if (!field) continue;
        diag_warning(
            c->diag, W0711, place->source, place->offset, place->bytes,
            "fluid: it passes through the fluid of the entity \"%s\", because %s "
            "differs; fluids meet whose smoothing_radius_m, step_s, substeps, gravity_m_s2 "
            "and model are the same",
            flat_shown_name(c, owner[k]), field);
        return;
    }
}

static void fluids_finish(Compile* c, Output* out) {
    const ComponentType* t = &ent_component_types()[COMPONENT_FLUID];
    const u32            count = output_count(out, t);
    if (count == 0 || !flat_is_complete(c, out)) return;
    for (u32 i = 0; i < count && i < FLUIDS_MAX; i++) {
        Start s;
        meeting_check(c, out, i);
        if (!start_find(c, out, i, &s) || !flat_place(c, COMPONENT_FLUID, s.entity)) continue;
        colliders_compare(c, out, &s);
        fluids_compare(c, out, &s, i);
    }
}

const CompileHooks fluid_compile_hooks = {.layer = flat_place_keep, .finish = fluids_finish};
