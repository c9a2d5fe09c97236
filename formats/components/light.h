/* light.h - a point, spot or directional light that shines along the entity's -Z axis. An entity
 * may have more than one. Quantities are those of glTF's KHR_lights_punctual. */
#ifndef ENT_LIGHT_H
#define ENT_LIGHT_H

#include "record.h"
#include "resources.h"

#define LIGHT_KIND(X)                                                                              \
    X(LIGHT_POINT, "point")                                                                        \
    X(LIGHT_SPOT, "spot")                                                                          \
    X(LIGHT_DIRECTIONAL, "directional")

#define LIGHT_FIELDS(F, R)                                                                         \
    F(R, Enum32, kind, V1(0), 0, 0, "", ENUM(LIGHT_KIND), "kind of light source")                  \
    F(R, Vec3, color, V3(1, 1, 1), 0, 1, "linear RGB", PLAIN,                                      \
      "colour; its brightest channel should be near 1")                                            \
    F(R, f32, intensity, V1(1), 0, 1e9, "cd, or lx when directional", PLAIN,                       \
      "luminous intensity, or illuminance when directional")                                       \
    F(R, f32, range_m, V1(10), 0.001, 1e6, "m", PLAIN, "distance beyond which nothing is lit")     \
    F(R, f32, inner_angle_rad, V1(0), 0, 1.5707964, "rad", PLAIN,                                  \
      "spot: half angle of the fully lit cone")                                                    \
    F(R, f32, outer_angle_rad, V1(0.7853982), 0, 1.5707964, "rad", PLAIN,                          \
      "spot: half angle of the complete cone; at least inner_angle_rad")                           \
    F(R, Bool32, casts_shadow, V1(0), 0, 1, "", PLAIN,                                             \
      "whether it casts opaque and transparent shadows")                                           \
    F(R, ResourceRef, cookie, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_TEXTURE),                  \
      "texture that multiplies the colour: of a spot light across the square around its cone, of " \
      "a point "                                                                                   \
      "light as an equirectangular picture, whose middle is along -Z; or none")

RECORD_ENUM(LightKind, LIGHT_KIND)
RECORD(LightRecord, LIGHT_FIELDS)

#endif
