/* texture_shape.h - the levels of a texture: they follow from its size and its format. */
#ifndef ENT_TEXTURE_SHAPE_H
#define ENT_TEXTURE_SHAPE_H

#include "base.h"
#include "texture.h"

#define TEXTURE_ALIGN 16u /* of a level in the texture data */

/* Levels down to 1x1. */
static inline u32 texture_level_max(u32 width, u32 height) {
    u32 count = 1;
    while ((MAX_OF(width, height) >> count) > 0) count++;
    return count;
}

static inline bool texture_has_blocks(u32 format) { return format >= TEXTURE_BC1; }

/* Three or four channels? */
static inline bool texture_has_color(u32 format) {
    return format == TEXTURE_RGBA8 || format == TEXTURE_BC1 || format == TEXTURE_BC3;
}

/* Bytes of a pixel, or of a block of 4x4 pixels. */
static inline u32 texture_unit_bytes(u32 format) {
    switch (format) {
    case TEXTURE_R8: return 1;
    case TEXTURE_RGBA8: return 4;
    case TEXTURE_BC1:
    case TEXTURE_BC4: return 8;
    default: return 16;
    }
}

/* Level `i` of a texture at this offset of the texture data. At most 2^30 bytes. */
static inline TextureLevelRecord texture_level(const TextureRecord* t, u32 i, u64 offset) {
    const u32 width = MAX_OF(t->width >> i, 1u), height = MAX_OF(t->height >> i, 1u);
    const u32 side = texture_has_blocks(t->format) ? 4 : 1;
    const u32 row_bytes = (width + side - 1) / side * texture_unit_bytes(t->format);
    return (TextureLevelRecord){(u32)offset, row_bytes * ((height + side - 1) / side), width,
                                height, row_bytes};
}

/* Bytes of all levels: less than 2^31. */
static inline u32 texture_bytes(const TextureRecord* t) {
    u64 end = 0;
    for (u32 i = 0; i < t->level_count; i++) {
        const TextureLevelRecord level = texture_level(t, i, align_up(end, TEXTURE_ALIGN));
        end = (u64)level.offset + level.bytes;
    }
    return (u32)end;
}

#endif
