/* camera.h - a view along the entity's -Z axis, +Y up; or towards another entity. */
#ifndef ENT_CAMERA_H
#define ENT_CAMERA_H

#include "record.h"

#define CAMERA_KIND(X)                                                                             \
    X(CAMERA_PERSPECTIVE, "perspective")                                                           \
    X(CAMERA_ORTHOGRAPHIC, "orthographic")

#define CAMERA_FIELDS(F, R)                                                                        \
    F(R, Enum32, kind, V1(0), 0, 0, "", ENUM(CAMERA_KIND), "kind of projection")                   \
    F(R, f32, vertical_fov_rad, V1(0.9), 0.001, 3.14, "rad", PLAIN,                                \
      "perspective: full vertical angle of view")                                                  \
    F(R, f32, height_m, V1(10), 0.0001, 1e6, "m", PLAIN, "orthographic: full height of the view")  \
    F(R, f32, aspect, V1(0), 0, 1000, "", PLAIN, "width / height; 0: that of the picture")         \
    F(R, f32, near_m, V1(0.1), 0.00001, 1e6, "m", PLAIN,                                           \
      "depth of the near plane; less than far_m")                                                  \
    F(R, f32, far_m, V1(1000), 0, 1e9, "m", PLAIN, "depth of the far plane; 0: unlimited")         \
    F(R, EntityRef, target, NO_ENTITY, 0, ALL, "", PLAIN, "entity that the camera looks at")

RECORD_ENUM(CameraKind, CAMERA_KIND)
RECORD(CameraRecord, CAMERA_FIELDS)

#endif
