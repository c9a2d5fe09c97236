/* test_meshes_town.c - a town with a walker, a fluid, lights that switch and move, objects that come and go, and a camera
 * that turns: with shadow maps that are kept, pictures equal those with all maps drawn anew. */
#include "test_characters.h"
#include "test_sets.h"

#include "sph.h"
#include "test_colliders.h"

enum { FRAMES = SANITIZED ? 4 : 60, FRAMES_FULL = 200, DROPS = 125, ADDED = 6 };

typedef struct Town {
    Characters    characters;
    Stage         stage;
    Random        random;
    Sph*          sph;
    GpuColliders* ground;
    Entity        added[ADDED];
    u32           added_count;
} Town;

static void town_fluid_create(Town* t) {
    const FluidRecord fluid = {.draw = FLUID_BALLS,
                               .smoothing_radius_m = 0.3f,
                               .rest_density_kg_m3 = 1000,
                               .stiffness = 50,
                               .viscosity = 3,
                               .particle_mass_kg = 1000 * 0.15f * 0.15f * 0.15f,
                               .gravity_m_s2 = {0, -9.81f, 0},
                               .step_s = 0.0006f,
                               .substeps = 8,
                               .model = 0};
    static const Vec4 ground = {0, 1, 0, 0};
    static const f32  restitution = 0.3f;
    Vec3              position[DROPS];
    for (u32 i = 0; i < DROPS; i++)
        position[i] = (Vec3){1 + 0.15f * (f32)(i % 5), 0.8f + 0.15f * (f32)(i / 5 % 5),
                             1 + 0.15f * (f32)(i / 25)};
    t->ground = colliders_of_planes(gpu_for_test(), &ground, &restitution, 1);
    const SphDesc desc = {
        .fluid = &fluid, .count = DROPS, .position = position, .colliders = t->ground};
    assert_int_equal(ent_sph_create(&t->sph, gpu_for_test(), &desc), ENT_OK);
}

static void town_open(Town* t) {
    static const LightKind kinds[] = {LIGHT_DIRECTIONAL, LIGHT_SPOT, LIGHT_POINT};
    u32                    row;
    *t = (Town){.random = {5}};
    characters_open(&t->characters, "torch");
    t->stage =
        (Stage){.world = t->characters.world,
                .library = t->characters.library,
                .view = {.camera = {.vertical_fov_rad = 0.9f, .near_m = 0.1f}, .exposure = 0.1f}};
    Stage* const s = &t->stage;
    for (u32 i = 0; i < COUNT_OF(kinds); i++) {
        const Entity light = entity_add(s, "light", &row);
        const Vec3   at = {2 * (f32)i - 1, 5, 3};
        ent_light_rows(s->world).record[row] = (LightRecord){.kind = kinds[i],
                                                             .color = {1, 0.9f, 0.8f},
                                                             .intensity = i == 0 ? 2 : 60,
                                                             .range_m = 14,
                                                             .inner_angle_rad = 0.5f,
                                                             .outer_angle_rad = 0.8f,
                                                             .casts_shadow = true};
        entity_place(s, light, at, turn_to_origin(at), 1);
    }
    const Entity    ground = entity_add(s, "mesh", &row); /* a flat ball */
    TransformRecord flat = {{0, -0.2f, 0}, {0, 0, 0, 1}, {12, 0.1f, 12}};
    ent_mesh_rows(s->world).record[row].resource = ent_resource_ref("ball/mesh_0", RESOURCE_MESH);
    ent_transform_set_local(s->world, ent_transform_row(s->world, ground), &flat);
    town_fluid_create(t);
}

static void town_close(Town* t) {
    ent_sph_destroy(t->sph);
    ent_gpu_colliders_destroy(t->ground);
    characters_close(&t->characters);
    test_gpu_silent();
}

/* Only the camera moves. */
static bool is_paused(u32 frame) { return frame % 40 >= 30; }

static void town_change(Town* t, u32 frame) {
    Stage* const    s = &t->stage;
    Random* const   r = &t->random;
    const LightRows lights = ent_light_rows(s->world);
    const f32       angle = (f32)frame * 0.0174533f, c = cosf(angle), n = sinf(angle);
    const u32       lit = random_below(r, lights.count);
    s->view.pose = (Mat34){{{c, 0, n, n * 7}, {0, 1, 0, 1.5f}, {-n, 0, c, c * 7}}};
    if (is_paused(frame)) return;
    assert_int_equal(ent_skins_advance(t->characters.skins, 1.0f / 60), ENT_OK);
    assert_int_equal(ent_sph_run(t->sph, 8), ENT_OK);
    if (frame % 9 == 4) {
        lights.record[lit].intensity = lights.record[lit].intensity > 0 ? 0 : lit ? 60 : 2;
        ent_manager_changed(ent_world_built_in(s->world, COMPONENT_LIGHT), &lit, 1);
    }
    if (frame % 7 == 3) {
        const Vec3 at = {random_float(r, -4, 4), random_float(r, 3, 6), random_float(r, 2, 5)};
        entity_place(s, lights.entity[lit], at, turn_to_origin(at), 1);
    }
    if (frame % 5 == 1 && t->added_count < ADDED) {
        u32          row;
        const Entity ball = entity_add(s, "mesh", &row);
        ent_mesh_rows(s->world).record[row].resource =
            ent_resource_ref("ball/mesh_0", RESOURCE_MESH);
        entity_place(s, ball, place_random(r), turn_random(r, 1), 0.3f);
        t->added[t->added_count++] = ball;
    }
    if (frame % 11 == 10 && t->added_count) {
        ent_entity_destroy(s->world, &t->added[--t->added_count], 1);
        ent_world_gc(s->world);
    }
}

/* The same fluid is added to the pictures of each set, when it has moved. */
static u16* town_drawn(const Town* t, const Set* set, u32 frame) {
    const EntShapesLook look = {.color = {0.1f, 0.3f, 0.7f}, .roughness = 0.5f};
    if (!is_paused(frame)) {
        ent_shapes_clear(set->part[2].state);
        assert_int_equal(ent_sph_draw(t->sph, set->part[2].state, 0.07f, 5, &look), ENT_OK);
    }
    return set_drawn(set, &t->stage, NULL);
}

/* 200 frames with TEST_FULL. */
static void town_equals_maps_drawn_anew_in_each_frame(void** state) {
    const u32 frames = getenv("TEST_FULL") ? FRAMES_FULL : FRAMES;
    Town      t;
    Set       kept, anew;
    u64       copied = 0, redrawn = 0, reused = 0;
    u32       count, lit = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    town_open(&t);
    ent_transform_update(t.stage.world);
    set_create(&t.stage, &kept);
    set_create(&t.stage, &anew);
    for (u32 frame = 0; frame < frames; frame++) {
        town_change(&t, frame);
        ent_transform_update(t.stage.world);
        shadows_set(&((Lighting*)anew.part[0].state)->shadows, &kept_settings);
        u16* found = town_drawn(&t, &kept, frame);
        u16* expected = town_drawn(&t, &anew, frame);
        for (u32 i = 0; i < WIDTH * HEIGHT * 4; i++) {
            lit += half_of(found[i]) > 0.05;
            if (found[i] != expected[i])
                fail_msg("frame %u: sample %u %u has %g, not %g", frame, i / 4 % WIDTH,
                         i / 4 / WIDTH, half_of(found[i]), half_of(expected[i]));
        }
        free(found);
        free(expected);
    }
    const EntShadowCounts* counts = ent_lighting_shadow_counts(kept.part[0].state, &count);
    for (u32 i = 0; i < count; i++) {
        copied += counts[i].maps_copied;
        redrawn += counts[i].maps_redrawn;
        reused += counts[i].maps_kept;
    }
    print_message("%u frames: %llu maps kept, %llu copied, %llu redrawn\n", frames,
                  (unsigned long long)reused, (unsigned long long)copied,
                  (unsigned long long)redrawn);
    assert_true(lit > frames * WIDTH * HEIGHT / 4 && copied > 0 && redrawn > 0);
    assert_true(SANITIZED || (copied > frames && reused > 0));
    set_destroy(&kept);
    set_destroy(&anew);
    town_close(&t);
}

TEST_SUITE(meshes_town) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(town_equals_maps_drawn_anew_in_each_frame),
    };
    return gpu_suite_end(TEST_RUN("meshes_town", tests));
}
