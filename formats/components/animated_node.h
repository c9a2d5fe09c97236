/* animated_node.h - the entity is moved by the clips of an animator: ent_animators_pose. Its pose relative to
 * its parent, or to the joint that it follows, is that of the node in the clip; a property that the clip does
 * not animate stays as it is.
 *
 * Position, rotation and scale are the rest pose of the node, which clips are blended with. */
#ifndef ENT_ANIMATED_NODE_H
#define ENT_ANIMATED_NODE_H

#include "record.h"

#define ANIMATED_NODE_FIELDS(F, R)                                                                 \
    F(R, EntityRef, animator, NO_ENTITY, 0, ALL, "", PLAIN,                                        \
      "entity with the animator; absent: this entity")                                             \
    F(R, u32, index, V1(0), 0, 65535, "", PLAIN,                                                   \
      "which animator of that entity, in their order; 0 is the first one")                         \
    F(R, NameRef, node, REQUIRED, 1, ALL, "", PLAIN,                                               \
      "path of the node in its model, such as \"door/wing\"")                                      \
    F(R, Vec3, position, V3(0, 0, 0), LOW, HIGH, "m", AXES(POINT), "of the rest pose")             \
    F(R, Quat, rotation, V4(0, 0, 0, 1), -1, 1, "", AXES(ROTATION), "of the rest pose")            \
    F(R, Vec3, scale, V3(1, 1, 1), LOW, HIGH, "", AXES(SIZE), "of the rest pose")

RECORD(AnimatedNodeRecord, ANIMATED_NODE_FIELDS)

#endif
