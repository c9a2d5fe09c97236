/* gpu_textures.h - the textures of a library: those of the same format, size and sampler are the layers of one
 * image. The first image is a checker pattern, for what is missing.
 *
 * gpu_textures.c         images, layers, bindings
 * gpu_textures_follow.c  textures that changed */
#ifndef ENT_GPU_TEXTURES_H
#define ENT_GPU_TEXTURES_H

#include "gpu_blobs.h"
#include "gpu_image.h"
#include "gpu_system_internal.h"
#include "texture.h"

typedef struct GpuTextureArray {
    TextureRecord like;        /* format, size, levels and sampler of all layers */
    u32           layer_count; /* of the image; 0: there is none */
    GpuImage      image;
    VkSampler     sampler;
} GpuTextureArray;

typedef struct GpuTextureLayer {
    u32 array, layer;
} GpuTextureLayer;

/* The sets of bindings of the images, one of which is in use. */
typedef struct GpuTextureSets {
    VkDescriptorPool pool;
    VkDescriptorSet  set;
    u32              number; /* how often there was another one */
} GpuTextureSets;

typedef struct GpuTextures {
    Gpu*             gpu;
    GpuBlobs         blobs;
    GpuTextureLayer* layer; /* [blobs.count] of each texture */
    GpuTextureArray  array[GPU_TEXTURES];
    u32              array_count; /* the first one is the checker pattern */
    GpuTextureSets   sets;
    GpuSeen          seen,
        taken; /* of the library: in the last attempt to follow it, and in the last one that succeeded */
    u32 changes; /* how often a texture changed */
    u32 dropped; /* Gpu.dropped */
} GpuTextures;

MUST_CHECK ent_status gpu_textures_create(GpuTextures* textures, Gpu* gpu, const Library* library,
                                          GpuProblem* problem);
void                  gpu_textures_destroy(GpuTextures* textures);

/* Takes the textures of the library that changed or are new: records their uploads. When that is impossible, the former
 * ones stay, after one warning. Kernels that were created for fewer arrays, and what is bound besides the
 * textures, are renewed by the caller: by gpu_textures_constant and sets.number. */
MUST_CHECK ent_status gpu_textures_follow(GpuTextures* textures, GpuFrame* frame,
                                          const Library* library);

/* How many arrays kernels read: as many as there are, or some more. */
u32 gpu_textures_constant(const GpuTextures* textures);

/* Where a texture is. One that is missing is the checker pattern, after a warning that names who uses it; `reported` has the
 * texture that was reported last. */
GpuTextureLayer gpu_textures_layer(const GpuTextures* textures, ResourceRef texture, u64* reported,
                                   const char* user);

/* --- for the files of this module --- */

#define GPU_LAYERS_MAX 2048u /* of an image */

static inline u32 gpu_layer_limit(const GpuTextures* textures) {
    return MIN_OF(textures->gpu->limits.maxImageArrayLayers, GPU_LAYERS_MAX);
}

/* Are they layers of one image? */
bool gpu_texture_is_alike(const TextureRecord* a, const TextureRecord* b);
/* Can the device read it? If not, that is logged, and it is drawn as the checker pattern. */
bool gpu_texture_is_readable(const Gpu* gpu, const Blob* blob);

MUST_CHECK ent_status gpu_texture_array_create(Gpu* gpu, GpuTextureArray* array);
MUST_CHECK ent_status gpu_texture_sets_create(GpuTextures* textures);

#endif
