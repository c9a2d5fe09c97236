/* gpu_image.h - images of a device: arrays of pictures with levels, in memory of their own. */
#ifndef ENT_GPU_IMAGE_H
#define ENT_GPU_IMAGE_H

#include "gpu_internal.h"

typedef struct GpuImageDesc {
    VkFormat           format;
    u32                width, height;
    u32                levels, layers; /* 0: 1 */
    VkImageUsageFlags  usage;
    VkImageAspectFlags aspect;
    VkImageViewType    view;
} GpuImageDesc;

/* Zeroed: none. */
typedef struct GpuImage {
    VkImage        image;
    VkImageView    view; /* of all levels and layers */
    VkDeviceMemory memory;
    u64            bytes;
} GpuImage;

/* After a failure the image can still be destroyed. */
MUST_CHECK ent_status gpu_image_create(GpuImage* image, Gpu* gpu, const GpuImageDesc* desc);
void                  gpu_image_destroy(GpuImage* image, Gpu* gpu);

/* One level of one layer, in rows of pixels or of blocks without padding. */
typedef struct GpuImagePart {
    u32       level, layer, width, height;
    u32       row_bytes, row_pixels; /* of a row of blocks: its height in pixels is row_pixels */
    const u8* bytes;
} GpuImagePart;

/* Makes the image ready to be written by gpu_image_add, and then, when all parts are written, by
 * gpu_image_ready to be sampled. The copies are submitted like those of gpu_upload_add; the other
 * calls are complete when they return. */
MUST_CHECK ent_status gpu_image_begin(const GpuImage* image, Gpu* gpu);
MUST_CHECK ent_status gpu_image_add(const GpuImage* image, Gpu* gpu, const GpuImagePart* part);
MUST_CHECK ent_status gpu_image_ready(const GpuImage* image, Gpu* gpu);

/* Sets of images that kernels read, and the pool that has them: destroying it destroys the sets. Every
 * binding of a set that kernels use must be written before. */
MUST_CHECK ent_status gpu_image_sets_create(Gpu* gpu, VkDescriptorSet* sets, u32 count,
                                            VkDescriptorPool* pool);
void                  gpu_image_bind(Gpu* gpu, VkDescriptorSet set, u32 binding, VkImageView view);
/* The same for an image that kernels write, whose layout is always that for all uses: to read it, and to
 * write it. */
void gpu_image_bind_general(Gpu* gpu, VkDescriptorSet set, u32 binding, VkImageView view);
void gpu_image_bind_stored(Gpu* gpu, VkDescriptorSet set, u32 binding, VkImageView view);

#endif
