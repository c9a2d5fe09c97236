/* animation.h - clips and skeletons on the CPU: the reference for the GPU implementation. */
#ifndef ENT_ANIMATION_H
#define ENT_ANIMATION_H

#include "transform_manager.h"
#ifdef ENT_BUILD
#include "transform.h"
#else
#include "records.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Joints of a skeleton, and matrices of its palette (which vertices refer to). */
ENT_API uint32_t ent_skeleton_joint_count(const EntBlob* skeleton);
ENT_API uint32_t ent_skeleton_bind_count(const EntBlob* skeleton);

/* Length of a clip in seconds. */
ENT_API float ent_clip_duration(const EntBlob* clip);

/* Local poses of all joints at a time of a clip; joints without a track keep their rest pose. Times
 * before the first and after the last key of a track sample that key, infinite ones as well.
 *
 *   clip   NULL: the rest pose
 *   poses  [joint_count]
 *
 * Needs    a time that is a number (asserted).
 * Cost     a binary search per track; tracks find their joint by id. */
ENT_API void ent_clip_sample(const EntBlob* clip, const EntBlob* skeleton, float time_s,
                             EntTransformRecord* poses);

/* Skinning matrices of a pose, in the space of the skin's root:
 *
 *   poses    [joint_count]
 *   joints   [joint_count] receives model_from_joint
 *   palette  [bind_count] receives model_from_mesh: joints[bind.joint] * bind */
ENT_API void ent_skeleton_palette(const EntBlob* skeleton, const EntTransformRecord* poses,
                                  EntMat34* joints, EntMat34* palette);

#ifdef __cplusplus
}
#endif

#endif
