/* canvas_raster.c - rasterises depth and element numbers, without colour and light.
 *
 * Depth is 1 at the near plane and decreases to 0 (reversed Z): the precision of floats is then
 * similar at all distances. */
#include "canvas_internal.h"

/* --- images --- */

/* An image of the size of the picture that kernels can read. */
static ent_status image_create(const CanvasRaster* r, GpuImage* image, VkFormat format,
                               VkImageUsageFlags usage, VkImageAspectFlags aspect) {
    return gpu_image_create(image, r->gpu,
                            &(GpuImageDesc){.format = format,
                                            .width = r->width,
                                            .height = r->height,
                                            .usage = usage | VK_IMAGE_USAGE_SAMPLED_BIT |
                                                     VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                            .aspect = aspect,
                                            .view = VK_IMAGE_VIEW_TYPE_2D});
}

/* The second phase keeps what the first one has drawn. */
static ent_status passes_create(CanvasRaster* r) {
    for (u32 phase = 0; phase < COUNT_OF(r->pass); phase++) {
        const GpuRenderPassDesc desc = {.color_format = {CANVAS_ID_FORMAT},
                                        .color_count = 1,
                                        .depth_format = CANVAS_DEPTH_FORMAT,
                                        .keeps_color = phase > 0,
                                        .keeps_depth = phase > 0,
                                        .depth_layout =
                                            VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
        TRY(gpu_render_pass_create(r->gpu, &desc, &r->pass[phase]));
    }
    const VkImageView views[] = {r->depth.view, r->id.view};
    return gpu_framebuffer_create(r->gpu, r->pass[0], views, COUNT_OF(views),
                                  (VkExtent2D){r->width, r->height}, &r->frame);
}

/* --- the set of images --- */

static ent_status sets_create(CanvasRaster* r) {
    TRY(gpu_image_sets_create(r->gpu, &r->images, 1, &r->pool));
    gpu_image_bind(r->gpu, r->images, CANVAS_DEPTH, r->depth.view);
    gpu_image_bind(r->gpu, r->images, CANVAS_ID, r->id.view);
    return ENT_OK;
}

/* --- create and destroy --- */

static ent_status size_check(Gpu* gpu, u32 width, u32 height) {
    const VkPhysicalDeviceLimits* l = &gpu->limits;
    const u32                     wide = MIN_OF(l->maxFramebufferWidth, l->maxImageDimension2D);
    const u32                     high = MIN_OF(l->maxFramebufferHeight, l->maxImageDimension2D);
    if (width <= wide && height <= high) return ENT_OK;
    gpu_log(gpu, LOG_ERROR, "a picture of %u x %u samples: \"%s\" draws %u x %u at most", width,
            height, gpu->info.name, wide, high);
    return ENT_LIMIT;
}

ent_status canvas_raster_create(CanvasRaster* r, Gpu* gpu, u32 width, u32 height) {
    *r = (CanvasRaster){.gpu = gpu, .width = width, .height = height};
    TRY(size_check(gpu, width, height));
    TRY(image_create(r, &r->id, CANVAS_ID_FORMAT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                     VK_IMAGE_ASPECT_COLOR_BIT));
    TRY(image_create(r, &r->depth, CANVAS_DEPTH_FORMAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                     VK_IMAGE_ASPECT_DEPTH_BIT));
    TRY(passes_create(r));
    TRY(sets_create(r));
    return ENT_OK;
}

void canvas_raster_destroy(CanvasRaster* r) {
    Gpu* gpu = r->gpu;
    if (!gpu) return;
    gpu->changes++;
    gpu->vk.vkDestroyDescriptorPool(gpu->device, r->pool, NULL);
    gpu->vk.vkDestroyFramebuffer(gpu->device, r->frame, NULL);
    gpu->vk.vkDestroyFramebuffer(gpu->device, r->layer_frame, NULL);
    gpu->vk.vkDestroyRenderPass(gpu->device, r->layer_pass, NULL);
    for (u32 i = 0; i < 2; i++) gpu->vk.vkDestroyRenderPass(gpu->device, r->pass[i], NULL);
    gpu_image_destroy(&r->depth, gpu);
    gpu_image_destroy(&r->id, gpu);
    *r = (CanvasRaster){0};
}

/* --- recording --- */

void canvas_surfaces_begin(const GpuPicture* picture) {
    const Canvas*       c = picture->canvas;
    const CanvasRaster* r = &c->raster;
    GpuList* const      list = &picture->frame->list;
    gpu_raster(list, &(GpuRaster){.name = "raster",
                                  .render_pass = r->pass[picture->is_second],
                                  .framebuffer = r->frame,
                                  .width = r->width,
                                  .height = r->height,
                                  .clear = {{.depthStencil = {0, 0}}, {.color.uint32 = {0}}},
                                  .clear_count = 2});
}
