/* transform.h - position, rotation and scale of an entity, relative to its parent. */
#ifndef ENT_TRANSFORM_H
#define ENT_TRANSFORM_H

#include "record.h"

#define TRANSFORM_FIELDS(F, R)                                                                     \
    F(R, Vec3, position, V3(0, 0, 0), LOW, HIGH, "m", AXES(POINT),                                 \
      "position in the parent's space")                                                            \
    F(R, Quat, rotation, V4(0, 0, 0, 1), -1, 1, "", AXES(ROTATION), "unit quaternion x y z w")     \
    F(R, Vec3, scale, V3(1, 1, 1), LOW, HIGH, "", AXES(SIZE), "scale along the entity's own axes")

RECORD(TransformRecord, TRANSFORM_FIELDS)

#endif
