/* bench_gpu_spheres.c - pictures of a million spheres: a block of a fluid that fills most of the
 * picture, and how long depth and number of the nearest sphere of each sample take. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "gpu_picture.h"
#include "bench_gpu.h"
#include "bench_gpu_block.h"
#include "canvas_internal.h"
#include "shapes_internal.h"
#include "shapes_stage.h"

enum { COUNT = BENCH_BLOCK };

typedef struct Picture {
    const char* what;
    u32         width, height;
    u32         splat_min; /* 0: the default */
    f64         target_ms;
    u32         suns, lamps; /* a sun casts, lamps do not */
    bool        is_complete; /* the time of all passes of the picture */
    bool        is_cast;     /* the time of the depth of shadow maps */
} Picture;

static const Picture pictures[] = {
    {.what = "spheres, 1280 x 720 with 4 samples", .width = 1280, .height = 720, .target_ms = 3},
    {.what = "spheres, 1280 x 720 with 4 samples, rasterised",
     .width = 1280,
     .height = 720,
     .splat_min = UINT32_MAX},
    {.what = "spheres, 1920 x 1080 with 4 samples", .width = 1920, .height = 1080, .target_ms = 3},
    {.what = "spheres, 1920 x 1080 with 4 samples, rasterised",
     .width = 1920,
     .height = 1080,
     .splat_min = UINT32_MAX},
    {.what = "spheres: a picture", .width = 1920, .height = 1080, .is_complete = true},
    {.what = "spheres: a picture with a sun",
     .width = 1920,
     .height = 1080,
     .suns = 1,
     .is_complete = true},
    {.what = "spheres: a picture with 1,000 lamps",
     .width = 1920,
     .height = 1080,
     .lamps = 1000,
     .is_complete = true},
    {.what = "spheres: a picture with both",
     .width = 1920,
     .height = 1080,
     .suns = 1,
     .lamps = 1000,
     .is_complete = true},
    {.what = "spheres: depth in three cascades of 2,048",
     .width = 1920,
     .height = 1080,
     .target_ms = 4,
     .suns = 1,
     .is_cast = true},
};

/* Lamps of 1.5 to 3 m around the block. */
static void light_add(const ShapesStage* stage, LightKind kind, u32* seed) {
    f32 at[3];
    for (u32 k = 0; k < 3; k++) {
        *seed = *seed * 1664525u + 1013904223u;
        at[k] = kind == LIGHT_POINT ? ((f32)(*seed >> 8) / 16777216.0f - 0.5f) * 54 : 0;
    }
    const LightRecord light = {.kind = kind,
                               .color = {1, 0.9f, 0.8f},
                               .intensity = 2,
                               .range_m = 1.5f + (f32)(*seed >> 30) / 2,
                               .casts_shadow = kind == LIGHT_DIRECTIONAL};
    bench_must(shapes_stage_light(stage, &light, (Vec3){at[0], at[1], at[2]},
                                  (Quat){-0.5f, 0.2f, 0, 0.84f}),
               "a light");
}

static bool is_counted(const Picture* p, const GpuTime* time) {
    const bool is_shadow = strcmp(time->group, "shadows") == 0;
    if (p->is_complete || p->is_cast) return p->is_complete || is_shadow;
    return strcmp(time->name, "splat") == 0 || strcmp(time->name, "raster") == 0;
}

/* The median of what precedes the colours, of all passes, or of shadow maps. */
static void picture_measure(Bench* b, const Picture* p, const ShapeDraw* draw) {
    const CanvasDesc desc = {p->width, p->height, 2, GPU_TIMES_PASSES};
    const CanvasView view = bench_block_view();
    ShapesStage      stage;
    f64              ms[BENCH_RUNS];
    const u32        runs = b->gpu->info.software ? 3 : BENCH_RUNS;
    bench_must(shapes_stage_open(&stage, b->gpu, &desc), p->what);
    Shapes* const shapes = shapes_stage_shapes(&stage);
    if (p->splat_min) shapes->splat_min = p->splat_min;
    bench_must(shapes_add(shapes, draw), p->what);
    ent_lighting_shadows(stage.part[0].state, &(EntLightingShadows){.reach_m = 120});
    u32 seed = 9;
    for (u32 i = 0; i < p->suns; i++) light_add(&stage, LIGHT_DIRECTIONAL, &seed);
    for (u32 i = 0; i < p->lamps; i++) light_add(&stage, LIGHT_POINT, &seed);
    BenchPasses passes = {.runs = 0};
    for (u32 i = 0; i < runs; i++) {
        GpuTime times[BENCH_PASSES];
        shapes->moved = true; /* its shadow maps are drawn in each picture */
        bench_must(ent_picture_draw(stage.canvas, &stage.parts, &view), p->what);
        const u32 count = ent_canvas_times(stage.canvas, times, BENCH_PASSES);
        ms[i] = 0;
        for (u32 k = 0; k < count; k++)
            if (is_counted(p, &times[k])) ms[i] += times[k].ms;
        memcpy(passes.last, times, sizeof times);
        bench_passes_add(&passes, count);
    }
    bench_report(b, p->what, COUNT, bench_median(ms, runs), p->target_ms, 0);
    bench_passes_report(&passes);
    shapes_stage_close(&stage);
}

void bench_spheres(Bench* b) {
    GpuPool                pool;
    GpuBuffer              position, velocity;
    const GpuBufferRequest requests[] = {{&position, COUNT, sizeof(Vec4), "spheres"},
                                         {&velocity, COUNT, sizeof(Vec4), "spheres"}};
    for (u32 i = 0; i < COUNT_OF(pictures); i++) {
        if (!bench_is_selected(b, pictures[i].what, COUNT)) continue;
        bench_must(gpu_pool_create(&pool, b->gpu, requests, 2), "spheres");
        bench_must(gpu_fill(b->gpu, &velocity, 0), "spheres");
        bench_block_upload(b, &position);
        const ShapeDraw draw = {.kind = &shape_spheres,
                                .count = COUNT,
                                .element = position,
                                .extra = velocity,
                                .pose = mat34_identity,
                                .look = {.color = {0.03f, 0.2f, 0.45f}, .roughness = 0.4f},
                                .radius_m = 0.25f,
                                .speed_max_m_s = 1};
        picture_measure(b, &pictures[i], &draw);
        gpu_pool_destroy(&pool);
    }
}
