/* test_image_colors.c - what files state about colours and orientation: chunks, profiles and segments
 * that are written by hand; nothing behind their last byte is read. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "image_colors.h"
#include "memory.h"
#include "test_image_files.h"
#include "test_worlds_support.h"

typedef struct File {
    u8  bytes[70000];
    u64 size;
} File;

static void put(File* file, const void* bytes, u64 count) {
    assert_true(file->size + count <= sizeof file->bytes);
    if (count) memcpy(file->bytes + file->size, bytes, count);
    file->size += count;
}

static void put_big(File* file, u32 value, u32 bytes) {
    for (u32 i = bytes; i-- > 0;) put(file, &(u8){(u8)(value >> 8 * i)}, 1);
}

static void put_text(File* file, const char* text) { put(file, text, strlen(text)); }

/* --- profiles --- */

typedef enum Curve { CURVE_SRGB, CURVE_GAMMA, CURVE_PARAMETRIC, CURVE_TABLE, CURVE_LINEAR } Curve;

typedef struct Profile {
    const char* space;
    const f64 (*primaries)[3];
    Curve curve;
    f64   gamma;
} Profile;

/* For the white of profiles, D50. */
static const f64 srgb[3][3] = {
    {0.43607, 0.22249, 0.01392}, {0.38515, 0.71687, 0.09708}, {0.14307, 0.06061, 0.71410}};
static const f64 adobe[3][3] = {
    {0.60974, 0.31111, 0.01947}, {0.20528, 0.62567, 0.06087}, {0.14919, 0.06322, 0.74457}};

static u32 fixed(f64 value) { return (u32)lround(value * 65536); }

/* A curve of 16 + 2 * 1024 bytes at most, filled up. */
static void put_curve(File* file, Profile p) {
    const u64 start = file->size;
    put_text(file, p.curve == CURVE_SRGB || p.curve == CURVE_PARAMETRIC ? "para" : "curv");
    put_big(file, 0, 4);
    if (p.curve == CURVE_SRGB) {
        const f64 values[5] = {p.gamma > 0 ? p.gamma : 2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92,
                               0.04045};
        put_big(file, 3, 2), put_big(file, 0, 2);
        for (u32 i = 0; i < 5; i++) put_big(file, fixed(values[i]), 4);
    } else if (p.curve == CURVE_PARAMETRIC) {
        put_big(file, 0, 4), put_big(file, fixed(p.gamma), 4);
    } else if (p.curve == CURVE_GAMMA) {
        put_big(file, 1, 4), put_big(file, (u32)lround(p.gamma * 256), 2);
    } else if (p.curve == CURVE_LINEAR) {
        put_big(file, 0, 4);
    } else {
        put_big(file, 1024, 4);
        for (u32 i = 0; i < 1024; i++)
            put_big(file, (u32)lround(pow(i / 1023.0, p.gamma) * 65535), 2);
    }
    while (file->size - start < 2080) put_big(file, 0, 1);
}

static void profile_write(File* file, Profile p) {
    static const char* const names[] = {"rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC"};
    file->size = 0;
    for (u32 i = 0; i < 32; i++) put_big(file, 0, 4);
    memcpy(file->bytes + 16, p.space, 4);
    put_big(file, COUNT_OF(names), 4);
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        put_text(file, names[i]);
        put_big(file, i < 3 ? 216 + i * 20 : 276, 4);
        put_big(file, i < 3 ? 20 : 2080, 4);
    }
    for (u32 i = 0; i < 3; i++) {
        put_text(file, "XYZ "), put_big(file, 0, 4);
        for (u32 c = 0; c < 3; c++) put_big(file, fixed(p.primaries[i][c]), 4);
    }
    assert_true(file->size == 276);
    put_curve(file, p);
}

/* --- files --- */

static void put_chunk(File* file, const char* type, const void* data, u64 size) {
    const u64 start = file->size;
    put_big(file, (u32)size, 4);
    put_text(file, type);
    put(file, data, size);
    put_big(file, test_png_crc(file->bytes + start + 4, size + 4), 4);
}

static void png_begin(File* file) {
    static const u8 header[13] = {0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0};
    file->size = 0;
    put(file, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(file, "IHDR", header, sizeof header);
}

static void png_end(File* file) {
    put_chunk(file, "IDAT", "no pixels are decoded here", 26);
    put_chunk(file, "IEND", NULL, 0);
}

/* As zlib without compression. */
static void put_profile(File* file, const File* profile) {
    static File data;
    u32         a = 1, b = 0;
    const u32   size = (u32)profile->size;
    data.size = 0;
    put(&data, "any name\0\0\x78\x01\x01", 13);
    for (u32 i = 0; i < 2; i++) {
        const u32 value = i ? ~size : size;
        put_big(&data, value & 255, 1), put_big(&data, value >> 8 & 255, 1);
    }
    put(&data, profile->bytes, profile->size);
    for (u64 i = 0; i < profile->size; i++)
        a = (a + profile->bytes[i]) % 65521, b = (b + a) % 65521;
    put_big(&data, b << 16 | a, 4);
    put_chunk(file, "iCCP", data.bytes, data.size);
}

static void jpeg_begin(File* file) {
    file->size = 0;
    put(file, "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0", 20);
}

static void put_segment(File* file, u8 marker, const void* data, u64 size) {
    put(file, (const u8[2]){0xff, marker}, 2);
    put_big(file, (u32)size + 2, 2);
    put(file, data, size);
}

static void put_icc(File* file, u8 number, u8 count, const File* profile) {
    static File data;
    data.size = 0;
    put(&data, "ICC_PROFILE", 12);
    put(&data, (const u8[2]){number, count}, 2);
    put(&data, profile->bytes, profile->size);
    put_segment(file, 0xe2, data.bytes, data.size);
}

/* A scan; what follows it is not read. */
static void jpeg_end(File* file) { put_segment(file, 0xda, "scan", 4); }

static void expect_colors(const File* file, const char* wanted) {
    char        clause[IMAGE_CLAUSE_BYTES];
    const char* found = image_colors_other(file->bytes, file->size, clause);
    if (!wanted ? found != NULL : !found || strcmp(found, wanted) != 0)
        fail_msg("expected \"%s\", found \"%s\"", wanted ? wanted : "nothing",
                 found ? found : "nothing");
}

static const char other_profile[] = "contains a colour profile other than sRGB";

/* --- tests --- */

static void profile_is_srgb_by_its_primaries_and_curves(void** state) {
    static const struct {
        Profile profile;
        bool    is_srgb;
    } rows[] = {
        {{"RGB ", srgb, CURVE_SRGB, 0}, true},      {{"RGB ", srgb, CURVE_GAMMA, 2.2}, true},
        {{"RGB ", srgb, CURVE_TABLE, 2.2}, true},   {{"RGB ", srgb, CURVE_PARAMETRIC, 2.2}, true},
        {{"RGB ", srgb, CURVE_LINEAR, 1}, false},   {{"RGB ", srgb, CURVE_GAMMA, 1.8}, false},
        {{"RGB ", srgb, CURVE_TABLE, 1.8}, false},  {{"RGB ", srgb, CURVE_PARAMETRIC, 1}, false},
        {{"RGB ", adobe, CURVE_GAMMA, 2.2}, false}, {{"RGB ", adobe, CURVE_SRGB, 0}, false},
        {{"GRAY", adobe, CURVE_GAMMA, 2.2}, true},  {{"GRAY", srgb, CURVE_LINEAR, 1}, false},
        {{"RGB ", srgb, CURVE_SRGB, 1}, false},     {{"CMYK", srgb, CURVE_SRGB, 0}, false},
        {{"Lab ", srgb, CURVE_SRGB, 0}, false},
    };
    static File profile, file;
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const char* wanted = rows[i].is_srgb ? NULL : other_profile;
        profile_write(&profile, rows[i].profile);
        png_begin(&file);
        put_profile(&file, &profile);
        png_end(&file);
        expect_colors(&file, wanted);
        jpeg_begin(&file);
        put_icc(&file, 1, 1, &profile);
        jpeg_end(&file);
        expect_colors(&file, wanted);
    }
}

/* One value of a profile of sRGB is changed. */
static void profile_is_srgb_by_each_of_its_values(void** state) {
    static const struct {
        Curve       curve;
        u32         offset, bytes;
        const char* value;
    } rows[] = {
        {CURVE_SRGB, 128, 4, "\0\0\0\5"},          /* fewer tags */
        {CURVE_SRGB, 132, 4, "rxyz"},              /* another tag than rXYZ, gXYZ, bXYZ, */
        {CURVE_SRGB, 144, 4, "gxyz"},              /* */
        {CURVE_SRGB, 156, 4, "bxyz"},              /* */
        {CURVE_SRGB, 168, 4, "rtrc"},              /* rTRC, gTRC, bTRC */
        {CURVE_SRGB, 180, 4, "gtrc"},              /* */
        {CURVE_SRGB, 192, 4, "btrc"},              /* */
        {CURVE_SRGB, 136, 4, "\0\1\0\0"},          /* the offset of a tag, */
        {CURVE_SRGB, 136, 4, "\xff\xff\xff\xff"},  /* */
        {CURVE_SRGB, 140, 4, "\xff\xff\xff\xff"},  /* its size: outside of the profile, */
        {CURVE_SRGB, 140, 4, "\0\0\0\x13"},        /* or too small, */
        {CURVE_SRGB, 176, 4, "\0\0\0\x0b"},        /* also of a curve, */
        {CURVE_SRGB, 176, 4, "\0\0\0\x0f"},        /* */
        {CURVE_SRGB, 216, 4, "xyz "},              /* its type */
        {CURVE_SRGB, 224, 4, "\0\0\0\0"},          /* X of red, Y of green, Z of blue */
        {CURVE_SRGB, 248, 4, "\0\0\0\0"},          /* */
        {CURVE_SRGB, 272, 4, "\0\0\0\0"},          /* */
        {CURVE_TABLE, 276, 4, "text"},             /* the type of the curves */
        {CURVE_TABLE, 284, 4, "\xff\xff\xff\xff"}, /* more values than the tag has */
        {CURVE_TABLE, 284, 4, "\0\0\0\0"},         /* no values: linear */
    };
    static File profile, file;
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const Profile p = {"RGB ", srgb, rows[i].curve, rows[i].curve == CURVE_SRGB ? 0 : 2.2};
        for (u32 changed = 0; changed < 2; changed++) {
            profile_write(&profile, p);
            if (changed) memcpy(profile.bytes + rows[i].offset, rows[i].value, rows[i].bytes);
            jpeg_begin(&file);
            put_icc(&file, 1, 1, &profile);
            expect_colors(&file, changed ? other_profile : NULL);
        }
    }
}

static void profile_that_cannot_be_read_is_not_srgb(void** state) {
    static File profile, file;
    static u8   part[66000];
    UNUSED(state);
    profile_write(&profile, (Profile){"RGB ", srgb, CURVE_SRGB, 0});
    jpeg_begin(&file);
    put_icc(&file, 1, 2, &profile); /* in two parts */
    jpeg_end(&file);
    expect_colors(&file, other_profile);
    for (u32 i = 0; i < 2; i++) { /* however much else there is, before it or after it */
        png_begin(&file);
        if (i) put_chunk(&file, "tEXt", memset(part, 'a', sizeof part), sizeof part);
        put_profile(&file, &profile);
        put_chunk(&file, "IDAT", part, i ? 4 : sizeof part);
        expect_colors(&file, NULL);
    }
    png_begin(&file);
    put_chunk(&file, "iCCP", "name\0\0not deflated", 18);
    png_end(&file);
    expect_colors(&file, other_profile);
    for (u64 size = 0; size < 300; size++) { /* tags outside of it */
        const u64 all = profile.size;
        profile.size = size;
        jpeg_begin(&file);
        put_icc(&file, 1, 1, &profile);
        profile.size = all;
        jpeg_end(&file);
        expect_colors(&file, other_profile);
    }
    jpeg_begin(&file);
    put_segment(&file, 0xe2, "ICC_PROFIL", 10); /* another segment of this kind */
    put_segment(&file, 0xe2, "FPXR\0 and more text", 20);
    jpeg_end(&file);
    put_icc(&file, 1, 2, &profile); /* after the scan */
    expect_colors(&file, NULL);
}

static void put_numbers(File* file, const char* type, const u32* values, u32 count) {
    u8 data[40];
    for (u32 i = 0; i < count * 4; i++) data[i] = (u8)(values[i / 4] >> (24 - i % 4 * 8));
    put_chunk(file, type, data, count * 4ul);
}

static void gamma_and_primaries_of_png_are_compared_with_srgb(void** state) {
    static const u32 usual[8] = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
    static const u32 wide[8] = {31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000};
    static const struct {
        u32         gamma; /* NONE: no chunk */
        const u32*  primaries;
        bool        has_srgb;
        const char* clause;
    } rows[] = {
        {NONE, NULL, false, NULL},
        {45455, NULL, false, NULL},
        {45000, usual, false, NULL},
        {NONE, usual, true, NULL},
        {100000, NULL, false, "states a gamma of 1.00000"},
        {30000, usual, false, "states a gamma of 0.30000"},
        {0, NULL, false, "states a gamma of 0.00000"},
        {47800, NULL, false, "states a gamma of 0.47800"},
        {4294967295u - 1, wide, false,
         "states a gamma of 42949.67294, and primaries other than those of sRGB"},
        {45455, wide, false, "states primaries other than those of sRGB"},
        {NONE, wide, false, "states primaries other than those of sRGB"},
        {100000, wide, true, NULL}, /* replaced by sRGB */
    };
    static File file, profile;
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        png_begin(&file);
        if (rows[i].gamma != NONE) put_numbers(&file, "gAMA", &rows[i].gamma, 1);
        if (rows[i].primaries) put_numbers(&file, "cHRM", rows[i].primaries, 8);
        if (rows[i].has_srgb) put_chunk(&file, "sRGB", "\0", 1);
        png_end(&file);
        put_numbers(&file, "gAMA", &(u32){5}, 1); /* after the pixels */
        expect_colors(&file, rows[i].clause);
    }
    png_begin(&file);
    put_numbers(&file, "tIME", &(u32){100000}, 1); /* other chunks */
    put_numbers(&file, "hIST", wide, 8);
    put_numbers(&file, "gAMA", wide, 2); /* of the wrong length */
    put_numbers(&file, "cHRM", wide, 7);
    png_end(&file);
    expect_colors(&file, NULL);
    png_begin(&file);
    put_numbers(&file, "gAMA", &(u32){100000}, 1);
    profile_write(&profile, (Profile){"RGB ", srgb, CURVE_SRGB, 0});
    put_profile(&file, &profile); /* replaces gAMA */
    png_end(&file);
    expect_colors(&file, NULL);
}

/* Exif data of one directory with another entry first. */
static void put_exif(File* file, bool big, u32 type, u32 value) {
    static File data;
    const u32   words[] = {2, 0x0100, type, 1, 5, 0, 0x0112, type, 1, value, 0};
    data.size = 0;
    put(&data, "Exif\0", 6);
    put(&data, big ? "MM\0*\0\0\0\x08" : "II*\0\x08\0\0\0", 8);
    for (u32 i = 0; i < COUNT_OF(words); i++) {
        const u32 word = words[i];
        if (i == 3 || i == 8) /* the counts have 32 bits */
            put_big(&data, big ? word : word << 24, 4);
        else
            put_big(&data, big ? word : (word & 255) << 8 | word >> 8, 2);
    }
    put_segment(file, 0xe1, data.bytes, data.size);
}

static void orientation_of_exif_data_is_read(void** state) {
    static File file;
    UNUSED(state);
    for (u32 value = 0; value < 10; value++) {
        for (u32 big = 0; big < 2; big++) {
            const u32 wanted = value >= 1 && value <= 8 ? value : 1;
            jpeg_begin(&file);
            put_segment(&file, 0xe1, "http://ns.adobe.com/xap/1.0/", 28);
            put_exif(&file, big, 3, value);
            jpeg_end(&file);
            assert_int_equal(image_orientation(file.bytes, file.size), wanted);
            file.bytes[file.size - 8 - 40 + 14 + big] = 1; /* without the second entry */
            assert_int_equal(image_orientation(file.bytes, file.size), 1);
            jpeg_begin(&file);
            put_exif(&file, big, 4, value); /* of another type */
            jpeg_end(&file);
            assert_int_equal(image_orientation(file.bytes, file.size), 1);
            for (u32 end = 0; end < 2; end++) { /* after the scan, or the end */
                jpeg_begin(&file);
                if (end)
                    put(&file, "\xff\xd9", 2);
                else
                    jpeg_end(&file);
                put_exif(&file, big, 3, value);
                assert_int_equal(image_orientation(file.bytes, file.size), 1);
            }
        }
    }
    png_begin(&file);
    png_end(&file);
    assert_int_equal(image_orientation(file.bytes, file.size), 1);
}

/* The letter F, which is shown upright: where its pixels are in the file. Of Exif: the sides of the
 * picture at which row 0 and column 0 of the file are. */
static void image_is_turned_to_where_its_rows_and_columns_are_shown(void** state) {
    static const char sides[9][2] = {"",   "TL", "TR", "BR", "BL",
                                     "LT", "RT", "RB", "LB"}; /* of row 0, of column 0 */
    const u32         width = 3, height = 5;
    UNUSED(state);
    for (u32 o = 1; o <= 8; o++) {
        const bool exchange = sides[o][0] == 'L' || sides[o][0] == 'R';
        Image      image = {
                 .info = {.width = exchange ? height : width, .height = exchange ? width : height}};
        image.pixels = memory_alloc(15 * 4);
        for (u32 i = 0; i < 15; i++) { /* (row, column) of the file */
            const u32 row = i / image.info.width, column = i % image.info.width;
            u32       x = exchange ? row : column, y = exchange ? column : row;
            for (u32 k = 0; k < 2; k++) {
                if (sides[o][k] == 'R') x = width - 1 - x;
                if (sides[o][k] == 'B') y = height - 1 - y;
            }
            image.pixels[i * 4] = (u8)(10 * y + x);
        }
        image_orient(&image, o);
        assert_true(image.info.width == width && image.info.height == height);
        for (u32 i = 0; i < 15; i++)
            if (image.pixels[i * 4] != 10 * (i / width) + i % width)
                fail_msg("orientation %u, pixel %u: %u", o, i, image.pixels[i * 4]);
        image_drop(&image);
    }
}

/* Any prefix, and any change of a byte: a result, and nothing behind the last byte is read. */
static void damaged_statements_are_read_within_the_file(void** state) {
    static File files[3], profile;
    Guard       guard;
    UNUSED(state);
    profile_write(&profile, (Profile){"RGB ", srgb, CURVE_SRGB, 0});
    profile.size = 400;
    png_begin(&files[0]);
    put_profile(&files[0], &profile);
    png_end(&files[0]);
    png_begin(&files[1]);
    put_numbers(&files[1], "gAMA", &(u32){100000}, 1);
    put_numbers(&files[1], "cHRM", (const u32[8]){1, 2, 3, 4, 5, 6, 7, 8}, 8);
    jpeg_begin(&files[2]);
    put_exif(&files[2], true, 3, 6);
    put_icc(&files[2], 1, 1, &profile);
    guard_open(&guard, sizeof files[0].bytes);
    for (u32 i = 0; i < COUNT_OF(files); i++) {
        for (u64 size = 0; size <= files[i].size; size++) {
            char clause[IMAGE_CLAUSE_BYTES];
            u8*  at = memcpy(guard.end - size, files[i].bytes, size);
            image_colors_other(at, size, clause);
            assert_in_range(image_orientation(at, size), 1, 8);
            at = memcpy(guard.end - files[i].size, files[i].bytes, files[i].size);
            if (size == files[i].size) continue;
            for (u32 value = 0; value < 256; value += value < 8 || value > 246 ? 1 : 60) {
                at[size] = (u8)value;
                image_colors_other(at, files[i].size, clause);
                assert_in_range(image_orientation(at, files[i].size), 1, 8);
            }
        }
    }
    guard_close(&guard);
}

/* The last segment of a file with each of its sizes: what it lacks is not read behind the file. */
static void short_statements_at_the_end_of_a_file_are_read_within_it(void** state) {
    static File complete, file, profile;
    Guard       guard;
    UNUSED(state);
    guard_open(&guard, sizeof complete.bytes);
    for (u32 i = 0; i < 3; i++) {
        complete.size = 0;
        profile_write(&profile, (Profile){"RGB ", srgb, CURVE_SRGB, 0});
        profile.size = 300;
        if (i == 0) put_icc(&complete, 1, 1, &profile);
        if (i > 0) put_exif(&complete, i == 1, 3, 6);
        for (u64 size = 0; size <= complete.size - 4; size++) {
            char clause[IMAGE_CLAUSE_BYTES];
            jpeg_begin(&file);
            put_segment(&file, complete.bytes[1], complete.bytes + 4, size);
            const u8* at = memcpy(guard.end - file.size, file.bytes, file.size);
            image_colors_other(at, file.size, clause);
            assert_int_equal(image_orientation(at, file.size),
                             i > 0 && size == complete.size - 4 ? 6 : 1);
        }
    }
    guard_close(&guard);
}

TEST_SUITE(image_colors) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profile_is_srgb_by_its_primaries_and_curves),
        cmocka_unit_test(profile_is_srgb_by_each_of_its_values),
        cmocka_unit_test(profile_that_cannot_be_read_is_not_srgb),
        cmocka_unit_test(gamma_and_primaries_of_png_are_compared_with_srgb),
        cmocka_unit_test(orientation_of_exif_data_is_read),
        cmocka_unit_test(image_is_turned_to_where_its_rows_and_columns_are_shown),
        cmocka_unit_test(damaged_statements_are_read_within_the_file),
        cmocka_unit_test(short_statements_at_the_end_of_a_file_are_read_within_it),
    };
    return TEST_RUN("image_colors", tests);
}
