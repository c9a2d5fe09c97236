/* test_sets.h - systems that draw the same world: what the suites of kept shadow maps share. */
#ifndef TEST_SETS_H
#define TEST_SETS_H

#include "test_shade.h"

#include "gpu_picture.h"
#include "lighting.h"
#include "shapes.h"

enum { BLENDED = 6 }; /* number of the square that is blended */
enum { STILL = 4 };   /* frames after which something stands */

static const ShadowsSettings kept_settings = {
    .cascade_side = 256, .spot_side = 256, .face_side = 128, .reach_m = 20, .still = STILL};

typedef struct Set {
    GpuPart part[3]; /* lighting, meshes, shapes */
    Canvas* canvas;
} Set;

static inline void shapes_add_to(Stage* s, Set* set, void* lighting) {
    const GpuScene scene = {.world = s->world, .library = &s->library, .lighting = lighting};
    GpuProblem     problem = {0};
    set->part[2].system = ent_shapes_system();
    assert_int_equal(
        set->part[2].system->create(&set->part[2].state, gpu_for_test(), &scene, &problem), ENT_OK);
}

static inline void set_create(Stage* s, Set* set) {
    const CanvasDesc desc = {.width = WIDTH, .height = HEIGHT, .samples = 1};
    GpuProblem       problem = {0};
    GpuScene         scene = {.world = s->world, .library = &s->library};
    *set = (Set){.part = {{ent_lighting_system(), NULL}, {ent_meshes_system(), NULL}}};
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(
            set->part[i].system->create(&set->part[i].state, gpu_for_test(), &scene, &problem),
            ENT_OK);
        scene.lighting = set->part[0].state;
    }
    shapes_add_to(s, set, scene.lighting);
    shadows_set(&((Lighting*)scene.lighting)->shadows, &kept_settings);
    assert_int_equal(ent_canvas_create(&set->canvas, gpu_for_test(), &desc), ENT_OK);
}

static inline void set_destroy(Set* set) {
    ent_canvas_destroy(set->canvas);
    for (u32 i = 3; i-- > 0;) set->part[i].system->destroy(set->part[i].state);
}

/* `ball`: where a ball is placed; NULL: none is added. */
static inline u16* set_drawn(const Set* set, const Stage* s, const Vec3* ball) {
    const EntShapesSpheres balls = {.count = 1,
                                    .position = ball,
                                    .radius_m = 0.5f,
                                    .look = {.color = {0.7f, 0.7f, 0.7f}, .roughness = 1}};
    const GpuParts         parts = {set->part, 3};
    u16*                   colors = malloc(set->canvas->color.bytes);
    if (ball) {
        ent_shapes_clear(set->part[2].state);
        assert_int_equal(ent_shapes_spheres(set->part[2].state, &balls), ENT_OK);
    }
    assert_int_equal(ent_picture_draw(set->canvas, &parts, &s->view), ENT_OK);
    assert_int_equal(
        gpu_download(gpu_for_test(), &set->canvas->color, 0, colors, set->canvas->color.bytes),
        ENT_OK);
    return colors;
}

static inline Vec3 place_random(Random* r) {
    return (Vec3){random_float(r, -2, 2), random_float(r, -1, 3), random_float(r, -3, 3)};
}

#endif
