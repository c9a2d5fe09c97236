/* gpu_needs.c - what the kernels require of a device, and what only some systems need. */
#include "gpu_internal.h"

#define GROUP_MAX  512
#define SHARED_MAX (32u << 10)

_Static_assert(GPU_BINDINGS == 22, "the number in a message");

/* The features in use: those that are required, and of the others those that the device has. */
static void features_select(GpuNeeds* n, const VkPhysicalDeviceFeatures* has,
                            bool draw_parameters) {
    VkPhysicalDeviceFeatures* use = &n->features.features;
    use->multiDrawIndirect = has->multiDrawIndirect;
    use->drawIndirectFirstInstance = has->drawIndirectFirstInstance;
    use->geometryShader = has->geometryShader;
    use->shaderClipDistance = has->shaderClipDistance;
    use->independentBlend = has->independentBlend;
    use->fragmentStoresAndAtomics = has->fragmentStoresAndAtomics;
    use->textureCompressionBC = has->textureCompressionBC;
    n->features_1_1.shaderDrawParameters = draw_parameters;
    n->features_1_2.scalarBlockLayout = VK_TRUE;
}

static void structs_chain(GpuNeeds* n) {
    *n = (GpuNeeds){
        .api_version = VK_API_VERSION_1_2,
        .features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2},
        .features_1_1 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES},
        .features_1_2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES}};
    n->features.pNext = &n->features_1_1;
    n->features_1_1.pNext = &n->features_1_2;
}

static const char* queue_find(GpuNeeds* n, VkPhysicalDevice device) {
    const VkQueueFlags      both = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT;
    VkQueueFamilyProperties families[16];
    u32                     count = COUNT_OF(families);
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families);
    for (u32 i = 0; i < count; i++) {
        if ((families[i].queueFlags & both) != both || families[i].timestampValidBits == 0)
            continue;
        n->queue_family = i;
        return NULL;
    }
    return "a queue for compute and graphics with timestamps";
}

/* What kernels use between the threads of a subgroup. */
static bool has_subgroups(VkPhysicalDevice device) {
    const VkSubgroupFeatureFlags needed =
        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
        VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT |
        VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT;
    VkPhysicalDeviceSubgroupProperties subgroups = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &subgroups};
    vkGetPhysicalDeviceProperties2(device, &all);
    return (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
           (subgroups.supportedOperations & needed) == needed;
}

void gpu_needs_find(GpuNeeds* n, VkPhysicalDevice device) {
    VkPhysicalDeviceProperties properties;
    GpuNeeds                   has;
    structs_chain(n);
    structs_chain(&has);
    vkGetPhysicalDeviceProperties(device, &properties);
    if (properties.apiVersion < VK_API_VERSION_1_2) {
        n->lacks = "Vulkan 1.2";
        return;
    }
    vkGetPhysicalDeviceFeatures2(device, &has.features);
    features_select(n, &has.features.features, has.features_1_1.shaderDrawParameters);
    if (!has.features_1_2.scalarBlockLayout)
        n->lacks = "scalar block layout";
    else if (properties.limits.maxComputeWorkGroupInvocations < GROUP_MAX ||
             properties.limits.maxComputeSharedMemorySize < SHARED_MAX)
        n->lacks = "work groups of 512 threads with 32 KiB";
    else if (!has_subgroups(device))
        n->lacks = "arithmetic, ballots and shuffles between the threads of a subgroup";
    else if (properties.limits.maxPerStageDescriptorStorageBuffers < GPU_BINDINGS)
        n->lacks = "22 storage buffers in a kernel";
    else
        n->lacks = queue_find(n, device);
}

static bool blends_floats(VkPhysicalDevice device) {
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(device, VK_FORMAT_R32_SFLOAT, &properties);
    return properties.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT;
}

void gpu_abilities_find(Gpu* gpu) {
    const VkPhysicalDeviceLimits* l = &gpu->limits;
    GpuNeeds                      needs;
    gpu_needs_find(&needs, gpu->physical);
    const VkPhysicalDeviceFeatures* use = &needs.features.features;
    gpu->can = (GpuAbilities){
        .indirect_draws = use->multiDrawIndirect && use->drawIndirectFirstInstance,
        .draw_numbers = needs.features_1_1.shaderDrawParameters,
        .primitives = use->geometryShader,
        .clips = use->shaderClipDistance,
        .stores = use->fragmentStoresAndAtomics,
        .blends = use->independentBlend && blends_floats(gpu->physical),
        .textures = l->maxPerStageDescriptorSampledImages >= GPU_TEXTURES + GPU_MAPS + GPU_IMAGES &&
                    l->maxPerStageDescriptorSamplers >= GPU_TEXTURES &&
                    l->maxDescriptorSetSampledImages >= GPU_TEXTURES,
        .block_textures = use->textureCompressionBC};
}
