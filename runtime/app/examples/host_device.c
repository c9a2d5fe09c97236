/* host_device.c - a host with a Vulkan device of its own: in each frame it steps a fluid, skins a crowd,
 * culls the instances of a level, and reads all of it in a compute pass of its own, in one submission.
 *
 *     entc build assets -o out
 *     glslc --target-env=vulkan1.2 host_device.comp -mfmt=num -o host_device.comp.h
 *     cc host_device.c $(pkg-config --cflags --libs libent_gpu) -lvulkan -o host_device
 *     ./host_device out levels/town */
#include <stdio.h>
#include <stdlib.h>

#include <vulkan/vulkan.h>

#include <ent/ent.h>
#include <ent/gpu_picture.h>
#include <ent/gpu_vulkan.h>
#include <ent/lighting.h>
#include <ent/meshes.h>
#include <ent/sph.h>

static const uint32_t kernel_code[] = {
#include "host_device.comp.h"
};

enum { FRAMES = 30, SIDE = 12, PARTICLES = SIDE * SIDE * SIDE, CROWD = 100 };

/* What the host has itself. */
static EntGpuHost       gpu_host;
static VkCommandBuffer  commands;
static VkPipelineLayout layout;
static VkPipeline       pipeline;
static VkDescriptorSet  set;
static VkBuffer         result;
static uint32_t*        words; /* of the result: three, which the host sees */
static EntVec3          block[PARTICLES];

static void must(int fine, const char* what) {
    if (!fine) fprintf(stderr, "host_device: %s failed\n", what), exit(1);
}

#define MUST(call) must((call) == 0, #call) /* VK_SUCCESS and ENT_OK */
#define BUFFER     VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL
#define T(NAME)    VK_STRUCTURE_TYPE_##NAME

static void device_open(void) {
    const VkApplicationInfo app = {T(APPLICATION_INFO), NULL, NULL, 0, NULL, 0, VK_API_VERSION_1_2};
    const VkInstanceCreateInfo instance = {
        T(INSTANCE_CREATE_INFO), NULL, 0, &app, 0, NULL, 0, NULL};
    const float      priority = 1;
    EntGpuNeeds      needs = {.lacks = "Vulkan"};
    VkPhysicalDevice devices[16];
    uint32_t         count = 16;
    MUST(vkCreateInstance(&instance, NULL, &gpu_host.instance));
    must(vkEnumeratePhysicalDevices(gpu_host.instance, &count, devices) >= 0,
         "the list of devices");
    for (uint32_t i = 0; i < count && needs.lacks; i++)
        if (ent_gpu_needs(&needs, gpu_host.instance, gpu_host.physical_device = devices[i]))
            continue;
    must(!needs.lacks, "finding a device for libent_gpu");
    gpu_host.queue_family = needs.queue_family;
    const VkDeviceQueueCreateInfo queue = {T(DEVICE_QUEUE_CREATE_INFO), NULL, 0,
                                           gpu_host.queue_family,       1,    &priority};
    const VkDeviceCreateInfo      device = {
             T(DEVICE_CREATE_INFO), &needs.features, 0, 1, &queue, 0, NULL, 0, NULL, NULL};
    MUST(vkCreateDevice(gpu_host.physical_device, &device, NULL, &gpu_host.device));
    vkGetDeviceQueue(gpu_host.device, gpu_host.queue_family, 0, &gpu_host.queue);
    const VkCommandPoolCreateInfo pool = {T(COMMAND_POOL_CREATE_INFO), NULL,
                                          VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          gpu_host.queue_family};
    VkCommandBufferAllocateInfo   buffer = {T(COMMAND_BUFFER_ALLOCATE_INFO), NULL, VK_NULL_HANDLE,
                                            VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    MUST(vkCreateCommandPool(gpu_host.device, &pool, NULL, &buffer.commandPool));
    MUST(vkAllocateCommandBuffers(gpu_host.device, &buffer, &commands));
}

static void result_create(void) {
    const VkBufferCreateInfo buffer = {
        .sType = T(BUFFER_CREATE_INFO), .size = 12, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    const VkMemoryPropertyFlags seen =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties types;
    VkMemoryRequirements             need;
    VkDeviceMemory                   memory;
    MUST(vkCreateBuffer(gpu_host.device, &buffer, NULL, &result));
    vkGetBufferMemoryRequirements(gpu_host.device, result, &need);
    vkGetPhysicalDeviceMemoryProperties(gpu_host.physical_device, &types);
    VkMemoryAllocateInfo info = {T(MEMORY_ALLOCATE_INFO), NULL, need.size, 0};
    while (!(need.memoryTypeBits >> info.memoryTypeIndex & 1) ||
           (types.memoryTypes[info.memoryTypeIndex].propertyFlags & seen) != seen)
        info.memoryTypeIndex++; /* Vulkan guarantees that there is one */
    MUST(vkAllocateMemory(gpu_host.device, &info, NULL, &memory));
    MUST(vkBindBufferMemory(gpu_host.device, result, memory, 0));
    MUST(vkMapMemory(gpu_host.device, memory, 0, VK_WHOLE_SIZE, 0, (void**)&words));
}

static void kernel_create(void) {
    const VkDescriptorSetLayoutBinding of_kernel[] = {
        {0, BUFFER}, {1, BUFFER}, {2, BUFFER}, {3, BUFFER}};
    const VkDescriptorSetLayoutCreateInfo of_sets = {T(DESCRIPTOR_SET_LAYOUT_CREATE_INFO), NULL, 0,
                                                     4, of_kernel};
    VkDescriptorSetLayout                 sets;
    MUST(vkCreateDescriptorSetLayout(gpu_host.device, &of_sets, NULL, &sets));
    const VkPipelineLayoutCreateInfo of_layout = {
        T(PIPELINE_LAYOUT_CREATE_INFO), NULL, 0, 1, &sets, 0, NULL};
    MUST(vkCreatePipelineLayout(gpu_host.device, &of_layout, NULL, &layout));
    const VkShaderModuleCreateInfo  code = {T(SHADER_MODULE_CREATE_INFO), NULL, 0,
                                            sizeof kernel_code, kernel_code};
    VkPipelineShaderStageCreateInfo stage = {.sType = T(PIPELINE_SHADER_STAGE_CREATE_INFO),
                                             .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                             .pName = "main"};
    MUST(vkCreateShaderModule(gpu_host.device, &code, NULL, &stage.module));
    const VkComputePipelineCreateInfo kernel = {
        .sType = T(COMPUTE_PIPELINE_CREATE_INFO), .stage = stage, .layout = layout};
    MUST(vkCreateComputePipelines(gpu_host.device, VK_NULL_HANDLE, 1, &kernel, NULL, &pipeline));
    const VkDescriptorPoolSize       size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4};
    const VkDescriptorPoolCreateInfo pool = {T(DESCRIPTOR_POOL_CREATE_INFO), NULL, 0, 1, 1, &size};
    VkDescriptorSetAllocateInfo of_set = {T(DESCRIPTOR_SET_ALLOCATE_INFO), NULL, VK_NULL_HANDLE, 1,
                                          &sets};
    MUST(vkCreateDescriptorPool(gpu_host.device, &pool, NULL, &of_set.descriptorPool));
    MUST(vkAllocateDescriptorSets(gpu_host.device, &of_set, &set));
}

/* The host's pass: it waits for the stages and accesses with which the systems left their buffers. */
static void pass_record(const EntGpuRange r[3]) {
    const VkMemoryBarrier        barrier = {T(MEMORY_BARRIER), NULL,
                                            r[0].access | r[1].access | r[2].access,
                                            VK_ACCESS_SHADER_READ_BIT};
    const VkDescriptorBufferInfo buffers[] = {{result, 0, VK_WHOLE_SIZE},
                                              {r[0].buffer, r[0].offset, r[0].bytes},
                                              {r[1].buffer, r[1].offset, r[1].bytes},
                                              {r[2].buffer, r[2].offset, r[2].bytes}};
    const VkWriteDescriptorSet write = {T(WRITE_DESCRIPTOR_SET),           NULL, set,     0,   0, 4,
                                        VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, NULL, buffers, NULL};
    vkUpdateDescriptorSets(gpu_host.device, 1, &write, 0, NULL);
    vkCmdPipelineBarrier(commands, r[0].stages | r[1].stages | r[2].stages,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdDispatch(commands, (PARTICLES + 63) / 64, 1, 1);
}

/* One submission. This host waits for it; another one would have commands for two frames in flight. */
static void frame_run(EntGpuFrames* frames, EntSph* sph, const EntGpuPart* part,
                      const EntCanvasView* view) {
    const VkCommandBufferBeginInfo begin = {.sType = T(COMMAND_BUFFER_BEGIN_INFO)};
    const VkSubmitInfo submit = {T(SUBMIT_INFO), NULL, 0, NULL, NULL, 1, &commands, 0, NULL};
    const EntGpuParts  parts = {part, 2};
    void* const        meshes = part[1].state;
    EntGpuFrame*       frame;
    EntGpuRange        ranges[3];
    MUST(vkBeginCommandBuffer(commands, &begin));
    MUST(ent_gpu_frame_begin(frames, &frame));
    MUST(ent_sph_record(sph, frame, 1));
    MUST(ent_picture_record(frame, &parts, NULL, NULL)); /* without a picture */
    MUST(ent_meshes_cull(meshes, frame, view, 1280, 720));
    MUST(ent_gpu_frame_end_in(frame, commands));
    ent_sph_ranges(sph, &ranges[0], NULL);
    ent_meshes_range(meshes, ENT_MESHES_COUNT, &ranges[1]);
    ent_meshes_range(meshes, ENT_MESHES_BOXES, &ranges[2]);
    words[0] = UINT32_MAX, words[2] = 0;
    pass_record(ranges);
    MUST(vkEndCommandBuffer(commands));
    MUST(vkQueueSubmit(gpu_host.queue, 1, &submit, VK_NULL_HANDLE));
    MUST(vkQueueWaitIdle(gpu_host.queue));
}

int main(int argc, char** argv) {
    EntLibrary     library;
    const EntBlob *level, *banner;
    EntWorld*      world;
    EntSkins*      skins;
    EntGpu*        gpu;
    EntGpuFrames*  frames;
    EntSph*        sph;
    EntGpuPart     part[2] = {{ent_lighting_system(), NULL}, {ent_meshes_system(), NULL}};
    must(argc == 3, "reading the command line, OUT LEVEL,");
    MUST(ent_library_open(&library, argv[1], NULL));
    MUST(ent_library_load(&library, argv[2], ENT_RESOURCE_LEVEL, &level));
    MUST(ent_world_create(&world, NULL));
    MUST(ent_world_spawn(world, level, NULL, NULL));
    MUST(ent_library_load(&library, "models/banner", ENT_RESOURCE_ENTITY, &banner));
    for (int i = 1; i < CROWD; i++) { /* more of the level's banner, at other times of its clip */
        const EntTransformRecord place = {{(float)i, 0, -5}, {0, 0, 0, 1}, {1, 1, 1}};
        MUST(ent_world_spawn(world, banner, &(EntSpawnOptions){.root = &place}, NULL));
        ent_skin_rows(world).record[i].time_s = (float)i / CROWD;
    }
    MUST(ent_skins_create(&skins, world, &library));
    device_open();
    result_create();
    kernel_create();
    MUST(ent_gpu_create(&gpu, &(EntGpuDesc){.host = &gpu_host}));
    MUST(ent_gpu_frames_create(&frames, gpu, NULL));
    const EntSphDesc falls = {
        .fluid = ent_fluid_rows(world).record, .count = PARTICLES, .position = block};
    EntGpuScene         scene = {.world = world, .library = &library};
    const EntCameraRows eyes = ent_camera_rows(world);
    const EntCanvasView view = {.camera = eyes.record[0],
                                .pose = *ent_transform_world(world, eyes.entity[0])};
    for (int i = 0; i < PARTICLES; i++)
        block[i] = (EntVec3){(float)(i % SIDE) / 2, (float)(i / SIDE % SIDE) / 2,
                             (float)(i / SIDE / SIDE) / 2};
    MUST(ent_sph_create(&sph, gpu, &falls)); /* no planes stop its fall */
    for (int i = 0; i < 2; i++) { /* meshes have the matrices and textures of the lighting */
        MUST(part[i].system->create(&part[i].state, gpu, &scene, &(EntGpuProblem){0}));
        scene.lighting = part[0].state;
    }
    for (uint32_t i = 0; i < FRAMES; i++) {
        MUST(ent_skins_advance(skins, 1.0f / 60));
        frame_run(frames, sph, part, &view);
    }
    printf(
        "the lowest particle is at %.2f m, %u of %u meshes are in view, the highest of %d banners "
        "reaches %.2f m\n",
        words[0] / 1000.0 - 100, words[1], ent_mesh_rows(world).count, CROWD, words[2] / 1000.0);
    for (int i = 2; i-- > 0;) part[i].system->destroy(part[i].state);
    ent_sph_destroy(sph);
    ent_gpu_frames_destroy(frames);
    ent_gpu_destroy(gpu); /* what the host has created is freed with the process */
    ent_skins_destroy(skins);
    ent_world_destroy(world);
    ent_library_close(&library);
    return 0;
}
