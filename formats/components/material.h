/* material.h - how a surface reflects light: metallic and roughness as in glTF, and how it
 * transmits light. A resource, shared by mesh parts; not a component. */
#ifndef ENT_MATERIAL_H
#define ENT_MATERIAL_H

#include "record.h"
#include "resources.h"

#define MATERIAL_ALPHA(X)                                                                          \
    X(MATERIAL_OPAQUE, "opaque")                                                                   \
    X(MATERIAL_MASK, "mask")                                                                       \
    X(MATERIAL_BLEND, "blend")

#define MATERIAL_FIELDS(F, R)                                                                      \
    F(R, Vec3, base_color, V3(1, 1, 1), 0, 1, "linear RGB", PLAIN,                                 \
      "albedo, or the colour of a metal")                                                          \
    F(R, f32, opacity, V1(1), 0, 1, "", PLAIN, "opacity in the modes mask and blend")              \
    F(R, Enum32, alpha_mode, V1(0), 0, 0, "", ENUM(MATERIAL_ALPHA), "effect of the opacity")       \
    F(R, f32, alpha_cutoff, V1(0.5), 0, 1, "", PLAIN,                                              \
      "mask: parts with a lower opacity are invisible")                                            \
    F(R, f32, roughness, V1(1), 0, 1, "", PLAIN, "0: mirror, 1: fully diffuse")                    \
    F(R, f32, metallic, V1(0), 0, 1, "", PLAIN, "0: dielectric, 1: metal")                         \
    F(R, Vec3, emissive, V3(0, 0, 0), 0, 1e6, "linear RGB", PLAIN, "emitted light")                \
    F(R, f32, refraction, V1(0), 0, 4, "", PLAIN,                                                  \
      "of a blended surface: what is opaque behind it is refracted, with an index of 1 + "         \
      "refraction / 2, over the "                                                                  \
      "distance to the next surface")                                                              \
    F(R, f32, transmission, V1(0), 0, 1, "", PLAIN,                                                \
      "of a blended surface: the share of the light which it does not reflect that passes it, "    \
      "multiplied by base_color and transmission_color; its reflections are those of an opaque "   \
      "surface")                                                                                   \
    F(R, Vec3, transmission_color, V3(1, 1, 1), 0, 1, "linear RGB", PLAIN,                         \
      "with transmission: what the body behind the surface leaves of light")                       \
    F(R, f32, thickness_m, V1(0), 0, 1e6, "m", PLAIN,                                              \
      "with transmission: of this body, which is scaled with the entity; refraction ends there. "  \
      "0: a pane, which does not refract")                                                         \
    F(R, f32, clearcoat, V1(0), 0, 1, "", PLAIN,                                                   \
      "share of the surface that clear lacquer covers: it reflects light besides the surface, "    \
      "without its normal map")                                                                    \
    F(R, f32, clearcoat_roughness, V1(0), 0, 1, "", PLAIN, "of the lacquer, as roughness")         \
    F(R, f32, caustic_strength, V1(0), 0, 100, "", PLAIN,                                          \
      "strength of the caustics in its shadow; the sum of the caustics of a place is at most 16 "  \
      "times the light")                                                                           \
    F(R, Vec4, normal_scroll, V4(0, 0, 0, 0), -1e3, 1e3, "1/s", PLAIN,                             \
      "velocities of two layers of the normal map in texture coordinates: x, y and z, w. Its "     \
      "mean "                                                                                      \
      "is shown, and moves with its caustics; 0: it stands")                                       \
    F(R, Bool32, double_sided, V1(0), 0, 1, "", PLAIN, "also visible from behind")

/* The channels of a texture that a slot reads are those of glTF. */
#define MATERIAL_SLOT(X)                                                                           \
    X(MATERIAL_BASE_COLOR, "base_color")                                                           \
    X(MATERIAL_METALLIC_ROUGHNESS, "metallic_roughness")                                           \
    X(MATERIAL_NORMAL, "normal")                                                                   \
    X(MATERIAL_OCCLUSION, "occlusion")                                                             \
    X(MATERIAL_EMISSIVE, "emissive")

/* A texture of a material. The texture is read at u, v of the vertex, transformed as in glTF's
 * KHR_texture_transform: offset + rotation * (scale * uv). What is read multiplies the factors of
 * the material: base_color (alpha: opacity), emissive, roughness (green), metallic (blue). */
#define MATERIAL_TEXTURE_FIELDS(F, R)                                                              \
    F(R, Enum32, slot, REQUIRED, 0, 0, "", ENUM(MATERIAL_SLOT), "strictly ascending")              \
    F(R, ResourceRef, texture, REQUIRED, 0, 0, "", REFERS_TO(RESOURCE_TEXTURE), "the image")       \
    F(R, u32, uv_set, V1(0), 0, 1, "", PLAIN, "texture coordinates of the mesh: uv or uv_1")       \
    F(R, Vec2, offset, V2(0, 0), LOW, HIGH, "", PLAIN, "added to the texture coordinates")         \
    F(R, f32, rotation_rad, V1(0), LOW, HIGH, "rad", PLAIN,                                        \
      "of the texture coordinates about their origin, counter-clockwise")                          \
    F(R, Vec2, scale, V2(1, 1), LOW, HIGH, "", PLAIN, "of the texture coordinates")                \
    F(R, f32, strength, V1(1), LOW, HIGH, "", PLAIN,                                               \
      "normal: scale of its x and y; occlusion: 0 (none) to 1; other slots: 1")

RECORD_ENUM(MaterialAlpha, MATERIAL_ALPHA)
RECORD_ENUM(MaterialSlot, MATERIAL_SLOT)
RECORD(MaterialRecord, MATERIAL_FIELDS)
RECORD(MaterialTextureRecord, MATERIAL_TEXTURE_FIELDS)

#endif
