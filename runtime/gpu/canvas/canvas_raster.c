/* canvas_raster.c - rasterises depth and element numbers, without colour and light.
 *
 * Depth is 1 at the near plane and decreases to 0 (reversed Z): the precision of floats is then
 * similar at all distances. */
#include "canvas_internal.h"

#include "canvas_discs.frag.h"
#include "canvas_discs.vert.h"
#include "canvas_spheres.frag.h"
#include "canvas_spheres.vert.h"

/* --- images --- */

ent_status canvas_image_create(const CanvasRaster* r, GpuImage* image, VkFormat format,
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

static VkAttachmentDescription attachment_of(VkFormat format, bool keeps) {
    return (VkAttachmentDescription){
        .format = format,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = keeps ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
        .initialLayout =
            keeps ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_UNDEFINED,
        .finalLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
}

/* The list does not track images, so the render pass has dependencies: it waits for the kernels that
 * read the images before, and the kernels behind it wait for it. */
ent_status canvas_pass_create(const CanvasRaster* r, const CanvasPassDesc* desc,
                              VkRenderPass* pass) {
    const VkAttachmentDescription attachments[] = {
        attachment_of(desc->color_format, desc->keeps_color),
        attachment_of(CANVAS_DEPTH_FORMAT, desc->keeps_depth)};
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference depth = {1, desc->depth_layout};
    const VkSubpassDescription  all = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                       .colorAttachmentCount = 1,
                                       .pColorAttachments = &color,
                                       .pDepthStencilAttachment = &depth};
    const VkPipelineStageFlags  drawn = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                       VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                       VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
    const VkAccessFlags written =
        VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    const VkAccessFlags read =
        VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
    const VkSubpassDependency waits[] = {
        {VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | drawn, drawn,
         VK_ACCESS_SHADER_READ_BIT | written, written | read, 0},
        {0, VK_SUBPASS_EXTERNAL, drawn, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | drawn, written,
         VK_ACCESS_SHADER_READ_BIT | written | read, 0}};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = COUNT_OF(attachments),
                                         .pAttachments = attachments,
                                         .subpassCount = 1,
                                         .pSubpasses = &all,
                                         .dependencyCount = COUNT_OF(waits),
                                         .pDependencies = waits};
    GPU_TRY(r->gpu, "a render pass",
            r->gpu->vk.vkCreateRenderPass(r->gpu->device, &info, NULL, pass));
    return ENT_OK;
}

ent_status canvas_frame_create(const CanvasRaster* r, VkRenderPass pass, const GpuImage* color,
                               VkFramebuffer* frame) {
    const VkImageView             views[] = {color->view, r->depth.view};
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .renderPass = pass,
                                          .attachmentCount = COUNT_OF(views),
                                          .pAttachments = views,
                                          .width = r->width,
                                          .height = r->height,
                                          .layers = 1};
    GPU_TRY(r->gpu, "a framebuffer",
            r->gpu->vk.vkCreateFramebuffer(r->gpu->device, &info, NULL, frame));
    return ENT_OK;
}

/* The second phase keeps what the first one has drawn. */
static ent_status passes_create(CanvasRaster* r) {
    for (u32 phase = 0; phase < COUNT_OF(r->pass); phase++) {
        const CanvasPassDesc desc = {CANVAS_ID_FORMAT, phase > 0, phase > 0,
                                     VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
        TRY(canvas_pass_create(r, &desc, &r->pass[phase]));
    }
    return canvas_frame_create(r, r->pass[0], &r->id, &r->frame);
}

/* --- the set of images --- */

static ent_status sets_create(CanvasRaster* r) {
    VkDescriptorSet sets[2];
    TRY(gpu_image_sets_create(r->gpu, sets, COUNT_OF(sets), &r->pool));
    r->images = sets[0];
    r->blend_images = sets[1];
    for (u32 i = 0; i < COUNT_OF(sets); i++) {
        gpu_image_bind(r->gpu, sets[i], CANVAS_DEPTH, r->depth.view);
        gpu_image_bind(r->gpu, sets[i], CANVAS_ID, r->id.view);
    }
    return ENT_OK;
}

/* --- pipelines --- */

#define CODE(stem)                                                                                 \
    {                                                                                              \
        .name = #stem, .vert = stem##_vert, .vert_bytes = sizeof stem##_vert, .frag = stem##_frag, \
        .frag_bytes = sizeof stem##_frag, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP         \
    }

static const CanvasPipelineDesc pipelines[CANVAS_KINDS] = {
    [CANVAS_SPHERES] = CODE(canvas_spheres), [CANVAS_DISCS] = CODE(canvas_discs)};

static ent_status module_create(Gpu* gpu, const char* name, const u32* words, size_t bytes,
                                VkShaderModule* module) {
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = words};
    GPU_TRY(gpu, name, gpu->vk.vkCreateShaderModule(gpu->device, &info, NULL, module));
    return ENT_OK;
}

static ent_status pipeline_of(const CanvasRaster* r, const CanvasPipelineDesc* desc,
                              const VkPipelineShaderStageCreateInfo* stages, VkPipeline* pipeline) {
    static const VkDynamicState varies[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = desc->topology};
    const VkPipelineViewportStateCreateInfo viewports = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .scissorCount = 1};
    const VkPipelineDynamicStateCreateInfo dynamic = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
        .dynamicStateCount = COUNT_OF(varies),
        .pDynamicStates = varies};
    const VkPipelineRasterizationStateCreateInfo fill = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .cullMode = desc->cull,
        .frontFace = desc->front,
        .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo one = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = VK_TRUE,
        .depthWriteEnable = !desc->blends,
        .depthCompareOp = VK_COMPARE_OP_GREATER};
    const VkPipelineColorBlendAttachmentState id = {
        .blendEnable = desc->blends,
        .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
        .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
        .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        .colorWriteMask =
            VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
            (desc->blends ? VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT : 0u)};
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &id};
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .stageCount = 2,
        .pStages = stages,
        .pVertexInputState = &input,
        .pInputAssemblyState = &assembly,
        .pViewportState = &viewports,
        .pRasterizationState = &fill,
        .pMultisampleState = &one,
        .pDepthStencilState = &depth,
        .pColorBlendState = &blend,
        .pDynamicState = &dynamic,
        .layout = r->gpu->layout,
        .renderPass = desc->blends ? r->blend_pass : r->pass[0]};
    GPU_TRY(r->gpu, desc->name,
            r->gpu->vk.vkCreateGraphicsPipelines(r->gpu->device, r->gpu->cache, 1, &info, NULL,
                                                 pipeline));
    return ENT_OK;
}

static ent_status pipeline_create(const CanvasRaster* r, const CanvasPipelineDesc* desc,
                                  VkPipeline* pipeline) {
    Gpu*           gpu = r->gpu;
    VkShaderModule modules[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
    ent_status status = module_create(gpu, desc->name, desc->vert, desc->vert_bytes, &modules[0]);
    if (status == ENT_OK)
        status = module_create(gpu, desc->name, desc->frag, desc->frag_bytes, &modules[1]);
    const u32                      bytes = sizeof desc->constants[0];
    const VkSpecializationMapEntry entries[] = {{1, 0, bytes}, {2, bytes, bytes}};
    const VkSpecializationInfo     constants = {COUNT_OF(entries), entries, sizeof desc->constants,
                                                desc->constants};
    const VkPipelineShaderStageCreateInfo stages[] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .module = modules[0],
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = modules[1],
         .pName = "main",
         .pSpecializationInfo = &constants}};
    if (status == ENT_OK) status = pipeline_of(r, desc, stages, pipeline);
    for (u32 i = 0; i < 2; i++) gpu->vk.vkDestroyShaderModule(gpu->device, modules[i], NULL);
    return status;
}

ent_status canvas_pipeline_create(Canvas* canvas, const CanvasPipelineDesc* desc,
                                  VkPipeline* pipeline) {
    if (desc->blends) TRY(canvas_blend_create(&canvas->raster));
    return pipeline_create(&canvas->raster, desc, pipeline);
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
    TRY(canvas_image_create(r, &r->id, CANVAS_ID_FORMAT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                            VK_IMAGE_ASPECT_COLOR_BIT));
    TRY(canvas_image_create(r, &r->depth, CANVAS_DEPTH_FORMAT,
                            VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                            VK_IMAGE_ASPECT_DEPTH_BIT));
    TRY(passes_create(r));
    TRY(sets_create(r));
    for (u32 i = 0; i < CANVAS_KINDS; i++) TRY(pipeline_create(r, &pipelines[i], &r->pipeline[i]));
    return ENT_OK;
}

void canvas_raster_destroy(CanvasRaster* r) {
    Gpu* gpu = r->gpu;
    if (!gpu) return;
    gpu->changes++;
    for (u32 i = 0; i < CANVAS_KINDS; i++)
        gpu->vk.vkDestroyPipeline(gpu->device, r->pipeline[i], NULL);
    canvas_blend_destroy(r);
    gpu->vk.vkDestroyDescriptorPool(gpu->device, r->pool, NULL);
    gpu->vk.vkDestroyFramebuffer(gpu->device, r->frame, NULL);
    for (u32 i = 0; i < 2; i++) gpu->vk.vkDestroyRenderPass(gpu->device, r->pass[i], NULL);
    gpu_image_destroy(&r->depth, gpu);
    gpu_image_destroy(&r->id, gpu);
    *r = (CanvasRaster){0};
}

/* --- recording --- */

static void elements_draw(const CanvasRaster* r, GpuList* list, const GpuBuffer* eye,
                          const CanvasDraw* draws, u32 which) {
    const CanvasDraw* draw = &draws[which];
    const CanvasPush  push = canvas_push(draws, which);
    gpu_draw(
        list,
        &(GpuDraw){
            .pipeline = r->pipeline[draw->kind],
            .use =
                {[CANVAS_VIEW] = {eye, GPU_READ}, [CANVAS_POSITION] = {&draw->position, GPU_READ}},
            .push = &push,
            .push_bytes = sizeof push,
            .vertex_count = 4,
            .instance_count = draw->count});
}

/* Only painters that cull by depth have a second phase. */
static bool is_drawn(const CanvasDraw* draw, u32 phase) {
    return phase == 0 || (draw->painter && draw->painter->culls_by_depth);
}

void canvas_raster_record(const CanvasRaster* r, GpuList* list, const CanvasDraw* draws, u32 count,
                          const CanvasTarget* target) {
    gpu_raster(list, &(GpuRaster){.name = "raster",
                                  .render_pass = r->pass[target->phase],
                                  .framebuffer = r->frame,
                                  .width = r->width,
                                  .height = r->height,
                                  .clear = {{.color.uint32 = {0}}, {.depthStencil = {0, 0}}},
                                  .clear_count = 2});
    for (u32 i = 0; i < count; i++) {
        if (!is_drawn(&draws[i], target->phase)) continue;
        if (draws[i].painter) {
            CanvasTarget own = *target;
            own.id_first = canvas_push(draws, i).id_first;
            draws[i].painter->raster(draws[i].user, list, &own);
        } else {
            elements_draw(r, list, target->eye, draws, i);
        }
    }
}
