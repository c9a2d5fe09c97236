/* material.h - how a surface reflects light: metallic and roughness as in glTF, and how it
 * transmits light. A resource, shared by mesh parts; not a component. */
#ifndef ENT_MATERIAL_H
#define ENT_MATERIAL_H

#include "record.h"

#define MATERIAL_ALPHA(X)                                                                          \
    X(MATERIAL_OPAQUE, "opaque")                                                                   \
    X(MATERIAL_MASK, "mask")                                                                       \
    X(MATERIAL_BLEND, "blend")

#define MATERIAL_FIELDS(F, R)                                                                      \
    F(R, Vec3, base_color, V3(1, 1, 1), 0, 1, "linear RGB", PLAIN,                                 \
      "albedo, or the colour of a metal")                                                          \
    F(R, f32, opacity, V1(1), 0, 1, "", PLAIN, "opacity in the modes mask and blend")              \
    F(R, Enum32, alpha_mode, V1(0), 0, 2, "", ENUM(MATERIAL_ALPHA), "effect of the opacity")       \
    F(R, f32, alpha_cutoff, V1(0.5), 0, 1, "", PLAIN,                                              \
      "mask: parts with a lower opacity are invisible")                                            \
    F(R, f32, roughness, V1(1), 0, 1, "", PLAIN, "0: mirror, 1: fully diffuse")                    \
    F(R, f32, metallic, V1(0), 0, 1, "", PLAIN, "0: dielectric, 1: metal")                         \
    F(R, Vec3, emissive, V3(0, 0, 0), 0, 1e6, "linear RGB", PLAIN, "emitted light")                \
    F(R, f32, refraction, V1(0), 0, 1, "", PLAIN,                                                  \
      "strength of the refraction of what is behind it")                                           \
    F(R, f32, caustic_strength, V1(0), 0, 100, "", PLAIN,                                          \
      "strength of the caustics in its shadow")                                                    \
    F(R, Bool32, double_sided, V1(0), 0, 1, "", PLAIN, "also visible from behind")

RECORD_ENUM(MaterialAlpha, MATERIAL_ALPHA)
RECORD(MaterialRecord, MATERIAL_FIELDS)

#endif
