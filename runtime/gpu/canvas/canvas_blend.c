/* canvas_blend.c - blended surfaces are drawn to an image of their own, compared with the depth of the
 * other surfaces, and then put over these. */
#include "canvas_internal.h"

#define BLENDED_FORMAT VK_FORMAT_R16G16B16A16_SFLOAT

/* The depth of the other surfaces is kept, and read only. */
static ent_status all_create(CanvasRaster* r) {
    const GpuRenderPassDesc desc = {.color_format = {BLENDED_FORMAT},
                                    .color_count = 1,
                                    .depth_format = CANVAS_DEPTH_FORMAT,
                                    .keeps_depth = true,
                                    .depth_layout =
                                        VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL};
    TRY(canvas_image_create(r, &r->blended, BLENDED_FORMAT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                            VK_IMAGE_ASPECT_COLOR_BIT));
    TRY(gpu_render_pass_create(r->gpu, &desc, &r->blend_pass));
    const VkImageView views[] = {r->depth.view, r->blended.view};
    TRY(gpu_framebuffer_create(r->gpu, r->blend_pass, views, COUNT_OF(views),
                               (VkExtent2D){r->width, r->height}, &r->blend_frame));
    gpu_image_bind(r->gpu, r->blend_images, CANVAS_BLENDED, r->blended.view);
    return ENT_OK;
}

ent_status canvas_blend_create(CanvasRaster* r) {
    if (r->blend_frame) return ENT_OK;
    const ent_status status = all_create(r);
    if (status != ENT_OK) canvas_blend_destroy(r);
    return status;
}

void canvas_blend_destroy(CanvasRaster* r) {
    Gpu* gpu = r->gpu;
    gpu->vk.vkDestroyFramebuffer(gpu->device, r->blend_frame, NULL);
    gpu->vk.vkDestroyRenderPass(gpu->device, r->blend_pass, NULL);
    gpu->changes++;
    gpu_image_destroy(&r->blended, gpu);
    r->blend_frame = VK_NULL_HANDLE;
    r->blend_pass = VK_NULL_HANDLE;
}

ent_status canvas_blend_begin(const GpuPicture* picture) {
    CanvasRaster* const r = &picture->canvas->raster;
    TRY(canvas_blend_create(r));
    gpu_raster(&picture->frame->list,
               &(GpuRaster){.name = "blend",
                            .render_pass = r->blend_pass,
                            .framebuffer = r->blend_frame,
                            .width = r->width,
                            .height = r->height,
                            .clear = {{.depthStencil = {0, 0}}, {.color.float32 = {0}}},
                            .clear_count = 2});
    return ENT_OK;
}

void canvas_blend_end(const GpuPicture* picture) {
    const Canvas* c = picture->canvas;
    gpu_pass(&picture->frame->list,
             &(GpuPass){.name = "blend",
                        .kernel = &c->blend,
                        .images = c->raster.blend_images,
                        .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                [CANVAS_COLOR] = {&c->color, GPU_READ_WRITE}},
                        .threads = (u64)c->raster.width * c->raster.height});
}
