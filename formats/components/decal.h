/* decal.h - colour projected along the entity's -Z axis onto what is inside its box. */
#ifndef ENT_DECAL_H
#define ENT_DECAL_H

#include "record.h"
#include "resources.h"

#define DECAL_FIELDS(F, R)                                                                         \
    F(R, Vec3, half_extent_m, V3(0.5, 0.5, 0.5), 0.0001, 1e6, "m", AXES(SIZE),                     \
      "half the size of the box")                                                                  \
    F(R, Vec3, color, V3(1, 1, 1), 0, 1, "linear RGB", PLAIN,                                      \
      "colour that is projected onto the surface")                                                 \
    F(R, f32, opacity, V1(1), 0, 1, "", PLAIN, "0: the surface is not changed")                    \
    F(R, f32, fade_angle_rad, V1(1.0471976), 0, 1.5707964, "rad", PLAIN,                           \
      "surfaces that are turned away by a greater angle are not changed")                          \
    F(R, u32, order, V1(0), 0, 255, "", PLAIN, "decals with a higher order are drawn on top")      \
    F(R, ResourceRef, color_texture, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_TEXTURE),           \
      "multiplied by color, its alpha by opacity; or none")                                        \
    F(R, ResourceRef, normal_texture, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_TEXTURE),          \
      "normals of the projected surface; or none")

RECORD(DecalRecord, DECAL_FIELDS)

#endif
