/* gpu_textures.c - textures of the same format, size and sampler are the layers of one image. */
#include "gpu_textures.h"

#include <stdlib.h>

#include "hash.h"

#include "texture_shape.h"

#define CHECKER_SIDE 8u

static VkFormat format_of(const TextureRecord* t) {
    static const VkFormat formats[][2] = {
        [TEXTURE_RGBA8] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB},
        [TEXTURE_R8] = {VK_FORMAT_R8_UNORM, VK_FORMAT_R8_UNORM},
        [TEXTURE_BC1] = {VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_FORMAT_BC1_RGB_SRGB_BLOCK},
        [TEXTURE_BC3] = {VK_FORMAT_BC3_UNORM_BLOCK, VK_FORMAT_BC3_SRGB_BLOCK},
        [TEXTURE_BC4] = {VK_FORMAT_BC4_UNORM_BLOCK, VK_FORMAT_BC4_UNORM_BLOCK},
        [TEXTURE_BC5] = {VK_FORMAT_BC5_UNORM_BLOCK, VK_FORMAT_BC5_UNORM_BLOCK}};
    return formats[t->format][t->color_space == TEXTURE_SRGB];
}

/* --- arrays --- */

bool gpu_texture_is_alike(const TextureRecord* a, const TextureRecord* b) {
    return a->width == b->width && a->height == b->height && a->level_count == b->level_count &&
           a->format == b->format && a->color_space == b->color_space && a->wrap_u == b->wrap_u &&
           a->wrap_v == b->wrap_v && a->magnify == b->magnify && a->minify == b->minify &&
           a->between_levels == b->between_levels;
}

bool gpu_texture_is_readable(const Gpu* gpu, const Blob* blob) {
    const u32            max = gpu->limits.maxImageDimension2D;
    u32                  count;
    const TextureRecord* t = gpu_blob_rows(blob, SECTION_TEXTURE, &count);
    if ((gpu->can.block_textures || !texture_has_blocks(t->format)) && t->width <= max &&
        t->height <= max)
        return true;
    gpu_log(gpu, LOG_WARNING,
            "the texture \"%s\" of %u x %u pixels has a format or a size that \"%s\" cannot "
            "read: a checker pattern is drawn instead",
            gpu_blob_name(blob), t->width, t->height, gpu->info.name);
    return false;
}

/* The array for a texture with a layer left; NONE: another array would be one too many. */
static u32 array_of(GpuTextures* t, const TextureRecord* texture) {
    for (u32 i = 1; i < t->array_count; i++) {
        const GpuTextureArray* array = &t->array[i];
        if (gpu_texture_is_alike(&array->like, texture) && array->layer_count < gpu_layer_limit(t))
            return i;
    }
    if (t->array_count == GPU_TEXTURES) return NONE;
    t->array[t->array_count].like = *texture;
    return t->array_count++;
}

static ent_status layers_assign(GpuTextures* t, GpuProblem* problem) {
    t->layer = calloc((size_t)t->blobs.count + 1, sizeof *t->layer);
    if (!t->layer) return ENT_NO_MEMORY;
    for (u32 i = 0; i < t->blobs.count; i++) {
        u32                  count;
        const TextureRecord* texture = gpu_blob_rows(t->blobs.at[i], SECTION_TEXTURE, &count);
        if (!gpu_texture_is_readable(t->gpu, t->blobs.at[i])) continue;
        const u32 array = array_of(t, texture);
        if (array == NONE)
            return gpu_problem(problem, ENT_LIMIT,
                               "textures of more than %u different formats, sizes and samplers: "
                               "texture %u of %u is one too many",
                               GPU_TEXTURES - 1, i + 1, t->blobs.count);
        t->layer[i] = (GpuTextureLayer){array, t->array[array].layer_count++};
    }
    return ENT_OK;
}

static VkSamplerAddressMode wrap_of(Enum32 wrap) {
    static const VkSamplerAddressMode modes[] = {
        [TEXTURE_REPEAT] = VK_SAMPLER_ADDRESS_MODE_REPEAT,
        [TEXTURE_MIRROR] = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
        [TEXTURE_CLAMP] = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
    return modes[wrap];
}

static VkFilter filter_of(Enum32 filter) {
    return filter == TEXTURE_FILTER_NEAREST ? VK_FILTER_NEAREST : VK_FILTER_LINEAR;
}

/* Without anisotropy: the kernels compute the level. */
static ent_status sampler_create(Gpu* gpu, const TextureRecord* t, VkSampler* sampler) {
    const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                      .magFilter = filter_of(t->magnify),
                                      .minFilter = filter_of(t->minify),
                                      .mipmapMode = t->between_levels == TEXTURE_FILTER_NEAREST
                                                        ? VK_SAMPLER_MIPMAP_MODE_NEAREST
                                                        : VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                      .addressModeU = wrap_of(t->wrap_u),
                                      .addressModeV = wrap_of(t->wrap_v),
                                      .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                      .maxLod = VK_LOD_CLAMP_NONE};
    GPU_TRY(gpu, "a sampler", gpu->vk.vkCreateSampler(gpu->device, &info, NULL, sampler));
    return ENT_OK;
}

ent_status gpu_texture_array_create(Gpu* gpu, GpuTextureArray* array) {
    const TextureRecord* t = &array->like;
    TRY(gpu_image_create(&array->image, gpu,
                         &(GpuImageDesc){.format = format_of(t),
                                         .width = t->width,
                                         .height = t->height,
                                         .levels = t->level_count,
                                         .layers = array->layer_count,
                                         .usage = VK_IMAGE_USAGE_SAMPLED_BIT |
                                                  VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                         .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                                         .view = VK_IMAGE_VIEW_TYPE_2D_ARRAY}));
    return sampler_create(gpu, t, &array->sampler);
}

/* The memory of the device is exceeded by an array of textures that are alike. */
static ent_status array_refused(const GpuTextures* t, u32 array, GpuProblem* problem) {
    const TextureRecord* like = &t->array[array].like;
    u32                  first = 0;
    while (first < t->blobs.count && t->layer[first].array != array) first++;
    if (first == t->blobs.count) return ENT_LIMIT; /* the checker pattern */
    return gpu_problem(
        problem, ENT_LIMIT,
        "\"%s\" has no memory for the texture \"%s\" of %u x %u pixels and %u others "
        "with the same format and size; the limit is %llu bytes, of which %llu are "
        "in use",
        t->gpu->info.name, gpu_blob_name(t->blobs.at[first]), like->width, like->height,
        t->array[array].layer_count - 1, (unsigned long long)t->gpu->info.memory_bytes,
        (unsigned long long)t->gpu->memory.bytes);
}

/* --- contents --- */

static ent_status texture_upload(const GpuTextures* t, u32 which) {
    u32                       count;
    const Blob*               blob = t->blobs.at[which];
    const TextureRecord*      texture = gpu_blob_rows(blob, SECTION_TEXTURE, &count);
    const u8*                 data = gpu_blob_rows(blob, SECTION_TEXTURE_DATA, &count);
    const TextureLevelRecord* level = gpu_blob_rows(blob, SECTION_TEXTURE_LEVEL, &count);
    const GpuTextureLayer     at = t->layer[which];
    if (at.array == 0) return ENT_OK;
    for (u32 i = 0; i < count; i++)
        TRY(gpu_image_add(&t->array[at.array].image, t->gpu,
                          &(GpuImagePart){.level = i,
                                          .layer = at.layer,
                                          .width = level[i].width,
                                          .height = level[i].height,
                                          .row_bytes = level[i].row_bytes,
                                          .row_pixels = texture_has_blocks(texture->format) ? 4 : 1,
                                          .bytes = data + level[i].offset}));
    return ENT_OK;
}

/* Magenta and black squares. */
static ent_status checker_upload(GpuTextures* t) {
    u8 pixels[CHECKER_SIDE * CHECKER_SIDE][4];
    for (u32 i = 0; i < CHECKER_SIDE * CHECKER_SIDE; i++) {
        const u8 on = (i % CHECKER_SIDE / 2 + i / CHECKER_SIDE / 2) % 2 ? 255 : 0;
        memcpy(pixels[i], (u8[4]){on, 0, on, 255}, 4);
    }
    return gpu_image_add(&t->array[0].image, t->gpu,
                         &(GpuImagePart){.width = CHECKER_SIDE,
                                         .height = CHECKER_SIDE,
                                         .row_bytes = CHECKER_SIDE * 4,
                                         .row_pixels = 1,
                                         .bytes = pixels[0]});
}

/* --- bindings --- */

ent_status gpu_texture_sets_create(GpuTextures* t) {
    Gpu*                       gpu = t->gpu;
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, GPU_TEXTURES},
                                          {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, GPU_MAPS},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, GPU_STORED}};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = COUNT_OF(sizes),
                                             .pPoolSizes = sizes};
    VkDescriptorImageInfo            images[GPU_TEXTURES];
    GPU_TRY(gpu, "a pool of bindings",
            gpu->vk.vkCreateDescriptorPool(gpu->device, &pool, NULL, &t->sets.pool));
    const VkDescriptorSetAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = t->sets.pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &gpu->layouts.textures};
    GPU_TRY(gpu, "a set of textures",
            gpu->vk.vkAllocateDescriptorSets(gpu->device, &info, &t->sets.set));
    for (u32 i = 0; i < GPU_TEXTURES; i++) {
        const GpuTextureArray* array = &t->array[t->array[i].layer_count ? i : 0];
        images[i] = (VkDescriptorImageInfo){array->sampler, array->image.view,
                                            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    }
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = t->sets.set,
                                        .descriptorCount = GPU_TEXTURES,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                        .pImageInfo = images};
    gpu->vk.vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
    t->sets.number++;
    return ENT_OK;
}

/* A power of two, so that few arrays more seldom require other kernels. */
u32 gpu_textures_constant(const GpuTextures* t) {
    u32 constant = 1;
    while (constant < t->array_count) constant *= 2;
    return constant;
}

ent_status gpu_textures_create(GpuTextures* t, Gpu* gpu, const Library* library,
                               GpuProblem* problem) {
    t->gpu = gpu;
    t->seen = t->taken = gpu_seen(library);
    t->dropped = gpu->dropped;
    t->array_count = 1;
    t->array[0] = (GpuTextureArray){.like = {.width = CHECKER_SIDE,
                                             .height = CHECKER_SIDE,
                                             .level_count = 1,
                                             .format = TEXTURE_RGBA8,
                                             .color_space = TEXTURE_SRGB},
                                    .layer_count = 1};
    TRY(gpu_blobs_find(&t->blobs, library, RESOURCE_TEXTURE));
    TRY(layers_assign(t, problem));
    for (u32 i = 0; i < t->array_count; i++) {
        const ent_status status = gpu_texture_array_create(gpu, &t->array[i]);
        if (status == ENT_LIMIT) return array_refused(t, i, problem);
        TRY(status);
        TRY(gpu_image_begin(&t->array[i].image, gpu));
    }
    TRY(checker_upload(t));
    for (u32 i = 0; i < t->blobs.count; i++) TRY(texture_upload(t, i));
    for (u32 i = 0; i < t->array_count; i++) TRY(gpu_image_ready(&t->array[i].image, gpu));
    return gpu_texture_sets_create(t);
}

GpuTextureLayer gpu_textures_layer(const GpuTextures* t, ResourceRef texture, u64* reported,
                                   const char* user) {
    const u32 row = gpu_blob_row(&t->blobs.table, texture);
    const u64 id = resource_id(texture);
    if (row != NONE) return t->layer[row];
    if (*reported != id)
        gpu_log(t->gpu, LOG_WARNING,
                "the texture 0x%016llx of %s is not loaded: a checker pattern is shown instead",
                (unsigned long long)id, user);
    *reported = id;
    return (GpuTextureLayer){0, 0};
}

void gpu_textures_destroy(GpuTextures* t) {
    Gpu* gpu = t->gpu;
    if (!gpu) return;
    gpu->vk.vkDestroyDescriptorPool(gpu->device, t->sets.pool, NULL);
    for (u32 i = 0; i < t->array_count; i++) {
        gpu->vk.vkDestroySampler(gpu->device, t->array[i].sampler, NULL);
        gpu_image_destroy(&t->array[i].image, gpu);
    }
    gpu_blobs_free(&t->blobs);
    free(t->layer);
    *t = (GpuTextures){0};
}
