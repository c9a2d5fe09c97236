/* test_shade.h - squares, panes and lights that cast: what the suites of shadows and of their maps share. */
#ifndef TEST_SHADE_H
#define TEST_SHADE_H

#include "test_panels.h"

/* Panes, a square with a mask, of which the half with x > 0 is missing, and one whose morph target makes it a square of
 * half the size around x = 0.5. The left half of pane 0 has its colour, the right one no red. */
enum { PANES = 3, MASK = PANES, MORPH, CASTERS };

static const ShadowsSettings small = {
    .cascade_side = 512, .spot_side = 512, .face_side = 256, .reach_m = 20};

typedef struct Shade {
    Stage  stage;
    Entity pane[CASTERS], water;
    u32    casters; /* of the level */
} Shade;

static inline void shade_open_level(Shade* t, const char* level, u32 casters,
                                    const ShadowsSettings* settings) {
    stage_open_level(&t->stage, level);
    const MeshRows rows = ent_mesh_rows(t->stage.world);
    assert_int_equal(rows.count, PANELS + casters + 1);
    t->casters = casters;
    for (u32 i = 0; i < casters; i++) t->pane[i] = rows.entity[PANELS + i + (i >= PANES)];
    t->water = rows.entity[PANELS + PANES];
    entity_place(&t->stage, t->water, (Vec3){0, 0, 100}, (Quat){0, 0, 0, 1}, 1);
    shadows_set(&t->stage.meshes->lighting->shadows, settings);
}

static inline void shade_open(Shade* t, const ShadowsSettings* settings) {
    shade_open_level(t, "panes", PANES, settings);
}

static inline void light_cast(Shade* t, LightKind kind, Vec3 at, Quat turn, f32 intensity) {
    Stage*       s = &t->stage;
    u32          row;
    const Entity entity = entity_add(s, "light", &row);
    ent_light_rows(s->world).record[row] = (LightRecord){.kind = kind,
                                                         .color = {1, 0.9f, 0.8f},
                                                         .intensity = intensity,
                                                         .range_m = 14,
                                                         .inner_angle_rad = 0.4f,
                                                         .outer_angle_rad = 0.7f,
                                                         .casts_shadow = true};
    entity_place(s, entity, at, turn, 1);
}

/* Among the squares: a spot light that lights nearly half of all directions. */
static inline void wide_cast(Shade* t, Random* r) {
    const Vec3 at = {random_float(r, -2, 2), random_float(r, -1, 2), random_float(r, -3, -1)};
    light_cast(t, LIGHT_SPOT, at, turn_random(r, 2), 20);
    const LightRows rows = ent_light_rows(t->stage.world);
    rows.record[rows.count - 1].inner_angle_rad = 1.5f;
    rows.record[rows.count - 1].outer_angle_rad = 1.57f;
}

/* Squares and panes anywhere, and up to three lights of a kind before them. In every third scene one is among them. */
static inline void shade_random(Shade* t, u32 seed) {
    Stage* s = &t->stage;
    Random r = {seed * 977 + 5};
    scene_random(s, 0);
    for (u32 i = 0; i < PANELS - 1; i++) {
        const Vec3 at = {random_float(&r, -3, 3), random_float(&r, -2, 2), random_float(&r, -4, 0)};
        entity_place(s, s->panel[i], at, turn_random(&r, 0.7f), random_float(&r, 0.4f, 1));
    }
    entity_place(s, s->panel[0], (Vec3){0, 0, -4.5f}, (Quat){0, 0, 0, 1}, 6);
    for (u32 i = 0; i < t->casters; i++)
        entity_place(
            s, t->pane[i],
            (Vec3){random_float(&r, -2, 2), random_float(&r, -1, 3), random_float(&r, -3, 3)},
            turn_random(&r, 1), random_float(&r, 0.8f, 1.5f));
    for (u32 i = 0; i < 1 + seed % 3; i++) {
        const LightKind kind = (LightKind)((seed + i) % 3);
        const Vec3 at = {random_float(&r, -4, 4), random_float(&r, -1, 5), random_float(&r, 2, 5)};
        light_cast(t, kind, at, turn_to_origin(at), kind == LIGHT_DIRECTIONAL ? 1.5f : 40);
    }
    if (seed % 3 == 0) wide_cast(t, &r);
    if (seed % 4 == 1) {
        s->view.camera.kind = CAMERA_ORTHOGRAPHIC;
        s->view.camera.far_m = 40;
    }
    s->view.exposure = 0;
    s->view.dimmed = 1;
    ent_transform_update(s->world);
}

static inline u16* colors_of(const Stage* s) {
    u16* colors = malloc(s->canvas->color.bytes);
    assert_int_equal(
        gpu_download(gpu_for_test(), &s->canvas->color, 0, colors, s->canvas->color.bytes), ENT_OK);
    return colors;
}

#endif
