/* test_shapes_light.c - the light of balls, discs, planes and capsules: each sample equals a sum in double precision over the
 * lights of the world, with shadows by rays, and the two colours of the sky. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas_internal.h"
#include "lit_oracle.h"
#include "particles.h"
#include "rows.h"
#include "shapes_internal.h"
#include "shapes_stage.h"
#include "test_capsules.h"
#include "test_gpu_support.h"

enum { WIDE = 192, HIGH = 144, BALLS = 3, DISCS = 2, CLOUD = 160 };

/* --- the scene --- */

#define FROM_LEFT                                                                                  \
    { -0.3536f, -0.3536f, -0.1464f, 0.8536f } /* a turn */

static const Vec3  ball_at[BALLS] = {{-1.4f, 0, 0.4f}, {0.9f, -0.2f, -0.6f}, {0.4f, 1.5f, 0.2f}};
static const f32   ball_radius = 0.8f;
static const Vec4  disc_at[DISCS] = {{0.4f, 0.2f, 0.5f, 0}, {-0.7f, -0.3f, 0.4f, 0}};
static const Mat34 disc_pose = {{{0.8f, 0, 0.6f, -0.2f}, {0, 1, 0, 0.1f}, {-0.6f, 0, 0.8f, 1.9f}}};
static const Vec4  floor_plane = {0, 1, 0, -1.2f};

static const EntShapesLook ball_look = {.color = {0.8f, 0.3f, 0.2f}, .roughness = 0.5f},
                           disc_look = {
                               .color = {0.2f, 0.6f, 0.3f}, .roughness = 0.7f, .metallic = 0.3f};

typedef enum SceneKind {
    SCENE_PLAIN,      /* balls, discs and a floor */
    SCENE_BY_KERNELS, /* the same, with kernels that find the samples of balls */
    SCENE_CAPSULES,
    SCENE_CLOUD, /* balls around the camera, and behind it */
    SCENE_CLOUD_BY_KERNELS
} SceneKind;

typedef struct Scene {
    ShapesStage stage;
    SceneKind   kind;
    const Vec3* ball;
    u32         balls, discs;
    f32         radius_m;      /* of balls */
    u32         in_cascade[4]; /* samples that were compared; the last: beyond all */
} Scene;

static Vec3       cloud_at[CLOUD];
static const f32  cloud_radius_m = 0.35f;
static const Vec3 camera_at = {0, 2.2f, 7};

/* Apart from each other and from the camera. */
static void cloud_fill(void) {
    u32 seed = 12;
    for (u32 i = 0; i < CLOUD; i++) {
        bool is_free;
        do {
            f32 at[3];
            for (u32 k = 0; k < 3; k++) {
                seed = seed * 1664525u + 1013904223u;
                at[k] = (f32)(seed >> 8) / 16777216.0f * 8 - 4;
            }
            cloud_at[i] = (Vec3){at[0], at[1] + 3, at[2] + 5};
            is_free = vec3_length(vec3_sub(cloud_at[i], camera_at)) > 1.3f;
            for (u32 k = 0; k < i && is_free; k++)
                is_free = vec3_length(vec3_sub(cloud_at[i], cloud_at[k])) > 0.75f;
        } while (!is_free);
    }
}

static CanvasView view_of(f32 dimmed) {
    const f32 c = 0.9659258f, s = 0.2588190f; /* 15 degrees down */
    return (CanvasView){
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.8f, .near_m = 0.1f},
        .pose = {{{1, 0, 0, 0}, {0, c, s, 2.2f}, {0, -s, c, 7}}},
        .light = {0.48f, 0.64f, 0.6f},
        .light_color = {1, 0.9f, 0.8f},
        .plane = &floor_plane,
        .plane_count = 1,
        .reach_m = 1000,
        .grid_m = 1e-4f, /* too dense for lines */
        .dimmed = dimmed};
}

static void light_add(Scene* scene, LightKind kind, Vec3 at, Quat turn, f32 intensity, bool casts) {
    const LightRecord light = {.kind = kind,
                               .color = {1, 0.8f, 0.6f},
                               .intensity = intensity,
                               .range_m = 14,
                               .inner_angle_rad = 0.4f,
                               .outer_angle_rad = 0.6f,
                               .casts_shadow = casts};
    assert_int_equal(shapes_stage_light(&scene->stage, &light, at, turn), ENT_OK);
}

static void scene_open(Scene* scene, SceneKind kind) {
    const CanvasDesc desc = {.width = WIDE, .height = HIGH, .samples = 1};
    const bool       is_cloud = kind == SCENE_CLOUD || kind == SCENE_CLOUD_BY_KERNELS;
    *scene = (Scene){
        .kind = kind, .ball = ball_at, .balls = BALLS, .discs = DISCS, .radius_m = ball_radius};
    if (is_cloud) {
        cloud_fill();
        *scene =
            (Scene){.kind = kind, .ball = cloud_at, .balls = CLOUD, .radius_m = cloud_radius_m};
    }
    assert_int_equal(shapes_stage_open(&scene->stage, gpu_for_test(), &desc), ENT_OK);
    void* const            shapes = shapes_stage_shapes(&scene->stage);
    const EntShapesSpheres balls = {.count = scene->balls,
                                    .position = scene->ball,
                                    .radius_m = scene->radius_m,
                                    .look = ball_look};
    const EntShapesDiscs   discs = {
          .count = scene->discs, .disc = disc_at, .pose = disc_pose, .look = disc_look};
    if (kind == SCENE_BY_KERNELS || kind == SCENE_CLOUD_BY_KERNELS)
        ((Shapes*)shapes)->splat_min = 1;
    if (kind == SCENE_CAPSULES) {
        const GpuScene from = {.world = scene->stage.world, .lighting = scene->stage.part[0].state};
        GpuProblem     problem = {0};
        scene->stage.part[1].system->destroy(shapes);
        scene->stage.part[1].system = &capsules_system;
        assert_int_equal(
            capsules_system.create(&scene->stage.part[1].state, gpu_for_test(), &from, &problem),
            ENT_OK);
    } else {
        assert_int_equal(ent_shapes_spheres(shapes, &balls), ENT_OK);
        assert_int_equal(ent_shapes_discs(shapes, &discs), ENT_OK);
    }
    ent_lighting_shadows(scene->stage.part[0].state,
                         &(EntLightingShadows){.cascade_side = 1024, .reach_m = 12});
}

static u8* scene_drawn(Scene* scene, const CanvasView* view) {
    u8* rgba = malloc(WIDE * HIGH * 4);
    assert_int_equal(ent_picture_draw(scene->stage.canvas, &scene->stage.parts, view), ENT_OK);
    assert_int_equal(ent_canvas_read(scene->stage.canvas, rgba), ENT_OK);
    return rgba;
}

/* --- rays --- */

typedef struct Seen {
    u32                  element; /* 0: nothing; as ids */
    Vec                  at, normal;
    const EntShapesLook* look;
} Seen;

static f64 sphere_along(Vec from, Vec ray, Vec center, f64 radius) {
    const Vec to = add(center, times(from, -1));
    const f64 near = dot(to, ray), off2 = dot(to, to) - near * near, half2 = radius * radius - off2;
    if (half2 < 0) return INFINITY;
    return fabs(near) < sqrt(half2) ? 0 : near - sqrt(half2); /* 0: from inside */
}

static f64 disc_along(Vec from, Vec ray, Vec center, Vec normal, f64 radius) {
    const f64 along = dot(add(center, times(from, -1)), normal) / dot(ray, normal);
    const Vec off = add(add(from, times(ray, along)), times(center, -1));
    return dot(off, off) > radius * radius ? INFINITY : along;
}

/* By steps of the distance to the capsule. */
static f64 capsule_along(Vec from, Vec ray, Vec center, f64 tall, f64 radius) {
    f64 along = 0;
    for (u32 i = 0; i < 400 && along < 100; i++) {
        const Vec p = add(add(from, times(ray, along)), times(center, -1));
        const Vec off = add(p, vec(0, -fmax(-tall, fmin(tall, p.y)), 0));
        const f64 left = sqrt(dot(off, off)) - radius;
        if (left < 1e-9) return along;
        along += left;
    }
    return INFINITY;
}

static f64 element_along(const Scene* s, u32 i, Vec from, Vec ray, f64 grown) {
    if (s->kind == SCENE_CAPSULES) {
        const Vec c = vec((f64)capsules_at[i].x, (f64)capsules_at[i].y, (f64)capsules_at[i].z);
        return capsule_along(from, ray, c, (f64)CAPSULE_HALF_M, (f64)CAPSULE_RADIUS_M + grown);
    }
    if (i < s->balls) return sphere_along(from, ray, of(s->ball[i]), (f64)s->radius_m + grown);
    const Vec4 d = disc_at[i - s->balls];
    const Vec3 center = mat34_point(&disc_pose, (Vec3){d.x, d.y, 0});
    const Vec  normal = column(&disc_pose, 2); /* seen from its side, a disc is narrow */
    return disc_along(from, ray, of(center), normal,
                      fmax((f64)d.z + grown / fabs(dot(normal, ray)), 0));
}

static u32 element_count(const Scene* s) {
    return s->kind == SCENE_CAPSULES ? CAPSULES : s->balls + s->discs;
}

static Vec element_normal(const Scene* s, u32 i, Vec at) {
    if (s->kind == SCENE_CAPSULES) {
        const Vec off =
            add(at, vec(-(f64)capsules_at[i].x, -(f64)capsules_at[i].y, -(f64)capsules_at[i].z));
        const f64 tall = (f64)CAPSULE_HALF_M;
        return unit(add(off, vec(0, -fmax(-tall, fmin(tall, off.y)), 0)));
    }
    return i < s->balls ? unit(add(at, times(of(s->ball[i]), -1))) : column(&disc_pose, 2);
}

static Seen seen_at(const Scene* s, const CanvasEye* eye, f64 x, f64 y) {
    const Vec aside =
        add(times(of(eye->right), x / WIDE * 2 - 1), times(of(eye->up), 1 - y / HIGH * 2));
    const Vec                  from = of(eye->origin), ray = unit(add(of(eye->forward), aside));
    static const EntShapesLook floor_look = {.color = {0.075f, 0.080f, 0.090f}, .roughness = 0.8f};
    Seen                       seen = {0};
    f64 nearest = ray.y < 0 ? ((f64)floor_plane.w - from.y) / ray.y : INFINITY;
    if (nearest < INFINITY)
        seen =
            (Seen){element_count(s) + 1, add(from, times(ray, nearest)), vec(0, 1, 0), &floor_look};
    for (u32 i = 0; i < element_count(s); i++) {
        const f64 along = element_along(s, i, from, ray, 0);
        if (!(along > 0 && along < nearest)) continue;
        nearest = along;
        seen.element = i + 1;
        seen.at = add(from, times(ray, along));
        seen.normal = element_normal(s, i, seen.at);
        if (dot(seen.normal, ray) > 0) seen.normal = times(seen.normal, -1);
        seen.look = s->kind == SCENE_CAPSULES ? &capsules_look
                    : i < s->balls            ? &ball_look
                                              : &disc_look;
    }
    return seen;
}

/* Does an element that is larger or smaller by `grown` hide the light from a point? */
static bool is_shadowed(const Scene* s, const Seen* seen, Vec to_light, f64 far, f64 grown) {
    for (u32 i = 0; i < element_count(s); i++) {
        if (i + 1 == seen->element) continue; /* all are convex */
        const f64 along = element_along(s, i, seen->at, to_light, grown);
        if (along >= 0 && along < far) return true;
    }
    return false;
}

/* Is a point within two texels, 5.5 cm, of where its own shadow begins? */
static bool is_at_edge_of_itself(const Scene* s, const Seen* seen, Vec to_light) {
    const bool is_capsule = s->kind == SCENE_CAPSULES;
    const f64  radius_m = (f64)(is_capsule ? CAPSULE_RADIUS_M : s->radius_m);
    return seen->element <= (is_capsule ? CAPSULES : s->balls) &&
           fabs(dot(seen->normal, to_light)) * radius_m < 0.055;
}

/* False: a shadow begins or ends here. */
static bool lit(const Scene* s, const CanvasView* view, const CanvasEye* eye, const Seen* seen,
                Vec* out) {
    const LightRows rows = ent_light_rows(s->stage.world);
    const Vec       color = of(seen->look->color);
    const Vec       to_eye = unit(add(of(eye->origin), times(seen->at, -1)));
    const f64       metallic = (f64)seen->look->metallic, rough = (f64)seen->look->roughness;
    *out = times(around(color, metallic, rough, seen->normal, to_eye), 1 - (f64)view->dimmed);
    for (u32 i = 0; i < rows.count; i++) {
        const Mat34* pose = ent_transform_world(s->stage.world, rows.entity[i]);
        const Vec    off = add(column(pose, 3), times(seen->at, -1));
        Vec          to_light;
        const Vec    light = arriving(&rows.record[i], pose, seen->at, &to_light);
        const Vec    direct =
            mul(light, reflected(color, metallic, rough, seen->normal, to_eye, to_light));
        const f64 far = rows.record[i].kind == LIGHT_DIRECTIONAL ? INFINITY : sqrt(dot(off, off));
        if (!rows.record[i].casts_shadow) {
            *out = add(*out, direct);
            continue;
        }
        const bool is_dark = is_shadowed(s, seen, to_light, far, -0.08);
        if (is_dark != is_shadowed(s, seen, to_light, far, 0.08)) return false;
        if (is_at_edge_of_itself(s, seen, to_light)) return false;
        if (!is_dark) *out = add(*out, direct);
    }
    return true;
}

/* The cascade that has a point, as in shadows_lookup.glsl. */
static u32 cascade_of(const Scene* s, Vec at) {
    const Lighting* lighting = s->stage.part[0].state;
    u32             which = 0;
    for (; which < lighting->shadows.lights.map_count; which++) {
        const ShadowMap* m = &lighting->shadows.table.map[which];
        const f64        inside = 1 - 2 * (f64)SHADOWS_BORDER / (f64)m->side;
        const Vec        x = vec((f64)m->x.x, (f64)m->x.y, (f64)m->x.z),
                  y = vec((f64)m->y.x, (f64)m->y.y, (f64)m->y.z);
        if (fmax(fabs(dot(x, at) + (f64)m->x.w), fabs(dot(y, at) + (f64)m->y.w)) <= inside) break;
    }
    return which;
}

/* Compares all samples but those on silhouettes and at edges of shadows. Returns how many. */
static u32 picture_compare(Scene* scene, const CanvasView* view, const char* what) {
    const CanvasEye eye = canvas_eye(view, WIDE, HIGH, 1);
    u8*             rgba = scene_drawn(scene, view);
    u32             compared = 0;
    memset(scene->in_cascade, 0, sizeof scene->in_cascade);
    for (u32 i = 0; i < WIDE * HIGH; i++) {
        const f64  x = i % WIDE + 0.5, y = i / WIDE + 0.5;
        const Seen seen = seen_at(scene, &eye, x, y);
        Vec        color;
        bool       is_clear = seen.element > 0;
        for (u32 k = 0; k < 4 && is_clear; k++)
            is_clear = seen_at(scene, &eye, x + (k < 2 ? 1 : -1), y + (k % 2 ? 1 : -1)).element ==
                       seen.element;
        if (!is_clear || !lit(scene, view, &eye, &seen, &color)) continue;
        const f64 wanted[3] = {color.x, color.y, color.z};
        for (u32 c = 0; c < 3; c++) {
            const f64 linear = fmin(wanted[c], 1);
            const f64 byte =
                255 * (linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055);
            if (fabs(byte - rgba[i * 4 + c]) > 1)
                fail_msg("%s: sample %u %u, element %u, channel %u is %u, not %.2f", what, i % WIDE,
                         i / WIDE, seen.element, c, rgba[i * 4 + c], byte);
        }
        compared++;
        scene->in_cascade[MIN_OF(cascade_of(scene, seen.at), 3u)]++;
    }
    free(rgba);
    return compared;
}

/* --- tests --- */

static void surfaces_have_light_of_sum_in_double_precision(SceneKind kind, u32 share) {
    static const struct {
        const char* what;
        LightKind   kind;
        Vec3        at;
        Quat        turn;
        f32         intensity;
        bool        casts;
    } lights[] = {{"sun", LIGHT_DIRECTIONAL, {0, 0, 0}, FROM_LEFT, 1.5f, false},
                  {"lamp", LIGHT_POINT, {2.5f, 2, 2.5f}, {0, 0, 0, 1}, 12, false},
                  {"sun that casts", LIGHT_DIRECTIONAL, {0, 0, 0}, FROM_LEFT, 1.5f, true},
                  {"spot that casts", LIGHT_SPOT, {2.5f, 4, 4}, {0, 0, 0, 0}, 60, true},
                  {"lamp that casts", LIGHT_POINT, {2.5f, 2.5f, 2.5f}, {0, 0, 0, 1}, 14, true}};
    for (u32 i = 0; i < COUNT_OF(lights); i++) {
        Scene            scene;
        const CanvasView view = view_of((f32)(i % 3) * 0.5f);
        const bool       is_spot = lights[i].kind == LIGHT_SPOT;
        if (kind != SCENE_PLAIN && kind != SCENE_CAPSULES && !lights[i].casts) continue;
        scene_open(&scene, kind);
        light_add(&scene, lights[i].kind, lights[i].at,
                  is_spot ? turn_to_origin(lights[i].at) : lights[i].turn, lights[i].intensity,
                  lights[i].casts);
        const u32 compared = picture_compare(&scene, &view, lights[i].what);
        if (compared < WIDE * HIGH / share) fail_msg("%s: %u samples", lights[i].what, compared);
        if (scene.ball == cloud_at && lights[i].kind == LIGHT_DIRECTIONAL) {
            assert_true(scene.in_cascade[1] > 500 &&
                        scene.in_cascade[2] > 500); /* over their border */
        }
        shapes_stage_close(&scene.stage);
    }
    test_gpu_silent();
}

static void balls_discs_and_planes_have_light_of_sum_in_double_precision(void** state) {
    UNUSED(state);
    surfaces_have_light_of_sum_in_double_precision(SCENE_PLAIN, 2);
}

static void balls_that_kernels_find_have_light_of_sum_in_double_precision(void** state) {
    UNUSED(state);
    surfaces_have_light_of_sum_in_double_precision(SCENE_BY_KERNELS, 2);
}

static void balls_around_the_camera_have_light_of_sum_in_double_precision(void** state) {
    UNUSED(state);
    surfaces_have_light_of_sum_in_double_precision(SCENE_CLOUD, 5);
    surfaces_have_light_of_sum_in_double_precision(SCENE_CLOUD_BY_KERNELS, 5);
}

static void shape_of_the_recipe_has_light_of_sum_in_double_precision(void** state) {
    UNUSED(state);
    surfaces_have_light_of_sum_in_double_precision(SCENE_CAPSULES, 2);
}

/* With ambient occlusion, each channel is between that without the light of the surroundings and that without occlusion; the
 * open floor keeps most of it, and what is near other surfaces loses some. */
static void occlusion_takes_only_light_of_the_surroundings(void** state) {
    enum { FLOOR = 130 * WIDE + 20 };
    CanvasView view = view_of(0);
    Scene      scene;
    u8*        rgba[3];
    u32        darker = 0;
    UNUSED(state);
    scene_open(&scene, SCENE_PLAIN);
    light_add(&scene, LIGHT_DIRECTIONAL, (Vec3){0, 0, 0}, (Quat)FROM_LEFT, 0.5f, true);
    for (u32 i = 0; i < 3; i++) { /* none, occluded, no surroundings */
        view.occlusion_m = i == 1 ? 0.6f : 0;
        view.dimmed = i == 2 ? 1 : 0;
        rgba[i] = scene_drawn(&scene, &view);
    }
    for (u32 i = 0; i < WIDE * HIGH * 4; i++) {
        if (rgba[1][i] > rgba[0][i] + 1 || rgba[1][i] + 1 < rgba[2][i])
            fail_msg("channel %u of sample %u: %u is not between %u and %u", i % 4, i / 4,
                     rgba[1][i], rgba[2][i], rgba[0][i]);
        darker += i % 4 == 0 && rgba[1][i] + 3 < rgba[0][i];
    }
    assert_in_range(darker, 100, WIDE * HIGH / 2);
    assert_true(rgba[1][FLOOR * 4] + 3 >= rgba[0][FLOOR * 4]);
    for (u32 i = 0; i < 3; i++) free(rgba[i]);
    shapes_stage_close(&scene.stage);
    test_gpu_silent();
}

/* Maps are kept while nothing moves, so that a repeated picture has the same bits; also one without memory of the last. */
static void still_pictures_are_equal_and_maps_are_kept(void** state) {
    Scene            scene;
    const CanvasView view = view_of(0);
    u8*              rgba[3];
    UNUSED(state);
    scene_open(&scene, SCENE_PLAIN);
    light_add(&scene, LIGHT_DIRECTIONAL, (Vec3){0, 0, 0}, (Quat)FROM_LEFT, 1.5f, true);
    for (u32 i = 0; i < 3; i++) {
        const Lighting* lighting = scene.stage.part[0].state;
        if (i == 2)
            ent_lighting_shadows(scene.stage.part[0].state,
                                 &(EntLightingShadows){.cascade_side = 1024, .reach_m = 12});
        rgba[i] = scene_drawn(&scene, &view);
        assert_int_equal(lighting_maps_all(lighting), i == 1 ? 0 : 3);
        if (i) assert_memory_equal(rgba[i], rgba[0], WIDE * HIGH * 4);
    }
    for (u32 i = 0; i < 3; i++) free(rgba[i]);
    shapes_stage_close(&scene.stage);
    test_gpu_silent();
}

static u32 instances_of(const Scene* scene, u32 draw) {
    const Shapes* shapes = scene->stage.part[1].state;
    ShapesCommand commands[SHAPES_DRAWS_MAX];
    assert_int_equal(gpu_download(shapes->gpu, &shapes->commands, 0, commands, sizeof commands),
                     ENT_OK);
    return commands[draw].instances;
}

/* A large disc hides a draw of spheres: from the second picture on, it is not drawn. Where the camera moves so that they are
 * seen, the picture is that of a canvas that has no last one. */
static void draw_that_others_hide_is_not_drawn_until_it_is_seen(void** state) {
    const Vec4           wall = {0, 0, 2.5f, 0};
    const Vec3           hidden[2] = {{-0.3f, 0, -2}, {0.4f, 0.2f, -2.5f}};
    const EntShapesDiscs discs = {
        .count = 1, .disc = &wall, .pose = mat34_identity, .look = disc_look};
    const EntShapesSpheres balls = {
        .count = 2, .position = hidden, .radius_m = 0.3f, .look = ball_look};
    const CanvasDesc desc = {.width = WIDE, .height = HIGH, .samples = 1};
    CanvasView       view = {
              .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.9f, .near_m = 0.1f},
              .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 4}}},
              .light = {0.48f, 0.64f, 0.6f},
              .light_color = {1, 1, 1},
              .reach_m = 1,
              .grid_m = 1};
    Canvas* fresh;
    Scene   scene;
    UNUSED(state);
    scene_open(&scene, SCENE_PLAIN);
    void* const shapes = shapes_stage_shapes(&scene.stage);
    ent_shapes_clear(shapes);
    assert_int_equal(ent_shapes_discs(shapes, &discs), ENT_OK);
    assert_int_equal(ent_shapes_spheres(shapes, &balls), ENT_OK);
    u8* first = scene_drawn(&scene, &view);
    u8* second = scene_drawn(&scene, &view);
    assert_int_equal(instances_of(&scene, 1), 0);
    assert_memory_equal(first, second, WIDE * HIGH * 4);
    view.pose.m[1][3] = 5; /* over the disc */
    view.camera.vertical_fov_rad = 2;
    u8* moved = scene_drawn(&scene, &view);
    assert_int_equal(instances_of(&scene, 1), 2); /* in the second phase */
    assert_int_equal(ent_canvas_create(&fresh, gpu_for_test(), &desc), ENT_OK);
    ent_canvas_destroy(scene.stage.canvas);
    scene.stage.canvas = fresh;
    u8* expected = scene_drawn(&scene, &view);
    assert_int_equal(instances_of(&scene, 1), 0); /* it was drawn in the first one */
    assert_memory_equal(moved, expected, WIDE * HIGH * 4);
    view.pose.m[0][3] = 200; /* beside everything */
    free(scene_drawn(&scene, &view));
    assert_int_equal(instances_of(&scene, 0), 0);
    free(first), free(second), free(moved), free(expected);
    shapes_stage_close(&scene.stage);
    test_gpu_silent();
}

/* --- systems --- */

static u8* particles_drawn(ShapesStage* stage, const CanvasView* view, GpuPart particles) {
    const GpuPart  parts[] = {stage->part[0], particles};
    const GpuParts both = {parts, 2};
    u8*            rgba = malloc(WIDE * HIGH * 4);
    assert_int_equal(ent_picture_draw(stage->canvas, &both, view), ENT_OK);
    assert_int_equal(ent_canvas_read(stage->canvas, rgba), ENT_OK);
    return rgba;
}

/* The picture is that of a system that is created after its entity has moved. */
static void discs_follow_the_transform_of_their_entity(void** state) {
    const TransformRecord moved = {
        {0.5f, 0.3f, 0}, {0, 0.3826834f, 0, 0.9238795f}, {1.2f, 1.2f, 1.2f}};
    const Library    library = {0};
    const CanvasView view = view_of(0);
    ShapesStage      stage;
    GpuProblem       problem = {0};
    GpuPart          old = {ent_particles_system(), NULL}, new = old;
    Entity           entity;
    u32              row, transform;
    u8*              rgba[3];
    const CanvasDesc desc = {.width = WIDE, .height = HIGH, .samples = 1};
    UNUSED(state);
    assert_int_equal(shapes_stage_open(&stage, gpu_for_test(), &desc), ENT_OK);
    World* const   world = stage.world;
    const GpuScene scene = {.world = world, .library = &library, .lighting = stage.part[0].state};
    assert_int_equal(ent_entity_create(world, &entity, 1), ENT_OK);
    assert_int_equal(ent_manager_create(world, ent_world_built_in(world, COMPONENT_TRANSFORM),
                                        entity, &transform),
                     ENT_OK);
    assert_int_equal(ent_manager_create(world, ent_world_manager_by_name(world, "particle_system"),
                                        entity, &row),
                     ENT_OK);
    ent_particle_system_rows(world).record[row] =
        (ParticleSystemRecord){.count = 60,
                               .half_extent_m = {1.5f, 1},
                               .radius_min_m = 0.04f,
                               .radius_max_m = 0.09f,
                               .color = {0.2f, 0.5f, 0.9f},
                               .seed = 3};
    ent_transform_update(world);
    assert_int_equal(old.system->create(&old.state, gpu_for_test(), &scene, &problem), ENT_OK);
    rgba[0] = particles_drawn(&stage, &view, old);
    ent_transform_set_local(world, transform, &moved);
    ent_transform_update(world);
    rgba[1] = particles_drawn(&stage, &view, old);
    assert_int_equal(new.system->create(&new.state, gpu_for_test(), &scene, &problem), ENT_OK);
    rgba[2] = particles_drawn(&stage, &view, new);
    assert_memory_not_equal(rgba[0], rgba[1], WIDE * HIGH * 4);
    assert_memory_equal(rgba[1], rgba[2], WIDE * HIGH * 4);
    for (u32 i = 0; i < 3; i++) free(rgba[i]);
    old.system->destroy(old.state);
    new.system->destroy(new.state);
    shapes_stage_close(&stage);
    test_gpu_silent();
}

static void shapes_with_other_subgroup_sizes_pass_the_same_tests(void** state) {
    UNUSED(state);
    test_gpu_widths("shapes_light", 256);
}

TEST_SUITE(shapes_light) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_discs_and_planes_have_light_of_sum_in_double_precision),
        cmocka_unit_test(balls_that_kernels_find_have_light_of_sum_in_double_precision),
        cmocka_unit_test(balls_around_the_camera_have_light_of_sum_in_double_precision),
        cmocka_unit_test(shape_of_the_recipe_has_light_of_sum_in_double_precision),
        cmocka_unit_test(occlusion_takes_only_light_of_the_surroundings),
        cmocka_unit_test(still_pictures_are_equal_and_maps_are_kept),
        cmocka_unit_test(draw_that_others_hide_is_not_drawn_until_it_is_seen),
        cmocka_unit_test(discs_follow_the_transform_of_their_entity),
        cmocka_unit_test(shapes_with_other_subgroup_sizes_pass_the_same_tests),
    };
    return gpu_suite_end(TEST_RUN("shapes_light", tests));
}
