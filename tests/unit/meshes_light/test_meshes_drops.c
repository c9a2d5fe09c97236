/* test_meshes_drops.c - casters that are dropped, because they are smaller than half a texel, or because their shadow meets
 * nothing that is seen: pictures are those of all casters. */
#include "test_sets.h"

#include "exposure.h"
#include "framing.h"
#include "pose_internal.h"

/* --- small casters --- */

static u32 casters_drawn(const Meshes* m) {
    const u64                     bytes = m->draw_count * sizeof(VkDrawIndexedIndirectCommand);
    VkDrawIndexedIndirectCommand* commands = malloc(bytes);
    u32                           count = 0;
    assert_int_equal(gpu_download(gpu_for_test(), &m->shadow.commands, 0, commands, bytes), ENT_OK);
    for (u32 i = 0; i < m->draw_count; i++) count += commands[i].instanceCount;
    free(commands);
    return count;
}

/* Half of the squares are smaller than half a texel; of the samples, one in 10,000 may differ by more than 2 / 255. */
static void casters_smaller_than_a_texel_are_dropped(void** state) {
    Shade  t;
    Set    set;
    u16*   picture[2];
    u32    count[2], differ = 0;
    Random r = {9};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    shade_open(&t, &kept_settings);
    Stage* const s = &t.stage;
    scene_random(s, 0);
    for (u32 i = 0; i < PANELS; i += 2)
        entity_place(s, s->panel[i], place_random(&r), turn_random(&r, 1), 0.002f);
    light_cast(&t, LIGHT_SPOT, (Vec3){0, 0, 8}, (Quat){0, 0, 0, 1}, 40);
    ent_transform_update(s->world);
    set_create(s, &set);
    Meshes* const m = set.part[1].state;
    for (u32 i = 0; i < 2; i++) {
        m->draws_hidden = i == 0; /* all casters, however small */
        shadows_set(&((Lighting*)set.part[0].state)->shadows, &kept_settings);
        picture[i] = set_drawn(&set, s, NULL);
        count[i] = casters_drawn(m);
    }
    for (u32 i = 0; i < WIDTH * HEIGHT * 4; i++)
        differ += fabs(half_of(picture[0][i]) - half_of(picture[1][i])) > 2.0 / 255;
    print_message("%u casters of %u are drawn, %u samples differ\n", count[1], count[0], differ);
    assert_true(count[1] > 0 && count[1] + PANELS / 2 <= count[0]);
    assert_true(differ * 10000 <= WIDTH * HEIGHT);
    free(picture[0]);
    free(picture[1]);
    set_destroy(&set);
    stage_close(s);
    test_gpu_silent();
}

/* --- casters whose shadow is not seen --- */

/* Squares that move around the camera, which turns: with and without those whose shadow meets nothing that is seen. */
static void unseen_are_dropped(bool blends) {
    Shade  t;
    Set    set[2]; /* of all casters; of those that are needed */
    u32    count[2] = {0}, differ = 0, samples = 0;
    Random r = {21};
    stage_open(&t.stage);
    Stage* const s = &t.stage;
    scene_random(s, 0);
    if (!blends) ent_entity_destroy(s->world, &s->panel[BLENDED], 1);
    ent_world_gc(s->world);
    light_cast(&t, LIGHT_DIRECTIONAL, (Vec3){0, 9, 0}, (Quat){-0.6f, 0.2f, 0, 0.75f}, 4);
    light_cast(&t, LIGHT_POINT, (Vec3){1, 2, 4}, (Quat){0, 0, 0, 1}, 30);
    for (u32 i = 0; i < 2; i++) {
        set_create(s, &set[i]);
        ((Meshes*)set[i].part[1].state)->draws_hidden = i == 0;
    }
    for (u32 frame = 0; frame < (SANITIZED ? 4 : 24); frame++) {
        u16*      picture[2];
        const f32 angle = (f32)frame * 0.3f, c = cosf(angle), n = sinf(angle);
        if (frame % 3)
            s->view.pose = (Mat34){{{c, 0, n, n * 4}, {0, 1, 0, 0.5f}, {-n, 0, c, c * 4}}};
        for (u32 i = frame % 2; i < BLENDED; i += 2) {
            const Vec3 at = place_random(&r);
            entity_place(s, s->panel[i], (Vec3){at.x * 4, at.y, at.z * 3}, turn_random(&r, 2),
                         0.6f);
        }
        ent_transform_update(s->world);
        for (u32 i = 0; i < 2; i++) {
            picture[i] = set_drawn(&set[i], s, NULL);
            count[i] += casters_drawn(set[i].part[1].state);
        }
        for (u32 i = 0; i < WIDTH * HEIGHT * 4; i++)
            differ += fabs(half_of(picture[0][i]) - half_of(picture[1][i])) > 2.0 / 255;
        samples += WIDTH * HEIGHT;
        free(picture[0]);
        free(picture[1]);
    }
    print_message("%s: %u casters of %u are drawn, %u values of %u samples differ\n",
                  blends ? "with a blended square" : "opaque", count[1], count[0], differ, samples);
    assert_true(count[1] > 0 && (blends ? count[1] < count[0] : count[1] * 10 < count[0] * 9));
    assert_true(differ * 10000 <= samples);
    for (u32 i = 0; i < 2; i++) set_destroy(&set[i]);
    stage_close(s);
    test_gpu_silent();
}

static void casters_whose_shadow_is_not_seen_are_dropped(void** state) {
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    for (u32 blends = 0; blends < 2; blends++) unseen_are_dropped(blends);
}

/* --- levels --- */

enum { SHOWN_WIDE = 128, SHOWN_HIGH = 72 };

static u32 turns(void) { return getenv("TEST_FULL") ? 8 : 1; }

typedef struct Shown {
    Library    library;
    World*     world;
    Simulation simulation;
    Canvas*    canvas;
    CanvasView view;
    Meshes*    meshes;
    Lighting*  lighting;
} Shown;

static void shown_open(Shown* s, const char* folder, const char* level) {
    const CanvasDesc desc = {.width = SHOWN_WIDE, .height = SHOWN_HIGH, .samples = 1};
    const Blob*      blob;
    char             path[1100];
    *s = (Shown){0};
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(ent_library_open(&s->library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_load(&s->library, level, RESOURCE_LEVEL, &blob), ENT_OK);
    assert_int_equal(ent_world_create(&s->world, NULL), ENT_OK);
    for (u32 i = 0; i < s->library.count; i++) {
        const Blob* declared = &ent_library_entry(&s->library, i)->resource.blob;
        if (declared->header->resource_type == RESOURCE_COMPONENT)
            assert_int_equal(ent_world_declare(s->world, declared), ENT_OK);
    }
    assert_int_equal(ent_world_spawn(s->world, blob, NULL, NULL), ENT_OK);
    assert_int_equal(simulation_create(&s->simulation, gpu_for_test(), s->world, &s->library),
                     ENT_OK);
    for (u32 i = 0; i < s->simulation.parts.count; i++) {
        const GpuPart* part = &s->simulation.part[i];
        if (part->system == ent_meshes_system()) s->meshes = part->state;
        if (part->system == ent_lighting_system()) s->lighting = part->state;
    }
    assert_non_null(s->meshes);
    assert_int_equal(ent_canvas_create(&s->canvas, gpu_for_test(), &desc), ENT_OK);
    s->view = framing_view(s->world, &s->simulation, (f32)SHOWN_WIDE / SHOWN_HIGH);
}

static void shown_close(Shown* s) {
    ent_canvas_destroy(s->canvas);
    simulation_destroy(&s->simulation);
    ent_world_destroy(s->world);
    ent_library_close(&s->library);
}

static void shown_expose(Shown* s) {
    Exposure    exposure = exposure_of(s->world, NULL);
    CanvasView  metered = s->view;
    CanvasLight light;
    exposure_apply(&exposure, NULL, &s->view);
    if (!exposure_is_measured(&exposure)) return;
    exposure_prepare(&exposure, &metered);
    assert_int_equal(ent_picture_meter(s->canvas, &s->simulation.parts, &metered, &light), ENT_OK);
    exposure_apply(&exposure, &light, &s->view);
}

/* Every second instance is where it was, but moves: the others stand. */
static void shown_touch(const Shown* s) {
    const MeshRows rows = ent_mesh_rows(s->world);
    for (u32 i = 0; i < rows.count; i += 2) {
        const u32 row = ent_transform_row(s->world, rows.entity[i]);
        if (row == MANAGER_NO_ROW) continue;
        const TransformRecord pose = ent_transform_local(s->world, row);
        ent_transform_set_local(s->world, row, &pose);
    }
    ent_transform_update(s->world);
}

/* Around the vertical axis through the camera. */
static void shown_turn(Shown* s, f32 angle) {
    const f32   c = cosf(angle), n = sinf(angle);
    const Mat34 turn = {{{c, 0, n, 0}, {0, 1, 0, 0}, {-n, 0, c, 0}}}, before = s->view.pose;
    mat34_multiply(&s->view.pose, &turn, &before);
    for (u32 i = 0; i < 3; i++) s->view.pose.m[i][3] = before.m[i][3];
}

/* Returns how many pixels differ. */
static u32 shown_differ(Shown* s) {
    u8* rgba[2];
    u32 differ = 0;
    for (u32 i = 0; i < 2; i++) {
        s->meshes->draws_hidden = i == 0; /* all casters */
        shadows_set(&s->lighting->shadows, &(ShadowsSettings){0});
        for (u32 k = 0; k < 2; k++) {
            shown_touch(s);
            assert_int_equal(ent_picture_draw(s->canvas, &s->simulation.parts, &s->view), ENT_OK);
        }
        rgba[i] = malloc(SHOWN_WIDE * SHOWN_HIGH * 4);
        assert_int_equal(ent_canvas_read(s->canvas, rgba[i]), ENT_OK);
    }
    for (u32 i = 0; i < SHOWN_WIDE * SHOWN_HIGH * 4; i += 4) {
        bool differs = false;
        for (u32 c = 0; c < 3; c++) differs |= abs(rgba[0][i + c] - rgba[1][i + c]) > 2;
        differ += differs;
    }
    free(rgba[0]);
    free(rgba[1]);
    return differ;
}

static u64 shown_compare(const char* folder, const char* level) {
    Shown s;
    u32   differ = 0, count = 0;
    u64   dropped = 0;
    shown_open(&s, folder, level);
    shown_expose(&s);
    for (u32 i = 0; i < turns(); i++, shown_turn(&s, 0.785f)) differ += shown_differ(&s);
    const EntShadowCounts* counts = ent_lighting_shadow_counts(s.lighting, &count);
    for (u32 i = 0; i < count; i++) dropped += counts[i].casters_small + counts[i].casters_unseen;
    print_message("%s: %llu casters dropped, %u of %u pixels differ\n", level,
                  (unsigned long long)dropped, differ, turns() * SHOWN_WIDE * SHOWN_HIGH);
    assert_true(differ * 10000 <= turns() * SHOWN_WIDE * SHOWN_HIGH);
    shown_close(&s);
    return dropped;
}

/* With TEST_FULL: all levels that cast, in all directions. */
static void levels_of_the_repository_are_the_same_without_dropped_casters(void** state) {
    static const char* const levels[] = {"levels/pool", "levels/town", "levels/church",
                                         "levels/glass"};
    u64                      dropped = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    if (SANITIZED) TEST_SKIP("the systems of levels take long under sanitizers");
    char* folder = strdup(test_folder("meshes_drops_levels"));
    TEST_DONE(".", "entc build assets -o '%s/out' -q", folder);
    for (u32 i = 0; i < (getenv("TEST_FULL") ? COUNT_OF(levels) : 1); i++)
        dropped += shown_compare(folder, levels[i]);
    assert_true(!getenv("TEST_FULL") || dropped > 0);
    free(folder);
    test_gpu_silent();
}

TEST_SUITE(meshes_drops) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casters_smaller_than_a_texel_are_dropped),
        cmocka_unit_test(casters_whose_shadow_is_not_seen_are_dropped),
        cmocka_unit_test(levels_of_the_repository_are_the_same_without_dropped_casters),
    };
    return gpu_suite_end(TEST_RUN("meshes_drops", tests));
}
