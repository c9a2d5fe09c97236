/* meshes_shadow.c - what casts into shadow maps, and their draws. */
#include "meshes_internal.h"

#include "meshes_caster.vert.h"
#include "meshes_caster_masked.frag.h"
#include "meshes_caster_masked.vert.h"
#include "meshes_casters.comp.h"
#include "meshes_filter.frag.h"
#include "meshes_filter.vert.h"
#include "shadows_depth.frag.h"

/* --- kernels and pipelines --- */

#define STAGES(vertex, fragment)                                                                   \
    .vert = vertex##_vert, .vert_bytes = sizeof vertex##_vert, .frag = fragment##_frag,            \
    .frag_bytes = sizeof fragment##_frag

/* Both sides cast: surfaces without a back, such as leaves and panes, are common. */
static ent_status pipelines_need(Meshes* m) {
    MeshesShadows* const  s = &m->shadow;
    const GpuPipelineDesc descs[MESHES_CASTS] = {
        [MESHES_CAST_SOLID] = {.name = "meshes_caster", STAGES(meshes_caster, shadows_depth)},
        [MESHES_CAST_MASKED] = {.name = "meshes_caster_masked",
                                STAGES(meshes_caster_masked, meshes_caster_masked)},
        [MESHES_CAST_FILTER] = {.name = "meshes_filter",
                                STAGES(meshes_filter, meshes_filter),
                                .keeps_depth = true,
                                .color_count = 2,
                                .blend = {GPU_BLEND_FILTER, GPU_BLEND_MAX}}};
    static const ShadowsPass pass[MESHES_CASTS] = {SHADOWS_PASS_OPAQUE, SHADOWS_PASS_OPAQUE,
                                                   SHADOWS_PASS_FILTER};
    for (u32 i = 0; i < MESHES_CASTS; i++) {
        GpuPipelineDesc desc = descs[i];
        if (s->pipeline[i]) continue;
        desc.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
        desc.constants[0] = gpu_textures_constant(&m->lighting->textures);
        desc.render_pass = m->lighting->shadows.atlas.pass[0][pass[i]];
        TRY(gpu_pipeline_create(m->gpu, &desc, &s->pipeline[i]));
    }
    return ENT_OK;
}

static ent_status kernels_need(Meshes* m) {
    GpuKernel* const kernel = &m->shadow.casters;
    if (kernel->pipeline) return ENT_OK;
    return gpu_kernel_create(kernel, m->gpu, &GPU_KERNEL(meshes_casters, MESHES_CULL_GROUP));
}

/* --- buffers --- */

/* For all maps that are drawn, of which those of a stage are some. */
static ent_status buffers_reserve(Meshes* m, GpuFrame* frame) {
    MeshesShadows* const   s = &m->shadow;
    const u32              maps = lighting_maps_all(m->lighting);
    const u64              pairs = (u64)m->slots.capacity * maps;
    const u32              stride = meshes_stride_of(pairs);
    const u64              flags = (u64)stride * m->geometry.level_max * 2;
    const GpuBufferRequest requests[] = {
        {&s->flags, flags, sizeof(u32), "flags of casters"},
        {&s->counts, flags / MESHES_BLOCK, sizeof(u32), "counts of casters"},
        {&s->sums, flags / MESHES_BLOCK, sizeof(u32), "counts of casters"},
        {&s->visible, pairs, sizeof(u32), "casters"},
        {&s->total, 1, sizeof(u32), "a number of casters"},
        {&s->commands, m->draw_count, sizeof(VkDrawIndexedIndirectCommand), "draws of casters"},
        {&s->filter_commands, m->blend.count, sizeof(VkDrawIndexedIndirectCommand),
         "blended casters"}};
    if (s->pool.count && flags <= s->flag_room && pairs <= s->pair_room &&
        m->draw_count <= s->draw_room && m->blend.count <= s->blended_room)
        return ENT_OK;
    if (flags > UINT32_MAX || pairs > UINT32_MAX) {
        gpu_log(m->gpu, LOG_ERROR, "%u mesh instances in %u shadow maps are too many",
                m->slots.capacity, maps);
        return ENT_LIMIT;
    }
    gpu_frame_retire_pool(frame, &s->pool);
    scan_retire(&s->scan, frame);
    s->flag_room = 0;
    TRY(gpu_pool_create(&s->pool, m->gpu, requests, COUNT_OF(requests)));
    TRY(scan_create(&s->scan, m->gpu, (u32)flags / MESHES_BLOCK, false));
    s->flag_room = flags;
    s->pair_room = pairs;
    s->draw_room = m->draw_count;
    s->blended_room = m->blend.count;
    return ENT_OK;
}

/* --- passes --- */

static MeshesPush push_of(const Meshes* m, u32 draw_first, u32 maps) {
    return (MeshesPush){.instance_count = m->slots.capacity,
                        .flag_stride = m->shadow.flag_stride,
                        .level_max = m->geometry.level_max,
                        .draw_count = m->draw_count,
                        .draw_first = draw_first,
                        .phase = MESHES_FIRST,
                        .has_pyramid = !m->draws_hidden,
                        .maps = maps};
}

/* Where there is nothing that moves, shaders do not read it. */
static const GpuBuffer* buffer_or(const GpuBuffer* buffer, const GpuBuffer* other) {
    return buffer->handle ? buffer : other;
}

/* The draws of opaque parts, or of blended ones. */
typedef struct Casts {
    const GpuBuffer *commands, *draws, *filled; /* `filled`: a copy of `commands` */
    u32              count;
} Casts;

static Casts casts_of(const Meshes* m, bool is_filter) {
    const MeshesShadows* s = &m->shadow;
    if (is_filter)
        return (Casts){&m->blend.commands, &m->blend.draws, &s->filter_commands, m->blend.count};
    return (Casts){&m->scene.commands, &m->scene.draws, &s->commands, m->draw_count};
}

static u32 moves_of(const Meshes* m, const GpuPicture* picture) {
    switch ((ShadowsStage)picture->stage) {
    case SHADOWS_STANDING:
    case SHADOWS_FILTERS_STANDING: return MESHES_THAT_STAND;
    case SHADOWS_MOVING: break;
    case SHADOWS_FILTERS:
        return m->lighting->shadows.atlas.has_kept ? MESHES_THAT_MOVE : MESHES_ALL;
    }
    return MESHES_THAT_MOVE;
}

static MeshesPush casts_push(const Meshes* m, const GpuPicture* picture, u32 draw_first) {
    MeshesPush push = push_of(m, draw_first, lighting_maps(m->lighting, picture));
    push.moves = moves_of(m, picture);
    push.time_s = picture->view->time_s;
    push.is_filter = picture->stage >= SHADOWS_FILTERS_STANDING;
    push.is_seen = lighting_drops(m->lighting, picture) && !m->draws_hidden;
    push.draw_count = casts_of(m, push.is_filter).count;
    return push;
}

static void casters_find(const Meshes* m, GpuList* list, const GpuPicture* picture,
                         const MeshesPush* push) {
    const MeshesShadows* s = &m->shadow;
    const Shadows*       shadows = &m->lighting->shadows;
    const GpuBuffer*     moves = &m->moves.bits;
    gpu_set(list, "casters", &s->flags, 0);
    gpu_set(list, "casters", &s->counts, 0);
    gpu_pass(
        list,
        &(GpuPass){
            .name = "casters",
            .kernel = &s->casters,
            .use =
                {MESHES_PLACED(m), [MESHES_EYE] = {picture->eye, GPU_READ},
                 [MESHES_FLAG] = {&s->flags, GPU_WRITE}, [MESHES_COUNT] = {&s->counts, GPU_WRITE},
                 [MESHES_PART] = {&m->geometry.parts, GPU_READ},
                 [MESHES_BOX] = {&m->skin.skinning.buffer.boxes, GPU_READ},
                 [MESHES_WANTED] = {&m->skin.skinning.buffer.wanted, GPU_READ_WRITE},
                 [MESHES_MOVES] = {moves, GPU_READ},
                 [SHADOWS_SEEN] = {buffer_or(&shadows->seen.squares, moves), GPU_READ},
                 [SHADOWS_BLOCKS] = {buffer_or(&shadows->atlas.blocks, moves), GPU_READ},
                 [SHADOWS_TALLY] = {&shadows->counts.tallies, GPU_READ_WRITE},
                 [SHADOWS_TABLE] = {&shadows->buffer, GPU_READ}},
            GPU_PUSH(*push),
            .threads = (u64)push->instance_count * push->maps});
}

static void casters_record(const Meshes* m, GpuList* list, const GpuPicture* picture) {
    const MeshesShadows* s = &m->shadow;
    const MeshesPush     push = casts_push(m, picture, 0);
    const Casts          casts = casts_of(m, push.is_filter);
    const u32            words = s->flag_stride * m->geometry.level_max * 2;
    casters_find(m, list, picture, &push);
    scan_record(&s->scan, list, &s->counts, &s->sums, words / MESHES_BLOCK);
    gpu_copy(list, &(GpuCopy){.name = "casters",
                              .from = casts.commands,
                              .to = casts.filled,
                              .bytes = casts.count * sizeof(VkDrawIndexedIndirectCommand)});
    gpu_pass(list, &(GpuPass){.name = "casters",
                              .kernel = &m->kernel.list,
                              .use = {MESHES_PLACED(m), [MESHES_FLAG] = {&s->flags, GPU_READ},
                                      [MESHES_SUM] = {&s->sums, GPU_READ},
                                      [MESHES_COMMAND] = {casts.filled, GPU_READ_WRITE},
                                      [MESHES_DRAW] = {casts.draws, GPU_READ},
                                      [MESHES_TOTAL] = {&s->total, GPU_READ_WRITE},
                                      [MESHES_VISIBLE] = {&s->visible, GPU_WRITE}},
                              GPU_PUSH(push),
                              .threads = MAX_OF((u64)words * 32, (u64)casts.count)});
    meshes_skin_seen(m, list);
}

ent_status meshes_casters(void* state, GpuPicture* picture) {
    Meshes* const  m = state;
    GpuList* const list = &picture->frame->list;
    const u32      maps = lighting_maps(m->lighting, picture);
    const bool     is_opaque = picture->stage <= SHADOWS_MOVING;
    picture->filters |= m->blend.count > 0;
    if (m->slots.capacity == 0 || maps == 0) return ENT_OK;
    TRY(kernels_need(m));
    TRY(pipelines_need(m));
    TRY(buffers_reserve(m, picture->frame));
    m->shadow.flag_stride = meshes_stride_of((u64)m->slots.capacity * maps);
    if (is_opaque || m->blend.count) casters_record(m, list, picture);
    return list->status;
}

static void class_draw(const Meshes* m, const GpuPicture* picture, MeshesCast cast, u32 first,
                       u32 count) {
    const MeshesShadows* s = &m->shadow;
    const MeshesPush     push = push_of(m, first, lighting_maps(m->lighting, picture));
    if (count == 0) return;
    gpu_draw(&picture->frame->list,
             &(GpuDraw){.pipeline = s->pipeline[cast],
                        .textures = m->lighting->textures.sets.set,
                        .use = {MESHES_GEOMETRY(m), [MESHES_DRAW] = {&m->scene.draws, GPU_READ},
                                [MESHES_VISIBLE] = {&s->visible, GPU_READ},
                                [SHADOWS_TABLE] = {&m->lighting->shadows.buffer, GPU_READ}},
                        GPU_PUSH(push),
                        .index = &m->geometry.indices,
                        .indirect = &s->commands,
                        .indirect_first = first,
                        .indirect_count = count});
}

ent_status meshes_shadows(void* state, GpuPicture* picture) {
    const Meshes* m = state;
    const u32*    first = m->class_first;
    if (m->slots.capacity == 0 || lighting_maps(m->lighting, picture) == 0) return ENT_OK;
    class_draw(m, picture, MESHES_CAST_SOLID, first[MESHES_SOLID],
               first[MESHES_MASKED] - first[MESHES_SOLID]);
    class_draw(m, picture, MESHES_CAST_MASKED, first[MESHES_MASKED],
               first[MESHES_LINES] - first[MESHES_MASKED]);
    return picture->frame->list.status;
}

ent_status meshes_filters(void* state, GpuPicture* picture) {
    const Meshes*        m = state;
    const MeshesShadows* s = &m->shadow;
    const ShadowsAtlas*  atlas = &m->lighting->shadows.atlas;
    GpuList* const       list = &picture->frame->list;
    if (m->blend.count == 0 || lighting_maps(m->lighting, picture) == 0) return ENT_OK;
    const MeshesPush push = casts_push(m, picture, 0);
    gpu_draw(
        list,
        &(GpuDraw){.pipeline = s->pipeline[MESHES_CAST_FILTER],
                   .textures = m->lighting->textures.sets.set,
                   .use = {MESHES_GEOMETRY(m), [MESHES_DRAW] = {&m->blend.draws, GPU_READ},
                           [MESHES_VISIBLE] = {&s->visible, GPU_READ},
                           [MESHES_MOVING] = {&m->moves.bits, GPU_READ},
                           [SHADOWS_COVERED] = {buffer_or(&atlas->covered, &s->visible), GPU_READ},
                           [SHADOWS_TABLE] = {&m->lighting->shadows.buffer, GPU_READ}},
                   GPU_PUSH(push),
                   .index = &m->geometry.indices,
                   .indirect = &s->filter_commands,
                   .indirect_count = m->blend.count});
    return list->status;
}

/* --- destroy --- */

void meshes_shadows_destroy(Meshes* m) {
    MeshesShadows* s = &m->shadow;
    gpu_kernel_destroy(&s->casters);
    for (u32 i = 0; i < MESHES_CASTS; i++)
        m->gpu->vk.vkDestroyPipeline(m->gpu->device, s->pipeline[i], NULL);
    scan_destroy(&s->scan);
    gpu_pool_destroy(&s->pool);
}
