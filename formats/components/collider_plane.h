/* collider_plane.h - the table of `collider` under its older name: for blobs and saves with this one. */
#ifndef ENT_COLLIDER_PLANE_H
#define ENT_COLLIDER_PLANE_H

#include "record.h"

#define COLLIDER_PLANE_FIELDS(F, R)                                                                \
    F(R, Vec3, normal, V3(0, 1, 0), -1, 1, "", AXES(DIRECTION),                                    \
      "unit vector to the free side, in the entity's space")                                       \
    F(R, f32, offset_m, V1(0), -1e6, 1e6, "m", PLAIN, "distance from the entity along the normal") \
    F(R, f32, restitution, V1(0.5), 0, 1, "", PLAIN,                                               \
      "fraction of the speed along the normal after a bounce")

RECORD(ColliderPlaneRecord, COLLIDER_PLANE_FIELDS)

#endif
