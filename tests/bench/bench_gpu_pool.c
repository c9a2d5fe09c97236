/* bench_gpu_pool.c - pictures of a pool under the sun and a spot light: with water that moves and refracts and a light with a
 * cookie, and without these.
 *
 * The meshes are those of tests/support/make_pools.py, compiled to the folder BENCH_MESHES. */
#include <stdio.h>
#include <stdlib.h>

#include "bench_gpu_world.h"
#include "gpu_picture.h"
#include "library.h"
#include "lit_system.h"
#include "meshes.h"
#include "resource.h"

typedef struct Pool {
    Library   library;
    World*    world;
    LitSystem lit;
    Canvas*   canvas;
} Pool;

static void lights_add(Pool* p, bool has_cookie) {
    const Quat      down = {-0.70710678f, 0, 0, 0.70710678f}, aside = {-0.5f, 0.2f, 0, 0.84f};
    const u32       sun = bench_entity_add(p->world, "light", (Vec3){0, 0, 0}, aside);
    const u32       spot = bench_entity_add(p->world, "light", (Vec3){0, 6, 0}, down);
    const LightRows rows = ent_light_rows(p->world);
    rows.record[sun] = (LightRecord){
        .kind = LIGHT_DIRECTIONAL, .color = {1, 1, 1}, .intensity = 2, .casts_shadow = true};
    rows.record[spot] = (LightRecord){.kind = LIGHT_SPOT,
                                      .color = {1, 1, 1},
                                      .intensity = 20,
                                      .range_m = 20,
                                      .inner_angle_rad = 0.5f,
                                      .outer_angle_rad = 0.7f};
    if (has_cookie) rows.record[spot].cookie = ent_resource_ref("leaves", RESOURCE_TEXTURE);
}

static void pool_open(Bench* b, Pool* p, const char* folder, bool moves) {
    const CanvasDesc desc = {1920, 1080, 2, GPU_TIMES_PASSES};
    const char*      mesh = moves ? "pool/pool" : "pool_still/pool";
    GpuProblem       problem = {0};
    const Blob*      blob;
    *p = (Pool){0};
    bench_must(ent_library_open(&p->library, folder, NULL), folder);
    bench_must(ent_library_load(&p->library, mesh, RESOURCE_MESH, &blob), mesh);
    bench_must(ent_library_load(&p->library, "leaves", RESOURCE_TEXTURE, &blob), "leaves");
    bench_must(ent_world_create(&p->world, NULL), "a world");
    const u32 row = bench_entity_add(p->world, "mesh", (Vec3){0, 0, 0}, (Quat){0, 0, 0, 1});
    ent_mesh_rows(p->world).record[row].resource = ent_resource_ref(mesh, RESOURCE_MESH);
    lights_add(p, moves);
    ent_transform_update(p->world);
    const GpuScene scene = {.world = p->world, .library = &p->library};
    bench_must(lit_create(&p->lit, ent_meshes_system(), b->gpu, &scene, &problem), problem.text);
    bench_must(ent_canvas_create(&p->canvas, b->gpu, &desc), "a canvas");
}

static void pool_close(Pool* p) {
    ent_canvas_destroy(p->canvas);
    lit_destroy(&p->lit);
    ent_world_destroy(p->world);
    ent_library_close(&p->library);
}

/* Time passes also where nothing moves. */
static f64 pool_ms(Bench* b, Pool* p) {
    const GpuParts parts = lit_parts(&p->lit);
    const u32      runs = b->gpu->info.software ? 3 : BENCH_RUNS;
    f64            ms[BENCH_RUNS];
    BenchPasses    passes = {.runs = 0};
    for (u32 i = 0; i < runs * 4; i++) {
        const CanvasView view = {
            .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.8f, .near_m = 0.1f},
            .pose = {{{1, 0, 0, 0}, {0, 0.848f, 0.53f, 4.5f}, {0, -0.53f, 0.848f, 8.5f}}},
            .exposure = 0.5f,
            .time_s = (f32)i / 60};
        bench_must(ent_picture_draw(p->canvas, &parts, &view), "a pool");
        const u32 count = ent_canvas_times(p->canvas, passes.last, BENCH_PASSES);
        ms[i % runs] = 0; /* the last ones */
        for (u32 k = 0; k < count; k++) ms[i % runs] += passes.last[k].ms;
        if (i >= runs * 3) bench_passes_add(&passes, count);
    }
    bench_passes_report(&passes);
    return bench_median(ms, runs);
}

void bench_pool(Bench* b) {
    const char* const folder = getenv("BENCH_MESHES");
    f64               ms[2];
    if (!bench_is_selected(b, "pool: water that moves and refracts, and a cookie", 1)) return;
    if (!folder) {
        printf("pool: skipped, because BENCH_MESHES is not set\n");
        return;
    }
    for (u32 moves = 0; moves < 2; moves++) {
        Pool pool;
        pool_open(b, &pool, folder, moves);
        ms[moves] = pool_ms(b, &pool);
        pool_close(&pool);
    }
    bench_report(b, "pool", 1, ms[0], 0, 0);
    bench_report(b, "pool: what moving normals, refraction and a cookie add", 1, ms[1] - ms[0], 0.1,
                 0);
}
