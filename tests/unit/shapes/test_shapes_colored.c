/* test_shapes_colored.c - balls among meshes: behind a blended pane they receive its colour as a shadow, and a mesh hides
 * them and is hidden by them. */
#include "test_shade.h"

#include "gpu_picture.h"
#include "shapes_internal.h"

/* Turned so that -z, along which a light shines, points down. */
static const Quat downwards = {-0.70710678f, 0, 0, 0.70710678f};

typedef struct Mixed {
    Shade   shade;
    GpuPart part[3]; /* lighting, meshes, shapes */
} Mixed;

static void mixed_open(Mixed* m, const EntShapesSpheres* balls) {
    GpuProblem problem = {0};
    shade_open(&m->shade, &small);
    Stage* const   s = &m->shade.stage;
    const GpuScene scene = {.world = s->world, .lighting = s->meshes->lighting};
    scene_random(s, 0);
    for (u32 i = 0; i < PANELS; i++)
        entity_place(s, s->panel[i], (Vec3){0, 0, 100}, (Quat){0, 0, 0, 1}, 1);
    for (u32 i = 0; i < m->shade.casters; i++)
        entity_place(s, m->shade.pane[i], (Vec3){0, 0, 100}, (Quat){0, 0, 0, 1}, 1);
    s->view.exposure = 0;
    s->view.dimmed = 1;
    m->part[0] = (GpuPart){ent_lighting_system(), s->meshes->lighting};
    m->part[1] = (GpuPart){ent_meshes_system(), s->meshes};
    m->part[2].system = ent_shapes_system();
    assert_int_equal(m->part[2].system->create(&m->part[2].state, gpu_for_test(), &scene, &problem),
                     ENT_OK);
    assert_int_equal(ent_shapes_spheres(m->part[2].state, balls), ENT_OK);
}

static void mixed_close(Mixed* m) {
    m->part[2].system->destroy(m->part[2].state);
    stage_close(&m->shade.stage);
}

static u32* mixed_ids(const Mixed* m) {
    const Stage* s = &m->shade.stage;
    return test_image_read(s->canvas->gpu, &s->canvas->raster.id, VK_IMAGE_ASPECT_COLOR_BIT, WIDTH,
                           HEIGHT, 8);
}

/* Linear colours of all samples, as halves. */
static u16* mixed_drawn(Mixed* m) {
    const GpuParts parts = {m->part, 3};
    Stage* const   s = &m->shade.stage;
    ent_transform_update(s->world);
    assert_int_equal(ent_picture_draw(s->canvas, &parts, &s->view), ENT_OK);
    return colors_of(s);
}

static void ball_behind_a_pane_has_its_colour_in_the_shadow(void** state) {
    static const f64 passed[3] = {1 - 0.5 * 0.9, 1 - 0.5 * 0.1, 1 - 0.5 * 0.7}; /* of pane 1 */
    const Vec3       at = {0, 0, 0};
    const EntShapesSpheres balls = {.count = 1,
                                    .position = &at,
                                    .radius_m = 0.8f,
                                    .look = {.color = {0.8f, 0.8f, 0.8f}, .roughness = 1}};
    Mixed                  m;
    u32                    compared = 0;
    UNUSED(state);
    mixed_open(&m, &balls);
    light_cast(&m.shade, LIGHT_DIRECTIONAL, (Vec3){0, 0, 0}, downwards, 1);
    u16* plain = mixed_drawn(&m);
    entity_place(&m.shade.stage, m.shade.pane[1], (Vec3){0, 2.5f, 0}, downwards, 1.5f);
    u16*      colored = mixed_drawn(&m);
    u32*      ids = mixed_ids(&m);
    const u32 ball = m.shade.stage.meshes->slots.capacity + 1;
    for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
        if (ids[i * 2] != ball || half_of(plain[i * 4]) < 0.05) continue; /* the sun reaches it */
        for (u32 c = 0; c < 3; c++) {
            const f64 share = half_of(colored[i * 4 + c]) / half_of(plain[i * 4 + c]);
            if (fabs(share - passed[c]) > 0.01)
                fail_msg("sample %u %u: %.3f of channel %u, not %.3f", i % WIDTH, i / WIDTH, share,
                         c, passed[c]);
        }
        compared++;
    }
    if (compared < 100) fail_msg("%u samples", compared);
    free(plain), free(colored), free(ids);
    mixed_close(&m);
}

/* A panel between two balls: the one before it is seen, with its shadow on the panel, the other one is not. */
static void ball_and_mesh_hide_each_other_and_cast_on_each_other(void** state) {
    const Vec3             at[2] = {{0, 0, 1}, {0.1f, 0, -2}};
    const EntShapesSpheres balls = {.count = 2,
                                    .position = at,
                                    .radius_m = 0.4f,
                                    .look = {.color = {0.8f, 0.1f, 0.1f}, .roughness = 1}};
    Mixed                  m;
    UNUSED(state);
    mixed_open(&m, &balls);
    Stage* const s = &m.shade.stage;
    entity_place(s, s->panel[0], (Vec3){0, 0, 0}, (Quat){0, 0, 0, 1}, 2);
    light_cast(&m.shade, LIGHT_DIRECTIONAL, (Vec3){0, 0, 0}, (Quat){0, 0.2588190f, 0, 0.9659258f},
               1);
    u16*      mixed = mixed_drawn(&m);
    u32*      ids = mixed_ids(&m);
    const u32 first = s->meshes->slots.capacity;
    u32       near = 0, far = 0, dark = 0, lit_samples = 0;
    for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
        const u32 id = ids[i * 2];
        near += id == first + 1;
        far += id == first + 2;
        if (id == 0 || id > first) continue;
        dark += half_of(mixed[i * 4]) < 0.01;
        lit_samples += half_of(mixed[i * 4]) > 0.1;
    }
    assert_true(near > 50);
    assert_int_equal(far, 0);
    assert_in_range(dark, near / 2, near * 2); /* its shadow is about as large as the ball */
    assert_true(lit_samples > dark * 4);
    free(mixed), free(ids);
    mixed_close(&m);
}

/* The factors of the material of a panel; the colour of the component without one, and after a warning in place of a missing
 * one. */
static void look_has_factors_of_its_material(void** state) {
    const Vec3             at = {0, 0, 0}, plain = {0.1f, 0.2f, 0.3f};
    const EntShapesSpheres balls = {.count = 1, .position = &at, .radius_m = 0.1f};
    Mixed                  m;
    u32                    found = 0;
    UNUSED(state);
    mixed_open(&m, &balls);
    const Shapes*  shapes = m.part[2].state;
    const Library* library = &m.shade.stage.library;
    for (u32 i = 0; i < library->count; i++) {
        const LibraryEntry* entry = ent_library_entry(library, i);
        if (entry->resource.blob.header->resource_type != RESOURCE_MATERIAL) continue;
        const EntShapesLook look = shapes_look(shapes, library, entry->id, plain);
        if (look.roughness != 0.35f) continue; /* of panel 1 only */
        found++;
        assert_true(look.color.x == 0.9f && look.color.y == 0.2f && look.color.z == 0.1f);
        assert_true(look.metallic == 0 && look.emissive.x == 0);
    }
    assert_int_equal(found, 1);
    const EntShapesLook none = shapes_look(shapes, library, (ResourceRef){0, 0}, plain);
    assert_true(none.color.z == plain.z && none.roughness == 0.4f);
    const EntShapesLook missing = shapes_look(shapes, library, (ResourceRef){7, 8}, plain);
    assert_true(missing.color.z == plain.z && missing.roughness == 0.4f);
    assert_non_null(strstr(test_gpu_message(), "is not loaded: the colour of the component"));
    mixed_close(&m);
}

TEST_SUITE(shapes_colored) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(look_has_factors_of_its_material),
        cmocka_unit_test(ball_behind_a_pane_has_its_colour_in_the_shadow),
        cmocka_unit_test(ball_and_mesh_hide_each_other_and_cast_on_each_other),
    };
    return gpu_suite_end(TEST_RUN("shapes_colored", tests));
}
