/* gpu_image.c - creates images, and copies to them through host-visible memory. */
#include "gpu_image.h"

#include "gpu_stage.h"

ent_status gpu_image_create(GpuImage* image, Gpu* gpu, const GpuImageDesc* desc) {
    const u32               levels = MAX_OF(desc->levels, 1u), layers = MAX_OF(desc->layers, 1u);
    VkMemoryRequirements    need;
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = desc->format,
                                    .extent = {desc->width, desc->height, 1},
                                    .mipLevels = levels,
                                    .arrayLayers = layers,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .tiling = VK_IMAGE_TILING_OPTIMAL,
                                    .usage = desc->usage};
    *image = (GpuImage){0};
    GPU_TRY(gpu, "an image", gpu->vk.vkCreateImage(gpu->device, &info, NULL, &image->image));
    gpu->vk.vkGetImageMemoryRequirements(gpu->device, image->image, &need);
    const u32 type =
        gpu_memory_type(gpu, need.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
    TRY(gpu_allocate(gpu, need.size, type, &image->memory));
    image->bytes = need.size;
    GPU_TRY(gpu, "an image's memory",
            gpu->vk.vkBindImageMemory(gpu->device, image->image, image->memory, 0));
    const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = image->image,
                                        .viewType = desc->view,
                                        .format = desc->format,
                                        .subresourceRange = {desc->aspect, 0, levels, 0, layers}};
    GPU_TRY(gpu, "a view of an image",
            gpu->vk.vkCreateImageView(gpu->device, &view, NULL, &image->view));
    return ENT_OK;
}

void gpu_image_destroy(GpuImage* image, Gpu* gpu) {
    if (image->image) gpu_stage_drop(gpu), gpu->changes++;
    gpu->vk.vkDestroyImageView(gpu->device, image->view, NULL);
    gpu->vk.vkDestroyImage(gpu->device, image->image, NULL);
    gpu_release(gpu, image->bytes, image->memory);
    *image = (GpuImage){0};
}

/* --- copies --- */

static ent_status layout_change(const GpuImage* image, Gpu* gpu, VkImageLayout from,
                                VkImageLayout to, VkAccessFlags access) {
    const VkImageMemoryBarrier change = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                         .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                         .dstAccessMask = access,
                                         .oldLayout = from,
                                         .newLayout = to,
                                         .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                         .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                         .image = image->image,
                                         .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0,
                                                              VK_REMAINING_MIP_LEVELS, 0,
                                                              VK_REMAINING_ARRAY_LAYERS}};
    TRY(gpu_stage_begin(gpu));
    gpu->vk.vkCmdPipelineBarrier(gpu->stage.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1,
                                 &change);
    return gpu_stage_end(gpu);
}

ent_status gpu_image_begin(const GpuImage* image, Gpu* gpu) {
    return layout_change(image, gpu, VK_IMAGE_LAYOUT_UNDEFINED,
                         VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_ACCESS_TRANSFER_WRITE_BIT);
}

ent_status gpu_image_ready(const GpuImage* image, Gpu* gpu) {
    return layout_change(image, gpu, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                         VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_ACCESS_SHADER_READ_BIT);
}

ent_status gpu_image_add(const GpuImage* image, Gpu* gpu, const GpuImagePart* part) {
    const u32 rows = (part->height + part->row_pixels - 1) / part->row_pixels;
    const u32 max = (u32)MAX_OF(GPU_STAGE_PART / part->row_bytes, (u64)1);
    for (u32 row = 0, some; row < rows; row += some) {
        some = MIN_OF(rows - row, max);
        const u32         y = row * part->row_pixels;
        const u64         bytes = (u64)some * part->row_bytes;
        VkBufferImageCopy copy = {
            .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, part->level, part->layer, 1},
            .imageOffset = {0, (int)y, 0},
            .imageExtent = {part->width, MIN_OF(some * part->row_pixels, part->height - y), 1}};
        TRY(gpu_stage_take(gpu, bytes, &copy.bufferOffset));
        memcpy(gpu->stage.at + copy.bufferOffset, part->bytes + (u64)row * part->row_bytes, bytes);
        gpu->vk.vkCmdCopyBufferToImage(gpu->stage.commands, gpu->stage.memory.buffer.handle,
                                       image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                                       &copy);
    }
    return ENT_OK;
}

/* --- sets of images --- */

#define SETS_MAX 4u

ent_status gpu_image_sets_create(Gpu* gpu, VkDescriptorSet* sets, u32 count,
                                 VkDescriptorPool* pool) {
    const VkDescriptorPoolSize       size = {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, GPU_IMAGES * count};
    const VkDescriptorPoolCreateInfo desc = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = count,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    VkDescriptorSetLayout            layouts[SETS_MAX];
    assert(count > 0 && count <= SETS_MAX);
    for (u32 i = 0; i < count; i++) layouts[i] = gpu->layouts.images;
    GPU_TRY(gpu, "a pool of bindings",
            gpu->vk.vkCreateDescriptorPool(gpu->device, &desc, NULL, pool));
    const VkDescriptorSetAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = *pool,
                                              .descriptorSetCount = count,
                                              .pSetLayouts = layouts};
    GPU_TRY(gpu, "a set of images", gpu->vk.vkAllocateDescriptorSets(gpu->device, &info, sets));
    return ENT_OK;
}

static void image_write(Gpu* gpu, VkDescriptorSet set, u32 binding, VkImageView view,
                        VkDescriptorType type, VkImageLayout layout) {
    const VkDescriptorImageInfo image = {VK_NULL_HANDLE, view, layout};
    const VkWriteDescriptorSet  write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                         .dstSet = set,
                                         .dstBinding = binding,
                                         .descriptorCount = 1,
                                         .descriptorType = type,
                                         .pImageInfo = &image};
    gpu->vk.vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
}

void gpu_image_bind(Gpu* gpu, VkDescriptorSet set, u32 binding, VkImageView view) {
    image_write(gpu, set, binding, view, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
}

void gpu_image_bind_general(Gpu* gpu, VkDescriptorSet set, u32 binding, VkImageView view) {
    image_write(gpu, set, binding, view, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_IMAGE_LAYOUT_GENERAL);
}

void gpu_image_bind_stored(Gpu* gpu, VkDescriptorSet set, u32 binding, VkImageView view) {
    image_write(gpu, set, binding, view, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_IMAGE_LAYOUT_GENERAL);
}
