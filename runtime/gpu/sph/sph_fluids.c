/* sph_fluids.c - the particles with which the fluids of a world begin, and which fluids meet. */
#include "sph_fluids_internal.h"

#include <stdlib.h>

#include "fluid_step.h"
#include "gpu_frame_internal.h"
#include "hash.h"

/* The minimum of device memory per particle: a count that cannot fit is rejected before its
 * positions are computed. */
#define PARTICLE_BYTES_MIN 100u

#define WATER_ROUGHNESS 0.05f
#define FOAM_SPEED                                                                                 \
    0.3f /* of the speed of a fall through the fluid: from it on, particles begin to foam */

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

static ent_status fluid_fill(const Fluids* fluids, const FluidRecord* f, const Mat34* pose,
                             Particles* out, GpuProblem* problem) {
    const GpuInfo* info = ent_gpu_info(fluids->gpu);
    *out = (Particles){0};
    if (ent_fluid_starts_empty(f)) return ENT_OK;
    if ((f->points.lo | f->points.hi) == 0) return box_fill(info, f, pose, out, problem);
    const Blob* mesh = ent_library_find(fluids->library, f->points);
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

/* What can be set at any time. Of a surface without a material, the look is that of water. */
void fluid_look_set(Fluids* fluids, Fluid* fluid, const FluidRecord* f) {
    WaterDraw* const d = &fluid->draw;
    fluid->record = *f;
    d->look = shapes_look(&fluids->shapes, fluids->library, f->material, f->color);
    if (!fluid->is_balls && resource_id(f->material) == 0) d->look.roughness = WATER_ROUGHNESS;
    d->radius_m = f->surface_radius_m > 0 ? f->surface_radius_m : f->spacing_m / 2;
    d->smoothing = f->smoothing;
    d->foaming = f->foam;
    d->absorption_per_m = f->absorption_per_m;
    d->index = f->refraction_index;
}

bool fluid_is_same(const FluidRecord* a, const FluidRecord* b) {
    FluidRecord other = *b;
    other.color = a->color;
    other.material = a->material;
    other.surface_radius_m = a->surface_radius_m;
    other.smoothing = a->smoothing;
    other.foam = a->foam;
    other.absorption_per_m = a->absorption_per_m;
    other.refraction_index = a->refraction_index;
    return memcmp(a, &other, sizeof other) == 0;
}

/* How it is drawn. */
static void fluid_draw_set(Fluids* fluids, Fluid* fluid, const FluidGroup* group,
                           const FluidRecord* f, const Particles* p) {
    fluid->draw = (WaterDraw){.count = ent_sph_count(group->sph),
                              .kind = group->count > 1 ? fluid->number + 1 : 0,
                              .position = *sph_positions(group->sph),
                              .velocity = *sph_velocities(group->sph),
                              .spacing_m = f->spacing_m,
                              .h_m = f->smoothing_radius_m,
                              .fast_m_s = FOAM_SPEED * fall_speed(f, p)};
    fluid->is_balls = f->draw == FLUID_BALLS;
    fluid_look_set(fluids, fluid, f);
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

static ent_status start_fill(Fluids* fluids, const FluidRows* rows, GroupStart* g,
                             GpuProblem* problem) {
    const GpuInfo* info = ent_gpu_info(fluids->gpu);
    for (u32 k = 0; k < g->count; k++) {
        const Mat34 pose = entity_pose(fluids->world, rows->entity[g->row[k]]);
        TRY(fluid_fill(fluids, &g->record[k], &pose, &g->particles[k], problem));
        g->counts[k] = g->particles[k].count;
        TRY(capacity_find(fluids, &g->record[k], rows->entity[g->row[k]], g->counts[k],
                          &g->capacities[k]));
        g->emits |= g->capacities[k] > 0;
        g->all += MAX_OF(g->capacities[k], g->counts[k]);
    }
    return count_check(info, (f64)g->all, problem);
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

static ent_status group_create(Fluids* fluids, FluidGroup* group, const GroupStart* g,
                               bool moves_bodies) {
    const SphDesc desc = {.fluid = g->record,
                          .fluid_count = g->count,
                          .count = g->counts[0],
                          .capacity = g->capacities[0],
                          .counts = g->counts,
                          .capacities = g->emits ? g->capacities : NULL,
                          .position = g->position,
                          .colliders = fluids->colliders,
                          .moves_bodies = fluids->colliders && moves_bodies};
    const Bounds  empty = bounds_empty();
    TRY(ent_sph_create(&group->sph, fluids->gpu, &desc));
    group->count = g->count;
    group->substeps = g->record[0].substeps;
    group->frame_s = (f32)group->substeps * g->record[0].step_s;
    group->extent.low = empty.low;
    group->extent.high = empty.high;
    return ENT_OK;
}

static ent_status fluid_add_to(Fluids* fluids, FluidList* list, u32 number, const GroupStart* g,
                               const FluidRows* rows) {
    FluidGroup* const  group = &list->group[list->group_count - 1];
    const FluidRecord* f = &g->record[number];
    const Particles*   p = &g->particles[number];
    const u32          row = g->row[number];
    Fluid*             fluid = &list->fluid[list->count++];
    *fluid = (Fluid){.group = list->group_count - 1,
                     .number = number,
                     .row = row,
                     .entity = rows->entity[row],
                     .follower.emits = g->emits};
    fluid_draw_set(fluids, fluid, group, f, p);
    extent_add(&group->extent, p, fluid->draw.radius_m);
    TRY(emission_find(&fluids->found, fluids->world, fluid->entity));
    const Mat34 pose = entity_pose(fluids->world, fluid->entity);
    extent_reach(&group->extent, &fluids->found, mat34_column(&pose, 3),
                 g->capacities[number] - MIN_OF(g->capacities[number], p->count));
    group->gravity_m_s2 = vec3_length(f->gravity_m_s2);
    return ENT_OK;
}

/* Foam is by the numbers of particles, which are those of all fluids of a group. */
static ent_status foam_create(Fluids* fluids, const FluidList* list, FluidGroup* group) {
    WaterDraw* with = NULL;
    for (u32 i = group->first; i < list->count; i++) {
        WaterDraw* const d = &list->fluid[i].draw;
        if (list->fluid[i].is_balls) continue;
        if (!with) {
            TRY(water_foam_create(d, &group->pool, fluids->gpu, d->count));
            sph_emission_clears(group->sph, &d->foam);
            with = d;
        } else {
            d->foam = with->foam;
            d->crowd = with->crowd;
        }
    }
    return ENT_OK;
}

static ent_status group_start(Fluids* fluids, FluidList* list, const FluidRows* rows, GroupStart* g,
                              bool moves_bodies, GpuProblem* problem) {
    FluidGroup* const group = &list->group[list->group_count];
    TRY(start_fill(fluids, rows, g, problem));
    TRY(start_join(g));
    group->first = list->count;
    list->group_count++; /* and is destroyed after a failure */
    TRY(group_create(fluids, group, g, moves_bodies));
    for (u32 k = 0; k < g->count; k++) TRY(fluid_add_to(fluids, list, k, g, rows));
    return foam_create(fluids, list, group);
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

/* --- lists --- */

/* Which of `g` the fluid is, with the same component; `used`: bits of those that others are. NONE: it is none. */
static u32 fluid_match(const Fluid* fluid, const FluidRows* rows, const GroupStart* g, u32 used) {
    for (u32 k = 0; k < g->count; k++) {
        if (!(used & 1u << k) && rows->entity[g->row[k]] == fluid->entity &&
            fluid_is_same(&fluid->record, &g->record[k]))
            return k;
    }
    return NONE;
}

/* Are the fluids of the group those of `g`, in any order? Rows move when others are removed. `of`: [group->count]
 * which of `g` each is. */
static bool group_match(const FluidList* list, const FluidGroup* group, const FluidRows* rows,
                        const GroupStart* g, u32* of) {
    u32 used = 0;
    _Static_assert(ENT_SPH_FLUIDS_MAX <= 32, "bits of `used`");
    if (group->count != g->count) return false;
    for (u32 j = 0; j < group->count; j++) {
        of[j] = fluid_match(&list->fluid[group->first + j], rows, g, used);
        if (of[j] == NONE) return false;
        used |= 1u << of[j];
    }
    return true;
}

/* The group of the list before whose fluids are these, with the same components; or NULL. */
static FluidGroup* group_kept(const Fluids* fluids, const FluidRows* rows, const GroupStart* g,
                              u32 of[ENT_SPH_FLUIDS_MAX]) {
    const FluidList* before = &fluids->list;
    for (u32 i = 0; i < before->group_count; i++) {
        if (group_match(before, &before->group[i], rows, g, of)) return &before->group[i];
    }
    return NULL;
}

static void group_copy(Fluids* fluids, FluidList* list, FluidGroup* kept, const GroupStart* g,
                       const u32* of) {
    FluidGroup* group = &list->group[list->group_count++];
    kept->is_kept = true;
    *group = *kept;
    group->first = list->count;
    for (u32 j = 0; j < g->count; j++) {
        Fluid* fluid = &list->fluid[list->count++];
        *fluid = fluids->list.fluid[kept->first + j];
        fluid->group = list->group_count - 1;
        fluid->row = g->row[of[j]];
        fluid_look_set(fluids, fluid, &g->record[of[j]]);
    }
}

/* One group moves bodies: the one that did, or if it is not kept, the first that begins. */
static Sph* mover_of(const FluidList* list) {
    for (u32 i = 0; i < list->group_count; i++) {
        Sph* sph = list->group[i].sph;
        if (sph && sph->desc.moves_bodies) return sph;
    }
    return NULL;
}

static void start_drop(GroupStart* g) {
    for (u32 k = 0; k < g->count; k++) free(g->particles[k].position);
    free(g->position);
}

/* In two passes: groups that are kept, so that it is known whether one of them moves bodies; then the others. */
static ent_status groups_make(Fluids* fluids, FluidList* list, GroupStart* g, bool* taken,
                              GpuProblem* problem) {
    const FluidRows rows = ent_fluid_rows(fluids->world);
    ent_status      status = ENT_OK;
    u32             of[ENT_SPH_FLUIDS_MAX];
    while (group_find(&rows, taken, g)) {
        FluidGroup* kept = group_kept(fluids, &rows, g, of);
        if (kept) group_copy(fluids, list, kept, g, of);
    }
    if (!mover_of(list) && fluids->mover) sph_bodies_move(fluids->mover, false);
    memset(taken, 0, sizeof *taken * rows.count);
    while (status == ENT_OK && group_find(&rows, taken, g)) {
        if (group_kept(fluids, &rows, g, of)) continue;
        many_warn(&rows, taken, g, fluids->gpu);
        status = group_start(fluids, list, &rows, g, !mover_of(list), problem);
        start_drop(g);
    }
    return status;
}

static ent_status list_open(FluidList* list, u32 rows) {
    list->group = calloc((size_t)rows + 1, sizeof *list->group);
    list->fluid = calloc((size_t)rows + 1, sizeof *list->fluid);
    return list->group && list->fluid ? ENT_OK : ENT_NO_MEMORY;
}

void fluid_list_destroy(FluidList* list) {
    for (u32 i = 0; i < list->group_count; i++) {
        if (list->group[i].is_kept) continue;
        ent_sph_destroy(list->group[i].sph);
        gpu_pool_destroy(&list->group[i].pool);
    }
    free(list->group);
    free(list->fluid);
    *list = (FluidList){0};
}

ent_status fluid_list_create(Fluids* fluids, FluidList* list, GpuProblem* problem) {
    const u32   rows = ent_fluid_rows(fluids->world).count;
    bool*       taken = calloc((size_t)rows + 1, sizeof *taken);
    GroupStart* g = calloc(1, sizeof *g);
    *list = (FluidList){0};
    fluids->mover = mover_of(&fluids->list);
    ent_status status = taken && g ? list_open(list, rows) : ENT_NO_MEMORY;
    if (status == ENT_OK) status = groups_make(fluids, list, g, taken, problem);
    if (status != ENT_OK) {
        fluid_list_destroy(list);
        for (u32 i = 0; i < fluids->list.group_count; i++) fluids->list.group[i].is_kept = false;
        if (fluids->mover) sph_bodies_move(fluids->mover, true);
    }
    free(taken);
    free(g);
    return status;
}

/* Of all groups, at their starts. */
static void extent_sum(Fluids* fluids) {
    Bounds bounds = bounds_empty();
    fluids->extent = (GpuExtent){0};
    fluids->gravity_m_s2 = 0;
    for (u32 i = 0; i < fluids->list.group_count; i++) {
        const FluidGroup* group = &fluids->list.group[i];
        if (group->extent.low.x <= group->extent.high.x) {
            bounds_add(&bounds, group->extent.low);
            bounds_add(&bounds, group->extent.high);
        }
        fluids->extent.count += group->extent.count;
        fluids->extent.radius_m = MAX_OF(fluids->extent.radius_m, group->extent.radius_m);
        fluids->gravity_m_s2 = MAX_OF(fluids->gravity_m_s2, group->gravity_m_s2);
    }
    fluids->extent.low = bounds.low;
    fluids->extent.high = bounds.high;
}

void fluid_list_take(Fluids* fluids, FluidList* list, GpuFrame* frame) {
    FluidList* former = &fluids->list;
    for (u32 i = 0; i < former->group_count; i++) {
        FluidGroup* group = &former->group[i];
        if (group->is_kept) continue;
        sph_bodies_move(group->sph, false);
        gpu_frame_retire_object(frame, group->sph, sph_drop);
        gpu_frame_retire_pool(frame, &group->pool);
    }
    free(former->group);
    free(former->fluid);
    fluids->list = *list;
    for (u32 i = 0; i < list->group_count; i++) list->group[i].is_kept = false;
    extent_sum(fluids);
}
