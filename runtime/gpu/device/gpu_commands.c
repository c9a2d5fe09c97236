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
                                      list->timer.queries, query);
}

static ent_status part_create(GpuList* list) {
    Gpu*                              gpu = list->gpu;
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->commands,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1};
    if (list->parts.created == list->parts.capacity) {
        const u32        room = MAX_OF(list->parts.capacity * 2, 4u);
        VkCommandBuffer* grown = realloc(list->parts.at, room * sizeof *grown);
        if (!grown) return ENT_NO_MEMORY;
        list->parts.at = grown;
        list->parts.capacity = room;
    }
    GPU_TRY(gpu, "a buffer of commands",
            gpu->vk.vkAllocateCommandBuffers(gpu->device, &allocate,
                                             &list->parts.at[list->parts.created]));
    list->parts.created++;
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
    if (list->parts.count == list->parts.created) TRY(part_create(list));
    list->commands = list->parts.at[list->parts.count++];
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
    const u32 room = MAX_OF(list->tracks.capacity * 2, TRACKS_FIRST);
    GpuTrack* grown = calloc(room, sizeof *grown);
    if (!grown) return false;
    for (u32 i = 0; i < list->tracks.capacity; i++) {
        const GpuTrack* track = &list->tracks.at[i];
        if (track->number) *track_place(grown, room, track->number - 1) = *track;
    }
    free(list->tracks.at);
    list->tracks.at = grown;
    list->tracks.capacity = room;
    return true;
}

static GpuTrack* track_of(GpuList* list, u32 number) {
    if (list->tracks.count * 2 >= list->tracks.capacity && !tracks_grow(list)) return NULL;
    GpuTrack* track = track_place(list->tracks.at, list->tracks.capacity, number);
    if (track->number == 0) {
        track->number = number + 1;
        list->tracks.count++;
    }
    return track;
}

/* Does the stage of the next pass have to wait, because of one use of a buffer? A stage has waited
 * for all passes before list->tracks.barrier[stage]. */
static bool use_waits(GpuList* list, const GpuStepUse* use) {
    const GpuTrack* track = track_of(list, use->number);
    const u32       waited = list->tracks.barrier[use->stage];
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
    list->tracks.active[use->stage] = list->pass_count + 1;
}

/* The stage waits for every stage that was active since the stage's last barrier. */
static void barrier_put(GpuList* list, u32 stage) {
    VkPipelineStageFlags before = 0;
    VkMemoryBarrier      barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .dstAccessMask = read_bits[stage] | write_bits[stage]};
    for (u32 i = 0; i < GPU_STAGES; i++) {
        if (list->tracks.active[i] <= list->tracks.barrier[stage]) continue;
        before |= stage_bits[i];
        barrier.srcAccessMask |= write_bits[i];
    }
    list->gpu->vk.vkCmdPipelineBarrier(list->commands, before, stage_bits[stage], 0, 1, &barrier, 0,
                                       NULL, 0, NULL);
    list->tracks.barrier[stage] = list->pass_count;
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
    const size_t                     pools = list->sets.pool_count + 1;
    VkDescriptorPool*                pool = realloc(list->sets.pool, pools * sizeof *pool);
    if (pool) list->sets.pool = pool;
    GpuSet* set = realloc(list->sets.at, pools * SETS_OF_A_POOL * sizeof *set);
    if (set) list->sets.at = set;
    if (!pool || !set) return ENT_NO_MEMORY;
    GPU_TRY(gpu, "a pool of bindings",
            gpu->vk.vkCreateDescriptorPool(gpu->device, &info, NULL, &list->sets.pool[pools - 1]));
    list->sets.pool_count++;
    return ENT_OK;
}

/* Sets whose bindings name a destroyed buffer are not used again, also where no kernel uses the binding:
 * Mesa's lavapipe 22.3 reads every buffer of a set that is bound. */
static ent_status sets_renew(GpuList* list) {
    for (u32 i = 0; i < list->sets.pool_count; i++)
        GPU_TRY(list->gpu, "a pool of bindings",
                list->gpu->vk.vkResetDescriptorPool(list->gpu->device, list->sets.pool[i], 0));
    list->sets.created = 0;
    return ENT_OK;
}

static ent_status set_create(GpuList* list) {
    Gpu* gpu = list->gpu;
    if (list->sets.created == list->sets.pool_count * SETS_OF_A_POOL) TRY(pool_add(list));
    const VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = list->sets.pool[list->sets.created / SETS_OF_A_POOL],
        .descriptorSetCount = 1,
        .pSetLayouts = &gpu->layouts.buffers};
    GpuSet* set = &list->sets.at[list->sets.created];
    memset(set, 0, sizeof *set);
    GPU_TRY(gpu, "a set of bindings",
            gpu->vk.vkAllocateDescriptorSets(gpu->device, &info, &set->set));
    list->sets.created++;
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
        if (buffers[i].buffer) continue;
        buffers[i] = (VkDescriptorBufferInfo){any->handle, any->offset, any->bytes};
        set->bound[i] = (GpuStepUse){0}; /* what was bound before is not any more */
    }
    list->gpu->vk.vkUpdateDescriptorSetWithTemplate(list->gpu->device, set->set,
                                                    list->gpu->layouts.all_buffers, buffers);
}

static ent_status step_bind(GpuList* list, const GpuStep* step, VkPipelineBindPoint point) {
    Gpu* gpu = list->gpu;
    if (list->sets.count == list->sets.created) TRY(set_create(list));
    GpuSet* set = &list->sets.at[list->sets.count++];
    set_write(list, set, list->script.use + step->use_first, step->use_count);
    VkDescriptorSet sets[3] = {set->set, step->call.textures, step->call.images};
    const u32       together = step->call.textures ? step->call.images ? 3 : 2 : 1;
    gpu->vk.vkCmdBindPipeline(list->commands, point, step->call.pipeline);
    gpu->vk.vkCmdBindDescriptorSets(list->commands, point, gpu->layouts.pipelines, 0, together,
                                    sets, 0, NULL);
    if (step->call.images && together < 3)
        gpu->vk.vkCmdBindDescriptorSets(list->commands, point, gpu->layouts.pipelines, 2, 1,
                                        &step->call.images, 0, NULL);
    if (step->call.push_bytes)
        gpu->vk.vkCmdPushConstants(list->commands, gpu->layouts.pipelines, VK_SHADER_STAGE_ALL, 0,
                                   step->call.push_bytes, step->call.push);
    return ENT_OK;
}

/* --- steps --- */

static ent_status kernel_record(GpuList* list, const GpuStep* step) {
    Gpu* gpu = list->gpu;
    TRY(step_bind(list, step, VK_PIPELINE_BIND_POINT_COMPUTE));
    if (step->call.indirect)
        gpu->vk.vkCmdDispatchIndirect(list->commands, step->call.indirect,
                                      step->call.indirect_offset);
    else
        gpu->vk.vkCmdDispatch(list->commands, step->call.count_x, step->call.count_y, 1);
    return ENT_OK;
}

static void indirect_record(const GpuList* list, const GpuStep* step) {
    Gpu*      gpu = list->gpu;
    const u32 max = MAX_OF(gpu->limits.maxDrawIndirectCount, 1u);
    const u32 stride =
        step->call.index ? sizeof(VkDrawIndexedIndirectCommand) : sizeof(VkDrawIndirectCommand);
    for (u32 first = 0; first < step->call.indirect_count; first += max) {
        const u64 offset = step->call.indirect_offset + (u64)first * stride;
        const u32 count = MIN_OF(step->call.indirect_count - first, max);
        if (step->call.index)
            gpu->vk.vkCmdDrawIndexedIndirect(list->commands, step->call.indirect, offset, count,
                                             stride);
        else
            gpu->vk.vkCmdDrawIndirect(list->commands, step->call.indirect, offset, count, stride);
    }
}

static ent_status draw_record(GpuList* list, const GpuStep* step) {
    Gpu* gpu = list->gpu;
    TRY(step_bind(list, step, VK_PIPELINE_BIND_POINT_GRAPHICS));
    if (step->call.index)
        gpu->vk.vkCmdBindIndexBuffer(list->commands, step->call.index, 0, VK_INDEX_TYPE_UINT32);
    if (step->call.indirect)
        indirect_record(list, step);
    else
        gpu->vk.vkCmdDraw(list->commands, step->call.count_x, step->call.count_y, 0, 0);
    return ENT_OK;
}

static ent_status raster_record(GpuList* list, const GpuStep* step, u32 draw_count) {
    Gpu*                        gpu = list->gpu;
    const VkRenderPassBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = step->raster.render_pass,
        .framebuffer = step->raster.framebuffer,
        .renderArea = {{0, 0}, {step->raster.width, step->raster.height}},
        .clearValueCount = step->raster.clear_count,
        .pClearValues = step->raster.clear};
    const VkViewport viewport = {0, 0, (f32)step->raster.width, (f32)step->raster.height, 0, 1};
    ent_status       status = ENT_OK;
    gpu->vk.vkCmdBeginRenderPass(list->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    gpu->vk.vkCmdSetViewport(list->commands, 0, 1, &viewport);
    gpu->vk.vkCmdSetScissor(list->commands, 0, 1, &begin.renderArea);
    for (u32 i = 1; i <= draw_count && status == ENT_OK; i++) status = draw_record(list, &step[i]);
    gpu->vk.vkCmdEndRenderPass(list->commands);
    return status;
}

static void copy_record(GpuList* list, const GpuStep* step) {
    const VkBufferCopy copy = {step->copy.from_offset, step->copy.to_offset, step->copy.bytes};
    list->gpu->vk.vkCmdCopyBuffer(list->commands, step->copy.from, step->copy.to, 1, &copy);
}

/* All commands before it are complete, and what follows waits. */
static void layout_set(const GpuList* list, VkImage image, VkImageLayout from, VkImageLayout to,
                       VkImageSubresourceRange range) {
    const VkAccessFlags        all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const VkImageMemoryBarrier change = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                         .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                         .dstAccessMask = all,
                                         .oldLayout = from,
                                         .newLayout = to,
                                         .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                         .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                         .image = image,
                                         .subresourceRange = range};
    list->gpu->vk.vkCmdPipelineBarrier(list->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1,
                                       &change);
}

#define FROM_LAYOUT VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
#define TO_LAYOUT   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
#define READ_LAYOUT VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL

/* Between what shaders read and what copies use. */
static void layout_change(const GpuList* list, VkImage image, VkImageLayout copied, bool begins) {
    const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};
    if (image)
        layout_set(list, image, begins ? READ_LAYOUT : copied, begins ? copied : READ_LAYOUT,
                   range);
}

static void rect_record(const GpuList* list, const GpuStepRect* s) {
    const struct VolkDeviceTable*  vk = &list->gpu->vk;
    const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1};
    const VkOffset3D               at = {(int)s->left, (int)s->top, 0};
    const VkExtent3D               size = {s->width, s->height, 1};
    const VkImageCopy              both = {layers, at, layers, at, size};
    const VkBufferImageCopy        one = {.bufferOffset =
                                              s->offset + ((u64)s->top * s->row + s->left) * sizeof(f32),
                                          .bufferRowLength = s->row,
                                          .imageSubresource = layers,
                                          .imageOffset = at,
                                          .imageExtent = size};
    if (s->from)
        vk->vkCmdCopyBufferToImage(list->commands, s->from, s->to_image, TO_LAYOUT, 1, &one);
    else if (s->to)
        vk->vkCmdCopyImageToBuffer(list->commands, s->from_image, FROM_LAYOUT, s->to, 1, &one);
    else
        vk->vkCmdCopyImage(list->commands, s->from_image, FROM_LAYOUT, s->to_image, TO_LAYOUT, 1,
                           &both);
}

/* The rectangles of the same images that follow each other. */
static void rects_record(const GpuList* list, const GpuStep* step, u32 count) {
    const GpuStepRect* s = &step->rect;
    layout_change(list, s->from_image, FROM_LAYOUT, true);
    layout_change(list, s->to_image, TO_LAYOUT, true);
    for (u32 i = 0; i < count; i++) rect_record(list, &step[i].rect);
    layout_change(list, s->from_image, FROM_LAYOUT, false);
    layout_change(list, s->to_image, TO_LAYOUT, false);
}

static void layers_record(const GpuList* list, const GpuStepLayers* s) {
    const struct VolkDeviceTable*  vk = &list->gpu->vk;
    const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, s->level, s->layer,
                                             s->layer_count};
    const VkImageSubresourceRange  range = {VK_IMAGE_ASPECT_COLOR_BIT, s->level, 1, s->layer,
                                            s->layer_count};
    const VkImageSubresourceRange  all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                          VK_REMAINING_ARRAY_LAYERS};
    const VkExtent3D               size = {s->width, s->height, 1};
    const VkImageCopy              both = {layers, {0}, layers, {0}, size};
    const VkBufferImageCopy        one = {
               .bufferOffset = s->offset, .imageSubresource = layers, .imageExtent = size};
    if (!s->from && !s->from_image) {
        layout_set(list, s->image, VK_IMAGE_LAYOUT_UNDEFINED, READ_LAYOUT, all);
        return;
    }
    layout_set(list, s->image, READ_LAYOUT, TO_LAYOUT, range);
    if (s->from) {
        vk->vkCmdCopyBufferToImage(list->commands, s->from, s->image, TO_LAYOUT, 1, &one);
    } else {
        layout_set(list, s->from_image, READ_LAYOUT, FROM_LAYOUT, range);
        vk->vkCmdCopyImage(list->commands, s->from_image, FROM_LAYOUT, s->image, TO_LAYOUT, 1,
                           &both);
        layout_set(list, s->from_image, FROM_LAYOUT, READ_LAYOUT, range);
    }
    layout_set(list, s->image, TO_LAYOUT, READ_LAYOUT, range);
}

static ent_status step_record(GpuList* list, const GpuStep* step, u32 more) {
    switch (step->kind) {
    case GPU_STEP_KERNEL: return kernel_record(list, step);
    case GPU_STEP_RASTER: return raster_record(list, step, more);
    case GPU_STEP_DRAW: assert(!"a draw belongs to a render pass"); return ENT_OK;
    case GPU_STEP_COPY: copy_record(list, step); return ENT_OK;
    case GPU_STEP_FILL:
        list->gpu->vk.vkCmdFillBuffer(list->commands, step->copy.to, step->copy.to_offset,
                                      step->copy.bytes, step->copy.fill);
        return ENT_OK;
    case GPU_STEP_RECT: rects_record(list, step, 1 + more); return ENT_OK;
    case GPU_STEP_LAYERS: layers_record(list, &step->layers); return ENT_OK;
    }
    return ENT_OK;
}

/* A step, and `more` that belong to it. Barriers are recorded before the first timestamp of a pass: waiting for the previous pass counts as
 * time of that pass. */
static ent_status pass_record(GpuList* list, const GpuStep* step, u32 more) {
    const bool     apart = gpu_list_runs_apart(list), timed = list->times == GPU_TIMES_PASSES;
    const GpuStep* last = step + more;
    if (apart)
        TRY(part_begin(list));
    else
        pass_waits(list, list->script.use + step->use_first,
                   last->use_first + last->use_count - step->use_first);
    list->timer.pass[list->pass_count] = (GpuPassTime){step->group, step->name, 0};
    if (timed) stamp(list, list->pass_count * 2);
    TRY(step_record(list, step, more));
    if (timed) stamp(list, list->pass_count * 2 + 1);
    list->pass_count++;
    return apart ? part_end(list) : list->status;
}

/* --- lists --- */

/* Does a step belong to the pass of the one before it? */
static bool is_continued(const GpuStep* before, const GpuStep* step) {
    const GpuStepKind kind = step->kind;
    return kind == GPU_STEP_DRAW ||
           (kind == GPU_STEP_RECT && before->kind == kind &&
            before->rect.from_image == step->rect.from_image &&
            before->rect.to_image == step->rect.to_image && before->rect.to == step->rect.to);
}

static u32 passes_of(const GpuScript* script) {
    u32 count = script->step_count > 0;
    for (u32 i = 1; i < script->step_count; i++)
        count += !is_continued(&script->step[i - 1], &script->step[i]);
    return count;
}

static ent_status passes_reserve(GpuList* list, u32 count) {
    Gpu*                        gpu = list->gpu;
    const u32                   room = MAX_OF(count, list->timer.capacity * 2);
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                        .queryCount = MAX_OF(room * 2, 2u)};
    if (count > list->timer.capacity) {
        GpuPassTime* grown = realloc(list->timer.pass, room * sizeof *grown);
        if (!grown) return ENT_NO_MEMORY;
        list->timer.pass = grown;
        list->timer.capacity = room;
    }
    if (!has_queries(list) || list->timer.query_capacity >= MAX_OF(count * 2, 2u)) return ENT_OK;
    gpu->vk.vkDestroyQueryPool(gpu->device, list->timer.queries, NULL);
    list->timer.queries = VK_NULL_HANDLE;
    list->timer.query_capacity = 0;
    GPU_TRY(gpu, "a pool of queries",
            gpu->vk.vkCreateQueryPool(gpu->device, &info, NULL, &list->timer.queries));
    list->timer.query_capacity = info.queryCount;
    return ENT_OK;
}

static ent_status recording_begin(GpuList* list, VkCommandBuffer host) {
    TRY(passes_reserve(list, passes_of(&list->script)));
    /* Also those whose recording was not ended, after a failure. */
    for (u32 i = 0; i < list->parts.count; i++)
        GPU_TRY(list->gpu, "a buffer of commands",
                list->gpu->vk.vkResetCommandBuffer(list->parts.at[i], 0));
    if (list->changes != list->gpu->changes) TRY(sets_renew(list));
    list->changes = list->gpu->changes;
    list->parts.count = list->sets.count = list->pass_count = list->barrier_count = 0;
    list->tracks.count = 0;
    if (list->tracks.at)
        memset(list->tracks.at, 0, list->tracks.capacity * sizeof *list->tracks.at);
    memset(list->tracks.barrier, 0, sizeof list->tracks.barrier);
    memset(list->tracks.active, 0, sizeof list->tracks.active);
    if (gpu_list_runs_apart(list) && !host) return ENT_OK;
    if (host) {
        list->commands = host;
        all_wait(list);
    } else {
        TRY(part_begin(list));
    }
    if (!has_queries(list)) return ENT_OK;
    list->gpu->vk.vkCmdResetQueryPool(list->commands, list->timer.queries, 0,
                                      list->timer.query_capacity);
    if (list->times == GPU_TIMES_LIST) stamp(list, 0);
    return ENT_OK;
}

/* What the host reads is written. */
static void host_waits(const GpuList* list) {
    bool                  reads = false;
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    for (u32 i = 0; i < list->script.step_count; i++) {
        const GpuStep* step = &list->script.step[i];
        reads |= step->kind == GPU_STEP_COPY && step->copy.to_host != 0;
    }
    if (reads)
        list->gpu->vk.vkCmdPipelineBarrier(list->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                           VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
                                           NULL);
}

ent_status gpu_commands_record(GpuList* list, VkCommandBuffer host) {
    const GpuScript* s = &list->script;
    TRY(recording_begin(list, host));
    for (u32 i = 0, end; i < s->step_count; i = end) {
        for (end = i + 1; end < s->step_count && is_continued(&s->step[end - 1], &s->step[end]);)
            end++;
        TRY(pass_record(list, &s->step[i], end - i - 1));
    }
    if (gpu_list_runs_apart(list) && !host) return ENT_OK;
    if (list->times == GPU_TIMES_LIST) stamp(list, 1);
    host_waits(list);
    return host ? ENT_OK : part_end(list);
}
