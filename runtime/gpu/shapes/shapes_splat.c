/* shapes_splat.c - draws of many spheres: kernels find the nearest sphere of each sample, and one
 * triangle carries depths and numbers into the images. Depths of shadow maps are copied (shadows_nearest).
 *
 * Devices rasterise a limited number of triangles per second, of which a sphere has two, and some have
 * few graphics units: shapes_splat.glsl. What the second phase draws is added to what the first one has found. */
#include "shapes_internal.h"

#include "shapes_splat.comp.h"
#include "shapes_splat.frag.h"
#include "shapes_splat.vert.h"
#include "shapes_splat_large.comp.h"

bool shapes_is_splatted(const Shapes* s, u32 which) {
    return s->draw[which].kind->is_sphere && s->draw[which].count >= s->splat_min;
}

/* --- create and destroy --- */

static ent_status kernels_create(ShapesSplat* s, Gpu* gpu) {
    for (u32 pass = 0; pass < SHAPES_SPLAT_PASSES; pass++) {
        TRY(gpu_kernel_create_with(&s->small[pass], gpu, &GPU_KERNEL(shapes_splat, SHAPES_GROUP),
                                   &pass, 1));
        TRY(gpu_kernel_create_with(&s->large[pass], gpu,
                                   &GPU_KERNEL(shapes_splat_large, SHAPES_GROUP), &pass, 1));
    }
    return ENT_OK;
}

static void kernels_destroy(ShapesSplat* s) {
    for (u32 pass = 0; pass < SHAPES_SPLAT_PASSES; pass++) {
        gpu_kernel_destroy(&s->small[pass]);
        gpu_kernel_destroy(&s->large[pass]);
    }
}

static ent_status memory_need(Shapes* shapes, const GpuPicture* picture) {
    ShapesSplat*           s = &shapes->splat;
    const u64              samples = (u64)picture->width * picture->height;
    const char*            name = "spheres of a picture";
    const GpuBufferRequest requests[] = {{&s->nearest, samples, sizeof(u32), name},
                                         {&s->number, samples, sizeof(u32), name},
                                         {&s->list, 1 + SHAPES_SPLAT_LISTED, sizeof(u32), name}};
    if (samples <= s->samples) return ENT_OK;
    gpu_frame_retire_pool(picture->frame, &s->pool);
    s->samples = 0;
    TRY(gpu_pool_create(&s->pool, shapes->gpu, requests, COUNT_OF(requests)));
    s->samples = samples;
    return ENT_OK;
}

ent_status shapes_splat_need(Shapes* shapes, const GpuPicture* picture) {
    ShapesSplat*             s = &shapes->splat;
    const CanvasPipelineDesc desc = {.name = "shapes_splat",
                                     .vert = shapes_splat_vert,
                                     .vert_bytes = sizeof shapes_splat_vert,
                                     .frag = shapes_splat_frag,
                                     .frag_bytes = sizeof shapes_splat_frag,
                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP};
    TRY(memory_need(shapes, picture));
    if (s->pipeline) return ENT_OK;
    kernels_destroy(s); /* after a failure */
    TRY(kernels_create(s, shapes->gpu));
    return canvas_pipeline_create(picture->canvas, &desc, &s->pipeline);
}

void shapes_splat_destroy(Shapes* shapes) {
    ShapesSplat* s = &shapes->splat;
    kernels_destroy(s);
    shapes->gpu->vk.vkDestroyPipeline(shapes->gpu->device, s->pipeline, NULL);
    gpu_pool_destroy(&s->pool);
    *s = (ShapesSplat){0};
}

/* --- recording --- */

/* The small spheres, and then those that were listed as large ones. */
static void spheres_record(const Shapes* shapes, const GpuPicture* picture, GpuPass* pass,
                           u32 which, ShapesSplatPass number) {
    const ShapesSplat* s = &shapes->splat;
    const ShapesPush   push = shapes_push(shapes, picture, which);
    GpuList* const     list = &picture->frame->list;
    gpu_set(list, pass->name, &s->list, 0);
    pass->kernel = &s->small[number];
    pass->use[CANVAS_VIEW] = (GpuUse){picture->eye, GPU_READ};
    pass->use[SHAPES_ELEMENT] = (GpuUse){&shapes->draw[which].element, GPU_READ};
    pass->use[SHAPES_LARGE] = (GpuUse){&s->list, GPU_READ_WRITE};
    pass->push = &push;
    pass->push_bytes = sizeof push;
    gpu_pass(list, pass);
    pass->kernel = &s->large[number];
    pass->indirect = NULL;
    pass->threads = (u64)SHAPES_SPLAT_GROUPS * SHAPES_GROUP;
    pass->use[SHAPES_LARGE].access = GPU_READ;
    gpu_pass(list, pass);
}

void shapes_splat_record(const Shapes* shapes, const GpuPicture* picture) {
    const ShapesSplat* s = &shapes->splat;
    GpuList* const     list = &picture->frame->list;
    if (!picture->is_second) {
        gpu_set(list, "splat", &s->nearest, 0);
        gpu_set(list, "splat", &s->number, UINT32_MAX);
    }
    for (u32 numbers = 0; numbers < 2; numbers++) {
        for (u32 i = 0; i < shapes->draw_count; i++) {
            if (!shapes_is_splatted(shapes, i)) continue;
            GpuPass pass = {
                .name = "splat",
                .use = {[SHAPES_NEAREST] = {&s->nearest, numbers ? GPU_READ : GPU_READ_WRITE},
                        [SHAPES_NUMBER] = {numbers ? &s->number : NULL, GPU_READ_WRITE}},
                .indirect = &shapes->commands,
                .indirect_offset = shapes_command(i, 4)};
            spheres_record(shapes, picture, &pass, i,
                           numbers ? SHAPES_SPLAT_NUMBERS : SHAPES_SPLAT_DEPTHS);
        }
    }
}

ent_status shapes_splat_cast(Shapes* shapes, const GpuPicture* picture, u32 which) {
    Lighting*        lighting = shapes->lighting;
    const u64        groups = (shapes->draw[which].count + SHAPES_GROUP - 1) / SHAPES_GROUP;
    const GpuBuffer* nearest;
    TRY(shapes_splat_need(shapes, picture));
    TRY(shadows_nearest(&lighting->shadows, &picture->frame->list, (ShadowsStage)picture->stage,
                        &nearest));
    GpuPass pass = {.name = "splat",
                    .use = {[SHAPES_NEAREST] = {nearest, GPU_READ_WRITE},
                            [SHAPES_CAST] = {&shapes->casts, GPU_READ},
                            [SHADOWS_TABLE] = {&lighting->shadows.buffer, GPU_READ}},
                    .threads = groups * SHAPES_GROUP * lighting_maps(lighting, picture)};
    spheres_record(shapes, picture, &pass, which, SHAPES_SPLAT_CASTS);
    return picture->frame->list.status;
}

void shapes_splat_draw(const Shapes* shapes, const GpuPicture* picture, u32 which) {
    const ShapesSplat* s = &shapes->splat;
    gpu_draw(&picture->frame->list, &(GpuDraw){.pipeline = s->pipeline,
                                               .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                                       [SHAPES_NEAREST] = {&s->nearest, GPU_READ},
                                                       [SHAPES_NUMBER] = {&s->number, GPU_READ}},
                                               .indirect = &shapes->commands,
                                               .indirect_offset = shapes_command(which, 0),
                                               .indirect_count = 1});
}
