/* bench_gpu_lights.c - lights of tiles: both techniques, with a depth that has steps, and shading with a plain
 * light function, with GGX and with decals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_gpu.h"
#include "bench_decals.comp.h"
#include "bench_decals_lists.comp.h"
#include "bench_shade.comp.h"
#include "canvas_internal.h"
#include "lights_lists.h"
#include "rows.h"
#include "transform_manager.h"
#include "vec.h"

#define WALL_M      150.0f
#define BOXES       400u
#define NEAR_M      0.1f
#define FOV_RAD     1.0471976f
#define DECALS      100u
#define NEAR_BARS_M 5.0f

/* --- a depth image --- */

typedef struct Scene {
    Gpu*             gpu;
    u32              width, height;
    f32*             distance_m; /* [width x height] along the view */
    GpuImage         depth;
    VkDescriptorPool pool;
    VkDescriptorSet  images;
    CanvasEye        eye;
    GpuPool          memory;
    GpuBuffer        eyes, color;
    World*           world;
    Lights           lights;
    GpuPool          world_pool;
    GpuBuffer        matrices, owners, rows;
    u32              transforms, slots;
    bool             is_split; /* lights are anywhere in depth */
    f64              ms;
    BenchPasses      passes;
} Scene;

static u64 seed = 4242;

static f32 unit(void) {
    u64 z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (f32)((z ^ z >> 31) >> 40) / (f32)(1 << 24);
}

/* A tilted box, as far as it is before what is there. */
static void box_draw(Scene* s) {
    const f32 high = (f32)s->height, wide = (f32)s->width;
    const f32 at = 6 + 120 * unit(), size = 2 / at * high, cx = unit() * wide;
    const f32 cy = high * (0.3f + 0.5f * unit()), slope = unit() - 0.5f;
    const u32 x0 = (u32)MAX_OF(cx - size * 0.4f, 0), x1 = (u32)MIN_OF(cx + size * 0.4f, wide);
    const u32 y0 = (u32)MAX_OF(cy - size, 0), y1 = (u32)MIN_OF(cy + size, high);
    for (u32 y = y0; y < y1; y++) {
        for (u32 x = x0; x < x1; x++) {
            f32* z = &s->distance_m[(size_t)y * s->width + x];
            *z = MIN_OF(*z, at + slope * ((f32)x - cx) / size * 2);
        }
    }
}

/* Ground before a wall, and boxes. */
static void distances_fill(Scene* s) {
    for (u32 y = 0; y < s->height; y++) {
        const f32 up = (1 - 2 * ((f32)y + 0.5f) / (f32)s->height) * tanf(FOV_RAD / 2);
        for (u32 x = 0; x < s->width; x++)
            s->distance_m[(size_t)y * s->width + x] = up < -3 / WALL_M ? 3 / -up : WALL_M;
    }
    for (u32 i = 0; i < BOXES; i++) box_draw(s);
}

/* Bars before a wall, with nothing between them: each tile has both. */
static void distances_split(Scene* s) {
    for (u32 i = 0; i < s->width * s->height; i++)
        s->distance_m[i] = i % s->width / 8 % 2 ? NEAR_BARS_M : WALL_M;
}

static void depth_upload(Scene* s) {
    const GpuImageDesc desc = {.format = VK_FORMAT_R32_SFLOAT,
                               .width = s->width,
                               .height = s->height,
                               .usage =
                                   VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                               .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                               .view = VK_IMAGE_VIEW_TYPE_2D};
    f32*               depth = malloc((size_t)s->width * s->height * sizeof *depth);
    bench_must(depth ? ENT_OK : ENT_NO_MEMORY, "memory");
    for (size_t i = 0; i < (size_t)s->width * s->height; i++) depth[i] = NEAR_M / s->distance_m[i];
    const GpuImagePart part = {.width = s->width,
                               .height = s->height,
                               .row_bytes = s->width * 4,
                               .row_pixels = 1,
                               .bytes = (const u8*)depth};
    bench_must(gpu_image_create(&s->depth, s->gpu, &desc), "an image");
    bench_must(gpu_image_begin(&s->depth, s->gpu), "an image");
    bench_must(gpu_image_add(&s->depth, s->gpu, &part), "an image");
    bench_must(gpu_image_ready(&s->depth, s->gpu), "an image");
    free(depth);
}

static void images_create(Scene* s) {
    bench_must(gpu_image_sets_create(s->gpu, &s->images, 1, &s->pool), "a set of images");
    gpu_image_bind(s->gpu, s->images, CANVAS_DEPTH, s->depth.view);
}

static void scene_open(Scene* s, Gpu* gpu, u32 width, u32 height, bool is_split) {
    const CanvasView view = {
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = FOV_RAD, .near_m = NEAR_M},
        .pose = mat34_identity};
    const u64              samples = (u64)width * height;
    const GpuBufferRequest requests[] = {{&s->eyes, 1, sizeof(CanvasEye), "the camera"},
                                         {&s->color, samples, 8, "colours"}};
    *s = (Scene){.gpu = gpu, .width = width, .height = height};
    seed = 4242;
    s->distance_m = malloc(samples * sizeof *s->distance_m);
    bench_must(s->distance_m ? ENT_OK : ENT_NO_MEMORY, "memory");
    if (is_split)
        distances_split(s);
    else
        distances_fill(s);
    depth_upload(s);
    s->is_split = is_split;
    images_create(s);
    s->eye = canvas_eye(&view, width, height, 1);
    bench_must(gpu_pool_create(&s->memory, gpu, requests, COUNT_OF(requests)), "memory");
    bench_must(gpu_upload(gpu, &s->eyes, 0, &s->eye, sizeof s->eye), "the camera");
}

static void scene_close(Scene* s) {
    s->gpu->vk.vkDestroyDescriptorPool(s->gpu->device, s->pool, NULL);
    gpu_image_destroy(&s->depth, s->gpu);
    gpu_pool_destroy(&s->memory);
    free(s->distance_m);
}

/* --- elements near surfaces --- */

static u32 entity_add(Scene* s, const char* type) {
    static const u32 no_row = 0;
    Entity           entity;
    u32              row = no_row, created;
    World* const     world = s->world;
    bench_must(ent_entity_create(world, &entity, 1), "an entity");
    bench_must(
        ent_manager_create(world, ent_world_manager_by_name(world, "transform"), entity, &row),
        "a transform");
    bench_must(ent_manager_create(world, ent_world_manager_by_name(world, type), entity, &created),
               type);
    const u32 x = (u32)(unit() * (f32)s->width), y = (u32)(unit() * (f32)s->height);
    const f32 near_surface =
        s->distance_m[MIN_OF((size_t)y * s->width + x, (size_t)s->width * s->height - 1)] *
        (0.85f + 0.2f * unit());
    const f32             z = s->is_split ? 8 + 80 * unit() : near_surface;
    const f32             up = tanf(FOV_RAD / 2);
    const TransformRecord pose = {
        {(2 * (f32)x / (f32)s->width - 1) * up * (f32)s->width / (f32)s->height * z,
         (1 - 2 * (f32)y / (f32)s->height) * up * z, -z},
        {0, 0, 0, 1},
        {1, 1, 1}};
    ent_transform_set_local(world, row, &pose);
    return created;
}

static void transforms_upload(Scene* s) {
    const Manager* manager = ent_world_manager_by_name(s->world, "transform");
    s->transforms = manager->count;
    s->slots = ent_world_entities(s->world)->slot_capacity;
    const GpuBufferRequest requests[] = {{&s->matrices, s->transforms, sizeof(Mat34), "matrices"},
                                         {&s->owners, s->transforms, sizeof(Entity), "owners"},
                                         {&s->rows, s->slots, sizeof(u32), "rows"}};
    u32*                   rows = calloc(s->slots, sizeof *rows);
    bench_must(rows ? ENT_OK : ENT_NO_MEMORY, "memory");
    bench_must(gpu_pool_create(&s->world_pool, s->gpu, requests, COUNT_OF(requests)), "memory");
    for (u32 i = 0; i < s->transforms; i++) rows[manager->entity[i] & LIGHTS_INDEX_MASK] = i;
    bench_must(
        gpu_upload(s->gpu, &s->matrices, 0, ent_transform_worlds(s->world), s->matrices.bytes),
        "matrices");
    bench_must(gpu_upload(s->gpu, &s->owners, 0, manager->entity, s->owners.bytes), "owners");
    bench_must(gpu_upload(s->gpu, &s->rows, 0, rows, s->rows.bytes), "rows");
    free(rows);
}

/* `large`: lights of 2 to 12 m, else of 1 to 4 m; decals that cover the picture. */
static void world_open(Scene* s, u32 lights, u32 decals, bool large) {
    bench_must(ent_world_create(&s->world, NULL), "a world");
    for (u32 i = 0; i < lights; i++) {
        const u32 row = entity_add(s, "light");
        ent_light_rows(s->world).record[row] =
            (LightRecord){.kind = LIGHT_POINT,
                          .color = {unit(), unit(), unit()},
                          .intensity = 1,
                          .range_m = large ? 2 + 10 * unit() : 1 + 3 * unit()};
    }
    for (u32 i = 0; i < decals; i++) {
        const u32 row = entity_add(s, "decal");
        const f32 size = large ? 400.0f : 0.5f + unit();
        ent_decal_rows(s->world).record[row] =
            (DecalRecord){.half_extent_m = {size, size, size}, .opacity = 1, .order = i % 7};
    }
    ent_transform_update_all(s->world);
    transforms_upload(s);
    bench_must(lights_create(&s->lights, s->gpu, s->world), "lights");
}

static void world_close(Scene* s) {
    lights_destroy(&s->lights);
    gpu_pool_destroy(&s->world_pool);
    ent_world_destroy(s->world);
}

/* --- measuring --- */

static void frame_done(void* user, const GpuFrameCost* cost, const GpuTime* times, u32 count) {
    Scene* s = user;
    s->ms = cost->device_ms;
    memcpy(s->passes.last, times, MIN_OF(count, BENCH_PASSES) * sizeof *times);
    if (count && s->passes.runs < BENCH_RUNS)
        bench_passes_add(&s->passes, MIN_OF(count, BENCH_PASSES));
}

static void frame_run(Scene* s, GpuFrames* frames, const GpuKernel* shade) {
    const LightsPicture picture = {.eye = &s->eyes,
                                   .view = &s->eye,
                                   .images = s->images,
                                   .width = s->width,
                                   .height = s->height,
                                   .matrices = &s->matrices,
                                   .owners = &s->owners,
                                   .rows = &s->rows,
                                   .transform_count = s->transforms,
                                   .slot_count = s->slots};
    GpuFrame*           frame;
    bench_must(ent_gpu_frame_begin(frames, &frame), "a frame");
    bench_must(lights_update(&s->lights, frame), "lights");
    if (!shade) bench_must(lights_cull(&s->lights, frame, &picture, 2), "culling");
    if (shade)
        gpu_pass(&frame->list,
                 &(GpuPass){.name = "shade",
                            .kernel = shade,
                            .images = s->images,
                            .use = {[CANVAS_VIEW] = {&s->eyes, GPU_READ},
                                    [CANVAS_COLOR] = {&s->color, GPU_WRITE},
                                    [LIGHTS_SPHERE] = {&s->lights.scene.spheres, GPU_READ},
                                    [LIGHTS_STATE] = {&s->lights.state, GPU_READ},
                                    [LIGHTS_ITEM] = {&s->lights.scene.items, GPU_READ},
                                    [LIGHTS_WORD] = {&s->lights.picture.words, GPU_READ}},
                            .threads = (u64)(s->lights.picture.size.tiles) * shade->group_size});
    bench_must(ent_gpu_frame_end(frame), "a frame");
    bench_must(ent_gpu_frames_wait(frames), "a frame");
}

static f64 frames_measure(Scene* s, GpuTimes times, const GpuKernel* shade) {
    const GpuFramesDesc desc = {times, frame_done, s};
    GpuFrames*          frames;
    f64                 ms[BENCH_RUNS];
    const u32           runs = s->gpu->info.software ? 3 : BENCH_RUNS;
    bench_must(ent_gpu_frames_create(&frames, s->gpu, &desc), "frames");
    for (u32 i = 0; i < 4; i++) frame_run(s, frames, shade);
    s->passes = (BenchPasses){0};
    for (u32 i = 0; i < runs; i++) {
        frame_run(s, frames, shade);
        ms[i] = s->ms;
    }
    ent_gpu_frames_destroy(frames);
    return bench_median(ms, runs);
}

/* How surfaces are shaded. */
typedef struct Shading {
    const char* name;
    bool        is_ggx, is_square; /* a thread has 2 x 2 samples, not 4 x 1 */
    bool        of_decals, ends_early;
} Shading;

static const Shading plain = {.name = "shading"};

static f64 shade_measure(Scene* s, bool lists, const Shading* how) {
    const u32           tile = lights_tile(&s->lights, s->width, s->height);
    const u32           of_lamps[] = {lists, how->is_ggx, how->is_square ? 2u : 4u};
    const u32           of_decals[] = {how->ends_early};
    const GpuKernelDesc lamps = GPU_KERNEL(bench_shade, tile * tile / 4),
                        decals = GPU_KERNEL(bench_decals, tile * tile / 4),
                        decal_lists = GPU_KERNEL(bench_decals_lists, tile * tile / 4);
    GpuKernel        kernel;
    const ent_status status =
        how->of_decals
            ? gpu_kernel_create_with(&kernel, s->gpu, lists ? &decal_lists : &decals, of_decals, 1)
            : gpu_kernel_create_with(&kernel, s->gpu, &lamps, of_lamps, 3);
    bench_must(status, "a kernel");
    const f64 ms = frames_measure(s, ENT_GPU_TIMES_LIST, &kernel);
    gpu_kernel_destroy(&kernel);
    return ms;
}

static u64 listed_count(Scene* s) {
    u32* words = malloc(s->lights.picture.words.bytes);
    u64  count = 0;
    bench_must(words ? gpu_download(s->gpu, &s->lights.picture.words, 0, words,
                                    s->lights.picture.words.bytes)
                     : ENT_NO_MEMORY,
               "words");
    const u32 stride = (MIN_OF(s->lights.scene.capacity, LIGHTS_MAX) + 31) / 32;
    for (u32 tile = 0; tile < s->lights.picture.size.tiles; tile++)
        for (u32 w = 0; w < (lights_elements(&s->lights) + 31) / 32; w++)
            count += (u64)__builtin_popcount(words[(size_t)tile * 2 * stride + w]);
    free(words);
    return count;
}

typedef struct Case {
    const char*    name;
    LightsSettings settings;
} Case;

/* The last two: also of the largest number of lights. */
#define LARGE_CASES 2u

static const Case cases[] = {
    {"bits", {0}},
    {"bits, groups of 64", {.group = 64}},
    {"bits, groups of 128", {.group = 128}},
    {"bits, no coarse tiles", {.tests = LIGHTS_BY_BOX | LIGHTS_BY_SLICE | LIGHTS_BY_CONE}},
    {"bits, tiles of 16", {.tile = 16}},
    {"bits, tiles of 32", {.tile = 32}},
    {"bits, no slices", {.tests = LIGHTS_BY_BOX | LIGHTS_BY_CONE | LIGHTS_BY_FAR}},
    {"bits, depths beside elements", {.depth_first = true}},
    {"lists", {.method = &lights_lists}},
    {"lists, groups of 64", {.method = &lights_lists, .group = 64}},
    {"lists, groups of 128", {.method = &lights_lists, .group = 128}},
    {"lists, no coarse tiles",
     {.method = &lights_lists, .tests = LIGHTS_BY_BOX | LIGHTS_BY_SLICE | LIGHTS_BY_CONE}},
    {"bits, second level", {.skips = LIGHTS_SKIPS_ALWAYS}},
    {"bits, no second level", {.skips = LIGHTS_SKIPS_NEVER}}};

/* A scene and its rows. */
typedef struct RunOf {
    u32         width, height, lights, decals;
    bool        large;
    f64         target_ms, shading_ms; /* 0: none */
    const char* name;
} RunOf;

static void shading_run(Bench* b, Scene* s, const RunOf* run, u32 which, const Shading* how,
                        f64 target_ms) {
    const bool lists = cases[which].settings.method != NULL;
    char       name[160];
    snprintf(name, sizeof name, "lights %s: %s, %s", run->name, how->name, cases[which].name);
    bench_report(b, name, lights_elements(&s->lights), shade_measure(s, lists, how), target_ms, 0);
}

static void shadings_run(Bench* b, Scene* s, const RunOf* run, u32 which) {
    static const Shading others[] = {
        {.name = "shading with GGX", .is_ggx = true},
        {.name = "shading, 2 x 2 samples a thread", .is_square = true}};
    static const Shading decals[] = {{.name = "shading", .of_decals = true, .ends_early = true},
                                     {.name = "shading without an early end", .of_decals = true}};
    const bool           is_main = strchr(cases[which].name, ',') == NULL; /* both techniques */
    if (run->decals) {
        for (u32 i = 0; i < COUNT_OF(decals) && is_main; i++)
            shading_run(b, s, run, which, &decals[i], 0);
        return;
    }
    if (!cases[which].settings.method)
        printf("    %.1f lights a tile\n", (f64)listed_count(s) / s->lights.picture.size.tiles);
    shading_run(b, s, run, which, &plain, which ? 0 : run->shading_ms);
    for (u32 i = 0; i < COUNT_OF(others) && is_main; i++)
        shading_run(b, s, run, which, &others[i], 0);
}

static void case_run(Bench* b, Scene* s, const RunOf* run, u32 which) {
    char name[160];
    lights_set(&s->lights, &cases[which].settings);
    const f64 ms = frames_measure(s, ENT_GPU_TIMES_LIST, NULL);
    snprintf(name, sizeof name, "lights %s: culling, %s", run->name, cases[which].name);
    bench_report(b, name, lights_elements(&s->lights), ms, which ? 0 : run->target_ms, 0);
    if (which == 0 || cases[which].settings.method || cases[which].settings.depth_first) {
        frames_measure(s, ENT_GPU_TIMES_PASSES, NULL);
        bench_passes_report(&s->passes);
        frames_measure(s, ENT_GPU_TIMES_LIST, NULL);
    }
    shadings_run(b, s, run, which);
}

/* What the slices save where near and far surfaces meet in all tiles: culling and shading. */
static void split_run(Bench* b, u32 scale) {
    static const LightsSettings without = {.tests = LIGHTS_BY_BOX | LIGHTS_BY_CONE | LIGHTS_BY_FAR};
    f64                         ms[2];
    Scene                       s;
    scene_open(&s, b->gpu, 3840 / scale, 2160 / scale, true);
    world_open(&s, 1000, 0, true);
    for (u32 i = 0; i < 2; i++) {
        lights_set(&s.lights, i ? &without : &(LightsSettings){0});
        ms[i] = frames_measure(&s, ENT_GPU_TIMES_LIST, NULL) + shade_measure(&s, false, &plain);
    }
    bench_report_beside(b, "lights 3840 x 2160, bars before a wall: culling and shading",
                        "the same without slices", 1000, ms[0], ms[1], 1 / 1.3);
    world_close(&s);
    scene_close(&s);
}

void bench_lights(Bench* b) {
    static const RunOf runs[] = {
        {3840, 2160, 1000, 0, false, 0.045, 0.6, "3840 x 2160, 1000 small"},
        {3840, 2160, 1000, 0, true, 0.090, 0, "3840 x 2160, 1000 large"},
        {3840, 2160, 4096, 0, false, 0.125, 0, "3840 x 2160, 4096 small"},
        {3840, 2160, 4096, 0, true, 0.32, 0, "3840 x 2160, 4096 large"},
        {1920, 1080, 1000, 0, false, 0.016, 0, "1920 x 1080, 1000 small"},
        {1920, 1080, 1000, 0, true, 0.030, 0, "1920 x 1080, 1000 large"},
        {1920, 1080, LIGHTS_MAX, 0, false, 0, 0, "1920 x 1080, 65536 small"},
        {3840, 2160, 0, DECALS, false, 0, 0, "3840 x 2160, 100 decals, small"},
        {3840, 2160, 0, DECALS, true, 0, 0, "3840 x 2160, 100 decals, full screen"},
        {1920, 1080, 0, DECALS, false, 0, 0, "1920 x 1080, 100 decals, small"},
        {1920, 1080, 0, DECALS, true, 0, 0, "1920 x 1080, 100 decals, full screen"}};
    const u32 scale = b->gpu->info.software ? 8 : 1;
    if (!bench_is_selected(b, "lights", 1000)) return;
    for (u32 i = 0; i < COUNT_OF(runs); i++) {
        const bool many = runs[i].lights > 10000;
        Scene      s;
        if (many && b->gpu->info.software) continue; /* minutes there */
        scene_open(&s, b->gpu, runs[i].width / scale, runs[i].height / scale, false);
        world_open(&s, runs[i].lights, runs[i].decals, runs[i].large);
        for (u32 k = many ? COUNT_OF(cases) - LARGE_CASES : 0; k < COUNT_OF(cases); k++)
            case_run(b, &s, &runs[i], k);
        world_close(&s);
        scene_close(&s);
    }
    split_run(b, scale);
}
