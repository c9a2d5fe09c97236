/* test_lamps.c - lights and cameras that clips change, from a glTF file with KHR_animation_pointer to their components:
 * compared with what the generator of the file computes in double precision (make_lamps.py). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "animators.h"
#include "clip.h"
#include "hash.h"
#include "resource.h"
#include "rows.h"
#include "spawn.h"
#include "test.h"
#include "test_worlds_support.h"

typedef struct Lamps {
    Library    library;
    World*     world;
    Animators* animators;
    f64*       wanted; /* after the count of frames and the range, six numbers of each */
    u32        frames;
} Lamps;

static void lamps_open(Lamps* l, u32 seed) {
    const char* folder = test_folder("lamps");
    const Blob* blob;
    char        path[1200];
    size_t      bytes;
    *l = (Lamps){0};
    TEST_DONE(".", "python3 tests/support/make_lamps.py '%s/src' '%s/wanted' %u %u", folder, folder,
              SANITIZED ? 300u : 3000u, seed);
    TEST_DONE(folder, "entc build src -o out -q");
    snprintf(path, sizeof path, "%s/wanted", folder);
    l->wanted = (f64*)(void*)test_read(path, &bytes);
    assert_non_null(l->wanted);
    l->frames = (u32)l->wanted[0];
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(ent_library_open(&l->library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_load(&l->library, "yard", RESOURCE_LEVEL, &blob), ENT_OK);
    assert_int_equal(ent_world_create(&l->world, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(l->world, blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_animators_create(&l->animators, l->world, &l->library), ENT_OK);
}

static void lamps_close(Lamps* l) {
    ent_animators_destroy(l->animators);
    ent_world_destroy(l->world);
    ent_library_close(&l->library);
    free(l->wanted);
}

static void times_set(Lamps* l, f32 time_s) {
    const AnimatorRows rows = ent_animator_rows(l->world);
    for (u32 i = 0; i < rows.count; i++) {
        rows.record[i].end = PLAYING_HOLD;
        rows.record[i].time_s = time_s;
    }
}

/* A share of the range of the property. */
static bool is_near(f32 found, f64 wanted, f64 range) {
    return fabs((f64)found - wanted) <= 2e-6 * range;
}

static void lights_and_cameras_are_as_a_sampler_in_double_precision_has_them(void** state) {
    UNUSED(state);
    for (u32 seed = 1; seed < 4; seed++) {
        Lamps l;
        lamps_open(&l, seed);
        const LightRows  lights = ent_light_rows(l.world);
        const CameraRows cameras = ent_camera_rows(l.world);
        assert_int_equal(lights.count, 4);
        assert_int_equal(cameras.count, 2);
        assert_int_equal(ent_animator_rows(l.world).count, 6); /* move, light, zoom, but not rest */
        for (u32 f = 0; f < l.frames; f++) {
            const f64* wanted = l.wanted + 2 + f * 6;
            times_set(&l, (f32)wanted[0]);
            assert_int_equal(ent_animators_pose(l.animators), ENT_OK);
            for (u32 i = 0; i < lights.count; i++) {
                const LightRecord* r = &lights.record[i];
                assert_true(is_near(r->range_m, l.wanted[1], 500));
                if (!is_near(r->intensity, wanted[1], 1000) || !is_near(r->color.x, wanted[2], 1) ||
                    !is_near(r->color.y, wanted[3], 1) || !is_near(r->color.z, wanted[4], 1))
                    fail_msg("seed %u, %.9g s, light %u: %.9g, %.9g %.9g %.9g", seed, wanted[0], i,
                             (f64)r->intensity, (f64)r->color.x, (f64)r->color.y, (f64)r->color.z);
            }
            for (u32 i = 0; i < cameras.count; i++)
                assert_true(is_near(cameras.record[i].vertical_fov_rad, wanted[5], 2));
        }
        lamps_close(&l);
    }
}

/* Blends, ends, and clips that are played instead. */
static void light_is_blended_held_and_left_alone(void** state) {
    Lamps l;
    UNUSED(state);
    lamps_open(&l, 1);
    const LightRows    lights = ent_light_rows(l.world);
    const AnimatorRows rows = ent_animator_rows(l.world);
    const ResourceRef  light = ent_resource_ref("rig/light", RESOURCE_CLIP);
    const ResourceRef  none = {0, 0};
    times_set(&l, 1);
    assert_int_equal(ent_animators_pose(l.animators), ENT_OK);
    const f32 at_1 = lights.record[0].intensity;
    times_set(&l, 2.5f);
    assert_int_equal(ent_animators_pose(l.animators), ENT_OK);
    const f32 at_2 = lights.record[0].intensity;
    assert_true(at_1 != at_2);
    for (u32 i = 0; i < rows.count; i++) { /* half of one time, half of the other */
        if (resource_id(rows.record[i].clip) != resource_id(light)) continue;
        rows.record[i].second_clip = light;
        rows.record[i].second_time_s = 1;
        rows.record[i].blend = 0.5f;
    }
    assert_int_equal(ent_animators_pose(l.animators), ENT_OK);
    assert_true(is_near(lights.record[0].intensity, ((f64)at_1 + (f64)at_2) / 2, 500));
    for (u32 i = 0; i < rows.count; i++) rows.record[i].second_clip = none; /* the value at rest */
    assert_int_equal(ent_animators_pose(l.animators), ENT_OK);
    const AnimatedPropertyRecord* property = ent_animated_property_rows(l.world).record;
    assert_int_equal(property->property, CLIP_LIGHT_INTENSITY);
    assert_true(property->rest.x >= 7);
    assert_true(is_near(lights.record[0].intensity, ((f64)property->rest.x + (f64)at_2) / 2, 1000));
    for (u32 i = 0; i < rows.count; i++) {
        rows.record[i].blend = 0;
        rows.record[i].second_clip = none;
        rows.record[i].end = PLAYING_STOP;
    }
    assert_int_equal(ent_animators_advance(l.animators, 10), ENT_OK); /* the end is kept */
    const f32 end = lights.record[0].intensity;
    times_set(&l, 0);
    assert_int_equal(ent_animators_pose(l.animators), ENT_OK);
    assert_true(lights.record[0].intensity == end);
    /* The clip of lights is played by an animator that had none: the first one of the nodes. */
    assert_int_equal(ent_animators_play(l.animators, rows.entity[0], light, 1), ENT_OK);
    assert_int_equal(ent_animators_pose(l.animators), ENT_OK);
    assert_true(lights.record[0].intensity == at_1);
    lights.record[0].intensity = 3; /* nothing is played: the host sets what it wants */
    assert_int_equal(ent_animators_play(l.animators, rows.entity[0], none, 0), ENT_OK);
    lights.record[0].intensity = 4;
    assert_int_equal(ent_animators_pose(l.animators), ENT_OK);
    assert_true(lights.record[0].intensity == 4);
    lamps_close(&l);
}

TEST_SUITE(lamps) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lights_and_cameras_are_as_a_sampler_in_double_precision_has_them),
        cmocka_unit_test(light_is_blended_held_and_left_alone)};
    return TEST_RUN("lamps", tests);
}
