/* pose_tables.c - the tables of skeletons and clips. */
#include "pose_tables_internal.h"

#include <stdlib.h>

#include "clip.h"
#include "search.h"
#include "sections.h"

static const void* rows_of(const Blob* blob, SectionKind kind, u32* count) {
    const BlobSection* section = ent_blob_section(blob, kind);
    *count = section ? section->count : 0;
    return section ? ent_blob_data(blob, section) : NULL;
}

/* Room for `more` elements behind `count`: at least twice as much as before. */
static ent_status room_make(const HostAllocator* a, void** at, u32 count, u32 more, u32* room,
                            size_t bytes) {
    const u64 needed = (u64)count + more;
    u64       wanted = MAX_OF(*room * 2ull, 16ull);
    if (needed <= *room) return ENT_OK;
    wanted = MAX_OF(wanted, needed);
    if (wanted > UINT32_MAX) return ENT_LIMIT;
    void* grown = a->alloc(a->user, wanted * bytes);
    if (!grown) return ENT_NO_MEMORY;
    if (*at) {
        memcpy(grown, *at, count * bytes);
        a->free(a->user, *at, *room * bytes);
    }
    *at = grown;
    *room = (u32)wanted;
    return ENT_OK;
}

#define ROOM(t, name, more)                                                                        \
    room_make(&(t)->allocator, (void**)&(t)->name, (t)->name##_count, (more), &(t)->name##_room,   \
              sizeof *(t)->name)
#define FREE(t, name)                                                                              \
    if ((t)->name)                                                                                 \
    (t)->allocator.free((t)->allocator.user, (t)->name, (t)->name##_room * sizeof *(t)->name)

void pose_tables_free(PoseTables* t) {
    FREE(t, skeleton);
    FREE(t, clip);
    FREE(t, set);
    FREE(t, node);
    FREE(t, joint);
    FREE(t, bind);
    FREE(t, channel);
    FREE(t, key);
    *t = (PoseTables){.allocator = t->allocator};
}

ent_status pose_tables_skeleton(PoseTables* t, const Blob* blob, u32* which) {
    PoseSkeleton       entry = {blob, t->joint_count, 0, t->bind_count, 0};
    const JointRecord* joint = rows_of(blob, SECTION_JOINT, &entry.joint_count);
    const BindRecord*  bind = rows_of(blob, SECTION_BIND, &entry.bind_count);
    for (*which = 0; *which < t->skeleton_count; (*which)++)
        if (t->skeleton[*which].blob == blob) return ENT_OK;
    TRY(ROOM(t, skeleton, 1));
    TRY(ROOM(t, joint, entry.joint_count));
    TRY(ROOM(t, bind, entry.bind_count));
    if (entry.joint_count)
        memcpy(t->joint + t->joint_count, joint, entry.joint_count * sizeof *joint);
    if (entry.bind_count) memcpy(t->bind + t->bind_count, bind, entry.bind_count * sizeof *bind);
    t->joint_count += entry.joint_count;
    t->bind_count += entry.bind_count;
    t->joint_max = MAX_OF(t->joint_max, entry.joint_count);
    t->skeleton[t->skeleton_count++] = entry;
    return ENT_OK;
}

ent_status pose_tables_renew(PoseTables* t, const PoseTables* from) {
    u32 which;
    t->version = from->version + 1;
    for (u32 i = 0; i < from->skeleton_count; i++)
        TRY(pose_tables_skeleton(t, from->skeleton[i].blob, &which));
    for (u32 i = 0; i < from->clip_count; i++) TRY(pose_tables_clip(t, from->clip[i].blob, &which));
    for (u32 i = 0; i < from->set_count; i++)
        TRY(pose_tables_set(t, from->set[i].skeleton, from->set[i].clip, &which));
    for (u32 i = 0; i < from->clip_count; i++)
        if (from->clip[i].first_node != NONE) TRY(pose_tables_nodes(t, i));
    return ENT_OK;
}

static ent_status keys_add(PoseTables* t, const Blob* blob, SectionKind kind, u32* first) {
    u32         count;
    const void* words = rows_of(blob, kind, &count);
    TRY(ROOM(t, key, count));
    *first = t->key_count;
    if (count) memcpy(t->key + t->key_count, words, count * sizeof(f32));
    t->key_count += count;
    return ENT_OK;
}

ent_status pose_tables_clip(PoseTables* t, const Blob* blob, u32* which) {
    PoseClip              entry = {.blob = blob, .first_node = NONE};
    u32                   count;
    const ClipInfoRecord* info = rows_of(blob, SECTION_CLIP_INFO, &count);
    for (*which = 0; *which < t->clip_count; (*which)++)
        if (t->clip[*which].blob == blob) return ENT_OK;
    TRY(ROOM(t, clip, 1));
    TRY(keys_add(t, blob, SECTION_KEY_TIME, &entry.first_time));
    TRY(keys_add(t, blob, SECTION_KEY_VALUE, &entry.first_value));
    TRY(keys_add(t, blob, SECTION_KEY_PACKED, &entry.first_packed));
    entry.duration_s = info->duration_s;
    t->clip[t->clip_count++] = entry;
    return ENT_OK;
}

/* The joint of a node; `count` when it is no joint. */
static u32 joint_of(const JointRecord* joint, u32 count, NameRef node) {
    u32 i = 0;
    while (i < count && joint[i].node != node) i++;
    return i;
}

/* --- nodes --- */

static int node_order(const void* a, const void* b) {
    const NameRef x = ((const PoseNode*)a)->node, y = ((const PoseNode*)b)->node;
    return x < y ? -1 : x > y;
}

/* The first time of a track. Tracks mostly have the times of the track before them: then it is that one's, so that
 * these times are searched once. */
static u32 first_time_of(const PoseTables* t, const PoseClip* clip, const TrackRecord* track, u32 i,
                         u32 before) {
    const f32* times = t->key + clip->first_time;
    const bool is_same = i > 0 && track[i - 1].key_count == track[i].key_count &&
                         memcmp(times + track[i - 1].first_time, times + track[i].first_time,
                                track[i].key_count * sizeof *times) == 0;
    return is_same ? before : clip->first_time + track[i].first_time;
}

static PoseChannel channel_of(const PoseClip* clip, const TrackRecord* track, u32 first_time) {
    const bool packed = track->packing == CLIP_PACKED;
    return (PoseChannel){.first_time = first_time,
                         .first_value =
                             (packed ? clip->first_packed : clip->first_value) + track->first_value,
                         .key_count = track->key_count,
                         .interpolation = track->interpolation,
                         .packing = track->packing};
}

u32 pose_node_find(const PoseTables* t, u32 clip, NameRef node) {
    const PoseClip* c = &t->clip[clip];
    Search          s = search_between(0, c->node_count);
    while (search_continues(&s)) search_narrow(&s, t->node[c->first_node + s.middle].node < node);
    const PoseNode* found = t->node + c->first_node + s.first;
    return s.first < c->node_count && found->node == node ? found->first_channel : NONE;
}

/* Sorts the nodes of the tracks, each once. Returns their number. */
static u32 nodes_sort(PoseNode* node, const TrackRecord* track, u32 count) {
    u32 kept = 0;
    for (u32 i = 0; i < count; i++) node[i] = (PoseNode){track[i].node, 0};
    if (count) qsort(node, count, sizeof *node, node_order);
    for (u32 i = 0; i < count; i++)
        if (kept == 0 || node[kept - 1].node != node[i].node) node[kept++] = node[i];
    return kept;
}

ent_status pose_tables_nodes(PoseTables* t, u32 which) {
    PoseClip*          clip = &t->clip[which];
    u32                count, first_time = 0;
    const TrackRecord* track = rows_of(clip->blob, SECTION_TRACK, &count);
    if (clip->first_node != NONE) return ENT_OK;
    TRY(ROOM(t, node, count));
    TRY(ROOM(t, channel, count * 3));
    PoseNode* node = t->node + t->node_count;
    clip->first_node = t->node_count;
    clip->node_count = nodes_sort(node, track, count);
    for (u32 i = 0; i < clip->node_count; i++) {
        node[i].first_channel = t->channel_count + i * 3;
        memset(t->channel + node[i].first_channel, 0, 3 * sizeof *t->channel);
    }
    t->node_count += clip->node_count;
    t->channel_count += clip->node_count * 3;
    for (u32 i = 0; i < count; i++) {
        first_time = first_time_of(t, clip, track, i, first_time);
        t->channel[pose_node_find(t, which, track[i].node) + track[i].channel] =
            channel_of(clip, &track[i], first_time);
    }
    return ENT_OK;
}

/* --- sets --- */

static void channels_fill(PoseTables* t, PoseSet* entry) {
    const PoseSkeleton* skeleton = &t->skeleton[entry->skeleton];
    const PoseClip*     clip = &t->clip[entry->clip];
    const JointRecord*  joint = t->joint + skeleton->first_joint;
    PoseChannel*        channel = t->channel + entry->first_channel;
    u32                 count, first_time = 0;
    const TrackRecord*  track = rows_of(clip->blob, SECTION_TRACK, &count);
    memset(channel, 0, skeleton->joint_count * 3 * sizeof *channel);
    for (u32 i = 0; i < count; i++) {
        const u32 which = joint_of(joint, skeleton->joint_count, track[i].node);
        first_time = first_time_of(t, clip, track, i, first_time);
        if (which == skeleton->joint_count) continue;
        channel[which * 3 + track[i].channel] = channel_of(clip, &track[i], first_time);
        entry->moves = true;
    }
}

ent_status pose_tables_set(PoseTables* t, u32 skeleton, u32 clip, u32* set) {
    PoseSet   entry = {.skeleton = skeleton, .clip = clip, .first_channel = t->channel_count};
    const u32 channels = t->skeleton[skeleton].joint_count * 3;
    for (*set = 0; *set < t->set_count; (*set)++)
        if (t->set[*set].skeleton == skeleton && t->set[*set].clip == clip) return ENT_OK;
    TRY(ROOM(t, set, 1));
    TRY(ROOM(t, channel, channels));
    t->channel_count += channels;
    channels_fill(t, &entry);
    t->set[t->set_count++] = entry;
    return ENT_OK;
}
