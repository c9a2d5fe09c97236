/* sph_system.c - the system interface of fluids: simulates the fluid components of a world as
 * particles. */
#include <stdlib.h>

#include "hash.h"
#include "sph_fluids_internal.h"

/* --- creation --- */

static void fluids_destroy(void* state) {
    Fluids* fluids = state;
    shapes_destroy(&fluids->shapes);
    water_destroy(&fluids->water);
    fluid_list_destroy(&fluids->list);
    emission_found_drop(&fluids->found);
    free(fluids);
}

static void surfaces_warn(const Fluids* fluids) {
    u32 surfaces = 0;
    for (u32 i = 0; i < fluids->list.count; i++) surfaces += !fluids->list.fluid[i].is_balls;
    if (surfaces > WATER_FLUIDS_MAX)
        gpu_log(fluids->gpu, LOG_WARNING,
                "%u fluids are to be drawn as surfaces: the first %u are, the others as balls",
                surfaces, WATER_FLUIDS_MAX);
}

static ent_status fluids_create(void** state, Gpu* gpu, const GpuScene* scene,
                                GpuProblem* problem) {
    Fluids*   fluids = calloc(1, sizeof *fluids);
    FluidList list = {0};
    *state = NULL;
    if (!fluids) return ENT_NO_MEMORY;
    fluids->world = scene->world;
    fluids->library = scene->library;
    fluids->colliders = scene->colliders;
    fluids->gpu = gpu;
    if (scene->library) fluids->seen = gpu_seen(scene->library);
    water_create(&fluids->water, gpu, scene->lighting);
    ent_status status = shapes_create(&fluids->shapes, gpu, scene->lighting);
    if (status == ENT_OK) status = fluid_list_create(fluids, &list, problem);
    if (status != ENT_OK) {
        fluids_destroy(fluids);
        return status;
    }
    fluid_list_take(fluids, &list, NULL);
    surfaces_warn(fluids);
    *state = fluids;
    return ENT_OK;
}

/* --- the components of the world --- */

/* Is each component that of its fluid? Sets the looks of those, also while others are refused. */
static bool fluids_are_current(Fluids* fluids, const FluidRows* rows) {
    const bool looks = shapes_looks_differ(&fluids->seen, fluids->library);
    bool       current = rows->count == fluids->list.count;
    for (u32 i = 0; i < fluids->list.count; i++) {
        Fluid*             fluid = &fluids->list.fluid[i];
        const FluidRecord* f = &fluid->record;
        const bool same = fluid->row < rows->count && rows->entity[fluid->row] == fluid->entity &&
                          fluid_is_same(f, &rows->record[fluid->row]);
        if (same) f = &rows->record[fluid->row];
        if (looks || (same && memcmp(&fluid->record, f, sizeof *f) != 0))
            fluid_look_set(fluids, fluid, f);
        current &= same;
    }
    return current;
}

/* Fluids whose component has changed begin anew, with those that they meet; so do those that were added. The others
 * go on. When they cannot be created, the former ones do. */
static ent_status fluids_follow(Fluids* fluids, GpuFrame* frame) {
    const FluidRows rows = ent_fluid_rows(fluids->world);
    FluidList       list;
    GpuProblem      problem = {0};
    if (fluids_are_current(fluids, &rows)) return ENT_OK;
    u64 hash = hash_bytes(rows.entity, sizeof *rows.entity * rows.count, rows.count);
    hash = hash_bytes(rows.record, sizeof *rows.record * rows.count, hash);
    if (hash == fluids->refused) return ENT_OK;
    const ent_status status = fluid_list_create(fluids, &list, &problem);
    if (status == ENT_DEVICE_LOST) return status;
    if (status != ENT_OK) {
        fluids->refused = hash;
        gpu_log(fluids->gpu, LOG_WARNING,
                "the fluids cannot follow their components, and go on as they were%s%s",
                problem.text[0] ? ": " : "", problem.text);
        return ENT_OK;
    }
    fluid_list_take(fluids, &list, frame);
    surfaces_warn(fluids);
    fluids->refused = 0;
    fluids->moved = true;
    return ENT_OK;
}

static ent_status fluid_emission_follow(Fluids* fluids, Fluid* fluid) {
    TRY(emission_follow(&fluids->found, fluids->world, fluid->entity, fluids->gpu, &fluid->follower,
                        "fluid"));
    const EntEmission emission = emission_of(&fluids->found);
    if (fluid->follower.emits)
        ent_sph_emission(fluids->list.group[fluid->group].sph, fluid->number, &emission);
    return ENT_OK;
}

/* --- frames --- */

static const GpuExtent* fluids_extent(const void* state) {
    const Fluids* fluids = state;
    return &fluids->extent;
}

static ent_status fluids_simulate(void* state, GpuPicture* picture) {
    Fluids* fluids = state;
    TRY(fluids_follow(fluids, picture->frame));
    fluids->moved = true;
    for (u32 i = 0; i < fluids->list.count; i++)
        TRY(fluid_emission_follow(fluids, &fluids->list.fluid[i]));
    for (u32 i = 0; i < fluids->list.group_count; i++) {
        const FluidGroup* group = &fluids->list.group[i];
        TRY(ent_sph_record(group->sph, picture->frame, group->substeps));
    }
    return ENT_OK;
}

static ent_status fluid_add(Fluids* fluids, const Fluid* fluid, const GpuPicture* picture) {
    const f32        fast = sqrtf(2 * fluids->gravity_m_s2 * picture->desc->fall_m);
    const WaterDraw* d = &fluid->draw;
    if (!fluid->is_balls && picture->desc->shows != ENT_CANVAS_SHOWS_SPEED &&
        fluids->water.draw_count < WATER_FLUIDS_MAX)
        return water_add(&fluids->water, d);
    return sph_draw(fluids->list.group[fluid->group].sph, d->kind, &fluids->shapes, d->radius_m,
                    fast > 0 ? fast : 1, &d->look);
}

static ent_status fluids_place(void* state, GpuPicture* picture) {
    Fluids* fluids = state;
    TRY(fluids_follow(fluids, picture->frame));
    const bool moved = fluids->moved;
    for (u32 i = 0; i < fluids->list.count && moved; i++)
        TRY(water_foam_record(&fluids->water, picture->frame, &fluids->list.fluid[i].draw,
                              fluids->list.group[fluids->list.fluid[i].group].frame_s));
    fluids->moved = false;
    fluids->shown_moved |= moved;
    if (!picture->canvas) return ENT_OK;
    shapes_clear(&fluids->shapes);
    water_clear(&fluids->water);
    for (u32 i = 0; i < fluids->list.count; i++)
        TRY(fluid_add(fluids, &fluids->list.fluid[i], picture));
    shapes_follow(&fluids->shapes, fluids->shown_moved);
    water_follow(&fluids->water, fluids->shown_moved);
    fluids->shown_moved = false;
    return ENT_OK;
}

static ent_status fluids_cull(void* state, GpuPicture* picture) {
    Fluids* fluids = state;
    water_cull(&fluids->water, picture);
    return shapes_cull(&fluids->shapes, picture);
}

static ent_status fluids_casters(void* state, GpuPicture* picture) {
    Fluids* fluids = state;
    TRY(shapes_casters(&fluids->shapes, picture));
    return water_casters(&fluids->water, picture);
}

static ent_status fluids_slowed(void* state, uint64_t* count) {
    const Fluids* fluids = state;
    *count = 0;
    for (u32 i = 0; i < fluids->list.group_count; i++) {
        uint64_t slowed;
        TRY(ent_sph_slowed(fluids->list.group[i].sph, &slowed));
        *count += slowed;
    }
    return ENT_OK;
}

static ent_status fluids_water(void* state, GpuPicture* picture) {
    Fluids* fluids = state;
    return water_record(&fluids->water, picture);
}

const GpuSystem* ent_sph_system(void) {
    static const GpuSystem system = {.name = "fluid",
                                     .simulates = "simulate fluid",
                                     .component = "fluid",
                                     .create = fluids_create,
                                     .destroy = fluids_destroy,
                                     .extent = fluids_extent,
                                     .ids = shapes_ids,
                                     .slowed = fluids_slowed,
                                     .phase = {[ENT_GPU_SIMULATE] = fluids_simulate,
                                               [ENT_GPU_PLACE] = fluids_place,
                                               [ENT_GPU_CULL] = fluids_cull,
                                               [ENT_GPU_SURFACES] = shapes_surfaces,
                                               [ENT_GPU_CASTERS] = fluids_casters,
                                               [ENT_GPU_SHADOWS] = shapes_shadows,
                                               [ENT_GPU_SHADE] = shapes_shade,
                                               [ENT_GPU_WATER] = fluids_water}};
    return &system;
}
