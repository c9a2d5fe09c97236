/* test_animated.c - entities that clips move, on the device: compared with what the generator of the model computes in
 * double precision, and with a second world that the host poses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu_places.h"
#include "hash.h"
#include "resource.h"
#include "rows.h"
#include "spawn.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"
#include "test_yard.h"

#define BOUND 1e-5 /* share of the extent */

/* Two worlds with the same content: of one, the device computes where entities are, and nothing poses them. */
typedef struct Pair {
    Yard      host, device;
    GpuPlaces places;
    Mat34*    found; /* [found_count] of each row of transforms */
    u32       found_count;
} Pair;

static void pair_open(Pair* p, u32 seed, const char* options) {
    *p = (Pair){0};
    yard_open(&p->host, seed, options);
    yard_open_again(&p->device);
    assert_int_equal(
        gpu_places_create(&p->places, gpu_for_test(), p->device.world, p->device.animators),
        ENT_OK);
}

static void pair_close(Pair* p) {
    gpu_places_destroy(&p->places);
    yard_close(&p->host);
    yard_close(&p->device);
    free(p->found);
    test_gpu_silent();
}

/* What the device has now. */
static void places_read(Pair* p) {
    const u32  count = ent_transform_rows(p->device.world).count;
    GpuFrames* frames;
    GpuFrame*  frame;
    assert_int_equal(gpu_alone_begin(gpu_for_test(), &frames, &frame), ENT_OK);
    assert_int_equal(gpu_alone_end(frames, frame, gpu_places_update(&p->places, frame)), ENT_OK);
    p->found = realloc(p->found, (count + 1) * sizeof *p->found);
    p->found_count = count;
    assert_int_equal(gpu_download(gpu_for_test(), GPU_MATRICES(&p->places), 0, p->found,
                                  count * sizeof *p->found),
                     ENT_OK);
}

static f64 matrix_difference(const Mat34* a, const Mat34* b) {
    f64 max = 0;
    for (u32 i = 0; i < 12; i++) {
        const f64 d = fabs((f64)a->m[i / 4][i % 4] - (f64)b->m[i / 4][i % 4]);
        max = d <= max ? max : d; /* also what is no number */
    }
    return max;
}

/* Entities are in the same rows of both worlds. Returns the largest difference. */
static f64 worlds_compare(Pair* p) {
    const TransformRows rows = ent_transform_rows(p->host.world);
    f64                 max = 0;
    assert_int_equal(ent_animators_pose(p->host.animators), ENT_OK);
    places_read(p);
    assert_int_equal(rows.count, p->found_count);
    for (u32 i = 0; i < rows.count; i++) {
        const Mat34* wanted = ent_transform_world(p->host.world, rows.entity[i]);
        const Entity entity = ent_transform_rows(p->device.world).entity[i];
        const Mat34  pose = gpu_places_pose(&p->places, entity);
        assert_int_equal(entity, rows.entity[i]);
        max = MAX_OF(max, matrix_difference(wanted, &p->found[i]));
        max = MAX_OF(max, matrix_difference(wanted, &pose));
    }
    return max;
}

static void nodes_on_device_are_where_a_sampler_in_double_precision_puts_them(void** state) {
    static const char* const options[] = {"--clip-error 0", "--clip-error 0 --strip"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(options); i++) {
        Pair p;
        f64  max = 0;
        pair_open(&p, 1 + i, options[i]);
        Yard*     y = &p.device;
        const u32 step = getenv("TEST_FULL") ? 1 : test_step(5, 40);
        for (u32 f = 0; f < y->wanted.frames; f += step) {
            const u32 instance = yard_frame(y, f)[1] > 0 ? 1 + f % 2 : f % 3;
            yard_play(y, instance, f);
            places_read(&p);
            for (u32 n = 0; n < y->wanted.nodes; n++) {
                const u32 row = ent_transform_row(y->world, yard_node(y, instance, n));
                const f64 d = yard_node_difference(y, f, n, &p.found[row]);
                if (!(d <= BOUND * yard_extent(y))) fail_msg("frame %u, node %u: %.9g", f, n, d);
                max = MAX_OF(max, d);
            }
        }
        printf("%s: %.2g of the extent\n", options[i], max / yard_extent(y));
        pair_close(&p);
    }
}

/* --- the same changes in both worlds --- */

static bool follows(const Yard* y, Entity entity) {
    const Manager* followers = ent_world_built_in(y->world, COMPONENT_ATTACH_TO_JOINT);
    return ent_manager_row(followers, ent_world_entities(y->world), entity) != MANAGER_NO_ROW;
}

static Entity entity_any(const Yard* y, Random* r) {
    const TransformRows rows = ent_transform_rows(y->world);
    return rows.entity[random_next(r) % rows.count];
}

/* Where a clip moves an entity, it does so on the device in any frame, and on the host when its time changes: the
 * others are moved here. */
static void entity_place(Yard* y, Random* r) {
    const Manager*        nodes = ent_world_built_in(y->world, COMPONENT_ANIMATED_NODE);
    const Entity          entity = entity_any(y, r);
    const u32             row = ent_transform_row(y->world, entity);
    const TransformRecord pose = {
        {random_float(r, -2, 2), random_float(r, -2, 2), 1}, {0, 0, 0.6f, 0.8f}, {1, 1, 1}};
    if (ent_manager_row(nodes, ent_world_entities(y->world), entity) == MANAGER_NO_ROW)
        ent_transform_set_local(y->world, row, &pose);
}

/* A cycle is refused in both worlds. */
static void entity_attach(Yard* y, Random* r) {
    const Entity child = entity_any(y, r), parent = entity_any(y, r);
    const bool   to_none = random_next(r) % 3 == 0;
    if (follows(y, child) || follows(y, parent)) return;
    const ent_status status =
        ent_transform_reparent(y->world, child, to_none ? ENTITY_NULL : parent);
    UNUSED(status);
}

/* Without its animator, an entity stays where the host has it. */
static void entity_remove(Yard* y, Random* r) {
    Entity gone = entity_any(y, r);
    if (ent_transform_rows(y->world).count < 60) return;
    assert_int_equal(ent_animators_pose(y->animators), ENT_OK);
    ent_entity_destroy(y->world, &gone, 1);
    ent_world_gc(y->world);
}

static void clip_play(Yard* y, Random* r) {
    const AnimatorRows rows = ent_animator_rows(y->world);
    const u32          which = random_next(r) % (YARD_CLIPS + 1);
    const ResourceRef  clip = which == YARD_CLIPS
                                  ? (ResourceRef){0, 0}
                                  : ent_resource_ref(yard_clips[which], RESOURCE_CLIP);
    const f32          time_s = random_float(r, 0, 3);
    if (rows.count == 0) return;
    const ent_status status =
        ent_animators_play(y->animators, rows.entity[random_next(r) % rows.count], clip, time_s);
    assert_true(status == ENT_OK || status == ENT_WRONG_TYPE);
}

/* What no clip animates any more stays where the host has it. */
static void animator_change(Yard* y, Random* r) {
    const AnimatorRows rows = ent_animator_rows(y->world);
    const f32          speed = random_float(r, -1, 2), blend = random_float(r, -1, 1.5f);
    const u32          end = random_next(r) % 3;
    if (rows.count == 0) return;
    assert_int_equal(ent_animators_pose(y->animators), ENT_OK);
    AnimatorRecord* record = &rows.record[random_next(r) % rows.count];
    record->speed = speed;
    record->end = end;
    if (!resource_id(record->clip)) return;
    record->blend = MAX_OF(blend, 0.0f);
    record->second_clip = yard_clip_after(record->clip);
}

/* The last row, so that no other one moves, or any row. */
static void component_remove(Yard* y, Random* r, ComponentIndex type) {
    Manager*  manager = ent_world_built_in(y->world, type);
    const u32 any = random_next(r), which = any % 2 ? manager->count - 1 : any / 2 % manager->count;
    if (manager->count < 10) return;
    assert_int_equal(ent_animators_pose(y->animators), ENT_OK);
    ent_manager_remove(y->world, manager, which);
}

/* An entity that follows a joint, and what is below it, is left out: it is alone here. Without a skin it is where the
 * host has it. */
static void follower_change(Yard* y, Random* r) {
    Manager*              manager = ent_world_built_in(y->world, COMPONENT_ATTACH_TO_JOINT);
    const Entity          entity = entity_any(y, r);
    const u32             row = ent_manager_row(manager, ent_world_entities(y->world), entity);
    u32                   added;
    const TransformLinks* links =
        &ent_transform_links(y->world)[ent_transform_row(y->world, entity)];
    if (links->first_child != NONE || links->parent != NONE) return;
    assert_int_equal(ent_animators_pose(y->animators), ENT_OK);
    if (row != MANAGER_NO_ROW)
        ent_manager_remove(y->world, manager, row);
    else
        assert_int_equal(ent_manager_create(y->world, manager, entity, &added), ENT_OK);
    const AnimatorRows rows = ent_animator_rows(y->world);
    for (u32 i = 0; i < rows.count; i++) rows.record[i].time_s += 0.001f; /* all are posed again */
}

/* An entity that no animator knows. */
static void other_add(Yard* y) {
    Entity entity;
    u32    row;
    assert_int_equal(ent_entity_create(y->world, &entity, 1), ENT_OK);
    assert_int_equal(ent_manager_create(y->world, ent_world_built_in(y->world, COMPONENT_TRANSFORM),
                                        entity, &row),
                     ENT_OK);
}

static void change_any(Yard* y, Random* r) {
    const u32 kind = random_next(r) % 32;
    if (kind < 8)
        assert_int_equal(ent_animators_advance(y->animators, random_float(r, 0, 1)), ENT_OK);
    if (kind == 8) entity_place(y, r);
    if (kind == 9) entity_attach(y, r);
    if (kind == 10) entity_remove(y, r);
    if (kind == 11 || kind == 12) clip_play(y, r);
    if (kind == 13 || kind == 14) animator_change(y, r);
    if (kind == 15 && ent_transform_rows(y->world).count < 120) yard_spawn(y);
    if (kind == 16) component_remove(y, r, COMPONENT_ANIMATED_NODE);
    if (kind == 17) component_remove(y, r, COMPONENT_ANIMATOR);
    if (kind == 18 || kind > 27) follower_change(y, r);
    if (kind == 19) other_add(y);
    if (kind > 19 && kind < 28) entity_attach(y, r);
}

/* The host of one world poses it after each change, that of the other one never does. Where clips leave entities when
 * nothing is played is known to the first one only if it has posed them before: as a host does in each frame. */
static void changes_play(u32 seed, u32 steps) {
    Random dice[2] = {{seed + 70}, {seed + 70}};
    Pair   p;
    f64    max = 0;
    pair_open(&p, 6 + seed, seed % 2 ? "" : "--clip-error 0");
    for (u32 i = 0; i < steps; i++) {
        change_any(&p.host, &dice[0]);
        change_any(&p.device, &dice[1]);
        const f64 d = worlds_compare(&p);
        if (!(d <= BOUND * yard_extent(&p.host))) fail_msg("seed %u, step %u: %.9g", seed, i, d);
        max = MAX_OF(max, d);
    }
    printf("%u steps: %.2g of the extent\n", steps, max / yard_extent(&p.host));
    pair_close(&p);
}

static void nodes_on_device_are_where_the_host_puts_them_after_any_changes(void** state) {
    UNUSED(state);
    for (u32 seed = 0; seed < 3; seed++)
        changes_play(seed, getenv("TEST_FULL") ? 4000 : test_step(700, 200));
}

/* Repeated for every width. */
static void nodes_on_device_are_where_the_host_puts_them_after_some_changes(void** state) {
    UNUSED(state);
    changes_play(3, test_step(500, 200));
}

/* Nothing is computed while nothing changes, and only what changes has moved. */
static void only_what_changes_has_moved(void** state) {
    Pair p;
    UNUSED(state);
    pair_open(&p, 8, "");
    const GpuAnimated* a = &p.places.animated;
    Yard*              y = &p.device;
    places_read(&p);
    assert_true(a->moves && a->has.moved_count == a->has.row_count);
    places_read(&p);
    assert_false(a->moves);
    assert_int_equal(ent_animators_advance(y->animators, 0.1f), ENT_OK);
    places_read(&p);
    assert_true(a->moves && a->has.moved_count == a->has.row_count);
    const AnimatorRows rows = ent_animator_rows(y->world);
    for (u32 i = 0; i < rows.count; i++) rows.record[i].speed = 0;
    assert_int_equal(ent_animators_advance(y->animators, 0.1f), ENT_OK);
    places_read(&p);
    assert_false(a->moves);
    other_add(y);
    places_read(&p);
    assert_int_equal(a->has.moved_count, 0);
    for (u32 i = 0; i < rows.count; i++) /* one of three instances */
        if (rows.entity[i] == y->entity[0]) rows.record[i].time_s += 0.25f;
    places_read(&p);
    assert_true(a->moves && a->has.moved_count > 0 &&
                a->has.moved_count <= a->has.row_count / 3 + 1);
    yard_spawn(y); /* three more, and only they move */
    const u32 before = a->has.row_count;
    places_read(&p);
    assert_int_equal(a->has.row_count, 2 * before);
    assert_int_equal(a->has.moved_count, before);
    pair_close(&p);
}

/* What follows a joint is placed after this: entities below it are where the host has them, until they leave it. */
static void nodes_below_an_entity_that_follows_a_joint_are_left_out(void** state) {
    Pair p;
    u32  added;
    UNUSED(state);
    pair_open(&p, 8, "");
    const GpuAnimatedTables* t = &p.places.animated.has;
    Yard*                    y = &p.device;
    places_read(&p);
    const u32              nodes = t->node_count;
    const AnimatedNodeRows rows = ent_animated_node_rows(y->world);
    Manager*               followers = ent_world_built_in(y->world, COMPONENT_ATTACH_TO_JOINT);
    assert_int_equal(ent_manager_create(y->world, followers, y->entity[0], &added), ENT_OK);
    places_read(&p);
    assert_int_equal(t->node_count, nodes * 2 / 3);
    assert_int_equal(t->left_count, nodes / 3);
    for (u32 i = 0; i < rows.count; i++) {
        const u32   row = ent_transform_row(y->world, rows.entity[i]);
        const Mat34 pose = gpu_places_pose(&p.places, rows.entity[i]);
        const bool  left = rows.record[i].animator == y->entity[0];
        assert_int_equal(gpu_animated_has(&p.places.animated, row), !left);
        if (left)
            assert_true(matrix_difference(&pose, ent_transform_world(y->world, rows.entity[i])) ==
                        0);
    }
    assert_int_equal(ent_transform_reparent(y->world, rows.entity[0], ENTITY_NULL), ENT_OK);
    places_read(&p);
    assert_true(t->left_count < nodes / 3);
    assert_true(gpu_animated_has(&p.places.animated, ent_transform_row(y->world, rows.entity[0])));
    ent_manager_remove(y->world, followers, added);
    places_read(&p);
    assert_int_equal(t->left_count, 0);
    assert_int_equal(t->node_count, nodes);
    pair_close(&p);
}

/* After any failure of the driver, the next frame places everything. */
static void nodes_on_device_are_placed_after_any_failing_vulkan_call(void** state) {
    Pair p;
    u32  call = 1;
    UNUSED(state);
    pair_open(&p, 9, "--clip-error 0");
    for (ent_status status = ENT_NO_MEMORY; status != ENT_OK; call++) {
        Gpu*       gpu = gpu_for_test();
        GpuFrames* frames;
        GpuFrame*  frame;
        gpu->desc.fault_call = gpu->calls + call;
        gpu->desc.fault_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
        status = gpu_alone_begin(gpu, &frames, &frame);
        if (status == ENT_OK)
            status = gpu_alone_end(frames, frame, gpu_places_update(&p.places, frame));
        gpu->desc.fault_call = 0;
        assert_true(status == ENT_OK || status == ENT_NO_MEMORY);
        if (gpu->lost) break; /* it stays lost */
        const f64 d = worlds_compare(&p);
        if (!(d <= BOUND * yard_extent(&p.host))) fail_msg("call %u: %.9g", call, d);
        yard_play(&p.host, 0, call);
        yard_play(&p.device, 0, call);
    }
    assert_true(call > 3);
    gpu_places_destroy(&p.places);
    if (gpu_for_test()->lost) gpu_renewed_for_test();
    pair_close(&p);
}

static void nodes_on_device_with_any_subgroup_size_are_where_the_host_puts_them(void** state) {
    UNUSED(state);
    test_gpu_widths("animated_width", 512);
}

/* The system sets lights where only lights are animated, too. */
static void lights_are_set_on_device_where_no_node_moves(void** state) {
    const char* folder = test_folder("still");
    const Blob* blob;
    Library     library;
    World*      world;
    Animators*  animators;
    GpuPlaces   places;
    GpuFrames*  frames;
    GpuFrame*   frame;
    char        path[1200];
    UNUSED(state);
    TEST_DONE(".", "python3 tests/support/make_lamps.py '%s/src' '%s/wanted' 1 1 still", folder,
              folder);
    TEST_DONE(folder, "entc build src -o out -q");
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(ent_library_open(&library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_load(&library, "yard", RESOURCE_LEVEL, &blob), ENT_OK);
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(world, blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_animators_create(&animators, world, &library), ENT_OK);
    assert_int_equal(gpu_places_create(&places, gpu_for_test(), world, animators), ENT_OK);
    assert_int_equal(ent_animated_node_rows(world).count, 0);
    const LightRecord* light = ent_light_rows(world).record;
    const f32          rest = light->intensity;
    ent_animator_rows(world).record[0].time_s = 1;
    assert_int_equal(gpu_alone_begin(gpu_for_test(), &frames, &frame), ENT_OK);
    assert_int_equal(gpu_alone_end(frames, frame, gpu_places_update(&places, frame)), ENT_OK);
    const f32 set = light->intensity;
    assert_true(set != rest);
    assert_int_equal(ent_animators_properties(animators), ENT_OK);
    assert_true(light->intensity == set);
    gpu_places_destroy(&places);
    ent_animators_destroy(animators);
    ent_world_destroy(world);
    ent_library_close(&library);
    test_gpu_silent();
}

TEST_SUITE(animated_width) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_on_device_are_where_the_host_puts_them_after_some_changes)};
    return gpu_suite_end(TEST_RUN("animated_width", tests));
}

TEST_SUITE(animated) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_on_device_are_where_a_sampler_in_double_precision_puts_them),
        cmocka_unit_test(nodes_on_device_are_where_the_host_puts_them_after_any_changes),
        cmocka_unit_test(only_what_changes_has_moved),
        cmocka_unit_test(lights_are_set_on_device_where_no_node_moves),
        cmocka_unit_test(nodes_below_an_entity_that_follows_a_joint_are_left_out),
        cmocka_unit_test(nodes_on_device_are_placed_after_any_failing_vulkan_call),
        cmocka_unit_test(nodes_on_device_with_any_subgroup_size_are_where_the_host_puts_them)};
    return gpu_suite_end(TEST_RUN("animated", tests));
}
