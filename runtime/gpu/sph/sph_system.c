/* sph_system.c - the system interface of fluids: simulates the fluid components of a world as
 * particles. */
#include <stdlib.h>

#include "emission_internal.h"
#include "fluid_step.h"
#include "gpu_system_internal.h"
#include "hash.h"
#include "rows.h"
#include "shapes_internal.h"
#include "sph_internal.h"
#include "water_internal.h"

/* The minimum of device memory per particle: a count that cannot fit is rejected before its
 * positions are computed. */
#define PARTICLE_BYTES_MIN 100u

#define WATER_ROUGHNESS 0.05f
#define FOAM_SPEED                                                                                 \
    0.3f /* of the speed of a fall through the fluid: from it on, particles begin to foam */

typedef struct Fluid {
    u32              group, number; /* which of those that meet */
    Entity           entity;
    EmissionFollower follower;
    bool             is_balls;
    WaterDraw        draw; /* also radius and look of balls */
} Fluid;

/* Fluids that meet. */
typedef struct FluidGroup {
    Sph*    sph;
    u32     count, substeps;
    f32     frame_s; /* duration of a frame */
    GpuPool pool;
} FluidGroup;

typedef struct Fluids {
    Shapes         shapes; /* first: SHAPES_PHASES */
    World*         world;
    const Library* library;
    GpuSeen        seen;  /* of it, when looks were set */
    EmissionFound  found; /* of one of them */
    Water          water;
    GpuExtent      extent;
    bool           moved, shown_moved; /* simulated since the last frame, the last picture */
    f32            gravity_m_s2;       /* the strongest */
    u32            count, group_count;
    FluidGroup*    group;   /* [group_count] */
    Fluid          fluid[]; /* [count] in the order of their groups */
} Fluids;

/* --- initial positions --- */

static ent_status count_check(const GpuInfo* info, f64 count, GpuProblem* problem) {
    const f64 max =
        (f64)MIN_OF(info->buffer_bytes / sizeof(Vec4), info->memory_bytes / PARTICLE_BYTES_MIN);
    if (count <= max) return ENT_OK;
    return gpu_problem(problem, ENT_LIMIT,
                       "a fluid of %.0f particles: \"%s\" has room for %.0f at most", count,
                       info->name, max);
}

/* How many cells of the spacing fit along an axis of the box; each has one particle. */
static f64 cells_along(const Mat34* pose, u32 axis, f32 half_extent_m, f32 spacing_m) {
    const f64 cells = 2.0 * vec3_length(mat34_column(pose, axis)) * half_extent_m / spacing_m;
    return MAX_OF(floor(cells + 1e-3), 1);
}

/* The pose of the box with axes scaled to the length of the spacing in the world. */
static Mat34 grid_of(const Mat34* pose, f32 spacing_m) {
    Vec3 step[3];
    for (u32 a = 0; a < 3; a++) {
        const Vec3 axis = mat34_column(pose, a);
        step[a] = vec3_scale(axis, spacing_m / MAX_OF(vec3_length(axis), 1e-20f));
    }
    return mat34_from_columns(step[0], step[1], step[2], mat34_column(pose, 3));
}

/* Where particles are at first. */
typedef struct Particles {
    Vec3* position; /* [count] from malloc */
    u32   count;
} Particles;

/* Fills the box around its centre. */
static ent_status box_fill(const GpuInfo* info, const FluidRecord* f, const Mat34* pose,
                           Particles* out, GpuProblem* problem) {
    const f64   n[3] = {cells_along(pose, 0, f->half_extent_m.x, f->spacing_m),
                        cells_along(pose, 1, f->half_extent_m.y, f->spacing_m),
                        cells_along(pose, 2, f->half_extent_m.z, f->spacing_m)};
    const Mat34 grid = grid_of(pose, f->spacing_m);
    u32         done = 0;
    TRY(count_check(info, n[0] * n[1] * n[2], problem));
    const u32 nx = (u32)n[0], ny = (u32)n[1], nz = (u32)n[2];
    Vec3*     at = malloc((size_t)nx * ny * nz * sizeof *at);
    if (!at) return ENT_NO_MEMORY;
    for (u32 z = 0; z < nz; z++) {
        for (u32 y = 0; y < ny; y++) {
            for (u32 x = 0; x < nx; x++) {
                const Vec3 cell = {(f32)x - (f32)(nx - 1) / 2, (f32)y - (f32)(ny - 1) / 2,
                                   (f32)z - (f32)(nz - 1) / 2};
                at[done++] = mat34_point(&grid, cell);
            }
        }
    }
    *out = (Particles){at, done};
    return ENT_OK;
}

/* A particle at each vertex of the mesh. */
static ent_status points_fill(const GpuInfo* info, const Blob* mesh, const Mat34* pose,
                              Particles* out, GpuProblem* problem) {
    const BlobSection* section = mesh ? ent_blob_section(mesh, SECTION_POSITION) : NULL;
    if (!section || section->count == 0)
        return gpu_problem(problem, ENT_NOT_FOUND, "the mesh of a fluid's points has no vertices");
    const Vec3* vertex = ent_blob_data(mesh, section);
    TRY(count_check(info, section->count, problem));
    Vec3* at = malloc((size_t)section->count * sizeof *at);
    if (!at) return ENT_NO_MEMORY;
    for (u32 i = 0; i < section->count; i++) at[i] = mat34_point(pose, vertex[i]);
    *out = (Particles){at, section->count};
    return ENT_OK;
}

/* --- creation --- */

static ent_status fluid_fill(const GpuInfo* info, const FluidRecord* f, const Mat34* pose,
                             const GpuScene* scene, Particles* out, GpuProblem* problem) {
    *out = (Particles){0};
    if (ent_fluid_starts_empty(f)) return ENT_OK;
    if ((f->points.lo | f->points.hi) == 0) return box_fill(info, f, pose, out, problem);
    const Blob* mesh = ent_library_find(scene->library, f->points);
    return points_fill(info, mesh, pose, out, problem);
}

static void extent_add(GpuExtent* extent, const Particles* p, f32 radius_m) {
    Bounds bounds = {extent->low, extent->high};
    for (u32 i = 0; i < p->count; i++) bounds_add(&bounds, p->position[i]);
    extent->low = bounds.low;
    extent->high = bounds.high;
    extent->count += p->count;
    extent->radius_m = MAX_OF(extent->radius_m, radius_m);
}

/* With what emitters add, at the places where it begins; `at`: of the fluid, which is in it when it is empty. */
static void extent_reach(GpuExtent* extent, const EmissionFound* found, Vec3 at, u32 more) {
    Bounds bounds = {extent->low, extent->high};
    if (more > 0) bounds_add(&bounds, at);
    for (u32 i = 0; i < found->emitters; i++)
        bounds_add(&bounds, mat34_column(&found->emitter[i].pose, 3));
    extent->low = bounds.low;
    extent->high = bounds.high;
    extent->count += more;
}

/* The speed after a fall from the top of the particles to their bottom. */
static f32 fall_speed(const FluidRecord* f, const Particles* p) {
    const f32 gravity = vec3_length(f->gravity_m_s2);
    f32       low = INFINITY, high = -INFINITY;
    for (u32 i = 0; i < p->count; i++) {
        const f32 along = vec3_dot(p->position[i], f->gravity_m_s2);
        low = MIN_OF(low, along);
        high = MAX_OF(high, along);
    }
    if (p->count == 0) low = high = 0;
    return gravity > 0 ? sqrtf(2 * (high - low + f->spacing_m * gravity)) : 1;
}

/* Of a surface without a material, the look is that of water. */
static void fluid_look_set(Fluid* fluid, const FluidRecord* f, const EntShapesLook* look) {
    fluid->draw.look = *look;
    if (!fluid->is_balls && resource_id(f->material) == 0)
        fluid->draw.look.roughness = WATER_ROUGHNESS;
}

/* How it is drawn. */
static void fluid_draw_set(Fluid* fluid, const FluidGroup* group, const FluidRecord* f,
                           const Particles* p, const EntShapesLook* look) {
    WaterDraw* const d = &fluid->draw;
    *d = (WaterDraw){.count = ent_sph_count(group->sph),
                     .kind = group->count > 1 ? fluid->number + 1 : 0,
                     .position = *sph_positions(group->sph),
                     .velocity = *sph_velocities(group->sph),
                     .spacing_m = f->spacing_m,
                     .radius_m = f->surface_radius_m > 0 ? f->surface_radius_m : f->spacing_m / 2,
                     .h_m = f->smoothing_radius_m,
                     .smoothing = f->smoothing,
                     .foaming = f->foam,
                     .fast_m_s = FOAM_SPEED * fall_speed(f, p),
                     .absorption_per_m = f->absorption_per_m,
                     .index = f->refraction_index};
    fluid->is_balls = f->draw == FLUID_BALLS;
    fluid_look_set(fluid, f, look);
}

static ent_status fluid_follow(Fluids* fluids, Fluid* fluid) {
    TRY(emission_follow(&fluids->found, fluids->world, fluid->entity, fluids->water.gpu,
                        &fluid->follower, "fluid"));
    const EntEmission emission = emission_of(&fluids->found);
    if (fluid->follower.emits)
        ent_sph_emission(fluids->group[fluid->group].sph, fluid->number, &emission);
    return ENT_OK;
}

/* --- groups --- */

static bool same(const void* a, const void* b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

static bool fluids_meet(const FluidRecord* a, const FluidRecord* b) {
    return same(&a->smoothing_radius_m, &b->smoothing_radius_m, sizeof(f32)) &&
           same(&a->step_s, &b->step_s, sizeof(f32)) && a->substeps == b->substeps &&
           same(&a->gravity_m_s2, &b->gravity_m_s2, sizeof(Vec3)) && a->model == b->model;
}

/* What is created from the fluids of a group. */
typedef struct GroupStart {
    FluidRecord record[ENT_SPH_FLUIDS_MAX];
    u32         row[ENT_SPH_FLUIDS_MAX];
    Particles   particles[ENT_SPH_FLUIDS_MAX];
    u32         counts[ENT_SPH_FLUIDS_MAX], capacities[ENT_SPH_FLUIDS_MAX];
    Vec3*       position; /* of all, from malloc */
    u32         count;    /* fluids */
    u64         all;      /* particles */
    bool        emits;
} GroupStart;

/* What a fluid can have at most; 0: nothing begins or ends. */
static ent_status capacity_find(Fluids* fluids, const FluidRecord* f, Entity entity, u32 count,
                                u32* capacity) {
    TRY(emission_find(&fluids->found, fluids->world, entity));
    const bool acted_on = fluids->found.emitters + fluids->found.sinks > 0;
    *capacity = acted_on || f->capacity > count ? MAX_OF(f->capacity, count) : 0;
    return ENT_OK;
}

static ent_status start_fill(Fluids* fluids, Gpu* gpu, const FluidRows* rows, const GpuScene* scene,
                             GroupStart* g, GpuProblem* problem) {
    for (u32 k = 0; k < g->count; k++) {
        const Mat34 pose = entity_pose(scene->world, rows->entity[g->row[k]]);
        TRY(fluid_fill(ent_gpu_info(gpu), &g->record[k], &pose, scene, &g->particles[k], problem));
        g->counts[k] = g->particles[k].count;
        TRY(capacity_find(fluids, &g->record[k], rows->entity[g->row[k]], g->counts[k],
                          &g->capacities[k]));
        g->emits |= g->capacities[k] > 0;
        g->all += MAX_OF(g->capacities[k], g->counts[k]);
    }
    return count_check(ent_gpu_info(gpu), (f64)g->all, problem);
}

/* One array of the particles of all. */
static ent_status start_join(GroupStart* g) {
    u64 count = 0, done = 0;
    for (u32 k = 0; k < g->count; k++) count += g->counts[k];
    g->position = malloc(MAX_OF(count, (u64)1) * sizeof *g->position);
    if (!g->position) return ENT_NO_MEMORY;
    for (u32 k = 0; k < g->count; k++) {
        if (g->counts[k])
            memcpy(g->position + done, g->particles[k].position,
                   g->counts[k] * sizeof *g->position);
        done += g->counts[k];
    }
    return ENT_OK;
}

static ent_status group_create(FluidGroup* group, Gpu* gpu, const GroupStart* g,
                               const GpuScene* scene, bool moves_bodies) {
    const SphDesc desc = {.fluid = g->record,
                          .fluid_count = g->count,
                          .count = g->counts[0],
                          .capacity = g->capacities[0],
                          .counts = g->counts,
                          .capacities = g->emits ? g->capacities : NULL,
                          .position = g->position,
                          .colliders = scene->colliders,
                          .moves_bodies = scene->colliders && moves_bodies};
    TRY(ent_sph_create(&group->sph, gpu, &desc));
    group->count = g->count;
    group->substeps = g->record[0].substeps;
    group->frame_s = (f32)group->substeps * g->record[0].step_s;
    return ENT_OK;
}

static ent_status fluid_add_to(Fluids* fluids, u32 group, u32 number, const GroupStart* g,
                               Entity entity, const GpuScene* scene) {
    const FluidRecord*  f = &g->record[number];
    Fluid*              fluid = &fluids->fluid[fluids->count++];
    const Particles*    p = &g->particles[number];
    const EntShapesLook look = shapes_look(&fluids->shapes, scene->library, f->material, f->color);
    *fluid =
        (Fluid){.group = group, .number = number, .entity = entity, .follower.emits = g->emits};
    fluid_draw_set(fluid, &fluids->group[group], f, p, &look);
    extent_add(&fluids->extent, p, fluid->draw.radius_m);
    TRY(emission_find(&fluids->found, fluids->world, entity));
    const Mat34 pose = entity_pose(scene->world, entity);
    extent_reach(&fluids->extent, &fluids->found, mat34_column(&pose, 3),
                 g->capacities[number] - MIN_OF(g->capacities[number], p->count));
    fluids->gravity_m_s2 = MAX_OF(fluids->gravity_m_s2, vec3_length(f->gravity_m_s2));
    return ENT_OK;
}

/* Foam is by the numbers of particles, which are those of all fluids of a group. */
static ent_status foam_create(Fluids* fluids, FluidGroup* group, Gpu* gpu, u32 first) {
    WaterDraw* with = NULL;
    for (u32 i = first; i < fluids->count; i++) {
        WaterDraw* const d = &fluids->fluid[i].draw;
        if (fluids->fluid[i].is_balls) continue;
        if (!with) {
            TRY(water_foam_create(d, &group->pool, gpu, d->count));
            sph_emission_clears(group->sph, &d->foam);
            with = d;
        } else {
            d->foam = with->foam;
            d->crowd = with->crowd;
        }
    }
    return ENT_OK;
}

static ent_status group_start(Fluids* fluids, Gpu* gpu, const FluidRows* rows,
                              const GpuScene* scene, GroupStart* g, GpuProblem* problem) {
    FluidGroup* const group = &fluids->group[fluids->group_count];
    const u32         first = fluids->count;
    TRY(start_fill(fluids, gpu, rows, scene, g, problem));
    TRY(start_join(g));
    TRY(group_create(group, gpu, g, scene, fluids->group_count == 0));
    fluids->group_count++;
    for (u32 k = 0; k < g->count; k++)
        TRY(fluid_add_to(fluids, fluids->group_count - 1, k, g, rows->entity[g->row[k]], scene));
    return foam_create(fluids, group, gpu, first);
}

/* The fluids that meet the first one that is in no group. Returns false when there is none. */
static bool group_find(const FluidRows* rows, bool* taken, GroupStart* g) {
    *g = (GroupStart){.count = 0};
    for (u32 i = 0; i < rows->count && g->count < ENT_SPH_FLUIDS_MAX; i++) {
        if (taken[i]) continue;
        if (g->count > 0 && !fluids_meet(&g->record[0], &rows->record[i])) continue;
        taken[i] = true;
        g->record[g->count] = rows->record[i];
        g->row[g->count++] = i;
    }
    return g->count > 0;
}

/* Of more than can meet, the others are in a group of their own. */
static void many_warn(const FluidRows* rows, const bool* taken, const GroupStart* g, Gpu* gpu) {
    u32 others = 0;
    for (u32 i = 0; i < rows->count && g->count == ENT_SPH_FLUIDS_MAX; i++)
        others += !taken[i] && fluids_meet(&g->record[0], &rows->record[i]);
    if (others == 0) return;
    gpu_log(gpu, LOG_WARNING,
            "%u fluids could meet: %u of them do, and pass through the %u others, because no more "
            "than %u can",
            g->count + others, g->count, others, ENT_SPH_FLUIDS_MAX);
}

static ent_status groups_create(Fluids* fluids, Gpu* gpu, const GpuScene* scene,
                                GpuProblem* problem) {
    const FluidRows rows = ent_fluid_rows(scene->world);
    bool*           taken = calloc(MAX_OF(rows.count, 1u), sizeof *taken);
    GroupStart*     g = calloc(1, sizeof *g);
    ent_status      status = taken && g ? ENT_OK : ENT_NO_MEMORY;
    while (status == ENT_OK && group_find(&rows, taken, g)) {
        many_warn(&rows, taken, g, gpu);
        status = group_start(fluids, gpu, &rows, scene, g, problem);
        for (u32 k = 0; k < g->count; k++) free(g->particles[k].position);
        free(g->position);
    }
    free(taken);
    free(g);
    return status;
}

static void fluids_destroy(void* state) {
    Fluids* fluids = state;
    shapes_destroy(&fluids->shapes);
    water_destroy(&fluids->water);
    for (u32 i = 0; i < fluids->group_count; i++) ent_sph_destroy(fluids->group[i].sph);
    for (u32 i = 0; fluids->group && i <= fluids->group_count; i++) /* of a failed one as well */
        gpu_pool_destroy(&fluids->group[i].pool);
    free(fluids->group);
    emission_found_drop(&fluids->found);
    free(fluids);
}

static ent_status fluids_create(void** state, Gpu* gpu, const GpuScene* scene,
                                GpuProblem* problem) {
    const FluidRows rows = ent_fluid_rows(scene->world);
    Fluids*         fluids = calloc(1, sizeof *fluids + rows.count * sizeof *fluids->fluid);
    const Bounds    empty = bounds_empty();
    *state = NULL;
    if (!fluids) return ENT_NO_MEMORY;
    fluids->group = calloc((size_t)rows.count + 1, sizeof *fluids->group);
    fluids->world = scene->world;
    fluids->library = scene->library;
    if (scene->library) fluids->seen = gpu_seen(scene->library);
    water_create(&fluids->water, gpu, scene->lighting);
    ent_status status = shapes_create(&fluids->shapes, gpu, scene->lighting);
    fluids->extent.low = empty.low;
    fluids->extent.high = empty.high;
    if (!fluids->group && status == ENT_OK) status = ENT_NO_MEMORY;
    if (status == ENT_OK) status = groups_create(fluids, gpu, scene, problem);
    u32 surfaces = 0;
    for (u32 i = 0; i < fluids->count; i++) surfaces += !fluids->fluid[i].is_balls;
    if (surfaces > WATER_FLUIDS_MAX)
        gpu_log(gpu, LOG_WARNING,
                "%u fluids are to be drawn as surfaces: the first %u are, the others as balls",
                surfaces, WATER_FLUIDS_MAX);
    if (status == ENT_OK)
        *state = fluids;
    else
        fluids_destroy(fluids);
    return status;
}

/* --- frames --- */

static const GpuExtent* fluids_extent(const void* state) {
    const Fluids* fluids = state;
    return &fluids->extent;
}

static ent_status fluids_simulate(void* state, GpuPicture* picture) {
    Fluids* fluids = state;
    fluids->moved = true;
    for (u32 i = 0; i < fluids->count; i++) TRY(fluid_follow(fluids, &fluids->fluid[i]));
    for (u32 i = 0; i < fluids->group_count; i++)
        TRY(ent_sph_record(fluids->group[i].sph, picture->frame, fluids->group[i].substeps));
    return ENT_OK;
}

static ent_status fluid_add(Fluids* fluids, const Fluid* fluid, const GpuPicture* picture) {
    const f32        fast = sqrtf(2 * fluids->gravity_m_s2 * picture->desc->fall_m);
    const WaterDraw* d = &fluid->draw;
    if (!fluid->is_balls && picture->desc->shows != ENT_CANVAS_SHOWS_SPEED &&
        fluids->water.draw_count < WATER_FLUIDS_MAX)
        return water_add(&fluids->water, d);
    return sph_draw(fluids->group[fluid->group].sph, d->kind, &fluids->shapes, d->radius_m,
                    fast > 0 ? fast : 1, &d->look);
}

/* The materials of the components as they are now. */
static void looks_set(Fluids* fluids) {
    const Manager*  manager = ent_world_built_in(fluids->world, COMPONENT_FLUID);
    const FluidRows rows = ent_fluid_rows(fluids->world);
    for (u32 i = 0; i < fluids->count; i++) {
        Fluid*    fluid = &fluids->fluid[i];
        const u32 row = ent_manager_row(manager, ent_world_entities(fluids->world), fluid->entity);
        if (row == MANAGER_NO_ROW) continue;
        const FluidRecord*  f = &rows.record[row];
        const EntShapesLook look =
            shapes_look(&fluids->shapes, fluids->library, f->material, f->color);
        fluid_look_set(fluid, f, &look);
    }
}

static ent_status fluids_place(void* state, GpuPicture* picture) {
    Fluids*    fluids = state;
    const bool moved = fluids->moved;
    if (shapes_looks_differ(&fluids->seen, fluids->library)) looks_set(fluids);
    for (u32 i = 0; i < fluids->count && moved; i++)
        TRY(water_foam_record(&fluids->water, picture->frame, &fluids->fluid[i].draw,
                              fluids->group[fluids->fluid[i].group].frame_s));
    fluids->moved = false;
    fluids->shown_moved |= moved;
    if (!picture->canvas) return ENT_OK;
    shapes_clear(&fluids->shapes);
    water_clear(&fluids->water);
    for (u32 i = 0; i < fluids->count; i++) TRY(fluid_add(fluids, &fluids->fluid[i], picture));
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
    for (u32 i = 0; i < fluids->group_count; i++) {
        uint64_t slowed;
        TRY(ent_sph_slowed(fluids->group[i].sph, &slowed));
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
