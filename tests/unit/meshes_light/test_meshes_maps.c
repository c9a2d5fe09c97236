/* test_meshes_maps.c - the shadow maps of an atlas, when they are drawn again, and what is drawn to them. */
#include "test_shade.h"

/* --- maps --- */

static u32 drawn_maps(const Shade* t) {
    return t->stage.meshes->lighting->shadows.table.head.now_count;
}

static void maps_are_drawn_again_when_lights_or_casters_move(void** state) {
    ShadowsSettings settings = small;
    Shade           t;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    settings.still = 1;
    shade_open(&t, &settings);
    shade_random(&t, 2); /* three lights: ten maps */
    Stage* const s = &t.stage;
    for (u32 i = 0; i < 3; i++) stage_draw(s); /* what was placed after the first picture stands */
    shadows_set(&s->meshes->lighting->shadows, &settings);
    stage_draw(s);
    assert_int_equal(drawn_maps(&t), 10);
    u16* first = colors_of(s);
    stage_draw(s);
    assert_int_equal(drawn_maps(&t), 0); /* nothing has moved */
    u16* second = colors_of(s);
    assert_memory_equal(first, second, s->canvas->color.bytes);
    shadows_set(&s->meshes->lighting->shadows, &settings);
    stage_draw(s);
    assert_int_equal(drawn_maps(&t), 10); /* all of them, again */
    u16* third = colors_of(s);
    assert_memory_equal(first, third, s->canvas->color.bytes);
    free(first);
    free(second);
    free(third);
    s->view.pose.m[0][3] += 3; /* the camera: cascades */
    stage_draw(s);
    assert_int_equal(drawn_maps(&t), 3);
    entity_place(s, t.pane[0], (Vec3){1, 1, 1}, (Quat){0, 0, 0, 1}, 1);
    ent_transform_update(s->world);
    stage_draw(s);
    assert_in_range(drawn_maps(&t), 3, 10); /* a caster, in those that it reaches */
    stage_draw(s);                          /* it stands again */
    const LightRows lights = ent_light_rows(s->world);
    for (u32 i = 0; i < lights.count; i++) lights.record[i].intensity *= 2;
    stage_draw(s);
    assert_int_equal(drawn_maps(&t), 0); /* brighter lights cast the same shadows */
    stage_close(s);
}

/* A square moves between two spot lights that are far from each other. */
static void maps_of_lights_that_no_caster_moves_in_are_kept(void** state) {
    static const f32 places[] = {0.5f, 1, 100, 101, 50};
    static const u32 counts[] = {1, 1, 2, 1, 1};
    Shade            t;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    shade_open(&t, &small);
    Stage* const s = &t.stage;
    scene_random(s, 0);
    for (u32 i = 0; i < 2; i++)
        light_cast(&t, LIGHT_SPOT, (Vec3){100 * (f32)i, 0, 5}, (Quat){0, 0, 0, 1}, 10);
    ent_transform_update(s->world);
    stage_draw(s);
    assert_int_equal(drawn_maps(&t), 2);
    for (u32 i = 0; i < COUNT_OF(counts); i++) {
        entity_place(s, s->panel[0], (Vec3){places[i], 0, 0}, (Quat){0, 0, 0, 1}, 1);
        ent_transform_update(s->world);
        stage_draw(s);
        if (drawn_maps(&t) != counts[i]) fail_msg("move %u: %u maps", i, drawn_maps(&t));
    }
    entity_place(s, s->panel[0], (Vec3){51, 0, 0}, (Quat){0, 0, 0, 1}, 1);
    ent_transform_update(s->world);
    stage_draw(s);
    assert_int_equal(drawn_maps(&t), 0); /* between them */
    stage_close(s);
}

/* Anywhere, in any direction. */
static void camera_place(Shade* t, Random* r) {
    const Vec z = unit(vec((f64)random_float(r, -1, 1), (f64)random_float(r, -1, 1), 0.5)),
              x = unit(cross(vec(0.1, 1, 0.3), z)), y = cross(z, x);
    for (u32 k = 0; k < 3; k++) {
        const f64 rows[3][3] = {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
        for (u32 n = 0; n < 3; n++) t->stage.view.pose.m[k][n] = (f32)rows[k][n];
        t->stage.view.pose.m[k][3] = random_float(r, -5, 5);
    }
}

static void texels_of_cascades_keep_their_places_while_the_camera_moves(void** state) {
    static const Vec3 points[] = {{0, 0, 0}, {3, -2, 1}, {-7, 4, 2}};
    Shade             t;
    Random            r = {99};
    f64               before[COUNT_OF(points)][3][2] = {{{0}}};
    f32               texel_m[3] = {0};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    shade_open(&t, &small);
    scene_random(&t.stage, 0);
    light_cast(&t, LIGHT_DIRECTIONAL, (Vec3){1, 5, 2}, turn_to_origin((Vec3){1, 5, 2}), 1);
    ent_transform_update(t.stage.world);
    for (u32 run = 0; run < 20; run++) {
        camera_place(&t, &r);
        stage_draw(&t.stage);
        for (u32 i = 0; i < COUNT_OF(points) * 3; i++) {
            const ShadowMap* m = &t.stage.meshes->lighting->shadows.table.map[i % 3];
            const Vec        p = of(points[i / 3]);
            const Vec4*      rows[] = {&m->x, &m->y};
            if (run) assert_true(m->texel_m == texel_m[i % 3]);
            texel_m[i % 3] = m->texel_m;
            for (u32 axis = 0; axis < 2; axis++) {
                const Vec4* v = rows[axis];
                const f64   at =
                    (dot(vec((f64)v->x, (f64)v->y, (f64)v->z), p) + (f64)v->w) * (f64)m->side / 2;
                const f64 moved = at - before[i / 3][i % 3][axis];
                if (run) assert_true(fabs(moved - round(moved)) < 0.01);
                before[i / 3][i % 3][axis] = at;
            }
        }
    }
    stage_close(&t.stage);
}

/* --- casters --- */

enum { SCATTERED = 150 };

/* More squares and panes than one picture has, up to 30 m away, and lights of each kind between them. */
static void casters_scatter(Shade* t, u32 seed) {
    Stage* const s = &t->stage;
    Random       r = {seed * 131 + 7};
    u32          row;
    scene_random(s, 0);
    for (u32 i = 0; i < SCATTERED; i++) {
        const Entity      entity = entity_add(s, "mesh", &row);
        MeshRecord* const record = ent_mesh_rows(s->world).record;
        record[row] = record[i % (PANELS + PANES)];
        entity_place(
            s, entity,
            (Vec3){random_float(&r, -30, 30), random_float(&r, -10, 10), random_float(&r, -30, 30)},
            turn_random(&r, 2), random_float(&r, 0.1f, 3));
    }
    for (u32 i = 0; i < 6; i++)
        light_cast(
            t, (LightKind)(i % 3),
            (Vec3){random_float(&r, -20, 20), random_float(&r, -5, 5), random_float(&r, -20, 20)},
            turn_random(&r, 2), 10);
    wide_cast(t, &r);
    ent_transform_update(s->world);
}

static Shade*       found_for;
static ShadowsStage found_stage;

static ent_status casters_find(void* state, GpuFrame* frame) {
    Shade* const t = found_for;
    Meshes*      m = state;
    TRY(test_system_record(ent_meshes_system(), m, frame));
    TRY(ent_meshes_cull(m, frame, &t->stage.view, WIDTH, HEIGHT)); /* uploads the eye */
    GpuPicture picture = {.frame = frame,
                          .view = &t->stage.eye,
                          .eye = &m->eye,
                          .bounds = {m->extent.low, m->extent.high}};
    TRY(ent_lighting_system()->phase[ENT_GPU_CASTERS](m->lighting, &picture));
    picture.stage = found_stage;
    return meshes_casters(m, &picture);
}

static void* words_of(const GpuBuffer* buffer, u64 bytes) {
    void* words = malloc(bytes);
    assert_int_equal(gpu_download(gpu_for_test(), buffer, 0, words, bytes), ENT_OK);
    return words;
}

/* Sets `drawn[slot * maps + k]` for the pairs of instances and maps that are drawn; each only once. */
static void pairs_find(const Meshes* m, const GpuBuffer* buffer, u32 draws, u32 maps, u8* drawn) {
    VkDrawIndexedIndirectCommand* commands = words_of(buffer, draws * sizeof *commands);
    u32* visible = words_of(&m->shadow.visible, (u64)m->slots.capacity * maps * sizeof *visible);
    for (u32 i = 0; i < draws; i++) {
        for (u32 k = 0; k < commands[i].instanceCount; k++) {
            const u32 pair = visible[commands[i].firstInstance + k];
            assert_true(pair < m->slots.capacity * maps);
            assert_int_equal(drawn[pair]++, 0);
        }
    }
    free(commands);
    free(visible);
}

/* The least of how far the box of a square reaches to the inner sides of the planes around what a map shows, in
 * units of half the width of the map. */
static f64 reach_into(const ShadowMap* m, const Mat34* pose) {
    const Vec4* const axes[] = {&m->x, &m->x, &m->y, &m->y, &m->z, &m->z};
    const bool        is_flat = m->w.x == 0 && m->w.y == 0 && m->w.z == 0;
    const Vec         at = column(pose, 3), a = column(pose, 0), b = column(pose, 1);
    f64               min = 1e30;
    for (u32 side = 0; side < COUNT_OF(axes); side++) {
        const Vec4* v = axes[side];
        const f64   sign = side % 2 ? 1 : -1, w = side == 5 ? 0 : 1;
        if (side == 4 && is_flat) continue; /* what is before the map casts */
        const Vec n = vec(sign * (f64)v->x + w * (f64)m->w.x, sign * (f64)v->y + w * (f64)m->w.y,
                          sign * (f64)v->z + w * (f64)m->w.z);
        const f64 size = fabs(n.x) * (fabs(a.x) + fabs(b.x)) + fabs(n.y) * (fabs(a.y) + fabs(b.y)) +
                         fabs(n.z) * (fabs(a.z) + fabs(b.z));
        min = fmin(min, dot(n, at) + sign * (f64)v->w + w * (f64)m->w.w + size);
    }
    return min;
}

static void only_casters_in_the_reach_of_a_light_are_drawn(void** state) {
    Shade t;
    u32   counts[2] = {0};
    UNUSED(state);
    TEST_NEEDS("python3");
    shade_open(&t, &small);
    found_for = &t;
    for (u32 scene = 0; scene < 4; scene++) {
        casters_scatter(&t, scene);
        Meshes* const m = t.stage.meshes;
        t.stage.eye = canvas_eye(&t.stage.view, WIDTH, HEIGHT, 1);
        found_stage = SHADOWS_STANDING;
        assert_int_equal(test_gpu_frame(gpu_for_test(), casters_find, m), ENT_OK);
        const ShadowsHead* head = &m->lighting->shadows.table.head;
        const u32          maps = head->now_count;
        u8*                drawn = calloc(m->slots.capacity, maps);
        assert_int_equal(maps, 2 * 6 + 2 + 2 * 3 + 6);
        pairs_find(m, &m->shadow.commands, m->draw_count, maps, drawn);
        found_stage = SHADOWS_FILTERS; /* nothing has moved yet: all blended parts */
        assert_int_equal(test_gpu_frame(gpu_for_test(), casters_find, m), ENT_OK);
        pairs_find(m, &m->shadow.filter_commands, m->blend.count, maps, drawn);
        for (u32 i = 0; i < m->slots.capacity * maps; i++) {
            const MeshInstance* at = &m->slots.slot[i / maps];
            if (at->mesh == MESHES_NONE) {
                assert_int_equal(drawn[i], 0);
                continue;
            }
            const ShadowMap* map = &m->lighting->shadows.table.map[head->now[i % maps]];
            const f64 reach = reach_into(map, ent_transform_world(t.stage.world, at->entity));
            if (fabs(reach) > 1e-4 && drawn[i] != (reach > 0))
                fail_msg("scene %u, instance %u, map %u: %u, but %g", scene, i / maps, i % maps,
                         drawn[i], reach);
            counts[drawn[i]]++;
        }
        free(drawn);
    }
    print_message("%u casters of %u are drawn\n", counts[1], counts[0] + counts[1]);
    assert_true(counts[1] > 1000 && counts[0] > 2 * counts[1]);
    stage_close(&t.stage);
}

/* --- places --- */

/* Is every map in the atlas, and does none overlap another one? */
static void places_check(const Shadows* s) {
    const f32 side = (f32)s->table.head.atlas_side;
    for (u32 i = 0; i < s->lights.map_count; i++) {
        const ShadowMap* a = &s->table.map[i];
        assert_true(a->side >= 64 && a->left >= 0 && a->top >= 0 && a->left + a->side <= side &&
                    a->top + a->side <= side);
        for (u32 k = 0; k < i; k++) {
            const ShadowMap* b = &s->table.map[k];
            assert_true(a->left >= b->left + b->side || b->left >= a->left + a->side ||
                        a->top >= b->top + b->side || b->top >= a->top + a->side);
        }
    }
}

static void many_lights_share_the_atlas_by_importance(void** state) {
    static const u32 counts[] = {1, 6, 20, 60, 150};
    Shade            t;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    ShadowsSettings settings = small;
    settings.atlas_side = 2048;
    shade_open(&t, &settings);
    for (u32 n = 0; n < COUNT_OF(counts); n++) {
        Random r = {n + 3};
        scene_random(&t.stage, 0);
        for (u32 i = 0; i < counts[n]; i++)
            light_cast(&t, i % 3 == 0 ? LIGHT_POINT : LIGHT_SPOT,
                       (Vec3){random_float(&r, -90, 90), random_float(&r, -5, 5),
                              random_float(&r, -90, 3)},
                       turn_random(&r, 2), 5);
        ent_transform_update(t.stage.world);
        stage_draw(&t.stage);
        const Shadows* s = &t.stage.meshes->lighting->shadows;
        places_check(s);
        assert_int_equal(s->table.head.atlas_side, counts[n] == 1 ? 1024 : 2048);
        for (u32 i = 0; i < s->lights.count;
             i++) /* no light gets less than a less important one that asks for as much */
            for (u32 k = 0; k < i; k++) {
                const ShadowsLight *a = &s->lights.at[i], *b = &s->lights.at[k];
                if (a->kind != b->kind) continue;
                assert_true((a->importance - b->importance) * ((f32)a->side - (f32)b->side) >= 0 ||
                            a->side * 2 == b->side || b->side * 2 == a->side);
            }
        const u32 maps = (counts[n] + 2) / 3 * 6 + counts[n] - (counts[n] + 2) / 3;
        if (maps > SHADOWS_MAPS_MAX) {
            assert_non_null(strstr(test_gpu_message(), "lights of this picture cast no shadow"));
            assert_true(s->lights.map_count <= SHADOWS_MAPS_MAX &&
                        s->lights.map_count > SHADOWS_MAPS_MAX - 6);
        } else {
            assert_int_equal(s->lights.map_count, maps);
        }
    }
    stage_close(&t.stage);
}

static void maps_with_other_subgroup_sizes_are_the_same(void** state) {
    UNUSED(state);
    test_gpu_widths("meshes_maps", 512);
}

TEST_SUITE(meshes_maps) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_drawn_again_when_lights_or_casters_move),
        cmocka_unit_test(maps_of_lights_that_no_caster_moves_in_are_kept),
        cmocka_unit_test(texels_of_cascades_keep_their_places_while_the_camera_moves),
        cmocka_unit_test(many_lights_share_the_atlas_by_importance),
        cmocka_unit_test(only_casters_in_the_reach_of_a_light_are_drawn),
        cmocka_unit_test(maps_with_other_subgroup_sizes_are_the_same)};
    return gpu_suite_end(TEST_RUN("meshes_maps", tests));
}
