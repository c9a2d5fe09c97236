/* simulation.c - the table of systems on the GPU, and a level that runs them. */
#include "simulation.h"

#include "lighting.h"
#include "meshes.h"
#include "particles.h"
#include "shapes.h"
#include "sph.h"

/* A new system is added here; first colliders and lighting, with whose states the others are created. */
static const GpuSystem* (*const systems[])(void) = {
    ent_colliders_system, ent_lighting_system, ent_sph_system,
    ent_particles_system, ent_meshes_system,   ent_planes_system,
};

const GpuSystem* simulation_system(u32 index) {
    return index < COUNT_OF(systems) ? systems[index]() : NULL;
}

static bool has_rows(World* world, const GpuSystem* system) {
    const Manager* rows =
        system->component ? ent_world_manager_by_name(world, system->component) : NULL;
    return rows && rows->count > 0;
}

/* Systems without a component are created with the first other one. */
static bool is_needed(World* world, const GpuSystem* system) {
    bool any = has_rows(world, system);
    for (u32 i = 0; i < COUNT_OF(systems) && !system->component; i++)
        any |= has_rows(world, systems[i]());
    return any;
}

static ent_status part_create(Simulation* s, const GpuSystem* system, Gpu* gpu, GpuScene* scene) {
    GpuPart* part = &s->part[s->parts.count];
    if (!is_needed(scene->world, system)) return ENT_OK;
    TRY(system->create(&part->state, gpu, scene, &s->problem));
    part->system = system;
    s->parts.count++;
    if (system == ent_lighting_system()) scene->lighting = part->state;
    if (system == ent_colliders_system()) scene->colliders = part->state;
    if (!system->extent) return ENT_OK;
    const GpuExtent* extent = system->extent(part->state);
    s->extent[s->extent_count++] = extent;
    bounds_add(&s->bounds, extent->low);
    bounds_add(&s->bounds, extent->high);
    return ENT_OK;
}

static void planes_find(Simulation* s) {
    f32 radius_m = 0;
    for (u32 i = 0; i < s->extent_count; i++) radius_m = MAX_OF(radius_m, s->extent[i]->radius_m);
    s->drawn_count = ent_collider_planes(s->world, s->drawn, GPU_PLANES_MAX);
    for (u32 i = 0; i < s->drawn_count; i++) s->drawn[i].w -= radius_m;
}

/* What clips move, and then what follows the joints of characters. */
static ent_status poses_set(Simulation* s) {
    TRY(ent_animators_pose(s->animators));
    return ent_skins_attach(s->skins);
}

ent_status simulation_create(Simulation* s, Gpu* gpu, World* world, const Library* library) {
    GpuScene scene = {.world = world, .library = library};
    _Static_assert(COUNT_OF(systems) <= SIMULATION_PARTS_MAX, "the parts of a level");
    *s = (Simulation){.world = world, .bounds = bounds_empty()};
    s->parts.at = s->part;
    TRY(ent_animators_create(&s->animators, world, library));
    TRY(ent_skins_create(&s->skins, world, library));
    TRY(poses_set(s));
    for (u32 i = 0; i < COUNT_OF(systems); i++) TRY(part_create(s, systems[i](), gpu, &scene));
    planes_find(s);
    return ENT_OK;
}

static bool has_part(const Simulation* s, const GpuSystem* system) {
    bool found = false;
    for (u32 i = 0; i < s->parts.count; i++) found |= s->part[i].system == system;
    return found;
}

ent_status simulation_follow(Simulation* s, Gpu* gpu, const Library* library) {
    World* const world = s->world;
    bool         renewed = !s->skins; /* after a failure */
    for (u32 i = 0; i < COUNT_OF(systems); i++)
        renewed |= is_needed(world, systems[i]()) && !has_part(s, systems[i]());
    if (renewed) {
        simulation_destroy(s);
        return simulation_create(s, gpu, world, library);
    }
    TRY(poses_set(s));
    s->bounds = bounds_empty();
    for (u32 i = 0; i < s->extent_count; i++) {
        bounds_add(&s->bounds, s->extent[i]->low);
        bounds_add(&s->bounds, s->extent[i]->high);
    }
    planes_find(s);
    return ENT_OK;
}

static void* lighting_of(const Simulation* s) {
    void* lighting = NULL;
    for (u32 i = 0; i < s->parts.count; i++)
        if (s->part[i].system == ent_lighting_system()) lighting = s->part[i].state;
    return lighting;
}

void simulation_shadows(const Simulation* s, const EntLightingShadows* shadows) {
    void* const lighting = lighting_of(s);
    if (lighting) ent_lighting_shadows(lighting, shadows);
}

LightCounts simulation_lights(const Simulation* s) {
    void* const lighting = lighting_of(s);
    LightCounts lights = {0};
    if (lighting) lights.at = ent_lighting_shadow_counts(lighting, &lights.count);
    return lights;
}

void simulation_destroy(Simulation* s) {
    for (u32 i = s->parts.count; i-- > 0;) s->part[i].system->destroy(s->part[i].state);
    ent_skins_destroy(s->skins);
    ent_animators_destroy(s->animators);
    *s = (Simulation){0};
}

ent_status simulation_advance(Simulation* s) {
    TRY(ent_animators_advance(s->animators, SIMULATION_FRAME_S));
    TRY(ent_skins_advance(s->skins, SIMULATION_FRAME_S));
    TRY(poses_set(s));
    planes_find(s);
    return ENT_OK;
}

u64 simulation_count(const Simulation* s) {
    u64 count = 0;
    for (u32 i = 0; i < s->parts.count; i++) {
        const GpuPart* part = &s->part[i];
        if (part->system->phase[ENT_GPU_SIMULATE] && part->system->extent)
            count += part->system->extent(part->state)->count;
    }
    return count;
}

ent_status simulation_slowed(const Simulation* s, u64* count) {
    *count = 0;
    for (u32 i = 0; i < s->parts.count; i++) {
        uint64_t slowed = 0;
        if (s->part[i].system->slowed) TRY(s->part[i].system->slowed(s->part[i].state, &slowed));
        *count += slowed;
    }
    return ENT_OK;
}

bool simulation_draws_surfaces(const Simulation* s) {
    for (u32 i = 0; i < s->parts.count; i++) {
        const GpuSystem* system = s->part[i].system;
        if (system->ids && system->is_captured) return true;
    }
    return false;
}
