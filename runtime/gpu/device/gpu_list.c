/* gpu_list.c - records passes, with a barrier before each pass that needs one. */
#include "gpu_list.h"

#include <stdlib.h>

#include "clock.h"
#include "file.h"

#define SETS_OF_A_POOL 64u
#define RUNS_AT_ONCE   64

/* --- kernels --- */

ent_status gpu_kernel_create(GpuKernel* kernel, Gpu* gpu, const GpuKernelDesc* desc) {
    VkSpecializationMapEntry entries[GPU_CONSTANTS_MAX + 1];
    u32                      values[GPU_CONSTANTS_MAX + 1] = {desc->group_size};
    const u32                count = desc->constant_count + 1;
    VkShaderModule           module;
    assert(desc->constant_count <= GPU_CONSTANTS_MAX);
    for (u32 i = 0; i < count; i++) {
        entries[i] = (VkSpecializationMapEntry){i, i * (u32)sizeof(u32), sizeof(u32)};
        if (i > 0) values[i] = desc->constants[i - 1];
    }
    const VkSpecializationInfo     constants = {count, entries, count * sizeof(u32), values};
    const VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                           .codeSize = desc->bytes,
                                           .pCode = desc->code};
    *kernel = (GpuKernel){.gpu = gpu, .name = desc->name, .group_size = desc->group_size};
    GPU_TRY(gpu, desc->name, gpu->vk.vkCreateShaderModule(gpu->device, &code, NULL, &module));
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = &constants},
        .layout = gpu->layout};
    const VkResult result =
        GPU_CALL(gpu, gpu->vk.vkCreateComputePipelines(gpu->device, gpu->cache, 1, &info, NULL,
                                                       &kernel->pipeline));
    gpu->vk.vkDestroyShaderModule(gpu->device, module, NULL);
    return result == VK_SUCCESS ? ENT_OK : gpu_refused(gpu, desc->name, result);
}

ent_status gpu_kernel_create_with(GpuKernel* kernel, Gpu* gpu, const GpuKernelDesc* desc,
                                  const u32* constants, u32 count) {
    GpuKernelDesc with = *desc;
    with.constants = constants;
    with.constant_count = count;
    return gpu_kernel_create(kernel, gpu, &with);
}

void gpu_kernel_destroy(GpuKernel* kernel) {
    if (kernel->gpu) kernel->gpu->vk.vkDestroyPipeline(kernel->gpu->device, kernel->pipeline, NULL);
    *kernel = (GpuKernel){0};
}

/* --- recording --- */

static ent_status part_begin(GpuList* list) {
    Gpu*                              gpu = list->gpu;
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->commands,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
    if (list->part_count == list->part_made) {
        GPU_TRY(gpu, "a buffer of commands",
                gpu->vk.vkAllocateCommandBuffers(gpu->device, &allocate,
                                                 &list->part[list->part_count]));
        list->part_made++;
    }
    list->commands = list->part[list->part_count++];
    GPU_TRY(gpu, "a buffer of commands", gpu->vk.vkBeginCommandBuffer(list->commands, &begin));
    /* Earlier work, of this list or another one, is complete and its writes are visible. */
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask =
                                     VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    gpu->vk.vkCmdPipelineBarrier(list->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0, NULL, 0, NULL);
    return ENT_OK;
}

static bool runs_apart(const GpuList* list) {
    return list->times == GPU_TIMES_PASSES && list->gpu->info.software;
}

static bool has_queries(const GpuList* list) {
    return list->times != GPU_TIMES_NONE && !list->gpu->info.software;
}

static void stamp(GpuList* list, u32 query) {
    if (!has_queries(list)) return;
    list->gpu->vk.vkCmdWriteTimestamp(list->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                      list->queries, query);
}

static ent_status recording_begin(GpuList* list) {
    Gpu* gpu = list->gpu;
    if (runs_apart(list)) return ENT_OK;
    TRY(part_begin(list));
    if (!has_queries(list)) return ENT_OK;
    gpu->vk.vkCmdResetQueryPool(list->commands, list->queries, 0, GPU_PASSES_MAX * 2);
    if (list->times == GPU_TIMES_LIST) stamp(list, 0);
    return ENT_OK;
}

ent_status gpu_list_begin(GpuList* list, Gpu* gpu, GpuTimes times) {
    *list = (GpuList){.gpu = gpu, .times = times};
    list->part = calloc(GPU_PASSES_MAX, sizeof *list->part);
    if (!list->part) return ENT_NO_MEMORY;
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                        .queryCount = GPU_PASSES_MAX * 2};
    if (has_queries(list))
        GPU_TRY(gpu, "a pool of queries",
                gpu->vk.vkCreateQueryPool(gpu->device, &info, NULL, &list->queries));
    return recording_begin(list);
}

/* A list that could not be begun is begun again from nothing. */
ent_status gpu_list_restart(GpuList* list, Gpu* gpu, GpuTimes times) {
    if (list->part_made == 0) {
        gpu_list_destroy(list);
        return gpu_list_begin(list, gpu, times);
    }
    assert(list->gpu == gpu && list->times == times);
    for (u32 i = 0; i * SETS_OF_A_POOL < list->set_count; i++)
        GPU_TRY(gpu, "a pool of bindings",
                gpu->vk.vkResetDescriptorPool(gpu->device, list->sets[i], 0));
    /* Also those whose recording was not ended, after a failure. */
    for (u32 i = 0; i < list->part_count; i++)
        GPU_TRY(gpu, "a buffer of commands", gpu->vk.vkResetCommandBuffer(list->part[i], 0));
    list->part_count = list->set_count = list->pass_count = list->barrier_count = 0;
    list->track_count = 0;
    memset(list->barrier, 0, sizeof list->barrier);
    memset(list->active, 0, sizeof list->active);
    list->status = ENT_OK;
    return recording_begin(list);
}

/* --- barriers --- */

static const VkPipelineStageFlags stage_bits[GPU_STAGES] = {
    [GPU_COMPUTE] = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
    [GPU_INDIRECT] = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
    [GPU_COPY] = VK_PIPELINE_STAGE_TRANSFER_BIT,
    [GPU_RASTER] = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_INPUT_BIT |
                   VK_PIPELINE_STAGE_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT};

static const VkAccessFlags read_bits[GPU_STAGES] = {
    [GPU_COMPUTE] = VK_ACCESS_SHADER_READ_BIT,
    [GPU_INDIRECT] = VK_ACCESS_INDIRECT_COMMAND_READ_BIT,
    [GPU_COPY] = VK_ACCESS_TRANSFER_READ_BIT,
    [GPU_RASTER] =
        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_INDEX_READ_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT};

static const VkAccessFlags write_bits[GPU_STAGES] = {[GPU_COMPUTE] = VK_ACCESS_SHADER_WRITE_BIT,
                                                     [GPU_COPY] = VK_ACCESS_TRANSFER_WRITE_BIT,
                                                     [GPU_RASTER] = VK_ACCESS_SHADER_WRITE_BIT};

static GpuTrack* track_of(GpuList* list, u32 number) {
    for (u32 i = 0; i < list->track_count; i++) {
        if (list->track[i].number == number) return &list->track[i];
    }
    if (list->track_count == list->track_capacity) {
        const u32 room = MAX_OF(list->track_capacity * 2, 32u);
        GpuTrack* grown = realloc(list->track, room * sizeof *grown);
        if (!grown) return NULL;
        list->track = grown;
        list->track_capacity = room;
    }
    list->track[list->track_count] = (GpuTrack){.number = number};
    return &list->track[list->track_count++];
}

/* Does the stage of the next pass have to wait, because of one use of a buffer? A stage has waited
 * for all passes before list->barrier[stage]. */
static bool use_waits(GpuList* list, GpuStageKind stage, const GpuUse* use) {
    const GpuTrack* track = track_of(list, use->buffer->number);
    const u32       waited = list->barrier[stage];
    if (!track) {
        list->status = ENT_NO_MEMORY;
        return false;
    }
    if (track->write > waited) return true;
    return (use->access & GPU_WRITE) && track->read > waited;
}

static void use_mark(GpuList* list, const GpuUse* use) {
    GpuTrack* track = track_of(list, use->buffer->number);
    if (!track) return;
    if (use->access & GPU_WRITE) track->write = list->pass_count + 1;
    if (use->access & GPU_READ) track->read = list->pass_count + 1;
}

/* The stage waits for every stage that was active since the stage's last barrier. */
static void barrier_put(GpuList* list, GpuStageKind stage) {
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

/* A pass that is timed separately waits for all passes before it: otherwise its time would include
 * their remaining work. */
static void pass_open(GpuList* list, const char* name) {
    if (list->status == ENT_OK && list->pass_count == GPU_PASSES_MAX) {
        gpu_log(list->gpu, LOG_ERROR, "\"%s\" is pass number %u of a list; there may be %u", name,
                list->pass_count + 1, GPU_PASSES_MAX);
        list->status = ENT_LIMIT;
    }
    if (list->status == ENT_OK && runs_apart(list)) list->status = part_begin(list);
    if (list->status != ENT_OK) return;
    list->pass_name[list->pass_count] = name;
    if (list->times == GPU_TIMES_PASSES) stamp(list, list->pass_count * 2);
}

/* The barriers of all stages of a pass are recorded before its first timestamp: waiting for the
 * previous pass counts as time of that pass. */
static void pass_waits(GpuList* list, GpuStageKind stage, const GpuUse* uses, u32 count,
                       const GpuUse* indirect) {
    bool waits = false;
    for (u32 i = 0; i < count; i++) {
        if (uses[i].buffer) waits |= use_waits(list, stage, &uses[i]);
    }
    if (waits) barrier_put(list, stage);
    if (indirect->buffer && use_waits(list, GPU_INDIRECT, indirect))
        barrier_put(list, GPU_INDIRECT);
    for (u32 i = 0; i < count; i++) {
        if (uses[i].buffer) use_mark(list, &uses[i]);
    }
    if (indirect->buffer) use_mark(list, indirect);
    list->active[stage] = list->pass_count + 1;
    if (indirect->buffer) list->active[GPU_INDIRECT] = list->pass_count + 1;
}

void gpu_pass_begin(GpuList* list, const char* name, GpuStageKind stage, const GpuUse* uses,
                    u32 count) {
    const GpuUse none = {0};
    if (list->status == ENT_OK && !runs_apart(list)) pass_waits(list, stage, uses, count, &none);
    pass_open(list, name);
}

void gpu_pass_end(GpuList* list) {
    if (list->status != ENT_OK) return;
    if (list->times == GPU_TIMES_PASSES) stamp(list, list->pass_count * 2 + 1);
    list->pass_count++;
    if (!runs_apart(list)) return;
    const VkResult result = GPU_CALL(list->gpu, list->gpu->vk.vkEndCommandBuffer(list->commands));
    if (result != VK_SUCCESS) list->status = gpu_refused(list->gpu, "a buffer of commands", result);
}

/* --- kernel passes --- */

static ent_status sets_more(GpuList* list) {
    Gpu*                             gpu = list->gpu;
    const VkDescriptorPoolSize       size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                             SETS_OF_A_POOL * GPU_BINDINGS};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = SETS_OF_A_POOL,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    if (list->sets[list->set_count / SETS_OF_A_POOL]) return ENT_OK;
    assert(list->set_count < GPU_PASSES_MAX);
    GPU_TRY(gpu, "a pool of bindings",
            gpu->vk.vkCreateDescriptorPool(gpu->device, &info, NULL,
                                           &list->sets[list->set_count / SETS_OF_A_POOL]));
    return ENT_OK;
}

ent_status gpu_bind(GpuList* list, VkPipelineBindPoint point, const GpuUse* uses, u32 count) {
    Gpu*                   gpu = list->gpu;
    VkDescriptorBufferInfo buffers[GPU_BINDINGS];
    VkWriteDescriptorSet   writes[GPU_BINDINGS];
    VkDescriptorSet        set;
    u32                    used = 0;
    TRY(sets_more(list));
    const VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = list->sets[list->set_count / SETS_OF_A_POOL],
        .descriptorSetCount = 1,
        .pSetLayouts = &gpu->set_layout};
    GPU_TRY(gpu, "a set of bindings", gpu->vk.vkAllocateDescriptorSets(gpu->device, &info, &set));
    list->set_count++;
    for (u32 i = 0; i < count; i++) {
        const GpuBuffer* buffer = uses[i].buffer;
        if (!buffer) continue;
        buffers[used] = (VkDescriptorBufferInfo){buffer->handle, buffer->offset, buffer->bytes};
        writes[used] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                              .dstSet = set,
                                              .dstBinding = i,
                                              .descriptorCount = 1,
                                              .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                              .pBufferInfo = &buffers[used]};
        used++;
    }
    gpu->vk.vkUpdateDescriptorSets(gpu->device, used, writes, 0, NULL);
    gpu->vk.vkCmdBindDescriptorSets(list->commands, point, gpu->layout, 0, 1, &set, 0, NULL);
    return ENT_OK;
}

/* Dispatches rows of groups, because the size of a dispatch along x is limited. Kernels compute the
 * thread's number with thread_index(). */
static void dispatch(GpuList* list, const GpuPass* pass) {
    Gpu*      gpu = list->gpu;
    const u64 groups = (pass->threads + pass->kernel->group_size - 1) / pass->kernel->group_size;
    const u64 most = gpu->limits.maxComputeWorkGroupCount[0];
    const u64 rows = (groups + most - 1) / most;
    if (pass->indirect) {
        gpu->vk.vkCmdDispatchIndirect(list->commands, pass->indirect->handle,
                                      pass->indirect->offset + pass->indirect_offset);
    } else if (groups > 0) {
        gpu->vk.vkCmdDispatch(list->commands, (u32)((groups + rows - 1) / rows), (u32)rows, 1);
    }
}

void gpu_pass(GpuList* list, const GpuPass* pass) {
    Gpu*         gpu = list->gpu;
    const GpuUse indirect = {pass->indirect, GPU_READ};
    assert(pass->push_bytes <= GPU_PUSH_BYTES);
    if (list->status != ENT_OK) return;
    if (!runs_apart(list)) pass_waits(list, GPU_COMPUTE, pass->use, GPU_BINDINGS, &indirect);
    pass_open(list, pass->name);
    if (list->status == ENT_OK)
        list->status = gpu_bind(list, VK_PIPELINE_BIND_POINT_COMPUTE, pass->use, GPU_BINDINGS);
    if (list->status != ENT_OK) return;
    gpu->vk.vkCmdBindPipeline(list->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                              pass->kernel->pipeline);
    const VkDescriptorSet sets[] = {pass->textures, pass->images};
    for (u32 i = 0; i < COUNT_OF(sets); i++) {
        if (sets[i])
            gpu->vk.vkCmdBindDescriptorSets(list->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                            gpu->layout, 1 + i, 1, &sets[i], 0, NULL);
    }
    if (pass->push_bytes)
        gpu->vk.vkCmdPushConstants(list->commands, gpu->layout, VK_SHADER_STAGE_ALL, 0,
                                   pass->push_bytes, pass->push);
    dispatch(list, pass);
    gpu_pass_end(list);
}

ent_status gpu_list_end(GpuList* list) {
    Gpu* gpu = list->gpu;
    TRY(list->status);
    if (runs_apart(list)) return ENT_OK;
    if (list->times == GPU_TIMES_LIST) stamp(list, 1);
    GPU_TRY(gpu, "a buffer of commands", gpu->vk.vkEndCommandBuffer(list->commands));
    return ENT_OK;
}

/* --- running --- */

static ent_status queries_read(GpuList* list) {
    Gpu*      gpu = list->gpu;
    u64       ticks[GPU_PASSES_MAX * 2];
    const f64 ms = (f64)gpu->limits.timestampPeriod / 1e6;
    const u32 count = list->times == GPU_TIMES_LIST ? 2 : list->pass_count * 2;
    if (count == 0) return ENT_OK;
    GPU_TRY(gpu, "times",
            gpu->vk.vkGetQueryPoolResults(gpu->device, list->queries, 0, count, sizeof ticks, ticks,
                                          sizeof *ticks,
                                          VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    list->ms = (f64)(ticks[count - 1] - ticks[0]) * ms;
    for (u32 i = 0; list->times == GPU_TIMES_PASSES && i < list->pass_count; i++) {
        list->pass_ms[i] = (f64)(ticks[i * 2 + 1] - ticks[i * 2]) * ms;
    }
    return ENT_OK;
}

ent_status gpu_list_run(GpuList* list) {
    const u64 start = clock_ns();
    for (u32 i = 0; i < list->part_count; i++) {
        const u64 before = clock_ns();
        TRY(gpu_submit(list->gpu, &list->part[i], 1));
        if (runs_apart(list)) list->pass_ms[i] = (f64)(clock_ns() - before) / 1e6;
    }
    list->ms = (f64)(clock_ns() - start) / 1e6;
    return has_queries(list) ? queries_read(list) : ENT_OK;
}

ent_status gpu_list_run_often(GpuList* list, u32 count) {
    VkCommandBuffer commands[RUNS_AT_ONCE];
    if (list->times != GPU_TIMES_NONE) {
        for (u32 i = 0; i < count; i++) TRY(gpu_list_run(list));
        return ENT_OK;
    }
    for (u32 i = 0; i < RUNS_AT_ONCE; i++) commands[i] = list->part[0];
    for (u32 left = count, some; left > 0; left -= some) {
        some = MIN_OF(left, (u32)RUNS_AT_ONCE);
        TRY(gpu_submit(list->gpu, commands, some));
    }
    return ENT_OK;
}

u32 gpu_list_times(const GpuList* list, GpuTime* times, u32 capacity) {
    u32 count = 0;
    if (list->times != GPU_TIMES_PASSES) return 0;
    for (u32 i = 0; i < list->pass_count; i++) {
        u32 at = 0;
        while (at < count && strcmp(times[at].name, list->pass_name[i]) != 0) at++;
        if (at == capacity) continue;
        if (at == count) times[count++] = (GpuTime){list->pass_name[i], 0};
        times[at].ms += list->pass_ms[i];
    }
    return count;
}

void gpu_list_destroy(GpuList* list) {
    Gpu* gpu = list->gpu;
    if (!gpu) return;
    if (list->part_made)
        gpu->vk.vkFreeCommandBuffers(gpu->device, gpu->commands, list->part_made, list->part);
    for (u32 i = 0; i < COUNT_OF(list->sets); i++) {
        gpu->vk.vkDestroyDescriptorPool(gpu->device, list->sets[i], NULL);
    }
    gpu->vk.vkDestroyQueryPool(gpu->device, list->queries, NULL);
    free(list->part);
    free(list->track);
    *list = (GpuList){0};
}
