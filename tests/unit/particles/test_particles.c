/* test_particles.c - particles in bins compared with a simple reference in double that finds pairs
 * in another way; what collisions conserve, walls, and refusals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "particles_lists.h"
#include "shapes_stage.h"
#include "test_gpu_support.h"

/* --- the reference --- */

typedef struct Plain {
    f64  x, y, vx, vy, r, temperature;
    f64  dx, dy; /* by which it is displaced */
    f64  unsure; /* the rounding error of that, and of its position */
    u32  hits, partner;
    bool doubtful; /* floats cannot decide whether it touches another particle */
} Plain;

static void plain_load(Plain* plain, const ParticleState* state, u32 count) {
    for (u32 i = 0; i < count; i++) {
        const ParticleState* s = &state[i];
        plain[i] = (Plain){.x = (f64)s->position.x,
                           .y = (f64)s->position.y,
                           .vx = (f64)s->velocity.x,
                           .vy = (f64)s->velocity.y,
                           .r = (f64)s->radius,
                           .temperature = (f64)s->temperature};
    }
}

/* Back to the wall, with the velocity away from it. */
static void plain_wall(f64* x, f64* v, f64 room) {
    if (*x > room) *x = room, *v = -fabs(*v);
    if (*x < -room) *x = -room, *v = fabs(*v);
}

static void plain_move(Plain* p, const ParticlesDesc* d) {
    const f64 dt = (f64)d->step_s;
    if (d->has_attractor) {
        p->vx += ((f64)d->attractor.x - p->x) * dt;
        p->vy += ((f64)d->attractor.y - p->y) * dt;
    }
    p->x += p->vx * dt;
    p->y += p->vy * dt;
    plain_wall(&p->x, &p->vx, (f64)d->system->half_extent_m.x - p->r);
    plain_wall(&p->y, &p->vy, (f64)d->system->half_extent_m.y - p->r);
    p->temperature -= p->temperature * fmin(2 * dt, 1);
}

static void plain_touch(Plain* all, u32 a, u32 b, f64 doubt) {
    Plain *   p = &all[a], *q = &all[b];
    const f64 x = q->x - p->x, y = q->y - p->y, apart = hypot(x, y), reach = p->r + q->r;
    if (fabs(apart - reach) < doubt) p->doubtful = q->doubtful = true;
    if (apart >= reach) return;
    const f64 push = (reach - apart) * 0.51 / apart;
    p->dx -= x * push, p->dy -= y * push;
    q->dx += x * push, q->dy += y * push;
    p->hits++, q->hits++;
    p->partner = b, q->partner = a;
    p->unsure += doubt * (1 + reach / apart), q->unsure += doubt * (1 + reach / apart);
}

static const Plain* by_x;
static int          left_first(const void* a, const void* b) {
             const f64 x = by_x[*(const u32*)a].x, y = by_x[*(const u32*)b].x;
             return x < y ? -1 : x > y;
}

/* All pairs whose distance in x is at most two of the largest radii. */
static void plain_collide(Plain* all, u32 count, f64 reach_max, f64 doubt) {
    u32* order = malloc(count * sizeof *order);
    for (u32 i = 0; i < count; i++) order[i] = i;
    by_x = all;
    qsort(order, count, sizeof *order, left_first);
    for (u32 i = 0; i < count; i++) {
        for (u32 k = i + 1; k < count; k++) {
            if (all[order[k]].x - all[order[i]].x > reach_max + doubt) break;
            plain_touch(all, order[i], order[k], doubt);
        }
    }
    free(order);
}

/* Of the collisions of `p`, with the state of its partner before them. */
static void plain_turn(Plain* p, const Plain* partner) {
    const f64 size = hypot(p->dx, p->dy), x = p->dx / size, y = p->dy / size;
    f64       gain = -2 * fmin(p->vx * x + p->vy * y, 0);
    if (p->hits == 0) return;
    if (p->hits == 1 && partner->hits == 1) {
        const f64 m = p->r * p->r, n = partner->r * partner->r;
        const f64 nearing = (partner->vx - p->vx) * x + (partner->vy - p->vy) * y;
        gain = 2 * n / (m + n) * fmax(nearing, 0);
    }
    p->vx += gain * x, p->vy += gain * y;
}

static void plain_step(Plain* all, u32 count, const ParticlesDesc* d, f64 doubt) {
    const f64 width = (f64)d->system->half_extent_m.x, height = (f64)d->system->half_extent_m.y;
    for (u32 i = 0; i < count; i++) plain_move(&all[i], d);
    plain_collide(all, count, 2 * (f64)d->system->radius_max_m, doubt);
    Plain* before = malloc(count * sizeof *before);
    memcpy(before, all, count * sizeof *before);
    for (u32 i = 0; i < count; i++) {
        Plain* p = &all[i];
        plain_turn(p, &before[p->partner]);
        if (p->hits == 1 && before[p->partner].doubtful) p->doubtful = true;
        p->x = fmin(fmax(p->x + p->dx, p->r - width), width - p->r);
        p->y = fmin(fmax(p->y + p->dy, p->r - height), height - p->r);
        if (p->hits) p->temperature = 1;
    }
    free(before);
}

/* --- one step of the device compared with one of the reference --- */

#define STEP_S 0.01f

static ParticleSystemRecord record_of(u32 count, f32 x, f32 y, f32 radius_min, f32 radius_max) {
    return (ParticleSystemRecord){.count = count,
                                  .half_extent_m = {x, y},
                                  .radius_min_m = radius_min,
                                  .radius_max_m = radius_max,
                                  .speed_max_m_s = 0.5f,
                                  .seed = count + 1};
}

/* In the order of bins, or in lists. */
static const ParticlesMethod* const methods[] = {NULL, &particles_lists};

static Particles* particles_make(const ParticlesDesc* desc, const ParticlesMethod* method) {
    Particles* p;
    assert_int_equal(particles_create(&p, gpu_for_test(), desc, method), ENT_OK);
    assert_int_equal(ent_particles_count(p), desc->system->count);
    return p;
}

/* Floats place a particle within `doubt`, and the direction of its displacement is the more precise
 * the longer that is. */
static void state_expect(const ParticleState* s, const Plain* p, f64 doubt, u32 i) {
    const f64 speed = 0.5 + hypot(p->vx, p->vy);
    const f64 turned = p->hits ? p->unsure / hypot(p->dx, p->dy) : 0;
    const f64 place = hypot((f64)s->position.x - p->x, (f64)s->position.y - p->y);
    const f64 velocity = hypot((f64)s->velocity.x - p->vx, (f64)s->velocity.y - p->vy);
    if (s->collisions != p->hits)
        fail_msg("particle %u: %u collisions, not %u", i, s->collisions, p->hits);
    if (!(place <= doubt + p->unsure)) fail_msg("particle %u is off by %g m", i, place);
    if (!(velocity <= speed * (1e-6 + 4 * turned)))
        fail_msg("particle %u is off by %g m/s, %u collisions", i, velocity, p->hits);
    assert_true(fabs((f64)s->temperature - p->temperature) < 1e-6);
}

static u32 step_expect(Particles* particles, const ParticlesDesc* desc) {
    const u32      count = desc->system->count;
    ParticleState* state = malloc(count * sizeof *state);
    Plain*         plain = malloc(count * sizeof *plain);
    const f64      doubt =
        4e-7 * (f64)MAX_OF(desc->system->half_extent_m.x, desc->system->half_extent_m.y);
    u32 hits = 0, doubtful = 0;
    assert_int_equal(ent_particles_read(particles, state), ENT_OK);
    plain_load(plain, state, count);
    plain_step(plain, count, desc, doubt);
    assert_int_equal(ent_particles_run(particles, 1), ENT_OK);
    assert_int_equal(ent_particles_read(particles, state), ENT_OK);
    for (u32 i = 0; i < count; i++) {
        doubtful += plain[i].doubtful;
        hits += plain[i].hits;
        if (!plain[i].doubtful) state_expect(&state[i], &plain[i], doubt, i);
    }
    assert_true(doubtful * 100 <= count);
    free(state), free(plain);
    return hits;
}

/* The first step, with random overlaps, and one after others. */
static void steps_expect(ParticleSystemRecord record, bool attracted) {
    for (u32 unordered = 0; unordered < 2; unordered++) {
        const ParticlesDesc desc = {.system = &record,
                                    .step_s = STEP_S,
                                    .has_attractor = attracted,
                                    .attractor = {0.3f, -0.2f}};
        Particles*          particles = particles_make(&desc, methods[unordered]);
        assert_true(step_expect(particles, &desc) > record.count / 50);
        assert_int_equal(ent_particles_run(particles, 11), ENT_OK);
        step_expect(particles, &desc);
        ent_particles_destroy(particles);
    }
    test_gpu_silent();
}

static void particle_step_on_device_equals_reference_in_double(void** state) {
    UNUSED(state);
    steps_expect(record_of(1000, 0.5f, 0.3f, 0.005f, 0.01f), false);
    steps_expect(record_of(1000, 0.25f, 0.25f, 0.005f, 0.01f), true); /* a crowd */
    steps_expect(record_of(1000, 20, 0.02f, 0.001f, 0.02f), false);   /* a pipe */
    steps_expect(record_of(20000, 2, 1.5f, 0.005f, 0.01f), false);
    steps_expect(record_of(20001, 1, 1, 1e-4f, 0.02f), false); /* bins of several */
}

/* No other particle to collide with, larger than half of the rectangle, and all at one position. */
static void one_to_three_particles_in_one_place_stay_in_rectangle(void** state) {
    UNUSED(state);
    ParticleState after[3];
    for (u32 count = 1; count <= 3; count++) {
        for (u32 unordered = 0; unordered < 2; unordered++) {
            const ParticleSystemRecord record = record_of(count, 1, 0.1f, 0.2f, 0.2f);
            const ParticlesDesc        desc = {.system = &record, .step_s = 1};
            const ParticleState here[3] = {{.radius = 0.2f}, {.radius = 0.2f}, {.radius = 0.2f}};
            Particles*          particles = particles_make(&desc, methods[unordered]);
            assert_int_equal(particles_write(particles, here), ENT_OK);
            assert_int_equal(ent_particles_run(particles, 1), ENT_OK);
            assert_int_equal(ent_particles_read(particles, after), ENT_OK);
            for (u32 i = 0; i < count; i++) assert_int_equal(after[i].collisions, count - 1);
            for (u32 i = 0; i < count; i++) assert_true(after[i].position.y == 0);
            if (count == 1) assert_true(after[0].position.x == 0);
            if (count == 2) assert_true(after[1].position.x - after[0].position.x >= 0.4f);
            ent_particles_destroy(particles);
        }
    }
    test_gpu_silent();
}

/* --- what collisions conserve --- */

#define PAIRS 400u

typedef struct Sums {
    f64 mass, x, y, energy;
} Sums;

static void sums_add(Sums* sums, const ParticleState* s) {
    const f64 m = (f64)s->radius * (f64)s->radius;
    const f64 x = (f64)s->velocity.x, y = (f64)s->velocity.y;
    sums->mass += m;
    sums->x += m * x, sums->y += m * y;
    sums->energy += m * (x * x + y * y) / 2;
}

/* Overlapping pairs, each in a separate area of 0.1 x 0.1 m. */
static void pairs_place(ParticleState* state) {
    for (u32 i = 0; i < PAIRS; i++) {
        ParticleState *p = &state[2 * i], *q = p + 1;
        const f64      angle = (f64)i, near = 0.3 + 0.6 * i / PAIRS;
        const f64      reach = (f64)p->radius + (f64)q->radius;
        p->position = (Vec2){-0.95f + 0.1f * (f32)(i % 20), -0.95f + 0.1f * (f32)(i / 20)};
        q->position.x = (f32)((f64)p->position.x + cos(angle) * near * reach);
        q->position.y = (f32)((f64)p->position.y + sin(angle) * near * reach);
    }
}

static void pair_expect(const ParticleState* before, const ParticleState* after, u32* turned) {
    Sums      a = {0}, b = {0};
    const f64 reach = (f64)after[0].radius + (f64)after[1].radius;
    const f64 apart = hypot((f64)after[1].position.x - (f64)after[0].position.x,
                            (f64)after[1].position.y - (f64)after[0].position.y);
    for (u32 k = 0; k < 2; k++) sums_add(&a, &before[k]), sums_add(&b, &after[k]);
    const f64 momentum = sqrt(2 * a.mass * a.energy);
    assert_int_equal(after[0].collisions, 1);
    assert_true(apart >= reach);
    assert_true(fabs(a.x - b.x) <= 1e-5 * momentum && fabs(a.y - b.y) <= 1e-5 * momentum);
    assert_true(fabs(a.energy - b.energy) <= 1e-5 * a.energy);
    *turned += memcmp(&before[0].velocity, &after[0].velocity, sizeof(Vec2)) != 0;
}

static void colliding_pair_conserves_momentum_and_energy(void** state) {
    UNUSED(state);
    const ParticleSystemRecord record = record_of(2 * PAIRS, 1, 1, 0.005f, 0.02f);
    ParticleState              before[2 * PAIRS], after[2 * PAIRS];
    for (u32 unordered = 0; unordered < 2; unordered++) {
        const ParticlesDesc desc = {.system = &record, .step_s = 1e-6f};
        Particles*          particles = particles_make(&desc, methods[unordered]);
        u32                 turned = 0;
        particles_start(&record, 0, 2 * PAIRS, before);
        pairs_place(before);
        assert_int_equal(particles_write(particles, before), ENT_OK);
        assert_int_equal(ent_particles_run(particles, 1), ENT_OK);
        assert_int_equal(ent_particles_read(particles, after), ENT_OK);
        for (u32 i = 0; i < PAIRS; i++) pair_expect(&before[2 * i], &after[2 * i], &turned);
        assert_true(turned > PAIRS / 4 &&
                    turned < PAIRS * 3 / 4); /* those that approach each other */
        ent_particles_destroy(particles);
    }
    test_gpu_silent();
}

/* The largest overlap, relative to the sum of the two radii. */
static f64 overlap_max(const ParticleState* s, u32 count) {
    f64 max = 0;
    for (u32 i = 0; i < count; i++) {
        for (u32 k = i + 1; k < count; k++) {
            const f64 reach = (f64)s[i].radius + (f64)s[k].radius;
            const f64 apart = hypot((f64)s[k].position.x - (f64)s[i].position.x,
                                    (f64)s[k].position.y - (f64)s[i].position.y);
            max = fmax(max, 1 - apart / reach);
        }
    }
    return max;
}

#define MANY 2000u

static void crowd_expect(const ParticleSystemRecord* record, const ParticleState* before,
                         const ParticleState* after) {
    Sums a = {0}, b = {0};
    for (u32 i = 0; i < MANY; i++) {
        const ParticleState* s = &after[i];
        sums_add(&a, &before[i]), sums_add(&b, s);
        assert_true(s->radius == before[i].radius); /* none is lost, none is duplicated */
        assert_true(fabsf(s->position.x) <= record->half_extent_m.x - s->radius);
        assert_true(fabsf(s->position.y) <= record->half_extent_m.y - s->radius);
        assert_true(s->temperature >= 0 && s->temperature <= 1);
    }
    if (fabs(b.energy / a.energy - 1) > 1e-4)
        fail_msg("the energy became %g, from %g", b.energy, a.energy);
}

/* A third of the rectangle is filled, and a step is at most a twentieth of the smallest radius. */
static void overlapping_particles_separate_and_conserve_energy(void** state) {
    UNUSED(state);
    const ParticleSystemRecord record = record_of(MANY, 0.6f, 0.6f, 0.005f, 0.01f);
    const f32                  step_s = 0.001f;
    ParticleState*             before = malloc(MANY * sizeof *before);
    ParticleState*             after = malloc(MANY * sizeof *after);
    particles_start(&record, 0, MANY, before);
    assert_true(overlap_max(before, MANY) > 0.9);
    for (u32 unordered = 0; unordered < 2; unordered++) {
        const ParticlesDesc desc = {.system = &record, .step_s = step_s};
        Particles*          particles = particles_make(&desc, methods[unordered]);
        for (u32 turn = 0; turn < 3; turn++) {
            assert_int_equal(ent_particles_run(particles, 101), ENT_OK);
            assert_int_equal(ent_particles_read(particles, after), ENT_OK);
            crowd_expect(&record, before, after);
            assert_true(overlap_max(after, MANY) < 0.05);
        }
        ent_particles_destroy(particles);
    }
    free(before), free(after);
    test_gpu_silent();
}

/* The state that is read is that of the device: reading does not change later steps. */
static void particles_read_between_steps_continue_unchanged(void** state) {
    UNUSED(state);
    const ParticleSystemRecord record = record_of(MANY, 2, 2, 0.005f, 0.01f);
    const ParticlesDesc        desc = {.system = &record, .step_s = STEP_S};
    ParticleState*             first = malloc(MANY * sizeof *first);
    ParticleState*             second = malloc(MANY * sizeof *second);
    Particles*                 particles = particles_make(&desc, NULL);
    assert_int_equal(ent_particles_run(particles, 3), ENT_OK);
    assert_int_equal(ent_particles_read(particles, first), ENT_OK);
    assert_int_equal(ent_particles_read(particles, second), ENT_OK);
    assert_memory_equal(first, second, MANY * sizeof *first);
    assert_int_equal(ent_particles_run(particles, 0), ENT_OK);
    assert_int_equal(ent_particles_read(particles, second), ENT_OK);
    assert_memory_equal(first, second, MANY * sizeof *first);
    ent_particles_destroy(particles);
    free(first), free(second);
    test_gpu_silent();
}

/* A picture of what was added, which is removed, seen from the front. */
static void picture_read(ShapesStage* stage, u32* pixels) {
    const CanvasView view = {.camera = {.kind = CAMERA_ORTHOGRAPHIC, .height_m = 3, .near_m = 1},
                             .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 5}}},
                             .light = {0, 0, 1},
                             .light_color = {1, 1, 1},
                             .reach_m = 1,
                             .grid_m = 1};
    assert_int_equal(ent_picture_draw(stage->canvas, &stage->parts, &view), ENT_OK);
    assert_int_equal(ent_canvas_read(stage->canvas, (unsigned char*)pixels), ENT_OK);
    ent_shapes_clear(shapes_stage_shapes(stage));
}

/* The picture is that of an array of what is read, and drawing changes nothing of what comes. */
/* Where two discs of one plane overlap, the one that is drawn first is visible, and the order on the
 * device is not that of the array: a few pixels may differ. */
static u32 differing(const u32* a, const u32* b, u32 count) {
    u32 found = 0;
    for (u32 i = 0; i < count; i++) found += a[i] != b[i];
    return found;
}

static void particles_drawn_in_place_give_the_picture_of_what_is_read(void** state) {
    UNUSED(state);
    TEST_NEEDS_RASTER;
    enum { COUNT = 400, SIDE = 128 };
    static ParticleState       particle[COUNT];
    static Vec4                disc[COUNT];
    static u32                 pixels[2][SIDE * SIDE];
    const ParticleSystemRecord record = record_of(COUNT, 1, 1, 0.02f, 0.04f);
    const CanvasDesc           size = {.width = SIDE, .height = SIDE, .samples = 1};
    const Mat34                pose = {{{1, 0, 0, 0.1f}, {0, 0.8f, 0, 0}, {0, 0.6f, 1, 0}}};
    const EntShapesLook        look = {.color = {0.1f, 0.4f, 0.9f}, .roughness = 0.5f};
    ShapesStage                stage;
    assert_int_equal(shapes_stage_open(&stage, gpu_for_test(), &size), ENT_OK);
    void* const shapes = shapes_stage_shapes(&stage);
    for (u32 unordered = 0; unordered < 2; unordered++) {
        const ParticlesDesc desc = {.system = &record, .step_s = STEP_S};
        Particles*          particles = particles_make(&desc, methods[unordered]);
        assert_int_equal(ent_particles_run(particles, 5), ENT_OK);
        assert_int_equal(ent_particles_draw(particles, shapes, &pose, &look), ENT_OK);
        picture_read(&stage, pixels[0]);
        assert_int_equal(ent_particles_read(particles, particle), ENT_OK);
        for (u32 i = 0; i < COUNT; i++)
            disc[i] = (Vec4){particle[i].position.x, particle[i].position.y, particle[i].radius,
                             particle[i].temperature};
        const EntShapesDiscs discs = {.count = COUNT, .disc = disc, .pose = pose, .look = look};
        assert_int_equal(ent_shapes_discs(shapes, &discs), ENT_OK);
        picture_read(&stage, pixels[1]);
        assert_in_range(differing(pixels[0], pixels[1], SIDE * SIDE), 0, 8);
        assert_int_not_equal(pixels[0][0], pixels[0][SIDE / 2 * SIDE + SIDE / 2]);
        step_expect(particles, &desc);
        ent_particles_destroy(particles);
    }
    shapes_stage_close(&stage);
    test_gpu_silent();
}

static void particle_steps_with_each_kind_of_times_are_timed(void** state) {
    UNUSED(state);
    const ParticleSystemRecord record = record_of(MANY, 2, 2, 0.005f, 0.01f);
    static const char* const   names[2][4] = {{"move", "scan", "scatter"},
                                              {"clear", "move", "collide", "settle"}};
    GpuTime                    times[8];
    for (u32 unordered = 0; unordered < 2; unordered++) {
        for (u32 kind = GPU_TIMES_LIST; kind <= GPU_TIMES_PASSES; kind++) {
            const ParticlesDesc desc = {
                .system = &record, .step_s = STEP_S, .times = (GpuTimes)kind};
            const u32  wanted = kind != GPU_TIMES_PASSES ? 0 : unordered ? 4 : 3;
            Particles* particles = particles_make(&desc, methods[unordered]);
            assert_int_equal(ent_particles_run(particles, 9), ENT_OK);
            assert_true(ent_particles_ms(particles) > 0);
            assert_int_equal(ent_particles_times(particles, times, 8), wanted);
            for (u32 i = 0; i < wanted; i++)
                assert_string_equal(times[i].name, names[unordered][i]);
            ent_particles_destroy(particles);
        }
    }
    test_gpu_silent();
}

/* --- refusals --- */

static void particles_beyond_device_memory_are_refused(void** state) {
    UNUSED(state);
    Gpu*                       gpu = gpu_for_test();
    const ParticleSystemRecord record = record_of(16777216, 1000, 1000, 0.1f, 0.1f);
    const ParticlesDesc        desc = {.system = &record, .step_s = STEP_S};
    const u64                  fit = ent_gpu_info(gpu)->buffer_bytes / 16;
    const u64                  bytes = ent_gpu_bytes(gpu);
    char                       text[64];
    Particles*                 particles;
    if (fit >= record.count) TEST_SKIP("this device can store the largest system of a record");
    assert_int_equal(ent_particles_create(&particles, gpu, &desc), ENT_LIMIT);
    assert_null(particles);
    snprintf(text, sizeof text, "%llu elements would fit", (unsigned long long)fit);
    assert_non_null(strstr(test_gpu_message(), text));
    assert_true(ent_gpu_bytes(gpu) == bytes);
    test_gpu_silent();
}

static ent_status run_once(u32 fault_call, VkResult fault, bool* reached) {
    const ParticleSystemRecord record = record_of(64, 1, 1, 0.1f, 0.1f);
    const ParticlesDesc        desc = {.system = &record, .step_s = STEP_S};
    ParticleState              after[64];
    Particles*                 particles = NULL;
    Gpu*                       gpu;
    ent_status                 status = test_gpu_open(&gpu, fault_call, fault);
    if (status != ENT_OK) return status;
    const u64 bytes = ent_gpu_bytes(gpu);
    status = ent_particles_create(&particles, gpu, &desc);
    assert_true((status == ENT_OK) == (particles != NULL));
    if (status == ENT_OK) status = ent_particles_run(particles, 9);
    if (status == ENT_OK) status = ent_particles_read(particles, after);
    *reached = gpu->calls >= fault_call;
    ent_particles_destroy(particles);
    assert_true(ent_gpu_bytes(gpu) == bytes);
    assert_int_equal(ent_gpu_validation_count(gpu), 0);
    ent_gpu_destroy(gpu);
    return status;
}

/* The calls of the device module are tested in test_gpu.c. */
static void particles_with_any_failing_vulkan_call_return_status(void** state) {
    UNUSED(state);
    bool reached = true;
    u32  call = 12;
    gpu_for_test();
    if (getenv("TEST_WIDTH")) return;
    for (; call < 400; call += getenv("TEST_FULL") ? 1 : 7) {
        const ent_status status = run_once(call, VK_ERROR_OUT_OF_DEVICE_MEMORY, &reached);
        if (!reached) break;
        assert_int_equal(status, ENT_NO_MEMORY);
    }
    assert_true(call > 80 && call < 400);
}

static void particles_with_other_subgroup_sizes_pass_the_same_tests(void** state) {
    UNUSED(state);
    test_gpu_widths("particles", 512);
}

TEST_SUITE(particles) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particle_step_on_device_equals_reference_in_double),
        cmocka_unit_test(one_to_three_particles_in_one_place_stay_in_rectangle),
        cmocka_unit_test(colliding_pair_conserves_momentum_and_energy),
        cmocka_unit_test(overlapping_particles_separate_and_conserve_energy),
        cmocka_unit_test(particles_read_between_steps_continue_unchanged),
        cmocka_unit_test(particles_drawn_in_place_give_the_picture_of_what_is_read),
        cmocka_unit_test(particle_steps_with_each_kind_of_times_are_timed),
        cmocka_unit_test(particles_beyond_device_memory_are_refused),
        cmocka_unit_test(particles_with_any_failing_vulkan_call_return_status),
        cmocka_unit_test(particles_with_other_subgroup_sizes_pass_the_same_tests),
    };
    return gpu_suite_end(TEST_RUN("particles", tests));
}
