/* simulation.c - from rows of components to systems on the GPU. */
#include "simulation.h"

#include <math.h>
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

void bounds_add(Bounds* b, Vec3 p) {
    b->low = (Vec3){MIN_OF(b->low.x, p.x), MIN_OF(b->low.y, p.y), MIN_OF(b->low.z, p.z)};
    b->high = (Vec3){MAX_OF(b->high.x, p.x), MAX_OF(b->high.y, p.y), MAX_OF(b->high.z, p.z)};
}

/* --- where entities are --- */

static Mat34 pose_of(const World* world, Entity entity) {
    const Mat34* m = ent_transform_world(world, entity);
    return m ? *m : (Mat34){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
}

static f32 length(Vec3 v) { return sqrtf(v.x * v.x + v.y * v.y + v.z * v.z); }

static Vec3 turned(const Mat34* m, Vec3 v) {
    return (Vec3){m->m[0][0] * v.x + m->m[0][1] * v.y + m->m[0][2] * v.z,
                  m->m[1][0] * v.x + m->m[1][1] * v.y + m->m[1][2] * v.z,
                  m->m[2][0] * v.x + m->m[2][1] * v.y + m->m[2][2] * v.z};
}

static Vec3 placed(const Mat34* m, Vec3 v) {
    const Vec3 t = turned(m, v);
    return (Vec3){t.x + m->m[0][3], t.y + m->m[1][3], t.z + m->m[2][3]};
}

static Vec3 axis_of(const Mat34* m, u32 axis) {
    return (Vec3){m->m[0][axis], m->m[1][axis], m->m[2][axis]};
}

/* --- planes --- */

/* A normal is at right angles to its plane after any scale when it is turned by the cofactors;
 * these keep the side too, but where the matrix mirrors. */
static Vec3 normal_turned(const Mat34* m, Vec3 n) {
    const Vec3 x = axis_of(m, 0), y = axis_of(m, 1), z = axis_of(m, 2);
    const Vec3 yz = {y.y * z.z - y.z * z.y, y.z * z.x - y.x * z.z, y.x * z.y - y.y * z.x};
    const Vec3 zx = {z.y * x.z - z.z * x.y, z.z * x.x - z.x * x.z, z.x * x.y - z.y * x.x};
    const Vec3 xy = {x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x};
    const f32  side = x.x * yz.x + x.y * yz.y + x.z * yz.z < 0 ? -1.0f : 1.0f;
    return (Vec3){side * (yz.x * n.x + zx.x * n.y + xy.x * n.z),
                  side * (yz.y * n.x + zx.y * n.y + xy.y * n.z),
                  side * (yz.z * n.x + zx.z * n.y + xy.z * n.z)};
}

static Vec4 plane_of(const Mat34* pose, const ColliderPlaneRecord* record) {
    const Vec3 own = record->normal;
    const f32  along = record->offset_m / length(own);
    const Vec3 at = placed(pose, (Vec3){own.x * along, own.y * along, own.z * along});
    const Vec3 n = normal_turned(pose, own);
    const f32  scale = 1 / length(n);
    return (Vec4){n.x * scale, n.y * scale, n.z * scale,
                  (n.x * at.x + n.y * at.y + n.z * at.z) * scale};
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
    const f64 cells = 2.0 * length(axis_of(pose, axis)) * half_extent_m / spacing_m;
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
        const Vec3 axis = axis_of(pose, a);
        const f32  scale = f->spacing_m / MAX_OF(length(axis), 1e-20f);
        step[a] = (Vec3){axis.x * scale, axis.y * scale, axis.z * scale};
    }
    for (u32 z = 0; z < nz; z++) {
        for (u32 y = 0; y < ny; y++) {
            for (u32 x = 0; x < nx; x++) {
                const f32 i = (f32)x - (f32)(nx - 1) / 2, k = (f32)y - (f32)(ny - 1) / 2,
                          l = (f32)z - (f32)(nz - 1) / 2;
                at[made++] = (Vec3){step[0].x * i + step[1].x * k + step[2].x * l + pose->m[0][3],
                                    step[0].y * i + step[1].y * k + step[2].y * l + pose->m[1][3],
                                    step[0].z * i + step[1].z * k + step[2].z * l + pose->m[2][3]};
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
    for (u32 i = 0; i < section->count; i++) at[i] = placed(pose, vertex[i]);
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
    s->gravity_m_s2 = MAX_OF(s->gravity_m_s2, length(f->gravity_m_s2));
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
    const Vec3 d = {at.x - pose->m[0][3], at.y - pose->m[1][3], at.z - pose->m[2][3]};
    f32        along[2];
    for (u32 a = 0; a < 2; a++) {
        const Vec3 axis = axis_of(pose, a);
        const f32  scale = length(axis);
        along[a] = (d.x * axis.x + d.y * axis.y + d.z * axis.z) / MAX_OF(scale * scale, 1e-20f);
    }
    return (Vec2){along[0], along[1]};
}

Vec3 discs_corner(const Discs* d, u32 corner) {
    const Vec2 half = d->half_extent_m;
    return placed(&d->pose,
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
        if (attractor) desc.attractor = flattened(&d->pose, axis_of(attractor, 3));
        TRY(ent_particles_create(&d->particles, gpu, &desc));
        s->discs_count++;
        for (u32 k = 0; k < 4; k++) bounds_add(&s->bounds, discs_corner(d, k));
    }
    return ENT_OK;
}

static ent_status discs_draw(const Discs* d, Canvas* canvas) {
    const u32      count = ent_particles_count(d->particles);
    ParticleState* state = malloc(count * sizeof *state);
    Vec4*          disc = malloc(count * sizeof *disc);
    ent_status     status = state && disc ? ent_particles_read(d->particles, state) : ENT_NO_MEMORY;
    for (u32 i = 0; status == ENT_OK && i < count; i++) {
        const ParticleState* p = &state[i];
        disc[i] = (Vec4){p->position.x, p->position.y, p->radius, p->temperature};
    }
    if (status == ENT_OK)
        status = ent_canvas_discs(
            canvas,
            &(CanvasDiscs){.count = count, .disc = disc, .pose = d->pose, .color = d->color});
    free(state);
    free(disc);
    return status;
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
    *s =
        (Simulation){.bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}};
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
        TRY(ent_canvas_sph(canvas, s->fluid[i], s->spacing_m[i] / 2, fast > 0 ? fast : 1));
    }
    for (u32 i = 0; i < s->discs_count; i++) TRY(discs_draw(&s->discs[i], canvas));
    return ENT_OK;
}
