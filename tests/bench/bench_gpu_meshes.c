/* bench_gpu_meshes.c - drawing meshes: finding the visible ones of a million instances, rasterising ten
 * million triangles, and colours of a picture of 3840 x 2160 samples.
 *
 * The meshes are those of tests/support/make_lods.py, compiled to the folder BENCH_MESHES. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu_picture.h"
#include "bench_gpu.h"
#include "canvas_internal.h"
#include "clock.h"
#include "lit_system.h"
#include "meshes_internal.h"
#include "rows.h"
#include "spawn.h"
#include "world.h"

#define WIDE 3840u
#define HIGH 2160u

/* Instances of one mesh in a grid. */
typedef struct Crowd {
    const char* mesh; /* a model of make_lods.py */
    u32         side; /* of the grid, in instances; the third side has `deep` */
    u32         deep;
    f32         apart_m, size;
} Crowd;

typedef struct Stage {
    Library   library;
    World*    world;
    LitSystem lit;
    Meshes*   meshes;
    Canvas*   canvas;
} Stage;

static ResourceRef mesh_open(Stage* s, const char* folder, const char* model) {
    const Blob* blob;
    char        name[64];
    bench_must(ent_library_open(&s->library, folder, NULL), folder);
    snprintf(name, sizeof name, "%s/grid", model);
    bench_must(ent_library_load(&s->library, name, RESOURCE_MESH, &blob), s->library.problem);
    return ent_resource_ref(name, RESOURCE_MESH);
}

static void crowd_fill(Stage* s, const Crowd* crowd, ResourceRef mesh) {
    const u32     count = crowd->side * crowd->side * crowd->deep;
    Entity* const entities = malloc(count * sizeof *entities);
    bench_must(ent_entity_create(s->world, entities, count), "entities");
    Manager* const transforms = ent_world_manager_by_name(s->world, "transform");
    Manager* const meshes = ent_world_manager_by_name(s->world, "mesh");
    for (u32 i = 0; i < count; i++) {
        const u32       x = i % crowd->side, y = i / crowd->side % crowd->side;
        const u32       z = i / crowd->side / crowd->side;
        const f32       first = (f32)(crowd->side - 1) / -2;
        TransformRecord pose = {.rotation = {0, 0, 0, 1}};
        u32             row;
        bench_must(ent_manager_create(s->world, transforms, entities[i], &row), "a transform");
        pose.position = (Vec3){(first + (f32)x) * crowd->apart_m, (first + (f32)y) * crowd->apart_m,
                               -(f32)z * crowd->apart_m};
        pose.scale = (Vec3){crowd->size, crowd->size, crowd->size};
        ent_transform_set_local(s->world, row, &pose);
        bench_must(ent_manager_create(s->world, meshes, entities[i], &row), "a mesh");
        ent_mesh_rows(s->world).record[row].resource = mesh;
    }
    ent_transform_update(s->world);
    free(entities);
}

static void stage_open(Stage* s, Bench* b, const Crowd* crowd, const char* folder) {
    const CanvasDesc desc = {
        .width = WIDE, .height = HIGH, .samples = 1, .times = GPU_TIMES_PASSES};
    GpuProblem problem = {0};
    *s = (Stage){0};
    const ResourceRef mesh = mesh_open(s, folder, crowd->mesh);
    bench_must(ent_world_create(&s->world, NULL), "a world");
    crowd_fill(s, crowd, mesh);
    const GpuScene scene = {.world = s->world, .library = &s->library};
    bench_must(lit_create(&s->lit, ent_meshes_system(), b->gpu, &scene, &problem), problem.text);
    s->meshes = s->lit.at[1].state;
    bench_must(ent_canvas_create(&s->canvas, b->gpu, &desc), "a canvas");
}

static void stage_close(Stage* s) {
    ent_canvas_destroy(s->canvas);
    lit_destroy(&s->lit);
    ent_world_destroy(s->world);
    ent_library_close(&s->library);
}

static void pictures_draw(Stage* s, BenchPasses* passes, f32 distance_m) {
    const CanvasView view = {
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.9f, .near_m = 0.1f},
        .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, distance_m}}},
        .light = {0.48f, 0.64f, 0.6f},
        .light_color = {1, 1, 1},
        .reach_m = 1,
        .grid_m = 1};
    const GpuParts parts = lit_parts(&s->lit);
    for (u32 i = 0; i < BENCH_RUNS; i++) {
        bench_must(ent_picture_draw(s->canvas, &parts, &view), "a picture");
        bench_passes_add(passes, ent_canvas_times(s->canvas, passes->last, BENCH_PASSES));
    }
}

static void cost_keep(void* user, const GpuFrameCost* cost, const GpuTime* times, u32 count) {
    UNUSED(times), UNUSED(count);
    *(GpuFrameCost*)user = *cost;
}

/* Both phases without what is drawn between them, in one list: barriers are included. */
static f64 culling_ms(Bench* b, Stage* s) {
    f64                 ms[BENCH_RUNS];
    GpuFrameCost        last = {0};
    const GpuFramesDesc desc = {GPU_TIMES_LIST, cost_keep, &last};
    GpuFrames*          frames;
    GpuPicture          picture = {.eye = &s->canvas->eyes[!s->canvas->which],
                                   .eye_before = &s->canvas->eyes[!s->canvas->which],
                                   .pyramid = &s->canvas->pyramid,
                                   .has_pyramid = true};
    bench_must(ent_gpu_frames_create(&frames, b->gpu, &desc), "frames");
    for (u32 i = 0; i < BENCH_RUNS; i++) {
        bench_must(ent_gpu_frame_begin(frames, &picture.frame), "a frame");
        for (u32 phase = 0; phase < 2; phase++) {
            picture.is_second = phase == 1;
            meshes_find(s->meshes, &picture);
        }
        bench_must(ent_gpu_frame_end(picture.frame), "a frame");
        bench_must(ent_gpu_frames_wait(frames), "a frame");
        ms[i] = last.device_ms;
    }
    ent_gpu_frames_destroy(frames);
    return bench_median(ms, BENCH_RUNS);
}

static u64 triangles_of(const Stage* s) {
    u64            count = 0;
    const MeshRow* mesh = &s->meshes->geometry.mesh[s->meshes->slots.slot[0].mesh];
    for (u32 i = 0; i < mesh->part_count; i++)
        count += s->meshes->geometry.part[mesh->first_part + i].index_count / 3;
    return count * s->meshes->slots.row_count;
}

/* One row in a hundred gets another place: the host's calls, and the passes on the device, which do not
 * overlap here. */
static void upload_measure(Bench* b, Stage* s) {
    const u32           rows = ent_transform_rows(s->world).count;
    f64                 host_ms[BENCH_RUNS], device_ms[BENCH_RUNS], both_ms[BENCH_RUNS];
    GpuFrameCost        last = {0};
    u64                 bytes = 0;
    const GpuFramesDesc desc = {GPU_TIMES_LIST, cost_keep, &last};
    const GpuParts      parts = lit_parts(&s->lit);
    GpuFrames*          frames;
    GpuFrame*           frame;
    bench_must(ent_gpu_frames_create(&frames, b->gpu, &desc), "frames");
    for (u32 k = 0; k < BENCH_RUNS; k++) {
        for (u32 row = k; row < rows; row += 100) {
            TransformRecord pose = ent_transform_local(s->world, row);
            pose.position.x += 0.01f;
            ent_transform_set_local(s->world, row, &pose);
        }
        const u64 start = clock_ns();
        bench_must(ent_gpu_frame_begin(frames, &frame), "a frame");
        bench_must(ent_picture_record(frame, &parts, NULL, NULL), "an update");
        bench_must(ent_gpu_frame_end(frame), "a frame");
        host_ms[k] = (f64)(clock_ns() - start) / 1e6;
        bench_must(ent_gpu_frames_wait(frames), "a frame");
        device_ms[k] = last.device_ms;
        both_ms[k] = host_ms[k] + last.device_ms;
        bytes = s->meshes->lighting->places.transforms.uploaded_bytes;
    }
    ent_gpu_frames_destroy(frames);
    bench_report(b, "meshes: upload of 1 % of the instances", rows,
                 bench_median(both_ms, BENCH_RUNS), 0.2, 0);
    printf("meshes: the last one recorded in %.3f ms, submitted in %.3f ms\n", last.record_ms,
           last.submit_ms);
    printf("meshes: of that %.3f ms of the host and %.3f ms of the device; %llu of %llu bytes\n",
           bench_median(host_ms, BENCH_RUNS), bench_median(device_ms, BENCH_RUNS),
           (unsigned long long)bytes, (unsigned long long)rows * (sizeof(Mat34) + sizeof(Entity)));
}

/* --- loading --- */

/* The level of make_loading.py, from a bundle: opened and validated; and then also on the device. */
static f64 loading_ms(Bench* b, const char* bundle, bool upload, u64* bytes) {
    const Blob* level;
    GpuProblem  problem = {0};
    LitSystem   lit;
    Library     library;
    World*      world = NULL;
    bench_must(ent_world_create(&world, NULL), "a world");
    const u64 start = clock_ns();
    bench_must(ent_library_open(&library, bundle, NULL), bundle);
    bench_must(ent_library_load(&library, "loading", RESOURCE_LEVEL, &level), library.problem);
    if (upload) {
        const GpuScene scene = {.world = world, .library = &library};
        bench_must(ent_world_spawn(world, level, NULL, NULL), "a level");
        bench_must(lit_create(&lit, ent_meshes_system(), b->gpu, &scene, &problem), problem.text);
    }
    const f64 ms = (f64)(clock_ns() - start) / 1e6;
    *bytes = library.bytes;
    if (upload) lit_destroy(&lit);
    ent_world_destroy(world);
    ent_library_close(&library);
    return ms;
}

static void loading_measure(Bench* b) {
    enum { TIMES = 5 };
    const char* bundle = getenv("BENCH_LOADING");
    f64         unpacked[TIMES], loaded[TIMES];
    u64         bytes = 0;
    if (!bundle || !bench_is_selected(b, "meshes: loading to the device", 1)) return;
    for (u32 i = 0; i < TIMES; i++) {
        unpacked[i] = loading_ms(b, bundle, false, &bytes);
        loaded[i] = loading_ms(b, bundle, true, &bytes);
    }
    bench_report_beside(b, "meshes: loading to the device", "unpacking alone", bytes,
                        bench_median(loaded, TIMES), bench_median(unpacked, TIMES), 1.2);
}

void bench_meshes(Bench* b) {
    static const Crowd many = {"box", 100, 100, 3, 0.4f};
    static const Crowd fine = {"plain", 82, 1, 2.2f, 1}, levels = {"ball", 82, 1, 2.2f, 1};
    static BenchPasses passes;
    const char*        folder = getenv("BENCH_MESHES");
    Stage              s;
    if (!folder) {
        printf("meshes: skipped, because BENCH_MESHES is not set\n");
        return;
    }
    loading_measure(b);
    if (bench_is_selected(b, "meshes: visible instances", 1000000)) {
        passes = (BenchPasses){0};
        stage_open(&s, b, &many, folder);
        pictures_draw(&s, &passes, 200);
        const u32 instances = s.meshes->slots.row_count;
        bench_report(b, "meshes: visible instances", instances, culling_ms(b, &s), 0.05,
                     64.0 * instances);
        bench_passes_report(&passes);
        upload_measure(b, &s);
        stage_close(&s);
    }
    if (!bench_is_selected(b, "meshes: triangles in view", 10000000)) return;
    passes = (BenchPasses){0};
    stage_open(&s, b, &fine, folder);
    pictures_draw(&s, &passes, 190);
    bench_report(b, "meshes: triangles in view", triangles_of(&s),
                 bench_passes_ms(&passes, "raster", NULL), (f64)triangles_of(&s) / 0.5e6 * 1.1, 0);
    bench_report(b, "meshes: colours of 3840 x 2160 samples", WIDE * HIGH,
                 bench_passes_ms(&passes, "shade", NULL), 0, (8.0 + 8.0) * WIDE * HIGH);
    bench_passes_report(&passes);
    stage_close(&s);
    passes = (BenchPasses){0};
    stage_open(&s, b, &levels, folder);
    pictures_draw(&s, &passes, 190);
    bench_report(b, "meshes: the same triangles with levels of detail", s.meshes->slots.row_count,
                 bench_passes_ms(&passes, "raster", NULL), 0, 0);
    stage_close(&s);
}
