/* levels_encode.c - converts a level to a format of the GPU, on all threads: each one converts some rows of blocks from
 * f32 to bytes, encodes them, and compares them with what they are decoded to, while they are in its cache. */
#include "levels.h"

#include "memory.h"
#include "threads.h"

#define STRIP_ROWS   4u    /* of pixels: a row of blocks, of every format */
#define GROUP_TEXELS 4096u /* in one unit of work of a thread */

typedef struct Encoding {
    const MipLevels* levels;
    PixelFormat      format;
    u8*              out;
    u8*         buffer; /* [threads][STRIP_ROWS][width][4]; NULL: the pixels are not converted */
    BlockError* error;  /* or NULL; atomic */
} Encoding;

static void error_join(BlockError* error, const BlockError* part) {
    for (u32 c = 0; c < COUNT_OF(part->squares); c++) {
        if (!part->pixels[c]) continue;
        __atomic_add_fetch(&error->squares[c], part->squares[c], __ATOMIC_RELAXED);
        __atomic_add_fetch(&error->pixels[c], part->pixels[c], __ATOMIC_RELAXED);
    }
}

static void strips_encode(void* user, u32 first, u32 end, u32 worker) {
    const Encoding*  e = user;
    const MipLevels* levels = e->levels;
    const u32        width = levels->width;
    const size_t     strip_bytes = (size_t)STRIP_ROWS * width * 4;
    u8*              buffer = e->buffer ? e->buffer + worker * strip_bytes : NULL;
    BlockError       error = {.alpha_hides = e->error && e->error->alpha_hides};
    for (u32 i = first; i < end; i++) {
        const u32 y = i * STRIP_ROWS, rows = MIN_OF(STRIP_ROWS, levels->height - y);
        const u8* pixels = mip_levels_rows(levels, y, rows, worker, buffer);
        u8*       out = e->out + (y ? pixels_bytes(e->format, width, y) : 0);
        pixels_encode(e->format, pixels, width, rows, out);
        if (e->error) block_error_add(&error, e->format, pixels, width, rows, out);
    }
    if (e->error) error_join(e->error, &error);
}

void mip_levels_encode(const MipLevels* levels, PixelFormat format, u8* out, BlockError* error) {
    JobPool*     pool = levels->options.pool;
    const u32    strips = (levels->height - 1) / STRIP_ROWS + 1;
    const u32    strip_texels = levels->width * STRIP_ROWS;
    const size_t strip_bytes = (size_t)strip_texels * 4;
    Encoding     e = {.levels = levels, .format = format, .out = out, .error = error};
    if (mip_levels_convert(levels)) e.buffer = memory_alloc_raw(strip_bytes * threads_count(pool));
    threads_run(pool, strips, MAX_OF(GROUP_TEXELS / strip_texels, 1u), strips_encode, &e);
    memory_free(e.buffer);
}
