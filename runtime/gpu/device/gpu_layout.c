/* gpu_layout.c - the layouts that all pipelines share. */
#include "gpu_internal.h"

static ent_status set_layout_create(Gpu* gpu, const char* what,
                                    const VkDescriptorSetLayoutBinding* bindings, u32 count,
                                    VkDescriptorSetLayout* layout) {
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = count,
        .pBindings = bindings};
    GPU_TRY(gpu, what, gpu->vk.vkCreateDescriptorSetLayout(gpu->device, &info, NULL, layout));
    return ENT_OK;
}

static ent_status texture_layout_create(Gpu* gpu) {
    const VkShaderStageFlags stages = VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
    VkDescriptorSetLayoutBinding bindings[1 + GPU_MAPS + GPU_STORED];
    bindings[0] =
        (VkDescriptorSetLayoutBinding){.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                       .descriptorCount = gpu->can.textures ? GPU_TEXTURES : 1,
                                       .stageFlags = stages};
    for (u32 i = 1; i < COUNT_OF(bindings); i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType =
                i <= GPU_MAPS ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
            .descriptorCount = 1,
            .stageFlags = i <= GPU_MAPS ? stages : VK_SHADER_STAGE_COMPUTE_BIT};
    return set_layout_create(gpu, "a layout of textures", bindings, COUNT_OF(bindings),
                             &gpu->layouts.textures);
}

static ent_status image_layout_create(Gpu* gpu) {
    VkDescriptorSetLayoutBinding bindings[GPU_IMAGES];
    for (u32 i = 0; i < GPU_IMAGES; i++)
        bindings[i] =
            (VkDescriptorSetLayoutBinding){.binding = i,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                                           .descriptorCount = 1,
                                           .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    return set_layout_create(gpu, "a layout of images", bindings, COUNT_OF(bindings),
                             &gpu->layouts.images);
}

/* One layout for all kernels: a set of storage buffers, of which each kernel uses some, a set of
 * textures and a set of images, which only some kernels use, and push constants. */
static ent_status layouts_fill(Gpu* gpu) {
    VkDescriptorSetLayoutBinding bindings[GPU_BINDINGS];
    for (u32 i = 0; i < GPU_BINDINGS; i++) {
        bindings[i] =
            (VkDescriptorSetLayoutBinding){.binding = i,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .descriptorCount = 1,
                                           .stageFlags = VK_SHADER_STAGE_ALL};
    }
    TRY(set_layout_create(gpu, "a layout of bindings", bindings, COUNT_OF(bindings),
                          &gpu->layouts.buffers));
    const VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_ALL, .size = GPU_PUSH_BYTES};
    TRY(texture_layout_create(gpu));
    TRY(image_layout_create(gpu));
    const VkDescriptorSetLayout      sets[] = {gpu->layouts.buffers, gpu->layouts.textures,
                                               gpu->layouts.images};
    const VkPipelineLayoutCreateInfo layout = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = COUNT_OF(sets),
                                               .pSetLayouts = sets,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &push};
    GPU_TRY(gpu, "a layout of pipelines",
            gpu->vk.vkCreatePipelineLayout(gpu->device, &layout, NULL, &gpu->layouts.pipelines));
    return ENT_OK;
}

static ent_status template_create(Gpu* gpu) {
    const VkDescriptorUpdateTemplateEntry entry = {
        .descriptorCount =
            GPU_BINDINGS, /* bindings follow each other: the count goes on with the next */
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .stride = sizeof(VkDescriptorBufferInfo)};
    const VkDescriptorUpdateTemplateCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
        .descriptorUpdateEntryCount = 1,
        .pDescriptorUpdateEntries = &entry,
        .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
        .descriptorSetLayout = gpu->layouts.buffers};
    GPU_TRY(gpu, "a template of bindings",
            gpu->vk.vkCreateDescriptorUpdateTemplate(gpu->device, &info, NULL,
                                                     &gpu->layouts.all_buffers));
    return ENT_OK;
}

ent_status gpu_layouts_create(Gpu* gpu) {
    TRY(layouts_fill(gpu));
    return template_create(gpu);
}

void gpu_layouts_destroy(Gpu* gpu) {
    gpu->vk.vkDestroyDescriptorUpdateTemplate(gpu->device, gpu->layouts.all_buffers, NULL);
    gpu->vk.vkDestroyPipelineLayout(gpu->device, gpu->layouts.pipelines, NULL);
    gpu->vk.vkDestroyDescriptorSetLayout(gpu->device, gpu->layouts.buffers, NULL);
    gpu->vk.vkDestroyDescriptorSetLayout(gpu->device, gpu->layouts.textures, NULL);
    gpu->vk.vkDestroyDescriptorSetLayout(gpu->device, gpu->layouts.images, NULL);
}
