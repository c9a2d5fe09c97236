/* shadows.c - the images of the atlas, their render passes, and the table of maps. */
#include "gpu_frame_internal.h"
#include "shadows.h"

#include <stdlib.h>

#include "shadows_filters.comp.h"
#include "shadows_depth.frag.h"
#include "shadows_erase.vert.h"

#define SQUARES (SHADOWS_MAPS_MAX * SHADOWS_SQUARES * SHADOWS_SQUARES)

_Static_assert(sizeof(ShadowsTable) % 4 == 0, "rows follow the table");

/* --- images --- */

static ent_status image_create(Gpu* gpu, GpuImage* image, u32 side, VkFormat format) {
    const bool              is_depth = format == SHADOWS_DEPTH_FORMAT;
    const VkImageUsageFlags written =
        is_depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                       VK_IMAGE_USAGE_TRANSFER_SRC_BIT
                 : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
    return gpu_image_create(
        image, gpu,
        &(GpuImageDesc){.format = format,
                        .width = side,
                        .height = side,
                        .usage = written | VK_IMAGE_USAGE_SAMPLED_BIT,
                        .aspect = is_depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT,
                        .view = VK_IMAGE_VIEW_TYPE_2D});
}

static void layer_destroy(ShadowsLayer* l, Gpu* gpu) {
    for (u32 i = 0; i < SHADOWS_PASSES; i++)
        gpu->vk.vkDestroyFramebuffer(gpu->device, l->frame[i], NULL);
    gpu_image_destroy(&l->depth, gpu);
    gpu_image_destroy(&l->filter, gpu);
    gpu_image_destroy(&l->front, gpu);
    *l = (ShadowsLayer){0};
}

static ent_status layer_create(Shadows* s, ShadowsLayer* l) {
    Gpu* const       gpu = s->gpu;
    const u32        side = s->table.head.atlas_side;
    const VkExtent2D size = {side, side};
    TRY(image_create(gpu, &l->depth, side, SHADOWS_DEPTH_FORMAT));
    TRY(image_create(gpu, &l->filter, side, SHADOWS_FILTER_FORMAT));
    TRY(image_create(gpu, &l->front, side, SHADOWS_FRONT_FORMAT));
    const VkImageView views[] = {l->depth.view, l->filter.view, l->front.view};
    TRY(gpu_framebuffer_create(gpu, s->atlas.pass[0][SHADOWS_PASS_OPAQUE], views, 1, size,
                               &l->frame[SHADOWS_PASS_OPAQUE]));
    return gpu_framebuffer_create(gpu, s->atlas.pass[0][SHADOWS_PASS_FILTER], views,
                                  COUNT_OF(views), size, &l->frame[SHADOWS_PASS_FILTER]);
}

/* Also the buffers, of which others know by their handles whether they exist. */
static void kept_destroy(Shadows* s) {
    layer_destroy(&s->atlas.kept, s->gpu);
    gpu_pool_destroy(&s->atlas.kept_pool);
    s->atlas.covered = s->atlas.blocks = s->seen.squares = (GpuBuffer){0};
    s->atlas.has_kept = false;
}

static void images_destroy(Shadows* s) {
    layer_destroy(&s->atlas.shown, s->gpu);
    kept_destroy(s);
    gpu_pool_destroy(&s->atlas.pool);
    s->gpu->changes++;
}

static ent_status images_create(Shadows* s, u32 side) {
    s->table.head.atlas_side = side;
    s->atlas.is_new = true;
    s->is_uploaded = false;
    s->atlas.images++;
    memset(s->shown, 0, sizeof s->shown);
    return layer_create(s, &s->atlas.shown);
}

/* --- render passes --- */

static ent_status passes_create(Shadows* s) {
    for (u32 keeps = 0; keeps < 2; keeps++) {
        const GpuRenderPassDesc depth = {.depth_format = SHADOWS_DEPTH_FORMAT,
                                         .keeps_depth = keeps,
                                         .depth_layout =
                                             VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
        const GpuRenderPassDesc filter = {
            .color_format = {SHADOWS_FILTER_FORMAT, SHADOWS_FRONT_FORMAT},
            .color_count = 2,
            .depth_format = SHADOWS_DEPTH_FORMAT,
            .keeps_color = keeps,
            .keeps_depth = true,
            .depth_layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
            .is_general = true};
        TRY(gpu_render_pass_create(s->gpu, &depth, &s->atlas.pass[keeps][SHADOWS_PASS_OPAQUE]));
        TRY(gpu_render_pass_create(s->gpu, &filter, &s->atlas.pass[keeps][SHADOWS_PASS_FILTER]));
    }
    return ENT_OK;
}

static ent_status erase_create(Shadows* s) {
    const GpuPipelineDesc desc = {.name = "shadows_erase",
                                  .vert = shadows_erase_vert,
                                  .vert_bytes = sizeof shadows_erase_vert,
                                  .frag = shadows_depth_frag,
                                  .frag_bytes = sizeof shadows_depth_frag,
                                  .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                  .render_pass = s->atlas.pass[0][SHADOWS_PASS_OPAQUE],
                                  .is_always = true};
    TRY(gpu_pipeline_create(s->gpu, &desc, &s->erase));
    return gpu_kernel_create(&s->filters, s->gpu, &GPU_KERNEL(shadows_filters, SHADOWS_GROUP));
}

static bool is_of_filters(ShadowsStage stage) { return stage >= SHADOWS_FILTERS_STANDING; }

/* Does a stage draw what is kept? */
static bool is_of_kept(const Shadows* s, ShadowsStage stage) {
    return s->atlas.has_kept && (stage == SHADOWS_STANDING || stage == SHADOWS_FILTERS_STANDING);
}

static void raster_begin(const Shadows* s, GpuList* list, ShadowsStage stage) {
    const ShadowsAtlas* a = &s->atlas;
    const ShadowsLayer* layer = is_of_kept(s, stage) ? &a->kept : &a->shown;
    const ShadowsPass   pass = is_of_filters(stage) ? SHADOWS_PASS_FILTER : SHADOWS_PASS_OPAQUE;
    gpu_raster(list, &(GpuRaster){.name = pass == SHADOWS_PASS_OPAQUE ? "shadows" : "filters",
                                  .render_pass = a->pass[!a->is_new][pass],
                                  .framebuffer = layer->frame[pass],
                                  .width = s->table.head.atlas_side,
                                  .height = s->table.head.atlas_side,
                                  .clear = {{.depthStencil = {0, 0}},
                                            {.color.float32 = {1, 1, 1, 0}},
                                            {.color.float32 = {0}}},
                                  .clear_count = pass == SHADOWS_PASS_OPAQUE ? 1 : 3});
}

static ent_status kept_create(Shadows* s) {
    ShadowsAtlas* const    a = &s->atlas;
    const u64              texels = (u64)s->table.head.atlas_side * s->table.head.atlas_side;
    const u64              blocks = texels / (SHADOWS_BLOCK * SHADOWS_BLOCK);
    const GpuBufferRequest requests[] = {{&a->covered, texels / 32 + 1, sizeof(u32), "shadow maps"},
                                         {&a->blocks, blocks + 1, sizeof(u32), "shadow maps"},
                                         {&s->seen.squares, SQUARES, sizeof(u32), "shadow maps"}};
    TRY(gpu_pool_create(&a->kept_pool, s->gpu, requests, COUNT_OF(requests)));
    return layer_create(s, &a->kept);
}

ent_status shadows_kept_need(Shadows* s, GpuList* list) {
    ShadowsAtlas* const a = &s->atlas;
    if (!a->needs_kept) return ENT_OK;
    gpu_wait(s->gpu); /* other images are bound to sets that commands use */
    const ent_status status = kept_create(s);
    if (status != ENT_OK) {
        kept_destroy(s);
        return status;
    }
    a->images++;
    a->needs_kept = false;
    a->has_kept = a->is_new = true;
    raster_begin(s, list, SHADOWS_STANDING);
    raster_begin(s, list, SHADOWS_FILTERS_STANDING);
    a->is_new = false;
    return list->status;
}

/* The list does not track images: the kernel waits for what reads them, because that reads the table, which it
 * pretends to write; and what follows waits for the kernel. */
void shadows_filters_erase(const Shadows* s, GpuList* list, ShadowsStage stage,
                           VkDescriptorSet set) {
    const ShadowsAtlas*  a = &s->atlas;
    const ShadowsFilters push = {.does = is_of_kept(s, stage) ? SHADOWS_ERASES_KEPT
                                         : a->has_kept        ? SHADOWS_COPIES
                                                              : SHADOWS_ERASES,
                                 .maps = shadows_maps(s, stage)};
    GpuPass              pass = {.name = "filters",
                                 .kernel = &s->filters,
                                 .textures = set,
                                 .use = {[SHADOWS_TABLE] = {&s->buffer, GPU_READ_WRITE}},
                                 GPU_PUSH(push),
                                 .threads = (u64)s->table.head.block_first[push.maps] * SHADOWS_GROUP};
    if (push.does == SHADOWS_COPIES) {
        pass.use[SHADOWS_COVERED] = (GpuUse){&a->covered, GPU_WRITE};
        pass.use[SHADOWS_BLOCKS] = (GpuUse){&a->blocks, GPU_WRITE};
    }
    gpu_pass(list, &pass);
}

/* From and to what is set: of maps in which what stands is drawn, all; of the others, where what moves is old. */
static void maps_copy(const Shadows* s, GpuList* list, ShadowsStage stage, GpuRect rect) {
    const ShadowsTable* table = &s->table;
    rect.name = "shadows";
    rect.row = table->head.atlas_side;
    for (u32 i = 0; i < shadows_maps(s, stage); i++) {
        const ShadowMap*  map = &table->map[table->head.now[i]];
        const u32         side = (u32)map->side;
        const ShadowsRect all = {0, 0, side, side};
        const ShadowsRect old = i < s->standing_count ? all : s->shown[table->head.now[i]].old;
        if (shadows_is_empty(old)) continue;
        rect.left = (u32)map->left + old.left;
        rect.top = (u32)map->top + old.top;
        rect.width = old.right - old.left;
        rect.height = old.bottom - old.top;
        gpu_copy_rect(list, &rect);
    }
}

ent_status shadows_nearest(Shadows* s, GpuList* list, ShadowsStage stage,
                           const GpuBuffer** nearest) {
    ShadowsAtlas*          a = &s->atlas;
    const u64              side = s->table.head.atlas_side;
    const GpuBufferRequest request = {&a->nearest, side * side, sizeof(u32), "shadow maps"};
    *nearest = &a->nearest;
    if (a->has_nearest) return ENT_OK;
    if (!a->pool.count) TRY(gpu_pool_create(&a->pool, s->gpu, &request, 1));
    if (stage == SHADOWS_MOVING)
        maps_copy(s, list, stage, (GpuRect){.from_image = a->kept.depth.image, .to = &a->nearest});
    else
        gpu_set(list, "shadows", &a->nearest, 0);
    a->has_nearest = true;
    return ENT_OK;
}

/* What is in `nearest`, or else: in maps of what stands nothing, in the others what stands. */
void shadows_begin(Shadows* s, GpuList* list, ShadowsStage stage) {
    ShadowsAtlas* const a = &s->atlas;
    const VkImage       to = is_of_kept(s, stage) ? a->kept.depth.image : a->shown.depth.image;
    const bool          erases = stage == SHADOWS_STANDING && !a->has_nearest;
    if (a->has_nearest)
        maps_copy(s, list, stage, (GpuRect){.from = &a->nearest, .to_image = to});
    else if (stage == SHADOWS_MOVING)
        maps_copy(s, list, stage, (GpuRect){.from_image = a->kept.depth.image, .to_image = to});
    a->has_nearest = false;
    raster_begin(s, list, stage);
    if (erases)
        gpu_draw(list, &(GpuDraw){.pipeline = s->erase,
                                  .use = {[SHADOWS_TABLE] = {&s->buffer, GPU_READ}},
                                  .vertex_count = 4,
                                  .instance_count = s->standing_count});
}

/* --- following the world --- */

static ent_status buffer_reserve(Shadows* s, GpuFrame* frame) {
    const u64              rows = MAX_OF(s->lights.row_count, 1u) * 4ull;
    const GpuBufferRequest requests[] = {
        {&s->buffer, sizeof(ShadowsTable) + rows + rows / 2, 1, "shadow maps"},
        {&s->counts.tallies, SHADOWS_MAPS_MAX, sizeof(ShadowsTally), "shadow maps"}};
    if (s->pool.count && s->buffer.bytes >= sizeof(ShadowsTable) + rows) return ENT_OK;
    gpu_frame_retire_pool(frame, &s->pool);
    s->is_uploaded = false;
    return gpu_pool_create(&s->pool, s->gpu, requests, COUNT_OF(requests));
}

static ent_status atlas_reserve(Shadows* s) {
    const u32 max = shadows_settings(s).atlas_side;
    const u64 texels = shadows_texels(s);
    u32       side = s->table.head.atlas_side;
    while (side < max && (u64)side * side < texels) side *= 2;
    side = MIN_OF(side, max);
    if (side == s->table.head.atlas_side) return ENT_OK;
    gpu_wait(s->gpu);
    images_destroy(s);
    return images_create(s, side);
}

ent_status shadows_update(Shadows* s, GpuFrame* frame, const GpuPlaces* places) {
    TRY(shadows_lights_find(s, places));
    TRY(buffer_reserve(s, frame));
    TRY(atlas_reserve(s));
    if (!s->atlas.is_new) return ENT_OK;
    raster_begin(s, &frame->list, SHADOWS_STANDING);
    raster_begin(s, &frame->list, SHADOWS_FILTERS);
    s->atlas.is_new = false;
    return frame->list.status;
}

void shadows_set(Shadows* s, const ShadowsSettings* settings) {
    s->settings = *settings;
    memset(s->shown, 0, sizeof s->shown);
    if (s->lights.side) memset(s->lights.side, 0, s->lights.row_room * sizeof *s->lights.side);
}

/* --- create and destroy --- */

ent_status shadows_create(Shadows* s, Gpu* gpu) {
    *s = (Shadows){.gpu = gpu};
    TRY(passes_create(s));
    TRY(erase_create(s));
    return images_create(s, 1);
}

void shadows_destroy(Shadows* s) {
    Gpu* gpu = s->gpu;
    if (!gpu) return;
    gpu_wait(gpu);
    gpu_frames_forget(gpu, s);
    images_destroy(s);
    for (u32 i = 0; i < SHADOWS_PASSES; i++) {
        for (u32 keeps = 0; keeps < 2; keeps++)
            gpu->vk.vkDestroyRenderPass(gpu->device, s->atlas.pass[keeps][i], NULL);
    }
    gpu->vk.vkDestroyPipeline(gpu->device, s->erase, NULL);
    gpu_kernel_destroy(&s->filters);
    gpu_pool_destroy(&s->pool);
    free(s->lights.at);
    free(s->lights.side);
    free(s->lights.row);
    free(s->lights.counted);
    free(s->counts.at);
    *s = (Shadows){0};
}
