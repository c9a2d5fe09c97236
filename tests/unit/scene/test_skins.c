/* test_skins.c - characters on the CPU: times of clips, poses, weights of morph targets, and entities that
 * follow joints. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "hash.h"
#include "rows.h"
#include "sections.h"
#include "test_characters.h"
#include "test_worlds_support.h"
#include "vec.h"

static SkinRecord* skin_of(const Characters* c) { return &ent_skin_rows(c->world).record[0]; }

static void assert_near(f32 found, f64 wanted, f64 error) {
    if (!(fabs((f64)found - wanted) <= error)) fail_msg("%.9g, expected %.9g", (f64)found, wanted);
}

/* --- times --- */

static void times_of_clips_loop_hold_and_stop(void** state) {
    /* The clip `walk` lasts 1 s. */
    static const struct {
        u32 end;
        f32 from, speed, seconds, time;
        int removed;
    } rows[] = {{PLAYING_LOOP, 0.25f, 1, 0.5f, 0.75f, 0}, {PLAYING_LOOP, 0.75f, 1, 0.5f, 0.25f, 0},
                {PLAYING_LOOP, 0.25f, 2, 4, 0.25f, 0},    {PLAYING_LOOP, 0.25f, -1, 0.5f, 0.75f, 0},
                {PLAYING_LOOP, 7.25f, 1, 0, 7.25f, 0},    {PLAYING_HOLD, 0.25f, 1, 2, 1, 0},
                {PLAYING_HOLD, 0.25f, -1, 2, 0, 0},       {PLAYING_HOLD, 0.5f, 0, 2, 0.5f, 0},
                {PLAYING_STOP, 0.25f, 1, 0.5f, 0.75f, 0}, {PLAYING_STOP, 0.25f, 1, 0.75f, 1, 1},
                {PLAYING_STOP, 0.25f, -1, 1, 0, 1},       {PLAYING_LOOP, 7.25f, 1, 0.5f, 0.75f, 0}};
    Characters c;
    UNUSED(state);
    characters_open(&c, "show_walker");
    const ResourceRef walk = ent_resource_ref("walker/walk", RESOURCE_CLIP);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        SkinRecord* skin = skin_of(&c);
        skin->clip = skin->second_clip = walk;
        skin->time_s = skin->second_time_s = rows[i].from;
        skin->speed = rows[i].speed;
        skin->end = rows[i].end;
        assert_int_equal(ent_skins_advance(c.skins, rows[i].seconds), ENT_OK);
        assert_near(skin->time_s, (f64)rows[i].time, 1e-5);
        assert_near(skin->second_time_s, (f64)rows[i].time, 1e-5);
        assert_int_equal(resource_id(skin->clip) == 0, rows[i].removed);
        assert_int_equal(resource_id(skin->second_clip) == 0, rows[i].removed);
    }
    characters_close(&c);
}

static void times_that_are_not_finite_are_refused_or_begin_again(void** state) {
    static const f32  wrong[] = {INFINITY, -INFINITY, NAN};
    const ResourceRef walk = ent_resource_ref("walker/walk", RESOURCE_CLIP);
    Characters        c;
    UNUSED(state);
    characters_open(&c, "show_walker");
    for (u32 i = 0; i < 9; i++) {
        SkinRecord* skin = skin_of(&c);
        skin->clip = walk;
        skin->end = (EntEnum32[]){PLAYING_LOOP, PLAYING_HOLD, PLAYING_LOOP}[i % 3];
        skin->time_s = 0.25f, skin->speed = 1;
        assert_int_equal(ent_skins_advance(c.skins, wrong[i / 3]), ENT_BAD_FIELD);
        assert_int_equal(
            ent_skins_play(c.skins, ent_skin_rows(c.world).entity[0], walk, wrong[i / 3]),
            ENT_BAD_FIELD);
        assert_near(skin->time_s, 0.25, 0);
        skin->time_s = wrong[i / 3]; /* as a host may write it */
        assert_int_equal(ent_skins_advance(c.skins, 0.125f), ENT_OK);
        assert_true(skin->time_s >= 0 && skin->time_s <= 1);
        skin->time_s = 0.25f, skin->speed = FLT_MAX;
        assert_int_equal(ent_skins_advance(c.skins, FLT_MAX), ENT_OK);
        assert_true(skin->time_s >= 0 && skin->time_s <= 1);
    }
    characters_close(&c);
}

static void times_outside_of_clip_are_played_inside_of_it(void** state) {
    Characters c;
    PosePlay   play;
    UNUSED(state);
    characters_open(&c, "show_walker");
    skin_of(&c)->time_s = 3.25f;
    assert_int_equal(ent_skins_playing(c.skins, 0, &play), ENT_OK);
    assert_near(play.time_s, 0.25, 1e-6);
    skin_of(&c)->end = PLAYING_HOLD;
    assert_int_equal(ent_skins_playing(c.skins, 0, &play), ENT_OK);
    assert_near(play.time_s, 1, 0);
    characters_close(&c);
}

static void advance_reports_only_skins_that_play(void** state) {
    u64          bits = 0;
    ManagerWatch watch = {.changed = &bits, .capacity = 64};
    Characters   c;
    UNUSED(state);
    characters_open(&c, "crowd");
    Manager* manager = ent_world_built_in(c.world, COMPONENT_SKIN);
    SkinRows rows = ent_skin_rows(c.world);
    for (u32 i = 0; i < rows.count; i++) rows.record[i].speed = i % 3 == 0;
    ent_manager_watch(manager, &watch);
    assert_int_equal(ent_skins_advance(c.skins, 0.125f), ENT_OK);
    for (u32 i = 0; i < 64; i++) assert_int_equal(bits >> i & 1, i % 3 == 0);
    ent_manager_unwatch(manager, &watch);
    characters_close(&c);
}

/* --- clips --- */

static void clip_is_played_or_refused_with_rest_pose(void** state) {
    Characters        c;
    const ResourceRef run = ent_resource_ref("walker/run", RESOURCE_CLIP), none = {0, 0};
    UNUSED(state);
    characters_open(&c, "crowd");
    Entity      walker = ENTITY_NULL;
    const u64   skeleton = resource_id(ent_resource_ref("walker/skeleton_0", RESOURCE_SKELETON));
    const u32   count = ent_skin_rows(c.world).count;
    SkinRecord *skin = NULL, *rows = ent_skin_rows(c.world).record;
    for (u32 i = 0; i < count && !walker; i++) {
        if (resource_id(rows[i].skeleton) != skeleton) continue;
        walker = characters_entity(&c, i);
        skin = &rows[i];
    }
    assert_int_equal(ent_skins_play(c.skins, walker, run, 0.5f), ENT_OK);
    assert_int_equal(resource_id(skin->clip), resource_id(run));
    assert_near(skin->time_s, 0.5, 0);
    assert_int_equal(
        ent_skins_play(c.skins, walker, ent_resource_ref("worm/wave", RESOURCE_CLIP), 0),
        ENT_WRONG_TYPE);
    assert_int_equal(resource_id(skin->clip), 0);
    assert_int_equal(
        ent_skins_play(c.skins, walker, ent_resource_ref("walker/fly", RESOURCE_CLIP), 0),
        ENT_NOT_FOUND);
    assert_int_equal(ent_skins_play(c.skins, walker, skin->skeleton, 0), ENT_NOT_FOUND);
    assert_int_equal(ent_skins_play(c.skins, walker, run, 0), ENT_OK);
    assert_int_equal(ent_skins_play(c.skins, walker, none, 0), ENT_OK);
    assert_int_equal(resource_id(skin->clip), 0);
    const Entity bare = ent_skin_rows(c.world).record[0].root; /* a root has no skin itself */
    assert_int_equal(ent_skins_play(c.skins, bare, run, 0), ENT_NOT_FOUND);
    ent_entity_destroy(c.world, &walker, 1);
    assert_int_equal(ent_skins_play(c.skins, walker, run, 0), ENT_STALE);
    characters_close(&c);
}

/* --- poses --- */

/* With the functions for single skeletons. */
static void bones_by_hand(const Characters* c, const char* clip, f32 time_s, Mat34* joints,
                          Mat34* palette) {
    const Blob*     skeleton = characters_blob(c, "walker/skeleton_0", RESOURCE_SKELETON);
    TransformRecord poses[32];
    assert_true(ent_skeleton_joint_count(skeleton) <= 32);
    ent_clip_sample(clip ? characters_blob(c, clip, RESOURCE_CLIP) : NULL, skeleton, time_s, poses);
    ent_skeleton_palette(skeleton, poses, joints, palette);
}

static void joints_by_hand(const Characters* c, const char* clip, f32 time_s, Mat34* joints) {
    Mat34 palette[32];
    bones_by_hand(c, clip, time_s, joints, palette);
}

static void palette_by_hand(const Characters* c, const char* clip, f32 time_s, Mat34* palette) {
    Mat34 joints[32];
    bones_by_hand(c, clip, time_s, joints, palette);
}

static void joints_of_skin_are_those_of_its_clip(void** state) {
    Characters   c;
    const Mat34* joints;
    Mat34        wanted[32];
    u32          count;
    UNUSED(state);
    characters_open(&c, "show_walker");
    for (u32 i = 0; i < 20; i++) {
        const f32 time_s = (f32)i / 20;
        skin_of(&c)->time_s = time_s;
        assert_int_equal(ent_skins_joints(c.skins, characters_entity(&c, 0), &joints, &count),
                         ENT_OK);
        joints_by_hand(&c, "walker/walk", time_s, wanted);
        assert_memory_equal(joints, wanted, count * sizeof *joints);
        assert_int_equal(ent_skins_palette(c.skins, characters_entity(&c, 0), &joints, &count),
                         ENT_OK);
        palette_by_hand(&c, "walker/walk", time_s, wanted);
        assert_int_equal(count, 11);
        assert_memory_equal(joints, wanted, count * sizeof *joints);
    }
    skin_of(&c)->clip = (ResourceRef){0, 0};
    assert_int_equal(ent_skins_joints(c.skins, characters_entity(&c, 0), &joints, &count), ENT_OK);
    joints_by_hand(&c, NULL, 0, wanted);
    assert_memory_equal(joints, wanted, count * sizeof *joints);
    characters_close(&c);
}

/* The bones of the walker and then the many of the worm: what grows is released with its size. */
static void palettes_of_skeletons_of_any_size_share_memory(void** state) {
    static CountingAllocator counting;
    const WorldDesc          desc = {.allocator = counting_allocator(&counting)};
    Characters               c;
    const Mat34*             palette;
    u32                      count, smallest = 999, largest = 0;
    UNUSED(state);
    characters_open_in(&c, "crowd", &desc);
    const SkinRows rows = ent_skin_rows(c.world);
    for (u32 i = 0; i < rows.count; i++) {
        if (ent_skins_palette(c.skins, rows.entity[i], &palette, &count) != ENT_OK) continue;
        smallest = MIN_OF(smallest, count);
        largest = MAX_OF(largest, count);
    }
    assert_int_equal(smallest, 11);
    assert_int_equal(largest, 257);
    characters_close(&c);
    assert_int_equal(counting.live_bytes, 0);
    assert_int_equal(counting.live_blocks, 0);
}

static void blend_of_one_is_the_second_clip_and_of_half_between(void** state) {
    Characters   c;
    const Mat34* joints;
    Mat34        first[32], second[32];
    u32          count;
    f64          apart = 0;
    const Blob*  run;
    UNUSED(state);
    characters_open(&c, "show_walker");
    SkinRecord* skin = skin_of(&c);
    assert_int_equal(ent_library_resource(&c.library, "walker/run", RESOURCE_CLIP, &run), ENT_OK);
    skin->second_clip = ent_resource_ref("walker/run", RESOURCE_CLIP);
    skin->time_s = 0.25f;
    skin->second_time_s = 0.15f;
    skin->blend = 1;
    joints_by_hand(&c, "walker/walk", 0.25f, first);
    joints_by_hand(&c, "walker/run", 0.15f, second);
    assert_int_equal(ent_skins_joints(c.skins, characters_entity(&c, 0), &joints, &count), ENT_OK);
    for (u32 i = 0; i < count * 12; i++)
        assert_near(joints[i / 12].m[i % 12 / 4][i % 4], (f64)second[i / 12].m[i % 12 / 4][i % 4],
                    1e-5);
    skin->blend = 0.5f;
    assert_int_equal(ent_skins_joints(c.skins, characters_entity(&c, 0), &joints, &count), ENT_OK);
    for (u32 i = 0; i < count; i++) {
        const Vec3 a = mat34_column(&first[i], 3), b = mat34_column(&second[i], 3);
        const Vec3 at = mat34_column(&joints[i], 3), middle = vec3_scale(vec3_add(a, b), 0.5f);
        assert_true(vec3_length(vec3_sub(at, middle)) <=
                    vec3_length(vec3_sub(a, b)) * 0.5f + 1e-5f);
        apart = MAX_OF(apart, (f64)vec3_length(vec3_sub(a, b)));
    }
    assert_true(apart > 0.05);
    characters_close(&c);
}

/* --- weights of morph targets --- */

static void weights_of_morph_targets_follow_the_clip(void** state) {
    static const f32 keys[9][3] = {{0, 0, 0}, {1, 0, 0},    {0, 0, 0},    {0, 1, 0}, {0, 0, 0},
                                   {0, 0, 1}, {0.5f, 0, 1}, {0, 0.5f, 1}, {0, 0, 0}};
    Characters       c;
    UNUSED(state);
    characters_open(&c, "show_ball");
    SkinRecord* skin = skin_of(&c);
    assert_int_equal(resource_id(skin->skeleton), 0);
    for (u32 i = 0; i < 17; i++) {
        f32 weights[3] = {9, 9, 9}, other[2] = {9, 9};
        skin->time_s = (f32)i / 8;
        assert_int_equal(ent_skins_weights(c.skins, 0, 3, weights), ENT_OK);
        for (u32 k = 0; k < 3; k++)
            assert_near(weights[k], ((f64)keys[i / 2][k] + (f64)keys[(i + 1) / 2][k]) / 2, 1e-6);
        assert_int_equal(ent_skins_weights(c.skins, 0, 2, other), ENT_OK); /* of another mesh */
        assert_near(other[0], 9, 0);
    }
    skin->second_clip = skin->clip;
    skin->time_s = 0.25f;
    skin->second_time_s = 0.75f;
    skin->blend = 0.25f;
    f32 weights[3] = {9, 9, 9};
    assert_int_equal(ent_skins_weights(c.skins, 0, 3, weights), ENT_OK);
    assert_near(weights[0], 0.75, 1e-6);
    assert_near(weights[1], 0.25, 1e-6);
    skin->node = 0;
    weights[0] = 9;
    assert_int_equal(ent_skins_weights(c.skins, 0, 3, weights), ENT_OK);
    assert_near(weights[0], 9, 0);
    characters_close(&c);
}

/* --- joints that are followed --- */

static void attached_entity_and_its_children_follow_the_joint(void** state) {
    Characters   c;
    const Mat34* joints;
    u32          count;
    UNUSED(state);
    characters_open(&c, "torch");
    const AttachToJointRows rows = ent_attach_to_joint_rows(c.world);
    const Entity            torch = rows.entity[0], lost = rows.entity[1];
    const Entity            man = ent_skin_rows(c.world).record[0].root;
    const u32               hand = 6; /* below hip, chest, head, arm_l in the order of nodes */
    for (u32 i = 0; i < 12; i++) {
        assert_int_equal(ent_skins_advance(c.skins, 0.11f), ENT_OK);
        assert_int_equal(ent_skins_attach(c.skins), ENT_OK);
        assert_int_equal(ent_skins_joints(c.skins, characters_entity(&c, 0), &joints, &count),
                         ENT_OK);
        const Vec3 in_hand = mat34_point(&joints[hand - 1], (Vec3){0, -0.3f, 0.1f});
        const Vec3 wanted = mat34_point(ent_transform_world(c.world, man), in_hand);
        const Vec3 found = mat34_column(ent_transform_world(c.world, torch), 3);
        assert_true(vec3_length(vec3_sub(found, wanted)) < 1e-4f);
        const u32  row = ent_transform_row(c.world, torch);
        const u32  flame = ent_transform_links(c.world)[row].first_child;
        const Vec3 above = mat34_column(&ent_transform_worlds(c.world)[flame], 3);
        assert_near(vec3_length(vec3_sub(above, found)), 0.1, 1e-4); /* 1 m, scaled by 0.1 */
        const Vec3 place = mat34_column(ent_transform_world(c.world, lost), 3);
        assert_near(place.x + place.y * 10 + place.z * 100, 321, 0);
    }
    characters_close(&c);
}

TEST_SUITE(skins) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_clips_loop_hold_and_stop),
        cmocka_unit_test(times_that_are_not_finite_are_refused_or_begin_again),
        cmocka_unit_test(times_outside_of_clip_are_played_inside_of_it),
        cmocka_unit_test(advance_reports_only_skins_that_play),
        cmocka_unit_test(clip_is_played_or_refused_with_rest_pose),
        cmocka_unit_test(joints_of_skin_are_those_of_its_clip),
        cmocka_unit_test(palettes_of_skeletons_of_any_size_share_memory),
        cmocka_unit_test(blend_of_one_is_the_second_clip_and_of_half_between),
        cmocka_unit_test(weights_of_morph_targets_follow_the_clip),
        cmocka_unit_test(attached_entity_and_its_children_follow_the_joint)};
    return TEST_RUN("skins", tests);
}
