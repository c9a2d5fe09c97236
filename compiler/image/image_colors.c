/* image_colors.c - reads the statements of PNG and JPEG files about colours and orientation.
 *
 * Source   PNG Specification, third edition, W3C 2025: 11.3.2 (gAMA, cHRM, iCCP, sRGB);
 *          ICC.1:2022, Image technology colour management: 7.2 (header), 7.3 (tags), 10.6 (curves),
 *          10.18 (parametric curves), 10.31 (XYZ), B.4 (JPEG). */
#include "image_colors.h"

#include <stdio.h>
#include <stdlib.h>

#include "image_internal.h"
#include "memory.h"

static bool is_near(int64_t value, int64_t wanted, int64_t tolerance) {
    return value >= wanted - tolerance && value <= wanted + tolerance;
}

/* --- ICC profiles --- */

#define ICC_HEADER    128u
#define ICC_TAG_BYTES 12u
#define ICC_TAGS_MAX  100u

typedef struct Bytes {
    const u8* at;
    u64       count;
} Bytes;

/* The data of a tag; empty: there is none inside of the profile. Needs the header and the count. */
static Bytes icc_tag(Bytes icc, const char* name) {
    const u32 count = MIN_OF(image_u32(icc.at + ICC_HEADER), ICC_TAGS_MAX);
    for (u64 i = 0, at = ICC_HEADER + 4; i < count && icc.count - at >= ICC_TAG_BYTES;
         i++, at += ICC_TAG_BYTES) {
        if (memcmp(icc.at + at, name, 4) != 0) continue;
        const u64 offset = image_u32(icc.at + at + 4), bytes = image_u32(icc.at + at + 8);
        if (offset > icc.count || bytes > icc.count - offset) return (Bytes){0};
        return (Bytes){icc.at + offset, bytes};
    }
    return (Bytes){0};
}

/* A primary of sRGB for the white of profiles, in units of 1 / 65536. */
static bool primary_is(Bytes icc, const char* name, const i32 wanted[3]) {
    const Bytes tag = icc_tag(icc, name);
    if (tag.count < 20 || memcmp(tag.at, "XYZ ", 4) != 0) return false;
    for (u32 i = 0; i < 3; i++)
        if (!is_near((i32)image_u32(tag.at + 8 + (u64)i * 4), wanted[i], 300)) return false;
    return true;
}

/* Does a curve have the gamma of sRGB, or its value at one half, 0.214? */
static bool curve_is(Bytes icc, const char* name) {
    const Bytes tag = icc_tag(icc, name);
    if (tag.count < 12) return false;
    if (memcmp(tag.at, "para", 4) == 0) {
        const u32 kind = image_u16(tag.at + 8);
        const u32 gamma = tag.count < 16 ? 0 : image_u32(tag.at + 12);
        return kind == 0 ? is_near(gamma, 144179, 3000) : is_near(gamma, 157286, 3000);
    }
    if (memcmp(tag.at, "curv", 4) != 0) return false;
    const u64 count = image_u32(tag.at + 8);
    if ((tag.count - 12) / 2 < count) return false;
    if (count == 1) return is_near(image_u16(tag.at + 12), 563, 12); /* 2.2, in units of 1 / 256 */
    return count > 1 && is_near(image_u16(tag.at + 12 + (count - 1) / 2 * 2), 14027, 1000);
}

static bool icc_is_srgb(Bytes icc) {
    static const i32 red[3] = {28578, 14581, 912}, green[3] = {25241, 46981, 6362},
                     blue[3] = {9376, 3980, 46799};
    if (icc.count < ICC_HEADER + 4) return false;
    if (memcmp(icc.at + 16, "GRAY", 4) == 0) return curve_is(icc, "kTRC");
    return memcmp(icc.at + 16, "RGB ", 4) == 0 && primary_is(icc, "rXYZ", red) &&
           primary_is(icc, "gXYZ", green) && primary_is(icc, "bXYZ", blue) &&
           curve_is(icc, "rTRC") && curve_is(icc, "gTRC") && curve_is(icc, "bTRC");
}

/* --- PNG --- */

typedef struct PngColors {
    bool srgb, profile, gamma, primaries; /* there is such a chunk */
    u32  gamma_value;                     /* in units of 1 / 100000 */
    bool primaries_are_srgb;
} PngColors;

static bool chunk_is(PngChunk chunk, const char* type, u64 bytes) {
    return png_chunk_has_type(chunk, type) && chunk.bytes == bytes + PNG_CHUNK_BYTES;
}

static bool chromaticities_are_srgb(const u8* at) {
    static const i32 srgb[8] = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
    for (u64 i = 0; i < COUNT_OF(srgb); i++)
        if (!is_near(image_u32(at + i * 4), srgb[i], 1000)) return false;
    return true;
}

static PngColors png_colors(const u8* bytes, u64 size) {
    PngColors found = {0};
    PngChunk  chunk;
    for (u64 at = PNG_SIGNATURE_BYTES; png_chunk_at(bytes, size, at, &chunk); at += chunk.bytes) {
        const u8* data = chunk.at + 8;
        if (png_chunk_has_type(chunk, "IDAT")) break;
        if (png_chunk_has_type(chunk, "sRGB")) found.srgb = true;
        if (png_chunk_has_type(chunk, "iCCP")) found.profile = true;
        if (chunk_is(chunk, "gAMA", 4)) found.gamma = true, found.gamma_value = image_u32(data);
        if (chunk_is(chunk, "cHRM", 32))
            found.primaries = true, found.primaries_are_srgb = chromaticities_are_srgb(data);
    }
    return found;
}

static bool png_profile_is_srgb(const u8* bytes, u64 size) {
    u64        count = 0;
    u8*        profile = png_profile(bytes, size, &count);
    const bool is_srgb = icc_is_srgb((Bytes){profile, count}); /* of none: 0 bytes */
    memory_free(profile);
    return is_srgb;
}

static const char profile_clause[] = "contains a colour profile other than sRGB";

static const char* png_colors_other(const u8* bytes, u64 size, char* clause) {
    const PngColors found = png_colors(bytes, size);
    if (found.srgb) return NULL;
    if (found.profile) return png_profile_is_srgb(bytes, size) ? NULL : profile_clause;
    const bool gamma = found.gamma && !is_near(found.gamma_value, 45455, 2272); /* 5 % */
    const bool primaries = found.primaries && !found.primaries_are_srgb;
    if (gamma)
        snprintf(clause, IMAGE_CLAUSE_BYTES, "states a gamma of %u.%05u%s",
                 found.gamma_value / 100000, found.gamma_value % 100000,
                 primaries ? ", and primaries other than those of sRGB" : "");
    else if (primaries)
        snprintf(clause, IMAGE_CLAUSE_BYTES, "states primaries other than those of sRGB");
    return gamma || primaries ? clause : NULL;
}

/* --- JPEG --- */

#define MARKER_EXIF  0xe1u
#define MARKER_ICC   0xe2u
#define ICC_PREFIX   16u /* the length of the segment, "ICC_PROFILE", 0, number and count of parts */
#define EXIF_PREFIX  8u
#define TIFF_ENTRY   12u
#define ORIENTATION  0x0112u
#define TIFF_SHORT   3u
#define SEGMENTS_END 0xd9u
#define SEGMENT_SCAN 0xdau

/* The next segment with this marker before the pixels. */
static bool segment_find(const u8* bytes, u64 size, u32 marker, u64* at, JpegSegment* segment) {
    while (!jpeg_segment_next(bytes, size, at, segment)) {
        if (segment->marker == SEGMENTS_END || segment->marker == SEGMENT_SCAN) return false;
        if (segment->marker == marker) return true;
    }
    return false;
}

/* A profile in more than one part is larger than 64 KiB: none of sRGB is. */
static const char* jpeg_colors_other(const u8* bytes, u64 size) {
    JpegSegment segment;
    u64         at = 2;
    while (segment_find(bytes, size, MARKER_ICC, &at, &segment)) {
        if (segment.bytes < ICC_PREFIX || memcmp(segment.at + 2, "ICC_PROFILE", 12) != 0) continue;
        const Bytes icc = {segment.at + ICC_PREFIX, segment.bytes - ICC_PREFIX};
        return segment.at[15] == 1 && icc_is_srgb(icc) ? NULL : profile_clause;
    }
    return NULL;
}

const char* image_colors_other(const u8* bytes, u64 size, char* clause) {
    if (png_is(bytes, size)) return png_colors_other(bytes, size, clause);
    return jpeg_is(bytes, size) ? jpeg_colors_other(bytes, size) : NULL;
}

/* --- orientation --- */

static u32 tiff_u16(const u8* at, bool big) {
    return big ? image_u16(at) : at[0] | (u32)at[1] << 8;
}

static u32 tiff_u32(const u8* at, bool big) {
    return big ? image_u32(at) : tiff_u16(at, big) | tiff_u16(at + 2, big) << 16;
}

/* The first directory of a TIFF file. */
static u32 tiff_orientation(Bytes tiff) {
    if (tiff.count < 8) return 1;
    const bool big = memcmp(tiff.at, "MM\0*", 4) == 0;
    if (!big && memcmp(tiff.at, "II*", 4) != 0) return 1;
    u64 at = tiff_u32(tiff.at + 4, big);
    if (at > tiff.count || tiff.count - at < 2) return 1;
    const u32 count = tiff_u16(tiff.at + at, big);
    at += 2;
    for (u32 i = 0; i < count && tiff.count - at >= TIFF_ENTRY; i++, at += TIFF_ENTRY) {
        const u8* entry = tiff.at + at;
        if (tiff_u16(entry, big) != ORIENTATION) continue;
        const u32  value = tiff_u16(entry + 8, big);
        const bool valid = tiff_u16(entry + 2, big) == TIFF_SHORT && value >= 1 && value <= 8;
        return valid ? value : 1;
    }
    return 1;
}

u32 image_orientation(const u8* bytes, u64 size) {
    JpegSegment segment;
    u64         at = 2;
    while (segment_find(bytes, size, MARKER_EXIF, &at, &segment)) {
        if (segment.bytes < EXIF_PREFIX || memcmp(segment.at + 2, "Exif\0", 6) != 0) continue;
        return tiff_orientation((Bytes){segment.at + EXIF_PREFIX, segment.bytes - EXIF_PREFIX});
    }
    return 1;
}

/* Where a pixel of the file is shown. */
typedef struct Turn {
    bool exchange, flip_x, flip_y; /* x and y are exchanged first */
} Turn;

void image_orient(Image* image, u32 orientation) {
    static const Turn turns[9] = {
        [2] = {false, true, false}, [3] = {false, true, true}, [4] = {false, false, true},
        [5] = {true, false, false}, [6] = {true, true, false}, [7] = {true, true, true},
        [8] = {true, false, true}};
    assert(orientation < COUNT_OF(turns));
    const Turn turn = turns[orientation];
    ImageInfo* info = &image->info;
    const u32  width = turn.exchange ? info->height : info->width;
    const u32  height = turn.exchange ? info->width : info->height;
    if (orientation <= 1) return;
    u8*       to = memory_alloc_raw(image_bytes(info));
    const u8* from = image->pixels;
    for (u32 y = 0; y < info->height; y++) {
        for (u32 x = 0; x < info->width; x++, from += 4) {
            u32 column = turn.exchange ? y : x, row = turn.exchange ? x : y;
            if (turn.flip_x) column = width - 1 - column;
            if (turn.flip_y) row = height - 1 - row;
            memcpy(to + ((size_t)row * width + column) * 4, from, 4);
        }
    }
    memory_free(image->pixels);
    image->pixels = to;
    info->width = width;
    info->height = height;
}
