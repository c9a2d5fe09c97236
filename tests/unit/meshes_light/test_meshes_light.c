/* test_meshes_light.c - colours of surfaces under lights and decals, compared with the sum over all lights in double
 * precision, without tiles. */
#include "lights_lists.h"
#include "test_panels.h"

enum { SCENES = 20 };

/* Draws a scene and compares its samples; returns how many. */
static u32 scene_compare(Stage* s, const char* name) {
    u32 compared = 0;
    stage_draw(s);
    u8* rgba = pixels_of(s);
    for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
        Hit hit;
        if (!is_clear(s, i % WIDTH, i / WIDTH, &hit)) continue;
        color_compare(s, rgba + i * 4, lit(s, &hit), 1.0, name);
        compared++;
    }
    free(rgba);
    return compared;
}

static void lit_surfaces_equal_the_sum_over_all_lights(void** state) {
    Stage s;
    u32   compared = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s);
    for (u32 scene = 0; scene < SCENES; scene++) {
        char name[40];
        scene_random(&s, scene);
        snprintf(name, sizeof name, "scene %u", scene);
        compared += scene_compare(&s, name);
    }
    print_message("%u samples\n", compared);
    assert_true(compared > SCENES * 1500);
    stage_close(&s);
}

/* A night with 77 lights: no picture differs from the reference, so that nothing flickers which the reference does
 * not change. */
static void pictures_of_a_slow_camera_do_not_flicker(void** state) {
    enum { STEPS = 12 };
    Stage s;
    u32   compared = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s);
    scene_random(&s, 18);
    s.view.dimmed = 1;
    for (u32 step = 0; step < STEPS; step++) {
        char name[40];
        s.view.pose.m[0][3] += 0.013f;
        s.view.pose.m[2][3] -= 0.021f;
        snprintf(name, sizeof name, "step %u", step);
        compared += scene_compare(&s, name);
    }
    assert_true(compared > STEPS * 1500);
    stage_close(&s);
}

/* A blended panel between the camera and a dark one. */
static void blended_surfaces_are_lit_by_the_lights_of_their_tile(void** state) {
    const Quat upright = {0, 0, 0, 1};
    Stage      s;
    u32        compared = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s);
    for (u32 lists = 0; lists < 2; lists++) {
        scene_random(&s, 8);
        lights_set(&s.meshes->lighting->lights,
                   &(LightsSettings){.method = lists ? &lights_lists : NULL});
        s.view.dimmed = 1;
        for (u32 i = 0; i < PANELS - 1; i++)
            entity_place(&s, s.panel[i], (Vec3){0, 0, 100}, upright, 1);
        entity_place(&s, s.panel[0], (Vec3){0, 0, -900}, upright, 2000); /* no light reaches it */
        entity_place(&s, s.panel[PANELS - 1], (Vec3){0, 0, 0.2f}, upright, 3);
        ent_transform_update(s.world);
        const LightRows rows = ent_light_rows(s.world);
        for (u32 i = 0; i < rows.count; i++)
            if (rows.record[i].kind == LIGHT_DIRECTIONAL) rows.record[i].intensity = 0;
        stage_draw(&s);
        u8* rgba = pixels_of(&s);
        for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
            Hit hit = hit_at(&s, i % WIDTH + 0.5, i / WIDTH + 0.5, PANELS);
            if (hit.panel != PANELS - 1 || i % WIDTH < 3 || i % WIDTH > WIDTH - 4) continue;
            color_compare(&s, rgba + i * 4, times(lit(&s, &hit), 0.5), 1.5, "blended");
            compared++;
        }
        free(rgba);
    }
    assert_true(compared > 2000);
    stage_close(&s);
}

/* --- decals --- */

typedef struct Sticker {
    Vec3 at, half_extent, color;
    f32  opacity, turn; /* about the axis of projection */
    u32  order;
    bool textured;
} Sticker;

static const Sticker stickers[] = {
    {{0, 0, 0}, {1.5f, 1, 0.3f}, {1, 0, 0}, 0.5f, 0, 0, false},
    {{0.4f, 0.2f, 0}, {0.8f, 0.8f, 0.3f}, {0, 1, 0}, 0.75f, 0.3f, 2, false},
    {{-0.5f, -0.3f, 0}, {0.7f, 0.9f, 0.3f}, {0, 0, 1}, 1, -0.6f, 1, false},
    {{0.9f, -0.6f, 0}, {0.6f, 0.5f, 0.3f}, {1, 1, 1}, 0.8f, 0.1f, 3, true},
    {{-1, 0.6f, 3}, {0.6f, 0.5f, 0.3f}, {1, 1, 1}, 1, 0, 9, false}}; /* above the surface */

static void stickers_add(Stage* s) {
    for (u32 i = 0; i < COUNT_OF(stickers); i++) {
        const Sticker*    t = &stickers[i];
        const DecalRows   before = ent_decal_rows(s->world);
        const ResourceRef texture = before.record[0].color_texture;
        u32               row;
        const Entity      entity = entity_add(s, "decal", &row);
        ent_decal_rows(s->world).record[row] = (DecalRecord){.half_extent_m = t->half_extent,
                                                             .color = t->color,
                                                             .opacity = t->opacity,
                                                             .fade_angle_rad = 1.2f,
                                                             .order = t->order};
        if (t->textured) ent_decal_rows(s->world).record[row].color_texture = texture;
        entity_place(s, entity, t->at, (Quat){0, 0, sinf(t->turn / 2), cosf(t->turn / 2)}, 1);
    }
}

/* How far inside of a sticker a point of the plane z = 0 is: negative outside. */
static f64 sticker_inside(const Sticker* t, Vec at) {
    const f64 c = cos((f64)t->turn), sn = sin((f64)t->turn), x = at.x - (f64)t->at.x,
              y = at.y - (f64)t->at.y;
    const f64 u = c * x + sn * y, v = -sn * x + c * y;
    if (fabs((f64)t->at.z) > (f64)t->half_extent.z) return -1;
    return fmin((f64)t->half_extent.x - fabs(u), (f64)t->half_extent.y - fabs(v));
}

static f64 linear_of(f64 byte) { return pow((byte / 255 + 0.055) / 1.055, 2.4); }

static Vec stuck(Vec base, Vec at, f64 facing, bool* clear, bool* textured) {
    Vec color = base;
    *clear = true;
    *textured = false;
    for (u32 order = 0; order < 10; order++) {
        for (u32 i = 0; i < COUNT_OF(stickers); i++) {
            const Sticker* t = &stickers[i];
            const f64      inside = sticker_inside(t, at), fade = cos((f64)1.2f);
            if (t->order != order) continue;
            if (fabs(inside) < 0.02) *clear = false;
            if (inside < 0) continue;
            const f64 share = fmax(0, fmin(1, (facing - fade) / (0.25 * (1 - fade) + 1e-4)));
            const f64 a = (f64)t->opacity * share;
            const Vec base_color =
                t->textured ? vec(linear_of(200), linear_of(100), linear_of(50)) : of(t->color);
            *textured |= t->textured;
            color = add(times(color, 1 - a), times(base_color, a));
        }
    }
    return color;
}

/* A square under stacked decals: seen from the front, and turned away where they fade. */
static void decals_cover_each_other_in_their_order(void** state) {
    Stage s;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s);
    scene_random(&s, 0);
    stickers_add(&s);
    for (u32 run = 0; run < 4; run++) {
        const f32 turn = run == 2 ? 1.0f : 0;
        u32       compared = 0;
        lights_set(&s.meshes->lighting->lights,
                   &(LightsSettings){.method = run == 3 ? &lights_lists : NULL});
        for (u32 i = 0; i < PANELS; i++)
            entity_place(&s, s.panel[i], (Vec3){0, 0, 100}, (Quat){0, 0, 0, 1}, 1);
        entity_place(&s, s.panel[0], (Vec3){0, 0, 0}, (Quat){0, sinf(turn / 2), 0, cosf(turn / 2)},
                     run == 2 ? 0.25f : 2);
        ent_transform_update(s.world);
        s.view.pose.m[2][3] = run == 2 ? 1.2f : 6;
        s.view.exposure = 0;
        s.view.shows = ENT_CANVAS_SHOWS_ALBEDO;
        stage_draw(&s);
        u8* rgba = pixels_of(&s);
        for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
            bool clear, textured;
            Hit  hit;
            if (!is_clear(&s, i % WIDTH, i / WIDTH, &hit)) continue;
            const Vec expected =
                stuck(vec(0.8, 0.7, 0.6), hit.at, fabs(hit.normal.z), &clear, &textured);
            if (!clear) continue;
            color_compare(&s, rgba + i * 4, expected, textured ? 3 : 1, "decals");
            compared++;
        }
        assert_true(compared > (run == 2 ? 20 : 1500));
        free(rgba);
    }
    stage_close(&s);
}

static void decals_receive(Stage* s, Entity entity, bool receives) {
    const u32 row = ent_manager_row(ent_world_built_in(s->world, COMPONENT_MESH),
                                    ent_world_entities(s->world), entity);
    ent_mesh_rows(s->world).record[row].receives_decals = receives;
    ent_manager_changed(ent_world_built_in(s->world, COMPONENT_MESH), &row, 1);
}

/* Two squares side by side under the same decals: the left one receives them, the right one does not. */
static void sides_compare(Stage* s) {
    u32 compared[2] = {0};
    entity_place(s, s->panel[0], (Vec3){-1.1f, 0, 0}, (Quat){0, 0, 0, 1}, 1);
    entity_place(s, s->panel[1], (Vec3){1.1f, 0, 0}, (Quat){0, 0, 0, 1}, 1);
    decals_receive(s, s->panel[1], false);
    ent_transform_update(s->world);
    stage_draw(s);
    u8* rgba = pixels_of(s);
    for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
        bool clear, textured;
        Hit  hit;
        if (!is_clear(s, i % WIDTH, i / WIDTH, &hit)) continue;
        const f64* base_color = look_color[hit.panel];
        const Vec  base = vec(base_color[0], base_color[1], base_color[2]);
        const Vec  decal = stuck(base, hit.at, fabs(hit.normal.z), &clear, &textured);
        if (!clear) continue;
        color_compare(s, rgba + i * 4, hit.panel == 0 ? decal : base,
                      hit.panel == 0 && textured ? 3 : 1, "side");
        compared[hit.panel] += sticker_inside(&stickers[0], hit.at) > 0;
    }
    assert_true(compared[0] > 200 && compared[1] > 200);
    free(rgba);
    decals_receive(s, s->panel[1], true);
}

static void stickers_show(Stage* s, bool shown) {
    const DecalRows rows = ent_decal_rows(s->world);
    for (u32 i = 0; i < COUNT_OF(stickers); i++) {
        const u32 row = rows.count - (u32)COUNT_OF(stickers) + i;
        rows.record[row].opacity = shown ? stickers[i].opacity : 0;
        ent_manager_changed(ent_world_built_in(s->world, COMPONENT_DECAL), &row, 1);
    }
}

/* A surface that receives no decals looks as if there were none, also after it has received some. */
static void surface_compare(Stage* s, Entity entity, Vec3 at) {
    const Quat upright = {0, 0, 0, 1};
    u8*        rgba[4]; /* without decals, with them, not received, received again */
    u32        changed = 0;
    for (u32 k = 0; k < COUNT_OF(rgba); k++) {
        entity_place(s, entity, at, upright, 2);
        stickers_show(s, k > 0);
        decals_receive(s, entity, k != 2);
        ent_transform_update(s->world);
        stage_draw(s);
        rgba[k] = pixels_of(s);
    }
    for (u32 i = 0; i < WIDTH * HEIGHT * 4; i++) changed += rgba[0][i] != rgba[1][i];
    print_message("%u channels changed\n", changed);
    assert_true(changed > 500);
    assert_memory_equal(rgba[2], rgba[0], WIDTH * HEIGHT * 4);
    assert_memory_equal(rgba[3], rgba[1], WIDTH * HEIGHT * 4);
    for (u32 k = 0; k < COUNT_OF(rgba); k++) free(rgba[k]);
    entity_place(s, entity, (Vec3){0, 0, 100}, upright, 1);
}

/* Solid, blended and morphed surfaces, with bits and with lists. */
static void surfaces_without_decals_keep_their_own_color(void** state) {
    Stage s;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open_level(&s, "casters");
    scene_random(&s, 0);
    const MeshRows rows = ent_mesh_rows(s.world);
    for (u32 i = 0; i < rows.count; i++)
        entity_place(&s, rows.entity[i], (Vec3){0, 0, 100}, (Quat){0, 0, 0, 1}, 1);
    stickers_add(&s);
    s.view.exposure = 0;
    s.view.shows = ENT_CANVAS_SHOWS_ALBEDO;
    for (u32 lists = 0; lists < 2; lists++) {
        lights_set(&s.meshes->lighting->lights,
                   &(LightsSettings){.method = lists ? &lights_lists : NULL});
        sides_compare(&s);
        entity_place(&s, s.panel[1], (Vec3){0, 0, 100}, (Quat){0, 0, 0, 1}, 1);
        surface_compare(&s, s.panel[0], (Vec3){0, 0, 0});
        surface_compare(&s, s.panel[PANELS - 1], (Vec3){0, 0, 0});
        surface_compare(&s, rows.entity[rows.count - 1], (Vec3){-1, 0, 0}); /* a morph target */
    }
    stage_close(&s);
}

/* A decal whose normals are turned to the right and downwards, on a square that faces the camera. */
static void decals_with_normal_textures_turn_the_surface(void** state) {
    const Quat upright = {0, 0, 0, 1};
    const Vec  bump = vec(188 / 127.5 - 1, 100 / 127.5 - 1, 0);
    const f64  z = sqrt(1 - dot(bump, bump)), shown[3] = {bump.x, bump.y, z};
    Stage      s;
    u32        row, turned = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s);
    scene_random(&s, 0);
    for (u32 i = 0; i < PANELS; i++) entity_place(&s, s.panel[i], (Vec3){0, 0, 100}, upright, 1);
    entity_place(&s, s.panel[0], (Vec3){0, 0, 0}, upright, 2);
    const ResourceRef texture = ent_decal_rows(s.world).record[0].normal_texture;
    const Entity      entity = entity_add(&s, "decal", &row);
    ent_decal_rows(s.world).record[row] = (DecalRecord){.half_extent_m = {1, 1, 0.5f},
                                                        .opacity = 1,
                                                        .fade_angle_rad = 1.2f,
                                                        .normal_texture = texture};
    entity_place(&s, entity, (Vec3){0, 0, 0}, upright, 1);
    ent_transform_update(s.world);
    s.view.shows = ENT_CANVAS_SHOWS_NORMALS;
    stage_draw(&s);
    u8* rgba = pixels_of(&s);
    for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
        Hit hit;
        if (!is_clear(&s, i % WIDTH, i / WIDTH, &hit)) continue;
        const f64 edge = fmax(fabs(hit.at.x), fabs(hit.at.y)) - 1;
        if (fabs(edge) < 0.05) continue;
        for (u32 c = 0; c < 3; c++) {
            const f64 n = edge < 0 ? shown[c] : c == 2;
            assert_true(fabs(byte_of(&s, pow(n * 0.5 + 0.5, 2.2)) - rgba[i * 4 + c]) < 4);
        }
        turned += edge < 0;
    }
    assert_true(turned > 300);
    free(rgba);
    stage_close(&s);
}

/* --- still frames --- */

/* The colours of the scene with bits, with a second level of bits, and with lists: linear, before they are resolved. */
static void colors_compare(Stage* s, const char* what) {
    const u64 bytes = s->canvas->color.bytes;
    u16*      colors[3];
    for (u32 k = 0; k < 3; k++) {
        lights_set(&s->meshes->lighting->lights,
                   &(LightsSettings){.method = k == 2 ? &lights_lists : NULL,
                                     .skips = k == 1 ? LIGHTS_SKIPS_ALWAYS : LIGHTS_SKIPS_NEVER});
        stage_draw(s);
        colors[k] = malloc(bytes);
        assert_int_equal(gpu_download(gpu_for_test(), &s->canvas->color, 0, colors[k], bytes),
                         ENT_OK);
    }
    assert_memory_equal(colors[0], colors[1], bytes);
    for (u32 i = 0; i < WIDTH * HEIGHT * 4; i++) {
        const f64 bits = half_of(colors[0][i]), lists = half_of(colors[2][i]);
        if (fabs(bits - lists) > fmax(bits, 1e-3) * (1 / 1024.0 + 1e-9))
            fail_msg("%s, colour %u: %g and %g", what, i, bits, lists);
    }
    for (u32 k = 0; k < 3; k++) free(colors[k]);
}

static void still_frames_are_equal_and_lists_give_the_same_light(void** state) {
    Stage s;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s);
    for (u32 scene = 4; scene < SCENES; scene += 4) {
        char name[40];
        scene_random(&s, scene);
        if (scene != 4) stickers_add(&s);
        ent_transform_update(s.world);
        snprintf(name, sizeof name, "scene %u", scene);
        colors_compare(&s, name);
    }
    stage_close(&s);
}

/* --- what single scattering loses --- */

/* The share of the light of a white sky that a perfect metal reflects: 1 but for light that it would reflect more than
 * once. */
static f64 furnace(f64 rough, f64 nv) {
    const f64 alpha2 = pow(rough, 4), pi = 3.14159265358979;
    const Vec n = vec(0, 0, 1), v = vec(sqrt(1 - nv * nv), 0, nv);
    f64       sum = 0;
    enum { STEPS = 400 };
    for (u32 i = 0; i < STEPS * STEPS; i++) { /* half vectors as frequent as GGX has them */
        const f64 u = (i / STEPS + 0.5) / STEPS, turn = (i % STEPS + 0.5) / STEPS * 2 * pi;
        const f64 nh = sqrt((1 - u) / (1 + (alpha2 - 1) * u)), side = sqrt(1 - nh * nh);
        const Vec h = vec(side * cos(turn), side * sin(turn), nh);
        const f64 vh = dot(v, h), d = nh * nh * (alpha2 - 1) + 1;
        const Vec l = add(times(h, 2 * vh), times(v, -1));
        if (vh <= 0 || l.z <= 0) continue;
        sum += reflected(vec(1, 1, 1), 1, rough, n, v, l).x * 4 * vh * pi * d * d / (alpha2 * nh);
    }
    return sum / ((f64)STEPS * STEPS);
}

static void single_scattering_loses_the_documented_share(void** state) {
    static const f64 rough[] = {0.1, 0.3, 0.5, 0.7, 1}, facing[] = {0.7, 0.3},
                     kept[2][5] = {{1, 0.985, 0.885, 0.691, 0.379},
                                   {0.999, 0.946, 0.837, 0.749, 0.560}}; /* SYSTEMS.md */
    const Vec white = vec(1, 1, 1);
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rough); i++) {
        for (u32 k = 0; k < COUNT_OF(facing); k++) {
            const Vec n = vec(0, 0, 1), v = vec(sqrt(1 - facing[k] * facing[k]), 0, facing[k]);
            const f64 lamps = furnace(rough[i], facing[k]);
            const f64 sky = around_of(white, 1, rough[i], n, v, white, white).x;
            print_message("roughness %.1f, cosine %.1f: lamps %.3f, sky %.3f\n", rough[i],
                          facing[k], lamps, sky);
            assert_true(fabs(lamps - kept[k][i]) <= 0.003);
            assert_true(fabs(sky - lamps) <= 0.02);
        }
    }
}

static void lit_surfaces_with_other_subgroup_sizes_are_the_same(void** state) {
    UNUSED(state);
    test_gpu_widths("meshes_light", 256);
}

TEST_SUITE(meshes_light) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lit_surfaces_equal_the_sum_over_all_lights),
        cmocka_unit_test(pictures_of_a_slow_camera_do_not_flicker),
        cmocka_unit_test(blended_surfaces_are_lit_by_the_lights_of_their_tile),
        cmocka_unit_test(decals_cover_each_other_in_their_order),
        cmocka_unit_test(surfaces_without_decals_keep_their_own_color),
        cmocka_unit_test(decals_with_normal_textures_turn_the_surface),
        cmocka_unit_test(still_frames_are_equal_and_lists_give_the_same_light),
        cmocka_unit_test(single_scattering_loses_the_documented_share),
        cmocka_unit_test(lit_surfaces_with_other_subgroup_sizes_are_the_same)};
    return gpu_suite_end(TEST_RUN("meshes_light", tests));
}
