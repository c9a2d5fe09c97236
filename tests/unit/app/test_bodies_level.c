/* test_bodies_level.c - bodies from a level: the host receives where they are, pictures show it before that, what the host changes
 * begins there, and a save has them where they were. */
#include <stdio.h>
#include <stdlib.h>

#include "gpu_colliders_internal.h"
#include "lighting_internal.h"
#include "rows.h"
#include "simulation.h"
#include "snapshot.h"
#include "sph.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"

/* A ball with a lamp on a stick falls into a basin; a box is the child of a parent that is turned. */
static const TestFile sources[] = {
    {"pond.level.json",
     "{ \"entities\": [\n"
     "  { \"name\": \"water\", \"components\": { \"transform\": { \"position\": [0, 0.3, 0] },\n"
     "      \"fluid\": { \"half_extent_m\": [0.5, 0.3, 0.5], \"spacing_m\": 0.1,\n"
     "        \"smoothing_radius_m\": 0.2, \"rest_density_kg_m3\": 1000, \"stiffness\": 400,\n"
     "        \"viscosity\": 60, \"particle_mass_kg\": 0.98, \"step_s\": 0.0025, \"substeps\": 4,\n"
     "        \"speed_max_m_s\": 20 } } },\n"
     "  { \"name\": \"buoy\", \"components\": {\n"
     "      \"transform\": { \"position\": [0.1, 1.5, 0] },\n"
     "      \"collider\": { \"kind\": \"sphere\", \"radius_m\": 0.2 },\n"
     "      \"point_mass\": { \"position\": [0.1, 1.5, 0], \"velocity\": [0, -1, 0],\n"
     "        \"mass\": 15 } },\n"
     "    \"children\": [ { \"name\": \"lamp\", \"components\": {\n"
     "      \"transform\": { \"position\": [0, 0.4, 0.1] },\n"
     "      \"light\": { \"kind\": \"point\", \"range_m\": 5 } } } ] },\n"
     "  { \"name\": \"crane\", \"components\": { \"transform\": { \"position\": [3, 2, 1],\n"
     "      \"rotation\": [0, 0, 0.70710678, 0.70710678], \"scale\": [2, 2, 2] } },\n"
     "    \"children\": [ { \"name\": \"hook\", \"components\": {\n"
     "      \"transform\": { \"position\": [1, 0, 0] },\n"
     "      \"collider\": { \"kind\": \"box\", \"half_extent_m\": [0.1, 0.1, 0.1] },\n"
     "      \"point_mass\": { \"position\": [4, 3, 2], \"mass\": 5 } } } ] },\n"
     "  { \"name\": \"floor\", \"components\": { \"transform\": {}, \"collider\": {} } },\n"
     "  { \"name\": \"west\", \"components\": { \"transform\": { \"position\": [-0.5, 0, 0] },\n"
     "      \"collider\": { \"normal\": [1, 0, 0] } } },\n"
     "  { \"name\": \"north\", \"components\": { \"transform\": { \"position\": [0, 0, -0.5] },\n"
     "      \"collider\": { \"normal\": [0, 0, 1] } } },\n"
     "  { \"name\": \"south\", \"components\": { \"transform\": { \"position\": [0, 0, 0.5] },\n"
     "      \"collider\": { \"normal\": [0, 0, -1] } } } ] }"}};

typedef struct Pond {
    Library    library;
    World*     world;
    Simulation simulation;
    GpuFrames* frames;
    Canvas*    canvas;
    Entity     buoy, hook;
} Pond;

static Entity named(World* world, const Blob* blob, const Entity* spawned, const char* name) {
    UNUSED(world);
    for (u32 i = 0; i < blob->header->element_count; i++)
        if (strcmp(ent_blob_name(blob, i), name) == 0) return spawned[i];
    fail_msg("no entity \"%s\"", name);
    return ENTITY_NULL;
}

static void pond_begin(Pond* p) {
    const CanvasDesc desc = {.width = 64, .height = 48, .samples = 1};
    assert_int_equal(simulation_create(&p->simulation, gpu_for_test(), p->world, &p->library),
                     ENT_OK);
    assert_int_equal(
        ent_gpu_frames_create(&p->frames, gpu_for_test(), &(GpuFramesDesc){GPU_TIMES_NONE, 0, 0}),
        ENT_OK);
    assert_int_equal(ent_canvas_create(&p->canvas, gpu_for_test(), &desc), ENT_OK);
}

static void pond_open(Pond* p, const char* folder) {
    const Blob* level;
    char        path[2048];
    Entity      spawned[16];
    *p = (Pond){0};
    test_write_files(folder, "src", sources, COUNT_OF(sources));
    TEST_DONE(folder, "entc build src -o out -q");
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(ent_library_open(&p->library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_load(&p->library, "pond", RESOURCE_LEVEL, &level), ENT_OK);
    assert_int_equal(ent_world_create(&p->world, NULL), ENT_OK);
    assert_true(level->header->element_count <= COUNT_OF(spawned));
    assert_int_equal(ent_world_spawn(p->world, level, NULL, spawned), ENT_OK);
    p->buoy = named(p->world, level, spawned, "buoy");
    p->hook = named(p->world, level, spawned, "hook");
    pond_begin(p);
}

static void pond_end(Pond* p) {
    ent_gpu_frames_destroy(p->frames);
    ent_canvas_destroy(p->canvas);
    simulation_destroy(&p->simulation);
}

static void pond_close(Pond* p) {
    pond_end(p);
    ent_world_destroy(p->world);
    ent_library_close(&p->library);
    test_gpu_silent();
}

/* A frame, which is not waited for. */
static void pond_frame(Pond* p, bool draws) {
    GpuFrame*  frame;
    CanvasView view = {
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 1, .near_m = 0.1f},
        .pose = {{{1, 0, 0, 0}, {0, 1, 0, 1}, {0, 0, 1, 5}}},
        .exposure = 1,
        .dimmed = 1};
    assert_int_equal(ent_gpu_frame_begin(p->frames, &frame), ENT_OK);
    assert_int_equal(simulation_advance(&p->simulation), ENT_OK);
    assert_int_equal(
        ent_picture_record(frame, &p->simulation.parts, draws ? p->canvas : NULL, &view), ENT_OK);
    assert_int_equal(ent_gpu_frame_end(frame), ENT_OK);
}

static void* part_of(const Pond* p, const GpuSystem* system) {
    for (u32 i = 0; i < p->simulation.parts.count; i++)
        if (p->simulation.part[i].system == system) return p->simulation.part[i].state;
    fail_msg("there is no %s", system->name);
    return NULL;
}

/* On the device, after the frames so far. */
static BodyState device_state(const Pond* p, Entity entity) {
    const GpuColliders* c = part_of(p, ent_colliders_system());
    BodyState           state[4];
    const u32           count = c->bodies.count;
    u32                 at = 0;
    assert_true(count > 0 && count <= COUNT_OF(state));
    assert_int_equal(
        gpu_download(gpu_for_test(), gpu_bodies_state(&c->bodies), 0, state, count * sizeof *state),
        ENT_OK);
    while (at < count && state[at].entity != entity) at++;
    assert_true(at < count);
    return state[at];
}

static u32 mass_row(World* world, Entity entity) {
    return ent_manager_row(ent_world_built_in(world, COMPONENT_POINT_MASS),
                           ent_world_entities(world), entity);
}

static Vec3 position_of(World* world, Entity entity) {
    return ent_point_mass_rows(world).position[mass_row(world, entity)];
}

static Vec3 transform_of(World* world, Entity entity) {
    return mat34_column(ent_transform_world(world, entity), 3);
}

static void near_is(Vec3 is, Vec3 expected, f32 bound, const char* what) {
    if (!(vec3_length(vec3_sub(is, expected)) <= bound))
        fail_msg("%s: %g %g %g, not %g %g %g", what, is.x, is.y, is.z, expected.x, expected.y,
                 expected.z);
}

/* From the level to the device and back: frames that are complete are those of which the host knows. */
static void host_receives_bodies_of_frames_that_are_complete(void** state) {
    enum { FRAMES = 30 };
    BodyState history[FRAMES + 1] = {0};
    Pond      p;
    UNUSED(state);
    pond_open(&p, test_folder("bodies_receive"));
    history[0].at = position_of(p.world, p.buoy);
    for (u32 f = 1; f <= FRAMES; f++) {
        pond_frame(&p, false);
        history[f] = device_state(&p, p.buoy);
        /* With so many frames in flight, the host knows at least the one before these. */
        u32        known = f + 1;
        const Vec3 is = position_of(p.world, p.buoy);
        for (u32 k = 0; k <= f && known > f; k++)
            if (memcmp(&history[k].at, &is, sizeof is) == 0) known = k;
        if (known + GPU_FRAMES_IN_FLIGHT < f || known > f)
            fail_msg("frame %u: the host has %g %g %g, of frame %u", f, is.x, is.y, is.z, known);
        near_is(transform_of(p.world, p.buoy), is, 1e-6f, "transform");
    }
    assert_int_equal(ent_gpu_frames_wait(p.frames), ENT_OK);
    const PointMassRows rows = ent_point_mass_rows(p.world);
    const u32           row = mass_row(p.world, p.buoy);
    assert_memory_equal(&rows.position[row], &history[FRAMES].at, sizeof(Vec3));
    assert_memory_equal(&rows.velocity[row], &history[FRAMES].velocity, sizeof(Vec3));
    near_is(transform_of(p.world, p.buoy), history[FRAMES].at, 1e-6f, "transform of the buoy");
    near_is(transform_of(p.world, p.hook), device_state(&p, p.hook).at, 1e-5f,
            "transform of the hook");
    assert_true(history[FRAMES].at.y < 1.3f);
    pond_close(&p);
}

/* The world matrices of a picture have the device's place, also of what is below a body; the host is behind. */
static void pictures_show_where_bodies_are(void** state) {
    Pond p;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    pond_open(&p, test_folder("bodies_show"));
    for (u32 f = 0; f < 8; f++) {
        pond_frame(&p, true);
        const Lighting*   l = part_of(&p, ent_lighting_system());
        const GpuColumns* t = &l->places.transforms;
        Mat34*            matrix = malloc(t->count * sizeof *matrix);
        assert_int_equal(gpu_download(gpu_for_test(), GPU_MATRICES(&l->places), 0, matrix,
                                      t->count * sizeof *matrix),
                         ENT_OK);
        const u32  row = ent_transform_row(p.world, p.buoy);
        const u32  lamp = ent_transform_links(p.world)[row].first_child;
        const Vec3 at = device_state(&p, p.buoy).at;
        near_is(mat34_column(&matrix[row], 3), at, 0, "the buoy of the picture");
        near_is(mat34_column(&matrix[lamp], 3), vec3_add(at, (Vec3){0, 0.4f, 0.1f}), 1e-6f,
                "the lamp of the picture");
        near_is(mat34_column(&matrix[ent_transform_row(p.world, p.hook)], 3),
                device_state(&p, p.hook).at, 0, "the hook of the picture");
        free(matrix);
        /* A body below another one is shown, and put, where it is itself. */
        if (f == 2) assert_int_equal(ent_transform_attach(p.world, p.hook, p.buoy, 0), ENT_OK);
    }
    assert_int_equal(ent_gpu_frames_wait(p.frames), ENT_OK);
    near_is(transform_of(p.world, p.buoy), device_state(&p, p.buoy).at, 1e-5f, "the buoy");
    near_is(transform_of(p.world, p.hook), device_state(&p, p.hook).at, 1e-5f, "the hook");
    pond_close(&p);
}

/* While frames are in flight: older results do not replace what the host has set. */
static void bodies_that_the_host_moves_go_on_from_there(void** state) {
    Pond p;
    UNUSED(state);
    pond_open(&p, test_folder("bodies_moved"));
    for (u32 f = 0; f < 5; f++) pond_frame(&p, false);
    const PointMassRows rows = ent_point_mass_rows(p.world);
    const u32           row = mass_row(p.world, p.buoy);
    rows.position[row] = (Vec3){0.3f, 4, 0};
    rows.velocity[row] = (Vec3){2, 0, 0};
    for (u32 f = 1; f <= 4; f++) {
        pond_frame(&p, false);
        const f64  t = 0.01 * f, x = 0.3 + 2 * t;
        const Vec3 at = device_state(&p, p.buoy).at;
        if (fabs((f64)at.x - x) > 1e-4 || fabs(at.y - 4 + 9.81 * t * t / 2) > 5e-3)
            fail_msg("frame %u: %g %g", f, at.x, at.y);
        assert_true(position_of(p.world, p.buoy).y > 3.9f);
    }
    near_is(transform_of(p.world, p.buoy), position_of(p.world, p.buoy), 1e-5f, "transform");
    /* One that is no body any more stays where it is, and the other one goes on. */
    assert_int_equal(ent_gpu_frames_wait(p.frames), ENT_OK);
    const Vec3     stays = position_of(p.world, p.buoy);
    Manager* const colliders = ent_world_built_in(p.world, COMPONENT_COLLIDER);
    ent_manager_remove(p.world, colliders,
                       ent_manager_row(colliders, ent_world_entities(p.world), p.buoy));
    const Vec3 before = position_of(p.world, p.hook);
    for (u32 f = 0; f < 5; f++) pond_frame(&p, f == 4);
    assert_int_equal(ent_gpu_frames_wait(p.frames), ENT_OK);
    near_is(position_of(p.world, p.buoy), stays, 0, "without a collider");
    assert_true(position_of(p.world, p.hook).y < before.y);
    assert_int_equal(ent_entity_destroy(p.world, &p.hook, 1), 1);
    for (u32 f = 0; f < 3; f++) pond_frame(&p, f == 2);
    pond_close(&p);
}

/* Fluids start again from their components, bodies where they are, with their speed. */
static void save_during_a_simulation_keeps_bodies(void** state) {
    const BlobOptions known = all_options();
    Pond              p;
    EntSaveOptions    options = {.name = "saves/pond"};
    void*             bytes;
    size_t            size;
    Blob              blob;
    BlobFault         fault;
    Entity            spawned[16];
    UNUSED(state);
    pond_open(&p, test_folder("bodies_save"));
    for (u32 f = 0; f < 12; f++) pond_frame(&p, false);
    assert_int_equal(ent_gpu_frames_wait(p.frames), ENT_OK);
    const BodyState was = device_state(&p, p.buoy);
    assert_int_equal(ent_world_save(p.world, &options, &bytes, &size), ENT_OK);
    pond_end(&p);
    World* const old = p.world;
    assert_int_equal(ent_blob_open(&blob, bytes, size, &known, &fault), ENT_OK);
    assert_int_equal(ent_world_create(&p.world, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(p.world, &blob, NULL, spawned), ENT_OK);
    const PointMassRows rows = ent_point_mass_rows(p.world);
    u32                 row = rows.position[0].x == was.at.x ? 0 : 1;
    p.buoy = rows.entity[row];
    p.hook = rows.entity[1 - row];
    pond_begin(&p);
    pond_frame(&p, false);
    const BodyState is = device_state(&p, p.buoy);
    /* A frame of a fall from there. */
    near_is(is.at, vec3_add_scaled(was.at, was.velocity, 0.01f), 2e-3f, "the buoy");
    near_is(is.velocity, vec3_add(was.velocity, (Vec3){0, -0.0981f, 0}), 1e-4f, "its velocity");
    assert_true(was.at.y < 1.4f);
    pond_close(&p);
    ent_world_save_free(old, bytes, size);
    ent_world_destroy(old);
}

static void falls_from(const Pond* p, Entity entity, Vec3 from, f64 speed_m_s, f64 t) {
    const Vec3 at = device_state(p, entity).at;
    const f64  y = from.y + speed_m_s * t - 9.81 * t * t / 2;
    if (fabs((f64)at.y - y) > 5e-3 || fabs((f64)at.x - from.x) > 1e-4)
        fail_msg("%g %g, not %g %g", at.x, at.y, from.x, y);
}

/* The fluid that moves them is replaced by another one. */
static void bodies_go_on_when_their_fluid_begins_anew(void** state) {
    Pond p;
    UNUSED(state);
    pond_open(&p, test_folder("bodies_anew"));
    const Vec3 buoy = position_of(p.world, p.buoy), hook = position_of(p.world, p.hook);
    for (u32 f = 1; f <= 12; f++) {
        if (f == 4) ent_fluid_rows(p.world).record[0].viscosity = 50;
        if (f == 8) ent_fluid_rows(p.world).record[0].spacing_m = 0.12f;
        pond_frame(&p, f == 9);
        falls_from(&p, p.buoy, buoy, -1, 0.01 * f);
        falls_from(&p, p.hook, hook, 0, 0.01 * f);
    }
    pond_close(&p);
}

/* While no fluid moves them, bodies stay where they are; what is changed until there is one again counts then. */
static void bodies_without_a_fluid_wait_for_the_next(void** state) {
    Pond   p;
    Entity ball, water;
    u32    row;
    UNUSED(state);
    pond_open(&p, test_folder("bodies_wait"));
    const FluidRecord fluid = ent_fluid_rows(p.world).record[0];
    for (u32 f = 0; f < 3; f++) pond_frame(&p, false);
    for (u32 round = 0; round < 3; round++) {
        Entity gone = ent_fluid_rows(p.world).entity[0];
        assert_int_equal(ent_entity_destroy(p.world, &gone, 1), 1);
        for (u32 f = 0; f < 3; f++) pond_frame(&p, f == 1);
        assert_int_equal(ent_gpu_frames_wait(p.frames), ENT_OK);
        const Vec3 stays = position_of(p.world, p.buoy);
        if (round == 1) { /* one less than the device had */
            assert_int_equal(ent_entity_destroy(p.world, &p.hook, 1), 1);
        } else if (round == 2) { /* and two more */
            const Vec3 place[2] = {{0, 5, 0.2f}, {0.2f, 6, 0}};
            for (u32 i = 0; i < 2; i++) {
                assert_int_equal(ent_entity_create(p.world, &ball, 1), ENT_OK);
                for (u32 k = 0; k < 3; k++) {
                    const u32 component[] = {COMPONENT_TRANSFORM, COMPONENT_COLLIDER,
                                             COMPONENT_POINT_MASS};
                    assert_int_equal(ent_manager_create(p.world,
                                                        ent_world_built_in(p.world, component[k]),
                                                        ball, &row),
                                     ENT_OK);
                }
                ent_point_mass_rows(p.world).position[row] = place[i];
                ent_point_mass_rows(p.world).mass[row] = 8;
                const Manager*  colliders = ent_world_built_in(p.world, COMPONENT_COLLIDER);
                ColliderRecord* c =
                    &ent_collider_rows(p.world)
                         .record[ent_manager_row(colliders, ent_world_entities(p.world), ball)];
                c->kind = COLLIDER_SPHERE;
                c->radius_m = 0.1f;
            }
        }
        pond_frame(&p, false);
        near_is(position_of(p.world, p.buoy), stays, 0, "without a fluid");
        assert_int_equal(ent_entity_create(p.world, &water, 1), ENT_OK);
        assert_int_equal(
            ent_manager_create(p.world, ent_world_built_in(p.world, COMPONENT_FLUID), water, &row),
            ENT_OK);
        ent_fluid_rows(p.world).record[row] = fluid;
        const f32 speed = ent_point_mass_rows(p.world).velocity[mass_row(p.world, p.buoy)].y;
        for (u32 f = 0; f <= 4; f++) { /* they are moved from the next frame on */
            pond_frame(&p, false);
            if (f == 0) continue;
            falls_from(&p, p.buoy, stays, speed, 0.01 * f);
            if (round == 2) falls_from(&p, ball, (Vec3){0.2f, 6, 0}, 0, 0.01 * f);
        }
    }
    pond_close(&p);
}

TEST_SUITE(bodies_level) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_receives_bodies_of_frames_that_are_complete),
        cmocka_unit_test(pictures_show_where_bodies_are),
        cmocka_unit_test(bodies_that_the_host_moves_go_on_from_there),
        cmocka_unit_test(bodies_go_on_when_their_fluid_begins_anew),
        cmocka_unit_test(bodies_without_a_fluid_wait_for_the_next),
        cmocka_unit_test(save_during_a_simulation_keeps_bodies)};
    return gpu_suite_end(TEST_RUN("bodies_level", tests));
}
