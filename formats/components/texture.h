/* texture.h - an image with its levels. The levels follow each other in the texture data in the
 * layout of the GPU, largest first, each aligned to 16 bytes: loading is one copy into a staging
 * buffer, and one region for each level. Rows have no padding; a row of a block format is a row of
 * blocks of 4x4 pixels. */
#ifndef ENT_TEXTURE_H
#define ENT_TEXTURE_H

#include "record.h"

#define TEXTURE_SIDE_MAX   16384u
#define TEXTURE_LEVELS_MAX 15u

#define TEXTURE_FORMAT(X)                                                                          \
    X(TEXTURE_RGBA8, "rgba8")                                                                      \
    X(TEXTURE_R8, "r8")                                                                            \
    X(TEXTURE_BC1, "bc1")                                                                          \
    X(TEXTURE_BC3, "bc3")                                                                          \
    X(TEXTURE_BC4, "bc4")                                                                          \
    X(TEXTURE_BC5, "bc5")

#define TEXTURE_COLOR_SPACE(X)                                                                     \
    X(TEXTURE_LINEAR, "linear")                                                                    \
    X(TEXTURE_SRGB, "srgb")

#define TEXTURE_WRAP(X)                                                                            \
    X(TEXTURE_REPEAT, "repeat")                                                                    \
    X(TEXTURE_MIRROR, "mirror")                                                                    \
    X(TEXTURE_CLAMP, "clamp")

#define TEXTURE_FILTER(X)                                                                          \
    X(TEXTURE_FILTER_NEAREST, "nearest")                                                           \
    X(TEXTURE_FILTER_LINEAR, "linear")

#define TEXTURE_FIELDS(F, R)                                                                       \
    F(R, u32, width, REQUIRED, 1, TEXTURE_SIDE_MAX, "pixels", PLAIN, "of level 0")                 \
    F(R, u32, height, REQUIRED, 1, TEXTURE_SIDE_MAX, "pixels", PLAIN, "of level 0")                \
    F(R, u32, layers, V1(1), 1, 1, "", PLAIN, "images in each level")                              \
    F(R, u32, level_count, REQUIRED, 1, TEXTURE_LEVELS_MAX, "", PLAIN, "each half as large")       \
    F(R, Enum32, format, REQUIRED, 0, 0, "", ENUM(TEXTURE_FORMAT), "of the pixels")                \
    F(R, Enum32, color_space, V1(0), 0, 0, "", ENUM(TEXTURE_COLOR_SPACE), "of red, green, blue")   \
    F(R, Enum32, wrap_u, V1(0), 0, 0, "", ENUM(TEXTURE_WRAP), "outside of 0 to 1, horizontally")   \
    F(R, Enum32, wrap_v, V1(0), 0, 0, "", ENUM(TEXTURE_WRAP), "outside of 0 to 1, vertically")     \
    F(R, Enum32, magnify, V1(1), 0, 0, "", ENUM(TEXTURE_FILTER), "filter between pixels, near")    \
    F(R, Enum32, minify, V1(1), 0, 0, "", ENUM(TEXTURE_FILTER), "filter between pixels, far")      \
    F(R, Enum32, between_levels, V1(1), 0, 0, "", ENUM(TEXTURE_FILTER), "filter between levels")   \
    F(R, Bool32, premultiplied, V1(0), 0, 1, "", PLAIN, "colours are multiplied by alpha")

#define TEXTURE_LEVEL_FIELDS(F, R)                                                                 \
    F(R, u32, offset, REQUIRED, 0, ALL, "", PLAIN, "in the texture data, a multiple of 16")        \
    F(R, u32, bytes, REQUIRED, 1, ALL, "", PLAIN, "of its rows, without padding")                  \
    F(R, u32, width, REQUIRED, 1, TEXTURE_SIDE_MAX, "pixels", PLAIN, "")                           \
    F(R, u32, height, REQUIRED, 1, TEXTURE_SIDE_MAX, "pixels", PLAIN, "")                          \
    F(R, u32, row_bytes, REQUIRED, 1, ALL, "", PLAIN, "of a row of pixels, or of blocks")

RECORD_ENUM(TextureFormat, TEXTURE_FORMAT)
RECORD_ENUM(TextureColorSpace, TEXTURE_COLOR_SPACE)
RECORD_ENUM(TextureWrapU, TEXTURE_WRAP)
RECORD_ENUM(TextureMagnify, TEXTURE_FILTER)
RECORD(TextureRecord, TEXTURE_FIELDS)
RECORD(TextureLevelRecord, TEXTURE_LEVEL_FIELDS)

#endif
