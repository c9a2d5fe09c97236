/* bench_gpu_reload.c - a program that follows its library: from the call to the end of the upload, and the frames beside it. The
 * folder BENCH_RELOAD has the outputs of a room before and after an edit: before, material, texture. */
#include <stdlib.h>
#include <string.h>

#include "bench_gpu.h"
#include "clock.h"
#include "gpu_picture.h"
#include "lit_system.h"
#include "meshes.h"
#include "spawn.h"

enum { TIMES = 15, FRAMES = 1000, EVERY = 250 };

typedef struct Room {
    Bench*      b;
    Library     library;
    World*      world;
    LitSystem   lit;
    GpuFrames*  frames;
    Canvas*     canvas;
    const char* folder;
} Room;

/* As a build replaces files: by others. */
static void outputs_copy(const Room* r, const char* from) {
    char command[4096];
    snprintf(command, sizeof command, "cp -rf --remove-destination '%s/%s/.' '%s/live/'", r->folder,
             from, r->folder);
    bench_must(system(command) == 0 ? ENT_OK : ENT_IO, command);
}

static void room_open(Room* r, Bench* b, const char* folder, EntJobPool* pool) {
    const CanvasDesc  desc = {.width = 1280, .height = 720, .samples = 1};
    const LibraryDesc of_library = {.pool = pool};
    GpuProblem        problem = {0};
    const Blob*       level;
    char              path[2048];
    *r = (Room){.b = b, .folder = folder};
    outputs_copy(r, "before");
    snprintf(path, sizeof path, "%s/live", folder);
    bench_must(ent_world_create(&r->world, NULL), "a world");
    bench_must(ent_library_open(&r->library, path, &of_library), path);
    bench_must(ent_library_load(&r->library, "room", RESOURCE_LEVEL, &level), r->library.problem);
    bench_must(ent_world_spawn(r->world, level, NULL, NULL), "a level");
    const GpuScene scene = {.world = r->world, .library = &r->library};
    bench_must(lit_create(&r->lit, ent_meshes_system(), b->gpu, &scene, &problem), problem.text);
    bench_must(ent_gpu_frames_create(&r->frames, b->gpu, &(GpuFramesDesc){GPU_TIMES_NONE, 0, 0}),
               "frames");
    bench_must(ent_canvas_create(&r->canvas, b->gpu, &desc), "a canvas");
}

static void room_close(Room* r) {
    ent_gpu_frames_destroy(r->frames);
    ent_canvas_destroy(r->canvas);
    lit_destroy(&r->lit);
    ent_world_destroy(r->world);
    ent_library_close(&r->library);
}

/* Milliseconds of a frame that follows the library: until it is complete. Without a picture it only uploads. */
static f64 frame_ms(Room* r, bool draws) {
    const CanvasView view = {
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.9f, .near_m = 0.1f},
        .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0.7f}, {0, 0, 1, 3.2f}}},
        .exposure = 1};
    const GpuParts parts = lit_parts(&r->lit);
    const u64      start = clock_ns();
    LibraryChanges changes;
    GpuFrame*      frame;
    bench_must(ent_library_follow(&r->library, &changes), r->library.problem);
    bench_must(ent_gpu_frame_begin(r->frames, &frame), "a frame");
    bench_must(ent_picture_record(frame, &parts, draws ? r->canvas : NULL, &view), "a frame");
    bench_must(ent_gpu_frame_end(frame), "a frame");
    bench_must(ent_gpu_frames_wait(r->frames), "a frame");
    return (f64)(clock_ns() - start) / 1e6;
}

static void upload_measure(Bench* b, const char* what, const char* folder, const char* edit,
                           f64 target_ms) {
    f64  ms[TIMES], drawn[TIMES], usual[TIMES];
    Room r;
    if (!bench_is_selected(b, what, 1)) return;
    room_open(&r, b, folder, NULL);
    for (u32 i = 0; i < TIMES; i++) {
        outputs_copy(&r, i % 2 ? "before" : edit);
        for (u32 k = 0; k < 10; k++) frame_ms(&r, true);
        outputs_copy(&r, i % 2 ? edit : "before");
        ms[i] = frame_ms(&r, false);
        drawn[i] = frame_ms(&r, true);
        for (u32 k = 0; k < 10; k++) usual[i] = frame_ms(&r, true);
    }
    bench_report(b, what, 1, bench_median(ms, TIMES), target_ms, 0);
    printf("    the picture after it, with a probe %25.4f ms; without a change %.4f ms\n",
           bench_median(drawn, TIMES), bench_median(usual, TIMES));
    room_close(&r);
}

static int ms_order(const void* a, const void* b) {
    const f64 *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The frames that took longer than 1.2 of the usual time, by their distance from the last edit. */
static void slow_print(const f64* ms) {
    f64 sorted[FRAMES];
    memcpy(sorted, ms, sizeof sorted);
    qsort(sorted, FRAMES, sizeof *sorted, ms_order);
    printf("    slow frames, by frames since an edit:");
    for (u32 i = 0; i < FRAMES; i++) {
        if (ms[i] > 1.2 * sorted[FRAMES / 2]) printf(" %u:%.2f", (i + 1) % EVERY, ms[i]);
    }
    printf("\n");
}

/* 99 of 100 frames, beside the median: a reload of a texture in every 250th. */
static void frames_measure(Bench* b, const char* folder) {
    static f64  ms[FRAMES];
    EntJobPool* pool;
    Room        r;
    if (!bench_is_selected(b, "reload: 99 % of the frames beside it", FRAMES)) return;
    if (!(pool = ent_job_pool_create(2, NULL))) bench_must(ENT_NO_MEMORY, "threads");
    room_open(&r, b, folder, pool);
    for (u32 k = 0; k < 20; k++) frame_ms(&r, true);
    for (u32 i = 0; i < FRAMES; i++) ms[i] = frame_ms(&r, true);
    qsort(ms, FRAMES, sizeof *ms, ms_order);
    bench_report_beside(b, "reload: 99 % of the frames without one", "the median", FRAMES,
                        ms[FRAMES * 99 / 100 - 1], ms[FRAMES / 2], 0);
    for (u32 i = 0; i < FRAMES; i++) {
        if (i % EVERY == EVERY - 1) outputs_copy(&r, i / EVERY % 2 ? "before" : "texture");
        ms[i] = frame_ms(&r, true);
    }
    slow_print(ms);
    qsort(ms, FRAMES, sizeof *ms, ms_order);
    bench_report_beside(b, "reload: 99 % of the frames beside it", "the median", FRAMES,
                        ms[FRAMES * 99 / 100 - 1], ms[FRAMES / 2], 1.2);
    printf("    the slowest %46.4f ms\n", ms[FRAMES - 1]);
    room_close(&r);
    ent_job_pool_destroy(pool);
}

void bench_reload(Bench* b) {
    const char* folder = getenv("BENCH_RELOAD");
    if (!folder) {
        printf("reload: skipped, because BENCH_RELOAD is not set\n");
        return;
    }
    upload_measure(b, "reload: to the end of the upload, a material", folder, "material", 2);
    upload_measure(b, "reload: to the end of the upload, a 2K texture", folder, "texture", 5);
    frames_measure(b, folder);
}
