/* test_meshes_probe.c - surroundings of probes, and surfaces that reflect them, compared with double precision. */
#include "test_panels.h"

static Vec texel_at(const LightingProbe* p, u32 level, int x, int y) {
    const int side = (int)LIGHTING_MAP;
    if (x < 0 || x >= side) x = x < 0 ? 0 : side - 1, y = side - 1 - y;
    if (y < 0 || y >= side) y = y < 0 ? 0 : side - 1, x = side - 1 - x;
    const u32* word = p->map + (size_t)2 * (size_t)(((int)level * side + y) * side + x);
    return vec(half_of((u16)word[0]), half_of((u16)(word[0] >> 16)), half_of((u16)word[1]));
}

static Vec level_at(const LightingProbe* p, u32 level, Vec v) {
    const f64 size = fabs(v.x) + fabs(v.y) + fabs(v.z);
    f64       x = v.x / size, y = v.y / size;
    if (v.z < 0) {
        const f64 folded = (1 - fabs(y)) * (x >= 0 ? 1 : -1);
        y = (1 - fabs(x)) * (y >= 0 ? 1 : -1);
        x = folded;
    }
    x = (x * 0.5 + 0.5) * LIGHTING_MAP - 0.5;
    y = (y * 0.5 + 0.5) * LIGHTING_MAP - 0.5;
    Vec sum = vec(0, 0, 0);
    for (int k = 0; k < 4; k++) {
        const f64 fx = x - floor(x), fy = y - floor(y);
        const f64 weight = (k % 2 ? fx : 1 - fx) * (k / 2 ? fy : 1 - fy);
        sum = add(sum,
                  times(texel_at(p, level, (int)floor(x) + k % 2, (int)floor(y) + k / 2), weight));
    }
    return sum;
}

static f64 harmonic(u32 k, Vec n) {
    const f64 all[] = {0.282095,
                       0.488603 * n.y,
                       0.488603 * n.z,
                       0.488603 * n.x,
                       1.092548 * n.x * n.y,
                       1.092548 * n.y * n.z,
                       0.315392 * (3 * n.z * n.z - 1),
                       1.092548 * n.x * n.z,
                       0.546274 * (n.x * n.x - n.y * n.y)};
    return all[k];
}

static Vec matt_at(const LightingProbe* p, Vec n) {
    Vec sum = vec(0, 0, 0);
    for (u32 k = 0; k < 9; k++)
        sum = add(sum, times(vec((f64)p->light[k].x, (f64)p->light[k].y, (f64)p->light[k].z),
                             harmonic(k, n)));
    return vec(fmax(sum.x, 0), fmax(sum.y, 0), fmax(sum.z, 0));
}

static LightingProbe* probes_read(const Stage* s) {
    LightingProbe* table = malloc(s->meshes->lighting->probes.table.bytes);
    assert_int_equal(gpu_download(gpu_for_test(), &s->meshes->lighting->probes.table, 0, table,
                                  s->meshes->lighting->probes.table.bytes),
                     ENT_OK);
    return table;
}

static Entity probe_add(Stage* s, Vec3 at, Vec3 half_extent, f32 blend_m, f32 turn) {
    u32          row;
    const Entity entity = entity_add(s, "environment_probe", &row);
    ent_environment_probe_rows(s->world).record[row] =
        (EnvironmentProbeRecord){.half_extent_m = half_extent,
                                 .color = {1, 0.9f, 0.8f},
                                 .intensity = 1.2f,
                                 .blend_m = blend_m};
    entity_place(s, entity, at, (Quat){0, sinf(turn / 2), 0, cosf(turn / 2)}, 1);
    return entity;
}

/* In an empty world: the sky is a + b y in direction y, so that light from all sides is a + 2/3 b y. */
static void probe_in_the_open_has_the_light_of_the_sky(void** state) {
    Stage s;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s);
    scene_random(&s, 0);
    for (u32 i = 0; i < PANELS; i++)
        entity_place(&s, s.panel[i], (Vec3){0, 0, 900}, (Quat){0, 0, 0, 1}, 1);
    probe_add(&s, (Vec3){0, 0, 0}, (Vec3){2, 2, 2}, 0.5f, 0);
    ent_transform_update(s.world);
    s.view.dimmed = 0;
    stage_draw(&s);
    LightingProbe* p = probes_read(&s);
    Random         r = {3};
    for (u32 i = 0; i < 200; i++) {
        const Vec v = unit(vec((f64)random_float(&r, -1, 1), (f64)random_float(&r, -1, 1),
                               (f64)random_float(&r, -1, 1)));
        const Vec matt = matt_at(p, v), mirrored = level_at(p, 0, v);
        const Vec sky = sky_at(v.y), spread = sky_at(v.y * 2 / 3);
        assert_true(fabs(matt.x - spread.x) < 0.004 && fabs(matt.z - spread.z) < 0.004);
        assert_true(fabs(mirrored.x - sky.x) < 0.004 && fabs(mirrored.z - sky.z) < 0.004);
        const Vec rough = level_at(p, LIGHTING_MAP_LEVELS - 1, v);
        assert_true(fabs(rough.x - 0.24) <=
                    fabs(sky.x - 0.24) + 0.004); /* less than the mirror differs */
    }
    free(p);
    stage_close(&s);
}

/* The direction to where a ray leaves a box, and how far inside a point is, in metres; negative outside. */
static f64 box_inside(const Mat34* m, Vec3 half_extent, Vec at, Vec ray, Vec* leaves) {
    const f64 half[3] = {(f64)half_extent.x, (f64)half_extent.y, (f64)half_extent.z};
    const Vec d = add(at, times(column(m, 3), -1));
    f64       inside = 1e30, far = 1e30;
    for (u32 k = 0; k < 3; k++) {
        const Vec axis = unit(column(m, k));
        const f64 x = dot(d, axis), v = dot(ray, axis);
        inside = fmin(inside, half[k] - fabs(x));
        if (fabs(v) > 1e-9) far = fmin(far, ((v > 0 ? half[k] : -half[k]) - x) / v);
    }
    *leaves = unit(add(at, add(times(ray, far), times(column(m, 3), -1))));
    return inside;
}

/* Surroundings of a hit from probes in the order of their sizes: rows 1 and 0. */
static Vec surrounded(const Stage* s, const LightingProbe* table, const Hit* hit) {
    const EnvironmentProbeRows rows = ent_environment_probe_rows(s->world);
    const f64 rough = fmax(look_rough[hit->panel], 0.04), metallic = look_metallic[hit->panel];
    const Vec color =
        vec(look_color[hit->panel][0], look_color[hit->panel][1], look_color[hit->panel][2]);
    const Vec n = hit->normal, v = hit->to_eye, mirror = add(times(n, 2 * dot(n, v)), times(v, -1));
    Vec       matt = vec(0, 0, 0), mirrored = vec(0, 0, 0);
    f64       left = 1;
    for (u32 k = 0; k < 2; k++) {
        const u32                     row = 1 - k;
        const EnvironmentProbeRecord* record = &rows.record[row];
        const Vec                     tint = times(of(record->color), (f64)record->intensity);
        Vec                           leaves;
        const f64 inside = box_inside(ent_transform_world(s->world, rows.entity[row]),
                                      record->half_extent_m, hit->at, mirror, &leaves);
        const f64 share = left * fmax(0, fmin(1, inside / (f64)record->blend_m));
        const f64 level = rough * (LIGHTING_MAP_LEVELS - 1);
        const u32 low = MIN_OF((u32)level, LIGHTING_MAP_LEVELS - 2);
        const Vec shine = add(times(level_at(&table[row], low, leaves), 1 - (level - low)),
                              times(level_at(&table[row], low + 1, leaves), level - low));
        matt = add(matt, times(mul(matt_at(&table[row], n), tint), share));
        mirrored = add(mirrored, times(mul(shine, tint), share));
        left -= share;
    }
    matt = add(matt, times(sky_at(n.y), left * (1 - (f64)s->view.dimmed)));
    mirrored = add(mirrored, times(sky_at(mirror.y), left * (1 - (f64)s->view.dimmed)));
    return around_of(color, metallic, rough, n, v, matt, mirrored);
}

static void surfaces_in_probes_reflect_their_surroundings(void** state) {
    Stage s;
    u32   compared = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s);
    for (u32 scene = 0; scene < 3; scene++) {
        scene_random(&s, scene * 5 + 2);
        probe_add(&s, (Vec3){0.5f, 0, 0}, (Vec3){4, 3, 4}, 0.7f, 0.4f);
        probe_add(&s, (Vec3){-1, 0.2f, 0.5f}, (Vec3){1.5f, 1.5f, 2}, 0.5f, 0);
        ent_transform_update(s.world);
        stage_draw(&s);
        LightingProbe* table = probes_read(&s);
        u8*            rgba = pixels_of(&s);
        assert_true((f64)table[0].is_captured == 1);
        for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
            Hit hit;
            if (!is_clear(&s, i % WIDTH, i / WIDTH, &hit)) continue;
            color_compare(&s, rgba + i * 4,
                          add(lit_directly(&s, &hit), surrounded(&s, table, &hit)), 1.5, "probes");
            compared++;
        }
        free(table);
        free(rgba);
    }
    assert_true(compared > 4000);
    stage_close(&s);
}

static void probes_with_other_subgroup_sizes_are_the_same(void** state) {
    UNUSED(state);
    test_gpu_widths("meshes_probe", 256);
}

TEST_SUITE(meshes_probe) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probe_in_the_open_has_the_light_of_the_sky),
        cmocka_unit_test(surfaces_in_probes_reflect_their_surroundings),
        cmocka_unit_test(probes_with_other_subgroup_sizes_are_the_same)};
    return gpu_suite_end(TEST_RUN("meshes_probe", tests));
}
