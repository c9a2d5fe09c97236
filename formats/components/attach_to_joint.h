/* attach_to_joint.h - the entity follows a joint of a skin, such as a torch in a hand. Its world matrix
 * is that of the joint, and then the pose of this component: ent_skins_attach. */
#ifndef ENT_ATTACH_TO_JOINT_H
#define ENT_ATTACH_TO_JOINT_H

#include "record.h"

#define ATTACH_TO_JOINT_FIELDS(F, R)                                                               \
    F(R, EntityRef, skin, NO_ENTITY, 0, ALL, "", PLAIN,                                            \
      "entity with the skin; absent: this entity")                                                 \
    F(R, NameRef, joint, REQUIRED, 1, ALL, "", PLAIN,                                              \
      "name of the joint in the model, such as \"hand_l\"")                                        \
    F(R, Vec3, position, V3(0, 0, 0), LOW, HIGH, "m", AXES(POINT), "in the space of the joint")    \
    F(R, Quat, rotation, V4(0, 0, 0, 1), -1, 1, "", AXES(ROTATION), "in the space of the joint")   \
    F(R, Vec3, scale, V3(1, 1, 1), LOW, HIGH, "", AXES(SIZE), "in the space of the joint")

RECORD(AttachToJointRecord, ATTACH_TO_JOINT_FIELDS)

#endif
