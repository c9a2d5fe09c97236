/* test_image.c - PNG files written by libpng and JPEG files written by libjpeg-turbo are decoded;
 * damaged files are refused, and nothing behind their last byte is read. */
#include "test.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <turbojpeg.h>

#include "fuzz.h"
#include "image.h"
#include "memory.h"
#include "png_write.h"
#include "test_image_files.h"
#include "test_picture.h"
#include "test_worlds_support.h"

#define SIDE_MAX 40u

typedef struct File {
    u8  bytes[65536];
    u64 size;
} File;

static Random random = {1};

static u32 below(u32 n) { return random_below(&random, n); }

static const char* decode(const File* file, Image* image) {
    return image_decode(file->bytes, file->size, image);
}

static void expect_clause(const File* file, const char* clause) {
    Image       image;
    const char* fault = decode(file, &image);
    if (!fault || !strstr(fault, clause))
        fail_msg("expected \"%s\", found \"%s\"", clause, fault ? fault : "no fault");
    assert_null(image.pixels);
}

/* --- PNG files, written by libpng --- */

typedef struct PngKind {
    u32  color, depth;
    bool interlaced, transparent;
} PngKind;

/* The samples of a picture, and the pixels that follow from them. */
typedef struct PngPicture {
    PngKind   kind;
    u32       width, height;
    u16       samples[SIDE_MAX][SIDE_MAX][4];
    png_color palette[256];
    u8        palette_alpha[256]; /* of the first half of its entries */
    u16       key[3];             /* the transparent colour */
} PngPicture;

static u32 samples_of(u32 color) {
    static const u32 counts[7] = {1, 0, 3, 1, 2, 0, 4};
    return counts[color];
}

static void file_write(png_structp png, png_bytep bytes, png_size_t size) {
    File* file = png_get_io_ptr(png);
    assert_true(file->size + size <= sizeof file->bytes);
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

static void file_flush(png_structp png) { UNUSED(png); }

/* A row as libpng expects it: one or two bytes per sample, the high byte first. */
static void png_row(const PngPicture* p, u32 y, u8* row) {
    for (u32 x = 0; x < p->width; x++) {
        for (u32 c = 0; c < samples_of(p->kind.color); c++) {
            const u16 sample = p->samples[y][x][c];
            if (p->kind.depth == 16) *row++ = (u8)(sample >> 8);
            *row++ = (u8)sample;
        }
    }
}

static void png_file(const PngPicture* p, File* file) {
    png_structp  png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop    info = png_create_info_struct(png);
    const u32    entries = 1u << MIN_OF(p->kind.depth, 8u);
    png_color_16 key = {.gray = p->key[0], .red = p->key[0], .green = p->key[1], .blue = p->key[2]};
    u8           row[SIDE_MAX * 8];
    file->size = 0;
    png_set_write_fn(png, file, file_write, file_flush);
    png_set_IHDR(png, info, p->width, p->height, (int)p->kind.depth, (int)p->kind.color,
                 p->kind.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
    png_set_gAMA(png, info, 0.3); /* is ignored */
    if (p->kind.color == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, p->palette, (int)entries);
    if (p->kind.transparent)
        png_set_tRNS(png, info, p->palette_alpha,
                     p->kind.color == PNG_COLOR_TYPE_PALETTE ? (int)entries / 2 : 0, &key);
    png_write_info(png, info);
    png_set_packing(png);
    const int passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; pass++) {
        for (u32 y = 0; y < p->height; y++) {
            png_row(p, y, row);
            png_write_row(png, row);
        }
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
}

static PngPicture png_picture(PngKind kind, u32 width, u32 height) {
    PngPicture p = {.kind = kind, .width = width, .height = height};
    for (u32 i = 0; i < 256; i++) {
        p.palette[i] = (png_color){(u8)below(256), (u8)below(256), (u8)below(256)};
        p.palette_alpha[i] = (u8)below(256);
    }
    for (u32 i = 0; i < width * height; i++) {
        for (u32 c = 0; c < 4; c++)
            p.samples[i / width][i % width][c] = (u16)below(1u << kind.depth);
    }
    memcpy(p.key, p.samples[height / 2][width / 2], sizeof p.key);
    return p;
}

static u8 byte_of(u32 sample, u32 depth) {
    if (depth == 16) return (u8)((sample * 255u + 32767u) / 65535u);
    return (u8)(sample * 255u / ((1u << depth) - 1)); /* divides without a rest */
}

/* The pixel that the standard defines. */
static void png_pixel(const PngPicture* p, const u16* s, u8 rgba[4]) {
    const u32 depth = p->kind.depth;
    bool      keyed = p->kind.transparent;
    if (p->kind.color == PNG_COLOR_TYPE_PALETTE) {
        const bool listed = keyed && s[0] < (1u << depth) / 2;
        memcpy(rgba, &p->palette[s[0]], 3);
        rgba[3] = listed ? p->palette_alpha[s[0]] : 255;
        return;
    }
    const u32 count = samples_of(p->kind.color), colors = count < 3 ? 1 : 3;
    for (u32 c = 0; c < 3; c++) rgba[c] = byte_of(s[colors == 1 ? 0 : c], depth);
    for (u32 c = 0; c < colors; c++) keyed &= s[c] == p->key[c];
    rgba[3] = count > colors ? byte_of(s[colors], depth) : keyed ? 0 : 255;
}

static u32 channels_of(PngKind kind) {
    const u32 alpha = kind.transparent || (kind.color & PNG_COLOR_MASK_ALPHA);
    return (kind.color & PNG_COLOR_MASK_COLOR ? 3 : 1) + alpha;
}

static void check_png(PngKind kind, u32 width, u32 height) {
    static File      file;
    const PngPicture p = png_picture(kind, width, height);
    Image            image;
    ImageInfo        info;
    png_file(&p, &file);
    assert_null(image_look(file.bytes, file.size, &info));
    const char* fault = decode(&file, &image);
    if (fault) fail_msg("type %u, %u bits: %s", kind.color, kind.depth, fault);
    assert_true(info.kind == IMAGE_PNG && info.width == width && info.height == height);
    assert_int_equal(info.channels, channels_of(kind));
    assert_int_equal(info.bits, MAX_OF(kind.depth, 8u));
    assert_memory_equal(&info, &image.info, offsetof(ImageInfo, fault));
    for (u32 i = 0; i < width * height; i++) {
        u8        expected[4];
        const u8* found = image.pixels + i * 4;
        png_pixel(&p, p.samples[i / width][i % width], expected);
        if (memcmp(expected, found, 4) != 0)
            fail_msg("type %u, %u bits, interlaced %d, transparent %d, pixel %u of %u x %u: "
                     "expected %u %u %u %u, found %u %u %u %u",
                     kind.color, kind.depth, kind.interlaced, kind.transparent, i, width, height,
                     expected[0], expected[1], expected[2], expected[3], found[0], found[1],
                     found[2], found[3]);
    }
    image_drop(&image);
}

static const PngKind png_kinds[] = {
    {PNG_COLOR_TYPE_GRAY, 1, false, false},        {PNG_COLOR_TYPE_GRAY, 2, false, false},
    {PNG_COLOR_TYPE_GRAY, 4, false, false},        {PNG_COLOR_TYPE_GRAY, 8, false, false},
    {PNG_COLOR_TYPE_GRAY, 16, false, false},       {PNG_COLOR_TYPE_GRAY_ALPHA, 8, false, false},
    {PNG_COLOR_TYPE_GRAY_ALPHA, 16, false, false}, {PNG_COLOR_TYPE_RGB, 8, false, false},
    {PNG_COLOR_TYPE_RGB, 16, false, false},        {PNG_COLOR_TYPE_RGB_ALPHA, 8, false, false},
    {PNG_COLOR_TYPE_RGB_ALPHA, 16, false, false},  {PNG_COLOR_TYPE_PALETTE, 1, false, false},
    {PNG_COLOR_TYPE_PALETTE, 2, false, false},     {PNG_COLOR_TYPE_PALETTE, 4, false, false},
    {PNG_COLOR_TYPE_PALETTE, 8, false, false}};

static const u32 png_sizes[][2] = {{1, 1}, {5, 3}, {8, 8}, {1, 17}, {33, 2}, {37, 40}};

static void check_all_png(bool interlaced, bool transparent) {
    for (u32 i = 0; i < COUNT_OF(png_kinds); i++) {
        PngKind kind = png_kinds[i];
        kind.interlaced = interlaced;
        kind.transparent = transparent;
        if (transparent && (kind.color & PNG_COLOR_MASK_ALPHA)) continue;
        for (u32 size = 0; size < COUNT_OF(png_sizes); size++)
            check_png(kind, png_sizes[size][0], png_sizes[size][1]);
    }
}

static void png_of_each_type_and_depth_is_decoded_exactly(void** state) {
    UNUSED(state);
    check_all_png(false, false);
}

static void interlaced_png_of_each_type_is_decoded_exactly(void** state) {
    UNUSED(state);
    check_all_png(true, false);
}

static void png_with_transparent_colors_has_alpha(void** state) {
    UNUSED(state);
    check_all_png(false, true);
    check_all_png(true, true);
}

static void sixteen_bits_of_png_are_rounded_to_nearest(void** state) {
    static File      file;
    static const u16 samples[] = {0, 128, 129, 257, 385, 386, 32767, 32768, 65406, 65407, 65535};
    static const u8  expected[] = {0, 0, 1, 1, 1, 2, 127, 128, 254, 255, 255};
    PngPicture       p = png_picture((PngKind){PNG_COLOR_TYPE_GRAY, 16, false, false}, 11, 1);
    Image            image;
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(samples); i++) p.samples[0][i][0] = samples[i];
    png_file(&p, &file);
    assert_null(decode(&file, &image));
    for (u32 i = 0; i < COUNT_OF(samples); i++) assert_int_equal(image.pixels[i * 4], expected[i]);
    image_drop(&image);
}

/* --- chunks written by hand --- */

static void put_u32(u8* at, u32 value) {
    for (u32 i = 0; i < 4; i++) at[i] = (u8)(value >> (24 - 8 * i));
}

static void add_chunk(File* file, const char* type, const void* data, u32 size) {
    u8* at = file->bytes + file->size;
    put_u32(at, size);
    memcpy(at + 4, type, 4);
    if (size) memcpy(at + 8, data, size);
    put_u32(at + 8 + size, test_png_crc(at + 4, size + 4));
    file->size += size + 12;
}

/* A header and `data_bytes` bytes of data that are not valid. */
static void header_file(File* file, u32 width, u32 height, u32 depth, u32 color, u32 data_bytes) {
    u8              header[13] = {0};
    static const u8 data[64];
    memcpy(file->bytes, "\x89PNG\r\n\x1a\n", 8);
    file->size = 8;
    put_u32(header, width);
    put_u32(header + 4, height);
    header[8] = (u8)depth;
    header[9] = (u8)color;
    add_chunk(file, "IHDR", header, sizeof header);
    add_chunk(file, "IDAT", data, data_bytes);
    add_chunk(file, "IEND", NULL, 0);
}

static long peak_kib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void png_whose_header_claims_too_much_is_refused(void** state) {
    static File file;
    const long  before = peak_kib();
    UNUSED(state);
    header_file(&file, 16384, 16384, 8, 6, 30);
    expect_clause(&file, "has 30 bytes of data, which cannot contain 16384 x 16384 pixels");
    header_file(&file, 16384, 16384, 1, 0, 30);
    expect_clause(&file, "cannot contain");
    header_file(&file, 16384, 1, 1, 0, 30);
    expect_clause(&file, "is not a valid PNG file");
    header_file(&file, 16384, 16384, 8, 6, 30);
    file.bytes[28] = 1; /* interlaced */
    expect_clause(&file, "has 30 bytes of data, which cannot contain 16384 x 16384 pixels");
    assert_true(peak_kib() - before < 16 * 1024);
}

static void image_with_invalid_size_is_refused(void** state) {
    static File file;
    UNUSED(state);
    header_file(&file, 16385, 1, 8, 6, 30);
    expect_clause(&file, "has 16385 x 1 pixels; the limit is 16384 on each side");
    header_file(&file, 3, 0x7fffffff, 8, 6, 30);
    expect_clause(&file, "has 3 x 2147483647 pixels");
    header_file(&file, 0, 5, 8, 6, 30);
    expect_clause(&file, "has no pixels: its size is 0 x 5");
    header_file(&file, 5, 0, 8, 6, 30);
    expect_clause(&file, "has no pixels: its size is 5 x 0");
}

static void png_with_invalid_header_is_refused(void** state) {
    static File file;
    UNUSED(state);
    for (u32 color = 0; color < 256; color++) {
        for (u32 depth = 0; depth < 256; depth++) {
            ImageInfo info;
            bool      valid = false;
            for (u32 i = 0; i < COUNT_OF(png_kinds); i++)
                valid |= png_kinds[i].color == color && png_kinds[i].depth == depth;
            header_file(&file, 1, 1, depth, color, 30);
            assert_int_equal(!image_look(file.bytes, file.size, &info), valid);
        }
    }
    for (u32 at = 26; at < 29; at++) {
        header_file(&file, 1, 1, 8, 6, 30);
        file.bytes[at] = 2;
        expect_clause(&file, "interlace method that PNG does not define");
    }
    header_file(&file, 1, 1, 8, 6, 30);
    file.bytes[12] = 'J';
    expect_clause(&file, "does not begin with a PNG header");
    header_file(&file, 1, 1, 8, 6, 30);
    file.bytes[11] = 12; /* the length of IHDR */
    expect_clause(&file, "does not begin with a PNG header");
}

static void png_with_damaged_checksum_is_refused(void** state) {
    static File      file;
    const PngPicture p = png_picture((PngKind){PNG_COLOR_TYPE_RGB, 8, false, false}, 9, 9);
    UNUSED(state);
    png_file(&p, &file);
    file.bytes[29] ^= 1; /* of IHDR */
    expect_clause(&file, "is not a valid PNG file: ");
    file.bytes[29] ^= 1;
    file.bytes[file.size - 13] ^= 1; /* of IDAT */
    expect_clause(&file, "is not a valid PNG file: ");
}

/* Texts, profiles and chunks of programs are skipped, whatever they contain. */
static void png_with_invalid_other_chunks_is_decoded(void** state) {
    static File      file, other;
    static u8        text[20000];
    const PngPicture p = png_picture((PngKind){PNG_COLOR_TYPE_RGB, 8, false, false}, 9, 9);
    Image            image;
    UNUSED(state);
    png_file(&p, &file);
    memcpy(other.bytes, file.bytes, 33);
    other.size = 33;
    add_chunk(&other, "iCCP", text, sizeof text);
    add_chunk(&other, "zTXt", text, sizeof text);
    other.bytes[other.size - 1] ^= 1;
    memcpy(other.bytes + other.size, file.bytes + 33, file.size - 33);
    other.size += file.size - 33;
    assert_null(decode(&other, &image));
    image_drop(&image);
    other.size = 33;
    add_chunk(&other, "ABCD", text, 5);
    memcpy(other.bytes + other.size, file.bytes + 33, file.size - 33);
    other.size += file.size - 33;
    expect_clause(&other, "is not a valid PNG file: ");
}

/* --- JPEG files --- */

static void jpeg_file(File* file, const u8* rgba, u32 width, u32 height, enum TJSAMP sampling,
                      int flags) {
    tjhandle       encoder = tjInitCompress();
    unsigned char* out = NULL;
    unsigned long  size = 0;
    assert_int_equal(tjCompress2(encoder, rgba, (int)width, 0, (int)height, TJPF_RGBA, &out, &size,
                                 (int)sampling, 95, flags),
                     0);
    assert_true(size <= sizeof file->bytes);
    memcpy(file->bytes, out, size);
    file->size = size;
    tjFree(out);
    tjDestroy(encoder);
}

/* Gradients, which every sampling preserves. */
static u8* gradient(u32 width, u32 height, bool grey) {
    u8* rgba = malloc((size_t)width * height * 4);
    for (u32 i = 0; i < width * height; i++) {
        const u32 x = i % width * 255 / width, y = i / width * 255 / height;
        const u8  pixel[4] = {(u8)x, (u8)(grey ? x : y), (u8)(grey ? x : 255 - x), 255};
        memcpy(rgba + (size_t)i * 4, pixel, 4);
    }
    return rgba;
}

static void check_jpeg(u32 width, u32 height, enum TJSAMP sampling, int flags) {
    static File file;
    const bool  grey = sampling == TJSAMP_GRAY;
    u8*         rgba = gradient(width, height, grey);
    Image       image;
    jpeg_file(&file, rgba, width, height, sampling, flags);
    const char* fault = decode(&file, &image);
    if (fault) fail_msg("%u x %u: %s", width, height, fault);
    assert_true(image.info.kind == IMAGE_JPEG && image.info.width == width &&
                image.info.height == height);
    assert_int_equal(image.info.channels, grey ? 1 : 3);
    assert_int_equal(image.info.bits, 8);
    for (u32 i = 0; i < width * height * 4; i++) {
        if (i % 4 == 3) assert_int_equal(image.pixels[i], 255);
        assert_in_range(image.pixels[i] + 20 - rgba[i], 0, 40);
    }
    assert_true(picture_psnr(rgba, image.pixels, (u64)width * height, 7) > 34);
    image_drop(&image);
    free(rgba);
}

static void jpeg_is_decoded_within_its_tolerance(void** state) {
    static const enum TJSAMP samplings[] = {TJSAMP_444,  TJSAMP_422, TJSAMP_420,
                                            TJSAMP_GRAY, TJSAMP_440, TJSAMP_411};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(samplings); i++) {
        check_jpeg(64, 48, samplings[i], 0);
        check_jpeg(77, 131, samplings[i], 0);
        check_jpeg(77, 131, samplings[i], TJFLAG_PROGRESSIVE);
    }
}

/* The offset of the first marker of a kind. */
static u64 marker_at(const File* file, u8 marker) {
    u64 at = 2;
    while (file->bytes[at + 1] != marker)
        at += 2 + (u64)(file->bytes[at + 2] << 8 | file->bytes[at + 3]);
    return at;
}

/* --- JPEG files with four channels --- */

#define INK_SIDE 40u

/* Squares of 8 x 8 pixels with one random value in each channel. */
static u8* inks_new(void) {
    u8* inks = malloc(INK_SIDE * INK_SIDE * 4);
    u8  squares[INK_SIDE / 8][INK_SIDE / 8][4];
    for (u32 i = 0; i < INK_SIDE / 8 * (INK_SIDE / 8) * 4; i++)
        squares[i / 4 / (INK_SIDE / 8)][i / 4 % (INK_SIDE / 8)][i % 4] = (u8)below(256);
    for (u32 i = 0; i < INK_SIDE * INK_SIDE; i++)
        memcpy(inks + i * 4ul, squares[i / INK_SIDE / 8][i % INK_SIDE / 8], 4);
    return inks;
}

/* As YCCK with the segment of Adobe, which libjpeg-turbo writes. */
static void inks_jpeg(File* file, const u8* inks, int flags) {
    tjhandle       encoder = tjInitCompress();
    unsigned char* out = NULL;
    unsigned long  size = 0;
    assert_int_equal(tjCompress2(encoder, inks, INK_SIDE, 0, INK_SIDE, TJPF_CMYK, &out, &size,
                                 TJSAMP_444, 100, flags),
                     0);
    assert_true(size <= sizeof file->bytes);
    memcpy(file->bytes, out, size);
    file->size = size;
    tjFree(out);
    tjDestroy(encoder);
}

/* The stored channels, when the file states that they are not transformed. */
static void inks_transform(const u8* inks, f64 stored[4]) {
    const f64 r = 255 - inks[0], g = 255 - inks[1], b = 255 - inks[2];
    stored[0] = 0.299 * r + 0.587 * g + 0.114 * b;
    stored[1] = 128 + 0.564 * (b - stored[0]);
    stored[2] = 128 + 0.713 * (r - stored[0]);
    stored[3] = inks[3];
}

typedef enum Inks {
    INKS_YCCK,
    INKS_CMYK,
    INKS_PLAIN, /* these are not of Adobe */
    INKS_SHORT,
    INKS_MARKER,
    INKS_NAME,
    INKS_LATE,
    INKS_COUNT
} Inks;

/* The offset of the marker after the data of the first scan. */
static u64 scan_end_of(const File* file) {
    u64 at = marker_at(file, 0xda) + 2;
    while (file->bytes[at] != 0xff || file->bytes[at + 1] == 0) at++;
    return at;
}

/* YCCK, CMYK of Adobe, without the segment, with one that is too short, has another marker or another
 * name, and with one after the first scan. */
static void inks_become(File* file, Inks kind) {
    const u64 at = marker_at(file, 0xee), bytes = 2 + (u64)file->bytes[at + 3];
    u8        segment[16];
    memcpy(segment, file->bytes + at, sizeof segment);
    assert_memory_equal(file->bytes + at + 4, "Adobe", 5);
    if (kind == INKS_MARKER) file->bytes[at + 1] = 0xed;
    if (kind == INKS_NAME) file->bytes[at + 8] = 'f';
    if (kind == INKS_CMYK) file->bytes[at + 15] = 0;
    if (kind == INKS_SHORT) file->bytes[at + 3]--, file->size--;
    if (kind == INKS_SHORT)
        memmove(file->bytes + at + 15, file->bytes + at + 16, file->size - at - 15);
    if (kind != INKS_PLAIN && kind != INKS_LATE) return;
    memmove(file->bytes + at, file->bytes + at + bytes, file->size - at - bytes);
    file->size -= bytes;
    if (kind == INKS_PLAIN) return;
    const u64 end = scan_end_of(file);
    memmove(file->bytes + end + sizeof segment, file->bytes + end, file->size - end);
    memcpy(file->bytes + end, segment, sizeof segment);
    file->size += sizeof segment;
}

static void jpeg_with_inks_becomes_the_light_that_they_leave(void** state) {
    static File file;
    UNUSED(state);
    for (u32 i = 0; i < 2 * INKS_COUNT; i++) {
        const Inks kind = (Inks)(i % INKS_COUNT);
        u8*        inks = inks_new();
        Image      image;
        inks_jpeg(&file, inks, i < INKS_COUNT ? 0 : TJFLAG_PROGRESSIVE);
        inks_become(&file, kind);
        const char* fault = decode(&file, &image);
        if (fault) fail_msg("kind %u: %s", i, fault);
        assert_int_equal(image.info.channels, 4);
        for (u32 k = 0; k < INK_SIDE * INK_SIDE; k++) {
            f64 left[4] = {inks[k * 4], inks[k * 4 + 1], inks[k * 4 + 2], inks[k * 4 + 3]};
            if (kind != INKS_YCCK) inks_transform(inks + k * 4ul, left);
            for (u32 c = 0; c < 4 && kind >= INKS_PLAIN; c++) left[c] = 255 - left[c];
            for (u32 c = 0; c < 3; c++) {
                const f64 wanted = left[c] * left[3] / 255;
                if (fabs(image.pixels[k * 4 + c] - wanted) > 4)
                    fail_msg("kind %u, pixel %u, channel %u: %u, not %f", i, k, c,
                             image.pixels[k * 4 + c], wanted);
            }
            assert_int_equal(image.pixels[k * 4 + 3], 255);
        }
        image_drop(&image);
        free(inks);
    }
}

static void photo_jpeg(File* file, int flags) {
    u8* rgba = picture_opaque(40, 24);
    jpeg_file(file, rgba, 40, 24, TJSAMP_420, flags);
    free(rgba);
}

static void jpeg_with_unsupported_frame_is_refused(void** state) {
    static File file;
    static const struct {
        u32         offset; /* from the marker of the frame */
        u8          value;
        const char* clause;
    } cases[] = {{1, 0xc9, "arithmetic"},
                 {1, 0xc3, "lossless or hierarchical"},
                 {1, 0xc7, "lossless or hierarchical"},
                 {1, 0xdf, "no frame header before its pixels"},
                 {4, 12, "12 bits per channel; 8 are supported"},
                 {9, 2, "2 channels; 1, 3 and 4 are supported"},
                 {9, 1, "frame header of an invalid length"},
                 {3, 7, "frame header of an invalid length"},
                 {11, 0x05, "invalid sampling factors"},
                 {11, 0x51, "invalid sampling factors"},
                 {5, 0x7f, "has 40 x 32536 pixels; the limit is 16384 on each side"},
                 {6, 0, "has no pixels: its size is 40 x 0"}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(cases); i++) {
        photo_jpeg(&file, 0);
        file.bytes[marker_at(&file, 0xc0) + cases[i].offset] = cases[i].value;
        expect_clause(&file, cases[i].clause);
    }
}

/* Nothing after a short frame header is read. */
static void jpeg_that_ends_with_a_short_frame_is_refused(void** state) {
    static const u8 bytes[] = {0xff, 0xd8, 0xff, 0xc0, 0, 4, 8, 0};
    ImageInfo       info;
    Guard           guard;
    UNUSED(state);
    guard_open(&guard, sizeof bytes);
    const char* fault = image_look(memcpy(guard_at(&guard, sizeof bytes), bytes, sizeof bytes),
                                   sizeof bytes, &info);
    assert_string_equal(fault, "has a frame header of an invalid length");
    guard_close(&guard);
}

static void jpeg_whose_header_claims_too_much_is_refused(void** state) {
    static File file;
    const long  before = peak_kib();
    UNUSED(state);
    for (u32 progressive = 0; progressive < 2; progressive++) {
        photo_jpeg(&file, progressive ? TJFLAG_PROGRESSIVE : 0);
        u8* size = file.bytes + marker_at(&file, progressive ? 0xc2 : 0xc0) + 5;
        memcpy(size, "\x40\x00\x40\x00", 4);
        expect_clause(&file, "which cannot contain 16384 x 16384 pixels");
    }
    assert_true(peak_kib() - before < 16 * 1024);
}

static void jpeg_with_too_many_scans_is_refused(void** state) {
    static File file, many;
    UNUSED(state);
    photo_jpeg(&file, TJFLAG_PROGRESSIVE);
    const u64 scan = marker_at(&file, 0xda), bytes = 2 + (u64)file.bytes[scan + 3];
    memcpy(many.bytes, file.bytes, scan);
    many.size = scan;
    for (u32 i = 0; i <= IMAGE_SCANS_MAX; i++) {
        memcpy(many.bytes + many.size, file.bytes + scan, bytes);
        many.size += bytes;
    }
    memcpy(many.bytes + many.size, "\xff\xd9", 2);
    many.size += 2;
    expect_clause(&many, "more than 100 scans, which is the limit");
}

static void jpeg_with_damaged_data_is_refused(void** state) {
    static File file;
    UNUSED(state);
    photo_jpeg(&file, 0);
    memset(file.bytes + marker_at(&file, 0xda) + 40, 0x55, 60);
    expect_clause(&file, "is not a valid JPEG file: ");
    photo_jpeg(&file, 0);
    memmove(file.bytes + 3, file.bytes + 2, file.size - 2);
    file.bytes[2] = 7;
    file.size++;
    expect_clause(&file, "is neither a PNG nor a JPEG file");
}

static void jpeg_with_bytes_after_its_end_is_decoded(void** state) {
    static File file;
    Image       image;
    UNUSED(state);
    photo_jpeg(&file, 0);
    memset(file.bytes + file.size, 0xff, 100);
    file.size += 100;
    assert_null(decode(&file, &image));
    image_drop(&image);
}

/* Restart markers are within a scan, and fill bytes before a marker are allowed. */
static void jpeg_with_restarts_and_fill_bytes_is_decoded(void** state) {
    static File file;
    Image       plain, image;
    UNUSED(state);
    photo_jpeg(&file, 0);
    assert_null(decode(&file, &plain));
    setenv("TJ_RESTART", "1", 1);
    photo_jpeg(&file, 0);
    unsetenv("TJ_RESTART");
    assert_int_equal(marker_at(&file, 0xdd) > 0, true);
    memcpy(file.bytes + file.size - 2, "\xff\xff\xd9", 3);
    file.size++;
    assert_null(decode(&file, &image));
    assert_memory_equal(image.pixels, plain.pixels, image.info.width * image.info.height * 4ul);
    image_drop(&image);
    image_drop(&plain);
}

/* --- damaged files of both kinds --- */

static void file_that_is_no_image_is_refused(void** state) {
    static File file;
    UNUSED(state);
    expect_clause(&file, "is empty");
    file.size = 100;
    expect_clause(&file, "is neither a PNG nor a JPEG file");
    memcpy(file.bytes, "RIFF....WEBPVP8 ", 16);
    expect_clause(&file, "is neither a PNG nor a JPEG file");
}

static void files_of_each_kind(File files[4]) {
    const PngPicture rgb = png_picture((PngKind){PNG_COLOR_TYPE_RGB, 8, false, false}, 13, 7);
    const PngPicture palette = png_picture((PngKind){PNG_COLOR_TYPE_PALETTE, 4, true, true}, 13, 7);
    png_file(&rgb, &files[0]);
    png_file(&palette, &files[1]);
    photo_jpeg(&files[2], 0);
    photo_jpeg(&files[3], TJFLAG_PROGRESSIVE);
}

static void image_truncated_at_any_byte_is_refused(void** state) {
    static File files[4];
    Guard       guard;
    UNUSED(state);
    files_of_each_kind(files);
    guard_open(&guard, sizeof files[0].bytes);
    for (u32 i = 0; i < COUNT_OF(files); i++) {
        for (u64 size = 0; size <= files[i].size; size++) {
            u8*       at = guard.end - size;
            Image     image;
            ImageInfo info;
            memcpy(at, files[i].bytes, size);
            const char* look = image_look(at, size, &info);
            const char* fault = image_decode(at, size, &image);
            if (!fault != (size == files[i].size)) fail_msg("file %u, %u bytes", i, (u32)size);
            if (look) assert_string_equal(look, fault);
            image_drop(&image);
        }
    }
    guard_close(&guard);
}

static void mutated_images_are_refused_or_decoded(void** state) {
    static File files[4];
    Guard       guard;
    u32         decoded = 0, refused = 0;
    UNUSED(state);
    files_of_each_kind(files);
    guard_open(&guard, sizeof files[0].bytes);
    for (u32 i = 0; i < 10000; i++) {
        const File* file = &files[i % COUNT_OF(files)];
        u8*         at = guard.end - file->size;
        Image       image;
        memcpy(at, file->bytes, file->size);
        for (u32 k = below(4) + 1; k > 0; k--) at[below((u32)file->size)] = (u8)below(256);
        if (i % 3) fuzz_image_repair(at, file->size); /* so that not all are found by them */
        const char* fault = image_decode(at, file->size, &image);
        refused += fault != NULL;
        decoded += fault == NULL;
        assert_int_equal(!fault, image.pixels != NULL);
        image_drop(&image);
    }
    guard_close(&guard);
    assert_true(refused > 1250 && decoded > 250);
}

/* --- writing --- */

static void png_that_is_written_is_read_back(void** state) {
    UNUSED(state);
    for (u32 channels = 1; channels <= 4; channels++) {
        u8*   rgba = picture_photo(37, 19);
        u8*   bytes;
        u64   size;
        Image image;
        assert_null(png_encode(rgba, 37, 19, channels, &bytes, &size));
        assert_null(image_decode(bytes, size, &image));
        assert_int_equal(image.info.channels, channels);
        for (u32 i = 0; i < 37 * 19; i++) {
            u8* p = rgba + (size_t)i * 4;
            if (channels < 3) p[1] = p[2] = p[0];
            if (channels % 2 == 1) p[3] = 255;
        }
        assert_memory_equal(image.pixels, rgba, 37 * 19 * 4);
        /* By another library too. */
        png_image picture = {.version = PNG_IMAGE_VERSION};
        u8        read[37 * 19 * 4];
        assert_true(png_image_begin_read_from_memory(&picture, bytes, size));
        picture.format = PNG_FORMAT_RGBA;
        assert_true(png_image_finish_read(&picture, NULL, read, 0, NULL));
        assert_memory_equal(read, rgba, sizeof read);
        image_drop(&image);
        memory_free(bytes);
        free(rgba);
    }
}

static void png_without_pixels_is_not_written(void** state) {
    u8* bytes;
    u64 size;
    UNUSED(state);
    assert_string_equal(png_encode(NULL, 0, 4, 4, &bytes, &size), "has no pixels");
    assert_string_equal(png_encode(NULL, 4, 0, 4, &bytes, &size), "has no pixels");
    assert_null(bytes);
}

TEST_SUITE(image) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_of_each_type_and_depth_is_decoded_exactly),
        cmocka_unit_test(interlaced_png_of_each_type_is_decoded_exactly),
        cmocka_unit_test(png_with_transparent_colors_has_alpha),
        cmocka_unit_test(sixteen_bits_of_png_are_rounded_to_nearest),
        cmocka_unit_test(png_whose_header_claims_too_much_is_refused),
        cmocka_unit_test(image_with_invalid_size_is_refused),
        cmocka_unit_test(png_with_invalid_header_is_refused),
        cmocka_unit_test(png_with_damaged_checksum_is_refused),
        cmocka_unit_test(png_with_invalid_other_chunks_is_decoded),
        cmocka_unit_test(jpeg_is_decoded_within_its_tolerance),
        cmocka_unit_test(jpeg_with_inks_becomes_the_light_that_they_leave),
        cmocka_unit_test(jpeg_with_unsupported_frame_is_refused),
        cmocka_unit_test(jpeg_that_ends_with_a_short_frame_is_refused),
        cmocka_unit_test(jpeg_whose_header_claims_too_much_is_refused),
        cmocka_unit_test(jpeg_with_too_many_scans_is_refused),
        cmocka_unit_test(jpeg_with_damaged_data_is_refused),
        cmocka_unit_test(jpeg_with_bytes_after_its_end_is_decoded),
        cmocka_unit_test(jpeg_with_restarts_and_fill_bytes_is_decoded),
        cmocka_unit_test(file_that_is_no_image_is_refused),
        cmocka_unit_test(image_truncated_at_any_byte_is_refused),
        cmocka_unit_test(mutated_images_are_refused_or_decoded),
        cmocka_unit_test(png_that_is_written_is_read_back),
        cmocka_unit_test(png_without_pixels_is_not_written),
    };
    return TEST_RUN("image", tests);
}
