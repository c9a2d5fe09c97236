/* gpu_pipeline.h - render passes with one depth image and at most two other images, and pipelines for them. */
#ifndef ENT_GPU_PIPELINE_H
#define ENT_GPU_PIPELINE_H

#include "gpu_internal.h"

#define GPU_COLORS_MAX 2

/* What a render pass does not keep of an image, it clears. Depth is 1 near and 0 far; kernels read the images
 * before and afterwards. */
typedef struct GpuRenderPassDesc {
    VkFormat      color_format[GPU_COLORS_MAX]; /* [color_count] */
    u32           color_count;
    VkFormat      depth_format;
    bool          keeps_color, keeps_depth;
    VkImageLayout depth_layout; /* while it draws */
    bool is_general; /* kernels write the colours: their layout is always that for all uses */
} GpuRenderPassDesc;

/* The list does not track images: the render pass waits for the kernels and shaders that use the images
 * before, and those behind it wait for it. */
MUST_CHECK ent_status gpu_render_pass_create(Gpu* gpu, const GpuRenderPassDesc* desc,
                                             VkRenderPass* pass);

/*   views  [count] depth, then the colours */
MUST_CHECK ent_status gpu_framebuffer_create(Gpu* gpu, VkRenderPass pass, const VkImageView* views,
                                             u32 count, VkExtent2D extent, VkFramebuffer* frame);

typedef enum GpuBlend {
    GPU_BLEND_NONE,
    GPU_BLEND_FILTER, /* colours are multiplied by what is there, alphas are added */
    GPU_BLEND_MAX     /* the larger value is kept */
} GpuBlend;

/* Zeroed: depth is compared and written, there is no colour. Vertices have no attributes; viewport and scissor
 * are set by the list. */
typedef struct GpuPipelineDesc {
    const char*         name; /* for messages */
    const u32 *         vert, *frag;
    size_t              vert_bytes, frag_bytes;
    VkPrimitiveTopology topology;
    VkCullModeFlags     cull;
    VkFrontFace         front;
    u32                 constants[2]; /* constants 1 and 2 of both shaders */
    VkRenderPass        render_pass;
    bool                keeps_depth; /* depth is compared and not written */
    bool                is_always;   /* depth is not compared */
    u32                 color_count;
    GpuBlend            blend[GPU_COLORS_MAX];
} GpuPipelineDesc;

MUST_CHECK ent_status gpu_pipeline_create(Gpu* gpu, const GpuPipelineDesc* desc,
                                          VkPipeline* pipeline);

#endif
