/* skinning.c - tables of skeletons and clips, instances, and the passes of a frame. */
#include "skinning.h"

#include <stdlib.h>

#include "records.h"

#include "skinning_direct.comp.h"
#include "skinning_palette.comp.h"
#include "skinning_sample.comp.h"
#include "skinning_shared.comp.h"

#define BLOCK_VERTICES (SKINNING_THREADS * SKINNING_EACH)
#define MATRIX_WORDS   12u

/* --- tables --- */

static const void* rows_of(const Blob* blob, SectionKind kind, u32* count) {
    const BlobSection* section = ent_blob_section(blob, kind);
    *count = section ? section->count : 0;
    return section ? ent_blob_data(blob, section) : NULL;
}

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

#define ROOM(s, name, more)                                                                        \
    room_make((void**)&(s)->name, (s)->name##_count, (more), &(s)->name##_room, sizeof *(s)->name)

ent_status skinning_skeleton(Skinning* s, const Blob* blob, u32* which) {
    SkinningSkeleton   own = {.blob = blob};
    const JointRecord* joint = rows_of(blob, SECTION_JOINT, &own.joint_count);
    const BindRecord*  bind = rows_of(blob, SECTION_BIND, &own.bind_count);
    for (*which = 0; *which < s->skeleton_count; (*which)++)
        if (s->skeleton[*which].blob == blob) return ENT_OK;
    TRY(ROOM(s, skeleton, 1));
    TRY(ROOM(s, joint, own.joint_count));
    TRY(ROOM(s, bind, own.bind_count));
    own.first_joint = s->joint_count;
    own.first_bind = s->bind_count;
    for (u32 i = 0; i < own.joint_count; i++) {
        const Quat q = joint[i].rotation;
        s->joint[s->joint_count++] = (SkinJoint){.parent = joint[i].parent,
                                                 .position = joint[i].position,
                                                 .rotation = {q.x, q.y, q.z, q.w},
                                                 .scale = joint[i].scale};
    }
    for (u32 i = 0; i < own.bind_count; i++)
        s->bind[s->bind_count++] =
            (SkinBind){bind[i].joint, bind[i].row_0, bind[i].row_1, bind[i].row_2};
    s->joint_most = MAX_OF(s->joint_most, own.joint_count);
    s->bind_most = MAX_OF(s->bind_most, own.bind_count);
    s->skeleton[s->skeleton_count++] = own;
    return ENT_OK;
}

static ent_status keys_add(Skinning* s, const Blob* clip, SectionKind kind, u32* first) {
    u32         count;
    const void* words = rows_of(clip, kind, &count);
    TRY(ROOM(s, key, count));
    *first = s->key_count;
    if (count) memcpy(s->key + s->key_count, words, count * sizeof(f32));
    s->key_count += count;
    return ENT_OK;
}

static u32 joint_of(const JointRecord* joint, u32 count, NameRef node) {
    u32 i = 0;
    while (i < count && joint[i].node != node) i++;
    return i;
}

ent_status skinning_clip(Skinning* s, u32 skeleton, const Blob* clip, u32* channels) {
    const SkinningSkeleton* own = &s->skeleton[skeleton];
    u32                     count, joint_count, first_time, first_value;
    const TrackRecord*      track = rows_of(clip, SECTION_TRACK, &count);
    const JointRecord*      joint = rows_of(own->blob, SECTION_JOINT, &joint_count);
    TRY(ROOM(s, channel, own->joint_count * 3));
    TRY(keys_add(s, clip, SECTION_KEY_TIME, &first_time));
    TRY(keys_add(s, clip, SECTION_KEY_VALUE, &first_value));
    *channels = s->channel_count;
    memset(s->channel + s->channel_count, 0, own->joint_count * 3 * sizeof *s->channel);
    s->channel_count += own->joint_count * 3;
    for (u32 t = 0; t < count; t++) {
        const u32 which = joint_of(joint, joint_count, track[t].node);
        if (which == joint_count) continue;
        s->channel[*channels + which * 3 + track[t].channel] =
            (SkinChannel){.first_time = first_time + track[t].first_time,
                          .first_value = first_value + track[t].first_value,
                          .key_count = track[t].key_count,
                          .interpolation = track[t].interpolation};
    }
    return ENT_OK;
}

/* --- instances --- */

ent_status skinning_instance(Skinning* s, u32 skeleton, u32* instance) {
    const SkinningSkeleton* own = &s->skeleton[skeleton];
    TRY(ROOM(s, instance, 1));
    *instance = s->instance_count++;
    s->instance[*instance] = (SkinInstance){.first_joint = own->first_joint,
                                            .joint_count = own->joint_count,
                                            .first_bind = own->first_bind,
                                            .bind_count = own->bind_count,
                                            .first_local = s->local_count,
                                            .first_palette = s->palette_count,
                                            .channels = SKINNING_NONE,
                                            .channels_2 = SKINNING_NONE};
    s->local_count += own->joint_count;
    s->palette_count += own->bind_count;
    return ENT_OK;
}

ent_status skinning_range(Skinning* s, u32 instance, const SkinningStreams* m, u32* range) {
    const SkinInstance* own = &s->instance[instance];
    assert(m->joints % 2 == 0 && m->weights % 2 == 0);
    assert(m->joints_1 == SKINNING_NONE || (m->joints_1 % 2 == 0 && m->weights_1 % 2 == 0));
    TRY(ROOM(s, range, 1));
    *range = s->range_count++;
    s->range[*range] = (SkinRange){.vertex_count = m->vertex_count,
                                   .position = m->position,
                                   .normal = m->normal,
                                   .tangent = m->tangent,
                                   .joints = m->joints,
                                   .weights = m->weights,
                                   .joints_1 = m->joints_1,
                                   .weights_1 = m->weights_1,
                                   .first_palette = own->first_palette,
                                   .bind_count = own->bind_count,
                                   .to = s->to_count,
                                   .to_tangent = s->to_count + m->vertex_count * 4};
    s->to_count += (u32)align_up(m->vertex_count * (m->tangent == SKINNING_NONE ? 4u : 5u), 4);
    return ENT_OK;
}

static bool is_shared(const Skinning* s, const SkinRange* range) {
    return range->bind_count <= s->shared_most;
}

static void blocks_add(Skinning* s, bool shared) {
    for (u32 i = 0; i < s->range_count; i++) {
        if (is_shared(s, &s->range[i]) != shared) continue;
        for (u32 first = 0; first < s->range[i].vertex_count; first += BLOCK_VERTICES)
            s->block[s->block_count++] = (SkinBlock){i, first};
    }
}

static ent_status blocks_create(Skinning* s) {
    u64 count = 1;
    for (u32 i = 0; i < s->range_count; i++)
        count += (s->range[i].vertex_count + BLOCK_VERTICES - 1) / BLOCK_VERTICES;
    s->block = malloc(count * sizeof *s->block);
    if (!s->block) return ENT_NO_MEMORY;
    blocks_add(s, true);
    s->shared_blocks = s->block_count;
    blocks_add(s, false);
    return ENT_OK;
}

/* --- buffers --- */

static ent_status tables_upload(Skinning* s) {
    const GpuBufferWish wishes[] = {{&s->joints, s->joint_count, sizeof *s->joint, "joints"},
                                    {&s->binds, s->bind_count, sizeof *s->bind, "bones"},
                                    {&s->channels, s->channel_count, sizeof *s->channel, "tracks"},
                                    {&s->keys, s->key_count, sizeof *s->key, "keys of clips"}};
    const void*         from[] = {s->joint, s->bind, s->channel, s->key};
    TRY(gpu_pool_create(&s->tables, s->gpu, wishes, COUNT_OF(wishes)));
    for (u32 i = 0; i < COUNT_OF(wishes); i++)
        TRY(gpu_upload_add(s->gpu, wishes[i].buffer, 0, from[i],
                           wishes[i].count * wishes[i].stride));
    return gpu_upload_end(s->gpu);
}

ent_status skinning_upload(Skinning* s) {
    const u32 bones = MAX_OF(MIN_OF(s->bind_most, s->shared_most), 1u);
    TRY(blocks_create(s));
    TRY(tables_upload(s));
    const GpuBufferWish wishes[] = {
        {&s->instances, s->instance_count, sizeof *s->instance, "skins"},
        {&s->locals, s->local_count, sizeof(f32[MATRIX_WORDS]), "joints of skins"},
        {&s->palettes, s->palette_count, sizeof(f32[MATRIX_WORDS]), "bones of skins"},
        {&s->ranges, s->range_count, sizeof *s->range, "skinned meshes"},
        {&s->blocks, s->block_count, sizeof *s->block, "blocks of skinned vertices"},
        {&s->to, s->to_count, sizeof(u32), "words of skinned vertices"}};
    TRY(gpu_pool_create(&s->pool, s->gpu, wishes, COUNT_OF(wishes)));
    TRY(gpu_upload_add(s->gpu, &s->ranges, 0, s->range, s->range_count * sizeof *s->range));
    TRY(gpu_upload_add(s->gpu, &s->blocks, 0, s->block, s->block_count * sizeof *s->block));
    TRY(gpu_upload_end(s->gpu));
    return gpu_kernel_create_with(&s->shared, s->gpu,
                                  &GPU_KERNEL(skinning_shared, SKINNING_THREADS), &bones, 1);
}

ent_status skinning_create(Skinning* s, Gpu* gpu) {
    *s = (Skinning){.gpu = gpu, .shared_most = SKINNING_SHARED_MAX};
    TRY(gpu_kernel_create(&s->sample, gpu, &GPU_KERNEL(skinning_sample, SKINNING_GROUP)));
    TRY(gpu_kernel_create(&s->palette, gpu, &GPU_KERNEL(skinning_palette, SKINNING_GROUP)));
    return gpu_kernel_create(&s->direct, gpu, &GPU_KERNEL(skinning_direct, SKINNING_THREADS));
}

void skinning_destroy(Skinning* s) {
    if (!s->gpu) return;
    gpu_wait(s->gpu);
    gpu_kernel_destroy(&s->sample);
    gpu_kernel_destroy(&s->palette);
    gpu_kernel_destroy(&s->shared);
    gpu_kernel_destroy(&s->direct);
    gpu_pool_destroy(&s->tables);
    gpu_pool_destroy(&s->pool);
    free(s->skeleton);
    free(s->joint);
    free(s->bind);
    free(s->channel);
    free(s->key);
    free(s->instance);
    free(s->range);
    free(s->block);
    *s = (Skinning){0};
}

/* --- passes --- */

static void poses_record(const Skinning* s, GpuList* list) {
    SkinningPush push = {s->instance_count, (s->joint_most + SKINNING_GROUP - 1) / SKINNING_GROUP,
                         0};
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
    push.groups = (s->bind_most + SKINNING_GROUP - 1) / SKINNING_GROUP;
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

static void blocks_record(const Skinning* s, GpuList* list, const GpuKernel* kernel,
                          const GpuBuffer* vertices, u32 first, u32 count) {
    const SkinningPush push = {.first_block = first};
    gpu_pass(list, &(GpuPass){.name = "skin",
                              .kernel = kernel,
                              .use = {[SKINNING_PALETTE] = {&s->palettes, GPU_READ},
                                      [SKINNING_RANGE] = {&s->ranges, GPU_READ},
                                      [SKINNING_BLOCK] = {&s->blocks, GPU_READ},
                                      [SKINNING_VERTEX] = {vertices, GPU_READ},
                                      [SKINNING_OUT] = {&s->to, GPU_WRITE}},
                              .push = &push,
                              .push_bytes = sizeof push,
                              .threads = (u64)count * SKINNING_THREADS});
}

ent_status skinning_record(Skinning* s, GpuFrame* frame, const GpuBuffer* vertices) {
    TRY(gpu_frame_upload(frame, &s->instances, 0, s->instance,
                         s->instance_count * sizeof *s->instance));
    poses_record(s, &frame->list);
    blocks_record(s, &frame->list, &s->shared, vertices, 0, s->shared_blocks);
    blocks_record(s, &frame->list, &s->direct, vertices, s->shared_blocks,
                  s->block_count - s->shared_blocks);
    return frame->list.status;
}
