/* bench_gpu_water.c - pictures of the surface of a million particles: all passes of the surface. */
#include "bench_gpu.h"
#include "bench_gpu_block.h"
#include "water_stage.h"

typedef struct Picture {
    const char* what;
    u32         width, height;
    f64         target_ms;
    bool        is_beside; /* the fluid is outside of the view */
    bool        is_cast;   /* the time of shadow maps */
} Picture;

static const Picture pictures[] = {
    {.what = "water, 1920 x 1080", .width = 1920, .height = 1080, .target_ms = 1.5},
    {.what = "water, 3840 x 2160", .width = 3840, .height = 2160, .target_ms = 4},
    {.what = "water: shadows and caustics in three cascades of 2,048",
     .width = 1920,
     .height = 1080,
     .target_ms = 4,
     .is_cast = true},
    {.what = "water outside of the view, 1920 x 1080",
     .width = 1920,
     .height = 1080,
     .target_ms = 0.02,
     .is_beside = true}};

static void draw_set(Bench* b, WaterSystem* s, GpuBuffer position) {
    const GpuBufferRequest request = {&s->draw.foam, BENCH_BLOCK, sizeof(f32), "foam"};
    const GpuBuffer        foam = s->draw.foam;
    s->draw = (WaterDraw){.count = BENCH_BLOCK,
                          .position = position,
                          .foam = foam,
                          .spacing_m = 0.5f,
                          .radius_m = 0.25f,
                          .h_m = 1,
                          .smoothing = 0.5f,
                          .foaming = 0.5f,
                          .index = 1.333f,
                          .absorption_per_m = {0.34f, 0.06f, 0.01f},
                          .look = {.color = {0.03f, 0.2f, 0.45f}, .roughness = 0.05f}};
    bench_must(gpu_pool_create(&s->pool, b->gpu, &request, 1), "foam");
    bench_must(gpu_fill(b->gpu, &s->draw.foam, 0), "foam");
}

static void sun_add(WaterStage* stage) {
    const LightRecord sun = {.kind = LIGHT_DIRECTIONAL,
                             .color = {1, 0.9f, 0.8f},
                             .intensity = 2,
                             .range_m = 10,
                             .casts_shadow = true};
    stage->water->extent = (GpuExtent){BENCH_BLOCK, {-25, -25, -25}, {25, 25, 25}, 0, {{{0}}}};
    ent_lighting_shadows(stage->shapes.part[0].state, &(EntLightingShadows){.reach_m = 120});
    bench_must(
        shapes_stage_light(&stage->shapes, &sun, (Vec3){0, 0, 0}, (Quat){-0.5f, 0.2f, 0, 0.84f}),
        "a sun");
}

/* What the picture of a fluid outside of the view costs more than one without it. */
static void beside_measure(Bench* b, const Picture* p, GpuBuffer position) {
    const CanvasDesc desc = {p->width, p->height, 2, GPU_TIMES_LIST};
    CanvasView       view = bench_block_view();
    WaterStage       stage;
    f64              ms[2][BENCH_RUNS];
    const u32        runs = b->gpu->info.software ? 3 : BENCH_RUNS;
    bench_must(water_stage_open(&stage, b->gpu, &desc), p->what);
    draw_set(b, stage.water, position);
    view.pose.m[0][3] += 1000;
    for (u32 i = 0; i < runs * 2; i++) {
        stage.water->draw.count = i % 2 ? BENCH_BLOCK : 0;
        for (u32 k = 0; k < 3; k++) /* also the first picture after a change */
            bench_must(ent_picture_draw(stage.shapes.canvas, &stage.parts, &view), p->what);
        ms[i % 2][i / 2] = ent_canvas_ms(stage.shapes.canvas);
    }
    bench_report(b, p->what, BENCH_BLOCK, bench_median(ms[1], runs) - bench_median(ms[0], runs),
                 p->target_ms, 0);
    water_stage_close(&stage);
}

static void picture_measure(Bench* b, const Picture* p, GpuBuffer position) {
    const CanvasDesc desc = {p->width, p->height, 2, GPU_TIMES_PASSES};
    CanvasView       view = bench_block_view();
    WaterStage       stage;
    f64              ms[BENCH_RUNS];
    const u32        runs = b->gpu->info.software ? 3 : BENCH_RUNS;
    bench_must(water_stage_open(&stage, b->gpu, &desc), p->what);
    draw_set(b, stage.water, position);
    if (p->is_cast) sun_add(&stage);
    BenchPasses passes = {.runs = 0};
    for (u32 i = 0; i < runs; i++) {
        GpuTime times[BENCH_PASSES];
        stage.water->moved = p->is_cast; /* its shadow maps are drawn in each picture */
        bench_must(ent_picture_draw(stage.shapes.canvas, &stage.parts, &view), p->what);
        const u32 count = ent_canvas_times(stage.shapes.canvas, times, BENCH_PASSES);
        ms[i] = 0;
        for (u32 k = 0; k < count; k++)
            if (strcmp(times[k].group, p->is_cast ? "shadows" : "water") == 0) ms[i] += times[k].ms;
        memcpy(passes.last, times, sizeof times);
        bench_passes_add(&passes, count);
    }
    bench_report(b, p->what, BENCH_BLOCK, bench_median(ms, runs), p->target_ms, 0);
    bench_passes_report(&passes);
    water_stage_close(&stage);
}

void bench_water(Bench* b) {
    for (u32 i = 0; i < COUNT_OF(pictures); i++) {
        GpuPool                pool;
        GpuBuffer              position;
        const GpuBufferRequest request = {&position, BENCH_BLOCK, sizeof(Vec4), "particles"};
        if (!bench_is_selected(b, pictures[i].what, BENCH_BLOCK)) continue;
        bench_must(gpu_pool_create(&pool, b->gpu, &request, 1), "particles");
        bench_block_upload(b, &position);
        (pictures[i].is_beside ? beside_measure : picture_measure)(b, &pictures[i], position);
        gpu_pool_destroy(&pool);
    }
}
