/* test_light_masks.c - selected lights, decals and probes in comparison with a sort of all, and masks in
 * comparison with points of their volumes. */
#include <math.h>
#include <stdlib.h>

#include "light_masks.h"
#include "rows.h"
#include "spawn.h"
#include "test_worlds_support.h"
#include "vec.h"

/* --- a world --- */

static u32 row_add(World* world, const char* type, Entity entity) {
    u32 row;
    assert_int_equal(
        ent_manager_create(world, ent_world_manager_by_name(world, type), entity, &row), ENT_OK);
    return row;
}

static Vec3 point_random(Random* r, f32 low, f32 high) {
    return (Vec3){random_float(r, low, high), random_float(r, low, high),
                  random_float(r, low, high)};
}

static Entity entity_add(World* world, Random* r) {
    Entity entity;
    assert_int_equal(ent_entity_create(world, &entity, 1), ENT_OK);
    const f32 q[4] = {random_float(r, -1, 1), random_float(r, -1, 1), random_float(r, -1, 1),
                      random_float(r, 0.1f, 1)};
    const f32 n = 1 / sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const TransformRecord pose = {point_random(r, -20, 20),
                                  {q[0] * n, q[1] * n, q[2] * n, q[3] * n},
                                  {1, random_float(r, 0.5f, 2), -1}};
    ent_transform_set_local(world, row_add(world, "transform", entity), &pose);
    return entity;
}

/* `count` of each type; of the lights, every 16th is directional. */
static World* world_make(u32 count, Random* r) {
    World* world;
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    for (u32 i = 0; i < count; i++) {
        const u32 light = row_add(world, "light", entity_add(world, r));
        ent_light_rows(world).record[light] =
            (LightRecord){.kind = i % 16 == 9 ? LIGHT_DIRECTIONAL
                                  : i % 2     ? LIGHT_SPOT
                                              : LIGHT_POINT,
                          .range_m = random_float(r, 0.5f, 9),
                          .outer_angle_rad = random_float(r, 0.05f, 1.57f)};
        const u32 decal = row_add(world, "decal", entity_add(world, r));
        ent_decal_rows(world).record[decal] =
            (DecalRecord){.half_extent_m = point_random(r, 0.1f, 4), .order = random_below(r, 3)};
        const u32 probe = row_add(world, "environment_probe", entity_add(world, r));
        ent_environment_probe_rows(world).record[probe] =
            (EnvironmentProbeRecord){.half_extent_m = point_random(r, 0.1f, 8)};
    }
    ent_transform_update(world);
    return world;
}

/* --- a reference --- */

static Vec3 along(const Mat34* m, u32 column, f32 scale) {
    return vec3_scale(vec3_unit(mat34_column(m, column)), scale);
}

/* The distance to a box by iteration: the nearest of its points is approached along each axis in turn. */
static f64 box_far(const Mat34* m, Vec3 half, Vec3 eye) {
    const f32 size[3] = {half.x, half.y, half.z};
    Vec3      at = mat34_column(m, 3);
    for (u32 i = 0; i < 3; i++) {
        const Vec3 axis = along(m, i, 1);
        const f32  max = size[i] * vec3_length(mat34_column(m, i));
        const f32  t = vec3_dot(vec3_sub(eye, mat34_column(m, 3)), axis);
        at = vec3_add_scaled(at, axis, fmaxf(fminf(t, max), -max));
    }
    return (f64)vec3_length(vec3_sub(eye, at));
}

/* How many of the rows that are not selected are clearly nearer than a selected one. */
static u32 nearer_count(const f64* far, u32 count, const u32* row, u32 selected) {
    f64 farthest = -1;
    u32 nearer = 0;
    for (u32 i = 0; i < selected; i++) farthest = fmax(farthest, far[row[i]]);
    for (u32 i = 0; i < count; i++) {
        bool is_selected = false;
        for (u32 k = 0; k < selected; k++) is_selected |= row[k] == i;
        nearer += !is_selected && far[i] < farthest - 1e-3;
    }
    return nearer;
}

static void picks_compare(World* world, const LightPicks* p, Vec3 eye, u32 count) {
    const LightRows            lights = ent_light_rows(world);
    const DecalRows            decals = ent_decal_rows(world);
    const EnvironmentProbeRows probes = ent_environment_probe_rows(world);
    f64                        far[128] = {0};
    u32                        suns = 0;
    assert_int_equal(p->light_count, MIN_OF(count, 64u));
    assert_int_equal(p->decal_count, MIN_OF(count, 32u));
    assert_int_equal(p->probe_count, MIN_OF(count, 32u));
    for (u32 i = 0; i < count; i++) suns += lights.record[i].kind == LIGHT_DIRECTIONAL;
    for (u32 i = 0; i < p->light_count; i++)
        assert_int_equal(lights.record[p->light[i]].kind == LIGHT_DIRECTIONAL, i < suns);
    for (u32 i = 0; i < count; i++)
        far[i] = box_far(ent_transform_world(world, decals.entity[i]),
                         decals.record[i].half_extent_m, eye);
    assert_int_equal(nearer_count(far, count, p->decal, p->decal_count), 0);
    for (u32 i = 1; i < p->decal_count; i++) {
        const u32 a = p->decal[i - 1], b = p->decal[i];
        const u32 order = decals.record[a].order, next = decals.record[b].order;
        assert_true(order > next || (order == next && a > b));
    }
    for (u32 i = 0; i < count; i++)
        far[i] = box_far(ent_transform_world(world, probes.entity[i]),
                         probes.record[i].half_extent_m, eye);
    assert_int_equal(nearer_count(far, count, p->probe, p->probe_count), 0);
    for (u32 i = 1; i < p->probe_count; i++)
        assert_true(far[p->probe[i - 1]] <= far[p->probe[i]] + 1e-3);
    for (u32 i = 0; i < count; i++) {
        const Vec3 at = mat34_column(ent_transform_world(world, lights.entity[i]), 3);
        far[i] = fmax((f64)vec3_length(vec3_sub(at, eye)) - (f64)lights.record[i].range_m, 0);
        if (lights.record[i].kind == LIGHT_SPOT) far[i] = 1e9; /* its sphere is elsewhere */
    }
    for (u32 i = suns + 1; i < p->light_count; i++) {
        const f64 before = far[p->light[i - 1]], distance = far[p->light[i]];
        assert_true(before > 1e8 || distance > 1e8 || before <= distance + 1e-3);
    }
}

static void nearest_elements_of_any_number_are_picked(void** state) {
    static const u32 counts[] = {0, 1, 32, 33, 64, 65, 100};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(counts); i++) {
        Random       r = {i + 3};
        World* const world = world_make(counts[i], &r);
        for (u32 k = 0; k < 20; k++) {
            LightPicks picks;
            const Vec3 eye = point_random(&r, -25, 25);
            ent_light_picks(&picks, world, eye);
            picks_compare(world, &picks, eye, counts[i]);
        }
        ent_world_destroy(world);
    }
}

/* --- masks --- */

static bool is_inside(Vec3 at, Vec3 low, Vec3 high) {
    return at.x >= low.x && at.y >= low.y && at.z >= low.z && at.x <= high.x && at.y <= high.y &&
           at.z <= high.z;
}

static bool light_point(const LightRecord* light, const Mat34* m, Random* r, Vec3* at) {
    const Vec3 v = point_random(r, -1, 1), forward = along(m, 2, -1);
    const f32  length = vec3_length(v);
    *at = vec3_add_scaled(mat34_column(m, 3), v, light->range_m);
    return length > 0.01f && length <= 1 &&
           (light->kind == LIGHT_POINT ||
            vec3_dot(v, forward) / length >= cosf(light->outer_angle_rad));
}

static Vec3 box_point(const Mat34* m, Vec3 half, Random* r) {
    const Vec3 v = point_random(r, -1, 1);
    return mat34_point(m, (Vec3){v.x * half.x, v.y * half.y, v.z * half.z});
}

typedef struct Found {
    u32 touched, set, possible;
} Found;

/* Elements of which a point is in the box have their bits. */
static void mask_compare(World* world, const LightPicks* p, Vec3 low, Vec3 high, Random* r,
                         Found* found) {
    enum { POINTS = 100 };
    const LightRows            lights = ent_light_rows(world);
    const DecalRows            decals = ent_decal_rows(world);
    const EnvironmentProbeRows probes = ent_environment_probe_rows(world);
    const LightMask            mask = ent_light_mask(p, low, high);
    for (u32 i = 0; i < p->light_count * POINTS; i++) {
        const u32          row = p->light[i / POINTS];
        const LightRecord* light = &lights.record[row];
        const Mat34*       m = ent_transform_world(world, lights.entity[row]);
        Vec3               at;
        const bool         sun = light->kind == LIGHT_DIRECTIONAL;
        if (!sun && !(light_point(light, m, r, &at) && is_inside(at, low, high))) continue;
        assert_true(mask.lights >> i / POINTS & 1);
        found->touched++;
    }
    for (u32 i = 0; i < p->decal_count * POINTS; i++) {
        const u32  row = p->decal[i / POINTS];
        const Vec3 at = box_point(ent_transform_world(world, decals.entity[row]),
                                  decals.record[row].half_extent_m, r);
        if (is_inside(at, low, high)) assert_true(mask.decals >> i / POINTS & 1);
        found->touched += is_inside(at, low, high);
    }
    for (u32 i = 0; i < p->probe_count * POINTS; i++) {
        const u32  row = p->probe[i / POINTS];
        const Vec3 at = box_point(ent_transform_world(world, probes.entity[row]),
                                  probes.record[row].half_extent_m, r);
        if (is_inside(at, low, high)) assert_true(mask.probes >> i / POINTS & 1);
        found->touched += is_inside(at, low, high);
    }
    for (u32 i = 0; i < 64; i++) found->set += mask.lights >> i & 1;
    found->possible += p->light_count;
    assert_true(p->light_count == 64 || mask.lights >> p->light_count == 0);
    assert_true(p->decal_count == 32 || mask.decals >> p->decal_count == 0);
}

static void every_element_that_touches_a_box_has_its_bit(void** state) {
    static const u32 counts[] = {0, 1, 32, 33, 64, 65, 100};
    Found            found = {0};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(counts); i++) {
        Random       r = {i + 40};
        World* const world = world_make(counts[i], &r);
        LightPicks   picks;
        ent_light_picks(&picks, world, (Vec3){0, 0, 0});
        for (u32 k = 0; k < 40; k++) {
            const Vec3 low = point_random(&r, -20, 15);
            mask_compare(world, &picks, low, vec3_add(low, point_random(&r, 0, 10)), &r, &found);
        }
        ent_world_destroy(world);
    }
    assert_true(found.touched > 1000);
    assert_true(found.set * 2 < found.possible); /* most do not touch a box */
}

/* A box that is turned by 45 degrees, beside an edge of another box: only an axis of its own is a gap. */
static void boxes_that_are_apart_have_no_bits(void** state) {
    LightPicks picks = {.decal_count = 1, .probe_count = 1, .light_count = 1};
    const Vec3 low = {-1, -1, -1}, high = {1, 1, 1};
    UNUSED(state);
    picks.decal_box[0] = (LightBox){{2.2f, 2.2f, 0}, {{1, 1, 0}, {-1, 1, 0}, {0, 0, 1}}};
    picks.probe_box[0] = picks.decal_box[0];
    picks.probe_box[0].center = (Vec3){1.9f, 1.9f, 0};
    picks.light_sphere[0] = (LightSphere){{2, 2, 2}, 1.7f}; /* the corner is at 1.73 */
    const LightMask mask = ent_light_mask(&picks, low, high);
    assert_int_equal(mask.decals, 0);
    assert_int_equal(mask.probes, 1);
    assert_int_equal(mask.lights, 0);
    picks.light_sphere[0].radius_m = 1.75f;
    assert_int_equal(ent_light_mask(&picks, low, high).lights, 1);
}

TEST_SUITE(light_masks) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_elements_of_any_number_are_picked),
        cmocka_unit_test(every_element_that_touches_a_box_has_its_bit),
        cmocka_unit_test(boxes_that_are_apart_have_no_bits)};
    return TEST_RUN("light_masks", tests);
}
