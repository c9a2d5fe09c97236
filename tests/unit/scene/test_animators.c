/* test_animators.c - entities that clips move, from a glTF file to world matrices: compared with what the
 * generator of the file computes in double precision (make_animators.py). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "animation.h"
#include "animators.h"
#include "hash.h"
#include "resource.h"
#include "rows.h"
#include "sections.h"
#include "snapshot.h"
#include "spawn.h"
#include "test.h"
#include "test_worlds_support.h"
#include "test_yard.h"
#include "transform_manager.h"
#include "vec.h"

static void nodes_are_where_a_sampler_in_double_precision_puts_them(void** state) {
    static const struct {
        u32         seed;
        const char* options;
        f64         bound; /* share of the extent */
    } runs[] = {{1, "--clip-error 0", 1e-5}, {2, "--clip-error 0 --strip", 1e-5}, {3, "", 1e-3}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(runs); i++) {
        Yard y;
        f64  max = 0;
        yard_open(&y, runs[i].seed, runs[i].options);
        for (u32 f = 0; f < y.wanted.frames; f++) {
            const u32 instance =
                yard_frame(&y, f)[1] > 0 ? 1 + f % 2 : f % 3; /* 0: one clip only */
            yard_play(&y, instance, f);
            assert_int_equal(ent_animators_pose(y.animators), ENT_OK);
            const f64 found = yard_difference(&y, instance, f);
            if (!(found <= runs[i].bound * yard_extent(&y)))
                fail_msg("frame %u, %.9g s, blend %.9g: %.9g", f, yard_frame(&y, f)[0],
                         yard_frame(&y, f)[1], found);
            max = MAX_OF(max, found);
        }
        printf("seed %u: %u frames, %.2g of the extent\n", runs[i].seed, y.wanted.frames,
               max / yard_extent(&y));
        yard_close(&y);
    }
}

/* What a test does to an instance. */
static void advance(Yard* y, f32 seconds) {
    assert_int_equal(ent_animators_advance(y->animators, seconds), ENT_OK);
    assert_int_equal(ent_animators_pose(y->animators), ENT_OK);
}

static void nodes_follow_after_parts_were_destroyed_or_attached_elsewhere(void** state) {
    Yard y;
    UNUSED(state);
    yard_open(&y, 4, "--clip-error 0");
    /* A node of the second instance leaves its parent for the root of the third, which does not move. */
    const AnimatedNodeRows rows = ent_animated_node_rows(y.world);
    u32                    node = 0;
    for (u32 i = 0; i < rows.count; i++)
        for (u32 n = 0; n < y.wanted.nodes; n++)
            if (rows.entity[i] == yard_node(&y, 1, n)) node = n;
    const Entity moved = yard_node(&y, 1, node), other = y.entity[2 * (y.wanted.nodes + 1)];
    assert_int_equal(ent_transform_reparent(y.world, moved, other), ENT_OK);
    /* The first instance loses its first node, and the third one its root with the animators. */
    Entity gone[] = {yard_node(&y, 0, 0), other};
    for (u32 f = 0; f < 20; f++) {
        yard_play(&y, 1, f);
        assert_int_equal(ent_animators_pose(y.animators), ENT_OK);
        const Mat34*          world = ent_transform_world(y.world, moved);
        const TransformRecord local =
            ent_transform_local(y.world, ent_transform_row(y.world, moved));
        const Mat34 alone = mat34_of_pose(&local.position, &local.rotation, &local.scale);
        for (u32 i = 0; i < 12 && f < 10; i++) /* its new parent is at the origin */
            assert_true(fabsf(world->m[i / 4][i % 4] - alone.m[i / 4][i % 4]) < 1e-5f);
        if (f == 10) ent_entity_destroy(y.world, gone, COUNT_OF(gone));
        f64 max = 0;
        for (u32 n = 0; n < y.wanted.nodes; n++) {
            const Mat34* found = ent_transform_world(y.world, yard_node(&y, 1, n));
            for (u32 i = 0; i < 12 && n < node; i++) {
                const f64 d = fabs((f64)found->m[i / 4][i % 4] - yard_frame(&y, f)[2 + n * 12 + i]);
                max = MAX_OF(max, d);
            }
        }
        assert_true(max <= 1e-5 * yard_extent(&y));
    }
    advance(&y, 0.25f);
    yard_close(&y);
}

/* Only what changed is posed: a host moves the others. */
static void entities_of_animators_that_rest_may_be_moved_by_the_host(void** state) {
    Yard y;
    UNUSED(state);
    yard_open(&y, 5, "");
    const AnimatedNodeRows nodes = ent_animated_node_rows(y.world);
    const AnimatorRows     rows = ent_animator_rows(y.world);
    const u32              row = ent_transform_row(y.world, nodes.entity[0]);
    const TransformRecord  placed = {{9, 8, 7}, {0, 0, 0, 1}, {1, 1, 1}};
    advance(&y, 0.5f);
    for (u32 i = 0; i < rows.count; i++) rows.record[i].speed = 0;
    ent_transform_set_local(y.world, row, &placed);
    advance(&y, 0.5f);
    TransformRecord found = ent_transform_local(y.world, row);
    assert_memory_equal(&found, &placed, sizeof placed);
    yard_spawn(&y); /* other animators come */
    advance(&y, 0.5f);
    found = ent_transform_local(y.world, ent_transform_row(y.world, nodes.entity[0]));
    assert_memory_equal(&found, &placed, sizeof placed);
    const AnimatorRows all = ent_animator_rows(y.world);
    for (u32 i = 0; i < all.count; i++) all.record[i].time_s += 0.25f;
    advance(&y, 0);
    found = ent_transform_local(
        y.world, ent_transform_row(y.world, ent_animated_node_rows(y.world).entity[0]));
    assert_memory_not_equal(&found, &placed, sizeof placed);
    yard_close(&y);
}

static void clips_are_played_or_refused(void** state) {
    Yard y;
    UNUSED(state);
    yard_open(&y, 1, "");
    const ResourceRef none = {0, 0}, c1 = ent_resource_ref("rig/c1", RESOURCE_CLIP);
    const Entity      root = y.entity[0];
    assert_int_equal(ent_animators_play(y.animators, root, c1, 0.5f), ENT_OK);
    const AnimatorRows rows = ent_animator_rows(y.world);
    u32                playing = 0;
    for (u32 i = 0; i < rows.count; i++)
        playing += rows.entity[i] == root && rows.record[i].time_s == 0.5f &&
                   resource_id(rows.record[i].clip) == resource_id(c1);
    assert_true(playing > 1);
    const EntClipEvent* event;
    u32                 count, begins = 0;
    assert_int_equal(ent_animators_play(y.animators, root, c1, 0), ENT_OK);
    assert_int_equal(ent_animators_advance(y.animators, 0.01f), ENT_OK);
    event = ent_animators_events(y.animators, &count);
    for (u32 i = 0; i < count; i++)
        begins += event[i].entity == root && resource_id(event[i].clip) == resource_id(c1);
    assert_int_equal(begins, 1); /* of several animators that play it */
    assert_int_equal(ent_animators_play(y.animators, yard_node(&y, 0, 0), c1, 0), ENT_NOT_FOUND);
    assert_int_equal(
        ent_animators_play(y.animators, root, ent_resource_ref("rig/x", RESOURCE_CLIP), 0),
        ENT_NOT_FOUND);
    assert_int_equal(ent_animators_play(y.animators, root, c1, NAN), ENT_BAD_FIELD);
    assert_int_equal(ent_animators_advance(y.animators, INFINITY), ENT_BAD_FIELD);
    assert_int_equal(ent_animators_play(y.animators, root, none, 0), ENT_OK);
    for (u32 i = 0; i < rows.count; i++)
        if (rows.entity[i] == root) assert_int_equal(resource_id(rows.record[i].clip), 0);
    Entity gone = root;
    ent_entity_destroy(y.world, &gone, 1);
    assert_int_equal(ent_animators_play(y.animators, root, c1, 0), ENT_STALE);
    yard_close(&y);
}

/* Sets how the animators of an instance end. */
static void end_set(Yard* y, u32 instance, u32 end) {
    const AnimatorRows rows = ent_animator_rows(y->world);
    for (u32 i = 0; i < rows.count; i++)
        if (rows.entity[i] == y->entity[instance * (y->wanted.nodes + 1)]) rows.record[i].end = end;
}

static void assert_same_places(const Yard* y, u32 one, u32 other) {
    for (u32 n = 0; n < y->wanted.nodes; n++)
        assert_memory_equal(ent_transform_world(y->world, yard_node(y, one, n)),
                            ent_transform_world(y->world, yard_node(y, other, n)), sizeof(Mat34));
}

static void clip_that_stops_leaves_nodes_at_its_end(void** state) {
    static const f32 steps[] = {0.4f, 1.7f, 30};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(steps); i++) {
        Yard y;
        yard_open(&y, 1, "");
        end_set(&y, 0, PLAYING_STOP);
        end_set(&y, 1, PLAYING_HOLD);
        for (f32 time_s = 0; time_s < 6; time_s += steps[i]) {
            advance(&y, steps[i]);
            assert_same_places(&y, 0, 1);
        }
        const AnimatorRows rows = ent_animator_rows(y.world);
        for (u32 k = 0; k < rows.count; k++)
            if (rows.entity[k] == y.entity[0])
                assert_int_equal(resource_id(rows.record[k].clip), 0);
        yard_close(&y);
    }
}

static void nodes_stay_where_they_are_when_nothing_is_played(void** state) {
    const ResourceRef none = {0, 0};
    Yard              y;
    UNUSED(state);
    yard_open(&y, 1, "");
    const AnimatorRows rows = ent_animator_rows(y.world);
    for (u32 i = 0; i < rows.count; i++)
        rows.record[i].second_clip = yard_clip_after(rows.record[i].clip);
    advance(&y, 0.7f);
    Mat34 before[NODES_MAX];
    for (u32 n = 0; n < y.wanted.nodes; n++)
        before[n] = *ent_transform_world(y.world, yard_node(&y, 0, n));
    assert_int_equal(ent_animators_play(y.animators, y.entity[0], none, 0), ENT_OK);
    advance(&y, 0.7f);
    for (u32 n = 0; n < y.wanted.nodes; n++)
        assert_memory_equal(&before[n], ent_transform_world(y.world, yard_node(&y, 0, n)),
                            sizeof(Mat34));
    yard_close(&y);
}

/* Another clip is played after one that moved more: the rest of it goes to the rest pose, as if it had not been
 * played, whatever was removed or saved in between. */
static void next_clip_is_played_as_if_the_first_one_had_not_been(void** state) {
    Yard y;
    UNUSED(state);
    yard_open(&y, 1, "");
    Entity gone = y.entity[2 * (y.wanted.nodes + 1)];
    for (u32 i = 0; i < 2; i++) {
        const ResourceRef clip = ent_resource_ref(yard_clips[1 + i], RESOURCE_CLIP);
        if (i == 0) advance(&y, 0.7f); /* the first clips move both instances */
        for (u32 k = 0; k < 2; k++)
            assert_int_equal(
                ent_animators_play(y.animators, y.entity[k * (y.wanted.nodes + 1)], clip, 0.5f),
                ENT_OK);
        if (i == 0) ent_entity_destroy(y.world, &gone, 1);
        advance(&y, 0);
        assert_same_places(&y, 0, 1);
    }
    yard_close(&y);
}

/* One step with allocations that fail; false: one has failed. */
static bool step_try(Yard* y, CountingAllocator* counting, u32 fail_at) {
    ent_status status = ENT_OK;
    counting->fail_at = counting->allocations + fail_at;
    status = ent_animators_create(&y->animators, y->world, &y->library);
    if (status == ENT_OK) status = ent_animators_advance(y->animators, 30);
    if (status == ENT_OK) status = ent_animators_pose(y->animators);
    if (status == ENT_OK)
        status = ent_animators_play(y->animators, y->entity[0],
                                    ent_resource_ref(yard_clips[1], RESOURCE_CLIP), 0);
    counting->fail_at = 0;
    assert_true(status == ENT_OK || status == ENT_NO_MEMORY);
    if (status != ENT_OK && y->animators) { /* goes on when there is memory */
        assert_int_equal(ent_animators_advance(y->animators, 0.25f), ENT_OK);
        assert_int_equal(ent_animators_pose(y->animators), ENT_OK);
    }
    ent_animators_destroy(y->animators);
    return status == ENT_OK;
}

static void animators_without_memory_return_status_and_lose_none(void** state) {
    static CountingAllocator counting;
    const WorldDesc          desc = {.allocator = counting_allocator(&counting)};
    Yard                     y;
    u32                      fail_at = 1;
    UNUSED(state);
    yard_open(&y, 1, "");
    ent_animators_destroy(y.animators);
    ent_world_destroy(y.world);
    assert_int_equal(ent_world_create(&y.world, &desc), ENT_OK);
    yard_spawn(&y);
    const u32 blocks = counting.live_blocks;
    for (; !step_try(&y, &counting, fail_at); fail_at++)
        assert_int_equal(counting.live_blocks, blocks);
    assert_true(fail_at > 10);
    y.animators = NULL;
    yard_close(&y);
    assert_int_equal(counting.live_bytes, 0);
}

/* --- saves --- */

static void save_in_the_middle_of_a_clip_goes_on_from_there(void** state) {
    Yard       y;
    World*     loaded;
    Animators* animators;
    void*      bytes;
    size_t     size;
    Resource   save;
    u32        found = 0;
    UNUSED(state);
    yard_open(&y, 6, "");
    for (u32 i = 0; i < 7; i++) advance(&y, 0.11f);
    const Blob* yard = ent_library_find(&y.library, ent_resource_ref("yard", RESOURCE_LEVEL));
    const EntSaveSource  source = {yard, y.entity};
    const EntSaveOptions options = {.name = "saved", .sources = &source, .source_count = 1};
    assert_int_equal(ent_world_save(y.world, &options, &bytes, &size), ENT_OK);
    assert_int_equal(ent_resource_open_bytes(&save, bytes, size, NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_create(&loaded, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(loaded, &save.blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_animators_create(&animators, loaded, &y.library), ENT_OK);
    assert_int_equal(ent_animators_advance(animators, 0.3f), ENT_OK);
    assert_int_equal(ent_animators_pose(animators), ENT_OK);
    advance(&y, 0.3f);
    const AnimatedNodeRows rows = ent_animated_node_rows(y.world);
    const AnimatedNodeRows others = ent_animated_node_rows(loaded);
    assert_int_equal(rows.count, others.count);
    for (u32 i = 0; i < rows.count; i++)
        for (u32 k = 0; k < others.count; k++) {
            if (rows.record[i].node != others.record[k].node) continue;
            const Mat34* one = ent_transform_world(y.world, rows.entity[i]);
            const Mat34* two = ent_transform_world(loaded, others.entity[k]);
            assert_memory_equal(one, two, sizeof *one); /* all instances play the same */
            found++;
        }
    assert_true(found >= rows.count);
    ent_animators_destroy(animators);
    ent_resource_close(&save);
    ent_world_save_free(y.world, bytes, size);
    ent_world_destroy(loaded);
    yard_close(&y);
}

/* --- events --- */

/* An event that is passed at a place of the line on which the passes of a clip follow each other. */
typedef struct Passed {
    f64         place;
    i32         pass;
    f32         time_s;
    const char* name;
} Passed;

static int passed_order(const void* a, const void* b) {
    const Passed *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    if (x->pass != y->pass) return x->pass < y->pass ? -1 : 1;
    if (x->time_s != y->time_s) return x->time_s < y->time_s ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The events of a clip between two times that are not wrapped, by trying all passes. */
static u32 passed_find(const Blob* clip, f64 duration_s, f32 from, f32 to, bool backwards, u32 end,
                       Passed* out) {
    const BlobSection*     section = ent_blob_section(clip, SECTION_CLIP_EVENT);
    const ClipEventRecord* event = ent_blob_data(clip, section);
    const char*            text = ent_blob_data(clip, ent_blob_section(clip, SECTION_EVENT_NAME));
    const i32              passes = end == PLAYING_LOOP ? (i32)(fabs((f64)to) / duration_s) + 2 : 0;
    u32                    count = 0;
    for (i32 pass = -passes; pass <= passes; pass++)
        for (u32 i = 0; i < section->count; i++) {
            const f64 place = pass * duration_s + (f64)event[i].time_s;
            bool      inside = backwards ? place > (f64)to && place <= (f64)from
                                         : place >= (f64)from && place < (f64)to;
            inside &=
                backwards ? pass <= 0 : pass >= 0; /* the first pass begins at its beginning */
            if (end != PLAYING_LOOP) {             /* the end belongs to the pass, once */
                const bool over = backwards ? from <= 0 : (f64)from >= duration_s;
                inside |= backwards ? to <= 0 && place == 0
                                    : (f64)to >= duration_s && place == duration_s;
                inside &= !over;
            }
            if (inside) out[count++] = (Passed){place, pass, event[i].time_s, text + event[i].name};
        }
    qsort(out, count, sizeof *out, passed_order);
    for (u32 i = 0; backwards && i < count / 2; i++) {
        const Passed last = out[count - 1 - i];
        out[count - 1 - i] = out[i];
        out[i] = last;
    }
    return count;
}

static void events_are_passed_as_on_a_line_of_all_passes(void** state) {
    Yard   y;
    Random random = {7};
    Passed wanted[4096];
    u32    total = 0, longest = 0;
    UNUSED(state);
    yard_open(&y, 1, "");
    const AnimatorRows rows = ent_animator_rows(y.world);
    AnimatorRecord*    r = &rows.record[0];
    const ResourceRef  ref = r->clip;
    const Blob*        clip = ent_library_find(&y.library, ref);
    const f64          duration_s = (f64)ent_clip_duration(clip);
    for (u32 i = 0; i < rows.count; i++) rows.record[i].speed = i == 0;
    for (u32 i = 0; i < test_step(20000, 2000); i++) {
        const EntClipEvent* event;
        u32                 count;
        if (random_below(&random, 50) == 0) r->end = (Enum32)random_below(&random, 3);
        if (random_below(&random, 4) == 0) r->speed = random_float(&random, -3, 3);
        if (resource_id(r->clip) == 0 ||
            (r->end != PLAYING_LOOP && random_below(&random, 5) == 0)) {
            r->clip = ref;
            r->time_s = random_below(&random, 3) ? random_float(&random, 0, (f32)duration_s) : 0;
        }
        const f32 seconds = random_below(&random, 10) ? random_float(&random, 0, 0.3f)
                                                      : random_float(&random, 0, 60);
        const f32 from = r->time_s, step = seconds * r->speed;
        const u32 found =
            step == 0 ? 0
                      : passed_find(clip, duration_s, from, from + step, step < 0, r->end, wanted);
        assert_int_equal(ent_animators_advance(y.animators, seconds), ENT_OK);
        event = ent_animators_events(y.animators, &count);
        if (count != found)
            fail_msg("step %u from %.9g by %.9g: %u events, expected %u", i, (f64)from, (f64)step,
                     count, found);
        for (u32 k = 0; k < count; k++) {
            assert_string_equal(event[k].name, wanted[k].name);
            assert_true(event[k].time_s == wanted[k].time_s);
            assert_int_equal(event[k].entity, rows.entity[0]);
            assert_int_equal(resource_id(event[k].clip), resource_id(ref));
        }
        total += count;
        longest = MAX_OF(longest, count);
    }
    assert_true(total > 1000 && longest > 50);
    yard_close(&y);
}

static void events_without_influence_and_beyond_the_limit_are_not_reported(void** state) {
    Yard y;
    u32  count;
    UNUSED(state);
    yard_open(&y, 1, "");
    const AnimatorRows rows = ent_animator_rows(y.world);
    AnimatorRecord*    r = &rows.record[0];
    for (u32 i = 0; i < rows.count; i++) rows.record[i].speed = i == 0;
    r->second_clip = yard_clip_after(r->clip);
    for (u32 i = 0; i < 3; i++) {
        r->time_s = r->second_time_s = 0;
        r->blend = 0.5f * (f32)i;
        assert_int_equal(ent_animators_advance(y.animators, 0.01f), ENT_OK);
        const EntClipEvent* event = ent_animators_events(y.animators, &count);
        assert_int_equal(count, i == 1 ? 2 : 1); /* "begin" */
        assert_int_equal(resource_id(event[count - 1].clip),
                         resource_id(i == 0 ? r->clip : r->second_clip));
    }
    r->second_clip = (ResourceRef){0, 0};
    r->blend = 0;
    r->speed = 100;
    assert_int_equal(ent_animators_advance(y.animators, 1e6f), ENT_OK);
    ent_animators_events(y.animators, &count);
    assert_int_equal(count, ENT_CLIP_EVENTS_MAX);
    assert_true(r->time_s >= 0);
    yard_close(&y);
}

TEST_SUITE(animators) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_where_a_sampler_in_double_precision_puts_them),
        cmocka_unit_test(nodes_follow_after_parts_were_destroyed_or_attached_elsewhere),
        cmocka_unit_test(entities_of_animators_that_rest_may_be_moved_by_the_host),
        cmocka_unit_test(clips_are_played_or_refused),
        cmocka_unit_test(clip_that_stops_leaves_nodes_at_its_end),
        cmocka_unit_test(nodes_stay_where_they_are_when_nothing_is_played),
        cmocka_unit_test(next_clip_is_played_as_if_the_first_one_had_not_been),
        cmocka_unit_test(animators_without_memory_return_status_and_lose_none),
        cmocka_unit_test(save_in_the_middle_of_a_clip_goes_on_from_there),
        cmocka_unit_test(events_are_passed_as_on_a_line_of_all_passes),
        cmocka_unit_test(events_without_influence_and_beyond_the_limit_are_not_reported),
    };
    return TEST_RUN("animators", tests);
}
