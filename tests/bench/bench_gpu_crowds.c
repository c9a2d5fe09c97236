/* bench_gpu_crowds.c - pictures of a town of instances that stand, with characters that walk in it, under the sun and
 * spot lights whose shadows they cast; of the same town while nothing moves, and while only the camera does; and of
 * blended balls.
 *
 * The meshes are those of tests/support/make_lods.py and make_characters.py, compiled to the folder BENCH_MESHES. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_gpu_world.h"
#include "canvas_internal.h"
#include "clock.h"
#include "gpu_picture.h"
#include "meshes_internal.h"
#include "lit_system.h"
#include "rows.h"
#include "skins.h"
#include "spawn.h"
#include "world.h"

#define WIDE    1920u
#define HIGH    1080u
#define APART_M 4.0f
#define RUNS    (BENCH_RUNS - 1)

typedef struct Town {
    u32  instances, walkers, spots, samples; /* along each side of a pixel */
    f32  turn_rad;                           /* of the camera in a frame */
    bool is_glass;
} Town;

typedef struct Scene {
    Library    library;
    World*     world;
    EntSkins*  skins;
    LitSystem  lit;
    Canvas*    canvas;
    CanvasView view;
    f64        shadows_ms[BENCH_RUNS], surfaces_ms[BENCH_RUNS], blend_ms[BENCH_RUNS];
    f64        frame_ms[BENCH_RUNS], host_ms[BENCH_RUNS];
    u32        runs;
} Scene;

/* Balls in a square grid around the origin. */
static void balls_add(Scene* s, const char* mesh, u32 count) {
    const u32 side = (u32)ceil(sqrt((f64)count));
    for (u32 i = 0; i < count; i++) {
        const f32  first = (f32)side * APART_M / -2;
        const Vec3 at = {first + (f32)(i % side) * APART_M, 1, first + (f32)(i / side) * APART_M};
        const u32  row = bench_entity_add(s->world, "mesh", at, (Quat){0, 0, 0, 1});
        ent_mesh_rows(s->world).record[row].resource = ent_resource_ref(mesh, RESOURCE_MESH);
    }
}

/* In a square in front of the camera, between the balls. */
static void walkers_add(Scene* s, u32 count) {
    const u32   side = (u32)ceil(sqrt((f64)count));
    const Blob* blob;
    if (count == 0) return;
    bench_must(ent_library_load(&s->library, "show_walker", RESOURCE_LEVEL, &blob),
               s->library.problem);
    for (u32 i = 0; i < count; i++) {
        const TransformRecord root = {{((f32)(i % side) - (f32)side / 2) * APART_M + APART_M / 2, 0,
                                       -8 - (f32)(i / side) * APART_M},
                                      {0, 0, 0, 1},
                                      {1, 1, 1}};
        const EntSpawnOptions options = {.root = &root};
        bench_must(ent_world_spawn(s->world, blob, &options, NULL), "a character");
    }
    const SkinRows skins = ent_skin_rows(s->world);
    for (u32 i = 0; i < skins.count; i++) {
        bench_must(ent_skins_play(s->skins, skins.entity[i],
                                  ent_resource_ref("walker/walk", RESOURCE_CLIP),
                                  (f32)(i % 60) / 60),
                   "a clip");
    }
}

static void light_add(Scene* s, LightKind kind, Vec3 at, f32 range_m) {
    const Quat down = {-0.70710678f, 0, 0, 0.70710678f};
    const u32  row = bench_entity_add(s->world, "light", at, down);
    ent_light_rows(s->world).record[row] = (LightRecord){.kind = kind,
                                                         .color = {1, 1, 1},
                                                         .intensity = 10,
                                                         .range_m = range_m,
                                                         .inner_angle_rad = 0.6f,
                                                         .outer_angle_rad = 0.8f,
                                                         .casts_shadow = true};
}

static void town_open(Scene* s, Bench* b, const char* folder, const Town* town) {
    const CanvasDesc desc = {
        .width = WIDE, .height = HIGH, .samples = town->samples, .times = GPU_TIMES_PASSES};
    const char* mesh = town->is_glass ? "glass/grid" : "far/grid";
    GpuProblem  problem = {0};
    const Blob* blob;
    memset(s, 0, sizeof *s);
    bench_must(ent_library_open(&s->library, folder, NULL), folder);
    bench_must(ent_library_load(&s->library, mesh, RESOURCE_MESH, &blob), s->library.problem);
    bench_must(ent_world_create(&s->world, NULL), "a world");
    bench_must(ent_skins_create(&s->skins, s->world, &s->library), "skins");
    balls_add(s, mesh, town->instances);
    walkers_add(s, town->walkers);
    if (!town->is_glass) light_add(s, LIGHT_DIRECTIONAL, (Vec3){0, 0, 0}, 1);
    for (u32 i = 0; i < town->spots; i++)
        light_add(s, LIGHT_SPOT, (Vec3){((f32)(i % 4) - 1.5f) * 14, 12, -12 - (f32)(i / 4) * 14},
                  20);
    ent_transform_update(s->world);
    const GpuScene scene = {.world = s->world, .library = &s->library};
    bench_must(lit_create(&s->lit, ent_meshes_system(), b->gpu, &scene, &problem), problem.text);
    bench_must(ent_canvas_create(&s->canvas, b->gpu, &desc), "a canvas");
    s->view = (CanvasView){
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.9f, .near_m = 0.1f}};
}

static void town_close(Scene* s) {
    ent_canvas_destroy(s->canvas);
    lit_destroy(&s->lit);
    ent_skins_destroy(s->skins);
    ent_world_destroy(s->world);
    ent_library_close(&s->library);
}

/* At a height of 6 m, looking a little downwards. */
static void camera_turn(Scene* s, f32 angle) {
    const f32 down = 0.25f, c = cosf(angle), n = sinf(angle), cd = cosf(down), sd = sinf(down);
    s->view.pose = (Mat34){{{c, -n * sd, n * cd, 0}, {0, cd, sd, 6}, {-n, -c * sd, c * cd, 0}}};
}

/* Sums over the passes of a frame: frames have different ones. */
static void frame_add(Scene* s, f64 host_ms) {
    GpuTime   times[BENCH_PASSES];
    const u32 count = ent_canvas_times(s->canvas, times, BENCH_PASSES);
    const u32 run = s->runs++;
    s->host_ms[run] = host_ms;
    for (u32 i = 0; i < count; i++) {
        s->frame_ms[run] += times[i].ms;
        if (strcmp(times[i].group, "shadows") == 0) s->shadows_ms[run] += times[i].ms;
        if (strcmp(times[i].group, "surfaces") == 0) s->surfaces_ms[run] += times[i].ms;
        if (strcmp(times[i].group, "blend") == 0) s->blend_ms[run] += times[i].ms;
    }
}

static f64 mean_of(const f64* values, u32 count) {
    f64 sum = 0;
    for (u32 i = 0; i < count; i++) sum += values[i];
    return sum / count;
}

/* After some frames in which all maps are drawn. */
static void town_run(Scene* s, const Town* town) {
    const GpuParts parts = lit_parts(&s->lit);
    for (u32 i = 0; i < RUNS + 8; i++) {
        if (town->walkers) bench_must(ent_skins_advance(s->skins, 1.0f / 60), "skins");
        camera_turn(s, town->turn_rad * (f32)i);
        ent_transform_update(s->world);
        const u64 before = clock_ns();
        bench_must(ent_picture_draw(s->canvas, &parts, &s->view), "a picture");
        if (i >= 8) frame_add(s, (f64)(clock_ns() - before) / 1e6);
    }
}

static u64 triangles_of(const Bench* b, const GpuBuffer* buffer, u32 draws) {
    const u64                     bytes = draws * sizeof(VkDrawIndexedIndirectCommand);
    VkDrawIndexedIndirectCommand* commands = malloc(bytes);
    u64                           count = 0;
    bench_must(gpu_download(b->gpu, buffer, 0, commands, bytes), "commands");
    for (u32 i = 0; i < draws; i++)
        count += (u64)commands[i].indexCount / 3 * commands[i].instanceCount;
    free(commands);
    return count;
}

/* In the view, hidden ones too; and in the maps that were drawn last: of what moves, or without it of what stands. */
static void triangles_report(Bench* b, Scene* s, const char* what) {
    const Meshes* m = s->lit.at[1].state;
    GpuFrames*    frames;
    GpuFrame*     frame;
    char          name[160];
    snprintf(name, sizeof name, "crowds: %s: triangles in maps", what);
    bench_report(b, name, triangles_of(b, &m->shadow.commands, m->draw_count),
                 bench_median(s->shadows_ms, s->runs), 0, 0);
    bench_must(gpu_alone_begin(b->gpu, &frames, &frame), "a frame");
    const ent_status status = ent_meshes_cull(s->lit.at[1].state, frame, &s->view, WIDE, HIGH);
    bench_must(gpu_alone_end(frames, frame, status), "a frame");
    snprintf(name, sizeof name, "crowds: %s: triangles in the view", what);
    bench_report(b, name, triangles_of(b, &m->scene.commands, m->draw_count),
                 bench_median(s->surfaces_ms, s->runs), 0, 0);
}

/* How many pixels differ by more than 2 of 255 from a picture with all casters, however small and wherever their shadow is. */
static void dropped_report(Scene* s, const char* what) {
    const GpuParts parts = lit_parts(&s->lit);
    Meshes* const  m = s->lit.at[1].state;
    const u64      bytes = (u64)WIDE * HIGH * 4;
    u8*            rgba[2];
    u64            differ = 0;
    for (u32 i = 0; i < 2; i++) {
        m->draws_hidden = i == 0;
        shadows_set(&m->lighting->shadows, &(ShadowsSettings){0});
        for (u32 k = 0; k < 2; k++)
            bench_must(ent_picture_draw(s->canvas, &parts, &s->view), "a picture");
        rgba[i] = malloc(bytes);
        bench_must(ent_canvas_read(s->canvas, rgba[i]), "pixels");
    }
    for (u64 i = 0; i < bytes; i += 4)
        differ += abs(rgba[0][i] - rgba[1][i]) > 2 || abs(rgba[0][i + 1] - rgba[1][i + 1]) > 2 ||
                  abs(rgba[0][i + 2] - rgba[1][i + 2]) > 2;
    printf("%s: %llu of %u pixels differ from a picture with all casters\n", what,
           (unsigned long long)differ, WIDE * HIGH);
    free(rgba[0]);
    free(rgba[1]);
}

/* Of a picture. */
static void layers_report(Bench* b, Scene* s, const char* what) {
    EntCanvasLayers layers;
    char            name[160];
    ent_canvas_layers(s->canvas, &layers);
    snprintf(name, sizeof name, "crowds: %s: layers", what);
    bench_report(b, name, layers.layers / layers.pictures, bench_median(s->blend_ms, s->runs), 0,
                 0);
    snprintf(name, sizeof name, "crowds: %s: layers of the deepest sample", what);
    bench_report(b, name, layers.deepest, 0, 0, 0);
}

static void town_report(Bench* b, const char* folder, const char* what, const Town* town,
                        f64 shadows_ms, f64 frame_ms) {
    static Scene s;
    char         name[160];
    town_open(&s, b, folder, town);
    town_run(&s, town);
    if (!town->is_glass) {
        const f64 mean_ms = mean_of(s.shadows_ms, s.runs); /* before they are sorted */
        snprintf(name, sizeof name, "crowds: %s: shadows and filters", what);
        bench_report(b, name, town->instances, bench_median(s.shadows_ms, s.runs), shadows_ms, 0);
        snprintf(name, sizeof name, "crowds: %s: shadows and filters, mean", what);
        bench_report(b, name, town->instances, mean_ms, 0, 0);
    }
    snprintf(name, sizeof name, "crowds: %s: whole frame", what);
    bench_report(b, name, town->instances, bench_median(s.frame_ms, s.runs), frame_ms, 0);
    snprintf(name, sizeof name, "crowds: %s: call of the host", what);
    bench_report(b, name, town->instances, bench_median(s.host_ms, s.runs), 0, 0);
    if (town->is_glass)
        layers_report(b, &s, what);
    else
        triangles_report(b, &s, what);
    if (!town->is_glass) dropped_report(&s, what);
    town_close(&s);
}

void bench_crowds(Bench* b) {
    const char* folder = getenv("BENCH_MESHES");
    if (!folder || !bench_is_selected(b, "crowds", 100000)) return;
    town_report(b, folder, "100 walkers, sun, 4 spots, 2 x 2 samples",
                &(Town){100000, 100, 4, 2, 0, false}, 2.5, 14);
    town_report(b, folder, "100 walkers, sun, 4 spots", &(Town){100000, 100, 4, 1, 0, false}, 2.5,
                6);
    town_report(b, folder, "nothing moves", &(Town){100000, 0, 4, 1, 0, false}, 0.05, 0);
    town_report(b, folder, "the camera turns by 1 degree",
                &(Town){100000, 0, 4, 1, 0.01745f, false}, 1, 0);
    town_report(b, folder, "1,000 walkers, sun, 16 spots, 2 x 2 samples",
                &(Town){1000000, 1000, 16, 2, 0, false}, 0, 30);
    town_report(b, folder, "blended balls", &(Town){30000, 0, 0, 1, 0, true}, 0, 5);
}
