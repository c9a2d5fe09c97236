/* simulation.c - the table of systems on the GPU, and a level that runs them. */
#include "simulation.h"

#include <stdlib.h>

#include "meshes.h"
#include "particles.h"
#include "sph.h"

/* A new system is added here. */
static const GpuSystem* (*const systems[])(void) = {
    ent_sph_system,
    ent_particles_system,
    ent_meshes_system,
};

const GpuSystem* simulation_system(u32 index) {
    return index < COUNT_OF(systems) ? systems[index]() : NULL;
}

static ent_status part_create(Simulation* s, const GpuSystem* system, Gpu* gpu,
                              const GpuScene* scene) {
    const Manager*  rows = ent_world_manager_by_name(scene->world, system->component);
    SimulationPart* part = &s->part[s->part_count];
    if (!rows || rows->count == 0) return ENT_OK;
    TRY(system->create(&part->state, gpu, scene, &s->problem));
    part->system = system;
    part->extent = system->extent(part->state);
    bounds_add(&s->bounds, part->extent->low);
    bounds_add(&s->bounds, part->extent->high);
    s->part_count++;
    return ENT_OK;
}

static void planes_move_back(Simulation* s) {
    f32 radius_m = 0;
    for (u32 i = 0; i < s->part_count; i++)
        radius_m = MAX_OF(radius_m, s->part[i].extent->radius_m);
    for (u32 i = 0; i < s->planes.count; i++) {
        s->drawn[i] = s->planes.plane[i];
        s->drawn[i].w -= radius_m;
    }
}

ent_status simulation_create(Simulation* s, Gpu* gpu, World* world, const Library* library) {
    const GpuScene scene = {.world = world, .library = library, .planes = &s->planes};
    *s = (Simulation){.bounds = bounds_empty()};
    TRY(ent_gpu_planes(&s->planes, world, &s->problem));
    TRY(ent_skins_create(&s->skins, world, library));
    TRY(ent_skins_attach(s->skins));
    s->part = calloc(COUNT_OF(systems), sizeof *s->part);
    if (!s->part) return ENT_NO_MEMORY;
    for (u32 i = 0; i < COUNT_OF(systems); i++) TRY(part_create(s, systems[i](), gpu, &scene));
    planes_move_back(s);
    return ENT_OK;
}

void simulation_destroy(Simulation* s) {
    for (u32 i = 0; i < s->part_count; i++) s->part[i].system->destroy(s->part[i].state);
    free(s->part);
    ent_skins_destroy(s->skins);
    *s = (Simulation){0};
}

ent_status simulation_record(Simulation* s, GpuFrame* frame) {
    TRY(ent_skins_advance(s->skins, SIMULATION_FRAME_S));
    TRY(ent_skins_attach(s->skins));
    for (u32 i = 0; i < s->part_count; i++) {
        ent_gpu_frame_group(frame, s->part[i].system->name);
        TRY(s->part[i].system->record(s->part[i].state, frame));
    }
    return ENT_OK;
}

u64 simulation_count(const Simulation* s) {
    u64 count = 0;
    for (u32 i = 0; i < s->part_count; i++) {
        if (!s->part[i].extent->draws_surfaces) count += s->part[i].extent->count;
    }
    return count;
}

bool simulation_draws_surfaces(const Simulation* s) {
    for (u32 i = 0; i < s->part_count; i++) {
        if (s->part[i].extent->draws_surfaces) return true;
    }
    return false;
}

ent_status simulation_draw(Simulation* s, Canvas* canvas, f32 height_m) {
    for (u32 i = 0; i < s->part_count; i++)
        TRY(s->part[i].system->draw(s->part[i].state, canvas, height_m));
    return ENT_OK;
}
