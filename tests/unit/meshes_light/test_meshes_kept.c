/* test_meshes_kept.c - shadow maps that keep what stands and show what moves over it: pictures equal those of systems
 * that are created for them, and only maps are drawn in which something has changed. */
#include "test_characters.h"
#include "test_sets.h"

enum { FRAMES = SANITIZED ? 6 : 60, SPAWNED = 6 };

/* --- what happens --- */

typedef struct Run {
    Shade  shade;
    Random random;
    Vec3   ball;
    Entity spawned[SPAWNED];
    u32    spawned_count, morph, swapped;
} Run;

static void mesh_spawn(Run* run) {
    Stage* const s = &run->shade.stage;
    u32          row;
    const Entity entity = entity_add(s, "mesh", &row);
    MeshRecord*  record = ent_mesh_rows(s->world).record;
    record[row] = record[random_below(&run->random, PANELS + PANES)];
    entity_place(s, entity, place_random(&run->random), turn_random(&run->random, 2), 0.5f);
    run->spawned[run->spawned_count++] = entity;
}

/* A material of the library. */
static ResourceRef material_random(Run* run) {
    const Library* const library = &run->shade.stage.library;
    u32                  at = random_below(&run->random, library->count);
    while (ent_library_entry(library, at)->resource.blob.header->resource_type != RESOURCE_MATERIAL)
        at = (at + 1) % library->count;
    return ent_library_entry(library, at)->id;
}

/* An entity gets another material in place of the one of its mesh, or loses it again. */
static void material_change(Run* run) {
    Stage* const   s = &run->shade.stage;
    const MeshRows meshes = ent_mesh_rows(s->world);
    Manager* const manager = ent_world_built_in(s->world, COMPONENT_MESH_MATERIAL);
    const u32      mesh = random_below(&run->random, meshes.count);
    const Entity   entity = meshes.entity[mesh];
    const Blob*    blob = ent_library_find(&s->library, meshes.record[mesh].resource);
    u32            count, row = ent_manager_row(manager, ent_world_entities(s->world), entity);
    const MeshPartRecord* part = gpu_blob_rows(blob, SECTION_MESH_PART, &count);
    if (row != MANAGER_NO_ROW && random_below(&run->random, 3) == 0) {
        ent_manager_remove(s->world, manager, row);
        return;
    }
    if (row == MANAGER_NO_ROW)
        assert_int_equal(ent_manager_create(s->world,
                                            ent_world_manager_by_name(s->world, "mesh_material"),
                                            entity, &row),
                         ENT_OK);
    ent_mesh_material_rows(s->world).record[row] =
        (MeshMaterialRecord){0, part->material, material_random(run)};
    ent_manager_changed(manager, &row, 1);
    run->swapped++;
}

/* In the first half of 12 frames something happens, in the second one nothing, so that all stands again. */
static void world_change(Run* run, u32 frame) {
    Stage* const    s = &run->shade.stage;
    Random* const   r = &run->random;
    const LightRows lights = ent_light_rows(s->world);
    const u32       lit = random_below(r, lights.count);
    if (frame % 12 >= 6) return;
    for (u32 i = 0; i < frame % 3; i++)
        entity_place(s, run->shade.pane[random_below(r, run->shade.casters)], place_random(r),
                     turn_random(r, 1), random_float(r, 0.8f, 1.5f));
    if (frame % 3 == 1)
        entity_place(s, s->panel[1 + random_below(r, PANELS - 2)], place_random(r),
                     turn_random(r, 0.7f), 1);
    if (frame % 4 == 1) run->ball = place_random(r);
    if (frame % 6 == 2)
        ent_morph_weight_rows(s->world).record[run->morph].weight = random_float(r, 0, 1);
    if (frame % 7 == 3) {
        lights.record[lit].intensity = lights.record[lit].intensity > 0 ? 0 : 20;
        ent_manager_changed(ent_world_built_in(s->world, COMPONENT_LIGHT), &lit, 1);
    }
    if (frame % 8 == 4) {
        const u32 shown = random_below(r, PANELS);
        ent_mesh_rows(s->world).record[shown].visible ^= 1;
        ent_manager_changed(ent_world_built_in(s->world, COMPONENT_MESH), &shown, 1);
    }
    if (frame % 7 == 5) {
        const Vec3 at = {random_float(r, -4, 4), random_float(r, -1, 5), random_float(r, 2, 5)};
        entity_place(s, lights.entity[lit], at, turn_to_origin(at), 1);
    }
    if (frame % 9 == 2) material_change(run);
    if (frame % 5 == 0) s->view.pose.m[0][3] += 0.05f;
    if (frame % 4 == 0 && run->spawned_count < SPAWNED) mesh_spawn(run);
    if (frame % 11 == 4 && run->spawned_count) {
        ent_entity_destroy(s->world, &run->spawned[--run->spawned_count], 1);
        ent_world_gc(s->world);
    }
}

static void run_open(Run* run, u32 seed) {
    *run = (Run){.random = {seed}, .ball = {0.5f, 1, 1}};
    shade_open_level(&run->shade, "casters", CASTERS, &kept_settings);
    shade_random(&run->shade, 2); /* three lights: ten maps */
    Stage* const s = &run->shade.stage;
    assert_int_equal(ent_manager_create(s->world,
                                        ent_world_manager_by_name(s->world, "morph_weight"),
                                        run->shade.pane[MORPH], &run->morph),
                     ENT_OK);
}

static void pictures_equal_those_of_systems_created_for_them(void** state) {
    Run run;
    Set kept, anew, fresh;
    u32 stands = 0, moves = 0, none = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    run_open(&run, 7);
    Stage* const s = &run.shade.stage;
    set_create(s, &kept);
    set_create(s, &anew);
    const Shadows* shadows = &((Lighting*)kept.part[0].state)->shadows;
    for (u32 frame = 0; frame < FRAMES; frame++) {
        world_change(&run, frame);
        ent_transform_update(s->world);
        u16* found = set_drawn(&kept, s, &run.ball);
        stands += shadows->standing_count > 0;
        moves += shadows_maps(shadows, SHADOWS_MOVING) > shadows->standing_count;
        none += shadows->table.head.now_count == 0;
        for (u32 k = 0; k < 2; k++) { /* all maps anew, and now and then all systems */
            if (k == 0) shadows_set(&((Lighting*)anew.part[0].state)->shadows, &kept_settings);
            if (k == 1 && frame % 12 != 7) continue;
            if (k == 1) set_create(s, &fresh);
            u16* expected = set_drawn(k == 0 ? &anew : &fresh, s, &run.ball);
            for (u32 i = 0; i < WIDTH * HEIGHT * 4; i++)
                if (found[i] != expected[i])
                    fail_msg("frame %u, %s: sample %u %u has %g, not %g", frame,
                             k ? "created" : "drawn anew", i / 4 % WIDTH, i / 4 / WIDTH,
                             half_of(found[i]), half_of(expected[i]));
            free(expected);
            if (k == 1) set_destroy(&fresh);
        }
        free(found);
    }
    print_message("%u frames: %u drew what stands, %u only what moves, %u nothing\n", FRAMES,
                  stands, moves, none);
    assert_true(run.swapped > 0);
    assert_true(stands > FRAMES / 8 && moves > FRAMES / 8 && (SANITIZED || none > FRAMES / 8));
    set_destroy(&kept);
    set_destroy(&anew);
    stage_close(s);
    test_gpu_silent();
}

/* --- which maps are drawn --- */

typedef struct Counts {
    u32 standing, all;
} Counts;

static Counts drawn_at(const Set* set, Stage* s, f32 x) {
    const Shadows* shadows = &((Lighting*)set->part[0].state)->shadows;
    if (ent_transform_world(s->world, s->panel[0])->m[0][3] != x)
        entity_place(s, s->panel[0], (Vec3){x, 0, 0}, (Quat){0, 0, 0, 1}, 1);
    ent_transform_update(s->world);
    free(set_drawn(set, s, NULL));
    return (Counts){shadows->standing_count, shadows->table.head.now_count};
}

/* Under two lights that are far from each other. */
static void caster_leaves_kept_maps_when_it_moves_and_returns_to_them(void** state) {
    static const f32 places[] = {1.1f, 1.2f, 1.3f};
    Shade            t;
    Set              set;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    shade_open(&t, &kept_settings);
    Stage* const s = &t.stage;
    scene_random(s, 0);
    for (u32 i = 0; i < 2; i++)
        light_cast(&t, LIGHT_SPOT, (Vec3){100 * (f32)i, 0, 5}, (Quat){0, 0, 0, 1}, 10);
    set_create(s, &set);
    for (u32 i = 0; i < STILL + 2; i++) drawn_at(&set, s, 0.5f);
    for (u32 i = 0; i < (SANITIZED ? 1 : 3); i++) {
        assert_int_equal(drawn_at(&set, s, 1).standing, 1);
        for (u32 k = 0; k < COUNT_OF(places); k++) {
            const Counts moving = drawn_at(&set, s, places[k]);
            assert_int_equal(moving.standing, 0);
            assert_int_equal(moving.all, 1);
        }
        for (u32 k = 1; k < STILL; k++) assert_int_equal(drawn_at(&set, s, 1.3f).all, 0);
        const Counts back = drawn_at(&set, s, 1.3f);
        assert_int_equal(back.standing, 1);
        assert_int_equal(back.all, 1);
        for (u32 k = 0; k < 3; k++) assert_int_equal(drawn_at(&set, s, 1.3f).all, 0);
    }
    for (u32 i = 0; i < 2; i++) { /* the first one gets all instances other places */
        u32          row;
        const Entity entity = entity_add(s, "mesh", &row);
        ent_mesh_rows(s->world).record[row] = ent_mesh_rows(s->world).record[0];
        entity_place(s, entity, (Vec3){0.5f, 0.5f, 0}, (Quat){0, 0, 0, 1}, 1);
        const Counts added = drawn_at(&set, s, 1.3f);
        assert_int_equal(added.standing, i == 0 ? 2 : 0);
        assert_int_equal(added.all, i == 0 ? 2 : 1);
    }
    set_destroy(&set);
    stage_close(s);
    test_gpu_silent();
}

/* --- far cascades that are drawn less often --- */

enum { INTERVAL = 3 };

static const ShadowsSettings often_settings = {.cascade_side = 256, .reach_m = 30, .still = STILL},
                             rare_settings = {.cascade_side = 256,
                                              .reach_m = 30,
                                              .still = STILL,
                                              .interval = INTERVAL};

/* Is the point of a sample in one of the first two cascades, or is there none? */
static bool is_near(const Shadows* shadows, const Stage* s, u32 i) {
    const Hit hit = hit_at(s, i % WIDTH + 0.5, i / WIDTH + 0.5, PANELS);
    for (u32 k = 0; k < 2; k++) {
        const ShadowMap* m = &shadows->table.map[k];
        const f64 x = (f64)m->x.x * hit.at.x + (f64)m->x.y * hit.at.y + (f64)m->x.z * hit.at.z;
        const f64 y = (f64)m->y.x * hit.at.x + (f64)m->y.y * hit.at.y + (f64)m->y.z * hit.at.z;
        if (fmax(fabs(x + (f64)m->x.w), fabs(y + (f64)m->y.w)) < 0.95) return true;
    }
    return false;
}

/* A square above the picture moves between the sun and a floor, which is seen in the far cascade. */
static void far_cascade_shows_one_of_the_last_frames(void** state) {
    Shade      t;
    Set        often, rare;
    u16*       last[INTERVAL] = {NULL};
    u32        differ = 0, updated = 0;
    Random     r = {5};
    const Quat up = {-0.70710678f, 0, 0, 0.70710678f};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    shade_open(&t, &often_settings);
    Stage* const s = &t.stage;
    scene_random(s, 0);
    s->view.pose = (Mat34){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 14}}};
    for (u32 i = 1; i < PANELS; i++)
        entity_place(s, s->panel[i], (Vec3){(f32)i * 2 - 5, -1.5f, 0}, up, 3);
    light_cast(&t, LIGHT_DIRECTIONAL, (Vec3){0, 20, 0}, up, 4);
    set_create(s, &often);
    set_create(s, &rare);
    shadows_set(&((Lighting*)often.part[0].state)->shadows, &often_settings);
    shadows_set(&((Lighting*)rare.part[0].state)->shadows, &rare_settings);
    const Shadows* shadows = &((Lighting*)often.part[0].state)->shadows;
    for (u32 frame = 0; frame < (SANITIZED ? 6 : 30); frame++) {
        entity_place(s, s->panel[0], (Vec3){random_float(&r, -3, 3), 10, random_float(&r, -1, 1)},
                     up, 1);
        ent_transform_update(s->world);
        s->eye = canvas_eye(&s->view, WIDTH, HEIGHT, 1);
        free(last[frame % INTERVAL]);
        last[frame % INTERVAL] = set_drawn(&often, s, NULL);
        u16* found = set_drawn(&rare, s, NULL);
        u32  differs = 0;
        for (u32 i = 0; i < WIDTH * HEIGHT && frame >= INTERVAL; i++) {
            u32 k = frame % INTERVAL;
            if (memcmp(found + i * 4, last[k] + i * 4, 8) == 0) continue;
            differs++;
            for (k = 0; k < INTERVAL && memcmp(found + i * 4, last[k] + i * 4, 8) != 0;) k++;
            if (k == INTERVAL || is_near(shadows, s, i))
                fail_msg("frame %u, sample %u %u", frame, i % WIDTH, i / WIDTH);
        }
        differ += differs > 0;
        updated += frame >= INTERVAL && differs == 0;
        free(found);
    }
    print_message("%u pictures differ, %u do not\n", differ, updated);
    assert_true(differ > 0 && updated > 0);
    for (u32 i = 0; i < INTERVAL; i++) free(last[i]);
    set_destroy(&often);
    set_destroy(&rare);
    stage_close(s);
    test_gpu_silent();
}

/* --- around what moves --- */

static void* read_back(const GpuBuffer* buffer) {
    void* bytes = malloc(buffer->bytes);
    assert_int_equal(gpu_download(gpu_for_test(), buffer, 0, bytes, buffer->bytes), ENT_OK);
    return bytes;
}

/* Compares spheres with boxes and matrices of the device. Returns how many spheres are known. */
static u32 spheres_compare(const Meshes* m) {
    SkinBounds* const boxes = read_back(&m->skin.skinning.buffer.boxes);
    Mat34* const      world = read_back(&m->lighting->places.transforms.column[COLUMN_WORLD]);
    u32               known = 0;
    for (u32 i = 0; i < m->moves.count; i++) {
        const u32           slot = m->moves.list[i];
        const MeshInstance* at = &m->slots.slot[slot];
        const MeshRow*      mesh = &m->geometry.mesh[at->mesh];
        const Vec4          sphere = m->moves.sphere[slot];
        const u32           row = ent_transform_row(m->world, at->entity);
        Bounds              box = {mesh->low, mesh->high};
        if (!isfinite(sphere.w)) continue;
        known++;
        if (MESHES_IS_MOVED(at->shown)) {
            const SkinBounds* moved = &boxes[MESHES_RANGE_OF(at->shown)];
            box = (Bounds){moved->low, moved->high};
        }
        for (u32 k = 0; k < 8; k++) {
            const Vec3 corner = mat34_point(row == MANAGER_NO_ROW ? &mat34_identity : &world[row],
                                            bounds_corner(&box, k));
            const f32 far = vec3_length(vec3_sub(corner, (Vec3){sphere.x, sphere.y, sphere.z}));
            if (far > sphere.w || far < sphere.w * 0.1f)
                fail_msg("place %u: a corner at %g of a sphere of %g", slot, far, sphere.w);
        }
    }
    free(boxes);
    free(world);
    return known;
}

/* At least 128 of the instances that are posed are known. */
static void spheres_of_characters_contain_them(void** state) {
    static const char* const levels[] = {"crowd", "torch"};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    for (u32 i = SANITIZED ? 1 : 0; i < COUNT_OF(levels); i++) {
        Characters c;
        Set        set;
        u32        known = 0;
        characters_open(&c, levels[i]);
        Stage        s = {.world = c.world,
                          .library = c.library,
                          .view = {.camera = {.vertical_fov_rad = 0.9f, .near_m = 0.1f},
                                   .pose = {{{1, 0, 0, 0}, {0, 1, 0, 2}, {0, 0, 1, 6}}}}};
        u32          row;
        const Entity sun = entity_add(&s, "light", &row);
        ent_light_rows(s.world).record[row] =
            (LightRecord){.kind = LIGHT_DIRECTIONAL, .intensity = 1, .casts_shadow = true};
        entity_place(&s, sun, (Vec3){0, 9, 0}, (Quat){-0.7f, 0, 0, 0.7f}, 1);
        ent_transform_update(s.world);
        set_create(&s, &set);
        for (u32 k = 0; k < (SANITIZED ? 1 : 4); k++) {
            assert_int_equal(ent_skins_advance(c.skins, 0.13f), ENT_OK);
            free(set_drawn(&set, &s, NULL));
            known = spheres_compare(set.part[1].state);
        }
        assert_in_range(known, i == 0 ? 128 : 2, i == 0 ? 199 : 2);
        set_destroy(&set);
        characters_close(&c);
    }
    test_gpu_silent();
}

TEST_SUITE(meshes_kept) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_equal_those_of_systems_created_for_them),
        cmocka_unit_test(caster_leaves_kept_maps_when_it_moves_and_returns_to_them),
        cmocka_unit_test(far_cascade_shows_one_of_the_last_frames),
        cmocka_unit_test(spheres_of_characters_contain_them),
    };
    return gpu_suite_end(TEST_RUN("meshes_kept", tests));
}
