/* gpu.c - an instance, the requested device, and one queue of it.
 *
 * One queue is used for everything: compute devices gain little from more queues, and software
 * devices have only one. */
#include "gpu.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu_internal.h"

#define DEVICES_MAX 32

#define LAYER "VK_LAYER_KHRONOS_validation"

/* --- messages --- */

static VKAPI_ATTR VkBool32 VKAPI_CALL validation_report(
    VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
    const VkDebugUtilsMessengerCallbackDataEXT* message, void* user) {
    Gpu* gpu = user;
    UNUSED(types), UNUSED(severity);
    gpu->guards.reported++;
    gpu_log(gpu, LOG_ERROR, "%s", message->pMessage);
    return VK_FALSE;
}

/* --- the instance --- */

static bool layer_exists(void) {
    VkLayerProperties layers[64];
    u32               count = COUNT_OF(layers);
    const VkResult    result = vkEnumerateInstanceLayerProperties(&count, layers);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE) return false;
    for (u32 i = 0; i < count; i++) {
        if (strcmp(layers[i].layerName, LAYER) == 0) return true;
    }
    return false;
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(Gpu* gpu) {
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = validation_report,
        .pUserData = gpu};
}

static ent_status loader_open(const Gpu* gpu) {
    if (volkInitialize() == VK_SUCCESS) return ENT_OK;
    gpu_log(gpu, LOG_ERROR, "there is no Vulkan loader (libvulkan.so.1) on this machine");
    return ENT_NO_DEVICE;
}

static ent_status instance_create(Gpu* gpu) {
    const char*                        layer = LAYER;
    const char*                        extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkApplicationInfo                  app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                              .pApplicationName = "libent",
                                              .apiVersion = VK_API_VERSION_1_2};
    const VkValidationFeatureEnableEXT synchronisation =
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    const VkDebugUtilsMessengerCreateInfoEXT messages = messenger_info(gpu);
    const VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                              .pNext = &messages,
                                              .enabledValidationFeatureCount = 1,
                                              .pEnabledValidationFeatures = &synchronisation};
    VkInstanceCreateInfo          info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                          .pApplicationInfo = &app};
    TRY(loader_open(gpu));
    if (gpu->desc.validate && !layer_exists()) {
        gpu_log(gpu, LOG_ERROR, "the validation layer " LAYER " is not installed");
        return ENT_NO_DEVICE;
    }
    if (gpu->desc.validate) {
        info.pNext = &features;
        info.enabledLayerCount = info.enabledExtensionCount = 1;
        info.ppEnabledLayerNames = &layer;
        info.ppEnabledExtensionNames = &extension;
    }
    const VkResult result = GPU_CALL(gpu, vkCreateInstance(&info, NULL, &gpu->instance));
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
        gpu_log(gpu, LOG_ERROR, "there is no Vulkan driver on this machine, and so no device");
        return ENT_NO_DEVICE;
    }
    if (result != VK_SUCCESS) return gpu_refused(gpu, "an instance", result);
    volkLoadInstanceOnly(
        gpu->instance); /* the loader's own functions: the same for all instances */
    if (!gpu->desc.validate) return ENT_OK;
    const PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(gpu->instance,
                                                                  "vkCreateDebugUtilsMessengerEXT");
    GPU_TRY(gpu, "a messenger of the validation layer",
            create(gpu->instance, &messages, NULL, &gpu->messenger));
    return ENT_OK;
}

/* --- the device --- */

static u32 device_rank(VkPhysicalDeviceType type) {
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
    default: return 1;
    }
}

static bool name_contains(const char* name, const char* part) {
    for (; *name; name++) {
        const char *a = name, *b = part;
        while (*b && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
        if (!*b) return true;
    }
    return false;
}

/* Is it the device that was requested, by number or by name? */
static bool device_is_selected(const Gpu* gpu, u32 index, const char* name) {
    char*       end;
    const char* wanted = gpu->desc.device;
    if (!wanted) return true;
    const unsigned long number = strtoul(wanted, &end, 10);
    if (*wanted && !*end) return number == index;
    return name_contains(name, wanted);
}

static ent_status device_choose(Gpu* gpu) {
    VkPhysicalDevice devices[DEVICES_MAX];
    GpuNeeds         needs;
    u32              count = DEVICES_MAX, best = 0;
    const VkResult   result =
        GPU_CALL(gpu, vkEnumeratePhysicalDevices(gpu->instance, &count, devices));
    if (result != VK_SUCCESS && result != VK_INCOMPLETE)
        return gpu_refused(gpu, "the list of devices", result);
    for (u32 i = 0; i < count; i++) {
        VkPhysicalDeviceProperties p;
        vkGetPhysicalDeviceProperties(devices[i], &p);
        if (!device_is_selected(gpu, i, p.deviceName)) continue;
        gpu_needs_find(&needs, devices[i]);
        const u32 rank = device_rank(p.deviceType);
        if (needs.lacks && gpu->desc.device)
            gpu_log(gpu, LOG_ERROR, "the device \"%s\" does not have %s", p.deviceName,
                    needs.lacks);
        if (needs.lacks || rank <= best) continue;
        best = rank;
        gpu->physical = devices[i];
        gpu->queue_family = needs.queue_family;
        gpu->info.index = i;
    }
    if (best > 0) return ENT_OK;
    if (gpu->desc.device)
        gpu_log(gpu, LOG_ERROR, "there is no Vulkan device \"%s\" among the %u of this machine",
                gpu->desc.device, count);
    else
        gpu_log(gpu, LOG_ERROR, "there is no Vulkan device that can be used on this machine");
    return ENT_NO_DEVICE;
}

static void device_learn(Gpu* gpu) {
    VkPhysicalDeviceVulkan11Properties p11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
    VkPhysicalDeviceVulkan12Properties p12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, .pNext = &p11};
    VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                     .pNext = &p12};
    vkGetPhysicalDeviceProperties2(gpu->physical, &p);
    vkGetPhysicalDeviceMemoryProperties(gpu->physical, &gpu->memory.types);
    gpu->limits = p.properties.limits;
    gpu->memory.allocation_bytes_max = p11.maxMemoryAllocationSize;
    GpuInfo* info = &gpu->info;
    snprintf(info->name, sizeof info->name, "%s", p.properties.deviceName);
    snprintf(info->driver, sizeof info->driver, "%.120s %.120s", p12.driverName, p12.driverInfo);
    info->software = p.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    info->subgroup_size = p11.subgroupSize;
    info->buffer_bytes = gpu->limits.maxStorageBufferRange;
    info->shared_bytes = gpu->limits.maxComputeSharedMemorySize;
    for (u32 i = 0; i < gpu->memory.types.memoryHeapCount; i++) {
        const VkMemoryHeap* heap = &gpu->memory.types.memoryHeaps[i];
        if (heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            info->memory_bytes = MAX_OF(info->memory_bytes, heap->size);
    }
    if (gpu->desc.memory_bytes)
        info->memory_bytes = MIN_OF(info->memory_bytes, gpu->desc.memory_bytes);
}

static ent_status device_open(Gpu* gpu) {
    const f32                     priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = gpu->queue_family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    GpuNeeds                      needs;
    gpu_needs_find(&needs, gpu->physical);
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &needs.features,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue};
    GPU_TRY(gpu, gpu->info.name, vkCreateDevice(gpu->physical, &info, NULL, &gpu->device));
    volkLoadDeviceTable(&gpu->vk, gpu->device);
    gpu->vk.vkGetDeviceQueue(gpu->device, gpu->queue_family, 0, &gpu->queue);
    return ENT_OK;
}

/* The host's device, of which nothing is created or destroyed. */
static ent_status host_use(Gpu* gpu, const GpuHost* host) {
    GpuNeeds needs;
    TRY(loader_open(gpu));
    volkLoadInstanceOnly(host->instance);
    gpu->physical = host->physical_device;
    gpu->device = host->device;
    gpu->queue = host->queue;
    gpu->queue_family = host->queue_family;
    volkLoadDeviceTable(&gpu->vk, gpu->device);
    gpu_needs_find(&needs, gpu->physical);
    if (!needs.lacks) return ENT_OK;
    gpu_log(gpu, LOG_ERROR, "the device of the host does not have %s", needs.lacks);
    return ENT_NO_DEVICE;
}

static ent_status tools_create(Gpu* gpu) {
    const VkCommandPoolCreateInfo   pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                            .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                            .queueFamilyIndex = gpu->queue_family};
    const VkFenceCreateInfo         fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkPipelineCacheCreateInfo cache = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    GPU_TRY(gpu, "a pool of commands",
            gpu->vk.vkCreateCommandPool(gpu->device, &pool, NULL, &gpu->commands));
    GPU_TRY(gpu, "a fence", gpu->vk.vkCreateFence(gpu->device, &fence, NULL, &gpu->fence));
    GPU_TRY(gpu, "a cache of pipelines",
            gpu->vk.vkCreatePipelineCache(gpu->device, &cache, NULL, &gpu->cache));
    TRY(gpu_layouts_create(gpu));
    return gpu_stage_create(gpu);
}

static ent_status gpu_begin(Gpu* gpu) {
    if (gpu->desc.host) {
        TRY(host_use(gpu, gpu->desc.host));
        device_learn(gpu);
    } else {
        TRY(instance_create(gpu));
        TRY(device_choose(gpu));
        device_learn(gpu);
        TRY(device_open(gpu));
    }
    gpu_abilities_find(gpu);
    gpu->desc.host = NULL; /* it is not read any more */
    return tools_create(gpu);
}

ent_status ent_gpu_needs(GpuNeeds* needs, VkInstance instance, VkPhysicalDevice physical_device) {
    *needs = (GpuNeeds){.lacks = "a Vulkan loader"};
    if (volkInitialize() != VK_SUCCESS) return ENT_NO_DEVICE;
    volkLoadInstanceOnly(instance);
    gpu_needs_find(needs, physical_device);
    return needs->lacks ? ENT_NO_DEVICE : ENT_OK;
}

ent_status ent_gpu_create(Gpu** out, const GpuDesc* desc) {
    Gpu* gpu = calloc(1, sizeof *gpu);
    *out = NULL;
    if (!gpu) return ENT_NO_MEMORY;
    if (desc) gpu->desc = *desc;
    gpu->is_of_host = gpu->desc.host != NULL;
    const ent_status status = gpu_begin(gpu);
    if (status == ENT_OK)
        *out = gpu;
    else
        ent_gpu_destroy(gpu);
    return status;
}

/* Objects that were not created yet are null, which Vulkan's destroy functions accept. */
static void device_close(Gpu* gpu) {
    gpu->vk.vkDeviceWaitIdle(gpu->device);
    gpu_stage_destroy(gpu);
    gpu_layouts_destroy(gpu);
    gpu->vk.vkDestroyPipelineCache(gpu->device, gpu->cache, NULL);
    gpu->vk.vkDestroyFence(gpu->device, gpu->fence, NULL);
    gpu->vk.vkDestroyCommandPool(gpu->device, gpu->commands, NULL);
    assert(gpu->memory.bytes == 0 &&
           "everything that was created with a Gpu must be destroyed before it");
    if (!gpu->is_of_host) gpu->vk.vkDestroyDevice(gpu->device, NULL);
}

static void messenger_destroy(Gpu* gpu) {
    const PFN_vkDestroyDebugUtilsMessengerEXT destroy =
        (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
            gpu->instance, "vkDestroyDebugUtilsMessengerEXT");
    destroy(gpu->instance, gpu->messenger, NULL);
}

void ent_gpu_destroy(Gpu* gpu) {
    if (!gpu) return;
    if (gpu->device) device_close(gpu);
    if (gpu->messenger) messenger_destroy(gpu);
    if (gpu->instance) vkDestroyInstance(gpu->instance, NULL);
    free(gpu);
}

const GpuInfo* ent_gpu_info(const Gpu* gpu) { return &gpu->info; }
uint32_t       ent_gpu_validation_count(const Gpu* gpu) { return gpu->guards.reported; }
uint64_t       ent_gpu_bytes(const Gpu* gpu) { return gpu->memory.bytes; }
uint64_t       ent_gpu_bytes_peak(const Gpu* gpu) { return gpu->memory.bytes_peak; }
