/* skinning.c - instances and their vertices, and the passes of a frame. */
#include "skinning.h"

#include <stdlib.h>

#include "hash.h"

#include "skinning_attach.comp.h"
#include "skinning_bounds.comp.h"
#include "skinning_direct.comp.h"
#include "skinning_morph.comp.h"
#include "skinning_palette.comp.h"
#include "skinning_sample.comp.h"
#include "skinning_select.comp.h"
#include "skinning_shared.comp.h"

#define MATRIX_WORDS 12u

_Static_assert(sizeof(SkinJoint) == sizeof(JointRecord), "joints are uploaded unchanged");
_Static_assert(offsetof(SkinJoint, rotation) == offsetof(JointRecord, rotation), "as joints are");
_Static_assert(sizeof(SkinBind) == sizeof(BindRecord), "binds are uploaded unchanged");
_Static_assert(sizeof(SkinChannel) == sizeof(PoseChannel), "channels are uploaded unchanged");

/* --- arrays of the host --- */

/* Room for `more` elements behind `count`. */
static ent_status room_make(void** at, u32 count, u32 more, u32* room, size_t bytes) {
    u64 wanted = MAX_OF(*room, 16u);
    if ((u64)count + more <= *room) return ENT_OK;
    while (wanted < (u64)count + more) wanted *= 2;
    if (wanted > UINT32_MAX) return ENT_LIMIT;
    void* grown = realloc(*at, wanted * bytes);
    if (!grown) return ENT_NO_MEMORY;
    *at = grown;
    *room = (u32)wanted;
    return ENT_OK;
}

#define ROOM(s, name, count, more)                                                                 \
    room_make((void**)&(s)->name, (count), (more), &(s)->name##_room, sizeof *(s)->name)

void skinning_clear(Skinning* s) {
    s->instance_count = s->range_count = s->block_count = s->weight_count = s->active_count = 0;
    s->local_count = s->palette_count = s->to_count = 0;
    s->joint_max = s->bind_max = 0;
    s->posed = 0;
}

ent_status skinning_instance(Skinning* s, u32 skeleton, u32* instance) {
    const PoseSkeleton  none = {0};
    const PoseSkeleton* entry = skeleton == NONE ? &none : &s->tables->skeleton[skeleton];
    if ((u64)s->local_count + entry->joint_count > UINT32_MAX ||
        (u64)s->palette_count + entry->bind_count > UINT32_MAX)
        return ENT_LIMIT;
    TRY(ROOM(s, instance, s->instance_count, 1));
    TRY(ROOM(s, palette_first, s->instance_count, 1));
    TRY(ROOM(s, local_first, s->instance_count, 1));
    TRY(ROOM(s, skeleton, s->instance_count, 1));
    s->local_first[s->instance_count] = s->local_count;
    s->skeleton[s->instance_count] = skeleton;
    s->palette_first[s->instance_count] = s->palette_count;
    *instance = s->instance_count++;
    s->instance[*instance] = (SkinInstance){.first_joint = entry->first_joint,
                                            .joint_count = entry->joint_count,
                                            .first_bind = entry->first_bind,
                                            .bind_count = entry->bind_count,
                                            .first_local = s->local_count,
                                            .first_palette = s->palette_count,
                                            .channels = SKINNING_NONE,
                                            .channels_2 = SKINNING_NONE};
    s->local_count += entry->joint_count;
    s->palette_count += entry->bind_count;
    s->joint_max = MAX_OF(s->joint_max, entry->joint_count);
    s->bind_max = MAX_OF(s->bind_max, entry->bind_count);
    return ENT_OK;
}

/* Weights of all targets, and what of them is uploaded: two words for each, and an end. */
static ent_status weights_add(Skinning* s, u32 targets, u32* first) {
    *first = SKINNING_NONE;
    if (targets == 0) return ENT_OK;
    if (targets > UINT32_MAX / 4) return ENT_LIMIT;
    TRY(ROOM(s, weight, s->weight_count, targets));
    TRY(ROOM(s, active, s->active_count, 1 + targets * 2));
    *first = s->active_count;
    memset(s->weight + s->weight_count, 0, targets * sizeof *s->weight);
    memset(s->active + s->active_count, 0, (1 + targets * 2) * sizeof *s->active);
    s->weight_count += targets;
    s->active_count += 1 + targets * 2;
    return ENT_OK;
}

ent_status skinning_range(Skinning* s, u32 instance, const SkinningMesh* mesh, u32* range) {
    SkinRange part_range = mesh->range;
    assert(instance == NONE || (part_range.joints % 2 == 0 && part_range.weights % 2 == 0));
    assert(part_range.joints_1 == SKINNING_NONE ||
           (part_range.joints_1 % 2 == 0 && part_range.weights_1 % 2 == 0));
    const u64 words =
        align_up(part_range.vertex_count * (part_range.tangent == SKINNING_NONE ? 4ull : 5ull), 4);
    if (s->to_count + words > UINT32_MAX) return ENT_LIMIT;
    TRY(ROOM(s, range, s->range_count, 1));
    TRY(ROOM(s, range_targets, s->range_count, 1));
    s->range_targets[s->range_count] = s->weight_count;
    TRY(weights_add(s, mesh->target_count, &part_range.first_weight));
    part_range.instance = instance == NONE ? SKINNING_NONE : instance;
    part_range.bone_count = instance == NONE ? 0 : s->instance[instance].bind_count;
    part_range.to = s->to_count;
    part_range.to_tangent = s->to_count + part_range.vertex_count * 4;
    s->to_count += (u32)words;
    *range = s->range_count++;
    s->range[*range] = part_range;
    return ENT_OK;
}

f32* skinning_weights(const Skinning* s, u32 range) { return s->weight + s->range_targets[range]; }

void skinning_play(Skinning* s, u32 instance, const PosePlay* play) {
    SkinInstance*       at = &s->instance[instance];
    const PoseTables*   t = s->tables;
    const PoseSkeleton* skeleton = &t->skeleton[s->skeleton[instance]];
    at->first_palette = s->palette_first[instance];
    at->first_local = s->local_first[instance];
    at->joint_count = skeleton->joint_count;
    at->bind_count = skeleton->bind_count;
    at->channels = play->set == NONE ? SKINNING_NONE : t->set[play->set].first_channel;
    at->channels_2 = play->set_2 == NONE ? SKINNING_NONE : t->set[play->set_2].first_channel;
    at->time_s = play->time_s;
    at->time_2_s = play->time_2_s;
    at->blend = play->blend;
}

void skinning_share(Skinning* s, u32 instance, u32 other) {
    SkinInstance*       at = &s->instance[instance];
    const SkinInstance* from = &s->instance[other];
    at->joint_count = at->bind_count = 0;
    at->first_palette = from->first_palette;
    at->first_local = from->first_local;
}

/* --- blocks of vertices --- */

static u32 kernel_of(const Skinning* s, const SkinRange* range) {
    if (range->instance == SKINNING_NONE) return SKINNING_MORPH;
    if (range->bone_count > s->shared_max) return SKINNING_BUFFER;
    return range->bone_count <= 64 ? 0 : range->bone_count <= 128 ? 1 : 2;
}

static u32 block_vertices(u32 kernel) {
    return kernel == SKINNING_MORPH ? SKINNING_THREADS : SKINNING_THREADS * SKINNING_EACH;
}

static u32 blocks_of(const Skinning* s, const SkinRange* range) {
    const u32 each = block_vertices(kernel_of(s, range));
    return range->vertex_count / each + (range->vertex_count % each > 0);
}

static ent_status blocks_fill(Skinning* s) {
    u64 count = 0;
    for (u32 i = 0; i < s->range_count; i++) count += blocks_of(s, &s->range[i]);
    if (count > UINT32_MAX) return ENT_LIMIT;
    s->block_count = 0;
    TRY(ROOM(s, block, 0, (u32)count));
    for (u32 k = 0; k < SKINNING_KERNELS; k++) {
        s->block_first[k] = s->block_count;
        for (u32 i = 0; i < s->range_count; i++) {
            if (kernel_of(s, &s->range[i]) != k) continue;
            for (u32 b = 0; b < blocks_of(s, &s->range[i]); b++)
                s->block[s->block_count++] = (SkinBlock){i, b * block_vertices(k)};
        }
    }
    s->block_first[SKINNING_KERNELS] = s->block_count;
    return ENT_OK;
}

static ent_status kernels_create(Skinning* s) {
    for (u32 k = 0; k < SKINNING_BUFFER; k++) {
        const u32 bones = 64u << k;
        if (s->block_first[k] == s->block_first[k + 1] || s->skin[k].pipeline) continue;
        TRY(gpu_kernel_create_with(&s->skin[k], s->gpu,
                                   &GPU_KERNEL(skinning_shared, SKINNING_THREADS), &bones, 1));
    }
    return ENT_OK;
}

/* --- buffers --- */

static u32 half_more(u32 count) { return (u32)MIN_OF(count + (u64)count / 2, (u64)UINT32_MAX); }

/* Buffers for half more than there is, when something does not fit into those that exist. */
static ent_status buffers_create(Skinning* s, GpuFrame* frame) {
    const u32 counts[] = {s->instance_count, s->local_count,  s->palette_count,
                          s->range_count,    s->active_count, s->to_count};
    u32       blocks = 0;
    bool      fits = s->pool.count > 0 && s->block_count <= s->blocks.bytes / sizeof(SkinBlock);
    for (u32 i = 0; i < COUNT_OF(counts); i++) fits = fits && counts[i] <= s->places[i];
    if (fits) return ENT_OK;
    gpu_frame_retire_pool(frame, &s->pool);
    for (u32 i = 0; i < COUNT_OF(counts); i++) s->places[i] = half_more(counts[i]);
    blocks = half_more(s->block_count);
    const GpuBufferRequest requests[] = {
        {&s->instances, s->places[0], sizeof(SkinInstance), "skins"},
        {&s->locals, s->places[1], sizeof(f32[MATRIX_WORDS]), "joints of skins"},
        {&s->palettes, s->places[2], sizeof(f32[MATRIX_WORDS]), "bones of skins"},
        {&s->ranges, s->places[3], sizeof(SkinRange), "skinned meshes"},
        {&s->boxes, s->places[3], sizeof(SkinBounds), "skinned meshes"},
        {&s->weights, s->places[4], sizeof(u32), "weights of morph targets"},
        {&s->to, s->places[5], sizeof(u32), "words of skinned vertices"},
        {&s->wanted, s->places[3], sizeof(u32), "skinned meshes"},
        {&s->blocks, blocks, sizeof(SkinBlock), "blocks of skinned vertices"},
        {&s->chosen, blocks, sizeof(SkinBlock), "blocks of skinned vertices"},
        {&s->calls, SKINNING_KERNELS, sizeof(SkinCall), "calls of kernels that skin"}};
    const ent_status status = gpu_pool_create(&s->pool, s->gpu, requests, COUNT_OF(requests));
    if (status != ENT_OK) gpu_pool_destroy(&s->pool);
    return status;
}

ent_status skinning_place(Skinning* s, GpuFrame* frame) {
    s->posed = 0;
    TRY(blocks_fill(s));
    TRY(kernels_create(s));
    TRY(buffers_create(s, frame));
    gpu_frame_upload(frame, &s->ranges, 0, s->range, s->range_count * sizeof *s->range);
    return gpu_frame_upload(frame, &s->blocks, 0, s->block, s->block_count * sizeof *s->block);
}

/* The tables, when they have grown. */
static ent_status tables_upload(Skinning* s, GpuFrame* frame) {
    const PoseTables* t = s->tables;
    if (s->joint_count == t->joint_count && s->bind_count == t->bind_count &&
        s->channel_count == t->channel_count && s->key_count == t->key_count && s->table_pool.count)
        return ENT_OK;
    const GpuBufferRequest requests[] = {
        {&s->joints, t->joint_count, sizeof(SkinJoint), "joints"},
        {&s->binds, t->bind_count, sizeof(SkinBind), "bones"},
        {&s->channels, t->channel_count, sizeof(SkinChannel), "tracks"},
        {&s->keys, t->key_count, sizeof(f32), "keys of clips"}};
    const void* from[] = {t->joint, t->bind, t->channel, t->key};
    s->posed = 0;
    gpu_frame_retire_pool(frame, &s->table_pool);
    const ent_status status = gpu_pool_create(&s->table_pool, s->gpu, requests, COUNT_OF(requests));
    if (status != ENT_OK) gpu_pool_destroy(&s->table_pool);
    TRY(status);
    for (u32 i = 0; i < COUNT_OF(requests); i++)
        gpu_frame_upload(frame, requests[i].buffer, 0, from[i],
                         requests[i].count * requests[i].stride);
    s->joint_count = t->joint_count;
    s->bind_count = t->bind_count;
    s->channel_count = t->channel_count;
    s->key_count = t->key_count;
    return frame->list.status;
}

ent_status skinning_create(Skinning* s, Gpu* gpu, const PoseTables* tables) {
    *s = (Skinning){.gpu = gpu, .tables = tables, .shared_max = SKINNING_SHARED_MAX};
    TRY(gpu_kernel_create(&s->sample, gpu, &GPU_KERNEL(skinning_sample, SKINNING_GROUP)));
    TRY(gpu_kernel_create(&s->palette, gpu, &GPU_KERNEL(skinning_palette, SKINNING_GROUP)));
    TRY(gpu_kernel_create(&s->bounds, gpu, &GPU_KERNEL(skinning_bounds, SKINNING_GROUP)));
    TRY(gpu_kernel_create(&s->attach, gpu, &GPU_KERNEL(skinning_attach, SKINNING_GROUP)));
    TRY(gpu_kernel_create(&s->select, gpu, &GPU_KERNEL(skinning_select, SKINNING_GROUP)));
    TRY(gpu_kernel_create(&s->skin[SKINNING_BUFFER], gpu,
                          &GPU_KERNEL(skinning_direct, SKINNING_THREADS)));
    return gpu_kernel_create(&s->skin[SKINNING_MORPH], gpu,
                             &GPU_KERNEL(skinning_morph, SKINNING_THREADS));
}

void skinning_destroy(Skinning* s) {
    if (!s->gpu) return;
    gpu_wait(s->gpu);
    gpu_kernel_destroy(&s->sample);
    gpu_kernel_destroy(&s->palette);
    gpu_kernel_destroy(&s->bounds);
    gpu_kernel_destroy(&s->attach);
    gpu_kernel_destroy(&s->select);
    for (u32 k = 0; k < SKINNING_KERNELS; k++) gpu_kernel_destroy(&s->skin[k]);
    gpu_pool_destroy(&s->table_pool);
    gpu_pool_destroy(&s->pool);
    free(s->instance);
    free(s->palette_first);
    free(s->local_first);
    free(s->skeleton);
    free(s->range);
    free(s->range_targets);
    free(s->block);
    free(s->weight);
    free(s->active);
    *s = (Skinning){0};
}

/* --- passes --- */

static u32 groups_for(u32 threads) { return (threads + SKINNING_GROUP - 1) / SKINNING_GROUP; }

static void poses_record(const Skinning* s, GpuList* list) {
    SkinningPush push = {.instance_count = s->instance_count, .groups = groups_for(s->joint_max)};
    gpu_pass(list, &(GpuPass){.name = "sample",
                              .kernel = &s->sample,
                              .use = {[SKINNING_INSTANCE] = {&s->instances, GPU_READ},
                                      [SKINNING_JOINT] = {&s->joints, GPU_READ},
                                      [SKINNING_CHANNEL] = {&s->channels, GPU_READ},
                                      [SKINNING_KEY] = {&s->keys, GPU_READ},
                                      [SKINNING_LOCAL] = {&s->locals, GPU_WRITE}},
                              .push = &push,
                              .push_bytes = sizeof push,
                              .threads = (u64)s->instance_count * push.groups * SKINNING_GROUP});
    push.groups = groups_for(s->bind_max);
    gpu_pass(list, &(GpuPass){.name = "palette",
                              .kernel = &s->palette,
                              .use = {[SKINNING_INSTANCE] = {&s->instances, GPU_READ},
                                      [SKINNING_JOINT] = {&s->joints, GPU_READ},
                                      [SKINNING_BIND] = {&s->binds, GPU_READ},
                                      [SKINNING_LOCAL] = {&s->locals, GPU_READ},
                                      [SKINNING_PALETTE] = {&s->palettes, GPU_WRITE}},
                              .push = &push,
                              .push_bytes = sizeof push,
                              .threads = (u64)s->instance_count * push.groups * SKINNING_GROUP});
}

static void bounds_record(const Skinning* s, GpuList* list, const SkinningInput* input) {
    const SkinningPush push = {.range_count = s->range_count};
    gpu_pass(list, &(GpuPass){.name = "bounds",
                              .kernel = &s->bounds,
                              .use = {[SKINNING_INSTANCE] = {&s->instances, GPU_READ},
                                      [SKINNING_PALETTE] = {&s->palettes, GPU_READ},
                                      [SKINNING_RANGE] = {&s->ranges, GPU_READ},
                                      [SKINNING_WEIGHT] = {&s->weights, GPU_READ},
                                      [SKINNING_TARGET] = {input->targets, GPU_READ},
                                      [SKINNING_BOX] = {input->boxes, GPU_READ},
                                      [SKINNING_BOUNDS] = {&s->boxes, GPU_WRITE}},
                              .push = &push,
                              .push_bytes = sizeof push,
                              .threads = (u64)s->range_count * SKINNING_GROUP});
}

static SkinningPush push_of(const Skinning* s, u32 kernel) {
    SkinningPush push = {.kernel = kernel};
    memcpy(push.block_first, s->block_first, sizeof push.block_first);
    return push;
}

static void blocks_select(const Skinning* s, GpuList* list) {
    const SkinningPush push = push_of(s, 0);
    gpu_set(list, "select", &s->calls, 0);
    gpu_pass(list, &(GpuPass){.name = "select",
                              .kernel = &s->select,
                              .use = {[SKINNING_BLOCK] = {&s->blocks, GPU_READ},
                                      [SKINNING_WANTED] = {&s->wanted, GPU_READ},
                                      [SKINNING_CHOSEN] = {&s->chosen, GPU_WRITE},
                                      [SKINNING_CALL] = {&s->calls, GPU_READ_WRITE}},
                              .push = &push,
                              .push_bytes = sizeof push,
                              .threads = s->block_count});
}

static void blocks_record(const Skinning* s, GpuList* list, const SkinningInput* input, u32 k) {
    const SkinningPush push = push_of(s, k);
    gpu_pass(list, &(GpuPass){.name = "skin",
                              .kernel = &s->skin[k],
                              .use = {[SKINNING_INSTANCE] = {&s->instances, GPU_READ},
                                      [SKINNING_PALETTE] = {&s->palettes, GPU_READ},
                                      [SKINNING_RANGE] = {&s->ranges, GPU_READ},
                                      [SKINNING_CHOSEN] = {&s->chosen, GPU_READ},
                                      [SKINNING_CALL] = {&s->calls, GPU_READ},
                                      [SKINNING_WANTED] = {&s->wanted, GPU_WRITE},
                                      [SKINNING_VERTEX] = {input->vertices, GPU_READ},
                                      [SKINNING_WEIGHT] = {&s->weights, GPU_READ},
                                      [SKINNING_TARGET] = {input->targets, GPU_READ},
                                      [SKINNING_MASK] = {input->masks, GPU_READ},
                                      [SKINNING_OUT] = {&s->to, GPU_WRITE}},
                              .push = &push,
                              .push_bytes = sizeof push,
                              .threads = 1,
                              .indirect = &s->calls,
                              .indirect_offset = k * sizeof(SkinCall)});
}

/* For each range the targets whose weight is not 0. */
static void active_fill(Skinning* s) {
    for (u32 i = 0; i < s->range_count; i++) {
        const u32 first = s->range[i].first_weight;
        if (first == SKINNING_NONE) continue;
        const u32  end = i + 1 < s->range_count ? s->range_targets[i + 1] : s->weight_count;
        const u32  count = end - s->range_targets[i];
        const f32* weight = skinning_weights(s, i);
        u32        at = first;
        for (u32 k = 0; k < count; k++) {
            if (weight[k] == 0) continue;
            s->active[at] = k;
            memcpy(&s->active[at + 1], &weight[k], sizeof weight[k]);
            at += 2;
        }
        s->active[at] = SKINNING_NONE;
    }
}

/* Poses and vertices that the device has computed are kept while nothing changes. */
ent_status skinning_record(Skinning* s, GpuFrame* frame, const SkinningInput* input) {
    TRY(tables_upload(s, frame));
    active_fill(s);
    const u64 now = (hash_bytes(s->instance, s->instance_count * sizeof *s->instance, 1) ^
                     hash_bytes(s->active, s->active_count * sizeof *s->active, 2)) |
                    1;
    if (now == s->posed) return frame->list.status;
    s->posed = now;
    gpu_frame_upload(frame, &s->instances, 0, s->instance, s->instance_count * sizeof *s->instance);
    gpu_frame_upload(frame, &s->weights, 0, s->active, s->active_count * sizeof *s->active);
    poses_record(s, &frame->list);
    bounds_record(s, &frame->list, input);
    if (s->range_count) gpu_set(&frame->list, "select", &s->wanted, SKINNING_UNWANTED);
    return frame->list.status;
}

void skinning_want_all(const Skinning* s, GpuList* list) {
    if (s->range_count) gpu_set(list, "select", &s->wanted, SKINNING_IS_WANTED);
}

void skinning_skin(const Skinning* s, GpuList* list, const SkinningInput* input) {
    if (s->block_count == 0) return;
    blocks_select(s, list);
    for (u32 k = 0; k < SKINNING_KERNELS; k++)
        if (s->block_first[k] < s->block_first[k + 1]) blocks_record(s, list, input, k);
}

ent_status skinning_attach(Skinning* s, GpuFrame* frame, const SkinFollower* followers, u32 count,
                           const GpuBuffer* worlds) {
    const SkinningPush push = {.range_count = count};
    GpuSpan            span;
    if (count == 0) return ENT_OK;
    TRY(gpu_frame_take(frame, count * sizeof *followers, &span));
    memcpy(span.at, followers, count * sizeof *followers);
    gpu_pass(&frame->list, &(GpuPass){.name = "attach",
                                      .kernel = &s->attach,
                                      .use = {[SKINNING_INSTANCE] = {&s->instances, GPU_READ},
                                              [SKINNING_JOINT] = {&s->joints, GPU_READ},
                                              [SKINNING_LOCAL] = {&s->locals, GPU_READ},
                                              [SKINNING_FOLLOWER] = {&span.buffer, GPU_READ},
                                              [SKINNING_WORLD] = {worlds, GPU_READ_WRITE}},
                                      .push = &push,
                                      .push_bytes = sizeof push,
                                      .threads = count});
    return frame->list.status;
}
