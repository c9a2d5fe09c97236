/* test_sph.c - the fluid on the device: one step of every path equals that of the reference in
 * double precision, wherever the particles are; momentum is conserved, and no particle passes a
 * plane. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sph_methods.h"
#include "sph_reference.h"
#include "shapes_stage.h"
#include "test_colliders.h"
#include "test_gpu_support.h"

#define BOUND 1e-4 /* relative, of densities and of accelerations */

typedef struct Path {
    const char*      name;
    const SphMethod* method;
} Path;

static const Path paths[] = {{"counted, wrapped", NULL},
                             {"counted, hashed", &sph_counted_hashed},
                             {"sorted, wrapped", &sph_sorted_wrapped},
                             {"sorted, hashed", &sph_sorted_hashed},
                             {"all pairs", &sph_all_pairs}};

static ent_status fluid_create(Sph** sph, Gpu* gpu, const SphDesc* desc, const Path* path) {
    const SphTune tune = sph_tune(gpu, desc);
    return sph_create_tuned(sph, gpu, desc, &tune, path->method);
}

/* --- placements of particles --- */

static f32 random_unit(u32* state) {
    *state = *state * 1664525u + 1013904223u;
    return (f32)(*state >> 8) * (1.0f / 16777216.0f);
}

typedef void (*Place)(Vec3* position, u32 count, f32 h);

/* A block with spacings of half of h, each particle slightly displaced. */
static void place_block(Vec3* position, u32 count, f32 h) {
    const u32 side = (u32)ceil(cbrt(count));
    u32       seed = count;
    for (u32 i = 0; i < count; i++) {
        const f32 x = (f32)(i % side), y = (f32)(i / side % side), z = (f32)(i / side / side);
        position[i] = (Vec3){h * 0.5f * (x + 0.4f * random_unit(&seed)),
                             h * 0.5f * (y + 0.4f * random_unit(&seed)),
                             h * 0.5f * (z + 0.4f * random_unit(&seed))};
    }
}

static void place_moved(Vec3* position, u32 count, f32 h, f32 x, f32 y, f32 z) {
    place_block(position, count, h);
    for (u32 i = 0; i < count; i++) position[i].x += x, position[i].y += y, position[i].z += z;
}

static void place_far(Vec3* position, u32 count, f32 h) {
    place_moved(position, count, h, 2e5f * h, -1e6f * h, 3e4f * h);
}
static void place_around_origin(Vec3* position, u32 count, f32 h) {
    place_moved(position, count, h, -3 * h, -3 * h, -3 * h);
}

/* Several at one position, and no other near. */
static void place_equal(Vec3* position, u32 count, f32 h) {
    place_block(position, count, h);
    for (u32 i = 0; i + 3 < count; i += 4) position[i + 1] = position[i + 2] = position[i];
}

/* More in a cell than bits in a row: all within a quarter of h. */
static void place_one_cell(Vec3* position, u32 count, f32 h) {
    u32 seed = 5;
    place_block(position, count, h);
    for (u32 i = 0; i < MIN_OF(count, 300u); i++)
        position[i] =
            (Vec3){h * (0.5f + 0.25f * random_unit(&seed)), h * (0.5f + 0.25f * random_unit(&seed)),
                   h * (0.5f + 0.25f * random_unit(&seed))};
}

/* Far apart in all directions: cells with many different numbers, few of them adjacent. */
static void place_scattered(Vec3* position, u32 count, f32 h) {
    u32 seed = 11;
    for (u32 i = 0; i < count; i++) {
        const f32 reach = i % 3 ? 8 * h : 4000 * h;
        position[i] =
            (Vec3){reach * (random_unit(&seed) - 0.5f), reach * (random_unit(&seed) - 0.5f),
                   reach * (random_unit(&seed) - 0.5f)};
    }
}

/* --- a case --- */

typedef struct Particles {
    FluidRecord fluid;
    SphCase     is;
    Vec3 *      position, *velocity;
    f64*        density;
    f64 (*acceleration)[3];
} Particles;

static Particles particles_begin(u32 count, Place place, f32 h, u32 model) {
    Particles p = {.fluid = {.smoothing_radius_m = h,
                             .rest_density_kg_m3 = 1000,
                             .stiffness = 50,
                             .viscosity = 3,
                             .particle_mass_kg = 1000 * h * h * h / 8,
                             .gravity_m_s2 = {0, -9.81f, 1},
                             .step_s = 0.002f * h,
                             .substeps = 1,
                             .model = model}};
    u32       seed = 3;
    p.position = malloc(sizeof(Vec3) * count);
    p.velocity = malloc(sizeof(Vec3) * count);
    p.density = malloc(sizeof(f64) * count);
    p.acceleration = malloc(sizeof(f64[3]) * count);
    place(p.position, count, h);
    for (u32 i = 0; i < count; i++) {
        p.velocity[i] =
            (Vec3){random_unit(&seed) - 0.5f, random_unit(&seed) - 0.5f, random_unit(&seed) - 0.5f};
    }
    return p;
}

static void particles_refer(Particles* p, u32 count) {
    p->is = (SphCase){
        .fluid = &p->fluid, .count = count, .position = p->position, .velocity = p->velocity};
    sph_reference_density(&p->is, p->density);
    sph_reference_acceleration(&p->is, p->density, p->acceleration);
}

static void particles_end(Particles* p) {
    free(p->position), free(p->velocity), free(p->density), free(p->acceleration);
}

static SphDesc desc_of(const Particles* p, u32 count) {
    return (SphDesc){
        .fluid = &p->fluid, .count = count, .position = p->position, .velocity = p->velocity};
}

/* Accelerations of one step without planes, from the velocities before and after it. */
static void accelerations_read(Sph* sph, const Particles* p, u32 count, Vec3* acceleration) {
    const f32 step_s = p->fluid.step_s;
    assert_int_equal(ent_sph_read(sph, NULL, acceleration, NULL), ENT_OK);
    for (u32 i = 0; i < count; i++) {
        const Vec3 v = acceleration[i], before = p->velocity[i];
        acceleration[i] =
            (Vec3){(v.x - before.x) / step_s, (v.y - before.y) / step_s, (v.z - before.z) / step_s};
    }
}

static f64 length_of(const f64 v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* The largest error of an acceleration, relative to its length, or to the average one where forces
 * almost cancel. */
static f64 acceleration_error(const Particles* p, u32 count, const Vec3* a) {
    f64 square = 0, worst = 0;
    for (u32 i = 0; i < count; i++)
        square += length_of(p->acceleration[i]) * length_of(p->acceleration[i]);
    const f64 usual = sqrt(square / count);
    for (u32 i = 0; i < count; i++) {
        const f64* r = p->acceleration[i];
        const f64  d[3] = {a[i].x - r[0], a[i].y - r[1], a[i].z - r[2]};
        worst = fmax(worst, length_of(d) / fmax(length_of(r), usual));
    }
    return worst;
}

static void created_step_is_the_reference(Sph* sph, const Particles* p, u32 count, const char* name,
                                          const char* where) {
    f32*  density = malloc(sizeof(f32) * count);
    Vec3* acceleration = malloc(sizeof(Vec3) * count);
    f64   worst = 0;
    assert_int_equal(ent_sph_run(sph, 1), ENT_OK);
    assert_int_equal(ent_sph_read(sph, NULL, NULL, density), ENT_OK);
    accelerations_read(sph, p, count, acceleration);
    for (u32 i = 0; i < count; i++)
        worst = fmax(worst, fabs(density[i] - p->density[i]) / p->density[i]);
    const f64 force = acceleration_error(p, count, acceleration);
    if (!(worst <= BOUND) || !(force <= BOUND))
        fail_msg("%s, %s, %u particles: density is off by %g, acceleration by %g", name, where,
                 count, worst, force);
    ent_sph_destroy(sph);
    free(density), free(acceleration);
}

static void step_with_tune_is_the_reference(const Particles* p, u32 count, const Path* path,
                                            const SphTune* tune, const char* where) {
    Sph*          sph;
    const SphDesc desc = desc_of(p, count);
    assert_int_equal(sph_create_tuned(&sph, gpu_for_test(), &desc, tune, path->method), ENT_OK);
    created_step_is_the_reference(sph, p, count, path->name, where);
}

static void desc_step_is_the_reference(const SphDesc* desc, const Particles* p, u32 count,
                                       const char* where) {
    Sph* sph;
    assert_int_equal(ent_sph_create(&sph, gpu_for_test(), desc), ENT_OK);
    created_step_is_the_reference(sph, p, count, "other cells", where);
}

static void step_is_the_reference(const Particles* p, u32 count, const Path* path,
                                  const char* where) {
    const SphDesc desc = desc_of(p, count);
    const SphTune tune = sph_tune(gpu_for_test(), &desc);
    step_with_tune_is_the_reference(p, count, path, &tune, where);
}

static const struct {
    const char* name;
    Place       place;
} places[] = {{"a block", place_block},        {"around the origin", place_around_origin},
              {"far away", place_far},         {"at equal places", place_equal},
              {"in one cell", place_one_cell}, {"scattered", place_scattered}};

static void places_are_stepped(u32 count, f32 h, u32 model) {
    for (u32 k = 0; k < COUNT_OF(places); k++) {
        Particles p = particles_begin(count, places[k].place, h, model);
        particles_refer(&p, count);
        for (u32 i = 0; i < COUNT_OF(paths); i++)
            step_is_the_reference(&p, count, &paths[i], places[k].name);
        particles_end(&p);
    }
}

static void fluid_step_of_few_particles_equals_reference(void** state) {
    UNUSED(state);
    gpu_for_test();
    places_are_stepped(1000, 1, FLUID_MUELLER);
    test_gpu_silent();
}

static void fluid_step_of_each_model_equals_reference(void** state) {
    UNUSED(state);
    gpu_for_test();
    places_are_stepped(1001, 0.03f, FLUID_ARTICLE);
    places_are_stepped(4000, 0.25f, FLUID_MUELLER);
    places_are_stepped(1, 7, FLUID_MUELLER);
    test_gpu_silent();
}

static void fluid_step_of_many_particles_equals_reference(void** state) {
    UNUSED(state);
    gpu_for_test();
    Particles far = particles_begin(30000, place_far, 0.1f, FLUID_MUELLER);
    particles_refer(&far, 30000);
    step_is_the_reference(&far, 30000, &paths[0], "far away");
    particles_end(&far);
    for (u32 model = 0; model <= FLUID_ARTICLE; model++) {
        Particles p = particles_begin(30000, place_block, 0.1f, model);
        particles_refer(&p, 30000);
        for (u32 i = 0; i < (model == FLUID_MUELLER ? COUNT_OF(paths) : 1); i++)
            step_is_the_reference(&p, 30000, &paths[i], "a block");
        particles_end(&p);
    }
    test_gpu_silent();
}

/* The larger the count, the fewer threads per particle. */
static void fluid_step_with_any_threads_per_particle_equals_reference(void** state) {
    const u32 counts[] = {61000, 510000};
    UNUSED(state);
    gpu_for_test();
    for (u32 i = 0; i < COUNT_OF(counts); i++) {
        Particles p = particles_begin(counts[i], place_block, 0.1f, FLUID_MUELLER);
        particles_refer(&p, counts[i]);
        step_is_the_reference(&p, counts[i], &paths[0], "a block");
        particles_end(&p);
    }
    test_gpu_silent();
}

/* Cells of any length along x, threads that share a particle, and particles that share a thread. */
static void fluid_step_with_any_parameters_equals_reference(void** state) {
    UNUSED(state);
    enum { COUNT = 777 };
    static const u32 shares[][2] = {{1, 1}, {1, 2}, {2, 1}, {4, 1}};
    for (u32 k = 0; k < COUNT_OF(places); k++) {
        Particles     p = particles_begin(COUNT, places[k].place, 0.5f, FLUID_MUELLER);
        const SphDesc desc = desc_of(&p, COUNT);
        SphTune       tune = sph_tune(gpu_for_test(), &desc);
        const u32     bits_x = tune.bits_x - tune.fine;
        particles_refer(&p, COUNT);
        for (u32 i = 0; i < COUNT_OF(shares) * 4; i++) {
            tune.fine = i / COUNT_OF(shares);
            tune.bits_x = bits_x + tune.fine;
            tune.lanes = shares[i % COUNT_OF(shares)][0];
            tune.shared = shares[i % COUNT_OF(shares)][1];
            tune.unroll = i % 2 ? 4 : 2;
            step_with_tune_is_the_reference(&p, COUNT, &paths[0], &tune, places[k].name);
        }
        particles_end(&p);
    }
    test_gpu_silent();
}

/* Few cells, which many particles share; many; and rows that are hashed, also so that most are equal. */
static void fluid_step_with_any_cells_equals_reference(void** state) {
    enum { COUNT = 777 };
    static const struct {
        u32 cells, primes[2];
    } rows[] = {{1, {0, 0}},
                {300, {0, 0}},
                {1u << 20, {0, 0}},
                {0, {19349663, 83492791}},
                {1u << 16, {19349663, 83492791}},
                {1u << 12, {1, 1}}};
    UNUSED(state);
    for (u32 k = 0; k < COUNT_OF(places); k++) {
        Particles p = particles_begin(COUNT, places[k].place, 0.5f, FLUID_MUELLER);
        particles_refer(&p, COUNT);
        for (u32 i = 0; i < COUNT_OF(rows); i++) {
            SphDesc desc = desc_of(&p, COUNT);
            desc.cells = rows[i].cells;
            memcpy(desc.hash_primes, rows[i].primes, sizeof desc.hash_primes);
            desc_step_is_the_reference(&desc, &p, COUNT, places[k].name);
        }
        particles_end(&p);
    }
    test_gpu_silent();
}

static void fluid_on_device_conserves_momentum(void** state) {
    UNUSED(state);
    gpu_for_test();
    enum { N = 2000 };
    for (u32 k = 0; k < COUNT_OF(paths); k++) {
        Sph*      sph;
        Particles p = particles_begin(N, place_block, 0.2f, FLUID_MUELLER);
        f64       before[3] = {0}, after[3] = {0}, speed = 0;
        p.fluid.gravity_m_s2 = (Vec3){0, 0, 0};
        const SphDesc desc = desc_of(&p, N);
        for (u32 i = 0; i < N; i++)
            before[0] += p.velocity[i].x, before[1] += p.velocity[i].y,
                before[2] += p.velocity[i].z;
        assert_int_equal(fluid_create(&sph, gpu_for_test(), &desc, &paths[k]), ENT_OK);
        assert_int_equal(ent_sph_run(sph, 50), ENT_OK);
        assert_int_equal(ent_sph_read(sph, NULL, p.velocity, NULL), ENT_OK);
        for (u32 i = 0; i < N; i++) {
            const Vec3 v = p.velocity[i];
            after[0] += v.x, after[1] += v.y, after[2] += v.z;
            speed += sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
        }
        for (u32 axis = 0; axis < 3; axis++) {
            if (!(fabs(after[axis] - before[axis]) <= 1e-6 * speed * 50))
                fail_msg("%s: momentum %g became %g", paths[k].name, before[axis], after[axis]);
        }
        ent_sph_destroy(sph);
        particles_end(&p);
    }
    test_gpu_silent();
}

/* 2,000 steps of a column of fluid that falls in a box. */
static void particles_inside_planes_stay_inside(void** state) {
    UNUSED(state);
    gpu_for_test();
    enum { N = 1500 };
    const Vec4 planes[] = {
        {0, 1, 0, -0.1f}, {1, 0, 0, -0.1f}, {-1, 0, 0, -2.5f}, {0, 0, 1, -0.1f}, {0, 0, -1, -1.3f}};
    const f32 restitution[] = {0.5f, 0, 1, 0.3f, 0.9f};
    Particles p = particles_begin(N, place_block, 0.2f, FLUID_MUELLER);
    SphDesc   desc = desc_of(&p, N);
    Sph*      sph;
    p.fluid.step_s = 0.003f;
    desc.colliders = colliders_of_planes(gpu_for_test(), planes, restitution, COUNT_OF(planes));
    assert_int_equal(ent_sph_create(&sph, gpu_for_test(), &desc), ENT_OK);
    for (u32 step = 0; step < 2000; step += 100) {
        assert_int_equal(ent_sph_run(sph, 100), ENT_OK);
        assert_int_equal(ent_sph_read(sph, p.position, p.velocity, NULL), ENT_OK);
        for (u32 i = 0; i < N; i++) {
            for (u32 k = 0; k < COUNT_OF(planes); k++) {
                const Vec4 n = planes[k];
                const Vec3 x = p.position[i];
                const f32  distance = n.x * x.x + n.y * x.y + n.z * x.z - n.w;
                if (!(distance >= -1e-5f))
                    fail_msg("step %u: particle %u is %g behind plane %u", step, i, distance, k);
            }
        }
    }
    ent_sph_destroy(sph);
    ent_gpu_colliders_destroy(desc.colliders);
    particles_end(&p);
    test_gpu_silent();
}

/* Position and velocity after a step, planes included. */
static void particle_at_plane_bounces_as_in_reference(void** state) {
    UNUSED(state);
    gpu_for_test();
    enum { N = 500 };
    const Vec4 planes[] = {{0, 1, 0, 0.3f}, {0.6f, 0, 0.8f, 0.2f}};
    const f32  restitution[] = {0.5f, 0.25f};
    for (u32 k = 0; k < COUNT_OF(paths); k++) {
        Particles p = particles_begin(N, place_block, 0.2f, FLUID_MUELLER);
        SphDesc   desc = desc_of(&p, N);
        Sph*      sph;
        f64(*x)[3] = malloc(sizeof(f64[3]) * N), (*v)[3] = malloc(sizeof(f64[3]) * N);
        desc.colliders = colliders_of_planes(gpu_for_test(), planes, restitution, 2);
        assert_int_equal(fluid_create(&sph, gpu_for_test(), &desc, &paths[k]), ENT_OK);
        particles_refer(&p, N);
        p.is.plane = planes, p.is.plane_restitution = restitution, p.is.plane_count = 2;
        sph_reference_step(&p.is, x, v);
        assert_int_equal(ent_sph_run(sph, 1), ENT_OK);
        assert_int_equal(ent_sph_read(sph, p.position, p.velocity, NULL), ENT_OK);
        for (u32 i = 0; i < N; i++) {
            assert_float_equal(p.position[i].x, x[i][0], 1e-5);
            assert_float_equal(p.position[i].y, x[i][1], 1e-5);
            assert_float_equal(p.position[i].z, x[i][2], 1e-5);
            assert_float_equal(p.velocity[i].x, v[i][0], 1e-4);
            assert_float_equal(p.velocity[i].y, v[i][1], 1e-4);
            assert_float_equal(p.velocity[i].z, v[i][2], 1e-4);
        }
        ent_sph_destroy(sph);
        ent_gpu_colliders_destroy(desc.colliders);
        particles_end(&p);
        free(x), free(v);
    }
    test_gpu_silent();
}

/* The same with every width that the software device supports: threads of a subgroup share
 * particles, which must not change the result. */
static void fluid_step_with_any_subgroup_size_equals_reference(void** state) {
    UNUSED(state);
    test_gpu_widths("sph_width", 512);
}

/* After any failure of the driver nothing of the fluid remains. */
static void fluid_with_any_failing_vulkan_call_frees_everything(void** state) {
    UNUSED(state);
    Gpu*      gpu = gpu_for_test();
    Particles p = particles_begin(100, place_block, 1, FLUID_MUELLER);
    const u32 call_step = getenv("TEST_FULL") ? 1 : test_step(3, 11);
    for (u32 path = 0; path < COUNT_OF(paths); path++) {
        const SphDesc desc = desc_of(&p, 100);
        const u64     bytes = ent_gpu_bytes(gpu);
        u32           call = 1;
        for (ent_status status = ENT_NO_MEMORY; status != ENT_OK; call += call_step) {
            Sph* sph;
            gpu->desc.fault_call = gpu->calls + call;
            gpu->desc.fault_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
            status = fluid_create(&sph, gpu, &desc, &paths[path]);
            if (status == ENT_OK) status = ent_sph_run(sph, 1);
            if (status == ENT_OK) status = ent_sph_read(sph, p.position, NULL, NULL);
            ent_sph_destroy(sph);
            assert_true(status == ENT_OK || status == ENT_NO_MEMORY);
            assert_int_equal(ent_gpu_bytes(gpu), bytes);
            gpu->desc.fault_call = 0;
            test_gpu_silent(); /* what failed does not disturb what follows */
            if (!gpu->lost) continue;
            gpu = gpu_renewed_for_test(); /* a lost device stays lost */
        }
        assert_true(call > 20);
    }
    particles_end(&p);
}

/* A picture of what was added, which is removed, seen from the front. */
static void picture_read(ShapesStage* stage, u32* pixels) {
    const CanvasView view = {
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 1, .near_m = 1},
        .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 20}}},
        .light = {0, 0, 1},
        .light_color = {1, 1, 1},
        .reach_m = 1,
        .grid_m = 1};
    assert_int_equal(ent_picture_draw(stage->canvas, &stage->parts, &view), ENT_OK);
    assert_int_equal(ent_canvas_read(stage->canvas, (unsigned char*)pixels), ENT_OK);
    ent_shapes_clear(shapes_stage_shapes(stage));
}

/* The picture is that of arrays of what is read, though particles have moved into another order. */
static void fluid_drawn_in_place_gives_the_picture_of_what_is_read(void** state) {
    UNUSED(state);
    enum { COUNT = 300, SIDE = 128 };
    static u32          pixels[2][SIDE * SIDE];
    static Vec3         position[COUNT], velocity[COUNT];
    const CanvasDesc    size = {.width = SIDE, .height = SIDE, .samples = 1};
    const EntShapesLook look = {.color = {0.2f, 0.4f, 0.8f}, .roughness = 0.5f};
    ShapesStage         stage;
    assert_int_equal(shapes_stage_open(&stage, gpu_for_test(), &size), ENT_OK);
    void* const shapes = shapes_stage_shapes(&stage);
    for (u32 i = 0; i < COUNT_OF(paths); i++) {
        Particles     p = particles_begin(COUNT, place_around_origin, 1, FLUID_MUELLER);
        const SphDesc desc = desc_of(&p, COUNT);
        Sph*          sph;
        assert_int_equal(fluid_create(&sph, gpu_for_test(), &desc, &paths[i]), ENT_OK);
        assert_int_equal(ent_sph_run(sph, 2), ENT_OK);
        assert_int_equal(ent_sph_draw(sph, shapes, 0.25f, 1, &look), ENT_OK);
        picture_read(&stage, pixels[0]);
        assert_int_equal(ent_sph_read(sph, position, velocity, NULL), ENT_OK);
        const EntShapesSpheres spheres = {COUNT, position, velocity, 0.25f, 1, look};
        assert_int_equal(ent_shapes_spheres(shapes, &spheres), ENT_OK);
        picture_read(&stage, pixels[1]);
        assert_memory_equal(pixels[0], pixels[1], sizeof pixels[0]);
        assert_int_not_equal(pixels[0][0], pixels[0][SIDE / 2 * SIDE + SIDE / 2]);
        ent_sph_destroy(sph);
        particles_end(&p);
    }
    shapes_stage_close(&stage);
    test_gpu_silent();
}

static void fluid_beyond_device_memory_is_refused(void** state) {
    UNUSED(state);
    Gpu*      gpu = gpu_for_test();
    Particles p = particles_begin(1, place_block, 1, FLUID_MUELLER);
    SphDesc   desc = desc_of(&p, 1);
    const u64 max = ent_gpu_info(gpu)->buffer_bytes / 36, more = max + 1;
    Sph*      sph;
    desc.count = (u32)more;
    assert_int_equal(ent_sph_create(&sph, gpu, &desc), ENT_LIMIT);
    assert_null(sph);
    assert_non_null(strstr(test_gpu_message(), "fluid particles"));
    assert_non_null(strstr(test_gpu_message(), "would fit"));
    particles_end(&p);
    test_gpu_silent();
}

/* Every path once, with a few particles: repeated for every width. */
TEST_SUITE(sph_width) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluid_step_of_few_particles_equals_reference),
        cmocka_unit_test(fluid_step_with_any_parameters_equals_reference),
        cmocka_unit_test(fluid_step_with_any_cells_equals_reference)};
    return gpu_suite_end(TEST_RUN("sph_width", tests));
}

TEST_SUITE(sph) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluid_step_of_each_model_equals_reference),
        cmocka_unit_test(fluid_step_of_many_particles_equals_reference),
        cmocka_unit_test(fluid_step_with_any_threads_per_particle_equals_reference),
        cmocka_unit_test(fluid_on_device_conserves_momentum),
        cmocka_unit_test(fluid_step_with_any_subgroup_size_equals_reference),
        cmocka_unit_test(fluid_with_any_failing_vulkan_call_frees_everything),
        cmocka_unit_test(fluid_beyond_device_memory_is_refused),
        cmocka_unit_test(particles_inside_planes_stay_inside),
        cmocka_unit_test(particle_at_plane_bounces_as_in_reference),
        cmocka_unit_test(fluid_drawn_in_place_gives_the_picture_of_what_is_read),
    };
    return gpu_suite_end(TEST_RUN("sph", tests));
}
