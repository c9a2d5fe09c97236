/* gpu_pipeline.c - render passes and pipelines that rasterise. */
#include "gpu_pipeline.h"

/* --- render passes --- */

static VkAttachmentDescription attachment_of(VkFormat format, bool keeps, VkImageLayout layout) {
    return (VkAttachmentDescription){.format = format,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .loadOp = keeps ? VK_ATTACHMENT_LOAD_OP_LOAD
                                                     : VK_ATTACHMENT_LOAD_OP_CLEAR,
                                     .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                     .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                     .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                     .initialLayout = keeps ? layout : VK_IMAGE_LAYOUT_UNDEFINED,
                                     .finalLayout = layout};
}

#define READERS (VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT)

ent_status gpu_render_pass_create(Gpu* gpu, const GpuRenderPassDesc* desc, VkRenderPass* pass) {
    const VkImageLayout read_only = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                        general = VK_IMAGE_LAYOUT_GENERAL;
    VkAttachmentDescription attachments[1 + GPU_COLORS_MAX];
    VkAttachmentReference   colors[GPU_COLORS_MAX];
    assert(desc->color_count <= COUNT_OF(colors) &&
           desc->color_count < COUNT_OF(attachments)); /* a number in the code of the caller */
    attachments[0] = attachment_of(desc->depth_format, desc->keeps_depth, read_only);
    for (u32 i = 0; i < desc->color_count; i++) {
        attachments[1 + i] = attachment_of(desc->color_format[i], desc->keeps_color,
                                           desc->is_general ? general : read_only);
        colors[i] = (VkAttachmentReference){
            1 + i, desc->is_general ? general : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    }
    const VkAttachmentReference depth = {0, desc->depth_layout};
    const VkSubpassDescription  all = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                       .colorAttachmentCount = desc->color_count,
                                       .pColorAttachments = colors,
                                       .pDepthStencilAttachment = &depth};
    const VkPipelineStageFlags  drawn = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                       VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                       VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
    const VkAccessFlags written =
        VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    const VkAccessFlags read =
        VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
    const VkSubpassDependency waits[] = {
        {VK_SUBPASS_EXTERNAL, 0, READERS | drawn, drawn,
         VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | written, written | read, 0},
        {0, VK_SUBPASS_EXTERNAL, drawn, READERS | drawn, written,
         VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | written | read, 0}};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 1 + desc->color_count,
                                         .pAttachments = attachments,
                                         .subpassCount = 1,
                                         .pSubpasses = &all,
                                         .dependencyCount = COUNT_OF(waits),
                                         .pDependencies = waits};
    GPU_TRY(gpu, "a render pass", gpu->vk.vkCreateRenderPass(gpu->device, &info, NULL, pass));
    return ENT_OK;
}

ent_status gpu_framebuffer_create(Gpu* gpu, VkRenderPass pass, const VkImageView* views, u32 count,
                                  VkExtent2D extent, VkFramebuffer* frame) {
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .renderPass = pass,
                                          .attachmentCount = count,
                                          .pAttachments = views,
                                          .width = extent.width,
                                          .height = extent.height,
                                          .layers = 1};
    GPU_TRY(gpu, "a framebuffer", gpu->vk.vkCreateFramebuffer(gpu->device, &info, NULL, frame));
    return ENT_OK;
}

/* --- pipelines --- */

static ent_status module_create(Gpu* gpu, const char* name, const u32* words, size_t bytes,
                                VkShaderModule* module) {
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = words};
    GPU_TRY(gpu, name, gpu->vk.vkCreateShaderModule(gpu->device, &info, NULL, module));
    return ENT_OK;
}

static VkPipelineColorBlendAttachmentState blend_of(GpuBlend blend) {
    const VkColorComponentFlags all = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                                      VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
    const VkBlendFactor one = VK_BLEND_FACTOR_ONE, zero = VK_BLEND_FACTOR_ZERO;
    const VkBlendOp     add = VK_BLEND_OP_ADD, max = VK_BLEND_OP_MAX;
    switch (blend) {
    case GPU_BLEND_FILTER:
        return (VkPipelineColorBlendAttachmentState){
            VK_TRUE, VK_BLEND_FACTOR_DST_COLOR, zero, add, one, one, add, all};
    case GPU_BLEND_MAX:
        return (VkPipelineColorBlendAttachmentState){VK_TRUE, one, one, max, one, one, max, all};
    case GPU_BLEND_NONE: break;
    }
    return (VkPipelineColorBlendAttachmentState){.colorWriteMask = all};
}

static ent_status pipeline_of(Gpu* gpu, const GpuPipelineDesc* desc,
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
        .depthWriteEnable = !desc->keeps_depth,
        .depthCompareOp = desc->is_always ? VK_COMPARE_OP_ALWAYS : VK_COMPARE_OP_GREATER};
    const VkPipelineColorBlendAttachmentState colors[] = {blend_of(desc->blend[0]),
                                                          blend_of(desc->blend[1])};
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = desc->color_count,
        .pAttachments = colors};
    const VkGraphicsPipelineCreateInfo info = {.sType =
                                                   VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
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
                                               .layout = gpu->layouts.pipelines,
                                               .renderPass = desc->render_pass};
    GPU_TRY(gpu, desc->name,
            gpu->vk.vkCreateGraphicsPipelines(gpu->device, gpu->cache, 1, &info, NULL, pipeline));
    return ENT_OK;
}

ent_status gpu_pipeline_create(Gpu* gpu, const GpuPipelineDesc* desc, VkPipeline* pipeline) {
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
         .pName = "main",
         .pSpecializationInfo = &constants},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = modules[1],
         .pName = "main",
         .pSpecializationInfo = &constants}};
    if (status == ENT_OK) status = pipeline_of(gpu, desc, stages, pipeline);
    for (u32 i = 0; i < 2; i++) gpu->vk.vkDestroyShaderModule(gpu->device, modules[i], NULL);
    return status;
}
