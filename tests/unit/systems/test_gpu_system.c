/* test_gpu_system.c - the rows of all systems: what is created from a world, its extent, its times,
 * a picture of it, and what a failure leaves behind; collider planes that cannot be used. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu_system_internal.h"
#include "rows.h"
#include "simulation.h"
#include "sph.h"
#include "test_entities.h"
#include "test_gpu_support.h"
#include "world.h"

static u32 instance_add(World* world, const char* component, Vec3 position) {
    u32 row;
    entity_with(world, component, position, &row);
    return row;
}

/* The resources of a lamp, with one mesh; opened once, and closed after the last test. */
static Library lamp;

static const Library* lamp_library(void) {
    const Blob* blob;
    char        path[1100];
    const char* folder;
    if (lamp.path) return &lamp;
    folder = test_folder("systems_lamp");
    TEST_DONE(folder, "entc build ../../../../assets -o out -q");
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(ent_library_open(&lamp, path, NULL), ENT_OK);
    assert_int_equal(ent_library_load(&lamp, "models/lamp", RESOURCE_ENTITY, &blob), ENT_OK);
    return &lamp;
}

static ResourceRef lamp_mesh(void) {
    const Library* library = lamp_library();
    for (u32 i = 0; i < library->count; i++) {
        const LibraryEntry* entry = ent_library_entry(library, i);
        if (entry->resource.blob.header->resource_type == RESOURCE_MESH) return entry->id;
    }
    fail_msg("the lamp has no mesh");
    return (ResourceRef){0, 0};
}

static World* world_with(const char* component) {
    World* world;
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    instance_add(world, component, (Vec3){-2, 0, 0});
    instance_add(world, component, (Vec3){2, 0, 0});
    const MeshRows meshes = ent_mesh_rows(world);
    for (u32 i = 0; i < meshes.count; i++) meshes.record[i].resource = lamp_mesh();
    return world;
}

static GpuScene scene_of(World* world) {
    return (GpuScene){.world = world, .library = lamp_library()};
}

/* --- rows --- */

static void names_are_those_of_component_types(void** state) {
    World* world;
    UNUSED(state);
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    for (u32 i = 0; simulation_system(i); i++) {
        const GpuSystem* system = simulation_system(i);
        if (system->component) assert_non_null(ent_world_manager_by_name(world, system->component));
        for (u32 k = 0; k < i; k++) {
            const GpuSystem* other = simulation_system(k);
            assert_string_not_equal(system->name, other->name);
            if (system->component && other->component)
                assert_string_not_equal(system->component, other->component);
        }
    }
    ent_world_destroy(world);
}

static void extent_expect(const GpuExtent* extent) {
    assert_true(extent->count >= 2);
    assert_true(extent->low.x < -2 && extent->low.x > -4);
    assert_true(extent->high.x > 2 && extent->high.x < 4);
    assert_true(extent->low.y < extent->high.y && extent->low.z <= extent->high.z);
    assert_true(extent->radius_m >= 0);
    const Bounds unit = {{-1, -1, -1}, {1, 1, 1}};
    if (!(vec3_length(mat34_column(&extent->front, 0)) > 0)) return;
    for (u32 i = 0; i < 8; i++) { /* the box is flat, and ends where the others do */
        const Vec3 corner = mat34_point(&extent->front, bounds_corner(&unit, i));
        assert_true(fabsf(corner.x - (i & 1 ? extent->high.x : extent->low.x)) < 1e-4f);
        assert_true(fabsf(corner.y - (i & 2 ? extent->high.y : extent->low.y)) < 1e-4f);
        assert_true(fabsf(corner.z - extent->low.z) < 1e-4f);
    }
}

typedef struct Measured {
    GpuFrameCost cost;
    u32          count;
} Measured;

/* Times of passes are summed by name. */
static void times_expect(void* user, const GpuFrameCost* cost, const GpuTime* times, u32 count) {
    Measured* measured = user;
    *measured = (Measured){*cost, count};
    for (u32 i = 0; i < count; i++) {
        assert_true(strncmp(times[i].group, "simulate ", 9) == 0 ||
                    strcmp(times[i].group, "pose") == 0 || strcmp(times[i].group, "place") == 0);
        assert_true(times[i].ms >= 0 && times[i].ms <= cost->device_ms);
        for (u32 k = 0; k < i; k++) assert_string_not_equal(times[i].name, times[k].name);
    }
}

static u32 passes_run(const GpuSystem* system, void* created) {
    Measured            measured = {0};
    const GpuFramesDesc desc = {GPU_TIMES_PASSES, times_expect, &measured};
    GpuFrames*          frames;
    GpuFrame*           frame;
    assert_int_equal(ent_gpu_frames_create(&frames, gpu_for_test(), &desc), ENT_OK);
    assert_int_equal(ent_gpu_frame_begin(frames, &frame), ENT_OK);
    assert_int_equal(test_system_record(system, created, frame), ENT_OK);
    assert_int_equal(ent_gpu_frame_end(frame), ENT_OK);
    assert_int_equal(ent_gpu_frames_wait(frames), ENT_OK);
    assert_int_equal(measured.cost.frame, 1);
    ent_gpu_frames_destroy(frames);
    return measured.count;
}

/* The number of pixels that differ from the background. */
static u32 pixels_of(const GpuSystem* system, void* state) {
    enum { SIDE = 256 };
    const Vec4       plane = {0, 0, 1, 0};
    static u32       pixels[2][SIDE * SIDE];
    const CanvasDesc desc = {.width = SIDE, .height = SIDE, .samples = 1};
    const CanvasView view = {.camera = {.kind = CAMERA_ORTHOGRAPHIC, .height_m = 8, .near_m = 1},
                             .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 50}}},
                             .light = {0, 0, 1},
                             .light_color = {1, 1, 1},
                             .plane = &plane, /* drawn by the system of planes */
                             .plane_count = 1,
                             .reach_m = 1,
                             .grid_m = 1};
    Canvas*          canvas;
    u32              count = 0;
    assert_int_equal(ent_canvas_create(&canvas, gpu_for_test(), &desc), ENT_OK);
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(i ? test_system_draw(system, state, canvas, &view)
                           : ent_picture_draw(canvas, NULL, &view),
                         ENT_OK);
        assert_int_equal(ent_canvas_read(canvas, (u8*)pixels[i]), ENT_OK);
    }
    for (u32 i = 0; i < SIDE * SIDE; i++) count += pixels[0][i] != pixels[1][i];
    ent_canvas_destroy(canvas);
    return count;
}

static void systems_run_and_are_drawn_through_their_rows(void** state) {
    UNUSED(state);
    for (u32 i = 0; simulation_system(i); i++) {
        const GpuSystem* system = simulation_system(i);
        if (!system->component) continue; /* it is part of the others */
        World*         world = world_with(system->component);
        const GpuScene scene = scene_of(world);
        GpuProblem     problem = {0};
        void*          created;
        assert_int_equal(test_system_create(system, &created, gpu_for_test(), &scene, &problem),
                         ENT_OK);
        assert_string_equal(problem.text, "");
        if (system->extent) extent_expect(system->extent(created));
        const u32 passes = passes_run(system, created);
        if (system->simulates)
            assert_in_range(passes, 2, 32);
        else
            assert_int_equal(passes, 0); /* the world has not changed */
        const u32 pixels = pixels_of(system, created);
        if (pixels < 100) fail_msg("%s: %u pixels", system->name, pixels);
        test_system_destroy(system, created);
        ent_world_destroy(world);
    }
    test_gpu_silent();
}

/* --- failures --- */

static ent_status picture_draw(const GpuSystem* system, void* created, Gpu* gpu) {
    const CanvasDesc desc = {.width = 16, .height = 16, .samples = 1};
    const CanvasView view = {.camera = {.kind = CAMERA_ORTHOGRAPHIC, .height_m = 8, .near_m = 1},
                             .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 50}}},
                             .light = {0, 0, 1},
                             .reach_m = 1,
                             .grid_m = 1};
    Canvas*          canvas;
    TRY(ent_canvas_create(&canvas, gpu, &desc));
    const ent_status status = test_system_draw(system, created, canvas, &view);
    ent_canvas_destroy(canvas);
    return status;
}

/* Creates, runs, draws and destroys a system while the n-th call of the driver fails. */
static ent_status run_once(const GpuSystem* system, World* world, u32 fault_call, bool* reached) {
    const GpuScene scene = scene_of(world);
    GpuProblem     problem = {0};
    void*          created = NULL;
    Gpu*           gpu;
    ent_status     status = test_gpu_open(&gpu, fault_call, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    if (status != ENT_OK) return status;
    const u64 bytes = ent_gpu_bytes(gpu);
    status = test_system_create(system, &created, gpu, &scene, &problem);
    assert_true((status == ENT_OK) == (created != NULL));
    if (status == ENT_OK) {
        status = test_system_frame(system, created, gpu);
        if (status == ENT_OK) status = picture_draw(system, created, gpu);
        test_system_destroy(system, created);
    }
    *reached = gpu->calls >= fault_call;
    assert_true(ent_gpu_bytes(gpu) == bytes);
    assert_int_equal(ent_gpu_validation_count(gpu), 0);
    ent_gpu_destroy(gpu);
    return status;
}

static void failures_of_the_driver_leave_no_memory(void** state) {
    UNUSED(state);
    gpu_for_test();
    for (u32 i = 0; simulation_system(i); i++) {
        if (!simulation_system(i)->component) continue;
        World* world = world_with(simulation_system(i)->component);
        bool   reached = true;
        u32    call = 12; /* the calls before open the device */
        for (; reached && call < 1000; call += getenv("TEST_FULL") ? 1 : 23) {
            const ent_status status = run_once(simulation_system(i), world, call, &reached);
            assert_int_equal(status, reached ? ENT_NO_MEMORY : ENT_OK);
        }
        assert_in_range(call, 80, 999);
        ent_world_destroy(world);
    }
}

static void a_mesh_that_is_not_loaded_is_reported(void** state) {
    UNUSED(state);
    const GpuSystem* system = ent_sph_system();
    World*           world = world_with("fluid");
    const GpuScene   scene = scene_of(world);
    GpuProblem       problem = {0};
    void*            created;
    ent_fluid_rows(world).record[1].points = (ResourceRef){1, 2};
    assert_int_equal(test_system_create(system, &created, gpu_for_test(), &scene, &problem),
                     ENT_NOT_FOUND);
    assert_null(created);
    assert_string_equal(problem.text, "the mesh of a fluid's points has no vertices");
    ent_world_destroy(world);
    test_gpu_silent();
}

TEST_SUITE(systems) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_those_of_component_types),
        cmocka_unit_test(systems_run_and_are_drawn_through_their_rows),
        cmocka_unit_test(failures_of_the_driver_leave_no_memory),
        cmocka_unit_test(a_mesh_that_is_not_loaded_is_reported),
    };
    const int failed = TEST_RUN("systems", tests);
    ent_library_close(&lamp);
    return gpu_suite_end(failed);
}
