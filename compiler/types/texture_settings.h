/* texture_settings.h - how an image becomes a texture: the fields of NAME.texture.json. */
#ifndef ENTC_TEXTURE_SETTINGS_H
#define ENTC_TEXTURE_SETTINGS_H

#include "fields.h"
#include "texture.h"

#define TEXTURE_USAGE(X)                                                                           \
    X(TEXTURE_COLOR, "color")                                                                      \
    X(TEXTURE_DATA, "data")                                                                        \
    X(TEXTURE_NORMAL, "normal")                                                                    \
    X(TEXTURE_MASK, "mask")

/* As TEXTURE_FORMAT, after the first one. */
#define TEXTURE_CHOICE(X) X(TEXTURE_AUTO, "auto") TEXTURE_FORMAT(X)

#define TEXTURE_SETTINGS_FIELDS(F, R)                                                              \
    F(R, Enum32, usage, V1(0), 0, 0, "", ENUM(TEXTURE_USAGE),                                      \
      "color: sRGB; data: linear channels; normal: tangent space; mask: one channel, red")         \
    F(R, Enum32, format, V1(0), 0, 0, "", ENUM(TEXTURE_CHOICE),                                    \
      "auto: bc1, bc3 with transparency, normal bc5, mask bc4; or without compression")            \
    F(R, Enum32, wrap_u, V1(0), 0, 0, "", ENUM(TEXTURE_WRAP), "outside of 0 to 1, horizontally")   \
    F(R, Enum32, wrap_v, V1(0), 0, 0, "", ENUM(TEXTURE_WRAP), "outside of 0 to 1, vertically")     \
    F(R, Enum32, magnify, V1(1), 0, 0, "", ENUM(TEXTURE_FILTER), "filter between pixels, near")    \
    F(R, Enum32, minify, V1(1), 0, 0, "", ENUM(TEXTURE_FILTER), "filter between pixels, far")      \
    F(R, Enum32, between_levels, V1(1), 0, 0, "", ENUM(TEXTURE_FILTER), "filter between levels")   \
    F(R, u32, levels, V1(0), 0, TEXTURE_LEVELS_MAX, "", PLAIN,                                     \
      "the largest number of levels; 0: down to one pixel")                                        \
    F(R, u32, largest, V1(0), 0, TEXTURE_SIDE_MAX, "pixels", PLAIN,                                \
      "the image is halved until no side is larger; 0: it keeps its size")                         \
    F(R, Bool32, opaque, V1(0), 0, 1, "", PLAIN, "the alpha of the image is ignored")              \
    F(R, Bool32, premultiplied, V1(0), 0, 1, "", PLAIN, "colours are multiplied by alpha")         \
    F(R, f32, alpha_cutoff, V1(0), 0, 1, "", PLAIN,                                                \
      "above 0: each level keeps the share of pixels with at least this alpha")

#define TEXTURE_SETTINGS_MEMBER(R, Type, name, fallback, lo, hi, unit, argument, text) Type name;
typedef struct TextureSettings {
    TEXTURE_SETTINGS_FIELDS(TEXTURE_SETTINGS_MEMBER, TextureSettings)
} TextureSettings;
#undef TEXTURE_SETTINGS_MEMBER

#define TEXTURE_USAGE_NAME(name, text) name,
typedef enum TextureUsage { TEXTURE_USAGE(TEXTURE_USAGE_NAME) TEXTURE_USAGE_COUNT } TextureUsage;
#undef TEXTURE_USAGE_NAME

/* The field table; "texture" is its name in messages. */
const RecordType* texture_settings_type(void);

#endif
