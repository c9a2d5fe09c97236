/* simulation.c - from rows of components to systems on the GPU. */
#include "simulation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define PASSES_MAX 32
#define FRAME_S    0.016f /* of particles: a fluid says itself how long its steps are */

/* What a particle costs on the device, at least: so many are not made for nothing. */
#define FLUID_BYTES_LEAST 100u

static ent_status refuse(Simulation* s, ent_status status, const char* text, ...) PRINTF_LIKE(3, 4);
static ent_status refuse(Simulation* s, ent_status status, const char* text, ...) {
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(s->problem, sizeof s->problem, text, arguments);
    va_end(arguments);
    return status;
}

/* --- where entities are --- */

static Mat34 pose_of(const World* world, Entity entity) {
    const Mat34* m = ent_transform_world(world, entity);
    return m ? *m : mat34_identity;
}

/* --- planes --- */

/* A normal is turned by the cofactors of the matrix: it stays at right angles to its plane after any
 * scale, and it keeps its side unless the matrix mirrors. */
static Vec3 normal_turned(const Mat34* m, Vec3 n) {
    const Vec3  x = mat34_column(m, 0), y = mat34_column(m, 1), z = mat34_column(m, 2);
    const Vec3  yz = vec3_cross(y, z);
    const Mat34 cofactors =
        mat34_from_columns(yz, vec3_cross(z, x), vec3_cross(x, y), (Vec3){0, 0, 0});
    return vec3_scale(mat34_direction(&cofactors, n), vec3_dot(x, yz) < 0 ? -1.0f : 1.0f);
}

static Vec4 plane_of(const Mat34* pose, const ColliderPlaneRecord* record) {
    const Vec3 own = record->normal;
    const Vec3 at = mat34_point(pose, vec3_scale(own, record->offset_m / vec3_length(own)));
    const Vec3 n = normal_turned(pose, own);
    const f32  scale = 1 / vec3_length(n);
    return (Vec4){n.x * scale, n.y * scale, n.z * scale, vec3_dot(n, at) * scale};
}

static ent_status planes_gather(Simulation* s, World* world) {
    const ColliderPlaneRows rows = ent_collider_plane_rows(world);
    if (rows.count > COUNT_OF(s->plane))
        return refuse(s, ENT_LIMIT, "the level has %u collider planes; %zu would fit", rows.count,
                      COUNT_OF(s->plane));
    for (u32 i = 0; i < rows.count; i++) {
        const Mat34 pose = pose_of(world, rows.entity[i]);
        const Vec4  plane = plane_of(&pose, &rows.record[i]);
        if (!isfinite(plane.x + plane.y + plane.z + plane.w))
            return refuse(s, ENT_BAD_FIELD, "a collider plane is squeezed flat by its entity");
        s->plane[s->plane_count] = plane;
        s->restitution[s->plane_count++] = rows.record[i].restitution;
    }
    return ENT_OK;
}

/* --- fluids --- */

/* How many cells of the spacing stand along an axis of the box, which has one particle each. */
static f64 cells_along(const Mat34* pose, u32 axis, f32 half_extent_m, f32 spacing_m) {
    const f64 cells = 2.0 * vec3_length(mat34_column(pose, axis)) * half_extent_m / spacing_m;
    return MAX_OF(floor(cells + 1e-3), 1);
}

static ent_status count_check(Simulation* s, const GpuInfo* info, f64 count) {
    const f64 most =
        (f64)MIN_OF(info->buffer_bytes / sizeof(Vec4), info->memory_bytes / FLUID_BYTES_LEAST);
    if (count <= most) return ENT_OK;
    return refuse(s, ENT_LIMIT, "a fluid of %.0f particles: \"%s\" has room for %.0f at most",
                  count, info->name, most);
}

/* The box, filled around its middle; the spacing is one of the world. */
static ent_status box_fill(Simulation* s, const GpuInfo* info, const FluidRecord* f,
                           const Mat34* pose, Vec3** out, u32* count) {
    const f64 n[3] = {cells_along(pose, 0, f->half_extent_m.x, f->spacing_m),
                      cells_along(pose, 1, f->half_extent_m.y, f->spacing_m),
                      cells_along(pose, 2, f->half_extent_m.z, f->spacing_m)};
    Vec3      step[3]; /* from a cell to the next, in the box's own space */
    u32       made = 0;
    TRY(count_check(s, info, n[0] * n[1] * n[2]));
    const u32 nx = (u32)n[0], ny = (u32)n[1], nz = (u32)n[2];
    Vec3*     at = malloc((size_t)nx * ny * nz * sizeof *at);
    if (!at) return ENT_NO_MEMORY;
    for (u32 a = 0; a < 3; a++) {
        const Vec3 axis = mat34_column(pose, a);
        step[a] = vec3_scale(axis, f->spacing_m / MAX_OF(vec3_length(axis), 1e-20f));
    }
    const Mat34 grid = mat34_from_columns(step[0], step[1], step[2], mat34_column(pose, 3));
    for (u32 z = 0; z < nz; z++) {
        for (u32 y = 0; y < ny; y++) {
            for (u32 x = 0; x < nx; x++) {
                const f32 i = (f32)x - (f32)(nx - 1) / 2, k = (f32)y - (f32)(ny - 1) / 2,
                          l = (f32)z - (f32)(nz - 1) / 2;
                at[made++] = mat34_point(&grid, (Vec3){i, k, l});
            }
        }
    }
    *out = at;
    *count = made;
    return ENT_OK;
}

/* The vertices of the mesh that it names. */
static ent_status points_fill(Simulation* s, const GpuInfo* info, const Blob* mesh,
                              const Mat34* pose, Vec3** out, u32* count) {
    const BlobSection* section = mesh ? ent_blob_section(mesh, SECTION_POSITION) : NULL;
    if (!section || section->count == 0)
        return refuse(s, ENT_NOT_FOUND, "the mesh of a fluid's points has no vertices");
    const Vec3* vertex = ent_blob_data(mesh, section);
    TRY(count_check(s, info, section->count));
    Vec3* at = malloc((size_t)section->count * sizeof *at);
    if (!at) return ENT_NO_MEMORY;
    for (u32 i = 0; i < section->count; i++) at[i] = mat34_point(pose, vertex[i]);
    *out = at;
    *count = section->count;
    return ENT_OK;
}

static ent_status fluid_create(Simulation* s, Gpu* gpu, const FluidRecord* f, const Mat34* pose,
                               const Library* library) {
    const GpuInfo* info = ent_gpu_info(gpu);
    const u32      at = s->fluid_count;
    Vec3*          position = NULL;
    u32            count = 0;
    ent_status     status;
    if (f->points.lo | f->points.hi)
        status =
            points_fill(s, info, ent_library_find(library, f->points), pose, &position, &count);
    else
        status = box_fill(s, info, f, pose, &position, &count);
    for (u32 i = 0; i < count; i++) bounds_add(&s->bounds, position[i]);
    if (status == ENT_OK) {
        const SphDesc desc = {.fluid = f,
                              .count = count,
                              .position = position,
                              .plane = s->plane,
                              .restitution = s->restitution,
                              .plane_count = s->plane_count,
                              .times = GPU_TIMES_PASSES};
        status = ent_sph_create(&s->fluid[at], gpu, &desc);
    }
    free(position);
    if (status != ENT_OK) return status;
    s->spacing_m[at] = f->spacing_m;
    s->substeps[at] = f->substeps;
    s->gravity_m_s2 = MAX_OF(s->gravity_m_s2, vec3_length(f->gravity_m_s2));
    s->fluid_count++;
    return ENT_OK;
}

static ent_status fluids_create(Simulation* s, Gpu* gpu, World* world, const Library* library) {
    const FluidRows rows = ent_fluid_rows(world);
    s->fluid = calloc((size_t)rows.count + 1, sizeof *s->fluid);
    s->spacing_m = calloc((size_t)rows.count + 1, sizeof *s->spacing_m);
    s->substeps = calloc((size_t)rows.count + 1, sizeof *s->substeps);
    if (!s->fluid || !s->spacing_m || !s->substeps) return ENT_NO_MEMORY;
    for (u32 i = 0; i < rows.count; i++) {
        const Mat34 pose = pose_of(world, rows.entity[i]);
        TRY(fluid_create(s, gpu, &rows.record[i], &pose, library));
    }
    return ENT_OK;
}

/* --- particles --- */

/* A place of the world in the plane of a system. */
static Vec2 flattened(const Mat34* pose, Vec3 at) {
    const Vec3 d = vec3_sub(at, mat34_column(pose, 3));
    f32        along[2];
    for (u32 a = 0; a < 2; a++) {
        const Vec3 axis = mat34_column(pose, a);
        const f32  scale = vec3_length(axis);
        along[a] = vec3_dot(d, axis) / MAX_OF(scale * scale, 1e-20f);
    }
    return (Vec2){along[0], along[1]};
}

Vec3 discs_corner(const Discs* d, u32 corner) {
    const Vec2 half = d->half_extent_m;
    return mat34_point(&d->pose,
                       (Vec3){corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y, 0});
}

static ent_status discs_create(Simulation* s, Gpu* gpu, World* world) {
    const ParticleSystemRows rows = ent_particle_system_rows(world);
    s->discs = calloc((size_t)rows.count + 1, sizeof *s->discs);
    if (!s->discs) return ENT_NO_MEMORY;
    for (u32 i = 0; i < rows.count; i++) {
        const ParticleSystemRecord* r = &rows.record[i];
        const Mat34*                attractor = ent_transform_world(world, r->attractor);
        Discs*                      d = &s->discs[i];
        ParticlesDesc desc = {.system = r, .step_s = FRAME_S, .times = GPU_TIMES_PASSES};
        d->pose = pose_of(world, rows.entity[i]);
        d->half_extent_m = r->half_extent_m;
        d->color = r->color;
        desc.has_attractor = attractor != NULL;
        if (attractor) desc.attractor = flattened(&d->pose, mat34_column(attractor, 3));
        TRY(ent_particles_create(&d->particles, gpu, &desc));
        s->discs_count++;
        for (u32 k = 0; k < 4; k++) bounds_add(&s->bounds, discs_corner(d, k));
    }
    return ENT_OK;
}

static ent_status discs_draw(const Discs* d, Canvas* canvas) {
    return ent_particles_draw(d->particles, canvas, &d->pose, d->color);
}

/* --- all of it --- */

static void planes_step_back(Simulation* s) {
    f32 radius_m = 0;
    for (u32 i = 0; i < s->fluid_count; i++) radius_m = MAX_OF(radius_m, s->spacing_m[i] / 2);
    for (u32 i = 0; i < s->plane_count; i++) {
        s->drawn[i] = s->plane[i];
        s->drawn[i].w -= radius_m;
    }
}

ent_status simulation_create(Simulation* s, Gpu* gpu, World* world, const Library* library) {
    *s = (Simulation){.bounds = bounds_empty()};
    TRY(planes_gather(s, world));
    TRY(fluids_create(s, gpu, world, library));
    planes_step_back(s);
    return discs_create(s, gpu, world);
}

void simulation_destroy(Simulation* s) {
    for (u32 i = 0; i < s->fluid_count; i++) ent_sph_destroy(s->fluid[i]);
    for (u32 i = 0; i < s->discs_count; i++) ent_particles_destroy(s->discs[i].particles);
    free(s->discs);
    free(s->fluid);
    free(s->spacing_m);
    free(s->substeps);
    *s = (Simulation){0};
}

ent_status simulation_run(Simulation* s, PassTimes* times, u32 frame) {
    GpuTime passes[PASSES_MAX];
    for (u32 i = 0; i < s->fluid_count; i++) {
        TRY(ent_sph_run(s->fluid[i], s->substeps[i]));
        const u32     count = ent_sph_times(s->fluid[i], passes, COUNT_OF(passes));
        const GpuTime step = {"step", ent_sph_ms(s->fluid[i])};
        TRY(pass_times_add(times, "fluid", frame, passes, count));
        TRY(pass_times_add(times, "fluid", frame, &step, 1));
    }
    for (u32 i = 0; i < s->discs_count; i++) {
        Particles* particles = s->discs[i].particles;
        TRY(ent_particles_run(particles, 1));
        const u32     count = ent_particles_times(particles, passes, COUNT_OF(passes));
        const GpuTime step = {"step", ent_particles_ms(particles)};
        TRY(pass_times_add(times, "particles", frame, passes, count));
        TRY(pass_times_add(times, "particles", frame, &step, 1));
    }
    return ENT_OK;
}

u64 simulation_count(const Simulation* s) {
    u64 count = 0;
    for (u32 i = 0; i < s->fluid_count; i++) count += ent_sph_count(s->fluid[i]);
    for (u32 i = 0; i < s->discs_count; i++) count += ent_particles_count(s->discs[i].particles);
    return count;
}

ent_status simulation_draw(Simulation* s, Canvas* canvas, f32 height_m) {
    const f32 fast = sqrtf(2 * s->gravity_m_s2 * height_m);
    for (u32 i = 0; i < s->fluid_count; i++) {
        TRY(ent_sph_draw(s->fluid[i], canvas, s->spacing_m[i] / 2, fast > 0 ? fast : 1));
    }
    for (u32 i = 0; i < s->discs_count; i++) TRY(discs_draw(&s->discs[i], canvas));
    return ENT_OK;
}
