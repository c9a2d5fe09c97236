/* particles.c - particles in bins: buffers, and the passes of a step.
 *
 * In bin order, a step ends with particles in buffers 0, in the order of their bins, and the next
 * step begins with their collisions: the same pass finds and applies them, moves the particles to
 * buffers 1, and counts those of each bin; then they are scattered back to buffers 0. What a collision
 * does is thus not stored, but a particle that touches only one searches the surroundings of that one
 * too, and reading must apply the collisions first. Device memory traffic of a step in bytes per particle, with one bin
 * per particle:
 *
 *   move     76   body, motion, first of its bin read, body and motion written, its bin counted
 *   scan     16   bins, which are cleared
 *   scatter  68   body, motion, first of its bin read, body and motion written
 *
 * The sum is 160; reads of neighbours hit the caches. */
#include "particles_internal.h"

#include <math.h>
#include <stdlib.h>

#include "shapes_internal.h"

#include "particles_among.comp.h"
#include "particles_emit.comp.h"
#include "particles_move.comp.h"
#include "particles_scatter.comp.h"
#include "particles_settle.comp.h"

#define STEPS_OF_A_LIST 8u         /* when several steps run in one call */
#define PIECE           (1u << 18) /* particles that are uploaded or read in one copy */
#define CELLS           4u         /* words of a body, and of a motion */
#define HEAT_WORD       2u         /* of a motion: its temperature */

/* --- a step --- */

void particles_pass(const Particles* p, GpuList* list, GpuPass pass) {
    pass.push = &p->push;
    pass.push_bytes = sizeof p->push;
    pass.threads = p->push.count;
    gpu_pass(list, &pass);
}

/* Behind those that exist, and have moved. */
static void emit_record(const Particles* p, GpuList* list) {
    const u32 most = emission_step_max(&p->emission);
    if (most == 0) return;
    gpu_pass(list, &(GpuPass){.name = "emit",
                              .kernel = &p->kernel.emit,
                              .use = {[PARTICLES_BODY_OUT] = {&p->body[1], GPU_WRITE},
                                      [PARTICLES_MOTION_OUT] = {&p->motion[1], GPU_WRITE},
                                      [PARTICLES_COUNT] = {&p->count, GPU_READ_WRITE},
                                      EMISSION_USE(&p->emission),
                                      [PARTICLES_BODY] = {&p->body[0], GPU_READ},
                                      [PARTICLES_MOTION] = {&p->motion[0], GPU_READ}},
                              .push = &p->push,
                              .push_bytes = sizeof p->push,
                              .threads = most});
}

static void ordered_step(const Particles* p, GpuList* list) {
    const GpuColliders* c = p->is_among ? p->desc.colliders : NULL;
    particles_pass(p, list,
                   (GpuPass){.name = "move",
                             .kernel = c ? &p->kernel.among : &p->kernel.move,
                             .use = {[PARTICLES_BODY] = {&p->body[0], GPU_READ},
                                     [PARTICLES_MOTION] = {&p->motion[0], GPU_READ},
                                     [PARTICLES_BODY_OUT] = {&p->body[1], GPU_WRITE},
                                     [PARTICLES_MOTION_OUT] = {&p->motion[1], GPU_WRITE},
                                     [PARTICLES_FIRST] = {&p->first, GPU_READ},
                                     [PARTICLES_COUNT] = {&p->count, GPU_READ_WRITE},
                                     EMISSION_USE(&p->emission),
                                     [COLLIDERS_STEP] = {c ? &c->step : NULL, GPU_READ},
                                     [COLLIDERS_CELL] = {c ? &c->cell : NULL, GPU_READ},
                                     [COLLIDERS_LIST] = {c ? &c->list : NULL, GPU_READ}}});
    emit_record(p, list);
    scan_record(&p->scan, list, &p->count, &p->first, p->push.words);
    particles_pass(p, list,
                   (GpuPass){.name = "scatter",
                             .kernel = &p->kernel.scatter,
                             .use = {[PARTICLES_BODY] = {&p->body[1], GPU_READ},
                                     [PARTICLES_MOTION] = {&p->motion[1], GPU_READ},
                                     [PARTICLES_BODY_OUT] = {&p->body[0], GPU_WRITE},
                                     [PARTICLES_MOTION_OUT] = {&p->motion[0], GPU_WRITE},
                                     EMISSION_USE(&p->emission),
                                     [PARTICLES_FIRST] = {&p->first, GPU_READ}}});
}

/* Applies the collisions: reads the buffers in which particles collide, writes the others. */
static void ordered_settle(const Particles* p, GpuList* list) {
    particles_pass(p, list,
                   (GpuPass){.name = "settle",
                             .kernel = &p->kernel.settle,
                             .use = {[PARTICLES_BODY] = {&p->body[0], GPU_READ},
                                     [PARTICLES_MOTION] = {&p->motion[0], GPU_READ},
                                     [PARTICLES_BODY_OUT] = {&p->body[1], GPU_WRITE},
                                     [PARTICLES_MOTION_OUT] = {&p->motion[1], GPU_WRITE},
                                     [EMISSION_TABLE] = {&p->emission.table, GPU_READ},
                                     [EMISSION_LIVES] = {&p->emission.lives, GPU_READ},
                                     [PARTICLES_FIRST] = {&p->first, GPU_READ}}});
}

ent_status particles_kernels_create(Particles* p, u32 ordered) {
    const u32 constants[] = {ordered, p->emission.capacity > 0};
    TRY(gpu_kernel_create_with(&p->kernel.move, p->gpu,
                               &GPU_KERNEL(particles_move, PARTICLES_GROUP), constants, 2));
    return gpu_kernel_create_with(&p->kernel.settle, p->gpu,
                                  &GPU_KERNEL(particles_settle, PARTICLES_GROUP), constants, 2);
}

static ent_status ordered_create(Particles* p) {
    TRY(particles_kernels_create(p, 1));
    const u32 constants[] = {1, p->emission.capacity > 0};
    if (p->emission.capacity)
        TRY(gpu_kernel_create_with(&p->kernel.emit, p->gpu,
                                   &GPU_KERNEL(particles_emit, PARTICLES_GROUP), constants, 2));
    TRY(gpu_kernel_create_with(&p->kernel.scatter, p->gpu,
                               &GPU_KERNEL(particles_scatter, PARTICLES_GROUP), constants, 2));
    return scan_create(&p->scan, p->gpu, p->push.words, true);
}

/* Particles are moved in memory, into the order of their bins. */
static const ParticlesMethod ordered_method = {
    .settled = 1, .create = ordered_create, .step = ordered_step, .settle = ordered_settle};

void particles_record_step(const Particles* p, GpuList* list) { p->method->step(p, list); }

void particles_record_settled(const Particles* p, GpuList* list) {
    if (p->method->settle) p->method->settle(p, list);
}

const GpuBuffer* particles_body(const Particles* p) { return &p->body[p->method->settled]; }
const GpuBuffer* particles_motion(const Particles* p) { return &p->motion[p->method->settled]; }

/* --- colliders --- */

/* Those that move farther in a step than their diameter are tested against all colliders. */
static f32 near_of(const Particles* p) {
    return 3 * p->radius_max_m * MAX_OF(vec3_length(p->push.axis_x), vec3_length(p->push.axis_y));
}

static ent_status colliders_begin(Particles* p, GpuFrame* frame, u32 steps) {
    const u32           constants[] = {1, p->emission.capacity > 0};
    GpuColliders* const c = p->desc.colliders;
    p->is_among = c && c->count > 0;
    if (!p->is_among) return ENT_OK;
    p->push.direct_count = gpu_colliders_direct(c);
    p->push.collider_count = c->count;
    p->push.collider_near_m = near_of(p);
    p->push.collider_cell_m = gpu_colliders_cell(c, near_of(p));
    p->push.collider_first = 0;
    TRY(gpu_colliders_update(c, frame, steps));
    if (p->kernel.among.pipeline) return ENT_OK;
    return gpu_kernel_create_with(&p->kernel.among, p->gpu,
                                  &GPU_KERNEL(particles_among, PARTICLES_GROUP), constants, 2);
}

static ent_status colliders_record(const Particles* p, GpuList* list, u32 steps) {
    return p->is_among ? gpu_colliders_place(p->desc.colliders, list, steps, near_of(p)) : ENT_OK;
}

void ent_particles_place(Particles* p, const Mat34* pose) {
    p->push.axis_x = mat34_column(pose, 0);
    p->push.axis_y = mat34_column(pose, 1);
    p->push.origin = mat34_column(pose, 3);
    p->step_version = UINT32_MAX; /* what was recorded has the old pose */
}

/* --- emitters and sinks --- */

/* In the space of the rectangle. */
void ent_particles_emission(Particles* p, const EntEmission* emission) {
    const u32   before = emission_step_max(&p->emission);
    const Mat34 pose = mat34_from_columns(
        p->push.axis_x, p->push.axis_y, vec3_cross(p->push.axis_x, p->push.axis_y), p->push.origin);
    assert(p->emission.capacity > 0);
    emission_set(&p->emission, 0, emission, &pose);
    if (emission_step_max(&p->emission) != before)
        p->step_version = UINT32_MAX; /* of what was recorded */
}

ent_status ent_particles_emission_counts(const Particles* p, EntEmissionCounts* counts) {
    if (p->emission.capacity) return emission_counts(&p->emission, 0, counts);
    *counts = (EntEmissionCounts){.capacity = p->push.count, .alive = p->push.count};
    return ENT_OK;
}

/* --- creation --- */

/* In all of a life. */
static f32 radius_greatest(const ParticleSystemRecord* s) {
    return s->radius_max_m * MAX_OF(s->size_end, 1.0f);
}

/* About one bin per particle, but each bin is at least as wide as the largest particle plus a
 * margin for the rounding of positions; the number of bins in a row is limited so that this margin
 * is sufficient. */
static void bins_choose(ParticlesPush* push, const ParticleSystemRecord* s) {
    const f64 x = (f64)s->half_extent_m.x, y = (f64)s->half_extent_m.y;
    const f64 bins_max = 2.0 * push->count + 64;
    f64       side = MAX_OF(sqrt(4 * x * y / push->count), (f64)radius_greatest(s) * 2);
    side = MAX_OF(side, MAX_OF(x, y) / 8192) * 1.001;
    while (4 * ceil(x / side) * ceil(y / side) > bins_max) side *= 1.25;
    push->bins_per_m = (f32)(1 / side);
    push->half_columns = (u32)ceil(x / side);
    push->half_rows = (u32)ceil(y / side);
    push->words = (u32)align_up((u64)4 * push->half_columns * push->half_rows + 1, 4);
}

static ParticlesPush push_of(const ParticlesDesc* desc) {
    const ParticleSystemRecord* s = desc->system;
    ParticlesPush               push = {.half_extent_m = s->half_extent_m,
                                        .attractor = desc->attractor,
                                        .attraction_s2 = desc->has_attractor ? 1.0f : 0.0f,
                                        .step_s = desc->step_s,
                                        .cooling = MIN_OF(desc->step_s * 2, 1.0f),
                                        .axis_x = {1, 0, 0},
                                        .axis_y = {0, 1, 0},
                                        .radius_min_m = s->radius_min_m,
                                        .radius_max_m = s->radius_max_m,
                                        .size_end = s->size_end,
                                        .count = MAX_OF(s->count, s->capacity)};
    bins_choose(&push, s);
    return push;
}

static ent_status buffers_create(Particles* p) {
    const u64              count = p->push.count;
    const GpuBufferRequest requests[] = {{&p->body[0], count, sizeof(u32) * CELLS, "particles"},
                                         {&p->body[1], count, sizeof(u32) * CELLS, "particles"},
                                         {&p->motion[0], count, sizeof(u32) * CELLS, "particles"},
                                         {&p->motion[1], count, sizeof(u32) * CELLS, "particles"},
                                         {&p->count, p->push.words, sizeof(u32), "particles' bins"},
                                         {&p->first, p->push.words, sizeof(u32), "particles' bins"},
                                         EMISSION_REQUESTS(&p->emission)};
    return gpu_pool_create(&p->pool, p->gpu, requests, COUNT_OF(requests));
}

/* --- upload and read, in pieces --- */

typedef struct Piece {
    ParticleState state[PIECE];
    f32           body[PIECE][CELLS];
    u32           motion[PIECE][CELLS];
} Piece;

static u32 bits_of(f32 value) {
    u32 bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static f32 float_of(u32 bits) {
    f32 value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static ent_status piece_upload(Particles* p, Piece* piece, const ParticleState* state, u32 first,
                               u32 count) {
    const u64 at = (u64)first * sizeof *piece->body, bytes = (u64)count * sizeof *piece->body;
    for (u32 i = 0; i < count; i++) {
        const ParticleState* s = &state[i];
        const f32            body[CELLS] = {s->position.x, s->position.y, s->radius, 0};
        const u32            motion[CELLS] = {bits_of(s->velocity.x), bits_of(s->velocity.y),
                                              bits_of(s->temperature), first + i};
        memcpy(piece->body[i], body, sizeof body);
        memcpy(piece->motion[i], motion, sizeof motion);
    }
    TRY(gpu_upload(p->gpu, &p->body[0], at, piece->body, bytes));
    return gpu_upload(p->gpu, &p->motion[0], at, piece->motion, bytes);
}

/* Uploads the specified particles; NULL: those of the start. */
static ent_status pieces_upload(Particles* p, const ParticleState* state) {
    ent_status status = ENT_OK;
    Piece*     piece = malloc(sizeof *piece);
    if (!piece) return ENT_NO_MEMORY;
    for (u32 first = 0; first < p->start_count && status == ENT_OK; first += PIECE) {
        const u32 count = MIN_OF(p->start_count - first, PIECE);
        if (!state) particles_start(p->desc.system, first, count, piece->state);
        status = piece_upload(p, piece, state ? state + first : piece->state, first, count);
    }
    free(piece);
    return status;
}

static ent_status lives_start(Particles* p) {
    if (p->emission.capacity == 0) return ENT_OK;
    return emission_start(&p->emission, NULL);
}

/* In empty bins, nothing collides before the first step. */
ent_status particles_write(Particles* p, const ParticleState* state) {
    TRY(gpu_fill(p->gpu, &p->first, 0));
    TRY(gpu_fill(p->gpu, &p->count, 0));
    TRY(lives_start(p));
    return pieces_upload(p, state);
}

static ent_status piece_download(Particles* p, Piece* piece, u32 first, u32 count,
                                 ParticleState* state) {
    const u64 at = (u64)first * sizeof *piece->body, bytes = (u64)count * sizeof *piece->body;
    TRY(gpu_download(p->gpu, particles_body(p), at, piece->body, bytes));
    TRY(gpu_download(p->gpu, particles_motion(p), at, piece->motion, bytes));
    for (u32 i = 0; i < count; i++) {
        const f32* body = piece->body[i];
        const u32* motion = piece->motion[i];
        if (p->emission.capacity && ELEMENT_IS_ABSENT(body[0])) {
            state[i] = (ParticleState){.position = {NAN, NAN}, .velocity = {NAN, NAN}};
            continue;
        }
        state[i] = (ParticleState){.position = {body[0], body[1]},
                                   .velocity = {float_of(motion[0]), float_of(motion[1])},
                                   .radius = body[2],
                                   .temperature = float_of(motion[2]),
                                   .collisions = bits_of(body[3]) & PARTICLES_CONTACTS_MAX};
    }
    return ENT_OK;
}

static ent_status settle(Particles* p) {
    if (!p->settled.is_recorded) {
        gpu_list_restart(&p->settled, p->gpu, GPU_TIMES_NONE);
        particles_record_settled(p, &p->settled);
        TRY(gpu_list_end(&p->settled));
    }
    return gpu_list_run(&p->settled);
}

ent_status ent_particles_read(Particles* p, ParticleState* state) {
    ent_status status = ENT_OK;
    TRY(settle(p));
    Piece* piece = malloc(sizeof *piece);
    if (!piece) return ENT_NO_MEMORY;
    for (u32 first = 0; first < p->push.count && status == ENT_OK; first += PIECE) {
        const u32 count = MIN_OF(p->push.count - first, PIECE);
        status = piece_download(p, piece, first, count, state + first);
    }
    free(piece);
    return status;
}

/* --- public functions --- */

static void before_drawing(const void* user, GpuList* list) {
    particles_record_settled(user, list);
}

ent_status ent_particles_draw(Particles* p, void* shapes, const Mat34* pose,
                              const EntShapesLook* look) {
    const f32 x = vec3_length(mat34_column(pose, 0)), y = vec3_length(mat34_column(pose, 1));
    return shapes_add(shapes, &(ShapeDraw){.kind = &shape_discs,
                                           .user = p,
                                           .prepare = before_drawing,
                                           .count = p->push.count,
                                           .element = *particles_body(p),
                                           .extra = *particles_motion(p),
                                           .word = HEAT_WORD,
                                           .is_flat = true,
                                           .pose = *pose,
                                           .radius_m = p->radius_max_m * MAX_OF(x, y),
                                           .speed_max_m_s = p->speed_max_m_s,
                                           .has_lives = p->emission.capacity > 0,
                                           .color_end = p->color_end,
                                           .look = *look});
}

static ent_status particles_fill(Particles* p) {
    TRY(buffers_create(p));
    TRY(p->method->create(p));
    return particles_write(p, NULL);
}

static void desc_check(const ParticlesDesc* desc) {
    assert(desc->step_s > 0 && desc->step_s <= 1);
    const u32 most = MAX_OF(desc->system->count, desc->system->capacity);
    assert(most >= 1 && most - 1 <= PARTICLES_PARTNER_MASK);
    assert(desc->system->half_extent_m.x > 0 && desc->system->half_extent_m.y > 0);
    assert(desc->system->radius_min_m > 0);
    assert(desc->system->radius_min_m <= desc->system->radius_max_m);
    UNUSED(desc);
    UNUSED(most);
}

ent_status ent_particles_create(Particles** particles, Gpu* gpu, const ParticlesDesc* desc) {
    return particles_create(particles, gpu, desc, NULL);
}

ent_status particles_create(Particles** particles, Gpu* gpu, const ParticlesDesc* desc,
                            const ParticlesMethod* method) {
    Particles* p = calloc(1, sizeof *p);
    *particles = NULL;
    desc_check(desc);
    if (!p) return ENT_NO_MEMORY;
    p->gpu = gpu;
    p->method = method ? method : &ordered_method;
    p->desc = *desc;
    p->radius_max_m = radius_greatest(desc->system);
    p->start_count = desc->system->count;
    p->color_end = desc->system->color_end;
    p->speed_max_m_s = desc->system->speed_max_m_s;
    p->push = push_of(desc);
    ent_status status = emission_init(&p->emission, gpu, 1, desc->step_s);
    if (status == ENT_OK) {
        emission_pool_set(&p->emission, 0, desc->system->capacity, desc->system->count, 0,
                          "a particle system");
        status = particles_fill(p);
    }
    p->desc.system = NULL;
    if (status == ENT_OK)
        *particles = p;
    else
        ent_particles_destroy(p);
    return status;
}

void particles_drop(void* particles) {
    Particles* p = particles;
    gpu_list_destroy(&p->step);
    gpu_list_destroy(&p->steps);
    gpu_list_destroy(&p->settled);
    scan_destroy(&p->scan);
    if (p->method->destroy) p->method->destroy(p);
    gpu_kernel_destroy(&p->kernel.move);
    gpu_kernel_destroy(&p->kernel.among);
    gpu_kernel_destroy(&p->kernel.scatter);
    gpu_kernel_destroy(&p->kernel.emit);
    gpu_kernel_destroy(&p->kernel.settle);
    if (p->pool.gpu) gpu_pool_destroy(&p->pool);
    emission_destroy(&p->emission);
    free(p);
}

void ent_particles_destroy(Particles* p) {
    if (!p) return;
    gpu_wait(p->gpu);
    particles_drop(p);
}

ent_status ent_particles_record(Particles* p, GpuFrame* frame, u32 steps) {
    TRY(colliders_begin(p, frame, steps));
    TRY(colliders_record(p, &frame->list, steps));
    TRY(emission_update(&p->emission, frame, steps));
    for (u32 i = 0; i < steps; i++) {
        if (p->is_among) p->push.collider_first = gpu_colliders_first(p->desc.colliders, i);
        particles_record_step(p, &frame->list);
    }
    return emission_report(&p->emission, frame);
}

ent_status ent_particles_ranges(Particles* p, GpuFrame* frame, GpuRange* body, GpuRange* motion) {
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const VkAccessFlags        access = VK_ACCESS_SHADER_WRITE_BIT;
    particles_record_settled(p, &frame->list);
    if (body) *body = gpu_range_of(particles_body(p), stage, access);
    if (motion) *motion = gpu_range_of(particles_motion(p), stage, access);
    return frame->list.status;
}

/* When passes are timed, steps run one by one. */
static ent_status lists_record(Particles* p) {
    TRY(colliders_begin(p, NULL, 1));
    const u32 version = p->desc.colliders ? p->desc.colliders->version : 0;
    if (p->step.is_recorded && p->step_version == version) return ENT_OK;
    gpu_list_restart(&p->step, p->gpu, p->desc.times);
    TRY(colliders_record(p, &p->step, 0));
    particles_record_step(p, &p->step);
    TRY(gpu_list_end(&p->step));
    if (p->desc.times == GPU_TIMES_PASSES) {
        p->step_version = version;
        return ENT_OK;
    }
    gpu_list_restart(&p->steps, p->gpu, p->desc.times);
    TRY(colliders_record(p, &p->steps, 0));
    for (u32 i = 0; i < STEPS_OF_A_LIST; i++) particles_record_step(p, &p->steps);
    TRY(gpu_list_end(&p->steps));
    p->step_version = version;
    return ENT_OK;
}

ent_status ent_particles_run(Particles* p, u32 steps) {
    f64 ms = 0;
    TRY(lists_record(p));
    TRY(emission_update(&p->emission, NULL, steps));
    for (u32 done = 0; done < steps;) {
        const bool many = p->steps.is_recorded && steps - done >= STEPS_OF_A_LIST;
        GpuList*   list = many ? &p->steps : &p->step;
        TRY(gpu_list_run(list));
        ms += list->ms;
        done += many ? STEPS_OF_A_LIST : 1;
    }
    if (steps) p->ms = p->desc.times == GPU_TIMES_PASSES ? p->step.ms : ms / steps;
    return ENT_OK;
}

double ent_particles_ms(const Particles* p) { return p->ms; }

u32 ent_particles_times(const Particles* p, GpuTime* times, u32 capacity) {
    return gpu_list_times(&p->step, times, capacity);
}

u32 ent_particles_count(const Particles* p) { return p->push.count; }
