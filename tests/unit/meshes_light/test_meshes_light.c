/* test_meshes_light.c - colours of surfaces under lights and decals, compared with the sum over all lights in double
 * precision, without tiles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas_internal.h"
#include "meshes_internal.h"
#include "rows.h"
#include "spawn.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"
#include "transform_manager.h"

enum { WIDTH = 96, HEIGHT = 72, PANELS = 7, SCENES = 20 };

/* Squares of 2 m with different materials, seen from both sides; the last one is blended. */
static const char panels_script[] =
    "import sys; sys.path.insert(0,sys.argv[1])\n"
    "from pathlib import Path\n"
    "from make_features import F32,U16,Model,png\n"
    "import json\n"
    "Path('src').mkdir(exist_ok=True); e=[]\n"
    "look=[((0.8,0.7,0.6),0,1),((0.9,0.2,0.1),0,0.35),((0.9,0.8,0.4),1,0.5),((0.5,0.6,0.9),0.5,0.7)"
    ",\n"
    "      ((0.7,0.7,0.7),1,0.25),((0.2,0.8,0.3),0,0.15),((0.6,0.5,0.8),0,0.6)]\n"
    "for k,(color,metallic,rough) in enumerate(look):\n"
    "    m=Model(); corners=[(-1,-1,0),(1,-1,0),(1,1,0),(-1,1,0)]\n"
    "    paint=m.slots({'baseColorFactor':[*color,0.5 if k==6 else 1],'metallicFactor':metallic,\n"
    "        'roughnessFactor':rough},doubleSided=True,**({'alphaMode':'BLEND'} if k==6 else {}))\n"
    "    part={'attributes':{'POSITION':m.stream(corners,F32,bounds=True)},\n"
    "        'indices':m.indices([(0,1,2),(0,2,3)],U16),'material':paint}\n"
    "    m.add('nodes',{'mesh':m.add('meshes',{'name':'square','primitives':[part]})})\n"
    "    m.save(Path('src'),'panel_%d'%k); e.append({'name':'p%d'%k,'prefab':'panel_%d'%k})\n"
    "png_bytes=png(8,8,2,lambda x,y:(200,100,50))\n"
    "Path('src/orange.png').write_bytes(png_bytes)\n"
    "e.append({'name':'d','components':{'decal':{'color_texture':'orange','half_extent_m':[0.001]*"
    "3}}})\n"
    "json.dump({'entities':e},open('src/panels.level.json','w'))\n";

static const f64 look_color[PANELS][3] = {{0.8, 0.7, 0.6}, {0.9, 0.2, 0.1}, {0.9, 0.8, 0.4},
                                          {0.5, 0.6, 0.9}, {0.7, 0.7, 0.7}, {0.2, 0.8, 0.3},
                                          {0.6, 0.5, 0.8}};
static const f64 look_metallic[PANELS] = {0, 0, 1, 0.5, 1, 0, 0};
static const f64 look_rough[PANELS] = {1, 0.35, 0.5, 0.7, 0.25, 0.15, 0.6};

typedef struct Stage {
    Library    library;
    World*     world;
    Meshes*    meshes;
    Canvas*    canvas;
    CanvasView view;
    CanvasEye  eye;
    Entity     panel[PANELS];
    Entity     added[200];
    u32        added_count;
    bool       blends;
} Stage;

static const char* panels_folder(void) {
    static char* folder;
    if (folder) return folder;
    folder = strdup(test_folder("meshes_light"));
    test_write_text(folder, "panels.py", panels_script);
    TEST_DONE(folder, "python3 panels.py ../../../../tests/support && entc build src -o out -q");
    return folder;
}

static void stage_open(Stage* s) {
    const GpuPlanes  no_planes = {0};
    const CanvasDesc desc = {.width = WIDTH, .height = HEIGHT, .samples = 1};
    const Blob*      blob;
    GpuProblem       problem = {0};
    void*            state;
    char             path[1100];
    *s = (Stage){0};
    snprintf(path, sizeof path, "%s/out", panels_folder());
    assert_int_equal(ent_library_open(&s->library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_load(&s->library, "panels", RESOURCE_LEVEL, &blob), ENT_OK);
    assert_int_equal(ent_world_create(&s->world, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(s->world, blob, NULL, NULL), ENT_OK);
    const MeshRows rows = ent_mesh_rows(s->world);
    assert_int_equal(rows.count, PANELS);
    for (u32 i = 0; i < PANELS; i++) s->panel[i] = rows.entity[i];
    const GpuScene scene = {.world = s->world, .library = &s->library, .planes = &no_planes};
    if (ent_meshes_system()->create(&state, gpu_for_test(), &scene, &problem) != ENT_OK)
        fail_msg("%s", problem.text);
    s->meshes = state;
    assert_int_equal(ent_canvas_create(&s->canvas, gpu_for_test(), &desc), ENT_OK);
}

static void stage_close(Stage* s) {
    ent_canvas_destroy(s->canvas);
    ent_meshes_system()->destroy(s->meshes);
    ent_world_destroy(s->world);
    ent_library_close(&s->library);
    test_gpu_silent();
}

static void stage_draw(Stage* s) {
    s->eye = canvas_eye(&s->view, WIDTH, HEIGHT, 1);
    assert_int_equal(test_gpu_frame(gpu_for_test(), ent_meshes_system()->record, s->meshes),
                     ENT_OK);
    assert_int_equal(ent_meshes_system()->draw(s->meshes, s->canvas, 1), ENT_OK);
    assert_int_equal(ent_canvas_draw(s->canvas, &s->view), ENT_OK);
}

static u8* pixels_of(const Stage* s) {
    u8* rgba = malloc(WIDTH * HEIGHT * 4);
    assert_int_equal(ent_canvas_read(s->canvas, rgba), ENT_OK);
    return rgba;
}

/* --- scenes --- */

static void entity_place(const Stage* s, Entity entity, Vec3 at, Quat turn, f32 scale) {
    const TransformRecord pose = {at, turn, {scale, scale, scale}};
    ent_transform_set_local(s->world, ent_transform_row(s->world, entity), &pose);
}

static Quat turn_random(Random* r, f32 most) {
    const f32 q[4] = {random_float(r, -most, most), random_float(r, -most, most),
                      random_float(r, -most, most), 1};
    const f32 scale = 1 / sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return (Quat){q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale};
}

static Entity entity_add(Stage* s, const char* type, u32* row) {
    Entity entity;
    u32    own;
    assert_int_equal(ent_entity_create(s->world, &entity, 1), ENT_OK);
    assert_int_equal(ent_manager_create(s->world, ent_world_manager_by_name(s->world, "transform"),
                                        entity, &own),
                     ENT_OK);
    assert_int_equal(
        ent_manager_create(s->world, ent_world_manager_by_name(s->world, type), entity, row),
        ENT_OK);
    assert_true(s->added_count < COUNT_OF(s->added));
    return s->added[s->added_count++] = entity;
}

static void added_destroy(Stage* s) {
    assert_int_equal(ent_entity_destroy(s->world, s->added, s->added_count), ENT_OK);
    ent_world_gc(s->world);
    s->added_count = 0;
}

static void light_add(Stage* s, Random* r, LightKind kind) {
    u32          row;
    const Entity entity = entity_add(s, "light", &row);
    const f32    outer = random_float(r, 0.3f, 1.5f);
    ent_light_rows(s->world).record[row] = (LightRecord){
        .kind = kind,
        .color = {random_float(r, 0.2f, 1), random_float(r, 0.2f, 1), random_float(r, 0.2f, 1)},
        .intensity = random_float(r, 1, kind == LIGHT_DIRECTIONAL ? 2.0f : 20.0f),
        .range_m = random_float(r, 1, 6),
        .inner_angle_rad = outer * random_float(r, 0, 0.95f),
        .outer_angle_rad = outer};
    entity_place(s, entity,
                 (Vec3){random_float(r, -4, 4), random_float(r, -3, 3), random_float(r, -4, 3)},
                 turn_random(r, 2), 1);
}

/* Panels that intersect, lights among them, and a camera. */
static void scene_random(Stage* s, u32 seed) {
    Random r = {seed * 7919 + 3};
    added_destroy(s);
    for (u32 i = 0; i < PANELS; i++) {
        const Vec3 at = {random_float(&r, -3, 3), random_float(&r, -2, 2), random_float(&r, -3, 1)};
        entity_place(s, s->panel[i], i == PANELS - 1 ? (Vec3){0, 0, 100} : at,
                     turn_random(&r, 0.8f), random_float(&r, 0.6f, 2));
    }
    const u32 lights = seed == 0 ? 0 : seed == 1 ? 1 : 5 + seed * 4;
    for (u32 i = 0; i < lights; i++)
        light_add(s, &r, i % 9 == 8 ? LIGHT_DIRECTIONAL : i % 3 == 1 ? LIGHT_SPOT : LIGHT_POINT);
    s->view =
        (CanvasView){.camera = {.kind = seed % 5 == 4 ? CAMERA_ORTHOGRAPHIC : CAMERA_PERSPECTIVE,
                                .vertical_fov_rad = 0.9f,
                                .height_m = 7,
                                .near_m = 0.2f,
                                .far_m = seed % 5 == 4 ? 40 : 0},
                     .pose = {{{1, 0, 0, 0.1f}, {0, 1, 0, 0.2f}, {0, 0, 1, 6}}},
                     .light = {0.48f, 0.64f, 0.6f},
                     .light_color = {1, 0.9f, 0.8f},
                     .exposure = seed == 1 ? 0 : 0.4f / sqrtf((f32)lights + 1),
                     .dimmed = (f32)(seed % 3) * 0.5f};
    ent_transform_update(s->world);
}

/* --- in double precision --- */

typedef struct Vec {
    f64 x, y, z;
} Vec;

static Vec vec(f64 x, f64 y, f64 z) { return (Vec){x, y, z}; }
static Vec add(Vec a, Vec b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static Vec times(Vec a, f64 k) { return vec(a.x * k, a.y * k, a.z * k); }
static Vec mul(Vec a, Vec b) { return vec(a.x * b.x, a.y * b.y, a.z * b.z); }
static f64 dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static Vec unit(Vec a) { return times(a, 1 / sqrt(dot(a, a))); }
static Vec of(Vec3 v) { return vec((f64)v.x, (f64)v.y, (f64)v.z); }
static Vec cross(Vec a, Vec b) {
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static Vec column(const Mat34* m, u32 k) {
    return vec((f64)m->m[0][k], (f64)m->m[1][k], (f64)m->m[2][k]);
}

typedef struct Hit {
    u32 panel; /* PANELS: none */
    Vec at, normal, to_eye;
} Hit;

static void ray_of(const CanvasEye* eye, f64 x, f64 y, Vec* from, Vec* along) {
    const Vec aside =
        add(times(of(eye->right), x / WIDTH * 2 - 1), times(of(eye->up), 1 - y / HEIGHT * 2));
    *from = eye->orthographic ? add(of(eye->origin), aside) : of(eye->origin);
    *along = eye->orthographic ? of(eye->forward) : add(of(eye->forward), aside);
}

static Hit hit_at(const Stage* s, f64 x, f64 y, u32 panels) {
    Hit hit = {.panel = PANELS};
    f64 nearest = 1e30;
    Vec from, along;
    ray_of(&s->eye, x, y, &from, &along);
    for (u32 i = 0; i < panels; i++) {
        const Mat34* m = ent_transform_world(s->world, s->panel[i]);
        const Vec    a = column(m, 0), b = column(m, 1), o = column(m, 3), n = unit(cross(a, b));
        const f64    far = dot(add(o, times(from, -1)), n) / dot(along, n);
        const Vec    at = add(from, times(along, far)), d = add(at, times(o, -1));
        if (far <= 0.2 || far >= nearest || fabs(dot(d, a)) > dot(a, a) ||
            fabs(dot(d, b)) > dot(b, b))
            continue;
        nearest = far;
        hit = (Hit){i, at, dot(n, along) > 0 ? times(n, -1) : n, unit(times(along, -1))};
    }
    return hit;
}

/* Walter et al. 2007, Heitz 2014 and Schlick 1994, as the headers of the shaders state. */
static Vec reflected(Vec color, f64 metallic, f64 rough, Vec n, Vec v, Vec l) {
    const f64 alpha2 = pow(fmax(rough, 0.04), 4), pi = 3.14159265358979;
    const Vec h = unit(add(l, v)),
              f0 = add(times(vec(1, 1, 1), 0.04 * (1 - metallic)), times(color, metallic));
    const f64 nl = dot(n, l), nv = fmax(dot(n, v), 1e-4), nh = fmax(dot(n, h), 0),
              vh = fmax(dot(v, h), 0);
    if (nl <= 0) return vec(0, 0, 0);
    const f64 d = nh * nh * (alpha2 - 1) + 1, spread = alpha2 / (pi * d * d);
    const f64 mask = 0.5 / (nl * sqrt(nv * nv * (1 - alpha2) + alpha2) +
                            nv * sqrt(nl * nl * (1 - alpha2) + alpha2));
    const Vec f = add(f0, times(add(vec(1, 1, 1), times(f0, -1)), pow(1 - vh, 5)));
    const Vec matt = mul(times(color, (1 - metallic) / pi), add(vec(1, 1, 1), times(f, -1)));
    return times(add(matt, times(f, spread * mask)), nl);
}

static Vec sky_at(f64 up) {
    const f64 k = up * 0.5 + 0.5;
    return add(times(vec(0.10, 0.10, 0.11), 1 - k), times(vec(0.38, 0.43, 0.52), k));
}

static Vec around(Vec color, f64 metallic, f64 rough, Vec n, Vec v) {
    const f64 nv = fmax(dot(n, v), 1e-4), r = fmax(rough, 0.04);
    const f64 x = 1 - r, y = 0.0425 - 0.0275 * r, z = 1.04 - 0.572 * r, w = 0.022 * r - 0.04;
    const f64 a = fmin(x * x, exp2(-9.28 * nv)) * x + y;
    const Vec f0 = add(times(vec(1, 1, 1), 0.04 * (1 - metallic)), times(color, metallic));
    const Vec shine = add(times(f0, -1.04 * a + z), times(vec(1, 1, 1), 1.04 * a + w));
    const Vec mirror = add(times(n, 2 * dot(n, v)), times(v, -1));
    return add(mul(times(color, 1 - metallic), sky_at(n.y)), mul(shine, sky_at(mirror.y)));
}

/* KHR_lights_punctual. */
static Vec arriving(const LightRecord* light, const Mat34* m, Vec at, Vec* to_light) {
    const Vec color = times(of(light->color), (f64)light->intensity),
              along = unit(times(column(m, 2), -1));
    *to_light = times(along, -1);
    if (light->kind == LIGHT_DIRECTIONAL) return color;
    const Vec d = add(column(m, 3), times(at, -1));
    const f64 far = sqrt(dot(d, d));
    *to_light = times(d, 1 / far);
    f64 share = fmax(fmin(1 - pow(far / (f64)light->range_m, 4), 1), 0) / (far * far);
    if (light->kind == LIGHT_SPOT) {
        const f64 inner = cos((f64)light->inner_angle_rad),
                  outer = cos((f64)light->outer_angle_rad);
        const f64 scale = 1 / fmax(0.001, inner - outer);
        const f64 cone = fmax(0, fmin(1, (dot(times(*to_light, -1), along) - outer) * scale));
        share *= cone * cone;
    }
    return times(color, share);
}

static Vec lit(const Stage* s, const Hit* hit) {
    const LightRows rows = ent_light_rows(s->world);
    const Vec       color =
        vec(look_color[hit->panel][0], look_color[hit->panel][1], look_color[hit->panel][2]);
    const f64 metallic = look_metallic[hit->panel], rough = look_rough[hit->panel];
    const f64 exposure = s->view.exposure == 0 ? 1 : (f64)s->view.exposure;
    Vec       sum = vec(0, 0, 0), l;
    for (u32 i = 0; i < rows.count; i++) {
        const Vec light =
            arriving(&rows.record[i], ent_transform_world(s->world, rows.entity[i]), hit->at, &l);
        sum = add(sum,
                  times(mul(light, reflected(color, metallic, rough, hit->normal, hit->to_eye, l)),
                        exposure));
    }
    if (rows.count == 0)
        sum = times(mul(of(s->view.light_color), reflected(color, metallic, rough, hit->normal,
                                                           hit->to_eye, of(s->view.light))),
                    3.14159265358979 * 0.9);
    return add(sum, times(around(color, metallic, rough, hit->normal, hit->to_eye),
                          1 - (f64)s->view.dimmed));
}

static f64 byte_of(const Stage* s, f64 c) {
    if (s->view.exposure == 0)
        c = fmin(c, 1);
    else if (c > 0.8)
        c = 0.8 + 0.2 * (1 - exp(-(c - 0.8) / 0.2));
    return 255 * (c <= 0.0031308 ? c * 12.92 : 1.055 * pow(c, 1 / 2.4) - 0.055);
}

/* Is one panel visible in the whole neighbourhood of a sample? */
static bool is_clear(const Stage* s, u32 x, u32 y, Hit* hit) {
    *hit = hit_at(s, x + 0.5, y + 0.5, PANELS - 1);
    for (u32 k = 0; k < 4; k++) {
        const Hit beside =
            hit_at(s, x + 0.5 + (k < 2 ? 0.7 : -0.7), y + 0.5 + (k % 2 ? 0.7 : -0.7), PANELS - 1);
        if (beside.panel != hit->panel) return false;
    }
    return hit->panel < PANELS;
}

static void color_compare(const Stage* s, const u8* rgba, Vec expected, f64 most,
                          const char* what) {
    const f64 wanted[3] = {expected.x, expected.y, expected.z};
    for (u32 c = 0; c < 3; c++) {
        const f64 byte = byte_of(s, wanted[c]);
        if (fabs(byte - rgba[c]) > most)
            fail_msg("%s: channel %u is %u, not %.2f", what, c, rgba[c], byte);
    }
}

/* --- tests --- */

static void lit_surfaces_equal_the_sum_over_all_lights(void** state) {
    Stage s;
    u32   compared = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s);
    for (u32 scene = 0; scene < SCENES; scene++) {
        char name[40];
        scene_random(&s, scene);
        stage_draw(&s);
        u8* rgba = pixels_of(&s);
        snprintf(name, sizeof name, "scene %u", scene);
        for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
            Hit hit;
            if (!is_clear(&s, i % WIDTH, i / WIDTH, &hit)) continue;
            color_compare(&s, rgba + i * 4, lit(&s, &hit), 1.0, name);
            compared++;
        }
        free(rgba);
    }
    print_message("%u samples\n", compared);
    assert_true(compared > SCENES * 1500);
    stage_close(&s);
}

/* The colours before they are resolved, as halves. */
static f64 half_of(u16 h) {
    const int e = h >> 10 & 31, m = h & 1023;
    return e == 0 ? ldexp(m, -24) : ldexp(m + 1024, e - 25);
}

static void lists_and_bits_give_the_same_light(void** state) {
    Stage s;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s);
    scene_random(&s, 12);
    u16* colors[3];
    for (u32 k = 0; k < 3; k++) {
        lights_set(&s.meshes->lights,
                   &(LightsSettings){.technique = k == 2 ? LIGHTS_LISTS : LIGHTS_BITS});
        stage_draw(&s);
        colors[k] = malloc(s.canvas->color.bytes);
        assert_int_equal(
            gpu_download(gpu_for_test(), &s.canvas->color, 0, colors[k], s.canvas->color.bytes),
            ENT_OK);
    }
    assert_memory_equal(colors[0], colors[1], s.canvas->color.bytes); /* a still frame */
    for (u32 i = 0; i < WIDTH * HEIGHT * 4; i++) {
        const f64 bits = half_of(colors[0][i]), lists = half_of(colors[2][i]);
        if (fabs(bits - lists) > fmax(bits, 1e-3) * (1 / 1024.0 + 1e-9))
            fail_msg("colour %u: %g and %g", i, bits, lists);
    }
    for (u32 k = 0; k < 3; k++) free(colors[k]);
    stage_close(&s);
}

/* A blended panel between the camera and a dark one. */
static void blended_surfaces_are_lit_by_the_lights_of_their_tile(void** state) {
    const Quat upright = {0, 0, 0, 1};
    Stage      s;
    u32        compared = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s);
    for (u32 lists = 0; lists < 2; lists++) {
        scene_random(&s, 8);
        lights_set(&s.meshes->lights, &(LightsSettings){.technique = (LightsTechnique)lists});
        s.view.dimmed = 1;
        for (u32 i = 0; i < PANELS - 1; i++)
            entity_place(&s, s.panel[i], (Vec3){0, 0, 100}, upright, 1);
        entity_place(&s, s.panel[0], (Vec3){0, 0, -900}, upright, 2000); /* no light reaches it */
        entity_place(&s, s.panel[PANELS - 1], (Vec3){0, 0, 0.2f}, upright, 3);
        ent_transform_update(s.world);
        const LightRows rows = ent_light_rows(s.world);
        for (u32 i = 0; i < rows.count; i++)
            if (rows.record[i].kind == LIGHT_DIRECTIONAL) rows.record[i].intensity = 0;
        stage_draw(&s);
        u8* rgba = pixels_of(&s);
        for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
            Hit hit = hit_at(&s, i % WIDTH + 0.5, i / WIDTH + 0.5, PANELS);
            if (hit.panel != PANELS - 1 || i % WIDTH < 3 || i % WIDTH > WIDTH - 4) continue;
            color_compare(&s, rgba + i * 4, times(lit(&s, &hit), 0.5), 1.5, "blended");
            compared++;
        }
        free(rgba);
    }
    assert_true(compared > 2000);
    stage_close(&s);
}

/* --- decals --- */

typedef struct Sticker {
    Vec3 at, half_extent, color;
    f32  opacity, turn; /* about the axis of projection */
    u32  order;
    bool textured;
} Sticker;

static const Sticker stickers[] = {
    {{0, 0, 0}, {1.5f, 1, 0.3f}, {1, 0, 0}, 0.5f, 0, 0, false},
    {{0.4f, 0.2f, 0}, {0.8f, 0.8f, 0.3f}, {0, 1, 0}, 0.75f, 0.3f, 2, false},
    {{-0.5f, -0.3f, 0}, {0.7f, 0.9f, 0.3f}, {0, 0, 1}, 1, -0.6f, 1, false},
    {{0.9f, -0.6f, 0}, {0.6f, 0.5f, 0.3f}, {1, 1, 1}, 0.8f, 0.1f, 3, true},
    {{-1, 0.6f, 3}, {0.6f, 0.5f, 0.3f}, {1, 1, 1}, 1, 0, 9, false}}; /* above the surface */

static void stickers_add(Stage* s) {
    for (u32 i = 0; i < COUNT_OF(stickers); i++) {
        const Sticker*    t = &stickers[i];
        const DecalRows   before = ent_decal_rows(s->world);
        const ResourceRef texture = before.record[0].color_texture;
        u32               row;
        const Entity      entity = entity_add(s, "decal", &row);
        ent_decal_rows(s->world).record[row] = (DecalRecord){.half_extent_m = t->half_extent,
                                                             .color = t->color,
                                                             .opacity = t->opacity,
                                                             .fade_angle_rad = 1.2f,
                                                             .order = t->order};
        if (t->textured) ent_decal_rows(s->world).record[row].color_texture = texture;
        entity_place(s, entity, t->at, (Quat){0, 0, sinf(t->turn / 2), cosf(t->turn / 2)}, 1);
    }
}

/* How far inside of a sticker a point of the plane z = 0 is: negative outside. */
static f64 sticker_inside(const Sticker* t, Vec at) {
    const f64 c = cos((f64)t->turn), sn = sin((f64)t->turn), x = at.x - (f64)t->at.x,
              y = at.y - (f64)t->at.y;
    const f64 u = c * x + sn * y, v = -sn * x + c * y;
    if (fabs((f64)t->at.z) > (f64)t->half_extent.z) return -1;
    return fmin((f64)t->half_extent.x - fabs(u), (f64)t->half_extent.y - fabs(v));
}

static f64 linear_of(f64 byte) { return pow((byte / 255 + 0.055) / 1.055, 2.4); }

static Vec stuck(Vec base, Vec at, f64 facing, bool* clear, bool* textured) {
    Vec color = base;
    *clear = true;
    *textured = false;
    for (u32 order = 0; order < 10; order++) {
        for (u32 i = 0; i < COUNT_OF(stickers); i++) {
            const Sticker* t = &stickers[i];
            const f64      inside = sticker_inside(t, at), fade = cos((f64)1.2f);
            if (t->order != order) continue;
            if (fabs(inside) < 0.02) *clear = false;
            if (inside < 0) continue;
            const f64 share = fmax(0, fmin(1, (facing - fade) / (0.25 * (1 - fade) + 1e-4)));
            const f64 a = (f64)t->opacity * share;
            const Vec own =
                t->textured ? vec(linear_of(200), linear_of(100), linear_of(50)) : of(t->color);
            *textured |= t->textured;
            color = add(times(color, 1 - a), times(own, a));
        }
    }
    return color;
}

/* A square under stacked decals: seen from the front, and turned away where they fade. */
static void decals_cover_each_other_in_their_order(void** state) {
    Stage s;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s);
    scene_random(&s, 0);
    stickers_add(&s);
    for (u32 run = 0; run < 4; run++) {
        const f32 turn = run == 2 ? 1.0f : 0;
        u32       compared = 0;
        lights_set(&s.meshes->lights,
                   &(LightsSettings){.technique = run == 3 ? LIGHTS_LISTS : LIGHTS_BITS});
        for (u32 i = 0; i < PANELS; i++)
            entity_place(&s, s.panel[i], (Vec3){0, 0, 100}, (Quat){0, 0, 0, 1}, 1);
        entity_place(&s, s.panel[0], (Vec3){0, 0, 0}, (Quat){0, sinf(turn / 2), 0, cosf(turn / 2)},
                     run == 2 ? 0.25f : 2);
        ent_transform_update(s.world);
        s.view.pose.m[2][3] = run == 2 ? 1.2f : 6;
        s.view.exposure = 0;
        s.view.shows = ENT_CANVAS_SHOWS_ALBEDO;
        stage_draw(&s);
        u8* rgba = pixels_of(&s);
        for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
            bool clear, textured;
            Hit  hit;
            if (!is_clear(&s, i % WIDTH, i / WIDTH, &hit)) continue;
            const Vec expected =
                stuck(vec(0.8, 0.7, 0.6), hit.at, fabs(hit.normal.z), &clear, &textured);
            if (!clear) continue;
            color_compare(&s, rgba + i * 4, expected, textured ? 3 : 1, "decals");
            compared++;
        }
        assert_true(compared > (run == 2 ? 20 : 1500));
        free(rgba);
    }
    stage_close(&s);
}

/* --- what single scattering loses --- */

/* The share of the light of a white sky that a perfect metal reflects: 1 but for light that it would reflect more than
 * once. */
static f64 furnace(f64 rough, f64 nv) {
    const Vec n = vec(0, 0, 1), v = vec(sqrt(1 - nv * nv), 0, nv);
    f64       sum = 0;
    enum { STEPS = 500 };
    for (u32 i = 0; i < STEPS; i++) {
        for (u32 k = 0; k < STEPS; k++) {
            const f64 z = (i + 0.5) / STEPS, a = (k + 0.5) / STEPS * 6.283185307;
            const Vec l = vec(sqrt(1 - z * z) * cos(a), sqrt(1 - z * z) * sin(a), z);
            sum += reflected(vec(1, 1, 1), 1, rough, n, v, l).x;
        }
    }
    return sum * 6.283185307 / ((f64)STEPS * STEPS);
}

static void single_scattering_loses_the_documented_share(void** state) {
    static const f64 rough[] = {0.3, 0.5, 0.7, 1},
                     kept[] = {0.985, 0.885, 0.691, 0.379}; /* SYSTEMS.md */
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rough); i++) {
        const f64 share = furnace(rough[i], 0.7);
        print_message("roughness %.1f: %.3f\n", rough[i], share);
        assert_true(fabs(share - kept[i]) <= 0.02);
    }
}

static void lit_surfaces_with_other_subgroup_sizes_are_the_same(void** state) {
    static const u32     bits[] = {128, 256};
    const GpuInfo* const info = ent_gpu_info(gpu_for_test());
    UNUSED(state);
    if (getenv("TEST_WIDTH")) return;
    if (!info->software) TEST_SKIP("subgroups of this device have one size");
    if (SANITIZED) TEST_SKIP("one size is sufficient under sanitizers");
    for (u32 i = 0; i < COUNT_OF(bits); i++) {
        if (bits[i] / 32 == info->subgroup_size) continue;
        TEST_DONE(".", "TEST_WIDTH=1 " GPU_TEST_WIDTH TEST_BUILD "/tests/run meshes_light",
                  bits[i]);
    }
}

TEST_SUITE(meshes_light) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lit_surfaces_equal_the_sum_over_all_lights),
        cmocka_unit_test(lists_and_bits_give_the_same_light),
        cmocka_unit_test(blended_surfaces_are_lit_by_the_lights_of_their_tile),
        cmocka_unit_test(decals_cover_each_other_in_their_order),
        cmocka_unit_test(single_scattering_loses_the_documented_share),
        cmocka_unit_test(lit_surfaces_with_other_subgroup_sizes_are_the_same)};
    return gpu_suite_end(TEST_RUN("meshes_light", tests));
}
