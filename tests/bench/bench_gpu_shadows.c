/* bench_gpu_shadows.c - shadow maps of a million triangles, of which a tenth is transparent, in three cascades; of
 * 64 spot lights in one atlas, beside one map with the same triangles; and pictures that draw no map.
 *
 * The meshes are those of tests/support/make_lods.py, compiled to the folder BENCH_MESHES. */
#include <stdio.h>
#include <stdlib.h>

#include "gpu_picture.h"
#include "bench_gpu_world.h"
#include "canvas_internal.h"
#include "lit_system.h"
#include "meshes_internal.h"
#include "rows.h"
#include "spawn.h"
#include "world.h"

#define BALL_TRIANGLES 1472u
#define CLUSTERS       64u
#define CLUSTER_BALLS  16u

typedef struct Scene {
    Library     library;
    World*      world;
    LitSystem   lit;
    Meshes*     meshes;
    Canvas*     canvas;
    ResourceRef ball, glass;
    CanvasView  view;
} Scene;

static void ball_add(Scene* s, Vec3 at, bool is_glass) {
    const u32 row = bench_entity_add(s->world, "mesh", at, (Quat){0, 0, 0, 1});
    ent_mesh_rows(s->world).record[row].resource = is_glass ? s->glass : s->ball;
}

/* Shines downwards. */
static void light_add(Scene* s, LightKind kind, Vec3 at, f32 range_m, f32 angle) {
    const u32 row =
        bench_entity_add(s->world, "light", at, (Quat){-0.70710678f, 0, 0, 0.70710678f});
    ent_light_rows(s->world).record[row] = (LightRecord){.kind = kind,
                                                         .color = {1, 1, 1},
                                                         .intensity = 1000, /* up to 400 m */
                                                         .range_m = range_m,
                                                         .inner_angle_rad = angle / 2,
                                                         .outer_angle_rad = angle,
                                                         .casts_shadow = true};
}

static void scene_open(Scene* s, const char* folder, const char* ball) {
    const Blob* blob;
    *s = (Scene){0};
    bench_must(ent_library_open(&s->library, folder, NULL), folder);
    bench_must(ent_library_load(&s->library, ball, RESOURCE_MESH, &blob), s->library.problem);
    bench_must(ent_library_load(&s->library, "glass/grid", RESOURCE_MESH, &blob),
               s->library.problem);
    s->ball = ent_resource_ref(ball, RESOURCE_MESH);
    s->glass = ent_resource_ref("glass/grid", RESOURCE_MESH);
    bench_must(ent_world_create(&s->world, NULL), "a world");
    s->view = (CanvasView){
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.9f, .near_m = 0.1f},
        .pose = {{{1, 0, 0, 0}, {0, 0, 1, 60}, {0, -1, 0, 0}}}}; /* downwards */
}

static void scene_begin(Scene* s, Bench* b, const EntLightingShadows* shadows) {
    const CanvasDesc desc = {.width = 1280, .height = 720, .samples = 1, .times = GPU_TIMES_PASSES};
    const GpuScene   scene = {.world = s->world, .library = &s->library};
    GpuProblem       problem = {0};
    ent_transform_update(s->world);
    bench_must(lit_create(&s->lit, ent_meshes_system(), b->gpu, &scene, &problem), problem.text);
    s->meshes = s->lit.at[1].state;
    ent_lighting_shadows(s->lit.at[0].state, shadows);
    bench_must(ent_canvas_create(&s->canvas, b->gpu, &desc), "a canvas");
}

static void scene_close(Scene* s) {
    ent_canvas_destroy(s->canvas);
    lit_destroy(&s->lit);
    ent_world_destroy(s->world);
    ent_library_close(&s->library);
}

/* All maps are drawn in each picture; without settings, those that are not as they should be. */
static void pictures_draw(Scene* s, Bench* b, const EntLightingShadows* shadows,
                          BenchPasses* passes) {
    const GpuParts parts = lit_parts(&s->lit);
    GpuFrames*     frames;
    GpuFrame*      frame;
    for (u32 i = 0; i < BENCH_RUNS; i++) {
        if (shadows) ent_lighting_shadows(s->lit.at[0].state, shadows);
        bench_must(ent_gpu_frames_create(&frames, b->gpu, NULL), "frames");
        bench_must(ent_gpu_frame_begin(frames, &frame), "a frame");
        bench_must(ent_picture_record(frame, &parts, NULL, NULL), "a frame");
        bench_must(ent_gpu_frame_end(frame), "a frame");
        bench_must(ent_gpu_frames_wait(frames), "frames");
        ent_gpu_frames_destroy(frames);
        bench_must(ent_picture_draw(s->canvas, &parts, &s->view), "a picture");
        bench_passes_add(passes, ent_canvas_times(s->canvas, passes->last, BENCH_PASSES));
    }
}

static f64 row_ms(const BenchPasses* p, u32 row) {
    f64 ms[BENCH_RUNS];
    memcpy(ms, p->ms[row], p->runs * sizeof *ms);
    return bench_median(ms, p->runs);
}

/* Of the phase `shadows`. */
static f64 pass_ms(const BenchPasses* p, const char* name) {
    for (u32 i = 0; i < p->count; i++) {
        if (strcmp(p->last[i].group, "shadows") == 0 && strcmp(p->last[i].name, name) == 0)
            return row_ms(p, i);
    }
    return 0;
}

/* Triangles that the maps have, of opaque parts. */
static u64 drawn_triangles(Bench* b, const Scene* s) {
    const u32                     count = s->meshes->draw_count;
    VkDrawIndexedIndirectCommand* commands = malloc(count * sizeof *commands);
    u64                           triangles = 0;
    bench_must(commands ? ENT_OK : ENT_NO_MEMORY, "memory");
    bench_must(
        gpu_download(b->gpu, &s->meshes->shadow.commands, 0, commands, count * sizeof *commands),
        "draws");
    for (u32 i = 0; i < count; i++)
        triangles += (u64)commands[i].indexCount / 3 * commands[i].instanceCount;
    free(commands);
    return triangles;
}

/* 680 balls, of which every tenth is transparent, under a directional light. */
static void cascades_open(Scene* s, Bench* b, const char* folder, const char* ball,
                          const EntLightingShadows* shadows) {
    scene_open(s, folder, ball);
    for (u32 i = 0; i < 680; i++)
        ball_add(s, (Vec3){(f32)(i % 26) * 2.6f - 32, 0, (f32)(i / 26) * 2.6f - 32}, i % 10 == 9);
    light_add(s, LIGHT_DIRECTIONAL, (Vec3){0, 0, 0}, 1, 0.5f);
    scene_begin(s, b, shadows);
}

static f64 passes_ms(const BenchPasses* p) {
    f64 sum = 0;
    for (u32 i = 0; i < p->count; i++) sum += row_ms(p, i);
    return sum;
}

/* Pictures whose lights, casters and camera are those of the last one. */
static void still_report(Bench* b, Scene* s, const BenchPasses* drawn) {
    static BenchPasses still;
    still = (BenchPasses){0};
    pictures_draw(s, b, NULL, &still);
    bench_must(s->meshes->lighting->shadows.table.head.now_count == 0 ? ENT_OK : ENT_LIMIT,
               "maps in which nothing has moved are drawn");
    bench_must(pass_ms(&still, "casters") + pass_ms(&still, "shadows") == 0 ? ENT_OK : ENT_LIMIT,
               "passes of shadow maps without maps");
    bench_report(b, "shadows: three cascades of 2048, culling of casters", 680,
                 pass_ms(drawn, "casters") + pass_ms(drawn, "scan"), 0, 0);
    bench_report(b, "shadows: a picture that draws three maps, all passes", 3, passes_ms(drawn), 0,
                 0);
    bench_report(b, "shadows: a picture that draws no map, all passes", 0, passes_ms(&still), 0, 0);
}

static void cascades_run(Bench* b, const char* folder) {
    static const EntLightingShadows shadows = {
        .cascade_side = 2048, .atlas_side = 4096, .cascades = 3};
    static BenchPasses passes;
    Scene              s;
    passes = (BenchPasses){0};
    cascades_open(&s, b, folder, "plain/grid", &shadows);
    pictures_draw(&s, b, &shadows, &passes);
    const f64 opaque = pass_ms(&passes, "shadows");
    bench_report(b, "shadows: three cascades of 2048, opaque", drawn_triangles(b, &s), opaque, 0,
                 0);
    bench_report_beside(b, "shadows: three cascades of 2048, transparent", "opaque",
                        680 / 10 * BALL_TRIANGLES, pass_ms(&passes, "filters"), opaque, 0.35);
    bench_passes_report(&passes);
    still_report(b, &s, &passes);
    scene_close(&s);
}

/* Opaque balls have levels of detail; transparent ones are drawn completely. */
static void levels_run(Bench* b, const char* folder) {
    static const EntLightingShadows shadows = {
        .cascade_side = 2048, .atlas_side = 4096, .cascades = 3};
    static BenchPasses passes;
    Scene              s;
    passes = (BenchPasses){0};
    cascades_open(&s, b, folder, "ball/grid", &shadows);
    pictures_draw(&s, b, &shadows, &passes);
    bench_report(b, "shadows: three cascades, opaque with levels of detail", 680 - 680 / 10,
                 pass_ms(&passes, "shadows"), 0, 0);
    bench_report(b, "shadows: three cascades, transparent beside these", 680 / 10 * BALL_TRIANGLES,
                 pass_ms(&passes, "filters"), 0, 0);
    scene_close(&s);
}

static f64 spots_ms(Bench* b, const char* folder, u32 lights, u64* triangles) {
    const EntLightingShadows shadows = {.spot_side = lights == 1 ? 4096 : 512, .atlas_side = 4096};
    static BenchPasses       passes;
    Scene                    s;
    scene_open(&s, folder, "plain/grid");
    passes = (BenchPasses){0};
    for (u32 i = 0; i < CLUSTERS * CLUSTER_BALLS; i++) {
        const u32  cluster = i / CLUSTER_BALLS, ball_of_cluster = i % CLUSTER_BALLS;
        const Vec3 at = {(f32)(cluster % 8) * 14 - 49 + (f32)(ball_of_cluster % 4) * 2.2f - 3.3f, 0,
                         (f32)(cluster / 8) * 14 - 49 + (f32)(ball_of_cluster / 4) * 2.2f - 3.3f};
        ball_add(&s, at, false);
    }
    for (u32 i = 0; i < lights; i++) {
        if (lights == 1)
            light_add(&s, LIGHT_SPOT, (Vec3){0, 100, 0}, 160, 0.65f);
        else
            light_add(&s, LIGHT_SPOT, (Vec3){(f32)(i % 8) * 14 - 49, 12, (f32)(i / 8) * 14 - 49},
                      15, 0.42f);
    }
    scene_begin(&s, b, &shadows);
    pictures_draw(&s, b, &shadows, &passes);
    *triangles = drawn_triangles(b, &s);
    bench_passes_report(&passes);
    scene_close(&s);
    return pass_ms(&passes, "shadows");
}

void bench_shadows(Bench* b) {
    const char* folder = getenv("BENCH_MESHES");
    u64         triangles[2];
    if (!folder || !bench_is_selected(b, "shadows", 1000000)) return;
    cascades_run(b, folder);
    levels_run(b, folder);
    const f64 many = spots_ms(b, folder, CLUSTERS, &triangles[0]),
              one = spots_ms(b, folder, 1, &triangles[1]);
    bench_report(b, "shadows: the same triangles in one map of 4096", triangles[1], one, 0, 0);
    bench_report_beside(b, "shadows: 64 spot lights in one atlas", "one map", triangles[0], many,
                        one, 1.2);
}
