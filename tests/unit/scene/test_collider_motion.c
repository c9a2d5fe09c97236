/* test_collider_motion.c - colliders of a world: where they are in a frame, and where they were at its beginning. */
#include "colliders.h"
#include "rows.h"
#include "test_worlds_support.h"
#include "transform_manager.h"
#include "vec.h"

typedef struct Scene {
    World*                world;
    EntColliders*         colliders;
    const ColliderMotion* at;
    u32                   count;
} Scene;

static void scene_open(Scene* s) {
    assert_int_equal(ent_world_create(&s->world, NULL), ENT_OK);
    assert_int_equal(ent_colliders_create(&s->colliders, s->world), ENT_OK);
}

static void scene_close(Scene* s) {
    ent_colliders_destroy(s->colliders);
    ent_world_destroy(s->world);
}

static void advance(Scene* s) {
    ent_transform_update(s->world);
    assert_int_equal(ent_colliders_advance(s->colliders), ENT_OK);
    s->at = ent_colliders_list(s->colliders, &s->count);
}

static Entity entity_add(const Scene* s, Vec3 at) {
    const TransformRecord pose = {at, {0, 0, 0, 1}, {1, 1, 1}};
    Entity                entity;
    u32                   row;
    assert_int_equal(ent_entity_create(s->world, &entity, 1), ENT_OK);
    assert_int_equal(ent_manager_create(s->world, ent_world_built_in(s->world, COMPONENT_TRANSFORM),
                                        entity, &row),
                     ENT_OK);
    ent_transform_set_local(s->world, row, &pose);
    return entity;
}

static void collider_add(const Scene* s, Entity entity, const ColliderRecord* record) {
    u32 row;
    assert_int_equal(ent_manager_create(s->world, ent_world_built_in(s->world, COMPONENT_COLLIDER),
                                        entity, &row),
                     ENT_OK);
    ent_collider_rows(s->world).record[row] = *record;
}

static void entity_set(const Scene* s, Entity entity, Vec3 at, Quat turn, Vec3 scale) {
    const TransformRecord pose = {at, turn, scale};
    ent_transform_set_local(s->world, ent_transform_row(s->world, entity), &pose);
}

static void near(Vec3 is, f32 x, f32 y, f32 z) {
    const f32 off = vec3_length(vec3_sub(is, (Vec3){x, y, z}));
    if (!(off < 1e-5f)) fail_msg("%g %g %g, not %g %g %g", is.x, is.y, is.z, x, y, z);
}

static const Quat           upright = {0, 0, 0, 1};
static const Vec3           one = {1, 1, 1};
static const ColliderRecord ball = {.kind = COLLIDER_SPHERE, .radius_m = 0.5f};

static void colliders_follow_their_entity_below_a_parent_that_moves(void** state) {
    const ColliderRecord capsule = {.kind = COLLIDER_CAPSULE, .radius_m = 0.2f, .length_m = 2};
    Scene                s;
    UNUSED(state);
    scene_open(&s);
    const Entity parent = entity_add(&s, (Vec3){0, 1, 0}), arm = entity_add(&s, (Vec3){2, 0, 0});
    assert_int_equal(ent_transform_attach(s.world, arm, parent, 0), ENT_OK);
    entity_set(&s, arm, (Vec3){2, 0, 0}, upright, one);
    collider_add(&s, arm, &capsule);
    advance(&s);
    assert_int_equal(s.count, 1);
    near(s.at->at, 2, 1, 0);
    near(s.at->at_was, 2, 1, 0);
    near(s.at->half_m, 0, 1, 0);
    assert_true(fabsf(s.at->reach_m - 1.2f) < 1e-6f);
    /* A quarter of a turn about y, twice as large. */
    entity_set(&s, parent, (Vec3){0, 1, 0}, (Quat){0, 0.70710678f, 0, 0.70710678f},
               (Vec3){2, 2, 2});
    advance(&s);
    near(s.at->at_was, 2, 1, 0);
    near(s.at->at, 0, 1, -4);
    near(s.at->half_m, 0, 2, 0);
    assert_true(fabsf(s.at->turn.y - 0.70710678f) < 1e-5f && s.at->turn_was.w > 0.99999f);
    const u32 version = ent_colliders_version(s.colliders);
    advance(&s); /* it stands */
    near(s.at->at_was, 0, 1, -4);
    assert_int_equal(ent_colliders_version(s.colliders), version + 1);
    advance(&s);
    assert_int_equal(ent_colliders_version(s.colliders), version + 1);
    scene_close(&s);
}

static void center_of_collider_turns_and_grows_with_its_entity(void** state) {
    const ColliderRecord box = {
        .kind = COLLIDER_BOX, .half_extent_m = {1, 2, 3}, .center_m = {1, 0, 0.5f}};
    Scene s;
    UNUSED(state);
    scene_open(&s);
    const Entity entity = entity_add(&s, (Vec3){5, 0, 0});
    collider_add(&s, entity, &box);
    advance(&s);
    near(s.at->at, 6, 0, 0.5f);
    assert_true(fabsf(ent_collider_distance(s.at, (Vec3){8, 0, 0.5f}) - 1) < 1e-5f);
    entity_set(&s, entity, (Vec3){5, 0, 0}, (Quat){0, 0.70710678f, 0, 0.70710678f},
               (Vec3){2, 1, 1});
    advance(&s); /* x becomes -z, and z becomes x */
    near(s.at->at, 5.5f, 0, -2);
    near(s.at->half_m, 2, 2, 3);
    assert_true(fabsf(ent_collider_distance(s.at, (Vec3){5.5f, 0, -5}) - 1) < 1e-5f);
    scene_close(&s);
}

/* They are for the physics of the host. */
static void hulls_and_triangles_are_left_out(void** state) {
    const ColliderRecord hull = {.kind = COLLIDER_HULL, .radius_m = 1},
                         triangles = {.kind = COLLIDER_TRIANGLES, .radius_m = 1};
    Scene s;
    u32   row, bodies;
    UNUSED(state);
    scene_open(&s);
    const Entity entity = entity_add(&s, (Vec3){0, 3, 0}), other = entity_add(&s, (Vec3){9, 0, 0});
    collider_add(&s, entity, &hull);
    collider_add(&s, entity, &triangles);
    collider_add(&s, entity, &ball);
    collider_add(&s, other, &hull);
    for (u32 i = 0; i < 2; i++)
        assert_int_equal(ent_manager_create(s.world,
                                            ent_world_built_in(s.world, COMPONENT_POINT_MASS),
                                            i ? other : entity, &row),
                         ENT_OK);
    advance(&s);
    assert_int_equal(s.count, 1);
    near(s.at->at, 0, 3, 0);
    assert_true(ent_colliders_bodies(s.colliders, &bodies)->entity == entity);
    assert_int_equal(bodies, 1);
    assert_int_equal(s.at->body, 1);
    scene_close(&s);
}

static void colliders_keep_their_motion_when_others_are_removed(void** state) {
    Scene  s;
    Entity entity[40];
    UNUSED(state);
    scene_open(&s);
    for (u32 i = 0; i < COUNT_OF(entity); i++) {
        entity[i] = entity_add(&s, (Vec3){(f32)i, 0, 0});
        collider_add(&s, entity[i], &ball);
    }
    advance(&s);
    assert_int_equal(s.count, COUNT_OF(entity));
    for (u32 i = 0; i < COUNT_OF(entity); i++)
        entity_set(&s, entity[i], (Vec3){(f32)i, 1, 0}, upright, one);
    assert_int_equal(ent_entity_destroy(s.world, &entity[3], 1), 1);
    assert_int_equal(ent_entity_destroy(s.world, &entity[17], 1), 1);
    ent_world_gc(s.world);
    const Entity new = entity_add(&s, (Vec3){100, 5, 0});
    collider_add(&s, new, &ball);
    advance(&s);
    assert_int_equal(s.count, COUNT_OF(entity) - 1);
    for (u32 i = 0; i < s.count; i++) {
        const bool is_new = s.at[i].at.x > 99;
        near(s.at[i].at, s.at[i].at.x, is_new ? 5 : 1, 0);
        near(s.at[i].at_was, s.at[i].at.x, is_new ? 5 : 0, 0); /* what is new stands */
    }
    scene_close(&s);
}

/* Rows are removed by moving the last one into their place: the planes of an entity change their order. */
static void planes_of_an_entity_keep_their_motion_when_others_are_removed(void** state) {
    const ColliderRecord floor = {.kind = COLLIDER_PLANE, .normal = {0, 1, 0}},
                         wall = {.kind = COLLIDER_PLANE, .normal = {1, 0, 0}, .offset_m = -2};
    Scene s;
    UNUSED(state);
    scene_open(&s);
    const Entity a = entity_add(&s, (Vec3){9, 0, 0}), b = entity_add(&s, (Vec3){0, 3, 0});
    collider_add(&s, a, &ball);
    collider_add(&s, b, &floor);
    collider_add(&s, b, &wall);
    advance(&s);
    assert_int_equal(s.count, 3);
    assert_int_equal(ent_entity_destroy(s.world, &a, 1), 1);
    ent_world_gc(s.world);
    advance(&s);
    assert_int_equal(s.count, 2);
    for (u32 i = 0; i < 2; i++) {
        near(s.at[i].at_was, s.at[i].at.x, s.at[i].at.y, s.at[i].at.z);
        assert_memory_equal(&s.at[i].turn, &s.at[i].turn_was, sizeof s.at[i].turn);
    }
    scene_close(&s);
}

static void colliders_without_volume_are_left_out_and_planes_are_first(void** state) {
    const ColliderRecord floor = {.kind = COLLIDER_PLANE, .normal = {0.6f, 0.8f, 0}, .offset_m = 2};
    Scene                s;
    Vec4                 plane[2];
    UNUSED(state);
    scene_open(&s);
    const Entity a = entity_add(&s, (Vec3){1, 0, 0}), b = entity_add(&s, (Vec3){0, 3, 0});
    collider_add(&s, a, &ball);
    collider_add(&s, b, &floor);
    collider_add(&s, b, &ball); /* several on an entity */
    advance(&s);
    assert_int_equal(s.count, 3);
    assert_true(s.at[0].is_plane && !s.at[1].is_plane && !s.at[2].is_plane);
    near(s.at[0].at, 1.2f, 4.6f, 0);
    /* A normal stays perpendicular to its plane: 0.6 0.8 of x y scaled by 1 and 3 is 0.6 0.8/3. */
    entity_set(&s, b, (Vec3){0, 0, 0}, upright, (Vec3){1, 3, 1});
    advance(&s);
    const f32 length = sqrtf(0.36f + 0.64f / 9);
    assert_int_equal(ent_collider_planes(s.world, plane, 2), 1);
    near((Vec3){plane[0].x, plane[0].y, plane[0].z}, 0.6f / length, 0.8f / 3 / length, 0);
    assert_true(fabsf(plane[0].w - (1.2f * 0.6f + 4.8f * 0.8f / 3) / length) < 1e-5f);
    entity_set(&s, b, (Vec3){0, 0, 0}, upright, (Vec3){0, 1, 0});
    advance(&s);
    assert_int_equal(s.count, 1);
    assert_int_equal(ent_collider_planes(s.world, plane, 2), 0);
    scene_close(&s);
}

TEST_SUITE(collider_motion) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colliders_follow_their_entity_below_a_parent_that_moves),
        cmocka_unit_test(center_of_collider_turns_and_grows_with_its_entity),
        cmocka_unit_test(hulls_and_triangles_are_left_out),
        cmocka_unit_test(colliders_keep_their_motion_when_others_are_removed),
        cmocka_unit_test(planes_of_an_entity_keep_their_motion_when_others_are_removed),
        cmocka_unit_test(colliders_without_volume_are_left_out_and_planes_are_first)};
    return TEST_RUN("collider_motion", tests);
}
