/* bench_gpu_normals.c - normals and ambient occlusion from the depth of 20,000 spheres above a floor of others. */
#include <stdio.h>
#include <stdlib.h>

#include "gpu_picture.h"
#include "bench_gpu.h"
#include "canvas_internal.h"
#include "normals_methods.h"
#include "shapes_stage.h"

#define SPHERES 20000u

/* Half of them are the floor. */
static void depth_draw(ShapesStage* stage, const CanvasView* view) {
    Vec3* at = malloc(SPHERES * sizeof *at);
    u32   seed = 5;
    bench_must(at ? ENT_OK : ENT_NO_MEMORY, "memory");
    for (u32 i = 0; i < SPHERES; i++) {
        f32 part[3];
        for (u32 k = 0; k < 3; k++) {
            seed = seed * 1664525u + 1013904223u;
            part[k] = (f32)(seed >> 8) / (f32)(1 << 24);
        }
        at[i] = (Vec3){part[0] * 40 - 20, i % 2 ? part[1] * 6 - 1 : -2, -1 - part[2] * 40};
    }
    const EntShapesSpheres spheres = {
        .count = SPHERES, .position = at, .radius_m = 0.4f, .speed_max_m_s = 1};
    bench_must(ent_shapes_spheres(shapes_stage_shapes(stage), &spheres), "spheres");
    bench_must(ent_picture_draw(stage->canvas, &stage->parts, view), "a picture");
    free(at);
}

static f64 list_time(GpuList* list) {
    bench_must(gpu_list_end(list), "a list");
    const f64 ms = bench_list(list);
    gpu_list_destroy(list);
    return ms;
}

/* Depth is read and a word is written, each of them once. */
static void methods_run(Bench* b, Normals* n, const GpuPicture* picture) {
    static const struct {
        const char*          what;
        const NormalsMethod* method;
        u32                  rows;
        f64                  target_ms;
    } rows[] = {{"normals from depth, 3840x2160", &normals_strips, NORMALS_STRIP_ROWS, 0.027},
                {"normals from depth, 3840x2160, strips of 4 rows", &normals_strips, 4, 0},
                {"normals from depth, 3840x2160, strips of 12 rows", &normals_strips, 12, 0},
                {"normals from depth, 3840x2160, pairs of 4 rows", &normals_pairs, 4, 0},
                {"normals from depth, 3840x2160, pairs of 8 rows", &normals_pairs, 8, 0},
                {"normals from depth, 3840x2160, direct", &normals_direct, NORMALS_ROWS, 0},
                {"normals from depth, 3840x2160, direct, 1 row", &normals_direct, 1, 0},
                {"normals from depth, 3840x2160, shared", &normals_shared, 1, 0},
                {"normals from depth, 3840x2160, plain", &normals_plain, 1, 0}};
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        GpuList list;
        normals_destroy(n);
        normals_create(n, b->gpu);
        n->rows[rows[i].method->columns > 0] = rows[i].rows;
        normals_resize(n, picture->width, picture->height);
        bench_must(gpu_list_begin(&list, b->gpu, GPU_TIMES_LIST), "normals");
        bench_must(normals_record(n, &list, picture, rows[i].method), "normals");
        bench_report(b, rows[i].what, (u64)picture->width * picture->height, list_time(&list),
                     rows[i].target_ms, 8.0 * picture->width * picture->height);
    }
}

/* Depth is read, and a byte is written. */
static void occlusion_run(Bench* b, Normals* n, const GpuPicture* picture) {
    static const char* const names[] = {"occlusion, 3840x2160, full", "occlusion, 3840x2160, half"};
    for (u32 half = 0; half < 2; half++) {
        GpuList list;
        bench_must(gpu_list_begin(&list, b->gpu, GPU_TIMES_LIST), "occlusion");
        bench_must(normals_occlusion_record(n, &list, picture, 0.5f, half), "occlusion");
        bench_report(b, names[half], (u64)picture->width * picture->height, list_time(&list), 0,
                     5.0 * picture->width * picture->height);
    }
}

void bench_normals(Bench* b) {
    const u32        scale = b->gpu->info.software ? 8 : 1;
    const CanvasDesc desc = {.width = 3840 / scale, .height = 2160 / scale, .samples = 1};
    const CanvasView view = {
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 1, .near_m = 0.1f},
        .pose = {{{1, 0, 0, 0}, {0, 1, 0, 1}, {0, 0, 1, 0}}},
        .light = {0, 1, 0},
        .light_color = {1, 1, 1},
        .reach_m = 10,
        .grid_m = 1};
    ShapesStage stage;
    Normals     n;
    if (!bench_is_selected(b, "normals from depth, occlusion", (u64)desc.width * desc.height))
        return;
    bench_must(shapes_stage_open(&stage, b->gpu, &desc), "a canvas");
    depth_draw(&stage, &view);
    normals_create(&n, b->gpu);
    const GpuPicture picture = {.view = &stage.canvas->view,
                                .images = stage.canvas->raster.images,
                                .width = desc.width,
                                .height = desc.height};
    methods_run(b, &n, &picture);
    occlusion_run(b, &n, &picture);
    normals_destroy(&n);
    shapes_stage_close(&stage);
}
