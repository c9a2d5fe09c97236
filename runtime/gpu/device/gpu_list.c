/* gpu_list.c - describes passes, runs their commands, and reads their times. */
#include "gpu_list.h"

#include <stdlib.h>

#include "clock.h"

#define RUNS_AT_ONCE 64
#define STEPS_FIRST  32u

/* --- steps --- */

/* Room for `more` elements; false after a failure, which the list reports at its end. */
static bool room_for(GpuList* list, void** at, u32 count, u32 more, u32* capacity, size_t bytes) {
    u32 room = MAX_OF(*capacity, STEPS_FIRST);
    if (count + more <= *capacity) return true;
    while (room < count + more) room *= 2;
    void* grown = realloc(*at, room * bytes);
    if (!grown) {
        list->status = ENT_NO_MEMORY;
        return false;
    }
    *at = grown;
    *capacity = room;
    return true;
}

static GpuStep* step_add(GpuList* list, GpuStepKind kind, const char* name) {
    GpuScript* s = &list->script;
    if (list->status != ENT_OK) return NULL;
    if (!room_for(list, (void**)&s->step, s->step_count, 1, &s->step_capacity, sizeof *s->step))
        return NULL;
    GpuStep* step = &s->step[s->step_count++];
    memset(step, 0, sizeof *step);
    step->kind = kind;
    step->group = list->group;
    step->name = name;
    step->use_first = s->use_count;
    return step;
}

static void use_add(GpuList* list, GpuStep* step, const GpuBuffer* buffer, GpuAccess access,
                    u32 binding, GpuStageKind stage) {
    GpuScript* s = &list->script;
    if (!buffer || list->status != ENT_OK) return;
    if (!room_for(list, (void**)&s->use, s->use_count, 1, &s->use_capacity, sizeof *s->use)) return;
    s->use[s->use_count++] = (GpuStepUse){.handle = buffer->handle,
                                          .offset = buffer->offset,
                                          .bytes = buffer->bytes,
                                          .number = buffer->number,
                                          .binding = (u8)binding,
                                          .access = (u8)access,
                                          .stage = (u8)stage};
    step->use_count++;
}

static void push_set(GpuStep* step, const void* push, u32 bytes) {
    assert(bytes <= GPU_PUSH_BYTES);
    step->call.push_bytes = bytes;
    if (bytes) memcpy(step->call.push, push, bytes);
}

/* Rows of groups, because the size of a dispatch along x is limited. Kernels compute the thread's
 * number with thread_index(). */
static void groups_set(const GpuList* list, GpuStep* step, const GpuPass* pass) {
    const u64 groups = (pass->threads + pass->kernel->group_size - 1) / pass->kernel->group_size;
    const u64 max = list->gpu->limits.maxComputeWorkGroupCount[0];
    const u64 rows = (groups + max - 1) / max;
    if (groups == 0) return;
    step->call.count_x = (u32)((groups + rows - 1) / rows);
    step->call.count_y = (u32)rows;
}

void gpu_pass(GpuList* list, const GpuPass* pass) {
    if (pass->threads == 0 && !pass->indirect) return;
    GpuStep* step = step_add(list, GPU_STEP_KERNEL, pass->name);
    if (!step) return;
    step->call.pipeline = pass->kernel->pipeline;
    step->call.textures = pass->textures;
    step->call.images = pass->images;
    push_set(step, pass->push, pass->push_bytes);
    groups_set(list, step, pass);
    if (pass->indirect) {
        step->call.indirect = pass->indirect->handle;
        step->call.indirect_offset = pass->indirect->offset + pass->indirect_offset;
    }
    for (u32 i = 0; i < GPU_BINDINGS; i++)
        use_add(list, step, pass->use[i].buffer, pass->use[i].access, i, GPU_COMPUTE);
    use_add(list, step, pass->indirect, GPU_READ, GPU_NO_BINDING, GPU_INDIRECT);
}

void gpu_raster(GpuList* list, const GpuRaster* raster) {
    GpuStep* step = step_add(list, GPU_STEP_RASTER, raster->name);
    if (!step) return;
    step->raster.render_pass = raster->render_pass;
    step->raster.framebuffer = raster->framebuffer;
    step->raster.width = raster->width;
    step->raster.height = raster->height;
    step->raster.clear_count = raster->clear_count;
    memcpy(step->raster.clear, raster->clear, sizeof step->raster.clear);
}

void gpu_draw(GpuList* list, const GpuDraw* draw) {
    GpuStep* step = step_add(list, GPU_STEP_DRAW, NULL);
    if (!step) return;
    step->call.pipeline = draw->pipeline;
    step->call.textures = draw->textures;
    step->call.count_x = draw->vertex_count;
    step->call.count_y = draw->instance_count;
    push_set(step, draw->push, draw->push_bytes);
    if (draw->indirect) {
        step->call.index = draw->index ? draw->index->handle : VK_NULL_HANDLE;
        step->call.indirect = draw->indirect->handle;
        step->call.indirect_count = draw->indirect_count;
        step->call.indirect_offset =
            draw->indirect->offset + draw->indirect_offset +
            (u64)draw->indirect_first * sizeof(VkDrawIndexedIndirectCommand);
    }
    for (u32 i = 0; i < GPU_BINDINGS; i++)
        use_add(list, step, draw->use[i].buffer, draw->use[i].access, i, GPU_RASTERISING);
    use_add(list, step, draw->index, GPU_READ, GPU_NO_BINDING, GPU_RASTERISING);
    use_add(list, step, draw->indirect, GPU_READ, GPU_NO_BINDING, GPU_RASTERISING);
}

void gpu_copy(GpuList* list, const GpuCopy* copy) {
    GpuStep* step = copy->bytes ? step_add(list, GPU_STEP_COPY, copy->name) : NULL;
    if (!step) return;
    assert(copy->from_offset + copy->bytes <= copy->from->bytes);
    assert(copy->to_offset + copy->bytes <= copy->to->bytes);
    step->copy.from = copy->from->handle;
    step->copy.to = copy->to->handle;
    step->copy.from_offset = copy->from->offset + copy->from_offset;
    step->copy.to_offset = copy->to->offset + copy->to_offset;
    step->copy.bytes = copy->bytes;
    step->copy.to_host = copy->to_host;
    use_add(list, step, copy->from, GPU_READ, GPU_NO_BINDING, GPU_COPYING);
    use_add(list, step, copy->to, GPU_WRITE, GPU_NO_BINDING, GPU_COPYING);
}

void gpu_copy_rect(GpuList* list, const GpuRect* rect) {
    const GpuBuffer* buffer = rect->from ? rect->from : rect->to;
    GpuStep*         step = step_add(list, GPU_STEP_RECT, rect->name);
    if (!step) return;
    assert(!rect->from || !rect->to);
    step->rect.from = rect->from ? rect->from->handle : VK_NULL_HANDLE;
    step->rect.to = rect->to ? rect->to->handle : VK_NULL_HANDLE;
    step->rect.from_image = rect->from_image;
    step->rect.to_image = rect->to_image;
    step->rect.offset = buffer ? buffer->offset : 0;
    step->rect.row = rect->row;
    step->rect.left = rect->left;
    step->rect.top = rect->top;
    step->rect.width = rect->width;
    step->rect.height = rect->height;
    use_add(list, step, rect->from, GPU_READ, GPU_NO_BINDING, GPU_COPYING);
    use_add(list, step, rect->to, GPU_WRITE, GPU_NO_BINDING, GPU_COPYING);
}

void gpu_copy_layers(GpuList* list, const GpuLayers* layers) {
    GpuStep* step = step_add(list, GPU_STEP_LAYERS, layers->name);
    if (!step) return;
    assert(!layers->from || !layers->from_image);
    step->layers.from = layers->from ? layers->from->handle : VK_NULL_HANDLE;
    step->layers.offset = layers->from ? layers->from->offset + layers->from_offset : 0;
    step->layers.from_image = layers->from_image;
    step->layers.image = layers->image;
    step->layers.level = layers->level;
    step->layers.layer = layers->layer;
    step->layers.layer_count = layers->layer_count;
    step->layers.width = layers->width;
    step->layers.height = layers->height;
    use_add(list, step, layers->from, GPU_READ, GPU_NO_BINDING, GPU_COPYING);
}

void gpu_set(GpuList* list, const char* name, const GpuBuffer* buffer, u32 word) {
    GpuStep* step = step_add(list, GPU_STEP_FILL, name);
    if (!step) return;
    step->copy.to = buffer->handle;
    step->copy.to_offset = buffer->offset;
    step->copy.bytes = align_up(buffer->bytes, 4);
    step->copy.fill = word;
    use_add(list, step, buffer, GPU_WRITE, GPU_NO_BINDING, GPU_COPYING);
}

/* --- lists --- */

ent_status gpu_list_begin(GpuList* list, Gpu* gpu, GpuTimes times) {
    *list = (GpuList){0};
    gpu_list_restart(list, gpu, times);
    return ENT_OK;
}

void gpu_list_restart(GpuList* list, Gpu* gpu, GpuTimes times) {
    assert(!list->gpu || list->gpu == gpu);
    list->gpu = gpu;
    list->times = times;
    list->status = ENT_OK;
    list->group = NULL;
    list->script.step_count = list->script.use_count = 0;
}

/* Would the same commands be recorded? */
static bool is_repeated(const GpuList* list) {
    const GpuScript *a = &list->script, *b = &list->recorded;
    if (!list->is_recorded || list->changes != list->gpu->changes) return false;
    if (a->step_count != b->step_count || a->use_count != b->use_count) return false;
    if (a->step_count == 0) return true;
    return memcmp(a->step, b->step, a->step_count * sizeof *a->step) == 0 &&
           memcmp(a->use, b->use, a->use_count * sizeof *a->use) == 0;
}

static ent_status list_end(GpuList* list, VkCommandBuffer host) {
    list->was_recorded = false;
    TRY(list->status);
    if (!host && is_repeated(list)) return ENT_OK;
    list->was_recorded = true;
    list->is_recorded = false;
    TRY(gpu_commands_record(list, host));
    const GpuScript before = list->recorded;
    list->recorded = list->script;
    list->script = before;
    list->is_recorded = host == VK_NULL_HANDLE;
    return ENT_OK;
}

ent_status gpu_list_end(GpuList* list) { return list_end(list, VK_NULL_HANDLE); }

ent_status gpu_list_end_in(GpuList* list, VkCommandBuffer commands) {
    return list_end(list, commands);
}

void gpu_list_destroy(GpuList* list) {
    Gpu* gpu = list->gpu;
    if (!gpu) return;
    if (list->parts.created)
        gpu->vk.vkFreeCommandBuffers(gpu->device, gpu->commands, list->parts.created,
                                     list->parts.at);
    for (u32 i = 0; i < list->sets.pool_count; i++)
        gpu->vk.vkDestroyDescriptorPool(gpu->device, list->sets.pool[i], NULL);
    gpu->vk.vkDestroyQueryPool(gpu->device, list->timer.queries, NULL);
    free(list->script.step);
    free(list->script.use);
    free(list->recorded.step);
    free(list->recorded.use);
    free(list->parts.at);
    free(list->sets.pool);
    free(list->sets.at);
    free(list->timer.pass);
    free(list->tracks.at);
    *list = (GpuList){0};
}

/* --- running --- */

/* In pieces: the results of all passes of a long list are not on the stack at once. */
static ent_status passes_measure(GpuList* list, f64 tick_ms) {
    enum { AT_ONCE = 64 };
    u64 ticks[AT_ONCE * 2], begin = 0;
    for (u32 first = 0, some; first < list->pass_count; first += some) {
        some = MIN_OF(list->pass_count - first, (u32)AT_ONCE);
        GPU_TRY(list->gpu, "times",
                list->gpu->vk.vkGetQueryPoolResults(
                    list->gpu->device, list->timer.queries, first * 2, some * 2, sizeof ticks,
                    ticks, sizeof *ticks, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
        if (first == 0) begin = ticks[0];
        for (u32 i = 0; i < some; i++)
            list->timer.pass[first + i].ms = (f64)(ticks[i * 2 + 1] - ticks[i * 2]) * tick_ms;
        list->ms = (f64)(ticks[some * 2 - 1] - begin) * tick_ms;
    }
    return ENT_OK;
}

ent_status gpu_list_measure(GpuList* list) {
    Gpu*      gpu = list->gpu;
    u64       ticks[2];
    const f64 tick_ms = (f64)gpu->limits.timestampPeriod / 1e6;
    if (gpu->info.software || list->times == GPU_TIMES_NONE || list->pass_count == 0) return ENT_OK;
    if (list->times == GPU_TIMES_PASSES) return passes_measure(list, tick_ms);
    GPU_TRY(gpu, "times",
            gpu->vk.vkGetQueryPoolResults(gpu->device, list->timer.queries, 0, 2, sizeof ticks,
                                          ticks, sizeof *ticks,
                                          VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    list->ms = (f64)(ticks[1] - ticks[0]) * tick_ms;
    return ENT_OK;
}

ent_status gpu_list_run(GpuList* list) {
    const u64 start = clock_ns();
    list->ms = 0;
    if (list->pass_count == 0) return ENT_OK;
    for (u32 i = 0; i < list->parts.count; i++) {
        const u64 before = clock_ns();
        TRY(gpu_submit(list->gpu, &list->parts.at[i], 1));
        if (gpu_list_runs_apart(list)) list->timer.pass[i].ms = (f64)(clock_ns() - before) / 1e6;
    }
    list->ms = (f64)(clock_ns() - start) / 1e6;
    return gpu_list_measure(list);
}

ent_status gpu_list_run_often(GpuList* list, u32 count) {
    VkCommandBuffer commands[RUNS_AT_ONCE];
    if (list->times != GPU_TIMES_NONE) {
        for (u32 i = 0; i < count; i++) TRY(gpu_list_run(list));
        return ENT_OK;
    }
    for (u32 i = 0; i < RUNS_AT_ONCE; i++) commands[i] = list->parts.at[0];
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
        const GpuPassTime* pass = &list->timer.pass[i];
        u32                at = 0;
        while (at < count &&
               (times[at].group != pass->group || strcmp(times[at].name, pass->name) != 0))
            at++;
        if (at == capacity) continue;
        if (at == count) times[count++] = (GpuTime){pass->group, pass->name, 0};
        times[at].ms += pass->ms;
    }
    return count;
}
