/* sph_methods.c - other ways to find the neighbours of the particles of a fluid. */
#include "sph_methods.h"

#include <stdlib.h>

#include "sort.h"

#include "sph_density_cells.comp.h"
#include "sph_density_tiles.comp.h"
#include "sph_force_cells.comp.h"
#include "sph_force_tiles.comp.h"
#include "sph_integrate.comp.h"
#include "sph_list.comp.h"
#include "sph_offset.comp.h"

#define B(binding) SPH_BIT(binding)

typedef struct Extra {
    GpuKernel integrate, list, offset;
    Sort      sort;
} Extra;

#define KERNEL(to, stem, group, constants)                                                         \
    TRY(gpu_kernel_create_with(to, sph->gpu, &GPU_KERNEL(stem, group), constants,                  \
                               COUNT_OF(constants)))

static ent_status extra_create(Sph* sph) {
    const u32 constants[] = {sph->desc.fluid->model, sph->method->hashed, sph->method->counts};
    Extra*    x = sph->extra = calloc(1, sizeof(Extra));
    if (!x) return ENT_NO_MEMORY;
    KERNEL(&x->integrate, sph_integrate, SPH_GROUP, constants);
    return ENT_OK;
}

static void extra_destroy(Sph* sph) {
    Extra* x = sph->extra;
    if (!x) return;
    gpu_kernel_destroy(&x->integrate);
    gpu_kernel_destroy(&x->list);
    gpu_kernel_destroy(&x->offset);
    sort_destroy(&x->sort);
    free(x);
}

/* --- passes --- */

/* Density and force with so many threads; both read also `found`, then all particles are moved. */
static void particles_step(const Sph* sph, GpuList* list, u64 threads, u32 found) {
    const Extra* x = sph->extra;
    sph_pass(sph, list,
             (GpuPass){.name = "density", .kernel = &sph->kernel.density, .threads = threads},
             B(POSITION) | B(PLANES) | found, B(VELOCITY));
    sph_pass(sph, list,
             (GpuPass){.name = "force", .kernel = &sph->kernel.force, .threads = threads},
             B(POSITION) | B(VELOCITY) | found, B(ACCELERATION));
    sph_pass(sph, list,
             (GpuPass){.name = "integrate", .kernel = &x->integrate, .threads = sph->desc.count},
             B(POSITION) | B(VELOCITY) | B(ACCELERATION) | B(PLANES) | B(COUNT) | B(SLOWED),
             B(POSITION_INPUT) | B(VELOCITY_INPUT) | B(COUNT) | B(RANK) | B(SLOWED));
}

static ent_status cells_create(Sph* sph, u32 sorted) {
    const u32 constants[] = {sph->desc.fluid->model, sph->method->hashed, sorted};
    KERNEL(&sph->kernel.density, sph_density_cells, SPH_GROUP, constants);
    KERNEL(&sph->kernel.force, sph_force_cells, SPH_GROUP, constants);
    return ENT_OK;
}

static void cells_step(const Sph* sph, GpuList* list) {
    sph_record_grid(sph, list);
    particles_step(sph, list, sph->desc.count, B(START) | B(PAIR));
}

/* --- counted, with the article's hash --- */

static ent_status hashed_create(Sph* sph) {
    TRY(extra_create(sph));
    TRY(cells_create(sph, 0));
    return sph_counting_create(sph);
}

const SphMethod sph_counted_hashed = {.buffers = B(ACCELERATION) | B(RANK) | B(COUNT) | B(START),
                                      .counts = true,
                                      .hashed = 1,
                                      .create = hashed_create,
                                      .destroy = extra_destroy,
                                      .grid = sph_counted_grid,
                                      .step = cells_step};

/* --- a bitonic sort of indices by cell, as in the article --- */

static ent_status sorted_create(Sph* sph) {
    const u32 lists[] = {sph->desc.fluid->model, sph->method->hashed,
                         sort_capacity(sph->desc.count)};
    const u32 constants[] = {sph->desc.fluid->model, sph->method->hashed, 1};
    TRY(extra_create(sph));
    TRY(cells_create(sph, 1));
    Extra* x = sph->extra;
    KERNEL(&x->list, sph_list, SPH_GROUP, lists);
    KERNEL(&x->offset, sph_offset, SPH_GROUP, constants);
    return sort_create(&x->sort, sph->gpu);
}

static void sorted_grid(const Sph* sph, GpuList* list) {
    const Extra* x = sph->extra;
    const u32    pairs = sort_capacity(sph->desc.count);
    sph_pass(sph, list,
             (GpuPass){.name = "list", .kernel = &x->list, .threads = MAX_OF(pairs, sph->cells)},
             B(POSITION), B(PAIR) | B(START));
    sort_record(&x->sort, list, &sph->buffer[SPH_PAIR], pairs);
    sph_pass(sph, list,
             (GpuPass){.name = "offsets", .kernel = &x->offset, .threads = sph->desc.count},
             B(PAIR), B(START));
}

#define SORTED                                                                                     \
    .buffers = B(ACCELERATION) | B(START) | B(PAIR), .create = sorted_create,                      \
    .destroy = extra_destroy, .grid = sorted_grid, .step = cells_step
const SphMethod sph_sorted_wrapped = {SORTED};
const SphMethod sph_sorted_hashed = {SORTED, .hashed = 1};

/* --- every pair is tested --- */

static ent_status pairs_create(Sph* sph) {
    const u32 constants[] = {sph->desc.fluid->model, 0, 0};
    TRY(extra_create(sph));
    KERNEL(&sph->kernel.density, sph_density_tiles, SPH_TILE, constants);
    KERNEL(&sph->kernel.force, sph_force_tiles, SPH_TILE, constants);
    return ENT_OK;
}

static void no_grid(const Sph* sph, GpuList* list) { UNUSED(sph), UNUSED(list); }

static void pairs_step(const Sph* sph, GpuList* list) {
    particles_step(sph, list, (u64)sph->desc.count * SPH_TILE_LANES, 0);
}

const SphMethod sph_all_pairs = {.buffers = B(ACCELERATION),
                                 .create = pairs_create,
                                 .destroy = extra_destroy,
                                 .grid = no_grid,
                                 .step = pairs_step};
