/* meshes_blend.c - blended surfaces: one draw for each part of each instance, the farthest first. */
#include "meshes_internal.h"

#include <stdlib.h>

#include "meshes_blend.comp.h"
#include "meshes_blend.frag.h"
#include "meshes_blend.vert.h"
#include "meshes_order.comp.h"

bool meshes_is_blended(const Meshes* m, const MeshPart* part) {
    return part->corners == 3 && m->geometry.material[part->material].alpha_mode == MESHES_BLEND;
}

/* The blended parts of the full meshes; with NULL they are only counted. */
static u64 blended_fill(const Meshes* m, MeshBlended* blended) {
    u64 count = 0;
    for (u32 i = 0; i <= m->meshes.count; i++) {
        const MeshRow* mesh = &m->geometry.mesh[i];
        for (u32 k = 0; k < mesh->part_count && mesh->instance_count; k++) {
            const u32 part = mesh->first_part + k;
            if (!meshes_is_blended(m, &m->geometry.part[part])) continue;
            for (u32 place = 0; blended && place < mesh->instance_count; place++)
                blended[count + place] = (MeshBlended){mesh->first_instance + place, part};
            count += mesh->instance_count;
        }
    }
    return count;
}

/* They are sorted in a power of two of places. */
ent_status meshes_blended_count(Meshes* m) {
    const u64 count = blended_fill(m, NULL), max = 1u << 31;
    m->blend.count = 0;
    if (count > max) {
        gpu_log(m->gpu, LOG_ERROR,
                "the instances of meshes have %llu blended parts; at most %llu can be sorted",
                (unsigned long long)count, (unsigned long long)max);
        return ENT_LIMIT;
    }
    m->blend.count = (u32)count;
    return ENT_OK;
}

ent_status meshes_blended_upload(const Meshes* m, GpuFrame* frame) {
    if (m->blend.count == 0) return ENT_OK;
    MeshBlended* blended = malloc(m->blend.count * sizeof *blended);
    if (!blended) return ENT_NO_MEMORY;
    blended_fill(m, blended);
    const ent_status status =
        gpu_frame_upload(frame, &m->blend.parts, 0, blended, m->blend.count * sizeof *blended);
    free(blended);
    return status;
}

/* --- kernels and pipeline --- */

ent_status meshes_blend_create(Meshes* m) {
    TRY(gpu_kernel_create(&m->blend.order, m->gpu, &GPU_KERNEL(meshes_order, MESHES_GROUP)));
    TRY(gpu_kernel_create(&m->blend.draws, m->gpu, &GPU_KERNEL(meshes_blend, MESHES_GROUP)));
    return sort_create(&m->blend.sort, m->gpu);
}

void meshes_blend_destroy(Meshes* m) {
    gpu_kernel_destroy(&m->blend.order);
    gpu_kernel_destroy(&m->blend.draws);
    sort_destroy(&m->blend.sort);
    for (u32 i = 0; i < COUNT_OF(m->blend.pipeline); i++)
        m->gpu->vk.vkDestroyPipeline(m->gpu->device, m->blend.pipeline[i], NULL);
}

/* Both sides are rasterised; the shader knows which one is the front. */
ent_status meshes_blend_pipeline(Meshes* m, Canvas* canvas) {
    const LightsMethod*      method = lights_settings(&m->lighting->lights).method;
    VkPipeline* const        pipeline = &m->blend.pipeline[method != NULL];
    const CanvasPipelineDesc desc = {.name = "meshes_blend",
                                     .vert = meshes_blend_vert,
                                     .vert_bytes = sizeof meshes_blend_vert,
                                     .frag = method ? method->blend : meshes_blend_frag,
                                     .frag_bytes =
                                         method ? method->blend_bytes : sizeof meshes_blend_frag,
                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                     .cull = VK_CULL_MODE_NONE,
                                     .front = VK_FRONT_FACE_COUNTER_CLOCKWISE,
                                     .constants = {m->lighting->textures.array_count},
                                     .blends = true};
    return *pipeline ? ENT_OK : canvas_pipeline_create(canvas, &desc, pipeline);
}

/* --- passes --- */

void meshes_order_record(const Meshes* m, GpuList* list, const GpuPicture* picture) {
    const u32  pairs = sort_capacity(m->blend.count);
    MeshesPush push = meshes_push(m, picture, 0);
    if (m->blend.count == 0) return;
    push.draw_count = pairs;
    gpu_pass(list,
             &(GpuPass){.name = "order",
                        .kernel = &m->blend.order,
                        .use = {MESHES_PLACED(m), [MESHES_EYE] = {picture->eye, GPU_READ},
                                [MESHES_BLENDED] = {&m->blend.parts, GPU_READ},
                                [MESHES_BOX] = {&m->skin.skinning.buffer.boxes, GPU_READ},
                                [MESHES_WANTED] = {&m->skin.skinning.buffer.wanted, GPU_READ_WRITE},
                                [MESHES_PAIR] = {&m->blend.pairs, GPU_WRITE}},
                        GPU_PUSH(push),
                        .threads = pairs});
    sort_record(&m->blend.sort, list, &m->blend.pairs, pairs);
    gpu_pass(list, &(GpuPass){.name = "order",
                              .kernel = &m->blend.draws,
                              .use = {[MESHES_PART] = {&m->geometry.parts, GPU_READ},
                                      [MESHES_COMMAND] = {&m->blend.commands, GPU_WRITE},
                                      [MESHES_BLENDED] = {&m->blend.parts, GPU_READ},
                                      [MESHES_PAIR] = {&m->blend.pairs, GPU_READ}},
                              GPU_PUSH(push),
                              .threads = m->blend.count});
}

ent_status meshes_blend_record(void* state, GpuPicture* picture) {
    Meshes* const m = state;
    if (m->blend.count == 0) return ENT_OK;
    TRY(meshes_blend_pipeline(m, picture->canvas));
    const MeshesPush push = meshes_push(m, picture, 0);
    gpu_draw(&picture->frame->list,
             &(GpuDraw){.pipeline =
                            m->blend.pipeline[lights_settings(&m->lighting->lights).method != NULL],
                        .textures = m->lighting->textures.set,
                        .use = {MESHES_GEOMETRY(m), [MESHES_EYE] = {picture->eye, GPU_READ},
                                [MESHES_PAIR] = {&m->blend.pairs, GPU_READ},
                                [MESHES_BLENDED] = {&m->blend.parts, GPU_READ},
                                LIGHTING_READ(m->lighting)},
                        GPU_PUSH(push),
                        .index = &m->geometry.indices,
                        .indirect = &m->blend.commands,
                        .indirect_count = m->blend.count});
    return ENT_OK;
}
