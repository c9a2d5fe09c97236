/* lights_cull.c - the passes over the tiles of a picture, and their buffers. */
#include "lights.h"

#include <math.h>
#include <stdlib.h>

#include "vec.h"

#include "lights_bits.comp.h"
#include "lights_coarse.comp.h"
#include "lights_depth.comp.h"
#include "lights_occupied.comp.h"

_Static_assert(sizeof(LightsTiles) <= GPU_PUSH_BYTES && sizeof(LightsPush) <= GPU_PUSH_BYTES,
               "what is pushed");

#define OCCUPIED_EACH 4u /* tiles of a thread in lights_occupied.comp */

/* Samples from which culling and shading together are faster with tiles of 32: with 1,000 lights 0.65
 * instead of 0.66 ms at 3840 x 2160, and 0.214 instead of 0.203 ms at 1920 x 1080. */
#define LARGE_PICTURE 6000000u

/* --- settings --- */

/* Measured on an H200 by `bench_gpu lights`. */
static const LightsSettings fastest = {
    .group = 256, .tests = LIGHTS_BY_BOX | LIGHTS_BY_SLICE | LIGHTS_BY_CONE | LIGHTS_BY_FAR};

LightsSettings lights_settings(const Lights* l) {
    LightsSettings s = l->settings;
    if (!s.group) s.group = fastest.group;
    if (!s.tests) s.tests = fastest.tests;
    if (l->count.decals + l->count.probes) s.tests |= LIGHTS_HAS_BOXES;
    if (l->count.spots) s.tests |= LIGHTS_HAS_SPOTS;
    s.group = MIN_OF(s.group, l->gpu->limits.maxComputeWorkGroupInvocations);
    return s;
}

u32 lights_tile(const Lights* l, u32 width, u32 height) {
    if (l->settings.tile) return l->settings.tile;
    return (u64)width * height >= LARGE_PICTURE ? 32 : 16;
}

void lights_set(Lights* l, const LightsSettings* settings) { l->settings = *settings; }

/* --- the sizes of a picture --- */

typedef struct Shape {
    LightsSettings settings;
    u32            wide, high;               /* tiles */
    u32            coarse_wide, coarse_high; /* coarse tiles */
    u32            words, skip_words;        /* of the bits of a tile */
    LightsState    state;
    u64            word_count;   /* of all bits or lists */
    u64            coarse_words; /* of all coarse tiles */
} Shape;

static u32 pieces(u32 count, u32 each) { return (count + each - 1) / each; }

static bool has_skips(const Lights* l) {
    const u32 count = lights_elements(l);
    return l->settings.skips == LIGHTS_SKIPS_BY_COUNT ? count > LIGHTS_SKIPS_FROM
                                                      : l->settings.skips == LIGHTS_SKIPS_ALWAYS;
}

LightsGrid lights_grid(const Lights* l, u32 width, u32 height) {
    const u32 tile = lights_tile(l, width, height);
    return (LightsGrid){tile, pieces(width, tile), pieces(height, tile)};
}

static Shape shape_of(const Lights* l, u32 width, u32 height) {
    Shape                 s = {.settings = lights_settings(l)};
    LightsSettings* const o = &s.settings;
    const LightsGrid      grid = lights_grid(l, width, height);
    o->tile = grid.tile;
    s.wide = grid.wide;
    s.high = grid.high;
    s.coarse_wide = pieces(s.wide, LIGHTS_SIDE);
    s.coarse_high = pieces(s.high, LIGHTS_SIDE);
    s.words = MAX_OF(pieces(MIN_OF(l->scene.capacity, LIGHTS_MAX), 32), 1u);
    s.skip_words = has_skips(l) ? pieces(s.words, 32) : 0;
    const u64 tiles = (u64)s.wide * s.high * 2;
    if (!o->method) {
        s.state.stride = s.words;
        s.state.skip_stride = s.skip_words;
        if (s.skip_words) s.state.skips = (u32)(tiles * s.words);
        s.word_count = tiles * (s.words + s.skip_words);
    } else {
        s.state.stride = o->method->words;
        s.word_count = tiles * o->method->words;
    }
    s.state.tile = o->tile;
    s.state.wide = s.wide;
    s.coarse_words = (u64)s.coarse_wide * s.coarse_high * LIGHTS_COARSE_WORDS;
    return s;
}

/* Buffers that were sufficient for a larger picture are kept. */
static ent_status picture_reserve(Lights* l, GpuFrame* frame, const Shape* s) {
    const LightsSize       have = l->picture.size;
    const LightsSize       size = {.edges = MAX_OF(have.edges, s->wide + s->high + 2),
                                   .tiles = MAX_OF(have.tiles, s->wide * s->high),
                                   .coarse = MAX_OF(have.coarse, s->coarse_words),
                                   .words = MAX_OF(have.words, s->word_count)};
    const GpuBufferRequest requests[] = {
        {&l->picture.edges, size.edges, sizeof(Vec4), "edges of tiles"},
        {&l->picture.bounds, size.tiles, sizeof(LightsBounds), "depths of tiles"},
        {&l->picture.coarse, size.coarse, sizeof(u32), "lights of coarse tiles"},
        {&l->picture.close, size.coarse, sizeof(Vec4), "lights of coarse tiles"},
        {&l->picture.words, size.words, sizeof(u32), "lights of tiles"},
        {&l->picture.tiles, sizeof(LightsOccupied) / 4 + (u64)size.tiles, sizeof(u32),
         "tiles with surfaces"}};
    if (memcmp(&have, &size, sizeof size) == 0) return ENT_OK;
    l->picture.size = (LightsSize){0};
    gpu_frame_retire_pool(frame, &l->picture.pool);
    TRY(gpu_pool_create(&l->picture.pool, l->gpu, requests, COUNT_OF(requests)));
    gpu_set(&frame->list, "lights", &l->picture.tiles, 0);
    memset(l->picture.edges_of, 0, sizeof l->picture.edges_of);
    l->picture.size = size;
    return ENT_OK;
}

/* --- edges of tiles --- */

/* The plane of an edge at this place of the picture, from -1 to 1. */
static Vec4 edge_at(f32 place, f32 half_size, bool orthographic) {
    const f32 at = place * half_size;
    if (orthographic) return (Vec4){0, at, 1, 0};
    return (Vec4){at, 0, 1 / sqrtf(1 + at * at), 0};
}

/* They depend on the projection only. */
static ent_status edges_upload(Lights* l, GpuFrame* frame, const Shape* s, const CanvasEye* eye) {
    const f32  right = vec3_length(eye->right), up = vec3_length(eye->up);
    const Vec4 from[2] = {{right, up, eye->orthographic ? 1.0f : 0.0f, 1},
                          {(f32)eye->width, (f32)eye->height, (f32)s->settings.tile, 0}};
    const u32  count = s->wide + s->high + 2;
    if (memcmp(from, l->picture.edges_of, sizeof from) == 0) return ENT_OK;
    Vec4* edges = malloc(count * sizeof *edges);
    if (!edges) return ENT_NO_MEMORY;
    for (u32 i = 0; i <= s->wide; i++)
        edges[i] = edge_at((f32)MIN_OF(i * s->settings.tile, eye->width) / (f32)eye->width * 2 - 1,
                           right, eye->orthographic);
    for (u32 i = 0; i <= s->high; i++)
        edges[s->wide + 1 + i] =
            edge_at(1 - (f32)MIN_OF(i * s->settings.tile, eye->height) / (f32)eye->height * 2, up,
                    eye->orthographic);
    const ent_status status =
        gpu_frame_upload(frame, &l->picture.edges, 0, edges, count * sizeof *edges);
    free(edges);
    memcpy(l->picture.edges_of, from, sizeof from);
    return status;
}

/* --- kernels --- */

static void kernels_drop(Lights* l, GpuFrame* frame) {
    if (l->kernel.depth.pipeline) gpu_frame_retire_kernel(frame, &l->kernel.depth);
    if (l->kernel.bits.pipeline) gpu_frame_retire_kernel(frame, &l->kernel.bits);
    if (l->kernel.other.pipeline) gpu_frame_retire_kernel(frame, &l->kernel.other);
}

static ent_status kernels_need(Lights* l, GpuFrame* frame, const LightsSettings* s) {
    const u32 is_subgroup = l->gpu->info.subgroup_size == LIGHTS_TEAM;
    const u32 constants[] = {s->group / LIGHTS_TEAM, s->tests, is_subgroup}; /* TEAMS, TESTS, .. */
    if (l->created.tile != s->tile || l->created.group != s->group ||
        l->created.tests != s->tests || (s->method && l->created.method != s->method))
        kernels_drop(l, frame);
    l->created = *s;
    if (!l->kernel.depth.pipeline)
        TRY(gpu_kernel_create_with(&l->kernel.depth, l->gpu,
                                   &GPU_KERNEL(lights_depth, LIGHTS_GROUP), &s->tile,
                                   1)); /* TILE */
    if (!l->kernel.far.pipeline)
        TRY(gpu_kernel_create(&l->kernel.far, l->gpu, &GPU_KERNEL(lights_coarse, LIGHTS_GROUP)));
    if (!l->kernel.occupied.pipeline)
        TRY(gpu_kernel_create(&l->kernel.occupied, l->gpu,
                              &GPU_KERNEL(lights_occupied, LIGHTS_GROUP)));
    if (!s->method && !l->kernel.bits.pipeline)
        return gpu_kernel_create_with(&l->kernel.bits, l->gpu, &GPU_KERNEL(lights_bits, s->group),
                                      constants, 3);
    if (!s->method || l->kernel.other.pipeline) return ENT_OK;
    GpuKernelDesc store = s->method->store;
    store.group_size = s->group;
    return gpu_kernel_create_with(&l->kernel.other, l->gpu, &store, &s->tests, 1);
}

/* --- passes --- */

static LightsTiles tiles_push(const Shape* s, const LightsPicture* p, u32 groups_each) {
    return (LightsTiles){.wide = s->wide,
                         .high = s->high,
                         .coarse_wide = s->coarse_wide,
                         .coarse_high = s->coarse_high,
                         .stride = s->state.stride,
                         .skips = s->state.skips,
                         .skip_stride = s->state.skip_stride,
                         .width = p->width,
                         .height = p->height,
                         .groups_each = groups_each};
}

static void depth_record(const Lights* l, GpuList* list, const LightsPicture* p, const Shape* s,
                         const LightsTiles* push) {
    gpu_pass(list, &(GpuPass){.name = "depth ranges",
                              .kernel = &l->kernel.depth,
                              .images = p->images,
                              .use = {[LIGHTS_EYE] = {p->eye, GPU_READ},
                                      [LIGHTS_BOUNDS] = {&l->picture.bounds, GPU_WRITE}},
                              GPU_PUSH(*push),
                              .threads = (u64)s->wide * s->high * LIGHTS_TEAM});
}

/* Lists of coarse tiles. The next passes do not depend on each other. */
static void coarse_record(const Lights* l, GpuList* list, const Shape* s, const LightsTiles* push) {
    if (!(s->settings.tests & LIGHTS_BY_FAR)) return;
    gpu_pass(list, &(GpuPass){.name = "coarse tiles",
                              .kernel = &l->kernel.far,
                              .use = {[LIGHTS_EDGE] = {&l->picture.edges, GPU_READ},
                                      [LIGHTS_COARSE] = {&l->picture.coarse, GPU_WRITE},
                                      [LIGHTS_CLOSE] = {&l->picture.close, GPU_WRITE},
                                      [LIGHTS_SPHERE] = {&l->scene.spheres, GPU_READ},
                                      [LIGHTS_SHAPE] = {&l->scene.shapes, GPU_READ},
                                      [LIGHTS_STATE] = {&l->state, GPU_READ}},
                              GPU_PUSH(*push),
                              .threads = (u64)s->coarse_wide * s->coarse_high * LIGHTS_GROUP});
}

static void tiles_record(const Lights* l, GpuList* list, const Shape* s, const LightsTiles* push) {
    const bool       bits = !s->settings.method;
    const GpuKernel* kernel = bits ? &l->kernel.bits : &l->kernel.other;
    const u64        tiles = (u64)s->wide * s->high;
    gpu_pass(list,
             &(GpuPass){.name = "tiles",
                        .kernel = kernel,
                        .use = {[LIGHTS_EDGE] = {&l->picture.edges, GPU_READ},
                                [LIGHTS_BOUNDS] = {&l->picture.bounds, GPU_READ},
                                [LIGHTS_COARSE] = {&l->picture.coarse, GPU_READ},
                                [LIGHTS_CLOSE] = {&l->picture.close, GPU_READ},
                                [LIGHTS_SPHERE] = {&l->scene.spheres, GPU_READ},
                                [LIGHTS_SHAPE] = {&l->scene.shapes, GPU_READ},
                                [LIGHTS_STATE] = {&l->state, bits ? GPU_READ : GPU_READ_WRITE},
                                [LIGHTS_WORD] = {&l->picture.words, GPU_WRITE}},
                        GPU_PUSH(*push),
                        .threads = tiles * (bits ? LIGHTS_TEAM : kernel->group_size)});
    gpu_pass(list, &(GpuPass){.name = "tiles",
                              .kernel = &l->kernel.occupied,
                              .use = {[LIGHTS_BOUNDS] = {&l->picture.bounds, GPU_READ},
                                      [LIGHTS_TILE] = {&l->picture.tiles, GPU_READ_WRITE}},
                              GPU_PUSH(*push),
                              .threads = (tiles + OCCUPIED_EACH - 1) / OCCUPIED_EACH});
}

ent_status lights_cull(Lights* l, GpuFrame* frame, const LightsPicture* p, u32 groups_each) {
    const Shape       s = shape_of(l, p->width, p->height);
    const LightsTiles push = tiles_push(&s, p, groups_each);
    assert(l->is_ordered);
    TRY(picture_reserve(l, frame, &s));
    TRY(kernels_need(l, frame, &s.settings));
    TRY(edges_upload(l, frame, &s, p->view));
    if (s.settings.depth_first) depth_record(l, &frame->list, p, &s, &push);
    TRY(lights_place_record(l, frame, p, &s.state));
    coarse_record(l, &frame->list, &s, &push);
    if (!s.settings.depth_first)
        depth_record(l, &frame->list, p, &s, &push); /* beside the pass over coarse tiles */
    tiles_record(l, &frame->list, &s, &push);
    return frame->list.status;
}

/* --- create and destroy --- */

ent_status lights_create(Lights* l, Gpu* gpu, World* world) {
    static const ComponentIndex types[] = {COMPONENT_DECAL, COMPONENT_ENVIRONMENT_PROBE,
                                           COMPONENT_LIGHT};
    const GpuBufferRequest      request = {&l->state, 1, sizeof(LightsState), "lights in a view"};
    *l = (Lights){.gpu = gpu, .world = world};
    for (u32 i = 0; i < COUNT_OF(types); i++) {
        const Manager* manager = ent_world_built_in(world, types[i]);
        TRY(gpu_columns_create(&l->sources[i], gpu, world, manager->desc.type.id, GPU_COLUMNS_ALL));
    }
    TRY(gpu_pool_create(&l->pool, gpu, &request, 1));
    return gpu_fill(gpu, &l->state, 0);
}

void lights_destroy(Lights* l) {
    if (!l->gpu) return;
    GpuKernel* const kernels[] = {&l->kernel.seen,  &l->kernel.seen_keys, &l->kernel.nearest,
                                  &l->kernel.place, &l->kernel.place_few, &l->kernel.depth,
                                  &l->kernel.far,   &l->kernel.occupied,  &l->kernel.bits,
                                  &l->kernel.other};
    for (u32 i = 0; i < COUNT_OF(kernels); i++) gpu_kernel_destroy(kernels[i]);
    for (u32 i = 0; i < COUNT_OF(l->sources); i++) gpu_columns_destroy(&l->sources[i]);
    gpu_pool_destroy(&l->scene.pool);
    gpu_pool_destroy(&l->pool);
    gpu_pool_destroy(&l->picture.pool);
    free(l->order);
    *l = (Lights){0};
}
