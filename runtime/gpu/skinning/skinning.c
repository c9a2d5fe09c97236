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
_Static_assert(sizeof(ClipChannel) == sizeof(PoseChannel), "channels are uploaded unchanged");

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
    room_make((void**)&(s)->name, (count), (more), &(s)->room.name, sizeof *(s)->name)

void skinning_clear(Skinning* s) {
    s->count = (SkinningCounts){0};
    s->joint_max = s->bind_max = 0;
    s->posed = 0;
}

ent_status skinning_instance(Skinning* s, u32 skeleton, u32* instance) {
    const PoseSkeleton  none = {0};
    const PoseSkeleton* entry = skeleton == NONE ? &none : &s->tables->skeleton[skeleton];
    if ((u64)s->count.locals + entry->joint_count > UINT32_MAX ||
        (u64)s->count.palettes + entry->bind_count > UINT32_MAX)
        return ENT_LIMIT;
    TRY(ROOM(s, instance, s->count.instances, 1));
    TRY(ROOM(s, source, s->count.instances, 1));
    s->source[s->count.instances] = (SkinningSource){s->count.palettes, s->count.locals, skeleton};
    *instance = s->count.instances++;
    s->instance[*instance] = (SkinInstance){.first_joint = entry->first_joint,
                                            .joint_count = entry->joint_count,
                                            .first_bind = entry->first_bind,
                                            .bind_count = entry->bind_count,
                                            .first_local = s->count.locals,
                                            .first_palette = s->count.palettes,
                                            .channels = SKINNING_NONE,
                                            .channels_2 = SKINNING_NONE};
    s->count.locals += entry->joint_count;
    s->count.palettes += entry->bind_count;
    s->joint_max = MAX_OF(s->joint_max, entry->joint_count);
    s->bind_max = MAX_OF(s->bind_max, entry->bind_count);
    return ENT_OK;
}

/* Weights of all targets, and what of them is uploaded: two words for each, and an end. */
static ent_status weights_add(Skinning* s, u32 targets, u32* first) {
    *first = SKINNING_NONE;
    if (targets == 0) return ENT_OK;
    if (targets > UINT32_MAX / 4) return ENT_LIMIT;
    TRY(ROOM(s, weight, s->count.weights, targets));
    TRY(ROOM(s, active, s->count.active, 1 + targets * 2));
    *first = s->count.active;
    memset(s->weight + s->count.weights, 0, targets * sizeof *s->weight);
    memset(s->active + s->count.active, 0, (1 + targets * 2) * sizeof *s->active);
    s->count.weights += targets;
    s->count.active += 1 + targets * 2;
    return ENT_OK;
}

ent_status skinning_range(Skinning* s, u32 instance, const SkinningMesh* mesh, u32* range) {
    SkinRange part_range = mesh->range;
    assert(instance == NONE || (part_range.joints % 2 == 0 && part_range.weights % 2 == 0));
    assert(part_range.joints_1 == SKINNING_NONE ||
           (part_range.joints_1 % 2 == 0 && part_range.weights_1 % 2 == 0));
    const u64 words =
        align_up(part_range.vertex_count * (part_range.tangent == SKINNING_NONE ? 4ull : 5ull), 4);
    if (s->count.to + words > UINT32_MAX) return ENT_LIMIT;
    TRY(ROOM(s, range, s->count.ranges, 1));
    TRY(ROOM(s, range_targets, s->count.ranges, 1));
    s->range_targets[s->count.ranges] = s->count.weights;
    TRY(weights_add(s, mesh->target_count, &part_range.first_weight));
    part_range.instance = instance == NONE ? SKINNING_NONE : instance;
    part_range.bone_count = instance == NONE ? 0 : s->instance[instance].bind_count;
    part_range.to = s->count.to;
    part_range.to_tangent = s->count.to + part_range.vertex_count * 4;
    s->count.to += (u32)words;
    *range = s->count.ranges++;
    s->range[*range] = part_range;
    return ENT_OK;
}

f32* skinning_weights(const Skinning* s, u32 range) { return s->weight + s->range_targets[range]; }

void skinning_play(Skinning* s, u32 instance, const PosePlay* play) {
    SkinInstance*       at = &s->instance[instance];
    const PoseTables*   t = s->tables;
    const PoseSkeleton* skeleton = &t->skeleton[s->source[instance].skeleton];
    at->first_palette = s->source[instance].palette_first;
    at->first_local = s->source[instance].local_first;
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
    for (u32 i = 0; i < s->count.ranges; i++) count += blocks_of(s, &s->range[i]);
    if (count > UINT32_MAX) return ENT_LIMIT;
    s->count.blocks = 0;
    TRY(ROOM(s, block, 0, (u32)count));
    for (u32 k = 0; k < SKINNING_KERNELS; k++) {
        s->block_first[k] = s->count.blocks;
        for (u32 i = 0; i < s->count.ranges; i++) {
            if (kernel_of(s, &s->range[i]) != k) continue;
            for (u32 b = 0; b < blocks_of(s, &s->range[i]); b++)
                s->block[s->count.blocks++] = (SkinBlock){i, b * block_vertices(k)};
        }
    }
    s->block_first[SKINNING_KERNELS] = s->count.blocks;
    return ENT_OK;
}

static ent_status kernels_create(Skinning* s) {
    for (u32 k = 0; k < SKINNING_BUFFER; k++) {
        const u32 bones = 64u << k;
        if (s->block_first[k] == s->block_first[k + 1] || s->kernel.skin[k].pipeline) continue;
        TRY(gpu_kernel_create_with(&s->kernel.skin[k], s->gpu,
                                   &GPU_KERNEL(skinning_shared, SKINNING_THREADS), &bones, 1));
    }
    return ENT_OK;
}

/* --- buffers --- */

#define COUNTS ((u32)(sizeof(SkinningCounts) / sizeof(u32)))

static u32 half_more(u32 count) { return (u32)MIN_OF(count + (u64)count / 2, (u64)UINT32_MAX); }

/* Buffers for half more than there is, when something does not fit into those that exist. */
static ent_status buffers_create(Skinning* s, GpuFrame* frame) {
    SkinningBuffers* const b = &s->buffer;
    const u32* const       counts = (const u32*)(const void*)&s->count;
    u32* const             places = (u32*)(void*)&b->places;
    bool                   fits = b->pool.count > 0;
    for (u32 i = 0; i < COUNTS; i++) fits = fits && counts[i] <= places[i];
    if (fits) return ENT_OK;
    gpu_frame_retire_pool(frame, &b->pool);
    for (u32 i = 0; i < COUNTS; i++) places[i] = half_more(counts[i]);
    const GpuBufferRequest requests[] = {
        {&b->instances, b->places.instances, sizeof(SkinInstance), "skins"},
        {&b->locals, b->places.locals, sizeof(f32[MATRIX_WORDS]), "joints of skins"},
        {&b->palettes, b->places.palettes, sizeof(f32[MATRIX_WORDS]), "bones of skins"},
        {&b->ranges, b->places.ranges, sizeof(SkinRange), "skinned meshes"},
        {&b->boxes, b->places.ranges, sizeof(SkinBounds), "skinned meshes"},
        {&b->weights, b->places.active, sizeof(u32), "weights of morph targets"},
        {&b->to, b->places.to, sizeof(u32), "words of skinned vertices"},
        {&b->wanted, b->places.ranges, sizeof(u32), "skinned meshes"},
        {&b->blocks, b->places.blocks, sizeof(SkinBlock), "blocks of skinned vertices"},
        {&b->chosen, b->places.blocks, sizeof(SkinBlock), "blocks of skinned vertices"},
        {&b->calls, SKINNING_KERNELS, sizeof(SkinCall), "calls of kernels that skin"}};
    return gpu_pool_create(&b->pool, s->gpu, requests, COUNT_OF(requests));
}

ent_status skinning_place(Skinning* s, GpuFrame* frame) {
    s->posed = 0;
    TRY(blocks_fill(s));
    TRY(kernels_create(s));
    TRY(buffers_create(s, frame));
    gpu_frame_upload(frame, &s->buffer.ranges, 0, s->range, s->count.ranges * sizeof *s->range);
    return gpu_frame_upload(frame, &s->buffer.blocks, 0, s->block,
                            s->count.blocks * sizeof *s->block);
}

static bool tables_are_current(const Skinning* s) {
    const PoseTables*    t = s->tables;
    const SkinningTable* u = &s->table;
    return u->joint_count == t->joint_count && u->bind_count == t->bind_count &&
           u->channel_count == t->channel_count && u->key_count == t->key_count &&
           u->version == t->version && u->dropped == s->gpu->dropped && u->pool.count > 0;
}

/* The tables, when they have grown or changed. */
static ent_status tables_upload(Skinning* s, GpuFrame* frame) {
    const PoseTables*      t = s->tables;
    SkinningTable* const   u = &s->table;
    const GpuBufferRequest requests[] = {
        {&u->joints, t->joint_count, sizeof(SkinJoint), "joints"},
        {&u->binds, t->bind_count, sizeof(SkinBind), "bones"},
        {&u->channels, t->channel_count, sizeof(ClipChannel), "tracks"},
        {&u->keys, t->key_count, sizeof(f32), "keys of clips"}};
    const void* from[] = {t->joint, t->bind, t->channel, t->key};
    if (tables_are_current(s)) return ENT_OK;
    s->posed = 0;
    TRY(gpu_mirrors_upload(u->mirror, frame, &u->pool, requests, from, COUNT_OF(requests)));
    u->joint_count = t->joint_count;
    u->bind_count = t->bind_count;
    u->channel_count = t->channel_count;
    u->key_count = t->key_count;
    u->version = t->version;
    u->dropped = s->gpu->dropped;
    return frame->list.status;
}

ent_status skinning_create(Skinning* s, Gpu* gpu, const PoseTables* tables) {
    *s = (Skinning){.gpu = gpu, .tables = tables, .shared_max = SKINNING_SHARED_MAX};
    TRY(gpu_kernel_create(&s->kernel.sample, gpu, &GPU_KERNEL(skinning_sample, SKINNING_GROUP)));
    TRY(gpu_kernel_create(&s->kernel.palette, gpu, &GPU_KERNEL(skinning_palette, SKINNING_GROUP)));
    TRY(gpu_kernel_create(&s->kernel.bounds, gpu, &GPU_KERNEL(skinning_bounds, SKINNING_GROUP)));
    TRY(gpu_kernel_create(&s->kernel.attach, gpu, &GPU_KERNEL(skinning_attach, SKINNING_GROUP)));
    TRY(gpu_kernel_create(&s->kernel.select, gpu, &GPU_KERNEL(skinning_select, SKINNING_GROUP)));
    TRY(gpu_kernel_create(&s->kernel.skin[SKINNING_BUFFER], gpu,
                          &GPU_KERNEL(skinning_direct, SKINNING_THREADS)));
    return gpu_kernel_create(&s->kernel.skin[SKINNING_MORPH], gpu,
                             &GPU_KERNEL(skinning_morph, SKINNING_THREADS));
}

void skinning_destroy(Skinning* s) {
    if (!s->gpu) return;
    gpu_wait(s->gpu);
    gpu_kernel_destroy(&s->kernel.sample);
    gpu_kernel_destroy(&s->kernel.palette);
    gpu_kernel_destroy(&s->kernel.bounds);
    gpu_kernel_destroy(&s->kernel.attach);
    gpu_kernel_destroy(&s->kernel.select);
    for (u32 k = 0; k < SKINNING_KERNELS; k++) gpu_kernel_destroy(&s->kernel.skin[k]);
    gpu_pool_destroy(&s->table.pool);
    for (u32 i = 0; i < COUNT_OF(s->table.mirror); i++) gpu_mirror_free(&s->table.mirror[i]);
    gpu_pool_destroy(&s->buffer.pool);
    free(s->instance);
    free(s->source);
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
    SkinningPush push = {.instance_count = s->count.instances, .groups = groups_for(s->joint_max)};
    gpu_pass(list, &(GpuPass){.name = "sample",
                              .kernel = &s->kernel.sample,
                              .use = {[SKINNING_INSTANCE] = {&s->buffer.instances, GPU_READ},
                                      [SKINNING_JOINT] = {&s->table.joints, GPU_READ},
                                      [SKINNING_CHANNEL] = {&s->table.channels, GPU_READ},
                                      [SKINNING_KEY] = {&s->table.keys, GPU_READ},
                                      [SKINNING_LOCAL] = {&s->buffer.locals, GPU_WRITE}},
                              GPU_PUSH(push),
                              .threads = (u64)s->count.instances * push.groups * SKINNING_GROUP});
    push.groups = groups_for(s->bind_max);
    gpu_pass(list, &(GpuPass){.name = "palette",
                              .kernel = &s->kernel.palette,
                              .use = {[SKINNING_INSTANCE] = {&s->buffer.instances, GPU_READ},
                                      [SKINNING_JOINT] = {&s->table.joints, GPU_READ},
                                      [SKINNING_BIND] = {&s->table.binds, GPU_READ},
                                      [SKINNING_LOCAL] = {&s->buffer.locals, GPU_READ},
                                      [SKINNING_PALETTE] = {&s->buffer.palettes, GPU_WRITE}},
                              GPU_PUSH(push),
                              .threads = (u64)s->count.instances * push.groups * SKINNING_GROUP});
}

static void bounds_record(const Skinning* s, GpuList* list, const SkinningInput* input) {
    const SkinningPush push = {.range_count = s->count.ranges};
    gpu_pass(list, &(GpuPass){.name = "bounds",
                              .kernel = &s->kernel.bounds,
                              .use = {[SKINNING_INSTANCE] = {&s->buffer.instances, GPU_READ},
                                      [SKINNING_PALETTE] = {&s->buffer.palettes, GPU_READ},
                                      [SKINNING_RANGE] = {&s->buffer.ranges, GPU_READ},
                                      [SKINNING_WEIGHT] = {&s->buffer.weights, GPU_READ},
                                      [SKINNING_TARGET] = {input->targets, GPU_READ},
                                      [SKINNING_BOX] = {input->boxes, GPU_READ},
                                      [SKINNING_BOUNDS] = {&s->buffer.boxes, GPU_WRITE}},
                              GPU_PUSH(push),
                              .threads = (u64)s->count.ranges * SKINNING_GROUP});
}

static SkinningPush push_of(const Skinning* s, u32 kernel) {
    SkinningPush push = {.kernel = kernel};
    memcpy(push.block_first, s->block_first, sizeof push.block_first);
    return push;
}

static void blocks_select(const Skinning* s, GpuList* list) {
    const SkinningPush push = push_of(s, 0);
    gpu_set(list, "select", &s->buffer.calls, 0);
    gpu_pass(list, &(GpuPass){.name = "select",
                              .kernel = &s->kernel.select,
                              .use = {[SKINNING_BLOCK] = {&s->buffer.blocks, GPU_READ},
                                      [SKINNING_WANTED] = {&s->buffer.wanted, GPU_READ},
                                      [SKINNING_CHOSEN] = {&s->buffer.chosen, GPU_WRITE},
                                      [SKINNING_CALL] = {&s->buffer.calls, GPU_READ_WRITE}},
                              GPU_PUSH(push),
                              .threads = s->count.blocks});
}

static void blocks_record(const Skinning* s, GpuList* list, const SkinningInput* input, u32 k) {
    const SkinningPush push = push_of(s, k);
    gpu_pass(list, &(GpuPass){.name = "skin",
                              .kernel = &s->kernel.skin[k],
                              .use = {[SKINNING_INSTANCE] = {&s->buffer.instances, GPU_READ},
                                      [SKINNING_PALETTE] = {&s->buffer.palettes, GPU_READ},
                                      [SKINNING_RANGE] = {&s->buffer.ranges, GPU_READ},
                                      [SKINNING_CHOSEN] = {&s->buffer.chosen, GPU_READ},
                                      [SKINNING_CALL] = {&s->buffer.calls, GPU_READ},
                                      [SKINNING_WANTED] = {&s->buffer.wanted, GPU_WRITE},
                                      [SKINNING_VERTEX] = {input->vertices, GPU_READ},
                                      [SKINNING_WEIGHT] = {&s->buffer.weights, GPU_READ},
                                      [SKINNING_TARGET] = {input->targets, GPU_READ},
                                      [SKINNING_MASK] = {input->masks, GPU_READ},
                                      [SKINNING_OUT] = {&s->buffer.to, GPU_WRITE}},
                              GPU_PUSH(push),
                              .threads = 1,
                              .indirect = &s->buffer.calls,
                              .indirect_offset = k * sizeof(SkinCall)});
}

/* For each range the targets whose weight is not 0. */
static void active_fill(Skinning* s) {
    for (u32 i = 0; i < s->count.ranges; i++) {
        const u32 first = s->range[i].first_weight;
        if (first == SKINNING_NONE) continue;
        const u32  end = i + 1 < s->count.ranges ? s->range_targets[i + 1] : s->count.weights;
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
    const u64 now = (hash_bytes(s->instance, s->count.instances * sizeof *s->instance, 1) ^
                     hash_bytes(s->active, s->count.active * sizeof *s->active, 2)) |
                    1;
    if (now == s->posed) return frame->list.status;
    s->posed = now;
    gpu_frame_upload(frame, &s->buffer.instances, 0, s->instance,
                     s->count.instances * sizeof *s->instance);
    gpu_frame_upload(frame, &s->buffer.weights, 0, s->active, s->count.active * sizeof *s->active);
    poses_record(s, &frame->list);
    bounds_record(s, &frame->list, input);
    if (s->count.ranges) gpu_set(&frame->list, "select", &s->buffer.wanted, SKINNING_UNWANTED);
    return frame->list.status;
}

void skinning_want_all(const Skinning* s, GpuList* list) {
    if (s->count.ranges) gpu_set(list, "select", &s->buffer.wanted, SKINNING_IS_WANTED);
}

void skinning_skin(const Skinning* s, GpuList* list, const SkinningInput* input) {
    if (s->count.blocks == 0) return;
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
    gpu_pass(&frame->list,
             &(GpuPass){.name = "attach",
                        .kernel = &s->kernel.attach,
                        .use = {[SKINNING_INSTANCE] = {&s->buffer.instances, GPU_READ},
                                [SKINNING_JOINT] = {&s->table.joints, GPU_READ},
                                [SKINNING_LOCAL] = {&s->buffer.locals, GPU_READ},
                                [SKINNING_FOLLOWER] = {&span.buffer, GPU_READ},
                                [SKINNING_WORLD] = {worlds, GPU_READ_WRITE}},
                        GPU_PUSH(push),
                        .threads = count});
    return frame->list.status;
}
