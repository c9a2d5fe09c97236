/* levels.c - the box filter, and the conversion from and to bytes, on all threads.
 *
 * Texels of a level are f32. Of MIP_COLOR: linear light times weight, and the weight, which is alpha
 * from 0 to 255 and WEIGHT_MIN, so that texels that are invisible everywhere keep the average of
 * their colours. Of other usages: the bytes as they are, 0 to 255. Filters of such values are exact
 * for eight levels of even sizes.
 *
 * Sizes that are odd: a texel i of m covers the source from i * n / m to (i + 1) * n / m, where
 * n = 2 * m + 1. These are three texels with the weights (m - i, m, i + 1) / n.
 *
 * Source   Non-power-of-two mipmapping, NVIDIA 2005, for these weights;
 *          Computing alpha mipmaps, I. Castano 2010, for alpha coverage. */
#include "levels.h"

#include <float.h>
#include <math.h>

#include "memory.h"
#include "srgb.h"
#include "threads.h"

_Static_assert(FLT_EVAL_METHOD == 0, "f32 must be evaluated as f32, or the bytes would differ");

#define WEIGHT_MIN (1.0f / 16384.0f) /* of 255; exact in sums with alpha */

u32 mip_count_of(u32 width, u32 height) {
    u32 count = 1;
    for (u32 side = MAX_OF(width, height); side > 1; side /= 2) count++;
    return count;
}

static u32 half_of(u32 side) { return MAX_OF(side / 2, 1u); }

/* --- from bytes --- */

static void row_decode_color(const SrgbTables* srgb, const u8* from, u32 width, f32* to) {
    for (u32 x = 0; x < width; x++, from += 4, to += 4) {
        const f32 weight = (f32)from[3] + WEIGHT_MIN;
        to[0] = srgb->linear[from[0]] * weight;
        to[1] = srgb->linear[from[1]] * weight;
        to[2] = srgb->linear[from[2]] * weight;
        to[3] = weight;
    }
}

static void row_decode(const MipLevels* levels, const u8* from, u32 width, f32* to) {
    if (levels->options.usage == MIP_COLOR) {
        row_decode_color(srgb_tables(), from, width, to);
    } else {
        for (u32 i = 0; i < width * 4; i++) to[i] = (f32)from[i];
    }
}

/* Row y of the current level; `memory` has room for it. */
static const f32* row_of(const MipLevels* levels, u32 y, f32* memory) {
    const size_t first = (size_t)y * levels->width * 4;
    if (levels->texels) return levels->texels + first;
    row_decode(levels, levels->source + first, levels->width, memory);
    return memory;
}

/* --- the filter --- */

/* The weights of three texels along an odd side of 2 * m + 1. */
static void weights_of(u32 m, u32 i, f32 weights[3]) {
    const f32 n = (f32)(2 * m + 1);
    weights[0] = (f32)(m - i) / n;
    weights[1] = (f32)m / n;
    weights[2] = (f32)(i + 1) / n;
}

#define WORKER_ROWS 4u /* three of a level, and their sum */

/* The memory of a thread for rows. */
static f32* worker_rows(const MipLevels* levels, u32 worker) {
    return levels->rows + (size_t)worker * WORKER_ROWS * levels->source_width * 4;
}

/* Row y of the next level, with all columns of the current one; `rows` has room for three. */
static void filter_down(const MipLevels* levels, u32 y, f32* rows, f32* restrict out) {
    const u32  count = levels->width * 4, height = levels->height;
    const f32* a = row_of(levels, height == 1 ? 0 : 2 * y, rows);
    if (height == 1) {
        memcpy(out, a, count * sizeof *out);
        return;
    }
    const f32* b = row_of(levels, 2 * y + 1, rows + count);
    if (height % 2 == 0) {
        for (u32 i = 0; i < count; i++) out[i] = (a[i] + b[i]) * 0.5f;
        return;
    }
    const f32* c = row_of(levels, 2 * y + 2, rows + 2 * (size_t)count);
    f32        w[3];
    weights_of(height / 2, y, w);
    for (u32 i = 0; i < count; i++) out[i] = a[i] * w[0] + b[i] * w[1] + c[i] * w[2];
}

static void filter_across(const f32* restrict row, u32 width, f32* restrict out) {
    const u32 half = half_of(width);
    if (width == 1) {
        memcpy(out, row, 4 * sizeof *out);
    } else if (width % 2 == 0) {
        for (u32 x = 0; x < half; x++) {
            for (u32 c = 0; c < 4; c++)
                out[x * 4 + c] = (row[x * 8 + c] + row[x * 8 + 4 + c]) * 0.5f;
        }
    } else {
        for (u32 x = 0; x < half; x++) {
            const f32* at = row + (size_t)x * 8;
            f32        w[3];
            weights_of(half, x, w);
            for (u32 c = 0; c < 4; c++)
                out[x * 4 + c] = at[c] * w[0] + at[4 + c] * w[1] + at[8 + c] * w[2];
        }
    }
}

/* Of a source of at least 2 x 2 bytes, a row of the next level in f32 needs no more memory than the
 * two rows from which it is computed. */
static f32* texels_new(const MipLevels* levels, u32 width, u32 height) {
    const bool fit = levels->width > 1 && levels->height > 1;
    if (levels->options.overwrites && fit) return (f32*)levels->source;
    return memory_alloc_raw((size_t)width * height * 4 * sizeof(f32));
}

/* Rows of the next level that all threads compute together. */
typedef struct Band {
    const MipLevels* levels;
    u32              first;  /* of the rows */
    size_t           stride; /* f32 of a row */
    f32*             texels; /* [rows][stride] */
} Band;

#define BAND_BYTES      ((size_t)64 << 10) /* of each thread */
#define BAND_BYTES_MAX  ((size_t)4 << 20)
#define GROUP_BYTES     ((size_t)16 << 10) /* in one unit of work of a thread */
#define TEXELS_OF_GROUP (1u << 14)

static void band_filter(void* user, u32 first, u32 end, u32 worker) {
    const Band*      band = user;
    const MipLevels* levels = band->levels;
    f32*             rows = worker_rows(levels, worker);
    f32*             sum = rows + (WORKER_ROWS - 1) * (size_t)levels->source_width * 4;
    for (u32 y = first; y < end; y++) {
        filter_down(levels, band->first + y, rows, sum);
        filter_across(sum, levels->width, band->texels + y * band->stride);
    }
}

static u32 rows_in(size_t bytes, size_t row_bytes) {
    return (u32)MAX_OF(bytes / row_bytes, (size_t)1);
}

/* In place: row y of the result ends before row 2 * y + 2 of the current level, the first one that is still read. A band
 * is computed in other memory and copied when all of its sources were read. */
static void halve(MipLevels* levels) {
    JobPool*     pool = levels->options.pool;
    const u32    width = half_of(levels->width), height = half_of(levels->height);
    const size_t row_bytes = (size_t)width * 4 * sizeof(f32);
    const u32    threads = threads_count(pool);
    const u32    wanted = MAX_OF(rows_in(BAND_BYTES * threads, row_bytes), threads * 2);
    const u32    rows = MIN_OF(MIN_OF(wanted, rows_in(BAND_BYTES_MAX, row_bytes)), height);
    f32*         out = levels->texels ? levels->texels : texels_new(levels, width, height);
    Band         band = {.levels = levels,
                         .stride = (size_t)width * 4,
                         .texels = memory_alloc_raw(rows * row_bytes)};
    for (; band.first < height; band.first += MIN_OF(rows, height - band.first)) {
        const u32 count = MIN_OF(rows, height - band.first);
        threads_run(pool, count, rows_in(GROUP_BYTES, row_bytes), band_filter, &band);
        memcpy(out + band.first * band.stride, band.texels, count * row_bytes);
    }
    memory_free(band.texels);
    levels->texels = out;
    levels->width = width;
    levels->height = height;
}

/* --- alpha coverage --- */

static f32 alpha_of(const MipLevels* levels, const f32* texel) {
    return levels->options.usage == MIP_COLOR ? texel[3] - WEIGHT_MIN : texel[3];
}

/* The least byte of alpha that is not below the cutoff; 1 to 255. */
static u32 cutoff_byte(f32 cutoff) {
    const f64 exact = (f64)cutoff * 255;
    const u32 byte = (u32)exact;
    return MIN_OF(MAX_OF(byte + ((f64)byte < exact), 1u), 255u);
}

static u64 covered_source(const u8* rgba, u64 count, u32 min) {
    u64 covered = 0;
    for (u64 i = 0; i < count; i++) covered += rgba[i * 4 + 3] >= min;
    return covered;
}

typedef struct Covered {
    const MipLevels* levels;
    f32              min;
    u64              count; /* atomic */
} Covered;

static void covered_run(void* user, u32 first, u32 end, u32 worker) {
    Covered*         covered = user;
    const MipLevels* levels = covered->levels;
    u64              count = 0;
    UNUSED(worker);
    for (size_t i = first; i < end; i++)
        count += alpha_of(levels, levels->texels + i * 4) >= covered->min;
    __atomic_add_fetch(&covered->count, count, __ATOMIC_RELAXED);
}

/* Texels whose alpha is at least this. */
static u64 covered_texels(const MipLevels* levels, f32 min) {
    Covered covered = {.levels = levels, .min = min};
    threads_run(levels->options.pool, levels->width * levels->height, TEXELS_OF_GROUP, covered_run,
                &covered);
    return covered.count;
}

static f32 f32_from(u32 bits) {
    f32 value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static u32 bits_from(f32 value) {
    u32 bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The alpha that becomes the cutoff, so that `target` texels are covered, or as nearly that number as
 * texels with equal alpha permit. The order of positive f32 is that of their bits. */
static f32 alpha_for(const MipLevels* levels, u64 target, f32 now) {
    u32 low = bits_from(1.0f / 16), high = bits_from(256.0f); /* covers all that count; none */
    u64 low_count = covered_texels(levels, f32_from(low)), high_count = 0;
    if (covered_texels(levels, now) == target) return now;
    while (high - low > 1 && low_count != target) {
        const u32 middle = low + (high - low) / 2;
        const u64 count = covered_texels(levels, f32_from(middle));
        if (count >= target)
            low = middle, low_count = count;
        else
            high = middle, high_count = count;
    }
    const bool is_lower = low_count <= target || low_count - target <= target - high_count;
    return f32_from(is_lower ? low : high);
}

/* The factor by which alpha is multiplied. */
static f32 coverage_scale(const MipLevels* levels) {
    const u64 pixels = (u64)levels->source_width * levels->source_height;
    const u64 texels = (u64)levels->width * levels->height;
    if (!(levels->options.alpha_cutoff > 0) || !levels->texels) return 1;
    const u64 target = (levels->covered * texels + pixels / 2) / pixels;
    const f32 min = (f32)cutoff_byte(levels->options.alpha_cutoff) - 0.5f; /* is rounded up to it */
    const f32 alpha = alpha_for(levels, target, min);
    f32       scale = min / alpha;
    while (alpha * scale < min) scale = f32_from(bits_from(scale) + 1);
    return scale;
}

/* --- to bytes --- */

/* 0 to 255, rounded to the nearest. */
static u8 byte_of(f32 value) {
    value = value < 0 ? 0 : value > 255 ? 255 : value;
    return (u8)(value + 0.5f);
}

static void row_encode_color(const f32* from, u32 width, f32 scale, bool premultiplied, u8* to) {
    const SrgbTables* srgb = srgb_tables();
    for (u32 x = 0; x < width; x++, from += 4, to += 4) {
        const f32 scaled = (from[3] - WEIGHT_MIN) * scale, alpha = scaled < 255 ? scaled : 255;
        const f32 factor = (premultiplied ? alpha * (1.0f / 255.0f) : 1.0f) / from[3];
        to[0] = srgb_encode(srgb, from[0] * factor);
        to[1] = srgb_encode(srgb, from[1] * factor);
        to[2] = srgb_encode(srgb, from[2] * factor);
        to[3] = byte_of(alpha);
    }
}

static void row_encode_normal(const f32* from, u32 width, f32 scale, u8* to) {
    for (u32 x = 0; x < width; x++, from += 4, to += 4) {
        f32 n[3], square = 0;
        for (u32 c = 0; c < 3; c++) {
            n[c] = from[c] * (2.0f / 255.0f) - 1.0f;
            square += n[c] * n[c];
        }
        const bool has_direction = square >= MIP_NORMAL_MIN * MIP_NORMAL_MIN;
        const f32  length = sqrtf(square);
        for (u32 c = 0; c < 3; c++) {
            const f32 unit = has_direction ? n[c] / length : c == 2 ? 1.0f : 0.0f;
            to[c] = byte_of((unit + 1.0f) * 127.5f);
        }
        to[3] = byte_of(from[3] * scale);
    }
}

static void row_encode_linear(const f32* from, u32 width, f32 scale, u8* to) {
    for (u32 i = 0; i < width * 4; i++) to[i] = byte_of(from[i]);
    for (u32 x = 0; x < width && scale != 1; x++) to[x * 4 + 3] = byte_of(from[x * 4 + 3] * scale);
}

static bool is_premultiplied(const MipLevels* levels) {
    return levels->options.is_premultiplied && levels->options.usage == MIP_COLOR;
}

bool mip_levels_convert(const MipLevels* levels) {
    return levels->texels || is_premultiplied(levels);
}

const u8* mip_levels_rows(const MipLevels* levels, u32 first, u32 count, u32 worker, u8* buffer) {
    const bool premultiplied = is_premultiplied(levels);
    const f32  scale = levels->scale;
    const u32  width = levels->width;
    if (!mip_levels_convert(levels)) return levels->source + (size_t)first * width * 4;
    for (u32 y = 0; y < count; y++) {
        const f32* row = row_of(levels, first + y, worker_rows(levels, worker));
        u8*        to = buffer + (size_t)y * width * 4;
        switch (levels->options.usage) {
        case MIP_COLOR: row_encode_color(row, width, scale, premultiplied, to); break;
        case MIP_LINEAR: row_encode_linear(row, width, scale, to); break;
        case MIP_NORMAL: row_encode_normal(row, width, scale, to); break;
        }
    }
    return buffer;
}

const u8* mip_levels_pixels(const MipLevels* levels, u8* buffer) {
    return mip_levels_rows(levels, 0, levels->height, 0, buffer);
}

/* --- the sequence --- */

void mip_levels_open(MipLevels* levels, const MipOptions* options, const u8* rgba, u32 width,
                     u32 height) {
    assert(width > 0 && height > 0);
    *levels = (MipLevels){.width = width,
                          .height = height,
                          .options = *options,
                          .source = rgba,
                          .source_width = width,
                          .source_height = height};
    levels->rows = memory_alloc_sparse((size_t)threads_count(options->pool) * WORKER_ROWS * width *
                                       4 * sizeof *levels->rows);
    if (options->alpha_cutoff > 0)
        levels->covered =
            covered_source(rgba, (u64)width * height, cutoff_byte(options->alpha_cutoff));
    while (options->side_max && MAX_OF(levels->width, levels->height) > options->side_max)
        halve(levels);
    levels->count = mip_count_of(levels->width, levels->height);
    levels->scale = coverage_scale(levels);
}

bool mip_levels_next(MipLevels* levels) {
    if (levels->index + 1 >= levels->count) return false;
    halve(levels);
    levels->scale = coverage_scale(levels);
    levels->index++;
    return true;
}

void mip_levels_close(MipLevels* levels) {
    if ((const u8*)levels->texels != levels->source) memory_free(levels->texels);
    memory_free(levels->rows);
    *levels = (MipLevels){0};
}
