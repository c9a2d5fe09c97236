/* test_water_scenes.h - particles that fill simple shapes, and what pictures of them show. */
#ifndef TEST_WATER_SCENES_H
#define TEST_WATER_SCENES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "test_gpu_support.h"
#include "water_stage.h"

#define PI 3.14159265358979

/* Along the z axis, from z; `pixels_m`: pixels of a metre. */
static inline CanvasView flat_view(u32 high, f32 pixels_m, Vec3 at) {
    return (CanvasView){.camera = {.kind = CAMERA_ORTHOGRAPHIC,
                                   .height_m = (f32)high / pixels_m,
                                   .near_m = 0.1f,
                                   .far_m = 1000},
                        .pose = {{{1, 0, 0, at.x}, {0, 1, 0, at.y}, {0, 0, 1, at.z}}},
                        .light = {0, 0, 1},
                        .light_color = {1, 1, 1},
                        .reach_m = 1000,
                        .grid_m = 1e4f};
}

static inline u8* drawn(WaterStage* s, const CanvasView* view, u32 pixels) {
    u8* rgba = malloc((size_t)pixels * 4);
    assert_int_equal(ent_picture_draw(s->shapes.canvas, &s->parts, view), ENT_OK);
    assert_int_equal(ent_canvas_read(s->shapes.canvas, rgba), ENT_OK);
    test_gpu_silent();
    return rgba;
}

static inline f64 linear_of(u8 c) {
    const f64 v = c / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* The direction that a pixel of ENT_CANVAS_SHOWS_NORMALS states. */
static inline Vec3 normal_of(const u8* pixel) {
    f64 n[3];
    for (u32 k = 0; k < 3; k++) n[k] = pow(linear_of(pixel[k]), 1 / 2.2) * 2 - 1;
    return vec3_unit((Vec3){(f32)n[0], (f32)n[1], (f32)n[2]});
}

static inline void water_defaults(WaterStage* s, f32 spacing_m) {
    WaterDraw* const d = &s->water->draw;
    d->spacing_m = spacing_m;
    d->radius_m = spacing_m / 2;
    d->h_m = spacing_m * 2;
    d->smoothing = 0.5f;
    d->index = 1.333f;
    d->look = (EntShapesLook){.roughness = 0.05f};
}

/* Particles in shells, evenly: the outermost is a radius inside the ball. */
static inline u32 ball_fill(Vec3* at, f64 ball_m, f64 spacing_m, u32 shells) {
    u32 count = 0;
    for (u32 shell = 0; shell < shells; shell++) {
        const f64 radius = ball_m - spacing_m / 2 - shell * spacing_m * 0.866;
        const u32 points = (u32)(4 * PI * radius * radius / (spacing_m * spacing_m * 0.866) + 1);
        for (u32 i = 0; i < points; i++) {
            const f64 z = 1 - (2 * i + 1.0) / points, turn = i * 2.399963229728653 + shell;
            const f64 aside = sqrt(1 - z * z);
            at[count++] = (Vec3){(f32)(radius * aside * cos(turn)),
                                 (f32)(radius * aside * sin(turn)), (f32)(radius * z)};
        }
    }
    return count;
}

/* A slab of particles from z = -thick to 0, as wide as the picture. */
static inline u32 slab_fill(Vec3* at, f32 spacing_m, u32 wide, u32 layers) {
    u32 count = 0;
    for (u32 i = 0; i < wide * wide * layers; i++)
        at[count++] = (Vec3){((f32)(i % wide) - (f32)(wide - 1) / 2) * spacing_m,
                             ((f32)(i / wide % wide) - (f32)(wide - 1) / 2) * spacing_m,
                             -((f32)(i / wide / wide) + 0.5f) * spacing_m};
    return count;
}

static inline void slab_open(WaterStage* s, u32 side, u32 samples, f32 spacing_m, u32 wide,
                             u32 layers) {
    const CanvasDesc desc = {.width = side, .height = side, .samples = samples};
    Vec3* const      at = malloc((size_t)wide * wide * layers * sizeof *at);
    assert_int_equal(water_stage_open(s, gpu_for_test(), &desc), ENT_OK);
    water_defaults(s, spacing_m);
    assert_int_equal(water_system_fill(s->water, at, slab_fill(at, spacing_m, wide, layers)),
                     ENT_OK);
    free(at);
}

/* Discs that only emit light, parallel to the slab. */
static inline void discs_add(WaterStage* s, const Vec4* disc, u32 count, f32 z, Vec3 light) {
    const EntShapesDiscs discs = {.count = count,
                                  .disc = disc,
                                  .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, z}}},
                                  .look = {.emissive = light, .roughness = 1}};
    assert_int_equal(ent_shapes_discs(shapes_stage_shapes(&s->shapes), &discs), ENT_OK);
}

/* No light but that of discs. */
static inline CanvasView dark_view(u32 high, f32 pixels_m, Vec3 at) {
    CanvasView view = flat_view(high, pixels_m, at);
    view.light_color = (Vec3){0, 0, 0};
    view.dimmed = 1;
    return view;
}

#endif
