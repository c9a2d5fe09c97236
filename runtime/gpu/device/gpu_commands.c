/* gpu_commands.c - records the commands of a list, with a barrier before each pass that needs one. */
#include "gpu_list.h"

#include <stdlib.h>

#define SETS_OF_A_POOL 64u
#define TRACKS_FIRST   64u

/* --- parts --- */

static bool has_queries(const GpuList* list) {
    return list->times != GPU_TIMES_NONE && !list->gpu->info.software;
}

static void stamp(GpuList* list, u32 query) {
    if (!has_queries(list)) return;
    list->gpu->vk.vkCmdWriteTimestamp(list->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                      list->queries, query);
}

static ent_status part_create(GpuList* list) {
    Gpu*                              gpu = list->gpu;
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->commands,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1};
    if (list->part_created == list->part_capacity) {
        const u32        room = MAX_OF(list->part_capacity * 2, 4u);
        VkCommandBuffer* grown = realloc(list->part, room * sizeof *grown);
        if (!grown) return ENT_NO_MEMORY;
        list->part = grown;
        list->part_capacity = room;
    }
    GPU_TRY(
        gpu, "a buffer of commands",
        gpu->vk.vkAllocateCommandBuffers(gpu->device, &allocate, &list->part[list->part_created]));
    list->part_created++;
    return ENT_OK;
}

/* Earlier work, of this list, another one or the host, is complete and its writes are visible. */
static void all_wait(const GpuList* list) {
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask =
                                     VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    list->gpu->vk.vkCmdPipelineBarrier(list->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0, NULL, 0,
                                       NULL);
}

static ent_status part_begin(GpuList* list) {
    Gpu*                           gpu = list->gpu;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
    if (list->part_count == list->part_created) TRY(part_create(list));
    list->commands = list->part[list->part_count++];
    GPU_TRY(gpu, "a buffer of commands", gpu->vk.vkBeginCommandBuffer(list->commands, &begin));
    all_wait(list);
    return ENT_OK;
}

static ent_status part_end(GpuList* list) {
    GPU_TRY(list->gpu, "a buffer of commands", list->gpu->vk.vkEndCommandBuffer(list->commands));
    return ENT_OK;
}

/* --- barriers --- */

static const VkPipelineStageFlags stage_bits[GPU_STAGES] = {
    [GPU_COMPUTE] = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
    [GPU_INDIRECT] = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
    [GPU_COPYING] = VK_PIPELINE_STAGE_TRANSFER_BIT,
    [GPU_RASTERISING] = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_INPUT_BIT |
                        VK_PIPELINE_STAGE_VERTEX_SHADER_BIT |
                        VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT};

static const VkAccessFlags read_bits[GPU_STAGES] = {
    [GPU_COMPUTE] = VK_ACCESS_SHADER_READ_BIT,
    [GPU_INDIRECT] = VK_ACCESS_INDIRECT_COMMAND_READ_BIT,
    [GPU_COPYING] = VK_ACCESS_TRANSFER_READ_BIT,
    [GPU_RASTERISING] =
        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_INDEX_READ_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT};

static const VkAccessFlags write_bits[GPU_STAGES] = {[GPU_COMPUTE] = VK_ACCESS_SHADER_WRITE_BIT,
                                                     [GPU_COPYING] = VK_ACCESS_TRANSFER_WRITE_BIT,
                                                     [GPU_RASTERISING] =
                                                         VK_ACCESS_SHADER_WRITE_BIT};

/* The place of a buffer in the table, or the free place for it. */
static GpuTrack* track_place(GpuTrack* table, u32 capacity, u32 number) {
    u32 at = number * 2654435769u & (capacity - 1);
    while (table[at].number && table[at].number != number + 1) at = (at + 1) & (capacity - 1);
    return &table[at];
}

static bool tracks_grow(GpuList* list) {
    const u32 room = MAX_OF(list->track_capacity * 2, TRACKS_FIRST);
    GpuTrack* grown = calloc(room, sizeof *grown);
    if (!grown) return false;
    for (u32 i = 0; i < list->track_capacity; i++) {
        const GpuTrack* track = &list->track[i];
        if (track->number) *track_place(grown, room, track->number - 1) = *track;
    }
    free(list->track);
    list->track = grown;
    list->track_capacity = room;
    return true;
}

static GpuTrack* track_of(GpuList* list, u32 number) {
    if (list->track_count * 2 >= list->track_capacity && !tracks_grow(list)) return NULL;
    GpuTrack* track = track_place(list->track, list->track_capacity, number);
    if (track->number == 0) {
        track->number = number + 1;
        list->track_count++;
    }
    return track;
}

/* Does the stage of the next pass have to wait, because of one use of a buffer? A stage has waited
 * for all passes before list->barrier[stage]. */
static bool use_waits(GpuList* list, const GpuStepUse* use) {
    const GpuTrack* track = track_of(list, use->number);
    const u32       waited = list->barrier[use->stage];
    if (!track) {
        list->status = ENT_NO_MEMORY;
        return false;
    }
    if (track->write > waited) return true;
    return (use->access & GPU_WRITE) && track->read > waited;
}

static void use_mark(GpuList* list, const GpuStepUse* use) {
    GpuTrack* track = track_of(list, use->number);
    if (!track) return;
    if (use->access & GPU_WRITE) track->write = list->pass_count + 1;
    if (use->access & GPU_READ) track->read = list->pass_count + 1;
    list->active[use->stage] = list->pass_count + 1;
}

/* The stage waits for every stage that was active since the stage's last barrier. */
static void barrier_put(GpuList* list, u32 stage) {
    VkPipelineStageFlags before = 0;
    VkMemoryBarrier      barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .dstAccessMask = read_bits[stage] | write_bits[stage]};
    for (u32 i = 0; i < GPU_STAGES; i++) {
        if (list->active[i] <= list->barrier[stage]) continue;
        before |= stage_bits[i];
        barrier.srcAccessMask |= write_bits[i];
    }
    list->gpu->vk.vkCmdPipelineBarrier(list->commands, before, stage_bits[stage], 0, 1, &barrier, 0,
                                       NULL, 0, NULL);
    list->barrier[stage] = list->pass_count;
    list->barrier_count++;
}

/* The barriers of all stages of a pass, whose uses follow each other. */
static void pass_waits(GpuList* list, const GpuStepUse* uses, u32 count) {
    bool waits[GPU_STAGES] = {false};
    for (u32 i = 0; i < count; i++) {
        if (!waits[uses[i].stage]) waits[uses[i].stage] = use_waits(list, &uses[i]);
    }
    for (u32 stage = 0; stage < GPU_STAGES; stage++)
        if (waits[stage]) barrier_put(list, stage);
    for (u32 i = 0; i < count; i++) use_mark(list, &uses[i]);
}

/* --- sets of bindings --- */

static ent_status pool_add(GpuList* list) {
    Gpu*                             gpu = list->gpu;
    const VkDescriptorPoolSize       size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                             SETS_OF_A_POOL * GPU_BINDINGS};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = SETS_OF_A_POOL,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    const size_t                     pools = list->pool_count + 1;
    VkDescriptorPool*                pool = realloc(list->pool, pools * sizeof *pool);
    if (pool) list->pool = pool;
    GpuSet* set = realloc(list->set, pools * SETS_OF_A_POOL * sizeof *set);
    if (set) list->set = set;
    if (!pool || !set) return ENT_NO_MEMORY;
    GPU_TRY(gpu, "a pool of bindings",
            gpu->vk.vkCreateDescriptorPool(gpu->device, &info, NULL, &list->pool[pools - 1]));
    list->pool_count++;
    return ENT_OK;
}

/* Sets whose bindings name a destroyed buffer are not used again, also where no kernel uses the binding:
 * Mesa's lavapipe 22.3 reads every buffer of a set that is bound. */
static ent_status sets_renew(GpuList* list) {
    for (u32 i = 0; i < list->pool_count; i++)
        GPU_TRY(list->gpu, "a pool of bindings",
                list->gpu->vk.vkResetDescriptorPool(list->gpu->device, list->pool[i], 0));
    list->set_created = 0;
    return ENT_OK;
}

static ent_status set_create(GpuList* list) {
    Gpu* gpu = list->gpu;
    if (list->set_created == list->pool_count * SETS_OF_A_POOL) TRY(pool_add(list));
    const VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = list->pool[list->set_created / SETS_OF_A_POOL],
        .descriptorSetCount = 1,
        .pSetLayouts = &gpu->set_layout};
    GpuSet* set = &list->set[list->set_created];
    memset(set, 0, sizeof *set);
    GPU_TRY(gpu, "a set of bindings",
            gpu->vk.vkAllocateDescriptorSets(gpu->device, &info, &set->set));
    list->set_created++;
    return ENT_OK;
}

static bool is_bound(const GpuStepUse* bound, const GpuStepUse* use) {
    return bound->handle == use->handle && bound->offset == use->offset &&
           bound->bytes == use->bytes && bound->number == use->number;
}

/* Writes all bindings when one differs from those of the list's last recording. A template is written
 * completely: bindings that the kernel does not use name the buffer of another one. */
static void set_write(const GpuList* list, GpuSet* set, const GpuStepUse* uses, u32 count) {
    VkDescriptorBufferInfo buffers[GPU_BINDINGS] = {0};
    const GpuStepUse*      any = NULL;
    bool                   differs = false;
    for (u32 i = 0; i < count; i++) {
        const GpuStepUse* use = &uses[i];
        if (use->binding == GPU_NO_BINDING) continue;
        any = use;
        differs |= !is_bound(&set->bound[use->binding], use);
        set->bound[use->binding] = *use;
        buffers[use->binding] = (VkDescriptorBufferInfo){use->handle, use->offset, use->bytes};
    }
    if (!differs) return;
    for (u32 i = 0; i < GPU_BINDINGS; i++) {
        if (!buffers[i].buffer)
            buffers[i] = (VkDescriptorBufferInfo){any->handle, any->offset, any->bytes};
    }
    list->gpu->vk.vkUpdateDescriptorSetWithTemplate(list->gpu->device, set->set,
                                                    list->gpu->set_template, buffers);
}

static ent_status step_bind(GpuList* list, const GpuStep* step, VkPipelineBindPoint point) {
    Gpu* gpu = list->gpu;
    if (list->set_count == list->set_created) TRY(set_create(list));
    GpuSet* set = &list->set[list->set_count++];
    set_write(list, set, list->script.use + step->use_first, step->use_count);
    VkDescriptorSet sets[3] = {set->set, step->textures, step->images};
    const u32       together = step->textures ? step->images ? 3 : 2 : 1;
    gpu->vk.vkCmdBindPipeline(list->commands, point, step->pipeline);
    gpu->vk.vkCmdBindDescriptorSets(list->commands, point, gpu->layout, 0, together, sets, 0, NULL);
    if (step->images && together < 3)
        gpu->vk.vkCmdBindDescriptorSets(list->commands, point, gpu->layout, 2, 1, &step->images, 0,
                                        NULL);
    if (step->push_bytes)
        gpu->vk.vkCmdPushConstants(list->commands, gpu->layout, VK_SHADER_STAGE_ALL, 0,
                                   step->push_bytes, step->push);
    return ENT_OK;
}

/* --- steps --- */

static ent_status kernel_record(GpuList* list, const GpuStep* step) {
    Gpu* gpu = list->gpu;
    TRY(step_bind(list, step, VK_PIPELINE_BIND_POINT_COMPUTE));
    if (step->indirect)
        gpu->vk.vkCmdDispatchIndirect(list->commands, step->indirect, step->indirect_offset);
    else
        gpu->vk.vkCmdDispatch(list->commands, step->count_x, step->count_y, 1);
    return ENT_OK;
}

static void indirect_record(const GpuList* list, const GpuStep* step) {
    Gpu*      gpu = list->gpu;
    const u32 max = MAX_OF(gpu->limits.maxDrawIndirectCount, 1u);
    const u32 stride =
        step->index ? sizeof(VkDrawIndexedIndirectCommand) : sizeof(VkDrawIndirectCommand);
    for (u32 first = 0; first < step->indirect_count; first += max) {
        const u64 offset = step->indirect_offset + (u64)first * stride;
        const u32 count = MIN_OF(step->indirect_count - first, max);
        if (step->index)
            gpu->vk.vkCmdDrawIndexedIndirect(list->commands, step->indirect, offset, count, stride);
        else
            gpu->vk.vkCmdDrawIndirect(list->commands, step->indirect, offset, count, stride);
    }
}

static ent_status draw_record(GpuList* list, const GpuStep* step) {
    Gpu* gpu = list->gpu;
    TRY(step_bind(list, step, VK_PIPELINE_BIND_POINT_GRAPHICS));
    if (step->index)
        gpu->vk.vkCmdBindIndexBuffer(list->commands, step->index, 0, VK_INDEX_TYPE_UINT32);
    if (step->indirect)
        indirect_record(list, step);
    else
        gpu->vk.vkCmdDraw(list->commands, step->count_x, step->count_y, 0, 0);
    return ENT_OK;
}

static ent_status raster_record(GpuList* list, const GpuStep* step, u32 draw_count) {
    Gpu*                        gpu = list->gpu;
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = step->render_pass,
                                         .framebuffer = step->framebuffer,
                                         .renderArea = {{0, 0}, {step->width, step->height}},
                                         .clearValueCount = step->clear_count,
                                         .pClearValues = step->clear};
    const VkViewport            viewport = {0, 0, (f32)step->width, (f32)step->height, 0, 1};
    ent_status                  status = ENT_OK;
    gpu->vk.vkCmdBeginRenderPass(list->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    gpu->vk.vkCmdSetViewport(list->commands, 0, 1, &viewport);
    gpu->vk.vkCmdSetScissor(list->commands, 0, 1, &begin.renderArea);
    for (u32 i = 1; i <= draw_count && status == ENT_OK; i++) status = draw_record(list, &step[i]);
    gpu->vk.vkCmdEndRenderPass(list->commands);
    return status;
}

static void copy_record(GpuList* list, const GpuStep* step) {
    const VkBufferCopy copy = {step->from_offset, step->to_offset, step->bytes};
    list->gpu->vk.vkCmdCopyBuffer(list->commands, step->from, step->to, 1, &copy);
}

static ent_status step_record(GpuList* list, const GpuStep* step, u32 draw_count) {
    switch (step->kind) {
    case GPU_STEP_KERNEL: return kernel_record(list, step);
    case GPU_STEP_RASTER: return raster_record(list, step, draw_count);
    case GPU_STEP_DRAW: assert(!"a draw belongs to a render pass"); return ENT_OK;
    case GPU_STEP_COPY: copy_record(list, step); return ENT_OK;
    case GPU_STEP_FILL:
        list->gpu->vk.vkCmdFillBuffer(list->commands, step->to, step->to_offset, step->bytes,
                                      step->fill);
        return ENT_OK;
    }
    return ENT_OK;
}

/* Barriers are recorded before the first timestamp of a pass: waiting for the previous pass counts as
 * time of that pass. */
static ent_status pass_record(GpuList* list, const GpuStep* step, u32 draw_count) {
    const bool     apart = gpu_list_runs_apart(list), timed = list->times == GPU_TIMES_PASSES;
    const GpuStep* last = step + draw_count;
    if (apart)
        TRY(part_begin(list));
    else
        pass_waits(list, list->script.use + step->use_first,
                   last->use_first + last->use_count - step->use_first);
    list->pass[list->pass_count] = (GpuPassTime){step->group, step->name, 0};
    if (timed) stamp(list, list->pass_count * 2);
    TRY(step_record(list, step, draw_count));
    if (timed) stamp(list, list->pass_count * 2 + 1);
    list->pass_count++;
    return apart ? part_end(list) : list->status;
}

/* --- lists --- */

static u32 passes_of(const GpuScript* script) {
    u32 count = 0;
    for (u32 i = 0; i < script->step_count; i++) count += script->step[i].kind != GPU_STEP_DRAW;
    return count;
}

static ent_status passes_reserve(GpuList* list, u32 count) {
    Gpu*                        gpu = list->gpu;
    const u32                   room = MAX_OF(count, list->pass_capacity * 2);
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                        .queryCount = MAX_OF(room * 2, 2u)};
    if (count > list->pass_capacity) {
        GpuPassTime* grown = realloc(list->pass, room * sizeof *grown);
        if (!grown) return ENT_NO_MEMORY;
        list->pass = grown;
        list->pass_capacity = room;
    }
    if (!has_queries(list) || list->query_capacity >= MAX_OF(count * 2, 2u)) return ENT_OK;
    gpu->vk.vkDestroyQueryPool(gpu->device, list->queries, NULL);
    list->queries = VK_NULL_HANDLE;
    list->query_capacity = 0;
    GPU_TRY(gpu, "a pool of queries",
            gpu->vk.vkCreateQueryPool(gpu->device, &info, NULL, &list->queries));
    list->query_capacity = info.queryCount;
    return ENT_OK;
}

static ent_status recording_begin(GpuList* list, VkCommandBuffer host) {
    TRY(passes_reserve(list, passes_of(&list->script)));
    /* Also those whose recording was not ended, after a failure. */
    for (u32 i = 0; i < list->part_count; i++)
        GPU_TRY(list->gpu, "a buffer of commands",
                list->gpu->vk.vkResetCommandBuffer(list->part[i], 0));
    if (list->changes != list->gpu->changes) TRY(sets_renew(list));
    list->changes = list->gpu->changes;
    list->part_count = list->set_count = list->pass_count = list->barrier_count = 0;
    list->track_count = 0;
    if (list->track) memset(list->track, 0, list->track_capacity * sizeof *list->track);
    memset(list->barrier, 0, sizeof list->barrier);
    memset(list->active, 0, sizeof list->active);
    if (gpu_list_runs_apart(list) && !host) return ENT_OK;
    if (host) {
        list->commands = host;
        all_wait(list);
    } else {
        TRY(part_begin(list));
    }
    if (!has_queries(list)) return ENT_OK;
    list->gpu->vk.vkCmdResetQueryPool(list->commands, list->queries, 0, list->query_capacity);
    if (list->times == GPU_TIMES_LIST) stamp(list, 0);
    return ENT_OK;
}

/* What the host reads is written. */
static void host_waits(const GpuList* list) {
    bool                  reads = false;
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    for (u32 i = 0; i < list->script.step_count; i++) reads |= list->script.step[i].to_host != 0;
    if (reads)
        list->gpu->vk.vkCmdPipelineBarrier(list->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                           VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
                                           NULL);
}

ent_status gpu_commands_record(GpuList* list, VkCommandBuffer host) {
    const GpuScript* s = &list->script;
    TRY(recording_begin(list, host));
    for (u32 i = 0, end; i < s->step_count; i = end) {
        for (end = i + 1; end < s->step_count && s->step[end].kind == GPU_STEP_DRAW;) end++;
        TRY(pass_record(list, &s->step[i], end - i - 1));
    }
    if (gpu_list_runs_apart(list) && !host) return ENT_OK;
    if (list->times == GPU_TIMES_LIST) stamp(list, 1);
    host_waits(list);
    return host ? ENT_OK : part_end(list);
}
