/* pose_tables_internal.h - adding skeletons and clips to tables, and poses on the CPU.
 *
 *     PoseTables t = {.allocator = ...};
 *     TRY(pose_tables_skeleton(&t, skeleton, &which));
 *     TRY(pose_tables_clip(&t, clip, &clip_row));
 *     TRY(pose_tables_set(&t, which, clip_row, &set));
 *     pose_tables_free(&t); */
#ifndef ENT_POSE_TABLES_INTERNAL_H
#define ENT_POSE_TABLES_INTERNAL_H

#include "base.h"
#include "pose_tables.h"
#include "transform_manager.h"

/* Adds a skeleton, or finds it. The blob exists as long as the tables. */
MUST_CHECK ent_status pose_tables_skeleton(PoseTables* tables, const Blob* skeleton, u32* which);

/* Adds a clip, or finds it. The blob exists as long as the tables. */
MUST_CHECK ent_status pose_tables_clip(PoseTables* tables, const Blob* clip, u32* which);

/* Adds what a clip moves of a skeleton, or finds it. Tracks whose node is no joint of the skeleton are
 * left out. */
MUST_CHECK ent_status pose_tables_set(PoseTables* tables, u32 skeleton, u32 clip, u32* set);
void                  pose_tables_free(PoseTables* tables);

/* Adds what a clip moves of each node, or finds it. */
MUST_CHECK ent_status pose_tables_nodes(PoseTables* tables, u32 clip);

/* The first channel of a node of a clip whose nodes were added; NONE: the clip does not move it. */
u32 pose_node_find(const PoseTables* tables, u32 clip, NameRef node);

/* Sets the properties that the three channels from this one on move. */
void pose_node_sample(const PoseTables* tables, u32 first_channel, f32 time_s,
                      TransformRecord* pose);

/* Fills empty tables from the blobs of others, which may have changed: with the same rows of skeletons, clips, sets
 * and nodes. */
MUST_CHECK ent_status pose_tables_renew(PoseTables* tables, const PoseTables* from);

/* Poses of joints relative to their parents.
 *
 *   first, count  joints of the skeleton
 *   poses         [count] */
void pose_sample(const PoseTables* tables, const PosePlay* play, u32 first, u32 count,
                 TransformRecord* poses);

/* Between a pose, at 0, and another one, at 1. */
void pose_blend(TransformRecord* pose, const TransformRecord* other, f32 blend);

/* model_from_joint of all joints: parents are before their children. */
void pose_joints(const JointRecord* joint, u32 count, const TransformRecord* poses, Mat34* joints);

/* model_from_mesh of all bones. */
void pose_palette(const BindRecord* bind, u32 count, const Mat34* joints, Mat34* palette);

/* --- single values --- */

typedef struct PoseKeys {
    const f32* times;  /* [count] ascending */
    const f32* values; /* [count x words]; of cubic ones three times as many; or packed words */
    u32        count, interpolation, packing;
} PoseKeys;

/* Sets what the channel, a CLIP_CHANNEL, moves at a time. */
void pose_property(const PoseKeys* keys, u32 channel, f32 time_s, TransformRecord* pose);

/* The track of a property of a light or camera in a clip, a row of its section, or NONE. */
u32 pose_track_find(const PoseClip* clip, u32 property, NameRef target);

/*   value  [CLIP_PROPERTY_WORDS of the track] */
void pose_track_sample(const PoseClip* clip, u32 track, f32 time_s, f32* value);

/* The weights that a clip animates of a node. False, with nothing changed: it has no track for
 * a mesh with this number of targets.
 *
 *   weights  [count] */
bool pose_weights(const PoseClip* clip, NameRef node, f32 time_s, u32 count, f32* weights);

#endif
