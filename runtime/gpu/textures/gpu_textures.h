/* gpu_textures.h - the textures of a library: those of the same format, size and sampler are the layers of one
 * image. The first image is a checker pattern, for what is missing. */
#ifndef ENT_GPU_TEXTURES_H
#define ENT_GPU_TEXTURES_H

#include "gpu_blobs.h"
#include "gpu_image.h"
#include "gpu_system_internal.h"
#include "texture.h"

typedef struct GpuTextureArray {
    TextureRecord like; /* format, size, levels and sampler of all layers */
    u32           layer_count;
    GpuImage      image;
    VkSampler     sampler;
} GpuTextureArray;

typedef struct GpuTextureLayer {
    u32 array, layer;
} GpuTextureLayer;

typedef struct GpuTextures {
    Gpu*             gpu;
    GpuBlobs         blobs;
    GpuTextureLayer* layer; /* [blobs.count] of each texture */
    GpuTextureArray  array[GPU_TEXTURES];
    u32              array_count; /* the first one is the checker pattern */
    VkDescriptorPool pool;
    VkDescriptorSet  set;
} GpuTextures;

MUST_CHECK ent_status gpu_textures_create(GpuTextures* textures, Gpu* gpu, const Library* library,
                                          GpuProblem* problem);
void                  gpu_textures_destroy(GpuTextures* textures);

/* Where a texture is. One that is missing is the checker pattern, after a warning that names who uses it; `reported` has the
 * texture that was reported last. */
GpuTextureLayer gpu_textures_layer(const GpuTextures* textures, ResourceRef texture, u64* reported,
                                   const char* user);

#endif
