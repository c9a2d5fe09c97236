/* sph.c - the buffers, kernels and passes of a fluid. */
#include "sph.h"

#include <math.h>
#include <stdlib.h>

#include "shapes_internal.h"
#include "sort.h"
#include "sph_internal.h"

#include "sph_count.comp.h"
#include "sph_density_rows.comp.h"
#include "sph_emit.comp.h"
#include "sph_force_rows.comp.h"
#include "sph_scatter.comp.h"

#define PI 3.14159265358979323846

/* Cells have a quarter of h along x: shorter rows, but more cells than with halves, and fewer rows of
 * compressed fluids that exceed the bits of a word. */
#define FINE 2u

/* Up to these numbers of particles, several threads share a particle: one thread per particle would
 * not occupy a large device. The limits and the other values of sph_tune were measured on an H200
 * by `bench_gpu tune`. */
#define TWO_LANES_MAX  500000u
#define FOUR_LANES_MAX 60000u

#define MASK_BYTES (9 * sizeof(u32)) /* of a particle: its largest part of a buffer */

/* --- parameters, kernels and buffers --- */

static u32 power_of_two(u32 needed) {
    u32 n = 1;
    while (n < needed && n < 1u << 31) n *= 2;
    return n;
}

static u32 bits_of(u32 power) { return trailing_zeros(power); }

/* The number of cells of length h between the particles that are farthest apart along each axis. */
static void cells_reach(const SphDesc* d, u32 count, f64 cells[3]) {
    f32 low[3], high[3];
    for (u32 k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (u32 i = 0; i < count; i++) {
        const f32 p[3] = {d->position[i].x, d->position[i].y, d->position[i].z};
        for (u32 k = 0; k < 3; k++) {
            low[k] = p[k] < low[k] ? p[k] : low[k];
            high[k] = p[k] > high[k] ? p[k] : high[k];
        }
    }
    for (u32 k = 0; k < 3; k++)
        cells[k] = ((f64)high[k] - low[k]) / d->fluid->smoothing_radius_m + 1;
}

/* Doubles or halves cells along the axes in turn, until their number is 2^bits. */
static void cells_fit(SphTune* t, u32 bits) {
    u32* const along[3] = {&t->bits_x, &t->bits_y, &t->bits_z};
    const u32  min[3] = {2 + t->fine, 2, 2};
    bits = MIN_OF(MAX_OF(bits, 6 + t->fine), 30u);
    for (u32 k = 0; t->bits_x + t->bits_y + t->bits_z < bits; k++) ++*along[k % 3];
    for (u32 k = 0; t->bits_x + t->bits_y + t->bits_z > bits; k++)
        if (*along[k % 3] > min[k % 3]) --*along[k % 3];
}

/* Enough cells for the box of the particles at the start, and twice as many along x, because fluids
 * spread and cells along x cost least; along each axis at least as many that the cells which are
 * searched around a particle are different ones. Cells beyond these numbers are the same as others,
 * whose particles are tested in vain. In total at most twice as many as a cube of particles with a
 * spacing of h / 2 has. `known`: particles whose places are known; 0: all that follow are emitted, and the cells are those of a cube. */
static void cells_choose(const SphDesc* d, u32 known, u32 count, SphTune* t) {
    const u32 side = bits_of(power_of_two((u32)ceil(1.05 * cbrt(count / 8.0))));
    const u32 max = MIN_OF(3 * MAX_OF(side, 2u) + 2, 28u);
    u32       bits[3];
    f64       cells[3];
    cells_reach(d, known, cells);
    cells[0] *= 2;
    for (u32 k = 0; k < 3; k++) {
        const f64 limit = 1u << max; /* also of positions that are not finite */
        bits[k] = bits_of(
            power_of_two((u32)(cells[k] >= 1 && cells[k] < limit ? ceil(cells[k]) : limit)));
        bits[k] = MAX_OF(bits[k], 2u);
    }
    while (bits[0] + bits[1] + bits[2] > max) {
        const u32 greatest = bits[0] >= bits[1] && bits[0] >= bits[2] ? 0
                             : bits[1] >= bits[2]                     ? 1
                                                                      : 2;
        bits[greatest]--;
    }
    t->bits_x = bits[0] + t->fine, t->bits_y = bits[1], t->bits_z = bits[2];
    if (d->cells) cells_fit(t, bits_of(power_of_two(d->cells)));
}

SphTune sph_tune(const Gpu* gpu, const SphDesc* desc) {
    const u32 count = MAX_OF(desc->capacity, desc->count);
    SphTune   t = {
          .lanes = 1, .group = 256, .force_group = 128, .unroll = 4, .fine = FINE, .shared = 2};
    if (count <= TWO_LANES_MAX) t.shared = 1, t.lanes = 2;
    if (count <= FOUR_LANES_MAX) t.lanes = 4, t.group = t.force_group = 128;
    if (gpu->info.subgroup_size < t.lanes) t.lanes = 1;
    /* More than fit are refused before their positions are read. */
    const bool fits = (u64)count * MASK_BYTES <= gpu->info.buffer_bytes;
    const bool is_known = fits && desc->capacity <= desc->count;
    cells_choose(desc, is_known ? desc->count : 0, fits ? count : 0, &t);
    return t;
}

static void cells_lay(Sph* sph) {
    SphPush*       p = &sph->push;
    const SphTune* t = &sph->tune;
    sph->cells = 1u << (t->bits_x + t->bits_y + t->bits_z);
    p->cell_mask = sph->cells - 1;
    p->mask_x = (1u << t->bits_x) - 1;
    p->mask_y = (1u << t->bits_y) - 1;
    p->mask_z = (1u << t->bits_z) - 1;
    p->shift_y = t->bits_x;
    p->shift_z = t->bits_x + t->bits_y;
    /* The division is exact. */
    const u32 parts = sph->method->fine ? 1u << t->fine : 1;
    p->cell_x = p->h / (f32)parts;
    p->inverse_cell_x = p->inverse_h * (f32)parts;
    p->reach_x = parts;
}

static f32 speed_max_of(const FluidRecord* f) {
    return f->speed_max_m_s > 0 ? f->speed_max_m_s : 1e18f; /* whose square is finite */
}

static void push_fill(Sph* sph) {
    const FluidRecord* f = sph->desc.fluid;
    const f64          h = f->smoothing_radius_m, m = f->particle_mass_kg, h3 = h * h * h;
    SphPush*           p = &sph->push;
    p->count = sph->desc.capacity;
    p->h = f->smoothing_radius_m;
    p->inverse_h = (f32)(1 / h);
    p->h2 = (f32)(h * h);
    p->inverse_h6 = (f32)(1 / (h3 * h3));
    p->density_scale = (f32)(m * 315 / (64 * PI * h3));
    p->rest_density = f->rest_density_kg_m3;
    p->stiffness = f->stiffness;
    p->viscosity = f->viscosity;
    p->force_scale = (f32)((f->model == FLUID_ARTICLE ? 1 : m) * 45 / (PI * h3 * h3));
    p->wall_scale = (f32)(1 / (f->model == FLUID_ARTICLE ? h * m : h));
    p->step_s = f->step_s;
    p->gravity = f->gravity_m_s2;
    p->speed_max_m_s = speed_max_of(f);
    cells_lay(sph);
}

ent_status sph_counting_create(Sph* sph) {
    TRY(sph_kernel_create(sph, &sph->kernel.count, &GPU_KERNEL(sph_count, SPH_GROUP)));
    if (sph->emission.capacity)
        TRY(sph_kernel_create(sph, &sph->kernel.emit, &GPU_KERNEL(sph_emit, SPH_GROUP)));
    return sph_kernel_create(sph, &sph->kernel.scatter, &GPU_KERNEL(sph_scatter, SPH_GROUP));
}

static ent_status rows_create(Sph* sph) {
    const SphTune* t = &sph->tune;
    TRY(sph_kernel_create(sph, &sph->kernel.density, &GPU_KERNEL(sph_density_rows, t->group)));
    TRY(sph_kernel_create(sph, &sph->kernel.force, &GPU_KERNEL(sph_force_rows, t->force_group)));
    return sph_counting_create(sph);
}

/* Buffers that a method does not use have one element, because kernels still bind them. */
static ent_status buffers_create(Sph* sph) {
    const SphMethod* method = sph->method;
    const u64        n = sph->desc.capacity, cells = sph_cell_words(sph);
    const struct {
        u32 binding;
        u64 count, stride;
    } rows[] = {{SPH_ACCELERATION, n, 12},
                {SPH_RANK, n, 4},
                {SPH_COUNT, cells, 4},
                {SPH_START, cells, 4},
                {SPH_MASK, n, MASK_BYTES},
                {SPH_MASK_MORE, n, MASK_BYTES},
                {SPH_PAIR, sort_capacity(sph->desc.capacity), 8}};
    GpuBufferRequest request[SPH_BUFFERS] = {EMISSION_REQUESTS(&sph->emission)};
    u32              requests = 2;
    GpuBuffer*       b = sph->buffer;
#define REQUEST(binding, count, stride)                                                            \
    assert(requests < SPH_BUFFERS);                                                                \
    request[requests++] = (GpuBufferRequest){                                                      \
        &b[binding], count, stride,                                                                \
        (binding) == SPH_COUNT || (binding) == SPH_START ? "cells of a fluid" : "fluid particles"}
    REQUEST(SPH_POSITION_INPUT, n, 16);
    REQUEST(SPH_VELOCITY_INPUT, n, 16);
    REQUEST(SPH_PLANES, 1, sizeof(ColliderPlane)); /* where there are no colliders */
    REQUEST(SPH_SLOWED, 2, sizeof(u32));
    REQUEST(SPH_KINDS, sph->fluids, sizeof(SphKind));
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const bool used = method->buffers >> rows[i].binding & 1;
        REQUEST(rows[i].binding, used ? rows[i].count : 1, rows[i].stride);
    }
    if (method->counts) {
        REQUEST(SPH_POSITION, n, 16);
        REQUEST(SPH_VELOCITY, n, 16);
    }
#undef REQUEST
    TRY(gpu_pool_create(&sph->pool, sph->gpu, request, requests));
    if (method->counts) return scan_create(&sph->scan, sph->gpu, (u32)cells, true);
    b[SPH_POSITION] = b[SPH_POSITION_INPUT];
    b[SPH_VELOCITY] = b[SPH_VELOCITY_INPUT];
    return ENT_OK;
}

/* --- passes --- */

#define B(binding) SPH_BIT(binding)

void sph_record_count(const Sph* sph, GpuList* list) {
    sph_pass(
        sph, list,
        (GpuPass){.name = "count", .kernel = &sph->kernel.count, .threads = sph->desc.capacity},
        B(POSITION_INPUT), B(COUNT) | B(RANK));
}

/* The particles that begin in a step, behind those that exist. */
static void emit_record(const Sph* sph, GpuList* list) {
    const u32 most = emission_step_max(&sph->emission);
    GpuPass   pass = {.name = "emit", .kernel = &sph->kernel.emit, .threads = most};
    if (most == 0) return;
    pass.use[SPH_FRESH] =
        (GpuUse){sph->fresh.bytes ? &sph->fresh : &sph->buffer[SPH_FRESH], GPU_WRITE};
    sph_pass(sph, list, pass, B(COUNT), B(POSITION_INPUT) | B(VELOCITY_INPUT) | B(COUNT) | B(RANK));
}

void sph_counted_grid(const Sph* sph, GpuList* list) {
    const u32 among = sph->is_among ? ~0u : 0;
    emit_record(sph, list);
    scan_record(&sph->scan, list, &sph->buffer[SPH_COUNT], &sph->buffer[SPH_START],
                sph_cell_words(sph));
    sph_pass(sph, list,
             (GpuPass){.name = "scatter",
                       .kernel = among ? &sph->kernel.scatter_among : &sph->kernel.scatter,
                       .threads = sph->desc.capacity},
             B(POSITION_INPUT) | B(VELOCITY_INPUT) | B(START) | B(RANK) | (among & B(WALLS_INPUT)),
             B(POSITION) | B(VELOCITY) | (among & B(WALLS)));
}

static void force_record(const Sph* sph, GpuList* list) {
    const u32 reads = B(POSITION) | B(VELOCITY) | B(START) | B(MASK) | B(MASK_MORE) | B(COUNT) |
                      B(SLOWED),
              writes = B(POSITION_INPUT) | B(VELOCITY_INPUT) | B(COUNT) | B(RANK) | B(SLOWED);
    if (sph->is_among)
        sph_among_record(sph, list, reads, writes);
    else
        sph_pass(sph, list,
                 (GpuPass){.name = "force",
                           .kernel = &sph->kernel.force,
                           .threads = (u64)sph->desc.capacity * sph->tune.lanes},
                 reads | B(PLANES), writes);
}

static void density_record(const Sph* sph, GpuList* list) {
    const bool among = sph->is_among;
    const u64  threads =
        (sph->desc.capacity + (u64)sph->tune.shared - 1) / sph->tune.shared * sph->tune.lanes;
    sph_pass(sph, list,
             (GpuPass){.name = "density",
                       .kernel = among ? &sph->kernel.density_among : &sph->kernel.density,
                       .threads = threads},
             B(POSITION) | B(START) | (among ? B(WALLS) : B(PLANES)),
             B(VELOCITY) | B(MASK) | B(MASK_MORE));
}

static void rows_step(const Sph* sph, GpuList* list) {
    sph_counted_grid(sph, list);
    density_record(sph, list);
    force_record(sph, list);
}

/* A counting sort of the particles by cell; cells of adjacent numbers, in rows along x, are read together. */
static const SphMethod rows_method = {.buffers =
                                          B(RANK) | B(COUNT) | B(START) | B(MASK) | B(MASK_MORE),
                                      .counts = true,
                                      .fine = true,
                                      .create = rows_create,
                                      .grid = sph_counted_grid,
                                      .step = rows_step};

void sph_record_grid(const Sph* sph, GpuList* list) { sph->method->grid(sph, list); }
void sph_record_step(const Sph* sph, GpuList* list) { sph->method->step(sph, list); }

/* --- the start --- */

/* The words of the particles of a fluid have its number. */
static u32 word_of(const Sph* sph, u32 fluid) {
    return sph->fluids > 1 ? fluid << ELEMENT_KIND_SHIFT : 0;
}

static ent_status kinds_upload(Sph* sph) {
    SphKind    kind[ENT_SPH_FLUIDS_MAX] = {0};
    const bool article = sph->model == FLUID_ARTICLE;
    assert(sph->fluids <= COUNT_OF(kind)); /* as sph_create_tuned asserts */
    for (u32 k = 0; k < sph->fluids; k++) {
        const FluidRecord* f = &sph->desc.fluid[k];
        const f64 h = f->smoothing_radius_m, m = f->particle_mass_kg, stiffness = f->stiffness;
        const f64 mass = article ? 1 : m / (f64)sph->desc.fluid->particle_mass_kg;
        kind[k] = (SphKind){.pair_rest = (f32)(stiffness * (f64)f->rest_density_kg_m3 / 2),
                            .pair_mass = (f32)mass,
                            .pair_stiffness = (f32)(stiffness * mass / 2),
                            .viscosity = f->viscosity,
                            .density_scale = (f32)(m * 315 / (64 * PI * h * h * h)),
                            .rest_density = f->rest_density_kg_m3,
                            .stiffness = f->stiffness,
                            .wall_scale = (f32)(1 / (article ? h * m : h)),
                            .speed_max_m_s = speed_max_of(f),
                            .mass_kg = f->particle_mass_kg};
    }
    return gpu_upload(sph->gpu, &sph->buffer[SPH_KINDS], 0, kind, sph->fluids * sizeof *kind);
}

/* Those beyond the count of a fluid are absent. `from`: of its particles in the arrays of the description. */
static void rows_place(const Sph* sph, u32 fluid, u32 from, Vec4* row) {
    const SphEach* each = &sph->each[fluid];
    for (u32 i = 0; i < each->capacity; i++) {
        const u32 number = each->first + i, word = number | word_of(sph, fluid);
        Vec4*     to = &row[number];
        to->x = ELEMENT_ABSENT;
        if (i < each->count) {
            const Vec3 at = sph->desc.position[from + i];
            *to = (Vec4){at.x, at.y, at.z, 0};
        }
        memcpy(&to->w, &word, sizeof word);
    }
}

static void rows_move(const Sph* sph, u32 fluid, u32 from, Vec4* row) {
    const SphEach* each = &sph->each[fluid];
    for (u32 i = 0; i < each->capacity; i++) {
        const bool moves = sph->desc.velocity && i < each->count;
        const Vec3 v = moves ? sph->desc.velocity[from + i] : (Vec3){0, 0, 0};
        row[each->first + i] = (Vec4){v.x, v.y, v.z, sph->desc.fluid[fluid].rest_density_kg_m3};
    }
}

/* Particles that exist come first: emitters add to those. */
static void rows_order(const Sph* sph, Vec4* row, Vec4* sorted) {
    u32 to = 0;
    for (u32 k = 0; k < sph->fluids; k++, to += sph->each[k - 1].count)
        memcpy(&sorted[to], &row[sph->each[k].first], sph->each[k].count * sizeof *row);
    for (u32 k = 0; k < sph->fluids; k++) {
        const SphEach* e = &sph->each[k];
        memcpy(&sorted[to], &row[e->first + e->count], (e->capacity - e->count) * sizeof *row);
        to += e->capacity - e->count;
    }
}

static ent_status rows_upload(Sph* sph, Vec4* row, Vec4* sorted) {
    const u64 bytes = (u64)sph->desc.capacity * sizeof *row;
    for (u32 k = 0, from = 0; k < sph->fluids; from += sph->each[k].count, k++)
        rows_place(sph, k, from, row);
    if (sph->fluids > 1) rows_order(sph, row, sorted);
    TRY(gpu_upload(sph->gpu, sph_positions(sph), 0, sorted, bytes));
    for (u32 k = 0, from = 0; k < sph->fluids; from += sph->each[k].count, k++)
        rows_move(sph, k, from, row);
    if (sph->fluids > 1) rows_order(sph, row, sorted);
    return gpu_upload(sph->gpu, sph_velocities(sph), 0, sorted, bytes);
}

static ent_status particles_upload(Sph* sph) {
    u32        words[ENT_SPH_FLUIDS_MAX];
    const bool several = sph->fluids > 1;
    Vec4*      row = calloc((size_t)sph->desc.capacity * (several ? 2 : 1), sizeof *row);
    if (!row) return ENT_NO_MEMORY;
    ent_status status = rows_upload(sph, row, several ? row + sph->desc.capacity : row);
    free(row);
    assert(sph->fluids <= COUNT_OF(words)); /* as sph_create_tuned asserts */
    for (u32 k = 0; k < sph->fluids; k++) words[k] = word_of(sph, k);
    if (status == ENT_OK) status = emission_start(&sph->emission, words);
    if (status == ENT_OK) status = kinds_upload(sph);
    return status == ENT_OK ? gpu_fill(sph->gpu, &sph->buffer[SPH_SLOWED], 0) : status;
}

/* Particles are counted in their cells at the end of each step; before the first step, here. */
static ent_status first_count(Sph* sph) {
    GpuList    list;
    ent_status status = gpu_fill(sph->gpu, &sph->buffer[SPH_COUNT], 0);
    if (status != ENT_OK) return status;
    status = gpu_list_begin(&list, sph->gpu, GPU_TIMES_NONE);
    if (status == ENT_OK) {
        sph_record_count(sph, &list);
        status = gpu_list_end(&list);
    }
    if (status == ENT_OK) status = gpu_list_run(&list);
    gpu_list_destroy(&list);
    return status;
}

/* Fluids are pools, if any of them has a capacity. */
static ent_status each_find(Sph* sph, const SphDesc* desc) {
    const u32  count = sph->fluids;
    const bool emits = desc->capacity > 0;
    u32        first = 0;
    TRY(emission_init(&sph->emission, sph->gpu, count, desc->fluid->step_s));
    for (u32 k = 0; k < count; k++) {
        SphEach* each = &sph->each[k];
        each->count = count > 1 ? desc->counts[k] : desc->count;
        each->capacity = count == 1 ? desc->capacity : desc->capacities ? desc->capacities[k] : 0;
        each->capacity = MAX_OF(each->capacity, each->count);
        each->first = first;
        first += each->capacity;
        emission_pool_set(&sph->emission, k, emits ? each->capacity : 0, emits ? each->count : 0,
                          desc->fluid[k].rest_density_kg_m3, "a fluid");
    }
    sph->desc.capacity = first;
    return ENT_OK;
}

static ent_status sph_begin(Sph* sph) {
    TRY(each_find(sph, &sph->desc));
    push_fill(sph);
    TRY(buffers_create(sph));
    TRY(sph->method->create(sph));
    TRY(particles_upload(sph));
    return sph->method->counts ? first_count(sph) : ENT_OK;
}

/* With the sums of all fluids; a capacity of 0: none has one. */
static SphDesc desc_of_all(const SphDesc* desc) {
    SphDesc all = *desc;
    if (desc->fluid_count <= 1) return all;
    all.count = all.capacity = 0;
    for (u32 k = 0; k < desc->fluid_count; k++) {
        all.count += desc->counts[k];
        if (desc->capacities) all.capacity += MAX_OF(desc->capacities[k], desc->counts[k]);
    }
    return all;
}

/* Numbers of several fluids have fewer bits. */
static ent_status count_check(Gpu* gpu, const SphDesc* desc) {
    const u32 max = 1u << ELEMENT_KIND_SHIFT;
    if (desc->fluid_count <= 1 || MAX_OF(desc->count, desc->capacity) <= max) return ENT_OK;
    gpu_log(gpu, LOG_ERROR, "fluids that meet have %u particles: there are at most %u in all",
            MAX_OF(desc->count, desc->capacity), max);
    return ENT_LIMIT;
}

ent_status ent_sph_create(Sph** out, Gpu* gpu, const SphDesc* desc) {
    const SphDesc all = desc_of_all(desc);
    const SphTune tune = sph_tune(gpu, &all);
    return sph_create_tuned(out, gpu, desc, &tune, NULL);
}

ent_status sph_create_tuned(Sph** out, Gpu* gpu, const SphDesc* given, const SphTune* tune,
                            const SphMethod* method) {
    const SphDesc all = desc_of_all(given), *desc = &all;
    *out = NULL;
    TRY(count_check(gpu, desc));
    Sph* sph = calloc(1, sizeof *sph);
    assert(desc->fluid_count <= ENT_SPH_FLUIDS_MAX);
    assert(desc->count > 0 || desc->capacity > 0);
    assert(desc->capacity == 0 || desc->capacity >= desc->count);
    assert(!desc->hash_primes[0] == !desc->hash_primes[1]);
    if (!sph) return ENT_NO_MEMORY;
    sph->gpu = gpu;
    sph->method = method ? method : &rows_method;
    sph->desc = *desc;
    sph->tune = *tune;
    sph->model = desc->fluid->model;
    sph->mass_kg = desc->fluid->particle_mass_kg;
    sph->fluids = MAX_OF(desc->fluid_count, 1u);
    if (desc->moves_bodies) {
        assert(desc->colliders && !desc->colliders->bodies.is_moved);
        gpu_bodies_move(desc->colliders, true);
    }
    const ent_status status = sph_begin(sph);
    /* The caller's data is not read after creation. */
    sph->desc.fluid = NULL;
    sph->desc.position = sph->desc.velocity = NULL;
    sph->desc.counts = sph->desc.capacities = NULL;
    if (status == ENT_OK)
        *out = sph;
    else
        ent_sph_destroy(sph);
    return status;
}

void sph_bodies_move(Sph* sph, bool moves) {
    if (!sph->desc.colliders || sph->desc.moves_bodies == (int)moves) return;
    sph->desc.moves_bodies = moves;
    gpu_bodies_move(sph->desc.colliders, moves);
}

void sph_drop(void* dropped) {
    Sph* sph = dropped;
    gpu_list_destroy(&sph->step);
    if (sph->method->destroy) sph->method->destroy(sph);
    for (u32 i = 0; i < sizeof sph->kernel / sizeof(GpuKernel); i++)
        gpu_kernel_destroy((GpuKernel*)&sph->kernel + i);
    scan_destroy(&sph->scan);
    gpu_pool_destroy(&sph->meeting_pool);
    gpu_pool_destroy(&sph->pool);
    emission_destroy(&sph->emission);
    free(sph);
}

void ent_sph_destroy(Sph* sph) {
    if (!sph) return;
    gpu_wait(sph->gpu);
    sph_bodies_move(sph, false);
    sph_drop(sph);
}

ent_status ent_sph_record(Sph* sph, GpuFrame* frame, u32 steps) {
    TRY(sph_colliders_begin(sph, frame, steps));
    TRY(sph_colliders_record(sph, &frame->list, steps));
    TRY(emission_update(&sph->emission, frame, steps));
    for (u32 i = 0; i < steps; i++) {
        if (sph->is_among) sph->push.collider_first = gpu_colliders_first(sph->desc.colliders, i);
        TRY(sph_bodies_record(sph, &frame->list, i));
        sph_record_step(sph, &frame->list);
    }
    if (sph_moves_bodies(sph)) TRY(gpu_bodies_report(sph->desc.colliders, frame));
    return emission_report(&sph->emission, frame);
}

ent_status ent_sph_run(Sph* sph, u32 steps) {
    TRY(sph_colliders_begin(sph, NULL, 1));
    TRY(sph_near_run(sph));
    TRY(emission_update(&sph->emission, NULL, steps));
    const u32 version = (sph->desc.colliders ? sph->desc.colliders->version : 0) + sph->changes;
    if (!sph->step.is_recorded || sph->step_version != version) {
        gpu_list_restart(&sph->step, sph->gpu, sph->desc.times);
        TRY(sph_colliders_record(sph, &sph->step, 0));
        TRY(sph_bodies_record(sph, &sph->step, 0));
        sph_record_step(sph, &sph->step);
        TRY(gpu_list_end(&sph->step));
        sph->step_version = version;
    }
    return gpu_list_run_often(&sph->step, steps);
}

ent_status ent_sph_slowed(Sph* sph, uint64_t* count) {
    u32              slowed[2] = {0};
    const ent_status status =
        gpu_download(sph->gpu, &sph->buffer[SPH_SLOWED], 0, slowed, sizeof slowed);
    *count = slowed[0] | (u64)slowed[1] << 32;
    return status;
}

void ent_sph_ranges(const Sph* sph, GpuRange* position, GpuRange* velocity) {
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const VkAccessFlags        access = VK_ACCESS_SHADER_WRITE_BIT;
    if (position) *position = gpu_range_of(sph_positions(sph), stage, access);
    if (velocity) *velocity = gpu_range_of(sph_velocities(sph), stage, access);
}

/* --- emitters and sinks --- */

void ent_sph_emission(Sph* sph, u32 fluid, const EntEmission* emission) {
    const u32 before = emission_step_max(&sph->emission);
    assert(sph->emission.capacity > 0 && fluid < sph->fluids);
    emission_set(&sph->emission, fluid, emission, NULL);
    sph->changes += emission_step_max(&sph->emission) != before; /* a list that was recorded */
}

ent_status ent_sph_emission_counts(const Sph* sph, u32 fluid, EntEmissionCounts* counts) {
    const SphEach* each = &sph->each[fluid];
    if (sph->emission.capacity) return emission_counts(&sph->emission, fluid, counts);
    *counts = (EntEmissionCounts){.capacity = each->count, .alive = each->count};
    return ENT_OK;
}

void sph_emission_clears(Sph* sph, const GpuBuffer* fresh) { sph->fresh = *fresh; }

/* --- reading and drawing --- */

static u32 number_of(const Sph* sph, const Vec4* position) {
    u32 word;
    memcpy(&word, &position->w, sizeof word);
    return sph->fluids > 1 ? ELEMENT_NUMBER(word) : word;
}

ent_status ent_sph_read(Sph* sph, Vec3* position, Vec3* velocity, f32* density) {
    const u64  n = sph->desc.capacity, bytes = n * sizeof(Vec4);
    const Vec3 none = {NAN, NAN, NAN};
    Vec4*      p = malloc(bytes * 2);
    Vec4*      v = p + n;
    ent_status status = p ? ENT_OK : ENT_NO_MEMORY;
    if (status == ENT_OK) status = gpu_download(sph->gpu, sph_positions(sph), 0, p, bytes);
    if (status == ENT_OK) status = gpu_download(sph->gpu, sph_velocities(sph), 0, v, bytes);
    for (u64 i = 0; i < n && status == ENT_OK && sph->emission.capacity; i++) {
        if (position) position[i] = none;
        if (velocity) velocity[i] = none;
        if (density) density[i] = NAN;
    }
    for (u64 i = 0; i < n && status == ENT_OK; i++) {
        const u32 number = number_of(sph, &p[i]);
        if (ELEMENT_IS_ABSENT(p[i].x)) continue;
        if (position) position[number] = (Vec3){p[i].x, p[i].y, p[i].z};
        if (velocity) velocity[number] = (Vec3){v[i].x, v[i].y, v[i].z};
        if (density) density[number] = fabsf(v[i].w);
    }
    free(p);
    return status;
}

ent_status ent_sph_draw(const Sph* sph, void* shapes, f32 radius_m, f32 speed_max_m_s,
                        const EntShapesLook* look) {
    return sph_draw(sph, 0, shapes, radius_m, speed_max_m_s, look);
}

ent_status sph_draw(const Sph* sph, u32 kind, void* shapes, f32 radius_m, f32 speed_max_m_s,
                    const EntShapesLook* look) {
    return shapes_add(shapes, &(ShapeDraw){.kind = &shape_spheres,
                                           .count = sph->desc.capacity,
                                           .of_kind = kind,
                                           .element = *sph_positions(sph),
                                           .extra = *sph_velocities(sph),
                                           .pose = mat34_identity,
                                           .radius_m = radius_m,
                                           .speed_max_m_s = speed_max_m_s,
                                           .look = *look});
}

double ent_sph_ms(const Sph* sph) { return sph->step.ms; }

uint32_t ent_sph_times(const Sph* sph, GpuTime* times, uint32_t capacity) {
    return gpu_list_times(&sph->step, times, capacity);
}

uint32_t ent_sph_count(const Sph* sph) { return sph->desc.capacity; }
