/* pose_tables.h - skeletons and clips in tables, for renderers that compute poses on a GPU: the arrays
 * are uploaded unchanged.
 *
 *     const EntPoseTables* tables = ent_skins_tables(skins);
 *     while (running) {
 *         const EntSkinRows rows = ent_skin_rows(world);
 *         for (uint32_t row = 0; row < rows.count; row++) {
 *             EntPosePlay play;
 *             if (ent_skins_playing(skins, row, &play) != ENT_OK) return 1;
 *         }
 *     }
 *
 * The pose of joint j of a skeleton: for each property c, the channel
 * tables->channel[set.first_channel + 3 * j + c] at the time, or the rest pose of the joint when it has no
 * keys. Joints, binds and keys are those of the blobs. */
#ifndef ENT_POSE_TABLES_H
#define ENT_POSE_TABLES_H

#include "blob.h"
#include "host.h"
#ifdef ENT_BUILD
#include "skeleton.h"
#else
#include "records.h"
#endif

#define ENT_POSE_NONE 0xffffffffu

typedef struct EntPoseSkeleton {
    const EntBlob* blob;
    uint32_t       first_joint, joint_count; /* rows of `joint` */
    uint32_t       first_bind, bind_count;   /* rows of `bind` */
} EntPoseSkeleton;

typedef struct EntPoseClip {
    const EntBlob* blob;
    uint32_t       first_time, first_value, first_packed; /* of its keys, in `key` */
    float          duration_s;
    uint32_t       first_node, node_count; /* rows of `node`; ENT_POSE_NONE: no animator plays it */
} EntPoseClip;

/* The keys of one property of a joint. */
typedef struct EntPoseChannel {
    uint32_t first_time;
    uint32_t first_value;   /* in `key`; cubic values are in-tangent, value, out-tangent */
    uint32_t key_count;     /* 0: the joint keeps its rest pose */
    uint32_t interpolation; /* EntTrackInterpolation */
    uint32_t packing;       /* EntTrackPacking; packed values are described in FORMAT.md */
} EntPoseChannel;

/* What a clip moves of a skeleton. */
typedef struct EntPoseSet {
    uint32_t skeleton, clip;
    uint32_t first_channel; /* three for each joint: translation, rotation, scale */
    uint32_t moves;         /* 1: a joint, at least */
} EntPoseSet;

/* What a clip that an animator plays moves of a node. The tables of skins have none. */
typedef struct EntPoseNode {
    EntNameRef node;
    uint32_t   first_channel; /* three: translation, rotation, scale */
} EntPoseNode;

/* All of it may only be read. Arrays grow when a skin refers to something new, and are replaced then. */
typedef struct EntPoseTables {
    EntPoseSkeleton* skeleton; /* [skeleton_count] */
    EntPoseClip*     clip;     /* [clip_count] */
    EntPoseSet*      set;      /* [set_count] */
    EntPoseNode*     node;     /* [node_count] of all clips, each by `node` */
    EntJointRecord*  joint;    /* [joint_count] of all skeletons */
    EntBindRecord*   bind;     /* [bind_count] likewise */
    EntPoseChannel*  channel;  /* [channel_count] of all sets and nodes */
    float*           key;      /* [key_count] times, values and packed words of all clips */
    uint32_t         skeleton_count, clip_count, set_count;
    uint32_t         node_count, joint_count, bind_count, channel_count, key_count;
    uint32_t         joint_max; /* joints of the skeleton with the most */
    uint32_t         version;   /* how often the rows were replaced; others are added behind them */
#ifdef ENT_BUILD
    HostAllocator allocator;
    u32           skeleton_room, clip_room, set_room, node_room;
    u32           joint_room, bind_room, channel_room, key_room;
#endif
} EntPoseTables;

/* What a skin or an animator plays. */
typedef struct EntPosePlay {
    uint32_t skeleton;         /* ENT_POSE_NONE: the library does not have it */
    uint32_t clip, clip_2;     /* ENT_POSE_NONE: none */
    uint32_t set, set_2;       /* of these clips and the skeleton; ENT_POSE_NONE: the rest pose */
    float    time_s, time_2_s; /* from 0 to the duration of the clip */
    float    blend;            /* 0: the first set, 1: the second one */
} EntPosePlay;

#endif
