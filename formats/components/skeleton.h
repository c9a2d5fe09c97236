/* skeleton.h - the sections of a skeleton resource.
 *
 * Joints are stored with parents before children and include every node between the joints of the
 * skin and the root of the model, so that a pose needs only the skeleton. Binds are the joint list
 * of the skin: a vertex refers to binds, and
 *
 *     palette[k] = model_from_joint[bind[k].joint] * bind[k]'s matrix */
#ifndef ENT_SKELETON_H
#define ENT_SKELETON_H

#include "record.h"

#define JOINT_FIELDS(F, R)                                                                         \
    F(R, u32, parent, REQUIRED, 0, ALL, "", PLAIN, "an earlier joint, or UINT32_MAX")              \
    F(R, NameRef, node, REQUIRED, 1, ALL, "", PLAIN, "hash of the node's path, as in tracks")      \
    F(R, NameRef, name, REQUIRED, 1, ALL, "", PLAIN, "hash of the node's own name")                \
    F(R, Vec3, position, REQUIRED, LOW, HIGH, "m", PLAIN, "rest position in the parent's space")   \
    F(R, Quat, rotation, REQUIRED, -1, 1, "", PLAIN, "rest rotation")                              \
    F(R, Vec3, scale, REQUIRED, LOW, HIGH, "", PLAIN, "rest scale")

/* joint_from_mesh as the three upper rows of a 4x4 matrix for column vectors. */
#define BIND_FIELDS(F, R)                                                                          \
    F(R, u32, joint, REQUIRED, 0, ALL, "", PLAIN, "index into the joint section")                  \
    F(R, Vec4, row_0, REQUIRED, LOW, HIGH, "", PLAIN, "inverse bind matrix")                       \
    F(R, Vec4, row_1, REQUIRED, LOW, HIGH, "", PLAIN, "")                                          \
    F(R, Vec4, row_2, REQUIRED, LOW, HIGH, "", PLAIN, "")

RECORD(JointRecord, JOINT_FIELDS)
RECORD(BindRecord, BIND_FIELDS)

#endif
