/* animation.h - clips and skeletons on the CPU: the reference for what the GPU does with them. */
#ifndef ENT_ANIMATION_H
#define ENT_ANIMATION_H

#include "clip.h"
#include "skeleton.h"
#include "transform_manager.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Joints of a skeleton, and matrices of its palette (what vertices name). */
ENT_API u32 ent_skeleton_joint_count(const Blob* skeleton);
ENT_API u32 ent_skeleton_bind_count(const Blob* skeleton);

/* Length of a clip in seconds. */
ENT_API f32 ent_clip_duration(const Blob* clip);

/* Local poses of all joints at a time of a clip; joints that no track moves keep their rest pose.
 * Times before the first and after the last key of a track give that key.
 *
 *   clip   NULL: the rest pose
 *   poses  [joint_count]
 *
 * Cost     a binary search per track; tracks find their joint by id. */
ENT_API void ent_clip_sample(const Blob* clip, const Blob* skeleton, f32 time_s,
                             TransformRecord* poses);

/* Skinning matrices of a pose, in the space of the skin's root:
 *
 *   poses    [joint_count]
 *   joints   [joint_count] receives model_from_joint
 *   palette  [bind_count] receives model_from_mesh: joints[bind.joint] * bind */
ENT_API void ent_skeleton_palette(const Blob* skeleton, const TransformRecord* poses, Mat34* joints,
                                  Mat34* palette);

#ifdef __cplusplus
}
#endif

#endif
