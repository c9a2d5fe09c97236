/* shadows.c - the images of the atlas, their render passes, and the table of maps. */
#include "shadows.h"

#include <stdlib.h>

#include "shadows_clear.comp.h"
#include "shadows_depth.frag.h"
#include "shadows_erase.vert.h"

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

static void images_destroy(Shadows* s) {
    Gpu* gpu = s->gpu;
    for (u32 i = 0; i < SHADOWS_PASSES; i++) {
        gpu->vk.vkDestroyFramebuffer(gpu->device, s->atlas.frame[i], NULL);
        s->atlas.frame[i] = VK_NULL_HANDLE;
    }
    gpu->vk.vkDestroyFramebuffer(gpu->device, s->atlas.kept_frame, NULL);
    s->atlas.kept_frame = VK_NULL_HANDLE;
    s->atlas.has_kept = false;
    gpu_image_destroy(&s->atlas.kept, gpu);
    gpu_image_destroy(&s->atlas.depth, gpu);
    gpu_image_destroy(&s->atlas.filter, gpu);
    gpu_image_destroy(&s->atlas.front, gpu);
    gpu_pool_destroy(&s->atlas.pool);
    gpu->changes++;
}

static ent_status images_create(Shadows* s, u32 side) {
    Gpu* gpu = s->gpu;
    s->table.head.atlas_side = side;
    s->atlas.is_new = true;
    s->is_uploaded = false;
    s->atlas.images++;
    memset(s->drawn, 0, sizeof s->drawn);
    TRY(image_create(gpu, &s->atlas.depth, side, SHADOWS_DEPTH_FORMAT));
    TRY(image_create(gpu, &s->atlas.filter, side, SHADOWS_FILTER_FORMAT));
    TRY(image_create(gpu, &s->atlas.front, side, SHADOWS_FRONT_FORMAT));
    const VkImageView views[] = {s->atlas.depth.view, s->atlas.filter.view, s->atlas.front.view};
    TRY(gpu_framebuffer_create(gpu, s->atlas.pass[0][SHADOWS_PASS_OPAQUE], views, 1,
                               (VkExtent2D){side, side}, &s->atlas.frame[SHADOWS_PASS_OPAQUE]));
    return gpu_framebuffer_create(gpu, s->atlas.pass[0][SHADOWS_PASS_FILTER], views,
                                  COUNT_OF(views), (VkExtent2D){side, side},
                                  &s->atlas.frame[SHADOWS_PASS_FILTER]);
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
    return gpu_kernel_create(&s->clear, s->gpu, &GPU_KERNEL(shadows_clear, SHADOWS_GROUP));
}

static void raster_begin(const Shadows* s, GpuList* list, ShadowsStage stage) {
    const ShadowsAtlas* a = &s->atlas;
    const ShadowsPass   pass = stage == SHADOWS_FILTERS ? SHADOWS_PASS_FILTER : SHADOWS_PASS_OPAQUE;
    const bool          is_kept = stage == SHADOWS_STANDING && a->has_kept;
    gpu_raster(list, &(GpuRaster){.name = pass == SHADOWS_PASS_OPAQUE ? "shadows" : "filters",
                                  .render_pass = a->pass[!a->is_new][pass],
                                  .framebuffer = is_kept ? a->kept_frame : a->frame[pass],
                                  .width = s->table.head.atlas_side,
                                  .height = s->table.head.atlas_side,
                                  .clear = {{.depthStencil = {0, 0}},
                                            {.color.float32 = {1, 1, 1, 0}},
                                            {.color.float32 = {0}}},
                                  .clear_count = pass == SHADOWS_PASS_OPAQUE ? 1 : 3});
}

ent_status shadows_kept_need(Shadows* s, GpuList* list) {
    ShadowsAtlas* a = &s->atlas;
    if (!a->needs_kept) return ENT_OK;
    const u32  side = s->table.head.atlas_side;
    ent_status status = image_create(s->gpu, &a->kept, side, SHADOWS_DEPTH_FORMAT);
    if (status == ENT_OK)
        status = gpu_framebuffer_create(s->gpu, a->pass[0][SHADOWS_PASS_OPAQUE], &a->kept.view, 1,
                                        (VkExtent2D){side, side}, &a->kept_frame);
    if (status != ENT_OK) {
        gpu_image_destroy(&a->kept, s->gpu);
        return status;
    }
    a->needs_kept = false;
    a->has_kept = a->is_new = true;
    raster_begin(s, list, SHADOWS_STANDING);
    a->is_new = false;
    return list->status;
}

/* The list does not track images: the kernel waits for what reads them, because that reads the table, which it
 * pretends to write; and what follows waits for the kernel. */
static void filters_clear(const Shadows* s, GpuList* list, VkDescriptorSet set) {
    const ShadowsHead* head = &s->table.head;
    gpu_pass(list, &(GpuPass){.name = "filters",
                              .kernel = &s->clear,
                              .textures = set,
                              .use = {[SHADOWS_TABLE] = {&s->buffer, GPU_READ_WRITE}},
                              .threads = (u64)head->block_first[head->now_count] * SHADOWS_GROUP});
}

/* The squares of all maps of a stage, from and to what is set. */
static void squares_copy(const Shadows* s, GpuList* list, ShadowsStage stage, GpuSquare square) {
    const ShadowsTable* table = &s->table;
    square.name = "shadows";
    square.row = table->head.atlas_side;
    for (u32 i = 0; i < shadows_maps(s, stage); i++) {
        const ShadowMap* map = &table->map[table->head.now[i]];
        square.left = (u32)map->left;
        square.top = (u32)map->top;
        square.side = (u32)map->side;
        gpu_copy_square(list, &square);
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
        squares_copy(s, list, stage, (GpuSquare){.from_image = a->kept.image, .to = &a->nearest});
    else
        gpu_set(list, "shadows", &a->nearest, 0);
    a->has_nearest = true;
    return ENT_OK;
}

/* What is in `nearest`, or else: in maps of what stands nothing, in the others what stands. */
void shadows_begin(Shadows* s, GpuList* list, ShadowsStage stage, VkDescriptorSet set) {
    ShadowsAtlas* a = &s->atlas;
    const VkImage to = stage == SHADOWS_STANDING && a->has_kept ? a->kept.image : a->depth.image;
    const bool    erases = stage == SHADOWS_STANDING && !a->has_nearest;
    if (stage == SHADOWS_FILTERS)
        filters_clear(s, list, set);
    else if (a->has_nearest)
        squares_copy(s, list, stage, (GpuSquare){.from = &a->nearest, .to_image = to});
    else if (stage == SHADOWS_MOVING)
        squares_copy(s, list, stage, (GpuSquare){.from_image = a->kept.image, .to_image = to});
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
    const u64              rows = MAX_OF(s->row_count, 1u) * 4ull;
    const GpuBufferRequest request = {&s->buffer, sizeof(ShadowsTable) + rows + rows / 2, 1,
                                      "shadow maps"};
    if (s->pool.count && s->buffer.bytes >= sizeof(ShadowsTable) + rows) return ENT_OK;
    gpu_frame_retire_pool(frame, &s->pool);
    s->is_uploaded = false;
    return gpu_pool_create(&s->pool, s->gpu, &request, 1);
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

ent_status shadows_update(Shadows* s, GpuFrame* frame, World* world) {
    TRY(shadows_lights_find(s, world));
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
    memset(s->drawn, 0, sizeof s->drawn);
    if (s->side) memset(s->side, 0, s->row_room * sizeof *s->side);
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
    images_destroy(s);
    for (u32 i = 0; i < SHADOWS_PASSES; i++) {
        for (u32 keeps = 0; keeps < 2; keeps++)
            gpu->vk.vkDestroyRenderPass(gpu->device, s->atlas.pass[keeps][i], NULL);
    }
    gpu->vk.vkDestroyPipeline(gpu->device, s->erase, NULL);
    gpu_kernel_destroy(&s->clear);
    gpu_pool_destroy(&s->pool);
    free(s->light);
    free(s->side);
    free(s->row);
    *s = (Shadows){0};
}
