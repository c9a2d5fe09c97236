/* test_animated_picture.c - a picture of doors and lamps that the device moves is that of doors and lamps that the host
 * moves: surfaces, lights, shadows that are kept and shadows that are drawn anew. */
#include <stdio.h>
#include <stdlib.h>

#include "animators.h"
#include "gpu_frame_internal.h"
#include "gpu_picture.h"
#include "lighting.h"
#include "meshes.h"
#include "rows.h"
#include "spawn.h"
#include "test_gpu_support.h"

enum { WIDTH = 96, HEIGHT = 64, PIXELS = WIDTH * HEIGHT * 4 };

typedef enum Poses { BY_HOST, BY_DEVICE, BY_NONE } Poses;

typedef struct Doors {
    Library    library;
    World*     world;
    Animators* animators;
    GpuPart    part[2];
    GpuParts   parts;
    GpuFrames* frames;
    Canvas*    canvas;
    Poses      poses;
    u8         pixels[PIXELS];
} Doors;

static void doors_open(Doors* d, const char* out, Poses poses) {
    const CanvasDesc desc = {.width = WIDTH, .height = HEIGHT, .samples = 1};
    const GpuSystem* systems[] = {ent_lighting_system(), ent_meshes_system()};
    const Blob*      level;
    GpuScene         scene = {0};
    GpuProblem       problem;
    *d = (Doors){.poses = poses};
    assert_int_equal(ent_library_open(&d->library, out, NULL), ENT_OK);
    assert_int_equal(ent_library_load(&d->library, "yard", RESOURCE_LEVEL, &level), ENT_OK);
    assert_int_equal(ent_world_create(&d->world, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(d->world, level, NULL, NULL), ENT_OK);
    assert_int_equal(ent_animators_create(&d->animators, d->world, &d->library), ENT_OK);
    scene.world = d->world;
    scene.library = &d->library;
    if (poses == BY_DEVICE) scene.animators = d->animators;
    for (u32 i = 0; i < COUNT_OF(systems); i++) {
        d->part[i].system = systems[i];
        if (systems[i]->create(&d->part[i].state, gpu_for_test(), &scene, &problem) != ENT_OK)
            fail_msg("%s", problem.text);
        if (i == 0) scene.lighting = d->part[i].state;
    }
    d->parts = (GpuParts){d->part, COUNT_OF(systems)};
    assert_int_equal(
        ent_gpu_frames_create(&d->frames, gpu_for_test(), &(GpuFramesDesc){GPU_TIMES_NONE, 0, 0}),
        ENT_OK);
    assert_int_equal(ent_canvas_create(&d->canvas, gpu_for_test(), &desc), ENT_OK);
}

static void doors_close(Doors* d) {
    for (u32 i = d->parts.count; i-- > 0;) d->part[i].system->destroy(d->part[i].state);
    ent_gpu_frames_destroy(d->frames);
    ent_canvas_destroy(d->canvas);
    ent_animators_destroy(d->animators);
    ent_world_destroy(d->world);
    ent_library_close(&d->library);
}

static void doors_draw(Doors* d, f32 seconds) {
    const CanvasView view = {
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.9f, .near_m = 0.1f},
        .pose = {{{1, 0, 0, 0}, {0, 0.9f, 0.4359f, 3.5f}, {0, -0.4359f, 0.9f, 5.5f}}},
        .exposure = 1,
        .dimmed = 0.7f,
        .has_sky = 1};
    GpuFrame* frame;
    assert_int_equal(ent_animators_advance(d->animators, seconds), ENT_OK);
    if (d->poses == BY_HOST) assert_int_equal(ent_animators_pose(d->animators), ENT_OK);
    assert_int_equal(ent_gpu_frame_begin(d->frames, &frame), ENT_OK);
    assert_int_equal(ent_picture_record(frame, &d->parts, d->canvas, &view), ENT_OK);
    assert_int_equal(ent_gpu_frame_end(frame), ENT_OK);
    assert_int_equal(ent_gpu_frames_wait(d->frames), ENT_OK);
    assert_int_equal(ent_canvas_read(d->canvas, d->pixels), ENT_OK);
}

/* A door that stands is elsewhere at once. */
static void doors_jump(Doors* d) {
    const AnimatorRows rows = ent_animator_rows(d->world);
    rows.record[0].time_s = rows.record[0].time_s > 1 ? 0.2f : 1.6f;
}

/* The leaf of a door is attached to that of the other one. */
static void doors_attach(Doors* d) {
    const AnimatedNodeRows rows = ent_animated_node_rows(d->world);
    Entity                 leaf[2] = {rows.entity[0], ENTITY_NULL};
    for (u32 i = 0; i < rows.count; i++)
        if (rows.record[i].animator != rows.record[0].animator && !leaf[1])
            leaf[1] = rows.entity[i];
    assert_int_equal(ent_transform_reparent(d->world, leaf[0], leaf[1]), ENT_OK);
}

/* Samples that differ by more than rounding. */
static u32 pixels_differ(const u8* a, const u8* b) {
    u32 differ = 0;
    for (u32 i = 0; i < PIXELS; i++) differ += abs(a[i] - b[i]) > 2;
    return differ;
}

static void picture_of_what_the_device_moves_is_that_of_what_the_host_moves(void** state) {
    const char* folder = test_folder("doors");
    char        out[1200];
    Doors *     host = malloc(sizeof *host), *device = malloc(sizeof *device),
          *still = malloc(sizeof *still);
    u32 moved = 0;
    UNUSED(state);
    gpu_for_test();
    snprintf(out, sizeof out, "%s/out", folder);
    TEST_DONE(".", "python3 tests/support/make_door.py '%s/src'", folder);
    TEST_DONE(folder, "entc build src -o out -q");
    doors_open(host, out, BY_HOST);
    doors_open(device, out, BY_DEVICE);
    doors_open(still, out, BY_NONE);
    for (u32 i = 0; i < 60; i++) {
        const f32 seconds = i < 20 ? 0.11f : 0; /* then shadow maps are kept */
        if (i == 55) doors_jump(host), doors_jump(device);
        if (i == 57) doors_attach(host), doors_attach(device);
        doors_draw(host, seconds);
        doors_draw(device, seconds);
        doors_draw(still, seconds);
        const u32 differ = pixels_differ(host->pixels, device->pixels);
        if (differ > PIXELS / 500) fail_msg("frame %u: %u of %u numbers differ", i, differ, PIXELS);
        moved += pixels_differ(host->pixels, still->pixels) > PIXELS / 50;
    }
    assert_true(moved > 40); /* the comparison finds doors that do not move */
    doors_close(host);
    doors_close(device);
    doors_close(still);
    free(host), free(device), free(still);
    test_gpu_silent();
}

TEST_SUITE(animated_picture) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picture_of_what_the_device_moves_is_that_of_what_the_host_moves)};
    return gpu_suite_end(TEST_RUN("animated_picture", tests));
}
