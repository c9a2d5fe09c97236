/* sph_colliders.c - a fluid among colliders that are not all standing planes: what is near particles, how the two meet, and the bodies
 * that it moves. */
#include "sph_internal.h"

#include "sph_density_among.comp.h"
#include "sph_force_among.comp.h"
#include "sph_meet.comp.h"
#include "sph_meet_bodies.comp.h"
#include "sph_near.comp.h"
#include "sph_scatter_among.comp.h"

/* --- passes --- */

#define B(binding) SPH_BIT(binding)

/* Where it is not known which colliders are near. */
static void near_record(const Sph* sph, GpuList* list) {
    sph_pass(sph, list,
             (GpuPass){.name = "near",
                       .kernel = &sph->kernel.near,
                       .threads = sph->desc.capacity,
                       .use = {GPU_COLLIDERS(sph->desc.colliders)}},
             B(POSITION_INPUT) | B(VELOCITY_INPUT), B(VELOCITY_INPUT) | B(WALLS_INPUT));
}

/* Forces; particles that can meet colliders are listed, and meet them in a pass of their own. */
void sph_among_record(const Sph* sph, GpuList* list, u32 reads, u32 writes) {
    const GpuColliders* c = sph->desc.colliders;
    sph_pass(sph, list,
             (GpuPass){.name = "force",
                       .kernel = &sph->kernel.force_among,
                       .threads = (u64)sph->desc.capacity * sph->tune.lanes,
                       .use = {GPU_COLLIDERS(c)}},
             reads | B(MEETING), writes | B(MEETING));
    GpuPass meet = {.name = "meet",
                    .kernel = &sph->kernel.meet,
                    .threads = 1,
                    .indirect = &sph->buffer[SPH_MEETING],
                    .use = {GPU_COLLIDERS(c)}};
    if (sph_moves_bodies(sph)) {
        meet.kernel = &sph->kernel.meet_bodies;
        meet.use[SPH_BODIES] = (GpuUse){gpu_bodies_state(&c->bodies), GPU_READ_WRITE};
    }
    sph_pass(sph, list, meet,
             B(POSITION) | B(POSITION_INPUT) | B(VELOCITY_INPUT) | B(COUNT) | B(MEETING) |
                 B(SLOWED) | B(WALLS),
             B(POSITION_INPUT) | B(VELOCITY_INPUT) | B(COUNT) | B(RANK) | B(MEETING) | B(SLOWED) |
                 B(WALLS_INPUT));
}

/* --- before steps --- */

/* Before a step. */
ent_status sph_bodies_record(const Sph* sph, GpuList* list, u32 step) {
    const BodiesStep how = {.step_s = sph->push.step_s,
                            .speed_max_m_s = sph->push.speed_max_m_s,
                            .unit_kg = sph->mass_kg,
                            .gravity_m_s2 = sph->push.gravity,
                            .near_m = sph->push.h};
    return sph_moves_bodies(sph) ? gpu_bodies_step(sph->desc.colliders, list, step, &how) : ENT_OK;
}

/* Of all bodies, once. */
static void light_warn(const Sph* sph) {
    GpuBodies* const b = &sph->desc.colliders->bodies;
    for (u32 i = 0; i < b->count && !b->warned; i++) {
        if (b->at[i].mass_kg >= sph->mass_kg) continue;
        b->warned = true;
        gpu_log(sph->gpu, LOG_WARNING,
                "a body of %g kg is lighter than a particle of the fluid that moves it, of %g kg: "
                "particles that touch it make it very fast",
                (f64)b->at[i].mass_kg, (f64)sph->mass_kg);
    }
}

static ent_status bodies_need(Sph* sph) {
    GpuKernel* const kernel = &sph->kernel.meet_bodies;
    if (sph_moves_bodies(sph)) light_warn(sph);
    if (kernel->pipeline || !sph_moves_bodies(sph)) return ENT_OK;
    return sph_kernel_create(sph, kernel, &GPU_KERNEL(sph_meet_bodies, SPH_MEET_GROUP));
}

/* The kernels, the list of particles that can meet colliders, and what is near each. */
static ent_status among_need(Sph* sph) {
    const u64              n = sph->desc.capacity;
    const SphMeeting       none = {.groups = {0, 1, 1}};
    SphKernels* const      k = &sph->kernel;
    const GpuBufferRequest request[] = {
        {&sph->buffer[SPH_MEETING], sizeof none / sizeof(u32) + n, sizeof(u32), "fluid particles"},
        {&sph->buffer[SPH_WALLS], n, sizeof(Vec4), "fluid particles"},
        {&sph->buffer[SPH_WALLS_INPUT], n, sizeof(Vec4), "fluid particles"}};
    if (k->meet.pipeline) return ENT_OK;
    gpu_kernel_destroy(&k->near); /* after a failure */
    gpu_kernel_destroy(&k->scatter_among);
    gpu_kernel_destroy(&k->density_among);
    gpu_kernel_destroy(&k->force_among);
    gpu_pool_destroy(&sph->meeting_pool);
    TRY(gpu_pool_create(&sph->meeting_pool, sph->gpu, request, COUNT_OF(request)));
    TRY(gpu_upload(sph->gpu, &sph->buffer[SPH_MEETING], 0, &none, sizeof none));
    TRY(sph_kernel_create(sph, &k->near, &GPU_KERNEL(sph_near, SPH_GROUP)));
    TRY(sph_kernel_create(sph, &k->scatter_among, &GPU_KERNEL(sph_scatter_among, SPH_GROUP)));
    TRY(sph_kernel_create(sph, &k->density_among, &GPU_KERNEL(sph_density_among, sph->tune.group)));
    TRY(sph_kernel_create(sph, &k->force_among,
                          &GPU_KERNEL(sph_force_among, sph->tune.force_group)));
    return sph_kernel_create(sph, &k->meet, &GPU_KERNEL(sph_meet, SPH_MEET_GROUP));
}

ent_status sph_colliders_begin(Sph* sph, GpuFrame* frame, u32 steps) {
    GpuColliders* const c = sph->desc.colliders;
    sph->is_among = c && !gpu_colliders_are_plain(c);
    sph->push.direct_count = c ? gpu_colliders_direct(c) : 0;
    sph->push.collider_count = c ? c->count : 0;
    sph->push.collider_first = 0;
    sph->push.collider_cell_m = c ? gpu_colliders_cell(c, sph->push.h) : 0;
    if (!sph->is_among) sph->near_set = 0;
    if (!c) return ENT_OK;
    TRY(gpu_colliders_update(c, frame, steps));
    if (sph->is_among) TRY(among_need(sph));
    return bodies_need(sph);
}

/* Is it known which particles colliders are near at the beginning of a step? At its end it is, so that those that begin where they were
 * are known. `steps`: 0: they stand where they are at the end of their motion. */
static bool near_is_known(const Sph* sph, u32 steps) {
    const GpuColliders* c = sph->desc.colliders;
    if (sph->near_set == 0) return false;
    return sph->near_set == c->sets || (steps > 0 && sph->near_set + 1 == c->sets && !c->jumped);
}

ent_status sph_colliders_record(Sph* sph, GpuList* list, u32 steps) {
    if (steps > 0 && sph_moves_bodies(sph))
        TRY(gpu_bodies_begin(sph->desc.colliders, list, (f32)steps * sph->push.step_s));
    if (!sph->is_among) return ENT_OK;
    TRY(gpu_colliders_place(sph->desc.colliders, list, steps, sph->push.h));
    if (!near_is_known(sph, steps)) near_record(sph, list);
    sph->near_set = sph->desc.colliders->sets;
    return list->status;
}

/* The same, before a list that is run repeatedly. */
ent_status sph_near_run(Sph* sph) {
    GpuList list;
    if (sph_moves_bodies(sph)) TRY(gpu_bodies_begin_now(sph->desc.colliders));
    if (!sph->is_among || near_is_known(sph, 0)) return ENT_OK;
    ent_status status = gpu_list_begin(&list, sph->gpu, GPU_TIMES_NONE);
    if (status != ENT_OK) return status;
    status = sph_colliders_record(sph, &list, 0);
    if (status == ENT_OK) status = gpu_list_end(&list);
    if (status == ENT_OK) status = gpu_list_run(&list);
    if (status != ENT_OK) sph->near_set = 0;
    gpu_list_destroy(&list);
    return status;
}
