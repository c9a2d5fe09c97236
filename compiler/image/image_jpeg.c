/* image_jpeg.c - JPEG files, decoded by libjpeg-turbo: baseline and progressive, grey, colour, and CMYK.
 *
 * A file with four channels is CMYK or YCCK, which the segment APP14 of Adobe states. Adobe stores what
 * is left of the light (255: no ink); without that segment, the channels are amounts of ink. Colours
 * are multiplied by what black leaves, as browsers do without a colour profile.
 *
 * The decoder replaces missing data by grey pixels and does not limit its memory. So the segments
 * are read here first: a truncated file and one that cannot contain its pixels are refused before
 * anything is allocated.
 *
 * Source   ITU-T T.81, Digital compression and coding of continuous-tone still images, 1992;
 *          Adobe Technical Note 5116, Supporting the DCT Filters in PostScript Level 2, 1992: APP14. */
#include "image_internal.h"

#include <turbojpeg.h>

#include "memory.h"

#define FRAME_BYTES   8u /* of a frame header, before its channels */
#define CHANNEL_BYTES 3u
#define BLOCK_SIDE    8u
#define SAMPLING_MAX  4u
#define INK_CHANNELS  4u
#define ADOBE_BYTES   14u /* of the segment, from its length */

enum {
    MARKER_TEM = 0x01,
    MARKER_BASELINE = 0xc0,
    MARKER_PROGRESSIVE = 0xc2,
    MARKER_TABLES = 0xc4,
    MARKER_EXTENSION = 0xc8,
    MARKER_ARITHMETIC = 0xc9,
    MARKER_CONDITIONING = 0xcc,
    MARKER_RESTART = 0xd0, /* to 0xd7 */
    MARKER_END = 0xd9,
    MARKER_SCAN = 0xda,
    MARKER_ADOBE = 0xee,
};

bool jpeg_is(const u8* bytes, u64 size) {
    return size >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0;
}

/* --- segments --- */

static bool is_frame(u32 marker) {
    return (marker & 0xf0) == 0xc0 && marker != MARKER_TABLES && marker != MARKER_EXTENSION &&
           marker != MARKER_CONDITIONING;
}

const char* jpeg_segment_next(const u8* bytes, u64 size, u64* at, JpegSegment* segment) {
    u64 i = *at;
    if (i < size && bytes[i] != 0xff)
        return "is not a valid JPEG file: it has bytes between its segments";
    while (i < size && bytes[i] == 0xff) i++; /* fill bytes */
    if (i >= size) return "is truncated: it ends before its last marker";
    *segment = (JpegSegment){.marker = bytes[i++]};
    *at = i;
    if (segment->marker == MARKER_END || segment->marker == MARKER_TEM) return NULL;
    if (size - i < 2) return "is truncated: it ends inside a segment";
    segment->bytes = image_u16(bytes + i);
    if (segment->bytes < 2) return "is not a valid JPEG file: it has a segment without a length";
    if (segment->bytes > size - i) return "is truncated: it ends inside a segment";
    segment->at = bytes + i;
    *at = i + segment->bytes;
    return NULL;
}

/* Behind the compressed data of a scan: the offset of the next marker. */
static u64 scan_end(const u8* bytes, u64 size, u64 at) {
    while (at < size) {
        const u8* found = memchr(bytes + at, 0xff, size - at);
        if (!found) return size;
        at = (u64)(found - bytes);
        if (at + 1 >= size) return size;
        const u8 next = bytes[at + 1];
        if (next != 0 && next != 0xff && (next & 0xf8) != MARKER_RESTART) return at;
        at += next == 0xff ? 1 : 2;
    }
    return size;
}

/* --- the frame header --- */

static const char* check_channels(const JpegSegment* frame, ImageInfo* info) {
    const u32 count = frame->at[7];
    if (count != 1 && count != 3 && count != INK_CHANNELS)
        return image_fault(info, "is a JPEG file with %u channels; 1, 3 and 4 are supported",
                           count);
    if (frame->bytes != FRAME_BYTES + CHANNEL_BYTES * count)
        return image_fault(info, "has a frame header of an invalid length");
    for (u32 i = 0; i < count; i++) {
        const u8  sampling = frame->at[FRAME_BYTES + CHANNEL_BYTES * i + 1];
        const u32 across = sampling >> 4, down = sampling & 15;
        if (across - 1 >= SAMPLING_MAX || down - 1 >= SAMPLING_MAX)
            return image_fault(info, "has a channel with invalid sampling factors");
    }
    info->channels = count;
    return NULL;
}

static const char* frame_read(const JpegSegment* frame, ImageInfo* info) {
    if (frame->marker >= MARKER_ARITHMETIC)
        return image_fault(info, "is a JPEG file with arithmetic coding, which is not supported");
    if (frame->marker > MARKER_PROGRESSIVE)
        return image_fault(info, "is a lossless or hierarchical JPEG file, which is not supported");
    if (frame->bytes < FRAME_BYTES)
        return image_fault(info, "has a frame header of an invalid length");
    info->bits = frame->at[2];
    info->height = image_u16(frame->at + 3);
    info->width = image_u16(frame->at + 5);
    if (info->bits != 8)
        return image_fault(info, "is a JPEG file with %u bits per channel; 8 are supported",
                           info->bits);
    const char* fault = image_check_size(info);
    return fault ? fault : check_channels(frame, info);
}

/* The frame header is the last segment that it reads. */
static const char* frame_find(const u8* bytes, u64 size, u64* at, JpegSegment* segment,
                              ImageInfo* info) {
    *at = 2;
    do {
        const char* fault = jpeg_segment_next(bytes, size, at, segment);
        if (fault) return image_fault(info, "%s", fault);
        if (segment->marker == MARKER_SCAN || segment->marker == MARKER_END)
            return image_fault(
                info, "is not a valid JPEG file: it has no frame header before its pixels");
    } while (!is_frame(segment->marker));
    return frame_read(segment, info);
}

const char* jpeg_look(const u8* bytes, u64 size, ImageInfo* info) {
    JpegSegment frame;
    u64         at;
    info->kind = IMAGE_JPEG;
    return frame_find(bytes, size, &at, &frame, info);
}

/* --- the pixels --- */

static u64 ceiling(u64 n, u64 by) { return (n + by - 1) / by; }

/* The blocks of all channels. Each has at least one bit in the file. */
static u64 block_count_of(const JpegSegment* frame, const ImageInfo* info) {
    u32 across = 1, down = 1;
    u64 sum = 0;
    for (u32 i = 0; i < info->channels; i++) {
        const u8 sampling = frame->at[FRAME_BYTES + CHANNEL_BYTES * i + 1];
        across = MAX_OF(across, (u32)sampling >> 4);
        down = MAX_OF(down, sampling & 15u);
    }
    for (u32 i = 0; i < info->channels; i++) {
        const u8  sampling = frame->at[FRAME_BYTES + CHANNEL_BYTES * i + 1];
        const u64 width =
            info->channels == 1 ? info->width : ceiling((u64)info->width * (sampling >> 4), across);
        const u64 height =
            info->channels == 1 ? info->height : ceiling((u64)info->height * (sampling & 15), down);
        sum += ceiling(width, BLOCK_SIDE) * ceiling(height, BLOCK_SIDE);
    }
    return sum;
}

static bool is_adobe(const JpegSegment* segment) {
    return segment->marker == MARKER_ADOBE && segment->bytes >= ADOBE_BYTES &&
           memcmp(segment->at + 2, "Adobe", 5) == 0;
}

/* Reads all segments up to the end marker; bytes after it are ignored. `adobe`: there is such a segment
 * before the first scan, where the decoder finds it too. */
static const char* check_segments(const u8* bytes, u64 size, ImageInfo* info, bool* adobe) {
    JpegSegment segment;
    u64         at = 2, data = 0;
    u32         scans = 0;
    const char* fault = frame_find(bytes, size, &at, &segment, info);
    if (fault) return fault;
    const u64 blocks = block_count_of(&segment, info);
    for (at = 2, *adobe = false; segment.marker != MARKER_END;) {
        fault = jpeg_segment_next(bytes, size, &at, &segment);
        if (fault) return image_fault(info, "%s", fault);
        *adobe |= scans == 0 && is_adobe(&segment);
        if (segment.marker != MARKER_SCAN) continue;
        const u64 end = scan_end(bytes, size, at);
        data += end - at;
        at = end;
        if (++scans > IMAGE_SCANS_MAX)
            return image_fault(info, "is a JPEG file with more than %u scans, which is the limit",
                               IMAGE_SCANS_MAX);
    }
    if (data * 8 < blocks)
        return image_fault(info, "has %llu bytes of data, which cannot contain %u x %u pixels",
                           (unsigned long long)data, info->width, info->height);
    return NULL;
}

/* To the nearest; no fraction is halfway between two bytes, because 255 is odd. */
static u8 product_of(u32 a, u32 b) { return (u8)((2 * a * b + 255) / 510); }

/* Cyan, magenta, yellow and black to colours. `ink`: amounts of ink, not what is left. */
static void pixels_from_ink(u8* pixels, u64 count, bool ink) {
    const u8 flip = ink ? 255 : 0;
    for (u64 i = 0; i < count; i++, pixels += 4) {
        const u8 black = pixels[3] ^ flip;
        for (u32 c = 0; c < 3; c++) pixels[c] = product_of(pixels[c] ^ flip, black);
        pixels[3] = 255;
    }
}

const char* jpeg_decode(const u8* bytes, u64 size, Image* image) {
    ImageInfo*  info = &image->info;
    bool        adobe;
    const char* fault = check_segments(bytes, size, info, &adobe);
    if (fault) return fault;
    const bool is_ink = info->channels == INK_CHANNELS;
    tjhandle   decoder = tjInitDecompress();
    if (!decoder) memory_exhausted(image_bytes(info));
    image_alloc(image);
    const int flags = TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS | TJFLAG_STOPONWARNING;
    const int code =
        tjDecompress2(decoder, bytes, (unsigned long)size, image->pixels, (int)info->width, 0,
                      (int)info->height, is_ink ? TJPF_CMYK : TJPF_RGBA, flags);
    if (code) {
        const char* text = tjGetErrorStr2(decoder);
        if (strstr(text, "Insufficient memory")) memory_exhausted(image_bytes(info));
        fault = image_fault(info, "is not a valid JPEG file: %s", text);
    }
    tjDestroy(decoder);
    if (!fault && is_ink) pixels_from_ink(image->pixels, (u64)info->width * info->height, !adobe);
    return fault;
}
