/* canvas_layers.c - blended surfaces: those of each sample are counted, stored one after the other, shaded by kernels of
 * systems, and blended in the order of their depth. They are rasterised twice, without colours: once to count them and
 * once for each round of layers for which there is memory.
 *
 * Source  L. Carpenter, The A-buffer, an antialiased hidden surface method, SIGGRAPH 1984. */
#include "canvas_internal.h"

#include "canvas_behind.comp.h"
#include "canvas_layers_blend.comp.h"
#include "canvas_layers_ends.comp.h"
#include "canvas_layers_groups.comp.h"

#define ROOM_MIN (1u << 18)
#define LAYERS_EACH                                                                                \
    256u /* of a sample, on average: so many rounds are recorded, within their limit */

/* --- create and destroy --- */

/* The depth of the other surfaces is kept, and read only. */
static ent_status raster_create(CanvasRaster* r) {
    const GpuRenderPassDesc desc = {.depth_format = CANVAS_DEPTH_FORMAT,
                                    .keeps_depth = true,
                                    .depth_layout =
                                        VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL};
    if (!r->layer_pass) TRY(gpu_render_pass_create(r->gpu, &desc, &r->layer_pass));
    return gpu_framebuffer_create(r->gpu, r->layer_pass, &r->depth.view, 1,
                                  (VkExtent2D){r->width, r->height}, &r->layer_frame);
}

ent_status canvas_layer_pass_need(CanvasRaster* r) {
    return r->layer_frame ? ENT_OK : raster_create(r);
}

static ent_status buffers_create(Canvas* c, u32 room) {
    CanvasLayersOf* const  l = &c->layers;
    const GpuBufferRequest requests[] = {
        {&l->layers, room, sizeof(CanvasLayer), "blended surfaces"},
        {&l->colors, room, sizeof(u32[2]), "blended surfaces"},
        {&l->begins, l->words, sizeof(u32), "blended surfaces"},
        {&l->counts, l->words, sizeof(u32), "blended surfaces"},
        {&l->all, 1, sizeof(CanvasLayers), "blended surfaces"}};
    l->room = room;
    return gpu_pool_create(&l->pool, c->gpu, requests, COUNT_OF(requests));
}

/* At most half of the memory that the device still has: then there are more rounds. */
static u32 room_of(const Gpu* gpu, u64 samples) {
    const u64 used = MIN_OF(gpu->memory.bytes, gpu->info.memory_bytes);
    const u64 left = (gpu->info.memory_bytes - used) / (2 * (sizeof(CanvasLayer) + 8));
    const u64 room = MIN_OF(MIN_OF(samples * 8, (u64)CANVAS_LAYERS_MAX), left);
    return MAX_OF((u32)room, ROOM_MIN);
}

static ent_status layers_create(Canvas* c) {
    CanvasLayersOf* const l = &c->layers;
    const u64             samples = (u64)c->raster.width * c->raster.height;
    l->words = (u32)align_up(samples + 1, 4);
    TRY(canvas_layer_pass_need(&c->raster));
    TRY(gpu_kernel_create(&l->ends, c->gpu, &GPU_KERNEL(canvas_layers_ends, CANVAS_LAYERS_GROUP)));
    TRY(gpu_kernel_create(&l->groups, c->gpu, &GPU_KERNEL(canvas_layers_groups, CANVAS_GROUP)));
    for (u32 i = 0; i < 4; i++) {
        const u32 constants[] = {i / 2, i % 2}; /* HAS_WATER, BENDS */
        TRY(gpu_kernel_create_with(&l->blend[i / 2][i % 2], c->gpu,
                                   &GPU_KERNEL(canvas_layers_blend, CANVAS_LAYERS_GROUP), constants,
                                   COUNT_OF(constants)));
    }
    TRY(gpu_kernel_create(&l->means, c->gpu, &GPU_KERNEL(canvas_behind, CANVAS_GROUP)));
    TRY(scan_create(&l->scan, c->gpu, l->words, true));
    return buffers_create(c, room_of(c->gpu, samples));
}

void canvas_layers_destroy(Canvas* c) {
    CanvasLayersOf* const l = &c->layers;
    gpu_kernel_destroy(&l->ends);
    gpu_kernel_destroy(&l->groups);
    gpu_kernel_destroy(&l->means);
    for (u32 i = 0; i < 4; i++) gpu_kernel_destroy(&l->blend[i / 2][i % 2]);
    scan_destroy(&l->scan);
    gpu_pool_destroy(&l->pool);
    gpu_pool_destroy(&l->front_pool);
    gpu_pool_destroy(&l->bend_pool);
}

/* What layers that refract show. */
static ent_status behind_begin(GpuPicture* picture) {
    Canvas* const          c = picture->canvas;
    CanvasLayersOf* const  l = &c->layers;
    const u64              pixels = (u64)c->desc.width * c->desc.height;
    const char*            name = "blended surfaces that refract, or are glass";
    const GpuBufferRequest requests[] = {{&l->bends, l->room, sizeof(CanvasBend), name},
                                         {&l->behind, pixels, sizeof(u32[2]), name},
                                         {&l->behind_depths, pixels, sizeof(f32), name}};
    if (!picture->bends) return ENT_OK;
    if (!l->bend_pool.count)
        TRY(gpu_pool_create(&l->bend_pool, c->gpu, requests, COUNT_OF(requests)));
    gpu_pass(&picture->frame->list,
             &(GpuPass){.name = "behind",
                        .kernel = &l->means,
                        .images = c->raster.images,
                        .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                [CANVAS_COLOR] = {&c->color, GPU_READ},
                                [CANVAS_BEHIND] = {&l->behind, GPU_WRITE},
                                [CANVAS_BEHIND_DEPTH] = {&l->behind_depths, GPU_WRITE}},
                        .threads = pixels});
    return ENT_OK;
}

/* Layers before fluids, for which there are none at first. */
static ent_status front_begin(GpuPicture* picture) {
    CanvasLayersOf* const  l = &picture->canvas->layers;
    const GpuBufferRequest request = {&l->front, picture->round.samples, sizeof(CanvasFront),
                                      "blended surfaces before fluids"};
    if (!picture->fluids.depth) return ENT_OK;
    if (!l->front_pool.count)
        TRY(gpu_pool_create(&l->front_pool, picture->canvas->gpu, &request, 1));
    picture->fluids.front = &l->front;
    gpu_set(&picture->frame->list, "blend", &l->front, 0);
    return ENT_OK;
}

/* --- passes --- */

static CanvasRound round_of(const GpuPicture* picture, u32 round) {
    const Canvas* c = picture->canvas;
    const u32     samples = c->raster.width * c->raster.height;
    const u32     step = c->layers.room - CANVAS_LAYERS_DEEP;
    const u64     rounds = ((u64)samples * LAYERS_EACH + step - 1) / step;
    return (CanvasRound){.round = round,
                         .rounds = (u32)MIN_OF(MAX_OF(rounds, (u64)2), (u64)CANVAS_LAYERS_ROUNDS),
                         .room = c->layers.room,
                         .step = step,
                         .samples = samples,
                         .width = c->raster.width,
                         .side = c->desc.samples,
                         .bends = picture->bends};
}

static void raster_begin(const Canvas* c, GpuList* list, const char* name) {
    gpu_raster(list, &(GpuRaster){.name = name,
                                  .render_pass = c->raster.layer_pass,
                                  .framebuffer = c->raster.layer_frame,
                                  .width = c->raster.width,
                                  .height = c->raster.height,
                                  .clear_count = 1});
}

ent_status canvas_layers_begin(GpuPicture* picture) {
    Canvas* const c = picture->canvas;
    if (!c->layers.pool.count) {
        const ent_status status = layers_create(c);
        if (status != ENT_OK) canvas_layers_destroy(c);
        TRY(status);
    }
    picture->layers = &c->layers;
    picture->round = round_of(picture, 0);
    TRY(front_begin(picture));
    TRY(behind_begin(picture));
    gpu_set(&picture->frame->list, "blend", &c->layers.counts, 0);
    gpu_set(&picture->frame->list, "blend", &c->layers.all, 0);
    return picture->frame->list.status;
}

void canvas_layers_count(const GpuPicture* picture) {
    raster_begin(picture->canvas, &picture->frame->list, "count");
}

void canvas_layers_place(const GpuPicture* picture) {
    const CanvasLayersOf* l = picture->layers;
    GpuList* const        list = &picture->frame->list;
    scan_record(&l->scan, list, &l->counts, &l->begins, l->words);
    gpu_pass(list, &(GpuPass){.name = "blend",
                              .kernel = &l->ends,
                              .use = {[CANVAS_LAYER_BEGIN] = {&l->begins, GPU_READ},
                                      [CANVAS_LAYERS] = {&l->all, GPU_READ_WRITE}},
                              GPU_PUSH(picture->round),
                              .threads = picture->round.samples});
    gpu_pass(list, &(GpuPass){.name = "blend",
                              .kernel = &l->groups,
                              .use = {[CANVAS_LAYERS] = {&l->all, GPU_READ_WRITE}},
                              GPU_PUSH(picture->round),
                              .threads = CANVAS_LAYERS_ROUNDS});
}

void canvas_layers_store(GpuPicture* picture, u32 round) {
    picture->round = round_of(picture, round);
    raster_begin(picture->canvas, &picture->frame->list, round == 0 ? "store" : "store more");
}

u64 canvas_layers_groups(const GpuPicture* picture) {
    return offsetof(CanvasLayers, groups) +
           picture->round.round * sizeof((CanvasLayers){0}.groups[0]);
}

void canvas_layers_blend(const GpuPicture* picture) {
    const Canvas*         c = picture->canvas;
    const CanvasLayersOf* l = picture->layers;
    gpu_pass(&picture->frame->list,
             &(GpuPass){.name = "blend",
                        .kernel = &l->blend[picture->fluids.depth != NULL][picture->bends],
                        .images = c->raster.images,
                        .use = {[CANVAS_COLOR] = {&c->color, GPU_READ_WRITE},
                                [CANVAS_WATER] = {picture->fluids.depth, GPU_READ},
                                [CANVAS_FRONT] = {picture->fluids.front, GPU_READ_WRITE},
                                [CANVAS_VIEW] = {picture->eye, GPU_READ},
                                [CANVAS_LAYER_BEND] = {picture->bends ? &l->bends : NULL, GPU_READ},
                                [CANVAS_BEHIND] = {picture->bends ? &l->behind : NULL, GPU_READ},
                                [CANVAS_BEHIND_DEPTH] = {picture->bends ? &l->behind_depths : NULL,
                                                         GPU_READ},
                                [CANVAS_LAYER] = {&l->layers, GPU_READ},
                                [CANVAS_LAYER_COLOR] = {&l->colors, GPU_READ},
                                [CANVAS_LAYER_BEGIN] = {&l->begins, GPU_READ},
                                [CANVAS_LAYER_COUNT] = {&l->counts, GPU_READ}},
                        GPU_PUSH(picture->round),
                        .threads = 1,
                        .indirect = &l->all,
                        .indirect_offset = canvas_layers_groups(picture) + sizeof(u32[3])});
}

/* --- what they cost --- */

static void layers_add(void* user, const void* bytes, u64 count) {
    Canvas* const       c = user;
    const CanvasLayers* l = bytes;
    const GpuPicture    picture = {.canvas = c};
    const CanvasRound   limit = round_of(&picture, 0);
    UNUSED(count);
    c->layer_sum.pictures++;
    c->layer_sum.parts += l->parts;
    c->layer_sum.layers += l->layers;
    c->layer_sum.samples += l->samples;
    c->layer_sum.dropped += l->dropped;
    c->layer_sum.deepest = MAX_OF(c->layer_sum.deepest, l->deepest);
    if (l->dropped && !c->layers.is_reported)
        gpu_log(
            c->gpu, LOG_WARNING,
            "%u samples of a picture lack blended surfaces: it has %u layers, and the limits are "
            "%llu in a picture and %u at a sample",
            l->dropped, l->layers, (unsigned long long)limit.step * limit.rounds,
            CANVAS_LAYERS_DEEP);
    c->layers.is_reported |= l->dropped > 0;
}

/* Captured pictures are not counted: there may be more of them than a frame can read. */
ent_status canvas_layers_end(const GpuPicture* picture) {
    if (picture->is_captured) return ENT_OK;
    return gpu_frame_count(picture->frame, &picture->layers->all, sizeof(CanvasLayers), layers_add,
                           picture->canvas);
}

void ent_canvas_layers(const Canvas* canvas, EntCanvasLayers* layers) {
    *layers = canvas->layer_sum;
}
