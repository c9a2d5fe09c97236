/* test_texture.c - the rules of a texture resource: levels that follow from its size and format. */
#include <stdlib.h>

#include "sections.h"
#include "test_raw.h"
#include "texture_shape.h"

typedef struct Texture {
    TextureRecord      info;
    TextureLevelRecord level[TEXTURE_LEVELS_MAX + 1];
    u8                 data[4096];
    u32                infos, bytes, elements, levels; /* of the sections */
} Texture;

static Texture texture_new(u32 width, u32 height, u32 format, u32 level_count) {
    Texture t = {.info = {.width = width,
                          .height = height,
                          .layers = 1,
                          .level_count = level_count,
                          .format = format,
                          .magnify = TEXTURE_FILTER_LINEAR}};
    u64     end = 0;
    for (u32 i = 0; i < level_count; i++) {
        t.level[i] = texture_level(&t.info, i, align_up(end, TEXTURE_ALIGN));
        end = t.level[i].offset + t.level[i].bytes;
        assert_true(end <= sizeof t.data);
        memset(t.data + t.level[i].offset, (int)(i + 1), t.level[i].bytes);
    }
    t.infos = 1, t.bytes = (u32)end, t.elements = t.levels = level_count;
    return t;
}

static Raw texture_raw(const Texture* t) {
    Raw raw = raw_begin(RESOURCE_TEXTURE, t->elements);
    if (t->infos) raw_rows(&raw, SECTION_TEXTURE, &t->info, 1);
    if (t->levels) raw_rows(&raw, SECTION_TEXTURE_LEVEL, t->level, t->levels);
    if (t->bytes) raw_rows(&raw, SECTION_TEXTURE_DATA, t->data, t->bytes);
    return raw;
}

static void texture_of_each_format_and_size_is_valid(void** state) {
    static const u32 sizes[][2] = {{1, 1}, {3, 5}, {16, 16}, {17, 2}, {1, 64}, {30, 20}};
    UNUSED(state);
    for (u32 format = 0; format < TEXTURE_FORMAT_COUNT; format++) {
        for (u32 i = 0; i < COUNT_OF(sizes); i++) {
            const u32 max = texture_level_max(sizes[i][0], sizes[i][1]);
            for (u32 levels = 1; levels <= max; levels++) {
                const Texture t = texture_new(sizes[i][0], sizes[i][1], format, levels);
                Raw           raw = texture_raw(&t);
                assert_int_equal(t.bytes, texture_bytes(&t.info));
                expect_valid(&raw);
            }
        }
    }
    Texture srgb = texture_new(8, 8, TEXTURE_BC1, 4);
    srgb.info.color_space = TEXTURE_SRGB;
    Raw raw = texture_raw(&srgb);
    expect_valid(&raw);
}

/* Sizes in bytes, calculated by hand. */
static void texture_levels_have_the_bytes_of_their_format(void** state) {
    static const struct {
        u32 width, height, format, level, bytes, row_bytes;
    } rows[] = {
        {16, 16, TEXTURE_RGBA8, 0, 1024, 64}, {16, 16, TEXTURE_RGBA8, 4, 4, 4},
        {5, 3, TEXTURE_R8, 0, 15, 5},         {5, 3, TEXTURE_R8, 1, 2, 2},
        {5, 3, TEXTURE_BC1, 0, 16, 16},       {5, 9, TEXTURE_BC4, 0, 48, 16},
        {16, 16, TEXTURE_BC3, 0, 256, 64},    {16, 16, TEXTURE_BC5, 3, 16, 16},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const TextureRecord t = {
            .width = rows[i].width, .height = rows[i].height, .format = rows[i].format};
        const TextureLevelRecord level = texture_level(&t, rows[i].level, 0);
        assert_int_equal(level.bytes, rows[i].bytes);
        assert_int_equal(level.row_bytes, rows[i].row_bytes);
    }
    const TextureRecord largest = {
        .width = TEXTURE_SIDE_MAX, .height = TEXTURE_SIDE_MAX, .level_count = TEXTURE_LEVELS_MAX};
    assert_int_equal(texture_level_max(TEXTURE_SIDE_MAX, 1), TEXTURE_LEVELS_MAX);
    assert_int_equal(texture_bytes(&largest), 1431655764u); /* 4 (4^15 - 1) / 3 */
}

static void fewer_elements(Texture* t) { t->elements--; }
static void no_texture(Texture* t) { t->infos = 0; }
static void no_levels(Texture* t) { t->levels = 0; }
static void no_data(Texture* t) { t->bytes = 0; }
static void a_level_too_few(Texture* t) { t->levels--; }
static void a_level_too_many(Texture* t) {
    t->level[4] = texture_level(&t->info, 4, align_up(t->bytes, TEXTURE_ALIGN));
    t->elements = t->levels = ++t->info.level_count;
}
static void a_byte_too_few(Texture* t) { t->bytes--; }
static void a_byte_too_many(Texture* t) { t->bytes++; }
static void side_of_zero(Texture* t) { t->info.width = 0; }
static void side_over_the_limit(Texture* t) { t->info.height = TEXTURE_SIDE_MAX + 1; }
static void two_layers(Texture* t) { t->info.layers = 2; }
static void unknown_format(Texture* t) { t->info.format = TEXTURE_FORMAT_COUNT; }
static void unknown_wrap(Texture* t) { t->info.wrap_v = 3; }
static void srgb_of_one_channel(Texture* t) {
    *t = texture_new(8, 8, TEXTURE_BC4, 4);
    t->info.color_space = TEXTURE_SRGB;
}
static void srgb_of_two_channels(Texture* t) {
    *t = texture_new(8, 8, TEXTURE_BC5, 4);
    t->info.color_space = TEXTURE_SRGB;
}
static void level_at_another_offset(Texture* t) { t->level[1].offset += 16; }
static void level_of_other_bytes(Texture* t) { t->level[2].bytes++; }
static void level_of_another_width(Texture* t) { t->level[2].width++; }
static void level_of_another_height(Texture* t) { t->level[0].height--; }
static void level_of_other_rows(Texture* t) { t->level[3].row_bytes *= 2; }
static void padding_that_is_not_zero(Texture* t) {
    t->data[t->level[2].offset + t->level[2].bytes] = 1;
}

static void texture_that_breaks_any_rule_is_refused(void** state) {
    static const struct {
        const char* name;
        void (*change)(Texture* t);
        const char* field;
    } rules[] = {
#define RULE(change, field) {#change, change, field}
        RULE(fewer_elements, "header.element_count"),
        RULE(no_texture, "header.section_count"),
        RULE(no_levels, "header.section_count"),
        RULE(no_data, "header.section_count"),
        RULE(a_level_too_few, "section[1].count"),
        RULE(a_level_too_many, "texture[0].level_count"),
        RULE(a_byte_too_few, "section[2].count"),
        RULE(a_byte_too_many, "section[2].count"),
        RULE(side_of_zero, "texture[0].width"),
        RULE(side_over_the_limit, "texture[0].height"),
        RULE(two_layers, "texture[0].layers"),
        RULE(unknown_format, "texture[0].format"),
        RULE(unknown_wrap, "texture[0].wrap_v"),
        RULE(srgb_of_one_channel, "texture[0].color_space"),
        RULE(srgb_of_two_channels, "texture[0].color_space"),
        RULE(level_at_another_offset, "texture_level[1].offset"),
        RULE(level_of_other_bytes, "texture_level[2].bytes"),
        RULE(level_of_another_width, "texture_level[2].width"),
        RULE(level_of_another_height, "texture_level[0].height"),
        RULE(level_of_other_rows, "texture_level[3].row_bytes"),
        RULE(padding_that_is_not_zero, "texture_data"),
#undef RULE
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rules); i++) {
        Texture t = texture_new(8, 8, TEXTURE_BC1, 4);
        rules[i].change(&t);
        Raw             raw = texture_raw(&t);
        const RawOpened opened = raw_open(&raw, NULL);
        if (opened.status == ENT_OK || strcmp(opened.fault.field, rules[i].field) != 0)
            fail_msg("%s: %d, %s: %s", rules[i].name, opened.status, opened.fault.field,
                     opened.fault.reason);
    }
}

/* Blocks are sequences of bytes: only the records are swapped. */
static void texture_in_other_byte_order_has_the_same_pixels(void** state) {
    const Texture t = texture_new(8, 8, TEXTURE_BC3, 4);
    Raw           raw = texture_raw(&t);
    UNUSED(state);
    expect_valid(&raw);
    const Blob         blob = raw_blob(&raw);
    const BlobSection* data = ent_blob_section(&blob, SECTION_TEXTURE_DATA);
    _Alignas(16) u8    swapped[RAW_BYTES_MAX];
    memcpy(swapped, blob.bytes, blob.size);
    blob_swap(swapped, blob.size, true);
    assert_memory_equal(swapped + data->offset, t.data, t.bytes);
    assert_int_not_equal(memcmp(swapped, blob.bytes, data->offset), 0);
    blob_swap(swapped, blob.size, false);
    assert_memory_equal(swapped, blob.bytes, blob.size);
}

/* Each command reads a texture; a diff states where the pixels differ. */
static void commands_show_textures_and_their_differences(void** state) {
    char*   folder = strdup(test_folder("texture_commands"));
    Texture t = texture_new(8, 4, TEXTURE_BC1, 2);
    UNUSED(state);
    for (u32 i = 0; i < 2; i++) {
        Raw raw = texture_raw(&t);
        expect_valid(&raw);
        const Blob blob = raw_blob(&raw);
        test_write(folder, i ? "b.texture" : "a.texture", blob.bytes, blob.size);
        t.data[3] = 9, t.data[6] = 9;
    }
    EXPECT(folder, 0, "a.texture: ok (texture, ", "entc verify a.texture b.texture");
    EXPECT(folder, 0, "2 levels", "entc verify a.texture b.texture");
    EXPECT(folder, 1, "2 bytes differ, the first at offset 3", "entc diff a.texture b.texture");
    EXPECT(folder, 0, "format: bc1", "entc dump a.texture");
    EXPECT(folder, 0, "24 bytes, hash 0x", "entc dump a.texture");
    EXPECT(folder, 0, "\"texture_data\": {\"bytes\": 24, \"hash\"",
           "entc dump a.texture --json && entc dump a.texture --json | python3 -m json.tool >j");
    EXPECT(folder, 0, "texture_data", "entc dump a.texture --annotate");
    TEST_DONE(folder, "entc dump a.texture >a.txt && entc dump b.texture >b.txt && "
                      "! cmp -s a.txt b.txt && entc diff a.texture a.texture");
    free(folder);
}

TEST_SUITE(texture) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texture_of_each_format_and_size_is_valid),
        cmocka_unit_test(texture_levels_have_the_bytes_of_their_format),
        cmocka_unit_test(texture_that_breaks_any_rule_is_refused),
        cmocka_unit_test(texture_in_other_byte_order_has_the_same_pixels),
        cmocka_unit_test(commands_show_textures_and_their_differences),
    };
    return TEST_RUN("texture", tests);
}
