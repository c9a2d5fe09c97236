/* test_points.c - point masses that the library moves: against a plain model in double precision, among colliders, with transforms that
 * follow, and with threads. */
#include <stdio.h>

#include "points.h"
#include "collider_oracle.h"
#include "jobs.h"
#include "rows.h"
#include "test_worlds_support.h"
#include "transform_manager.h"
#include "vec.h"

enum { MASSES = 500 };

/* --- worlds --- */

static u32 row_add(World* world, ComponentIndex type, Entity entity) {
    u32 row;
    assert_int_equal(ent_manager_create(world, ent_world_built_in(world, type), entity, &row),
                     ENT_OK);
    return row;
}

static World* world_open(JobPool* jobs, HostAllocator* allocator) {
    WorldDesc desc = {.jobs = jobs};
    World*    world;
    if (allocator) desc.allocator = *allocator;
    assert_int_equal(ent_world_create(&world, &desc), ENT_OK);
    return world;
}

static void masses_add(World* world, u32 count, u64 seed) {
    Random  r = {seed};
    Entity* entity = malloc(count * sizeof *entity);
    assert_int_equal(ent_entity_create(world, entity, count), ENT_OK);
    for (u32 i = 0; i < count; i++) row_add(world, COMPONENT_POINT_MASS, entity[i]);
    const PointMassRows m = ent_point_mass_rows(world);
    for (u32 i = 0; i < count; i++) {
        const f32 reach = 1.5f, speed = 3;
        m.position[i] = (Vec3){random_float(&r, -reach, reach), random_float(&r, -reach, reach),
                               random_float(&r, -reach, reach)};
        m.velocity[i] = (Vec3){random_float(&r, -speed, speed), random_float(&r, -speed, speed),
                               random_float(&r, -speed, speed)};
        m.force[i] = (Vec3){random_float(&r, -1, 1), random_float(&r, -1, 1), 0};
        m.mass[i] = random_float(&r, 0.5f, 4);
    }
    free(entity);
}

static Entity collider_add(World* world, const ColliderRecord* record, Vec3 at, f32 scale) {
    const TransformRecord pose = {at, {0.2f, 0.1f, -0.3f, 0.9273618f}, {scale, scale, scale}};
    Entity                entity;
    assert_int_equal(ent_entity_create(world, &entity, 1), ENT_OK);
    ent_transform_set_local(world, row_add(world, COMPONENT_TRANSFORM, entity), &pose);
    const u32 row = row_add(world, COMPONENT_COLLIDER, entity);
    ent_collider_rows(world).record[row] = *record;
    return entity;
}

static const ColliderRecord kinds[] = {
    {.kind = COLLIDER_PLANE, .normal = {0.6f, 0.8f, 0}, .offset_m = -0.5f, .restitution = 0.5f},
    {.kind = COLLIDER_SPHERE, .radius_m = 0.7f, .restitution = 0.3f, .friction = 0.4f},
    {.kind = COLLIDER_BOX, .half_extent_m = {0.8f, 0.3f, 0.5f}, .restitution = 0.8f},
    {.kind = COLLIDER_CAPSULE, .radius_m = 0.3f, .length_m = 1.2f, .friction = 2}};

/* --- against the model --- */

typedef struct Compared {
    u32 met, wrong;
    f64 worst_m;
} Compared;

/* Runs a step of the library, and the model from the same beginning. */
static void step_compare(World* world, const PointsDesc* desc, Compared* result) {
    const PointMassRows   m = ent_point_mass_rows(world);
    const f64             dt = (f64)desc->step_s;
    Vec3*                 was = malloc(2 * m.count * sizeof *was);
    Vec3*                 fast = was + m.count;
    u32                   count = 0;
    const ColliderMotion* at = desc->colliders ? ent_colliders_list(desc->colliders, &count) : NULL;
    memcpy(was, m.position, m.count * sizeof *was);
    memcpy(fast, m.velocity, m.count * sizeof *was);
    assert_int_equal(ent_simulate_points(world, desc), ENT_OK);
    for (u32 i = 0; i < m.count; i++) {
        const Vec pull = add(times(of(m.force[i]), 1 / (f64)m.mass[i]), of(desc->gravity_m_s2));
        Vec  v = times(add(of(fast[i]), times(pull, dt)), 1 / (1 + (f64)desc->drag_per_s * dt));
        Vec  p = add(of(was[i]), times(v, dt));
        bool again = true, met = false;
        for (u32 round = 0; round < 4 && again; round++) {
            again = false;
            for (u32 k = 0; k < count; k++)
                again |= ball_meets(&at[k], 0, 1, dt, 0, of(was[i]), &p, &v);
            met |= again;
        }
        const Vec off = add(of(m.position[i]), times(p, -1)),
                  slip = add(of(m.velocity[i]), times(v, -1));
        const f64  apart = fmax(sqrt(dot(off, off)), sqrt(dot(slip, slip)) * dt);
        const bool wrong = !(apart < 1e-5 * (3 + sqrt(dot(p, p)))); /* the gap after a contact */
        result->met += met;
        result->wrong += wrong;
        if (!wrong) result->worst_m = fmax(result->worst_m, apart);
    }
    free(was);
}

static void free_masses_move_as_in_double_precision(void** state) {
    World*           world = world_open(NULL, NULL);
    const PointsDesc desc = {.step_s = 0.01f, .drag_per_s = 0.7f, .gravity_m_s2 = {1, -9.81f, 2}};
    Compared         result = {0};
    UNUSED(state);
    assert_int_equal(ent_simulate_points(world, &desc), ENT_OK); /* none */
    masses_add(world, 1000, 3);
    for (u32 f = 0; f < 100; f++) step_compare(world, &desc, &result);
    assert_int_equal(result.wrong, 0);
    assert_true(result.worst_m < 2e-5 && result.worst_m > 0);
    ent_world_destroy(world);
}

/* A mass of 2 kg with a force of 6 N in a medium: its speed approaches (6 / 2) / drag, and its place is known. */
static void drag_limits_the_speed(void** state) {
    World*           world = world_open(NULL, NULL);
    const PointsDesc desc = {.step_s = 0.001f, .drag_per_s = 2};
    UNUSED(state);
    masses_add(world, 1, 1);
    const PointMassRows m = ent_point_mass_rows(world);
    m.position[0] = m.velocity[0] = (Vec3){0, 0, 0};
    m.force[0] = (Vec3){6, 0, 0};
    m.mass[0] = 2;
    for (u32 i = 0; i < 5000; i++) assert_int_equal(ent_simulate_points(world, &desc), ENT_OK);
    assert_true(fabsf(m.velocity[0].x - 1.5f) < 1e-3f);
    assert_true(fabsf(m.position[0].x - (1.5f * 5 - 0.75f)) < 5e-3f);
    ent_world_destroy(world);
}

static void masses_meet_each_kind_as_in_double_precision(void** state) {
    UNUSED(state);
    for (u32 run = 0; run < 2 * COUNT_OF(kinds); run++) {
        World*     world = world_open(NULL, NULL);
        PointsDesc desc = {.step_s = 0.01f, .gravity_m_s2 = {0, -9.81f, 0}};
        Compared   result = {0};
        Colliders* colliders;
        masses_add(world, MASSES, run + 1);
        const Entity entity = collider_add(world, &kinds[run / 2], (Vec3){0, 0, 0}, 1.1f);
        assert_int_equal(ent_colliders_create(&colliders, world), ENT_OK);
        desc.colliders = colliders;
        for (u32 f = 0; f < 100; f++) {
            const u32       row = ent_transform_row(world, entity);
            TransformRecord pose = ent_transform_local(world, row);
            if (run % 2) {
                pose.position.y -= 0.02f;
                pose.rotation = quat_unit(quat_multiply((Quat){0.03f, 0.02f, 0, 1}, pose.rotation));
                ent_transform_set_local(world, row, &pose);
            }
            assert_int_equal(ent_colliders_advance(colliders), ENT_OK);
            step_compare(world, &desc, &result);
        }
        if (result.met < 50 || result.wrong * 200 > result.met)
            fail_msg("run %u: %u met, %u wrong", run, result.met, result.wrong);
        ent_colliders_destroy(colliders);
        ent_world_destroy(world);
    }
}

/* So many that they are found by their ranges: some are wide, some narrow. */
static void masses_meet_many_colliders_as_in_double_precision(void** state) {
    World*     world = world_open(NULL, NULL);
    PointsDesc desc = {.step_s = 0.01f};
    Random     r = {4};
    Compared   result = {0};
    Colliders* colliders;
    UNUSED(state);
    masses_add(world, MASSES, 9);
    for (u32 i = 0; i < 300; i++) {
        const Vec3 at = {random_float(&r, -3, 3), random_float(&r, -3, 3), random_float(&r, -3, 3)};
        collider_add(world, &kinds[i == 7 ? 0 : 1 + i % 3], i == 7 ? (Vec3){0, -4, 0} : at,
                     i % 40 ? 0.15f : 1.2f);
    }
    assert_int_equal(ent_colliders_create(&colliders, world), ENT_OK);
    desc.colliders = colliders;
    assert_int_equal(ent_colliders_advance(colliders), ENT_OK);
    for (u32 f = 0; f < 60; f++) step_compare(world, &desc, &result);
    /* Masses that begin in several colliders depend on their order. */
    printf("%u met, %u wrong\n", result.met, result.wrong);
    assert_true(result.met > 150 && result.wrong * 20 < result.met);
    ent_colliders_destroy(colliders);
    ent_world_destroy(world);
}

/* --- transforms --- */

static Entity body_add(World* world, Entity parent, Vec3 at) {
    const Quat            turn = quat_unit((Quat){0.1f, -0.4f, 0.3f, 0.8f});
    const TransformRecord pose = {at, turn, {1.5f, 1.5f, 1.5f}};
    Entity                entity;
    assert_int_equal(ent_entity_create(world, &entity, 1), ENT_OK);
    ent_transform_set_local(world, row_add(world, COMPONENT_TRANSFORM, entity), &pose);
    if (parent != ENTITY_NULL) {
        assert_int_equal(ent_transform_attach(world, entity, parent, 0), ENT_OK);
        ent_transform_set_local(world, ent_transform_row(world, entity), &pose);
    }
    return entity;
}

/* A root, a child, and below it a grandchild, each with a mass, and a child without one; masses are added from below. */
static void transforms_follow_also_below_others_that_follow(void** state) {
    UNUSED(state);
    for (u32 deferred = 0; deferred < 2; deferred++) {
        World*           world = world_open(NULL, NULL);
        const PointsDesc desc = {.step_s = 0.1f, .gravity_m_s2 = {0, -9.81f, 0}};
        ent_transform_defer(world, (int)deferred);
        const Entity root = body_add(world, ENTITY_NULL, (Vec3){1, 2, 3});
        const Entity child = body_add(world, root, (Vec3){0, 1, 0});
        const Entity below = body_add(world, child, (Vec3){2, 0, 1});
        const Entity beside = body_add(world, root, (Vec3){0, 0, 1});
        const Entity moved[3] = {below, child, root};
        for (u32 i = 0; i < 3; i++) {
            const u32           row = row_add(world, COMPONENT_POINT_MASS, moved[i]);
            const PointMassRows m = ent_point_mass_rows(world);
            m.position[row] = (Vec3){(f32)i, 1, 2};
            m.velocity[row] = (Vec3){1, (f32)i, 0};
        }
        const TransformRecord was = ent_transform_local(world, ent_transform_row(world, below));
        for (u32 f = 0; f < 5; f++) {
            assert_int_equal(ent_simulate_points(world, &desc), ENT_OK);
            ent_transform_update(world);
            const PointMassRows m = ent_point_mass_rows(world);
            for (u32 i = 0; i < 3; i++) {
                const Vec3 at = mat34_column(ent_transform_world(world, moved[i]), 3);
                assert_true(vec3_length(vec3_sub(at, m.position[i])) < 2e-5f);
            }
        }
        const TransformRecord is = ent_transform_local(world, ent_transform_row(world, below));
        assert_memory_equal(&is.rotation, &was.rotation, sizeof is.rotation);
        assert_memory_equal(&is.scale, &was.scale, sizeof is.scale);
        const Vec3 root_at = mat34_column(ent_transform_world(world, root), 3);
        const Vec3 beside_at = mat34_column(ent_transform_world(world, beside), 3);
        assert_true(fabsf(vec3_length(vec3_sub(beside_at, root_at)) - 1.5f) < 1e-4f);
        ent_world_destroy(world);
    }
}

/* A mass does not meet the collider of its entity, but that of another one; bodies can be left out. */
static void bodies_meet_other_colliders_or_stay(void** state) {
    const ColliderRecord ball = {.kind = COLLIDER_SPHERE, .radius_m = 1};
    UNUSED(state);
    for (u32 leaves = 0; leaves < 2; leaves++) {
        World*     world = world_open(NULL, NULL);
        PointsDesc desc = {.step_s = 0.1f, .leaves_bodies = (int)leaves};
        Colliders* colliders;
        const Vec3 at[3] = {{0, 0, 0}, {0.5f, 0, 0}, {9, 0, 0}};
        for (u32 i = 0; i < 3; i++) { /* the last one is a mass alone */
            const Entity entity = body_add(world, ENTITY_NULL, at[i]);
            const u32    row = row_add(world, COMPONENT_POINT_MASS, entity);
            ent_point_mass_rows(world).position[row] = at[i];
            ent_point_mass_rows(world).velocity[row] = (Vec3){0, 0, 1};
            if (i == 2) continue;
            const u32 solid = row_add(world, COMPONENT_COLLIDER, entity);
            ent_collider_rows(world).record[solid] = ball;
        }
        assert_int_equal(ent_colliders_create(&colliders, world), ENT_OK);
        desc.colliders = colliders;
        assert_int_equal(ent_colliders_advance(colliders), ENT_OK);
        u32         count;
        const Body* body = ent_colliders_bodies(colliders, &count);
        assert_int_equal(count, 2);
        assert_memory_equal(&body[1].position, &at[1], sizeof(Vec3));
        assert_int_equal(ent_simulate_points(world, &desc), ENT_OK);
        const PointMassRows m = ent_point_mass_rows(world);
        for (u32 i = 0; i < 2 && leaves; i++) {
            assert_memory_equal(&m.position[i], &at[i], sizeof(Vec3));
            assert_true(m.velocity[i].z == 1);
        }
        /* Both are in the ball of the other one, of a radius of 1.5. */
        for (u32 i = 0; i < 2 && !leaves; i++)
            assert_true(vec3_length(vec3_sub(m.position[i], at[1 - i])) > 1.49f);
        assert_true(fabsf(m.position[2].z - 0.1f) < 1e-6f);
        if (!leaves) { /* alone, it moves on */
            m.position[0] = (Vec3){0, 0, 0}, m.velocity[0] = (Vec3){1, 0, 0};
            m.position[1] = (Vec3){50, 0, 0}, m.velocity[1] = (Vec3){0, 0, 0};
            const u32 row[2] = {ent_transform_row(world, m.entity[0]),
                                ent_transform_row(world, m.entity[1])};
            ent_transform_set_places(world, row, m.position, 2);
            assert_int_equal(ent_colliders_advance(colliders), ENT_OK);
            assert_int_equal(ent_colliders_advance(colliders), ENT_OK);
            assert_int_equal(ent_simulate_points(world, &desc), ENT_OK);
            assert_true(fabsf(m.position[0].x - 0.1f) < 1e-5f);
        }
        ent_colliders_destroy(colliders);
        ent_world_destroy(world);
    }
}

/* --- threads, memory --- */

static void masses_move_to_the_same_bits_with_threads(void** state) {
    enum { MANY = 5000 };
    JobPool* jobs = ent_job_pool_create(3, NULL);
    World*   world[2] = {world_open(NULL, NULL), world_open(jobs, NULL)};
    UNUSED(state);
    assert_non_null(jobs);
    for (u32 k = 0; k < 2; k++) {
        PointsDesc desc = {.step_s = 0.01f, .gravity_m_s2 = {0, -9.81f, 0}, .drag_per_s = 0.1f};
        Colliders* colliders;
        masses_add(world[k], MANY, 77);
        for (u32 i = 0; i < COUNT_OF(kinds); i++)
            collider_add(world[k], &kinds[i], (Vec3){(f32)i, -0.5f, 0}, 1);
        assert_int_equal(ent_colliders_create(&colliders, world[k]), ENT_OK);
        desc.colliders = colliders;
        for (u32 f = 0; f < 30; f++) {
            assert_int_equal(ent_colliders_advance(colliders), ENT_OK);
            assert_int_equal(ent_simulate_points(world[k], &desc), ENT_OK);
        }
        ent_colliders_destroy(colliders);
    }
    const PointMassRows a = ent_point_mass_rows(world[0]), b = ent_point_mass_rows(world[1]);
    assert_memory_equal(a.position, b.position, MANY * sizeof *a.position);
    assert_memory_equal(a.velocity, b.velocity, MANY * sizeof *a.velocity);
    ent_world_destroy(world[0]);
    ent_world_destroy(world[1]);
    ent_job_pool_destroy(jobs);
}

static void masses_stay_where_they_are_without_memory(void** state) {
    CountingAllocator counting = {0};
    HostAllocator     allocator = counting_allocator(&counting);
    World*            world = world_open(NULL, &allocator);
    const PointsDesc  desc = {.step_s = 0.1f, .gravity_m_s2 = {0, -1, 0}};
    UNUSED(state);
    const Entity body = body_add(world, ENTITY_NULL, (Vec3){0, 0, 0});
    row_add(world, COMPONENT_POINT_MASS, body);
    counting.fail_at = counting.allocations + 1;
    assert_int_equal(ent_simulate_points(world, &desc), ENT_NO_MEMORY);
    assert_true(ent_point_mass_rows(world).velocity[0].y == 0);
    counting.fail_at = 0;
    assert_int_equal(ent_simulate_points(world, &desc), ENT_OK);
    assert_true(ent_transform_world(world, body)->m[1][3] < 0);
    ent_world_destroy(world);
}

TEST_SUITE(points) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_masses_move_as_in_double_precision),
        cmocka_unit_test(drag_limits_the_speed),
        cmocka_unit_test(masses_meet_each_kind_as_in_double_precision),
        cmocka_unit_test(masses_meet_many_colliders_as_in_double_precision),
        cmocka_unit_test(transforms_follow_also_below_others_that_follow),
        cmocka_unit_test(bodies_meet_other_colliders_or_stay),
        cmocka_unit_test(masses_move_to_the_same_bits_with_threads),
        cmocka_unit_test(masses_stay_where_they_are_without_memory)};
    return TEST_RUN("points", tests);
}
