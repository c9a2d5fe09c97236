/* test_frames.c - entrun computes frames: pictures and times of the systems of a level, and one
 * error message for whatever prevents that. */
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "emission_internal.h"
#include "framing.h"
#include "sph.h"
#include "test_gpu_support.h"

#define FLOOR ", { \"name\": \"floor\", \"components\": { \"transform\": {}, \"collider\": {} } }"
#define EYE                                                                                        \
    ", { \"name\": \"eye\", \"components\": { \"transform\": { \"position\": [0, 2, 5] },\n"       \
    "    \"camera\": { \"target\": \"drop\" } } }"
#define DROP(fields)                                                                               \
    "{ \"name\": \"drop\", \"components\": { \"transform\": { \"position\": [0, 1, 0] },\n"        \
    "    \"fluid\": { \"draw\": \"balls\", \"spacing_m\": 0.5, \"rest_density_kg_m3\": 10" fields  \
    " } } }"
#define LEVEL(entities) "{ \"entities\": [ " entities " ] }"

/* Seen from above at an angle. */
#define EYE_ABOVE                                                                                  \
    "{ \"name\": \"eye\", \"components\": {\n"                                                     \
    "    \"transform\": { \"position\": [0, 4, 4], \"rotation\": [-0.3826834, 0, 0, "              \
    "0.9238795] },\n"                                                                              \
    "    \"camera\": { \"kind\": \"orthographic\", \"height_m\": 4, \"far_m\": 20 } } }"

/* Grey water with a material. */
#define PAINTED(material)                                                                          \
    LEVEL("{ \"name\": \"dam\", \"components\": {\n"                                               \
          "    \"transform\": { \"position\": [0, 0.6, 0] },\n"                                    \
          "    \"fluid\": { \"draw\": \"balls\", \"half_extent_m\": [0.5, 0.5, 0.5], "             \
          "\"spacing_m\": 0.125, \"color\": "                                                      \
          "[0.6, 0.6, 0.6]" material " } } },\n" EYE_ABOVE)

/* A red lamp on the right of a column of water. */
#define DAM_AND_LAMP(casts)                                                                        \
    LEVEL("{ \"name\": \"dam\", \"components\": {\n"                                               \
          "    \"transform\": { \"position\": [0, 0.6, 0] },\n"                                    \
          "    \"fluid\": { \"draw\": \"balls\", \"half_extent_m\": [0.5, 0.5, 0.5], "             \
          "\"spacing_m\": 0.125, \"color\": "                                                      \
          "[0.6, 0.6, 0.6] } } },\n"                                                               \
          "{ \"name\": \"floor\", \"components\": { \"transform\": {}, \"collider\": { "           \
          "\"normal\": [0, 1, 0] } } },\n"                                                         \
          "{ \"name\": \"lamp\", \"components\": {\n"                                              \
          "    \"transform\": { \"position\": [2.5, 1.2, 0] },\n"                                  \
          "    \"light\": { \"kind\": \"point\", \"color\": [1, 0, 0], \"intensity\": 100000, "    \
          "\"range_m\": 20" casts " } } },\n" EYE_ABOVE)

#define RAINDROP                                                                                   \
    "{ \"components\": { \"transform\": { \"position\": [0, 1, 0] }, \"fluid\": {\n"               \
    "    \"half_extent_m\": [0.5, 0.5, 0.5], \"absorption_per_m\": [9, 1, 0] } } }"
#define FOUR RAINDROP "," RAINDROP "," RAINDROP "," RAINDROP ","

static const TestFile sources[] = {
    {"drop.level.json", LEVEL(DROP("") FLOOR EYE)},
    {"free.level.json", LEVEL(DROP("") FLOOR)},
    {"points.level.json", LEVEL(DROP(", \"points\": \"models/box/box\""))},
    {"huge.level.json", LEVEL(DROP(", \"half_extent_m\": [9000, 9000, 9000]"))},
    {"turned.level.json",
     LEVEL("{ \"name\": \"turned\", \"components\": {\n"
           "    \"transform\": { \"position\": [3, 0, 0], \"scale\": [2, 3, 1],\n"
           "      \"rotation\": [0, 0, 0.70710678, 0.70710678] },\n"
           "    \"fluid\": { \"half_extent_m\": [1, 0.5, 0.25], \"spacing_m\": 0.25 },\n"
           "    \"collider\": { \"normal\": [0.6, 0.8, 0], \"offset_m\": -2 } } }")},
    {"discs.level.json",
     LEVEL("{ \"name\": \"discs\", \"components\": {\n"
           "    \"transform\": { \"rotation\": [0.1, 0.3, 0.1, 0.9434] },\n"
           "    \"particle_system\": { \"count\": 50, \"half_extent_m\": [2, 1],\n"
           "      \"radius_min_m\": 0.1, \"radius_max_m\": 0.1, \"color\": [0, 0, 1],\n"
           "      \"attractor\": \"discs/bait\" } },\n"
           "  \"children\": [ { \"name\": \"bait\", \"components\": {\n"
           "    \"transform\": { \"position\": [1, 0, 0] } } } ] }")},
    {"crates.level.json",
     LEVEL("{ \"name\": \"yard\", \"children\": [ { \"name\": \"crate\", \"components\": {\n"
           "    \"mesh\": { \"resource\": \"models/box/box\" } } } ] }")},
    {"lamp.level.json", DAM_AND_LAMP(", \"casts_shadow\": true")},
    {"glow.level.json", DAM_AND_LAMP("")},
    {"named.level.json",
     LEVEL("{ \"name\": \"hall\", \"children\": [ { \"name\": \"lamp \\\"A\\\", 1\", "
           "\"components\": {\n"
           "    \"transform\": { \"position\": [0, 3, 0] },\n"
           "    \"light\": { \"kind\": \"point\", \"casts_shadow\": true, \"range_m\": 20,\n"
           "      \"intensity\": 1000 } } } ] }, " DROP("") FLOOR EYE)},
    {"grey.level.json", PAINTED("")},
    {"green.level.json", PAINTED(", \"material\": \"models/paint/green\"")},
    {"models/paint.gltf",
     "{ \"asset\": { \"version\": \"2.0\" }, \"materials\": [\n"
     "  { \"name\": \"green\", \"pbrMetallicRoughness\": { \"baseColorFactor\": "
     "[0.05, 0.6, 0.05, 1], \"metallicFactor\": 0 } } ] }"},
    {"empty.level.json", LEVEL("{ \"name\": \"nothing\" }")},
    {"rain.level.json", LEVEL(FOUR FOUR FOUR FOUR RAINDROP "," EYE_ABOVE)},
};

/* A folder with all of them compiled. entrun unloads the driver before leaks are searched for, so
 * that leaks cannot be attributed: the search is disabled there. */
static const char* project(const char* name) {
    static char folder[1024];
    gpu_for_test();
    if (SANITIZED) setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
    snprintf(folder, sizeof folder, "%s", test_folder(name));
    test_write_files(folder, "src", sources, COUNT_OF(sources));
    test_write_box(folder, "src");
    TEST_DONE(folder, "entc build src -o out -q");
    return folder;
}

/* The pixels of a picture, RGBA. Checks the size. */
static u8* picture_of(const char* folder, const char* name, u32 width, u32 height) {
    char      path[2048];
    png_image image = {.version = PNG_IMAGE_VERSION};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!png_image_begin_read_from_file(&image, path)) fail_msg("%s: %s", path, image.message);
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    image.format = PNG_FORMAT_RGBA;
    u8* pixels = malloc(PNG_IMAGE_SIZE(image));
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    return pixels;
}

/* The number of pixels that are much bluer than red: water. */
static u32 water_of(const u8* pixels, u32 count) {
    u32 water = 0;
    for (u32 i = 0; i < count; i++) water += pixels[i * 4 + 2] > pixels[i * 4] + 60;
    return water;
}

static void entrun_with_png_option_writes_pictures_of_frames(void** state) {
    UNUSED(state);
    const char* folder = project("frames");
    EXPECT(folder, 0, "3 frames of 64 particles on ",
           "entrun out --level drop --frames 3 --png new/a.png --size 160x90");
    u8* by_camera = picture_of(folder, "new/a.png", 160, 90);
    assert_in_range(water_of(by_camera, 160 * 90), 300, 160 * 90 * 3 / 4);
    EXPECT(folder, 0, "surfaces raster",
           "entrun out --level free --frames 2 --png b --size 90x160");
    u8* framed = picture_of(folder, "b", 90, 160);
    assert_in_range(water_of(framed, 160 * 90), 300, 160 * 90 * 3 / 4);
    free(by_camera);
    free(framed);
    EXPECT(folder, 0, "7 frames of 64 particles on ",
           "entrun out --level drop --frames 7 --every 3 --png c.png --size 8x8 && "
           "test \"$(echo c*)\" = 'c_0003.png c_0006.png'");
    free(picture_of(folder, "c_0006.png", 8, 8));
}

/* --- from rows to systems: in this process, where leaks are found --- */

typedef struct LevelSpawned {
    Library    library;
    World*     world;
    Simulation simulation;
} LevelSpawned;

static void spawn(LevelSpawned* s, const char* folder, const char* name) {
    char        path[2048];
    const Blob* level;
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(ent_library_open(&s->library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_load(&s->library, name, RESOURCE_LEVEL, &level), ENT_OK);
    assert_int_equal(ent_world_create(&s->world, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(s->world, level, NULL, NULL), ENT_OK);
    assert_int_equal(simulation_create(&s->simulation, gpu_for_test(), s->world, &s->library),
                     ENT_OK);
}

static void spawn_end(LevelSpawned* s) {
    simulation_destroy(&s->simulation);
    ent_world_destroy(s->world);
    ent_library_close(&s->library);
    test_gpu_silent();
}

static void vec3_is(Vec3 v, f32 x, f32 y, f32 z) {
    if (fabsf(v.x - x) > 1e-5f || fabsf(v.y - y) > 1e-5f || fabsf(v.z - z) > 1e-5f)
        fail_msg("%g %g %g, not %g %g %g", v.x, v.y, v.z, x, y, z);
}

/* The particle spacing is in world units, whatever the scale of the entity. Each particle has a
 * cell of the box. A plane contains its point and is perpendicular to its scaled and rotated
 * directions. */
static void fluid_box_and_plane_of_turned_entity_are_transformed(void** state) {
    UNUSED(state);
    LevelSpawned s;
    spawn(&s, project("frames_turned"), "turned");
    assert_int_equal(s.simulation.extent_count, 1);
    assert_int_equal(s.simulation.extent[0]->count, 16 * 12 * 2);
    /* Turned by 90 degrees about z: x is where -y was. */
    vec3_is(s.simulation.bounds.low, 3 - 1.375f, -1.875f, -0.125f);
    vec3_is(s.simulation.bounds.high, 3 + 1.375f, 1.875f, 0.125f);
    /* The normal 0.6 0.8 0 divided by the scale is 0.3 0.2667 0; turned, -0.2667 0.3 0. Its point,
     * -1.2 -1.6 0 scaled and turned, is 4.8 -2.4 0, from 3 0 0. */
    const Vec4 plane = s.simulation.drawn[0];
    const f32  scale = 1 / sqrtf(0.3f * 0.3f + 0.8f * 0.8f / 9);
    assert_int_equal(s.simulation.drawn_count, 1);
    vec3_is((Vec3){plane.x, plane.y, plane.z}, -0.8f / 3 * scale, 0.3f * scale, 0);
    /* Drawn behind the centres of particles by their radius. */
    assert_true(fabsf(plane.w + 0.125f - (plane.x * 7.8f - plane.y * 2.4f)) < 1e-5f);
    spawn_end(&s);
}

/* The position of a point in the picture, from -1 to 1. */
static Vec2 seen_at(const CanvasView* view, f32 aspect, Vec3 p) {
    const f32(*m)[4] = view->pose.m;
    const Vec3 d = {p.x - m[0][3], p.y - m[1][3], p.z - m[2][3]};
    const f32  x = m[0][0] * d.x + m[1][0] * d.y + m[2][0] * d.z;
    const f32  y = m[0][1] * d.x + m[1][1] * d.y + m[2][1] * d.z;
    const f32  z = m[0][2] * d.x + m[1][2] * d.y + m[2][2] * d.z;
    const f32  high = tanf(view->camera.vertical_fov_rad / 2) * -z;
    assert_true(-z > view->camera.near_m);
    return (Vec2){x / (high * aspect), y / high};
}

static ent_status frame_of(void* state, GpuFrame* frame) {
    Simulation* simulation = state;
    TRY(simulation_advance(simulation));
    return ent_picture_record(frame, &simulation->parts, NULL, NULL);
}

/* The complete level is in the picture, as large as possible. */
static void level_without_camera_is_framed_completely(void** state) {
    UNUSED(state);
    LevelSpawned s;
    const f32    aspects[] = {0.4f, 1, 16 / 9.0f};
    spawn(&s, project("frames_framed"), "free");
    assert_int_equal(test_gpu_frame(gpu_for_test(), frame_of, &s.simulation), ENT_OK);
    for (u32 a = 0; a < COUNT_OF(aspects); a++) {
        const CanvasView view = framing_view(s.world, &s.simulation, aspects[a]);
        const Bounds*    b = &s.simulation.bounds;
        f32              max = 0;
        for (u32 i = 0; i < 8; i++) {
            const Vec3 corner = {i & 1 ? b->low.x : b->high.x, i & 2 ? -0.25f : b->high.y,
                                 i & 4 ? b->low.z : b->high.z}; /* of the floor too */
            const Vec2 at = seen_at(&view, aspects[a], corner);
            max = MAX_OF(max, MAX_OF(fabsf(at.x), fabsf(at.y)));
        }
        if (max > 0.95f || max < 0.9f) fail_msg("aspect %g: up to %g", aspects[a], max);
    }
    spawn_end(&s);
}

/* --- entrun --- */

/* Without a camera the rectangle fills the picture: there are discs near all of its sides. */
static void particles_of_disc_level_are_drawn_near_all_sides(void** state) {
    UNUSED(state);
    const char* folder = project("frames_discs");
    EXPECT(folder, 0, "simulate particles scatter",
           "entrun out --level discs --frames 1 --png a.png --size 200x100");
    u8* pixels = picture_of(folder, "a.png", 200, 100);
    u32 side[4] = {0}, cold = 0;
    for (u32 i = 0; i < 200 * 100; i++) {
        const u32 x = i % 200, y = i / 200, highest = MAX_OF(pixels[i * 4], pixels[i * 4 + 2]);
        if (highest < pixels[i * 4 + 1] + 60u) continue;
        side[0] += x < 40, side[1] += x >= 160, side[2] += y < 25, side[3] += y >= 75;
        cold += pixels[i * 4 + 2] > pixels[i * 4];
    }
    for (u32 i = 0; i < 4; i++) assert_in_range(side[i], 50, 5000);
    assert_in_range(cold, 50, 10000);
    free(pixels);
}

static void level_without_fluid_is_drawn_without_water(void** state) {
    UNUSED(state);
    const char* folder = project("frames_empty");
    EXPECT(folder, 0, "1 frames of 0 particles on ",
           "entrun out --level empty --frames 1 --png a.png && "
           "entrun out --level empty --frames 1 --png b.png && cmp a.png b.png");
    EXPECT(folder, 0, "entrun: warning: nothing in this level is visible",
           "entrun out --level empty --png b.png && cmp a.png b.png");
    EXPECT(folder, 0, "a picture on ",
           "entc build ../../../../assets -o town -q && entrun town --level models/lamp/pole "
           "--png r.png --size 1280x720 2>&1 && ! cmp -s a.png r.png");
    EXPECT(folder, 0, "a picture on ",
           "entrun out --level drop --png c.png --size 64x48 2>&1 && "
           "! cmp -s a.png c.png");
    u8* pixels = picture_of(folder, "a.png", 1280, 720);
    assert_int_equal(water_of(pixels, 1280 * 720), 0);
    assert_true(pixels[0] < pixels[719 * 1280 * 4]);
    free(pixels);
}

static void fluid_of_mesh_has_one_particle_per_vertex(void** state) {
    UNUSED(state);
    const char* folder = project("frames_points");
    EXPECT(folder, 0, "1 frames of 3 particles on ", "entrun out --level points --frames 1");
}

static u32 magenta_of(const u8* pixels, u32 count) {
    u32 magenta = 0;
    for (u32 i = 0; i < count; i++) {
        const u8* p = pixels + (size_t)i * 4;
        magenta += p[0] > 150 && p[1] < 110 && p[2] > 150;
    }
    return magenta;
}

static u64 brightness_of(const char* folder, const char* png) {
    u8* pixels = picture_of(folder, png, 64, 64);
    u64 sum = 0;
    for (u32 i = 0; i < 64 * 64 * 4; i++) sum += pixels[i];
    free(pixels);
    return sum;
}

/* Its light is that of a day: EV 15 leaves it as it is. */
static void exposure_changes_pictures_of_a_level_without_lights(void** state) {
    UNUSED(state);
    const char* folder = project("frames_exposure");
    for (u32 spheres = 0; spheres < 2; spheres++) {
        TEST_DONE(folder,
                  "for ev in 17 16 15 14; do entrun out --level %s --png at$ev.png "
                  "--size 64x64 --exposure $ev; done",
                  spheres ? "drop --frames 1" : "crates");
        const u64 sum[] = {brightness_of(folder, "at17.png"), brightness_of(folder, "at16.png"),
                           brightness_of(folder, "at15.png"), brightness_of(folder, "at14.png")};
        assert_true(sum[0] < sum[1] && sum[1] < sum[2] && sum[2] < sum[3]);
    }
}

/* The message names the entity; without a picture a missing resource stays an error. */
static void level_with_missing_mesh_is_drawn_with_a_stand_in(void** state) {
    UNUSED(state);
    const char* folder = project("frames_missing");
    const char* words = "no such file; the entity \"yard/crate\" of \"crates.level\" refers to it";
    EXPECT(folder, 0, "a picture on ", "entrun out --level crates --png a.png --size 64x64");
    u8* pixels = picture_of(folder, "a.png", 64, 64);
    assert_int_equal(magenta_of(pixels, 64 * 64), 0);
    free(pixels);
    TEST_DONE(folder, "mv out/models/box/box.mesh box");
    EXPECT(folder, 0, words, "entrun out --level crates --png a.png --size 64x64 2>&1");
    pixels = picture_of(folder, "a.png", 64, 64);
    assert_true(magenta_of(pixels, 64 * 64) > 200);
    free(pixels);
    EXPECT(folder, 2, words, "entrun out --level crates 2>&1");
    TEST_DONE(folder, "cp out/crates.level out/models/box/box.mesh");
    EXPECT(folder, 0, "the entity \"yard/crate\" of \"crates.level\" refers to it",
           "entrun out --level crates --png a.png --size 64x64 2>&1");
}

/* 4: a limit is exceeded; no picture is written. */
static void level_beyond_device_memory_is_refused_with_the_numbers(void** state) {
    UNUSED(state);
    const char* folder = project("frames_budget");
    EXPECT(folder, 4, "are in use; the limit is 1048576",
           "entrun out --level crates --png a.png --device-memory 1 2>&1");
    TEST_DONE(folder, "! test -e a.png");
    EXPECT(folder, 4, "are needed and ",
           "entrun out --level crates --png a.png --device-memory 34 2>&1");
    TEST_DONE(folder, "! test -e a.png");
    EXPECT(folder, 0, " of 536870912",
           "entrun out --level crates --png a.png --size 64x64 --device-memory 512 2>&1");
}

/* The resource is named that has to become smaller. */
static void mesh_and_texture_beyond_device_memory_are_refused_by_name(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    const char* folder = test_folder("frames_large");
    test_write_text(
        folder, "large.py",
        "import json,os,struct,zlib\n"
        "os.makedirs('src/models'); os.makedirs('src/props')\n"
        "def model(path,count):\n"
        "    data=b''.join(struct.pack('<3f',i,0,0) for i in range(count))\n"
        "    open('src/'+path+'.bin','wb').write(data)\n"
        "    json.dump({'asset':{'version':'2.0'},'scene':0,'scenes':[{'nodes':[0]}],\n"
        "        'nodes':[{'mesh':0}],'buffers':[{'byteLength':len(data),\n"
        "        'uri':os.path.basename(path)+'.bin'}],\n"
        "        "
        "'meshes':[{'name':'hull','primitives':[{'attributes':{'POSITION':0},'mode':0}]}],\n"
        "        'bufferViews':[{'buffer':0,'byteLength':len(data)}],\n"
        "        'accessors':[{'bufferView':0,'componentType':5126,'count':count,'type':'VEC3',\n"
        "        'min':[0,0,0],'max':[count-1,0,0]}]},open('src/'+path+'.gltf','w'))\n"
        "model('models/ship',400000); model('models/boat',30)\n"
        "def level(name,models): json.dump({'entities':[{'name':m,'prefab':'models/'+m}\n"
        "    for m in models]},open('src/%s.level.json'%name,'w'))\n"
        "level('sea',['boat','ship'])\n"
        "def chunk(kind,data): return (struct.pack('>I',len(data))+kind+data+\n"
        "    struct.pack('>I',zlib.crc32(kind+data)))\n"
        "size=2048\n"
        "open('src/props/wall.png','wb').write(b'\\x89PNG\\r\\n\\x1a\\n'+\n"
        "    chunk(b'IHDR',struct.pack('>2I5B',size,size,8,2,0,0,0))+\n"
        "    chunk(b'IDAT',zlib.compress((b'\\0'+b'\\x80'*3*size)*size,1))+chunk(b'IEND',b''))\n"
        "json.dump({'entities':[{'prefab':'models/boat'},{'components':{'decal':{\n"
        "    'color_texture':'props/wall'}}}]},open('src/port.level.json','w'))\n");
    TEST_DONE(folder, "python3 large.py && entc build src -o out -q");
    EXPECT(folder, 4, "for each of both, and 37748736 bytes for all memory, of which ",
           "entrun out --level sea --png a.png --device-memory 36 2>&1");
    EXPECT(folder, 4, "; the largest mesh, \"models/ship/hull\", has 6400000 bytes",
           "entrun out --level sea --png a.png --device-memory 36 2>&1");
    EXPECT(
        folder, 4,
        "has no memory for the texture \"props/wall\" of 2048 x 2048 pixels and 0 others with the "
        "same format and size; the limit is 35651584 bytes, of which ",
        "entrun out --level port --png a.png --device-memory 34 2>&1");
    TEST_DONE(folder, "! test -e a.png");
}

/* From a level and a clip to the shapes that a fluid meets: the blades of the wheel turn by 90 degrees a second. */
static void colliders_at_a_joint_turn_with_its_clip(void** state) {
    const char*   folder = test_folder("frames_mill");
    EntColliders* colliders;
    LevelSpawned  s;
    UNUSED(state);
    gpu_for_test();
    TEST_DONE(folder, "entc build ../../../../assets -o out -q");
    spawn(&s, folder, "levels/mill");
    assert_int_equal(ent_colliders_create(&colliders, s.world), ENT_OK);
    for (u32 frame = 0; frame <= 90; frame++) {
        const f64 angle = -1.5707963267948966 * frame / 60,
                  was = -1.5707963267948966 * (frame ? frame - 1 : 0) / 60;
        u32 count, boxes = 0;
        if (frame) assert_int_equal(simulation_advance(&s.simulation), ENT_OK);
        assert_int_equal(ent_colliders_advance(colliders), ENT_OK);
        const ColliderMotion* c = ent_colliders_list(colliders, &count);
        assert_int_equal(count, 7);
        for (u32 i = 0; i < count; i++) {
            if (c[i].is_plane) continue;
            const f64 w = fabs((f64)c[i].turn.w), x = fabs((f64)c[i].turn_was.w);
            assert_true(fabs(w - fabs(cos(angle / 2))) < 1e-4);
            assert_true(fabs(x - fabs(cos(was / 2))) < 1e-4);
            vec3_is(c[i].at, 0, 1.1f, 0);
            boxes++;
        }
        assert_int_equal(boxes, 2);
    }
    ent_colliders_destroy(colliders);
    spawn_end(&s);
}

/* The particles with which the fluid of a level begins: it is a box, and stands upright. */
static u32 fluid_places(const FluidRecord* fluid, Vec3 at, Vec3* place) {
    const f32 each = fluid->spacing_m;
    const u32 n[3] = {(u32)(2 * fluid->half_extent_m.x / each + 0.001f),
                      (u32)(2 * fluid->half_extent_m.y / each + 0.001f),
                      (u32)(2 * fluid->half_extent_m.z / each + 0.001f)};
    u32       count = 0;
    for (u32 i = 0; i < n[0] * n[1] * n[2]; i++)
        place[count++] = (Vec3){at.x + each * ((f32)(i % n[0]) - (f32)(n[0] - 1) / 2),
                                at.y + each * ((f32)(i / n[0] % n[1]) - (f32)(n[1] - 1) / 2),
                                at.z + each * ((f32)(i / n[0] / n[1]) - (f32)(n[2] - 1) / 2)};
    return count;
}

/* From a level and its clips to water: after each frame no particle is in what moves, and all are in the tank. `pushed`: the water
 * moves along X, on average. */
static void level_pushes_its_water(const char* folder, const char* level, u32 frames, f32 wide,
                                   f32 pushed) {
    enum { MANY = 8192 };
    Gpu*          gpu = gpu_for_test();
    Vec3*         at = malloc(2 * MANY * sizeof *at);
    Vec3*         velocity = at + MANY;
    f32           fastest = 0;
    u32           low = 0;
    EntColliders* followed;
    GpuColliders* colliders;
    LevelSpawned  s;
    Sph*          sph;
    spawn(&s, folder, level);
    const FluidRows fluids = ent_fluid_rows(s.world);
    const Mat34*    pose = ent_transform_world(s.world, fluids.entity[0]);
    const SphDesc   desc = {
          .fluid = fluids.record,
          .count =
              fluid_places(fluids.record, (Vec3){pose->m[0][3], pose->m[1][3], pose->m[2][3]}, at),
          .position = at};
    SphDesc among = desc;
    assert_true(desc.count > 1000 && desc.count <= MANY);
    assert_int_equal(ent_colliders_create(&followed, s.world), ENT_OK);
    assert_int_equal(ent_gpu_colliders_create(&colliders, gpu), ENT_OK);
    among.colliders = colliders;
    assert_int_equal(ent_sph_create(&sph, gpu, &among), ENT_OK);
    for (u32 frame = 0; frame < frames; frame++) {
        GpuFrames* alone;
        GpuFrame*  recorded;
        u32        count;
        f64        sum = 0;
        assert_int_equal(simulation_advance(&s.simulation), ENT_OK);
        assert_int_equal(ent_colliders_advance(followed), ENT_OK);
        const ColliderMotion* c = ent_colliders_list(followed, &count);
        assert_int_equal(ent_gpu_colliders_set(colliders, c, count), ENT_OK);
        assert_int_equal(gpu_alone_begin(gpu, &alone, &recorded), ENT_OK);
        assert_int_equal(gpu_alone_end(alone, recorded, ent_sph_record(sph, recorded, 4)), ENT_OK);
        assert_int_equal(ent_sph_read(sph, at, velocity, NULL), ENT_OK);
        for (u32 i = 0; i < desc.count; i++) {
            sum += (f64)velocity[i].x;
            for (u32 k = 0; k < count; k++)
                if (!(ent_collider_distance(&c[k], at[i]) > (frame < 3 ? -0.2f : -2e-3f)))
                    fail_msg("%s, frame %u: particle %u is %g in collider %u", level, frame, i,
                             -ent_collider_distance(&c[k], at[i]), k);
            assert_true(fabsf(at[i].x) < wide && at[i].y > -1e-3f);
        }
        if (frame >= frames / 2) fastest = MAX_OF(fastest, fabsf((f32)sum) / (f32)desc.count);
    }
    for (u32 i = 0; i < desc.count; i++) low += at[i].y < 0.9f;
    if (!(fastest >= pushed)) fail_msg("%s: %g m/s", level, fastest);
    assert_true(SANITIZED || 2 * low > desc.count); /* none is held up */
    ent_sph_destroy(sph);
    ent_gpu_colliders_destroy(colliders);
    ent_colliders_destroy(followed);
    spawn_end(&s);
    free(at);
}

static void water_of_levels_is_pushed_and_not_passed_through(void** state) {
    UNUSED(state);
    const char* folder = test_folder("frames_wade");
    TEST_DONE(folder, "entc build ../../../../assets -o out -q");
    level_pushes_its_water(folder, "levels/mill", SANITIZED ? 5 : 40, 2.01f, 0.01f);
    level_pushes_its_water(folder, "levels/wade", SANITIZED ? 5 : 60, 2.21f, 0.02f);
    level_pushes_its_water(folder, "levels/pour", SANITIZED ? 5 : 60, 1.21f, 0);
    test_gpu_silent();
}

/* From a level to water that begins at its nozzle, falls on its crate and ends in its drain. */
static void fountain_of_a_level_begins_and_ends(void** state) {
    enum { MANY = 4000, FRAMES = SANITIZED ? 30 : 110 };
    static Vec3       at[MANY];
    Gpu*              gpu = gpu_for_test();
    EmissionFound     found = {0};
    EntEmissionCounts counts;
    EntColliders*     followed;
    GpuColliders*     colliders;
    LevelSpawned      s;
    Sph*              sph;
    u32               count, exist = 0, high = 0;
    UNUSED(state);
    const char* folder = test_folder("frames_fountain");
    TEST_DONE(folder, "entc build ../../../../assets -o out -q");
    spawn(&s, folder, "levels/fountain");
    const FluidRows fluids = ent_fluid_rows(s.world);
    assert_int_equal(emission_find(&found, s.world, fluids.entity[0]), ENT_OK);
    assert_int_equal(found.emitters, 1);
    assert_int_equal(found.sinks, 1);
    vec3_is(mat34_column(&found.emitter[0].pose, 3), 0, 1.05f, 0);
    const EntEmission emission = emission_of(&found);
    assert_int_equal(ent_colliders_create(&followed, s.world), ENT_OK);
    assert_int_equal(ent_gpu_colliders_create(&colliders, gpu), ENT_OK);
    const SphDesc desc = {
        .fluid = fluids.record, .capacity = fluids.record[0].capacity, .colliders = colliders};
    assert_int_equal(ent_sph_create(&sph, gpu, &desc), ENT_OK);
    ent_sph_emission(sph, 0, &emission);
    assert_int_equal(ent_colliders_advance(followed), ENT_OK);
    const ColliderMotion* c = ent_colliders_list(followed, &count);
    assert_int_equal(count, 2);
    assert_int_equal(ent_gpu_colliders_set(colliders, c, count), ENT_OK);
    for (u32 frame = 0; frame < FRAMES; frame++) {
        GpuFrames* alone;
        GpuFrame*  recorded;
        assert_int_equal(gpu_alone_begin(gpu, &alone, &recorded), ENT_OK);
        assert_int_equal(gpu_alone_end(alone, recorded, ent_sph_record(sph, recorded, 4)), ENT_OK);
    }
    assert_int_equal(ent_sph_emission_counts(sph, 0, &counts), ENT_OK);
    assert_int_equal(ent_sph_read(sph, at, NULL, NULL), ENT_OK);
    for (u32 i = 0; i < MANY; i++) {
        if (!(at[i].x == at[i].x)) continue; /* it does not exist */
        exist++;
        high += at[i].y > 1.5f;
        for (u32 k = 0; k < count; k++) assert_true(ent_collider_distance(&c[k], at[i]) > -2e-3f);
        assert_true(at[i].y > 0.06f);
    }
    const u32 emitted = (u32)(1200 * 0.004f * 4 * FRAMES);
    assert_in_range(counts.emitted, emitted - 1, emitted);
    assert_int_equal(exist, counts.alive);
    assert_true(high > 100 && (SANITIZED || counts.alive < counts.emitted - 50));
    emission_found_drop(&found);
    ent_sph_destroy(sph);
    ent_gpu_colliders_destroy(colliders);
    ent_colliders_destroy(followed);
    spawn_end(&s);
    test_gpu_silent();
}

/* One more than there can be: the last one is drawn as balls. */
static void fluids_beyond_sixteen_are_drawn_as_balls_after_a_warning(void** state) {
    UNUSED(state);
    const char* folder = project("frames_rain");
    EXPECT(folder, 0,
           "warning: 17 fluids are to be drawn as surfaces: the first 16 are, the others as balls",
           "entrun out --level rain --frames 1 --png a.png --size 160x90 2>&1");
    EXPECT(folder, 0, "warning: 17 fluids could meet: 16 of them do, and pass through the 1 others",
           "entrun out --level rain --frames 1 2>&1");
    u8* pixels = picture_of(folder, "a.png", 160, 90);
    assert_true(water_of(pixels, 160 * 90) > 100);
    free(pixels);
}

static void pass_times_are_printed_and_written_to_csv(void** state) {
    UNUSED(state);
    const char* folder = project("frames_times");
    EXPECT(folder, 0, "bytes on the device",
           "entrun out --level drop --frames 5 --csv new/times.csv >printed && cat printed && "
           "grep -q '^simulate fluid density  *[0-9.]* *[0-9.]* *5$' printed && "
           "test $(grep -c '^[1-5],simulate fluid force,[0-9.]*$' new/times.csv) = 5 && "
           "test \"$(head -1 new/times.csv)\" = frame,pass,ms && ! grep -q surfaces new/times.csv");
}

/* Water moves in four pictures: in the first one, all six faces are drawn twice, because it begins to move. */
static void costs_of_lights_are_printed_and_written_to_csv(void** state) {
    UNUSED(state);
    TEST_NEEDS_RASTER;
    const char* folder = project("frames_lights");
    EXPECT(folder, 0, "bytes on the device",
           "entrun out --level named --frames 4 --every 1 --png a.png --size 160x90 --exposure 5 "
           "--csv new/times.csv >printed && cat printed && "
           "grep -q '^hall/lamp \"A\", 1  *0  *[0-9]*  *6  *0  new 6$' printed && "
           "grep -q '^their casters ' printed && "
           "grep -q '^\"hall/lamp \"\"A\"\", 1\",6,[0-9]*,[0-9]*,6,0,6,0,0,0,0,' "
           "new/times_lights.csv && test $(wc -l < new/times_lights.csv) = 2");
}

/* Exactly one line on standard error, and an exit code. */
static void refused(const char* folder, int code, const char* reason, const char* words) {
    TestRun run = test_command(folder, "%s", words);
    if (run.code != code || !strstr(run.err, reason) ||
        strchr(run.err, '\n') != strrchr(run.err, '\n'))
        fail_msg("%s: exit code %d, \"%s\"; expected %d, \"%s\"", words, run.code, run.err, code,
                 reason);
    assert_int_equal(strncmp(run.err, "entrun: error: ", 15), 0);
    test_run_free(&run);
}

static void entrun_that_cannot_draw_reports_one_error(void** state) {
    UNUSED(state);
    const char* folder = project("frames_refused");
    refused(folder, 6, "there is no Vulkan driver",
            "VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent "
            "entrun out --level drop --frames 1");
    refused(folder, 6, "there is no Vulkan device \"nine\"",
            "entrun out --level drop --frames 1 --device nine");
    refused(folder, 4, "particles: \"", "entrun out --level huge --frames 1");
    refused(folder, 2, "\"/dev/null/a.png\" cannot be written: ",
            "entrun out --level empty --frames 1 --png /dev/null/a.png --size 9x9");
    refused(folder, 2, "\"/dev/null/t\" cannot be written: ",
            "entrun out --level empty --frames 1 --csv /dev/null/t");
}

static void frame_options_that_conflict_are_refused(void** state) {
    static const char* const wrong[][2] = {
        {"--frames 1 --png a --size 12", "--size requires"},
        {"--frames 1 --png a --size 12x", "--size requires"},
        {"--frames 1 --png a --size 0x9", "--size requires"},
        {"--frames 1 --png a --size 12x9x", "--size requires"},
        {"--frames 1 --png a --size ' 12x9'", "--size requires"},
        {"--frames 1 --png a --size 16385x9", "--size requires"},
        {"--frames 1 --png a --size -1x9", "--size requires"},
        {"--frames 1 --size 12x9", "require --png"},
        {"--frames 2 --every 1", "require --png"},
        {"--frames 2 --every 3 --png a", "no picture"},
        {"--csv a", "--csv requires --frames"},
        {"--device 0", "--device requires --frames N or --png FILE"},
        {"--device-memory 64", "--device-memory requires --frames N or --png FILE"},
        {"--png a --every 2", "--every requires --frames"},
        {"--frames 2 --watch", "exclude each other"},
        {"--frames 0", "a number from 1 to 1000000"},
    };
    UNUSED(state);
    const char* folder = project("frames_usage");
    for (u32 i = 0; i < COUNT_OF(wrong); i++)
        EXPECT(folder, 1, wrong[i][1], "entrun out --level drop %s", wrong[i][0]);
    TEST_DONE(folder, "test ! -e a");
}

/* The loader is a library that is opened only when frames are requested. */
static void vulkan_loader_is_opened_only_if_frames_are_requested(void** state) {
    UNUSED(state);
    TEST_NEEDS("strace");
    const char* folder = project("frames_loader");
    const char* trace = "strace -f -e trace=openat -o trace entrun out --level drop";
    if (SANITIZED) TEST_SKIP("strace and the search for leaks exclude each other");
    TEST_DONE(folder, "%s --stats && ! grep -q vulkan trace", trace);
    TEST_DONE(folder, "%s --frames 1 && grep -q vulkan trace", trace);
}

/* The layer writes to standard output when no callback is registered. */
static void validation_layer_reports_nothing_for_frames(void** state) {
    UNUSED(state);
    const char* folder = project("frames_layer");
    if (getenv("ENT_TEST_NO_LAYER")) TEST_SKIP("ENT_TEST_NO_LAYER is set");
    TestRun run = test_command(
        folder, "for level in drop discs crates; do VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation "
                "VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT "
                "entrun out --level $level --frames 5 --every 1 --png $level.png --size 64x64 || "
                "exit 1; done; test -e crates_0005.png");
    assert_int_equal(run.code, 0);
    if (strstr(run.out, "alidation") || strstr(run.out, "VUID") || *run.err)
        fail_msg("%s%s", run.out, run.err);
    test_run_free(&run);
}

/* A red lamp on the right of a column of water, which is seen from the front and above: 30 pixels are a metre, and the
 * point x, 0, 0 of the floor is on the middle row. */
static void fluid_with_a_material_has_its_colour(void** state) {
    enum { WIDTH = 160, HEIGHT = 120, ON_WATER = 58 * WIDTH + 80 };
    const char* folder = project("frames_painted");
    UNUSED(state);
    TEST_DONE(folder, "entrun out --level grey --png grey.png --size 160x120 && "
                      "entrun out --level green --png green.png --size 160x120");
    u8*       grey = picture_of(folder, "grey.png", WIDTH, HEIGHT);
    u8*       green = picture_of(folder, "green.png", WIDTH, HEIGHT);
    const u8 *a = &grey[ON_WATER * 4], *b = &green[ON_WATER * 4];
    if (abs(a[0] - a[1]) > 20) fail_msg("grey water is %u %u %u", a[0], a[1], a[2]);
    if (b[1] < b[0] + 60 || b[1] < b[2] + 60) fail_msg("green water is %u %u %u", b[0], b[1], b[2]);
    free(grey), free(green);
    test_gpu_silent();
}

static void lamp_beside_a_fluid_lights_one_side_and_casts_its_shadow(void** state) {
    enum { WIDTH = 160, HEIGHT = 120, ON_WATER = 58 * WIDTH, ON_FLOOR = 60 * WIDTH };
    const char* folder = project("frames_lamp");
    UNUSED(state);
    TEST_DONE(folder, "entrun out --level lamp --png lamp.png --size 160x120 --exposure 7 && "
                      "entrun out --level glow --png glow.png --size 160x120 --exposure 7");
    u8*       cast = picture_of(folder, "lamp.png", WIDTH, HEIGHT);
    u8*       open = picture_of(folder, "glow.png", WIDTH, HEIGHT);
    const u8 *right = &cast[(ON_WATER + 93) * 4], *left = &cast[(ON_WATER + 67) * 4];
    const u8 *before = &cast[(ON_FLOOR + 110) * 4], *behind = &cast[(ON_FLOOR + 59) * 4];
    if (right[0] < left[0] + 40)
        fail_msg("red %u on the side of the lamp, %u behind", right[0], left[0]);
    if (before[0] < behind[0] + 40)
        fail_msg("red %u before the water, %u in its shadow", before[0], behind[0]);
    assert_true(before[0] > before[1] + 40 && before[0] > before[2] + 40); /* the lamp is red */
    assert_memory_equal(before, &open[(ON_FLOOR + 110) * 4], 4);
    assert_true(open[(ON_FLOOR + 59) * 4] >
                behind[0] + 40); /* without casting there is no shadow */
    free(cast), free(open);
    test_gpu_silent();
}

TEST_SUITE(frames) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluid_box_and_plane_of_turned_entity_are_transformed),
        cmocka_unit_test(level_without_camera_is_framed_completely),
        cmocka_unit_test(entrun_with_png_option_writes_pictures_of_frames),
        cmocka_unit_test(particles_of_disc_level_are_drawn_near_all_sides),
        cmocka_unit_test(level_without_fluid_is_drawn_without_water),
        cmocka_unit_test(fluid_of_mesh_has_one_particle_per_vertex),
        cmocka_unit_test(fluid_with_a_material_has_its_colour),
        cmocka_unit_test(lamp_beside_a_fluid_lights_one_side_and_casts_its_shadow),
        cmocka_unit_test(exposure_changes_pictures_of_a_level_without_lights),
        cmocka_unit_test(level_with_missing_mesh_is_drawn_with_a_stand_in),
        cmocka_unit_test(level_beyond_device_memory_is_refused_with_the_numbers),
        cmocka_unit_test(mesh_and_texture_beyond_device_memory_are_refused_by_name),
        cmocka_unit_test(colliders_at_a_joint_turn_with_its_clip),
        cmocka_unit_test(water_of_levels_is_pushed_and_not_passed_through),
        cmocka_unit_test(fountain_of_a_level_begins_and_ends),
        cmocka_unit_test(fluids_beyond_sixteen_are_drawn_as_balls_after_a_warning),
        cmocka_unit_test(pass_times_are_printed_and_written_to_csv),
        cmocka_unit_test(costs_of_lights_are_printed_and_written_to_csv),
        cmocka_unit_test(entrun_that_cannot_draw_reports_one_error),
        cmocka_unit_test(frame_options_that_conflict_are_refused),
        cmocka_unit_test(vulkan_loader_is_opened_only_if_frames_are_requested),
        cmocka_unit_test(validation_layer_reports_nothing_for_frames),
    };
    const int failed = gpu_suite_end(TEST_RUN("frames", tests));
    if (SANITIZED) unsetenv("LSAN_OPTIONS");
    return failed;
}
