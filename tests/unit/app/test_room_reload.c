/* test_room_reload.c - systems follow the library: after each edit of a room, the picture of a running world equals that of a world
 * that was loaded from nothing, only what changed is uploaded, and a failure leaves the former picture. */
#include <stdio.h>
#include <stdlib.h>

#include "gpu_frame_internal.h"
#include "lighting_internal.h"
#include "simulation.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"

enum { WIDTH = 96, HEIGHT = 64, PIXELS = WIDTH * HEIGHT * 4 };

typedef struct Room {
    Library    library;
    World*     world;
    Simulation simulation;
    GpuFrames* frames;
    Canvas*    canvas;
    u64        uploaded; /* bytes, in the last frame */
    u8         pixels[PIXELS];
} Room;

/* --- sources --- */

static const struct Knob {
    const char* name;
    const char* values[4];
    bool        is_unseen; /* from where the picture is drawn */
} knobs[] = {{"wall_grid", {"3", "2", "5", "4"}, false},
             {"wall_red", {"0.8", "0.2", "0.5", "1"}, false},
             {"wall_side", {"32", "16", "64", "32"}, false},
             {"wall_shade", {"200", "90", "255", "130"}, false},
             {"wall_alpha", {"OPAQUE", "MASK", "BLEND", "MASK"}, false},
             {"wall_sides", {"0", "1", "0", "1"}, true},
             {"wall_depth", {"0.05", "0.1", "0.2", "0.0"}, false},
             {"pane_side", {"16", "32", "64", "8"}, false},
             {"pane_alpha", {"BLEND", "OPAQUE", "MASK", "BLEND"}, false},
             {"pane_green", {"0.7", "0.1", "1", "0.4"}, false},
             {"bones", {"4", "7", "2", "5"}, false},
             {"bend", {"0.6", "0.1", "0.3", "-0.5"}, false},
             {"bulge", {"0.4", "0.1", "0.6", "-0.3"}, false},
             {"targets", {"1", "2", "3", "0"}, false},
             {"cookie_side", {"32", "64", "16", "32"}, false},
             {"decal_shade", {"90", "200", "20", "255"}, false},
             {"dust_blue", {"0.9", "0.1", "0.5", "0.3"}, false},
             {"walls", {"2", "3", "1", "2"}, false},
             {"lamp", {"12.0", "20.0", "5.0", "9.0"}, false},
             {"wall_texture", {"1", "0", "1", "0"}, false}};

typedef struct Values {
    u32 of[COUNT_OF(knobs)];
} Values;

static void sources_write(const char* folder, const Values* v) {
    char words[1024] = "";
    for (u32 i = 0; i < COUNT_OF(knobs); i++)
        snprintf(words + strlen(words), sizeof words - strlen(words), " %s=%s", knobs[i].name,
                 knobs[i].values[v->of[i]]);
    TEST_DONE(".", "python3 tests/support/make_room.py '%s/src' %s", folder, words);
    TEST_DONE(folder, "entc build src -o out -q");
}

static u32 knob_named(const char* name) {
    for (u32 i = 0; i < COUNT_OF(knobs); i++)
        if (strcmp(knobs[i].name, name) == 0) return i;
    fail_msg("no value %s", name);
    return 0;
}

/* --- rooms --- */

static void room_open(Room* r, const char* folder) {
    const CanvasDesc desc = {.width = WIDTH, .height = HEIGHT, .samples = 1};
    const Blob*      level;
    char             path[2048];
    Spawned          spawned;
    *r = (Room){0};
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(ent_library_open(&r->library, path, NULL), ENT_OK);
    if (ent_library_load(&r->library, "room", RESOURCE_LEVEL, &level) != ENT_OK)
        fail_msg("%s", r->library.problem);
    assert_int_equal(ent_world_create(&r->world, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(r->world, level, &(SpawnOptions){.spawned = &spawned}, NULL),
                     ENT_OK);
    if (simulation_create(&r->simulation, gpu_for_test(), r->world, &r->library) != ENT_OK)
        fail_msg("%s", r->simulation.problem.text);
    assert_int_equal(
        ent_gpu_frames_create(&r->frames, gpu_for_test(), &(GpuFramesDesc){GPU_TIMES_NONE, 0, 0}),
        ENT_OK);
    assert_int_equal(ent_canvas_create(&r->canvas, gpu_for_test(), &desc), ENT_OK);
}

static void room_close(Room* r) {
    ent_gpu_frames_destroy(r->frames);
    ent_canvas_destroy(r->canvas);
    simulation_destroy(&r->simulation);
    ent_world_destroy(r->world);
    ent_library_close(&r->library);
}

/* A picture of the world as it is. */
static ent_status room_draw(Room* r) {
    const CanvasView view = {
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.9f, .near_m = 0.1f},
        .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0.7f}, {0, 0, 1, 3.2f}}},
        .exposure = 1,
        .dimmed = 0.7f,
        .has_sky = 1};
    GpuFrame* frame;
    TRY(ent_gpu_frame_begin(r->frames, &frame));
    ent_status status = ent_picture_record_still(frame, &r->simulation.parts, r->canvas, &view);
    r->uploaded = frame->ring.bytes + frame->ring.used;
    const ent_status ended = ent_gpu_frame_end(frame);
    return status == ENT_OK ? ended : status;
}

static void room_read(Room* r) {
    assert_int_equal(room_draw(r), ENT_OK);
    assert_int_equal(ent_gpu_frames_wait(r->frames), ENT_OK);
    assert_int_equal(ent_canvas_read(r->canvas, r->pixels), ENT_OK);
}

static void room_follow(Room* r) {
    LibraryChanges changes;
    WorldFollowed  followed;
    if (ent_library_follow(&r->library, &changes) != ENT_OK) fail_msg("%s", r->library.problem);
    assert_int_equal(ent_world_follow(r->world, &changes, &followed), ENT_OK);
    assert_int_equal(followed.left, 0);
}

static u32 pixels_differ(const u8* a, const u8* b) {
    u32 differ = 0;
    for (u32 i = 0; i < PIXELS; i += 4) differ += memcmp(a + i, b + i, 4) != 0;
    return differ;
}

/* The picture of a world that is loaded from nothing. */
static void room_expect(const Room* r, const char* folder, const char* after) {
    Room* fresh = malloc(sizeof *fresh);
    room_open(fresh, folder);
    room_read(fresh);
    const u32 differ = pixels_differ(r->pixels, fresh->pixels);
    room_close(fresh);
    free(fresh);
    if (differ)
        fail_msg("after %s, %u pixels differ from a world that was loaded anew", after, differ);
}

/* --- edits --- */

static void each_edit_is_shown_as_by_a_world_that_is_loaded_anew(void** state) {
    char*  folder = strdup(test_folder("room_edits"));
    Room*  r = malloc(sizeof *r);
    u8     before[PIXELS];
    Values values = {0};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    sources_write(folder, &values);
    room_open(r, folder);
    room_read(r);
    for (u32 i = 0; i < COUNT_OF(knobs); i++) {
        const char* after = knobs[i].name;
        memcpy(before, r->pixels, sizeof before);
        values.of[i] = 1;
        if (!getenv("TEST_FULL") && i % 3 != 2 && i + 1 < COUNT_OF(knobs))
            continue; /* three edits at once */
        sources_write(folder, &values);
        room_follow(r);
        room_read(r);
        if (getenv("TEST_FULL")) room_expect(r, folder, after);
        if (pixels_differ(before, r->pixels) == 0 && !knobs[i].is_unseen)
            fail_msg("%s is not seen", after);
    }
    room_expect(r, folder, "all edits");
    room_close(r);
    free(r);
    free(folder);
    test_gpu_silent();
}

static void random_edits_are_shown_as_by_a_world_that_is_loaded_anew(void** state) {
    char*     folder = strdup(test_folder("room_random"));
    Room*     r = malloc(sizeof *r);
    Random    random = {77};
    Values    values = {0};
    const u32 rounds = getenv("TEST_FULL") ? 200 : 1;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    sources_write(folder, &values);
    room_open(r, folder);
    for (u32 round = 0; round < rounds; round++) {
        char after[64];
        for (u32 i = random_below(&random, 4) + 1; i > 0; i--)
            values.of[random_below(&random, COUNT_OF(knobs))] = random_below(&random, 4);
        sources_write(folder, &values);
        room_follow(r);
        for (u32 frame = random_below(&random, 3); frame > 0; frame--)
            assert_int_equal(room_draw(r), ENT_OK); /* frames in flight */
        room_read(r);
        snprintf(after, sizeof after, "random edits %u", round);
        room_expect(r, folder, after);
    }
    room_close(r);
    free(r);
    free(folder);
    test_gpu_silent();
}

/* --- uploads and memory --- */

static u64 uploaded_after(Room* r, const char* folder, Values* values, const char* name,
                          u32 value) {
    values->of[knob_named(name)] = value;
    sources_write(folder, values);
    room_follow(r);
    assert_int_equal(room_draw(r), ENT_OK);
    const u64 uploaded = r->uploaded;
    room_read(r);
    return uploaded;
}

static u64 resident_bytes(void) {
    unsigned long pages = 0;
    FILE*         file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
    fclose(file);
    return (u64)pages * 4096;
}

/* One texture gets other texels, one another size, in frames that are not waited for: memory does not grow. */
static void textures_reload_often(Room* r, const char* folder, Values* values, u32 reloads) {
    u64 device = 0, host = 0;
    for (u32 i = 2; i-- > 0;) {
        values->of[knob_named("wall_shade")] = values->of[knob_named("pane_side")] = i;
        sources_write(folder, values);
        TEST_DONE(folder, "cp -r out build%u", i);
    }
    room_follow(r);
    for (u32 i = 1; i <= reloads; i++) {
        LibraryChanges changes;
        TEST_DONE(folder, "cp -r --remove-destination build%u/. out/", i % 2);
        if (ent_library_follow(&r->library, &changes) != ENT_OK) fail_msg("%s", r->library.problem);
        assert_true(changes.count >= 2);
        assert_int_equal(room_draw(r), ENT_OK);
        if (i % 10 == 0) room_read(r);
        if (i != reloads / 4) continue;
        room_read(r);
        device = ent_gpu_bytes(gpu_for_test());
        host = resident_bytes();
    }
    room_read(r);
    assert_true(ent_gpu_bytes(gpu_for_test()) <= device + (64 << 10));
    if (!SANITIZED) assert_true(resident_bytes() <= host + (8u << 20));
}

static void only_what_changed_is_uploaded(void** state) {
    char*  folder = strdup(test_folder("room_uploads"));
    Room*  r = malloc(sizeof *r);
    Values values = {0};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    values.of[knob_named("wall_side")] = 2;
    sources_write(folder, &values);
    room_open(r, folder);
    room_read(r);
    room_read(r);
    const u64 usual = r->uploaded, memory = ent_gpu_bytes(gpu_for_test());
    const u64 material = uploaded_after(r, folder, &values, "pane_green", 1) - usual;
    if (material > 8192) fail_msg("%llu bytes of a material", (unsigned long long)material);
    const u64 texture = uploaded_after(r, folder, &values, "wall_shade", 1) - usual;
    assert_true(texture > 2000 && texture < 64 * 64 * 4 * 3 / 2);
    const u64 mesh = uploaded_after(r, folder, &values, "wall_depth", 1) - usual;
    assert_true(mesh > 512 && mesh < 16384);
    for (u32 i = 0; i < 40; i++) {
        uploaded_after(r, folder, &values, "wall_shade", i % 4);
        uploaded_after(r, folder, &values, "pane_side", i % 2 ? 1 : 0);
        uploaded_after(r, folder, &values, "wall_grid", i % 2);
        uploaded_after(r, folder, &values, "bones", i % 2);
        if (!getenv("TEST_FULL")) break;
    }
    textures_reload_often(r, folder, &values, getenv("TEST_FULL") ? 10000 : SANITIZED ? 12 : 40);
    uploaded_after(r, folder, &values, "pane_side", 0);
    uploaded_after(r, folder, &values, "wall_grid", 0);
    room_read(r);
    room_read(r);
    assert_true(ent_gpu_bytes(gpu_for_test()) <= memory + (64 << 10));
    room_close(r);
    free(r);
    free(folder);
    test_gpu_silent();
}

/* --- failures --- */

/* Each call of the driver in the frame that takes a change fails: the former picture stays, or the frame fails, and the
 * next ones show what is new. */
static void each_failing_call_leaves_the_former_or_the_new_picture(void** state) {
    char*  folder = strdup(test_folder("room_faults"));
    Room*  r = malloc(sizeof *r);
    u8     pictures[2][PIXELS];
    Values values = {0};
    u32    kept = 0, failed = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    for (u32 i = 0; i < 2; i++) {
        values.of[knob_named("pane_side")] = values.of[knob_named("wall_grid")] = i;
        values.of[knob_named("wall_red")] = values.of[knob_named("bones")] = i;
        sources_write(folder, &values);
        room_open(r, folder);
        room_read(r);
        room_read(r);
        memcpy(pictures[i], r->pixels, PIXELS);
        if (i == 0) room_close(r);
    }
    for (u32 call = 1, now = 0; call < 60; call += getenv("TEST_FULL") ? 1 : 15, now = !now) {
        Gpu* const gpu = gpu_for_test();
        values.of[knob_named("pane_side")] = values.of[knob_named("wall_grid")] = now;
        values.of[knob_named("wall_red")] = values.of[knob_named("bones")] = now;
        sources_write(folder, &values);
        room_follow(r);
        gpu->desc.fault_call = gpu->calls + call;
        gpu->desc.fault_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
        const ent_status status = room_draw(r);
        const bool       reached = gpu->calls >= gpu->desc.fault_call;
        gpu->desc.fault_call = 0;
        if (!reached) break;
        if (gpu->lost) { /* such as a submission */
            room_close(r);
            gpu_renewed_for_test();
            room_open(r, folder);
            continue;
        }
        room_read(r);
        room_read(r);
        failed += status != ENT_OK;
        if (pixels_differ(r->pixels, pictures[now]) == 0) continue;
        kept++; /* with the next change it is complete */
        assert_int_equal(status, ENT_OK);
    }
    assert_true(kept + failed > 0);
    values.of[knob_named("wall_red")] = 2;
    sources_write(folder, &values);
    room_follow(r);
    room_read(r);
    room_read(r);
    room_expect(r, folder, "failures");
    room_close(r);
    free(r);
    free(folder);
    test_gpu_silent();
}

TEST_SUITE(room_reload) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_edit_is_shown_as_by_a_world_that_is_loaded_anew),
        cmocka_unit_test(random_edits_are_shown_as_by_a_world_that_is_loaded_anew),
        cmocka_unit_test(only_what_changed_is_uploaded),
        cmocka_unit_test(each_failing_call_leaves_the_former_or_the_new_picture)};
    return gpu_suite_end(TEST_RUN("room_reload", tests));
}
