/* canvas_blend.c - blended surfaces are drawn to an image of their own, compared with the depth of the
 * other surfaces, and then put over these. */
#include "canvas_internal.h"

#define BLENDED_FORMAT VK_FORMAT_R16G16B16A16_SFLOAT

/* The depth is read only. */
static ent_status pass_create(CanvasRaster* r) {
    const VkImageLayout           readable = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    const VkAttachmentDescription attachments[] = {
        {.format = BLENDED_FORMAT,
         .samples = VK_SAMPLE_COUNT_1_BIT,
         .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
         .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
         .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
         .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
         .finalLayout = readable},
        {.format = CANVAS_DEPTH_FORMAT,
         .samples = VK_SAMPLE_COUNT_1_BIT,
         .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
         .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
         .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
         .initialLayout = readable,
         .finalLayout = readable}};
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL};
    const VkSubpassDescription  all = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                       .colorAttachmentCount = 1,
                                       .pColorAttachments = &color,
                                       .pDepthStencilAttachment = &depth};
    const VkPipelineStageFlags  drawn = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                       VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                       VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
    const VkPipelineStageFlags kernels = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const VkAccessFlags        written =
        VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    const VkAccessFlags read =
        VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
    const VkSubpassDependency    waits[] = {{VK_SUBPASS_EXTERNAL, 0, kernels | drawn, drawn,
                                             VK_ACCESS_SHADER_READ_BIT | written, written | read, 0},
                                            {0, VK_SUBPASS_EXTERNAL, drawn, kernels | drawn, written,
                                             VK_ACCESS_SHADER_READ_BIT | written | read, 0}};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = COUNT_OF(attachments),
                                         .pAttachments = attachments,
                                         .subpassCount = 1,
                                         .pSubpasses = &all,
                                         .dependencyCount = COUNT_OF(waits),
                                         .pDependencies = waits};
    GPU_TRY(r->gpu, "a render pass",
            r->gpu->vk.vkCreateRenderPass(r->gpu->device, &info, NULL, &r->blend_pass));
    return ENT_OK;
}

static ent_status frame_create(CanvasRaster* r) {
    const VkImageView             views[] = {r->blended.view, r->depth.view};
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .renderPass = r->blend_pass,
                                          .attachmentCount = COUNT_OF(views),
                                          .pAttachments = views,
                                          .width = r->width,
                                          .height = r->height,
                                          .layers = 1};
    GPU_TRY(r->gpu, "a framebuffer",
            r->gpu->vk.vkCreateFramebuffer(r->gpu->device, &info, NULL, &r->blend_frame));
    return ENT_OK;
}

static ent_status all_create(CanvasRaster* r) {
    const GpuImageDesc desc = {.format = BLENDED_FORMAT,
                               .width = r->width,
                               .height = r->height,
                               .usage =
                                   VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                               .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                               .view = VK_IMAGE_VIEW_TYPE_2D};
    TRY(gpu_image_create(&r->blended, r->gpu, &desc));
    TRY(pass_create(r));
    TRY(frame_create(r));
    canvas_image_set(r, CANVAS_BLENDED, r->blended.view);
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
    gpu_image_destroy(&r->blended, gpu);
    r->blend_frame = VK_NULL_HANDLE;
    r->blend_pass = VK_NULL_HANDLE;
}

static bool blends(const CanvasDraw* draw) {
    return draw->painter && draw->painter->blends && draw->painter->blends(draw->user);
}

void canvas_blend_record(const CanvasRaster* r, GpuList* list, const CanvasDraw* draws, u32 count,
                         const CanvasTarget* target) {
    const VkClearValue          nothing = {.color.float32 = {0}};
    const VkViewport            viewport = {0, 0, (f32)r->width, (f32)r->height, 0, 1};
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = r->blend_pass,
                                         .framebuffer = r->blend_frame,
                                         .renderArea = {{0, 0}, {r->width, r->height}},
                                         .clearValueCount = 1,
                                         .pClearValues = &nothing};
    GpuUse uses[1 + CANVAS_DRAWS_MAX * CANVAS_USES_MAX] = {{target->eye, GPU_READ}};
    u32    used = 1;
    for (u32 i = 0; i < count; i++)
        if (blends(&draws[i])) used += draws[i].painter->uses(draws[i].user, uses + used);
    gpu_pass_begin(list, "blend", GPU_RASTER, uses, used);
    if (list->status != ENT_OK) return;
    r->gpu->vk.vkCmdBeginRenderPass(list->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    r->gpu->vk.vkCmdSetViewport(list->commands, 0, 1, &viewport);
    r->gpu->vk.vkCmdSetScissor(list->commands, 0, 1, &begin.renderArea);
    for (u32 i = 0; i < count && list->status == ENT_OK; i++)
        if (blends(&draws[i])) draws[i].painter->blend(draws[i].user, list, target);
    r->gpu->vk.vkCmdEndRenderPass(list->commands);
    gpu_pass_end(list);
}
