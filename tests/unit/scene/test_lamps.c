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

#define WANTED_INTENSITY(l, frame) ((l)->wanted[2 + (frame)*6 + 1])
#define WANTED_TIME(l, frame)      ((f32)(l)->wanted[2 + (frame)*6])

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

/* --- any changes, and a plain model --- */

/* What an instance of the model plays, and what it was when it was set. */
typedef struct Played {
    bool is_played, has_second;
    u32  frame, second; /* of the wanted values */
    f32  blend;
} Played;

typedef struct Instance {
    Played now, set;
    Played found;     /* its clips, when they were last resolved: others are set anew */
    f64    intensity; /* of its first light */
    bool   is_set;
} Instance;

static void instances_resolve(Instance* at) {
    for (u32 i = 0; i < 2; i++) {
        const Played* now = &at[i].now;
        at[i].is_set &=
            at[i].found.is_played == now->is_played && at[i].found.has_second == now->has_second;
        at[i].found = *now;
    }
}

static f64 intensity_of(const Lamps* l, const Played* p, f64 rest) {
    const f64 one = p->is_played ? WANTED_INTENSITY(l, p->frame) : rest;
    const f64 two = p->has_second ? WANTED_INTENSITY(l, p->second) : rest;
    return one + (two - one) * (f64)p->blend;
}

/* Only what has changed is set. */
static void instance_set(const Lamps* l, Instance* i, f64 rest) {
    const Played* now = &i->now;
    const bool    is_same = i->is_set && (!now->is_played || i->set.frame == now->frame) &&
                         (!now->has_second || i->set.second == now->second) &&
                         i->set.blend == now->blend;
    if (is_same || (!now->is_played && !now->has_second)) return;
    if (!now->is_played && now->blend <= 0) return;
    i->set = *now;
    i->is_set = true;
    i->intensity = intensity_of(l, now, rest);
}

static void instance_change(Lamps* l, Instance* all, u32 which, Random* r, f64 rest) {
    const AnimatorRows rows = ent_animator_rows(l->world);
    const LightRows    lights = ent_light_rows(l->world);
    const ResourceRef  light = ent_resource_ref("rig/light", RESOURCE_CLIP), none = {0, 0};
    AnimatorRecord*    record = &rows.record[which * 3 + 1]; /* move, light, zoom */
    const Entity       root = rows.entity[which * 3];
    const u32          frame = random_below(r, l->frames);
    Instance* const    at = &all[which];
    switch (random_below(r, 7)) {
    case 0:
        record->time_s = WANTED_TIME(l, frame);
        at->now.frame = frame;
        break;
    case 1:
        record->second_clip = at->now.has_second ? none : light;
        at->now.has_second = !at->now.has_second;
        break;
    case 2:
        record->second_time_s = WANTED_TIME(l, frame);
        at->now.second = frame;
        break;
    case 3: record->blend = at->now.blend = (f32)random_below(r, 5) / 4; break;
    case 4: /* by the host */
        at->intensity = random_float(r, 0, 99);
        lights.record[which * 2].intensity = (f32)at->intensity;
        break;
    case 5:
        assert_int_equal(ent_animators_play(l->animators, root, none, 0), ENT_OK);
        instances_resolve(all);
        instance_set(l, at, rest);
        at->now.is_played = at->now.has_second = false;
        break;
    default:
        assert_int_equal(ent_animators_play(l->animators, root, light, WANTED_TIME(l, frame)),
                         ENT_OK);
        instances_resolve(all);
        instance_set(l, at, rest);
        at->now.is_played = true;
        at->now.frame = frame;
    }
}

static void lights_are_those_of_a_plain_model_after_any_changes(void** state) {
    Lamps    l;
    Instance at[2] = {{.now.is_played = true}, {.now.is_played = true}};
    Random   r = {7};
    UNUSED(state);
    lamps_open(&l, 2);
    times_set(&l, WANTED_TIME(&l, 0));
    const LightRows lights = ent_light_rows(l.world);
    const f64       rest = (f64)ent_animated_property_rows(l.world).record->rest.x;
    const u32       steps = SANITIZED ? 1000 : 10000;
    for (u32 step = 0; step < steps; step++) {
        instance_change(&l, at, random_below(&r, 2), &r, rest);
        if (random_below(&r, 3)) continue;
        assert_int_equal(random_below(&r, 2) ? ent_animators_pose(l.animators)
                                             : ent_animators_properties(l.animators),
                         ENT_OK);
        instances_resolve(at);
        for (u32 i = 0; i < 2; i++) {
            instance_set(&l, &at[i], rest);
            if (!is_near(lights.record[i * 2].intensity, at[i].intensity, 1000))
                fail_msg("step %u, instance %u: %.9g, not %.9g", step, i,
                         (f64)lights.record[i * 2].intensity, at[i].intensity);
        }
    }
    lamps_close(&l);
}

/* What the next clip does not animate has the value at rest; a clip that ends leaves its end; the clip of an animator
 * that concerns no light does not replace that of one that does. */
static void lights_are_at_rest_or_at_the_end_when_a_clip_is_replaced_or_ends(void** state) {
    Lamps             l;
    const ResourceRef zoom = ent_resource_ref("rig/zoom", RESOURCE_CLIP);
    UNUSED(state);
    lamps_open(&l, 3);
    const LightRows    lights = ent_light_rows(l.world);
    const AnimatorRows rows = ent_animator_rows(l.world);
    u32                last = 0;
    for (u32 f = 1; f < l.frames; f++)
        if (WANTED_TIME(&l, f) > WANTED_TIME(&l, last)) last = f;
    times_set(&l, 3);
    assert_int_equal(ent_animators_pose(l.animators), ENT_OK);
    const f32 end = lights.record[0].intensity;
    times_set(&l, 0.5f);
    for (u32 i = 0; i < rows.count; i++) rows.record[i].end = PLAYING_STOP;
    assert_int_equal(ent_animators_pose(l.animators), ENT_OK);
    assert_true(lights.record[0].intensity != end);
    assert_int_equal(ent_animators_advance(l.animators, 10), ENT_OK);
    assert_true(lights.record[0].intensity == end);
    const ResourceRef move = ent_resource_ref("rig/move", RESOURCE_CLIP);
    assert_int_equal(ent_animators_play(l.animators, rows.entity[0], zoom, 1), ENT_OK);
    assert_int_equal((i32)resource_id(rows.record[0].clip), 0); /* it has ended: move */
    assert_true(resource_id(rows.record[2].clip) == resource_id(zoom));
    const ResourceRef light = ent_resource_ref("rig/light", RESOURCE_CLIP);
    assert_int_equal(ent_animators_play(l.animators, rows.entity[0], light, 1), ENT_OK);
    assert_true(resource_id(rows.record[1].clip) == resource_id(light));
    assert_int_equal(ent_animators_pose(l.animators), ENT_OK);
    rows.record[0].clip = rows.record[2].clip = move;
    rows.record[1].clip = zoom; /* it changes no light, but the camera is another animator's */
    assert_int_equal(ent_animators_pose(l.animators), ENT_OK);
    rows.record[1].clip = light;
    assert_int_equal(ent_animators_pose(l.animators), ENT_OK);
    assert_true(lights.record[0].intensity != ent_animated_property_rows(l.world).record->rest.x);
    /* The intensity is at rest under a clip that changes the color alone. */
    const ResourceRef tint = ent_resource_ref("rig/tint", RESOURCE_CLIP);
    const Blob*       clip;
    assert_int_equal(ent_library_load(&l.library, "rig/tint", RESOURCE_CLIP, &clip), ENT_OK);
    assert_int_equal(ent_animators_play(l.animators, rows.entity[0], tint, 0), ENT_OK);
    assert_true(resource_id(rows.record[1].clip) == resource_id(tint));
    assert_true(lights.record[0].intensity == ent_animated_property_rows(l.world).record->rest.x);
    lamps_close(&l);
}

TEST_SUITE(lamps) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lights_and_cameras_are_as_a_sampler_in_double_precision_has_them),
        cmocka_unit_test(lights_are_those_of_a_plain_model_after_any_changes),
        cmocka_unit_test(lights_are_at_rest_or_at_the_end_when_a_clip_is_replaced_or_ends),
        cmocka_unit_test(light_is_blended_held_and_left_alone)};
    return TEST_RUN("lamps", tests);
}
