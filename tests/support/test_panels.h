/* test_panels.h - squares of different materials under lights, and their colours in double precision: what the suites of
 * lit surfaces and of probes share. */
#ifndef TEST_PANELS_H
#define TEST_PANELS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas_internal.h"
#include "lit_oracle.h"
#include "meshes_internal.h"
#include "rows.h"
#include "spawn.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"
#include "transform_manager.h"

enum { WIDTH = 96, HEIGHT = 72, PANELS = 7 };

/* Squares of 2 m with different materials, seen from both sides; the last one is blended. */
static const char panels_script[] =
    "import sys; sys.path.insert(0,sys.argv[1])\n"
    "from pathlib import Path\n"
    "from make_features import F32,NEAREST,U16,Model,png\n"
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
    "tilt=png(8,8,2,lambda x,y:(188,100,215))\n"
    "Path('src/tilt.png').write_bytes(tilt)\n"
    "json.dump({'image':'tilt.png','usage':'normal'},open('src/tilt.texture.json','w'))\n"
    "e.append({'name':'d','components':{'decal':{'color_texture':'orange','normal_texture':'tilt',"
    "\n"
    "    'half_extent_m':[0.001]*3}}})\n"
    "json.dump({'entities':e},open('src/panels.level.json','w'))\n"
    "def halves(m,image): return {'baseColorTexture':m.texture(image,\n"
    "    {'minFilter':NEAREST,'magFilter':NEAREST})}\n"
    "for k,(color,alpha) in enumerate((([1,0.2,0.1],0.8),([0.1,0.9,0.3],0.5),([0.2,0.3,1],0.9))):\n"
    "    m=Model(); corners=[(-1,-1,0),(1,-1,0),(1,1,0),(-1,1,0)]\n"
    "    image=halves(m,png(2,1,2,lambda x,y:(0 if x else 255,255,255))) if k==0 else {}\n"
    "    paint=m.slots({'baseColorFactor':[*color,alpha],'roughnessFactor':1,'metallicFactor':0,\n"
    "        **image},doubleSided=True,alphaMode='BLEND')\n"
    "    part={'attributes':{'POSITION':m.stream(corners,F32,bounds=True),\n"
    "        'TEXCOORD_0':m.stream([(0,1),(1,1),(1,0),(0,0)],F32)},\n"
    "        'indices':m.indices([(0,1,2),(0,2,3)],U16),'material':paint}\n"
    "    m.add('nodes',{'mesh':m.add('meshes',{'name':'square','primitives':[part]})})\n"
    "    m.save(Path('src'),'pane_%d'%k); e.append({'name':'g%d'%k,'prefab':'pane_%d'%k})\n"
    "m=Model(); corners=[(-1,-1,0),(1,-1,0),(1,1,0),(-1,1,0)]\n"
    "paint=m.slots({'baseColorFactor':[0.5,0.8,1,0.4],'roughnessFactor':1,'metallicFactor':0},\n"
    "    doubleSided=True,alphaMode='BLEND',normalTexture=m.texture(tilt),\n"
    "    extras={'caustic_strength':8})\n"
    "part={'attributes':{'POSITION':m.stream(corners,F32,bounds=True),\n"
    "    'TEXCOORD_0':m.stream([(0,1),(1,1),(1,0),(0,0)],F32)},\n"
    "    'indices':m.indices([(0,1,2),(0,2,3)],U16),'material':paint}\n"
    "m.add('nodes',{'mesh':m.add('meshes',{'name':'square','primitives':[part]})})\n"
    "m.save(Path('src'),'water'); e.append({'name':'w','prefab':'water'})\n"
    "json.dump({'entities':e},open('src/panes.level.json','w'))\n"
    "m=Model()\n"
    "paint=m.slots(halves(m,png(2,1,6,lambda x,y:(255,255,255,0 if x else "
    "255))),doubleSided=True,\n"
    "    alphaMode='MASK')\n"
    "part={'attributes':{'POSITION':m.stream(corners,F32,bounds=True),\n"
    "    'TEXCOORD_0':m.stream([(0,1),(1,1),(1,0),(0,0)],F32)},\n"
    "    'indices':m.indices([(0,1,2),(0,2,3)],U16),'material':paint}\n"
    "m.add('nodes',{'mesh':m.add('meshes',{'name':'square','primitives':[part]})})\n"
    "m.save(Path('src'),'mask'); e.append({'name':'mask','prefab':'mask'})\n"
    "m=Model(); moves=[((1-x)/2,-y/2,0) for x,y,z in corners]\n"
    "part={'attributes':{'POSITION':m.stream(corners,F32,bounds=True)},\n"
    "    'indices':m.indices([(0,1,2),(0,2,3)],U16),'material':m.slots(doubleSided=True),\n"
    "    'targets':[{'POSITION':m.stream(moves,F32,bounds=True)}]}\n"
    "m.add('nodes',{'mesh':m.add('meshes',{'name':'square','primitives':[part],'weights':[1]})})\n"
    "m.save(Path('src'),'morph'); e.append({'name':'morph','prefab':'morph'})\n"
    "json.dump({'entities':e},open('src/casters.level.json','w'))\n";

/* Squares that hide little of what is behind them, and an opaque one. */
static const char thin_script[] =
    "import sys; sys.path.insert(0,sys.argv[1])\n"
    "from pathlib import Path\n"
    "from make_features import F32,U16,Model,png\n"
    "import json\n"
    "corners=[(-1,-1,0),(1,-1,0),(1,1,0),(-1,1,0)]\n"
    "e=[]\n"
    "for k in range(8):\n"
    "    m=Model(); color=[(3+k*5%8)/11,(2+k*3%8)/10,(1+k)/9,1 if k==7 else 0.02+0.03*k]\n"
    "    paint=m.slots({'baseColorFactor':color,'roughnessFactor':1,'metallicFactor':0},\n"
    "        doubleSided=True,**({} if k==7 else {'alphaMode':'BLEND'}))\n"
    "    part={'attributes':{'POSITION':m.stream(corners,F32,bounds=True)},\n"
    "        'indices':m.indices([(0,1,2),(0,2,3)],U16),'material':paint}\n"
    "    m.add('nodes',{'mesh':m.add('meshes',{'name':'square','primitives':[part]})})\n"
    "    m.save(Path('src'),'thin_%d'%k); e.append({'name':'t%d'%k,'prefab':'thin_%d'%k})\n"
    "ramp=png(32,32,2,lambda x,y:(8*x,255-8*y,128+4*abs(x-16)))\n"
    "Path('src/ramp.png').write_bytes(ramp)\n"
    "json.dump({'image':'ramp.png','usage':'data','format':'rgba8'},open('src/"
    "ramp.texture.json','w'))\n"
    "e.append({'name':'r','components':{'decal':{'color_texture':'ramp','half_extent_m':[0.001]*3}}"
    "})\n"
    "import math\n"
    "wave=png(16,16,2,lambda x,y:(round(128+60*math.sin(x*math.pi/8)),\n"
    "    round(128+60*math.cos(y*math.pi/8)),220))\n"
    "for k in range(2):\n"
    "    m=Model()\n"
    "    paint=m.slots({'baseColorFactor':[0.5,0.8,1,0.5 if k else "
    "1],'roughnessFactor':1,'metallicFactor':0},\n"
    "        doubleSided=True,**({'alphaMode':'BLEND'} if k else "
    "{}),normalTexture=m.texture(wave),\n"
    "        extras={'caustic_strength':8,'normal_scroll':[0.31,-0.17,-0.23,0.11]})\n"
    "    part={'attributes':{'POSITION':m.stream(corners,F32,bounds=True),\n"
    "        'TEXCOORD_0':m.stream([(0,1),(1,1),(1,0),(0,0)],F32)},\n"
    "        'indices':m.indices([(0,1,2),(0,2,3)],U16),'material':paint}\n"
    "    m.add('nodes',{'mesh':m.add('meshes',{'name':'square','primitives':[part]})})\n"
    "    m.save(Path('src'),'waves_%d'%k); e.append({'name':'v%d'%k,'prefab':'waves_%d'%k})\n"
    "for k in range(2):\n"
    "    m=Model(); "
    "light=m.slots({'baseColorFactor':[0,0,0,1],'roughnessFactor':1,'metallicFactor':0},\n"
    "        doubleSided=True,emissiveFactor=[1,1,1])\n"
    "    clear=m.slots({'baseColorFactor':[0,0,0,0],'roughnessFactor':1,'metallicFactor':0},\n"
    "        alphaMode='BLEND',extras={'refraction':0.666})\n"
    "    part={'attributes':{'POSITION':m.stream(corners,F32,bounds=True)},\n"
    "        'indices':m.indices([(0,1,2),(0,2,3)],U16),'material':clear if k else light}\n"
    "    m.add('nodes',{'mesh':m.add('meshes',{'name':'square','primitives':[part]})})\n"
    "    m.save(Path('src'),'bend_%d'%k); e.append({'name':'b%d'%k,'prefab':'bend_%d'%k})\n"
    "def glass(share,color,rough,index,volume=None):\n"
    "    more={'KHR_materials_transmission':{'transmissionFactor':share},\n"
    "        'KHR_materials_ior':{'ior':index},\n"
    "        **({'KHR_materials_volume':volume} if volume else {})}\n"
    "    return {'extensions':more,\n"
    "        'factors':{'baseColorFactor':color,'roughnessFactor':rough,'metallicFactor':0}}\n"
    "def coated(share,rough,color,metallic,base):\n"
    "    return {'extensions':{'KHR_materials_clearcoat':{'clearcoatFactor':share,\n"
    "        'clearcoatRoughnessFactor':rough}},\n"
    "        "
    "'factors':{'baseColorFactor':[*color,1],'metallicFactor':metallic,'roughnessFactor':base}}\n"
    "body=glass(1,[1,1,1,1],1,1.333,{'thicknessFactor':0.1,'attenuationColor':[0.5,0.8,1],\n"
    "    'attenuationDistance':0.05})\n"
    "kinds=(glass(0.8,[0.9,0.5,0.2,0.1],0.3,1.8),body,glass(1,[1,1,1,1],0.3,1.5),\n"
    "    {'factors':{'baseColorFactor':[0,0,0,1],'roughnessFactor':0.3,'metallicFactor':0}},\n"
    "    coated(1,0.15,[0.6,0.1,0.05],0,0.8),coated(0.5,0.4,[0.9,0.6,0.2],1,0.5),\n"
    "    {**body,'sides':True})\n"
    "for k,kind in enumerate(kinds):\n"
    "    m=Model(); more=kind.get('extensions')\n"
    "    paint=m.slots(kind['factors'],doubleSided='sides' in kind,\n"
    "        **({'extensions':more} if more else {}))\n"
    "    if more: m.json['extensionsUsed']=sorted(more)\n"
    "    part={'attributes':{'POSITION':m.stream(corners,F32,bounds=True)},\n"
    "        'indices':m.indices([(0,1,2),(0,2,3)],U16),'material':paint}\n"
    "    m.add('nodes',{'mesh':m.add('meshes',{'name':'square','primitives':[part]})})\n"
    "    m.save(Path('src'),'glass_%d'%k); e.append({'name':'q%d'%k,'prefab':'glass_%d'%k})\n"
    "json.dump({'entities':e},open('src/thin.level.json','w'))\n";

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
    Entity     added[260];
    u32        added_count;
    bool       blends;
} Stage;

static inline const char* panels_folder(void) {
    static char* folder;
    if (folder) return folder;
    folder = strdup(test_folder("meshes_light"));
    test_write_text(folder, "panels.py", panels_script);
    test_write_text(folder, "thin.py", thin_script);
    TEST_DONE(folder, "python3 panels.py ../../../../tests/support && "
                      "python3 thin.py ../../../../tests/support && entc build src -o out -q");
    return folder;
}

static inline void stage_open_level(Stage* s, const char* level) {
    const CanvasDesc desc = {.width = WIDTH, .height = HEIGHT, .samples = 1};
    const Blob*      blob;
    GpuProblem       problem = {0};
    void*            state;
    char             path[1100];
    *s = (Stage){0};
    snprintf(path, sizeof path, "%s/out", panels_folder());
    assert_int_equal(ent_library_open(&s->library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_load(&s->library, level, RESOURCE_LEVEL, &blob), ENT_OK);
    assert_int_equal(ent_world_create(&s->world, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(s->world, blob, NULL, NULL), ENT_OK);
    const MeshRows rows = ent_mesh_rows(s->world);
    assert_true(rows.count >= PANELS);
    for (u32 i = 0; i < PANELS; i++) s->panel[i] = rows.entity[i];
    const GpuScene scene = {.world = s->world, .library = &s->library};
    if (test_system_create(ent_meshes_system(), &state, gpu_for_test(), &scene, &problem) != ENT_OK)
        fail_msg("%s", problem.text);
    s->meshes = state;
    assert_int_equal(ent_canvas_create(&s->canvas, gpu_for_test(), &desc), ENT_OK);
}

static inline void stage_open(Stage* s) { stage_open_level(s, "panels"); }

static inline void stage_close(Stage* s) {
    ent_canvas_destroy(s->canvas);
    test_system_destroy(ent_meshes_system(), s->meshes);
    ent_world_destroy(s->world);
    ent_library_close(&s->library);
    test_gpu_silent();
}

static inline void stage_draw(Stage* s) {
    s->eye = canvas_eye(&s->view, WIDTH, HEIGHT, 1);
    assert_int_equal(test_system_frame(ent_meshes_system(), s->meshes, gpu_for_test()), ENT_OK);
    assert_int_equal(test_system_draw(ent_meshes_system(), s->meshes, s->canvas, &s->view), ENT_OK);
}

/* Draws, and returns the linear colours of the samples, four each. */
static inline f64* stage_light(Stage* s) {
    const u32 words = WIDTH * HEIGHT * 4;
    u16*      colors = malloc(words * sizeof *colors);
    f64*      light = malloc(words * sizeof *light);
    ent_transform_update(s->world);
    stage_draw(s);
    assert_int_equal(
        gpu_download(gpu_for_test(), &s->canvas->color, 0, colors, words * sizeof *colors), ENT_OK);
    for (u32 i = 0; i < words; i++) light[i] = half_of(colors[i]);
    free(colors);
    return light;
}

static inline u8* pixels_of(const Stage* s) {
    u8* rgba = malloc(WIDTH * HEIGHT * 4);
    assert_int_equal(ent_canvas_read(s->canvas, rgba), ENT_OK);
    return rgba;
}

/* --- scenes --- */

static inline void entity_place(const Stage* s, Entity entity, Vec3 at, Quat turn, f32 scale) {
    const TransformRecord pose = {at, turn, {scale, scale, scale}};
    ent_transform_set_local(s->world, ent_transform_row(s->world, entity), &pose);
}

static inline Quat turn_random(Random* r, f32 max) {
    const f32 q[4] = {random_float(r, -max, max), random_float(r, -max, max),
                      random_float(r, -max, max), 1};
    const f32 scale = 1 / sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return (Quat){q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale};
}

static inline Entity entity_add(Stage* s, const char* type, u32* row) {
    Entity entity;
    u32    manager;
    assert_int_equal(ent_entity_create(s->world, &entity, 1), ENT_OK);
    assert_int_equal(ent_manager_create(s->world, ent_world_manager_by_name(s->world, "transform"),
                                        entity, &manager),
                     ENT_OK);
    assert_int_equal(
        ent_manager_create(s->world, ent_world_manager_by_name(s->world, type), entity, row),
        ENT_OK);
    assert_true(s->added_count < COUNT_OF(s->added));
    return s->added[s->added_count++] = entity;
}

/* A square of 2 m with the mesh of that name. */
static inline Entity square_add(Stage* s, const char* name, Vec3 at, Quat turn, f32 scale) {
    u32          row;
    const Entity entity = entity_add(s, "mesh", &row);
    ent_mesh_rows(s->world).record[row].resource = ent_resource_ref(name, RESOURCE_MESH);
    entity_place(s, entity, at, turn, scale);
    return entity;
}

/* One of the squares that hide little; 7 is opaque. */
static inline Entity thin_add(Stage* s, u32 kind, Vec3 at, Quat turn, f32 scale) {
    char name[16];
    snprintf(name, sizeof name, "thin_%u/square", kind);
    return square_add(s, name, at, turn, scale);
}

/* The level of thin_script, with all squares out of the view. */
static inline void thin_open(Stage* s) {
    stage_open_level(s, "thin");
    const MeshRows meshes = ent_mesh_rows(s->world);
    for (u32 i = 0; i < meshes.count; i++)
        entity_place(s, meshes.entity[i], (Vec3){0, 0, 100}, (Quat){0, 0, 0, 1}, 1);
}

static inline void added_destroy(Stage* s) {
    assert_int_equal(ent_entity_destroy(s->world, s->added, s->added_count), s->added_count);
    ent_world_gc(s->world);
    s->added_count = 0;
}

static inline void light_add(Stage* s, Random* r, LightKind kind) {
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
static inline void scene_random(Stage* s, u32 seed) {
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

typedef struct Hit {
    u32 panel; /* PANELS: none */
    Vec at, normal, to_eye;
} Hit;

static inline void ray_of(const CanvasEye* eye, f64 x, f64 y, Vec* from, Vec* along) {
    const Vec aside =
        add(times(of(eye->right), x / WIDTH * 2 - 1), times(of(eye->up), 1 - y / HEIGHT * 2));
    *from = eye->orthographic ? add(of(eye->origin), aside) : of(eye->origin);
    *along = eye->orthographic ? of(eye->forward) : add(of(eye->forward), aside);
}

static inline Hit hit_at(const Stage* s, f64 x, f64 y, u32 panels) {
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

static inline Vec lit_directly(const Stage* s, const Hit* hit) {
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
    return sum;
}

static inline Vec lit(const Stage* s, const Hit* hit) {
    const Vec color =
        vec(look_color[hit->panel][0], look_color[hit->panel][1], look_color[hit->panel][2]);
    const Vec sky =
        around(color, look_metallic[hit->panel], look_rough[hit->panel], hit->normal, hit->to_eye);
    return add(lit_directly(s, hit), times(sky, 1 - (f64)s->view.dimmed));
}

static inline f64 byte_of(const Stage* s, f64 c) {
    if (s->view.exposure == 0)
        c = fmin(c, 1);
    else if (c > 0.8)
        c = 0.8 + 0.2 * (1 - exp(-(c - 0.8) / 0.2));
    return 255 * (c <= 0.0031308 ? c * 12.92 : 1.055 * pow(c, 1 / 2.4) - 0.055);
}

/* Is one panel visible in the whole neighbourhood of a sample? */
static inline bool is_clear(const Stage* s, u32 x, u32 y, Hit* hit) {
    *hit = hit_at(s, x + 0.5, y + 0.5, PANELS - 1);
    for (u32 k = 0; k < 4; k++) {
        const Hit beside =
            hit_at(s, x + 0.5 + (k < 2 ? 0.7 : -0.7), y + 0.5 + (k % 2 ? 0.7 : -0.7), PANELS - 1);
        if (beside.panel != hit->panel) return false;
    }
    return hit->panel < PANELS;
}

static inline void color_compare(const Stage* s, const u8* rgba, Vec expected, f64 max,
                                 const char* what) {
    const f64 wanted[3] = {expected.x, expected.y, expected.z};
    for (u32 c = 0; c < 3; c++) {
        const f64 byte = byte_of(s, wanted[c]);
        if (fabs(byte - rgba[c]) > max)
            fail_msg("%s: channel %u is %u, not %.2f", what, c, rgba[c], byte);
    }
}

#endif
