/* test_meshes_drops.c - casters that are dropped, because they are smaller than a texel, or because their shadow meets
 * nothing that is seen: pictures are those of all casters. */
#include "test_sets.h"

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

/* Half of the squares are smaller than a texel; of the samples, one in 10,000 may differ by more than 2 / 255. */
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
    assert_true(count[1] > 0 && count[1] * 10 < count[0] * 9);
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

TEST_SUITE(meshes_drops) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casters_smaller_than_a_texel_are_dropped),
        cmocka_unit_test(casters_whose_shadow_is_not_seen_are_dropped),
    };
    return gpu_suite_end(TEST_RUN("meshes_drops", tests));
}
