/* test_textures.c - textures from images in the source folder: defaults, settings, two sources, what
 * a build reads again, and renaming. */
#include <stdio.h>
#include <stdlib.h>

#include "blocks.h"
#include "file.h"
#include "memory.h"
#include "sections.h"
#include "test.h"
#include "test_image_files.h"
#include "texture_shape.h"

/* What follows from the settings and the image. */
static void texture_has_the_format_of_its_settings(void** state) {
    static const struct {
        const char* settings; /* NULL: there are none */
        bool        opaque;
        u32         width, height, levels, format, color_space;
    } rows[] = {
        {NULL, true, 40, 24, 6, TEXTURE_BC1, TEXTURE_SRGB},
        {NULL, false, 40, 24, 6, TEXTURE_BC3, TEXTURE_SRGB},
        {"{}", true, 40, 24, 6, TEXTURE_BC1, TEXTURE_SRGB},
        {"{ \"usage\": \"normal\" }", true, 40, 24, 6, TEXTURE_BC5, TEXTURE_LINEAR},
        {"{ \"usage\": \"mask\" }", true, 40, 24, 6, TEXTURE_BC4, TEXTURE_LINEAR},
        {"{ \"usage\": \"data\" }", true, 40, 24, 6, TEXTURE_BC1, TEXTURE_LINEAR},
        {"{ \"usage\": \"data\" }", false, 40, 24, 6, TEXTURE_BC3, TEXTURE_LINEAR},
        {"{ \"usage\": \"mask\", \"format\": \"r8\" }", true, 40, 24, 6, TEXTURE_R8,
         TEXTURE_LINEAR},
        {"{ \"format\": \"rgba8\", \"levels\": 2 }", true, 40, 24, 2, TEXTURE_RGBA8, TEXTURE_SRGB},
        {"{ \"largest\": 16 }", true, 10, 6, 4, TEXTURE_RGBA8, TEXTURE_SRGB},
        {"{ \"largest\": 20 }", true, 20, 12, 5, TEXTURE_BC1, TEXTURE_SRGB},
        {"{ \"largest\": 16, \"usage\": \"mask\" }", true, 10, 6, 4, TEXTURE_R8, TEXTURE_LINEAR},
        {"{ \"largest\": 16, \"format\": \"bc3\" }", true, 10, 6, 4, TEXTURE_BC3, TEXTURE_SRGB},
        {"{ \"magnify\": \"nearest\" }", true, 40, 24, 6, TEXTURE_RGBA8, TEXTURE_SRGB},
        {"{ \"magnify\": \"nearest\", \"format\": \"bc1\" }", true, 40, 24, 6, TEXTURE_BC1,
         TEXTURE_SRGB},
        {"{ \"minify\": \"nearest\" }", true, 40, 24, 6, TEXTURE_BC1, TEXTURE_SRGB},
        {"{ \"magnify\": \"nearest\", \"usage\": \"mask\" }", true, 40, 24, 6, TEXTURE_R8,
         TEXTURE_LINEAR},
        {"{ \"levels\": 1, \"premultiplied\": true }", false, 40, 24, 1, TEXTURE_BC3, TEXTURE_SRGB},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const char* folder = test_folder("textures_format");
        test_image_write(folder, "src/a/wood.png", 40, 24, 60, rows[i].opaque);
        if (rows[i].settings) test_write_text(folder, "src/a/wood.texture.json", rows[i].settings);
        EXPECT(folder, 0, "", "entc build src -o out && entc verify out");
        const Opened o = test_texture_open(folder, "a/wood");
        if (o.info->width != rows[i].width || o.info->height != rows[i].height ||
            o.info->level_count != rows[i].levels || o.info->format != rows[i].format ||
            o.info->color_space != rows[i].color_space)
            fail_msg("row %u: %u x %u, %u levels, format %u", i, o.info->width, o.info->height,
                     o.info->level_count, o.info->format);
        free(o.bytes);
    }
}

/* Colours that blocks cannot have. */
static void image_that_compression_harms_is_not_compressed(void** state) {
    static const struct {
        const char* settings;
        u32         format;
    } rows[] = {
        {"{}", TEXTURE_RGBA8},
        {"{ \"usage\": \"data\" }", TEXTURE_RGBA8},
        {"{ \"largest\": 20 }", TEXTURE_RGBA8},
        {"{ \"opaque\": true, \"levels\": 1 }", TEXTURE_RGBA8},
        {"{ \"format\": \"bc1\" }", TEXTURE_BC1},
        {"{ \"usage\": \"normal\" }", TEXTURE_BC5}, /* channels of their own */
        {"{ \"usage\": \"mask\" }", TEXTURE_BC4},
    };
    const char* folder = test_folder("textures_palette");
    UNUSED(state);
    test_palette_write(folder, "src/colors.png", 40, 24);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        test_write_text(folder, "src/colors.texture.json", rows[i].settings);
        EXPECT(folder, 0, "", "entc build src -o out && entc verify out");
        const Opened o = test_texture_open(folder, "colors");
        if (o.info->format != rows[i].format) fail_msg("row %u: format %u", i, o.info->format);
        free(o.bytes);
    }
    test_write_text(folder, "src/colors.texture.json", "{}");
    TEST_DONE(folder, "entc build src -o out && entc dump out/colors.texture --png a.png && "
                      "entc dump out/colors.texture --png a2.png --level 2");
    test_write_text(folder, "src/colors.texture.json", "{ \"format\": \"rgba8\" }");
    TEST_DONE(folder, "entc build src -o out && entc dump out/colors.texture --png b.png && "
                      "entc dump out/colors.texture --png b2.png --level 2 && "
                      "cmp a.png b.png && cmp a2.png b2.png");
}

/* The first pixel of the file is shown at the top on the right: it is turned for a texture of the
 * folder, and not for a model, as glTF requires. */
static void orientation_of_a_photograph_is_applied_to_textures_of_the_folder(void** state) {
    static const u8 exif[] =
        "\xff\xe1\0\x22"
        "Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    const char* folder = test_folder("textures_turned");
    u8          rgba[40 * 24 * 4] = {0};
    UNUSED(state);
    for (u32 i = 0; i < 8 * 8; i++) memset(rgba + (i / 8 * 40 + i % 8) * 4ul, 255, 4);
    test_jpeg_write(folder, "src/photo.jpg", rgba, 40, 24, exif, sizeof exif - 1);
    test_write_text(folder, "src/photo.texture.json", "{ \"format\": \"rgba8\" }");
    test_write_text(folder, "src/m.gltf",
                    "{ \"asset\": {\"version\": \"2.0\"}, \"images\": [{\"uri\": "
                    "\"photo.jpg\"}], \"textures\": [{\"source\": 0}], \"materials\": "
                    "[{\"emissiveTexture\": {\"index\": 0}}] }");
    test_write_text(folder, "src/m.model.json",
                    "{ \"textures\": { \"*\": { \"format\": \"rgba8\" } } }");
    EXPECT(folder, 0, "", "entc build src -o out && entc verify out");
    const Opened photo = test_texture_open(folder, "photo");
    const Opened of_model = test_texture_open(folder, "m/photo");
    assert_true(photo.info->width == 24 && photo.info->height == 40);
    assert_true(photo.data[0] < 9 && photo.data[23 * 4] > 246 &&
                photo.data[(39 * 24 + 23) * 4] < 9);
    assert_true(of_model.info->width == 40 && of_model.info->height == 24);
    assert_true(of_model.data[0] > 246 && of_model.data[39 * 4] < 9);
    free(photo.bytes);
    free(of_model.bytes);
}

static void sampler_of_a_texture_is_that_of_its_settings(void** state) {
    const char* folder = test_folder("textures_sampler");
    UNUSED(state);
    test_image_write(folder, "src/wood.png", 8, 8, 60, true);
    test_write_text(folder, "src/wood.texture.json",
                    "{ \"wrap_u\": \"clamp\", \"wrap_v\": \"mirror\", \"magnify\": \"nearest\",\n"
                    "  \"minify\": \"nearest\", \"between_levels\": \"nearest\" }\n");
    EXPECT(folder, 0, "", "entc build src -o out");
    const Opened o = test_texture_open(folder, "wood");
    assert_int_equal(o.info->wrap_u, TEXTURE_CLAMP);
    assert_int_equal(o.info->wrap_v, TEXTURE_MIRROR);
    assert_int_equal(o.info->magnify, TEXTURE_FILTER_NEAREST);
    assert_int_equal(o.info->minify, TEXTURE_FILTER_NEAREST);
    assert_int_equal(o.info->between_levels, TEXTURE_FILTER_NEAREST);
    free(o.bytes);
}

/* Plain formats are exact; --png writes the same pixels again. */
static void pixels_of_a_plain_texture_equal_the_image(void** state) {
    const char* folder = test_folder("textures_exact");
    UNUSED(state);
    test_image_write(folder, "src/wood.png", 30, 20, 60, false);
    test_write_text(folder, "src/wood.texture.json", "{ \"format\": \"rgba8\" }");
    EXPECT(folder, 0, "",
           "entc build src -o out && entc dump out/wood.texture --png wood.png && "
           "cmp src/wood.png wood.png");
    EXPECT(folder, 0, "",
           "entc build src -o big --target big && "
           "entc dump big/wood.texture --png big.png && cmp src/wood.png big.png");
    const Opened o = test_texture_open(folder, "wood");
    for (u32 i = 0; i < 30 * 20; i++) {
        const u8 wanted[4] = {(u8)(i % 30 * 255 / 30), (u8)(i / 30 * 255 / 20), 60,
                              i % 30 < 15 ? 255 : 128};
        assert_memory_equal(o.data + i * 4ul, wanted, 4);
    }
    free(o.bytes);
}

static void picture_of_a_wrong_blob_or_level_is_refused(void** state) {
    const char* folder = test_folder("textures_picture");
    UNUSED(state);
    test_image_write(folder, "src/wood.png", 8, 8, 60, true);
    test_write_text(folder, "src/mud.material.json", "{}");
    TEST_DONE(folder, "entc build src -o out && entc dump out/wood.texture --png p.png --level 3");
    EXPECT(folder, 1, "has 4 levels; --level must be at most 3",
           "entc dump out/wood.texture --png q.png --level 4");
    EXPECT(folder, 1, "its type is material, which has no picture",
           "entc dump out/mud.material --png q.png");
    EXPECT(folder, 1, "--level requires --png", "entc dump out/wood.texture --level 1");
    EXPECT(folder, 2, "cannot write \"src/wood.png/q.png\"",
           "entc dump out/wood.texture --png src/wood.png/q.png");
    EXPECT(folder, 3, "refused",
           "printf x | dd of=out/wood.texture bs=1 seek=90 conv=notrunc 2>&1; "
           "entc dump out/wood.texture --png q.png || "
           "{ echo refused >&2; exit 3; }");
    TEST_DONE(folder, "! test -e q.png");
}

static void texture_that_cannot_be_compiled_is_reported(void** state) {
    static const struct {
        const char *settings, *message;
    } rows[] = {
        {"[]", "a.texture.json:1:1: error: a texture must be an object, not an array [E0202]"},
        {"{ \"image\": 7 }", "\"image\" must be a string, the path of a PNG or JPEG file"},
        {"{ \"image\": \"/etc/b.png\" }", "\"image\" must be a path relative to this file"},
        {"{ \"image\": \"none.png\" }", "cannot be read: the file does not exist [E0302]"},
        {"{ \"image\": \"../b.png\" }", "it is outside the asset folder [E0302]"},
        {"{ \"image\": \"text.png\" }", "is neither a PNG nor a JPEG file [E0412]"},
        {"{ \"image\": \"b.png\", \"usage\": \"colour\" }", "did you mean \"color\"? [E0205]"},
        {"{ \"image\": \"b.png\", \"wrap\": \"clamp\" }", "[E0201]"},
        {"{ \"image\": \"b.png\", \"format\": \"bc5\" }", "this format has no colours"},
        {"{ \"image\": \"b.png\", \"usage\": \"data\", \"premultiplied\": true }",
         "\"premultiplied\" needs the usage \"color\""},
        {"{ \"image\": \"b.png\", \"largest\": 99999 }", "[E0203]"},
        {"{ \"usage\": \"data\" }", "the texture has no image"},
        {"{ \"image\": \"b.png\"", "[E0"},
    };
    const char* folder = test_folder("textures_wrong");
    UNUSED(state);
    test_image_write(folder, "b.png", 8, 8, 60, true);
    test_image_write(folder, "src/b.png", 8, 8, 60, true);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        test_write_text(folder, "src/text.png", "text");
        test_write_text(folder, "src/a.texture.json", rows[i].settings);
        EXPECT(folder, 3, rows[i].message, "entc build src -o out");
    }
    TEST_DONE(folder, "! test -e out/b.texture");
}

/* Builds again and from nothing, with the same exit code, messages and outputs. */
static void build_twice(const char* folder, int code, const char* text) {
    EXPECT(folder, code, text, "entc build src -o out --cache cache");
    TEST_DONE(
        folder,
        "entc build src -o out --cache cache 2>first; a=$?; rm -rf new; entc build src -o new "
        "2>second; b=$?; test $a = $b && diff first second && { test $a != 0 || diff -r out "
        "new; }");
}

static void image_that_nothing_uses_and_that_cannot_be_decoded_is_a_warning(void** state) {
    static const char material[] =
        "{ \"textures\": { \"base_color\": { \"texture\": \"photo\" } } }";
    static const char warning[] =
        "src/photo.png:1:1: warning: the image of \"photo.texture\" is neither a PNG nor a JPEG "
        "file; nothing refers to this texture, so it is not written [W0412]";
    static const char error[] = "src/photo.png:1:1: error: the image of \"photo.texture\" is "
                                "neither a PNG nor a JPEG file [E0412]";
    char*             folder = strdup(test_folder("textures_unusable"));
    UNUSED(state);
    test_image_write(folder, "src/wood.png", 8, 8, 60, true);
    test_image_write(folder, "src/photo.png", 8, 8, 60, true);
    test_write_text(folder, "src/m.material.json", "{}");
    build_twice(folder, 0, "");
    TEST_DONE(folder, "test -e out/photo.texture");
    test_write_text(folder, "src/photo.png", "text"); /* it was valid */
    build_twice(folder, 0, warning);
    TEST_DONE(folder, "! test -e out/photo.texture && test -e out/wood.texture");
    EXPECT(folder, 0, warning, "entc build src -o out --check");
    EXPECT(folder, 0, warning, "entc check src --variants");
    EXPECT(folder, 0, "have the same bytes", "entc verify-determinism src");
    EXPECT(folder, 0, warning, "entc why src photo.texture -o out");
    EXPECT(folder, 0, "photo.texture is not written", "entc why src photo.texture -o out");
    EXPECT(folder, 0, "m.material is up to date", "entc why src m.material -o out");
    TEST_DONE(folder,
              "entc mv src wood.texture ash.texture && entc mv src ash.texture wood.texture");
    TEST_DONE(folder, "test -z \"$(entc refs src photo.texture)\"");
    test_write_text(folder, "src/m.material.json", material); /* now it is used */
    build_twice(folder, 3, error);
    EXPECT(folder, 3, error, "entc build src -o kept -k");
    TEST_DONE(folder, "test -e kept/wood.texture && ! test -e kept/photo.texture");
    test_write_text(folder, "src/m.material.json", "{}");
    build_twice(folder, 0, warning);
    test_image_write(folder, "src/photo.png", 8, 8, 60, true);
    test_write_text(folder, "src/m.material.json", material);
    build_twice(folder, 0, "");
    test_write_text(folder, "src/photo.png", "text"); /* what uses it is not compiled again */
    build_twice(folder, 3, error);
    test_write_text(folder, "src/m.material.json", "{}");
    test_write_text(folder, "src/entc.json", "{ \"diagnostics\": { \"W0412\": \"error\" } }");
    build_twice(folder, 3, "[W0412]");
    test_write_text(folder, "src/entc.json", "{ \"diagnostics\": { \"W0412\": \"off\" } }");
    build_twice(folder, 0, "");
    test_write_text(folder, "src/photo.texture.json", "{}"); /* settings of its own */
    build_twice(folder, 3,
                "the image of \"photo.texture\" is neither a PNG nor a JPEG file [E0412]");
    TEST_DONE(folder, "rm src/photo.* src/entc.json && head -c 60 src/wood.png >src/cut.png");
    build_twice(folder, 0, "the image of \"cut.texture\" is truncated");
    test_write_text(folder, "src/all.package.json", "{ \"roots\": [\"cut.texture\"] }");
    build_twice(folder, 3, "the image of \"cut.texture\" is truncated");
    free(folder);
}

/* `compile`, and so an edge of ninja, reports what a build reports, and leaves what it leaves. */
static void compile_of_unused_image_that_cannot_be_decoded_is_a_warning(void** state) {
    static const char warning[] =
        "src/photo.png:1:1: warning: the image of \"photo.texture\" is neither a PNG nor a JPEG "
        "file; nothing refers to this texture, so it is not written [W0412]";
    static const char error[] = "src/photo.png:1:1: error: the image of \"photo.texture\" is "
                                "neither a PNG nor a JPEG file [E0412]";
    char*             folder = strdup(test_folder("textures_unusable_compile"));
    UNUSED(state);
    test_image_write(folder, "src/photo.png", 8, 8, 60, true);
    test_write_text(folder, "src/m.material.json", "{}");
    TEST_DONE(folder, "entc compile src photo.texture -o photo --source-map && test -e photo.map");
    test_write_text(folder, "src/photo.png", "text");
    EXPECT(folder, 3, "would remove photo", "entc compile src photo.texture -o photo --check");
    EXPECT(folder, 0, warning, "entc compile src photo.texture -o photo -MD -MF photo.d");
    TEST_DONE(folder, "! test -e photo && ! test -e photo.map && grep -q m.material.json photo.d");
    EXPECT(folder, 0, warning, "entc compile src photo.texture -o photo --check");
    test_write_text(folder, "photo", "not a blob");
    EXPECT(folder, 0, warning, "entc compile src photo.texture -o photo --cache cache");
    EXPECT(folder, 0, warning, "entc compile src photo.texture -o photo --cache cache");
    TEST_DONE(folder, "grep -q 'not a blob' photo");
    test_write_text(folder, "src/a.entity.json", "{ \"components\": { \"unknown\": {} } }");
    EXPECT(folder, 0, warning, "entc compile src photo.texture -o photo");
    test_write_text(folder, "src/a.entity.json",
                    "{ \"components\": { \"decal\": { \"color_texture\": \"photo\" } } }");
    EXPECT(folder, 3, error, "entc compile src photo.texture -o photo");
    EXPECT(folder, 3, error, "entc compile src photo.texture -o photo --cache cache");
    EXPECT(folder, 3, error, "entc why src photo.texture -o out");
    TEST_DONE(folder, "rm src/a.entity.json && entc build src -o out");
    EXPECT(folder, 0, warning, "entc compile src photo.texture -o photo --cache cache");
    test_image_write(folder, "src/photo.png", 8, 8, 60, true);
    TEST_DONE(folder, "entc build src -o out && test -e out/photo.texture");
    test_write_text(folder, "src/photo.png", "text");
    EXPECT(folder, 0, "photo.texture would be removed", "entc why src photo.texture -o out");
    TEST_DONE(folder, "entc build src -o out && ! test -e out/photo.texture");
    TEST_DONE(folder, "command -v ninja >/dev/null || exit 0; entc build src -o nin --emit-ninja n "
                      "&& ninja -f n >log && grep -q W0412 log && ! test -e nin/photo.texture");
    free(folder);
}

static void texture_with_two_sources_is_an_error(void** state) {
    char* folder = strdup(test_folder("textures_two"));
    UNUSED(state);
    test_image_write(folder, "src/wood.png", 8, 8, 60, true);
    test_image_write(folder, "src/oak.png", 8, 8, 90, true);
    TEST_DONE(folder, "cp src/wood.png src/wood.jpg");
    EXPECT(folder, 3, "\"wood.texture\" has two sources", "entc build src -o out");
    test_write_text(folder, "src/wood.texture.json", "{}");
    EXPECT(folder, 3, "\"wood.texture\" has two sources", "entc build src -o out");
    TEST_DONE(folder, "rm src/wood.jpg && entc build src -o out");
    test_write_text(folder, "src/wood.texture.json", "{ \"image\": \"oak.png\" }");
    EXPECT(folder, 3, "\"wood.texture\" has two sources: this image, and", "entc build src -o out");
    TEST_DONE(folder, "mv src/wood.png kept.png && entc build src -o out && "
                      "entc dump out/wood.texture --png a.png && mv kept.png src/wood.png && "
                      "entc dump out/oak.texture --png b.png && cmp a.png b.png");
    EXPECT(folder, 3, "has two sources", "entc build src -o out");
    free(folder);
}

/* The image of the settings, the settings, and the variant are inputs. */
static void texture_is_compiled_again_when_its_image_changes(void** state) {
    char* folder = strdup(test_folder("textures_again"));
    UNUSED(state);
    test_image_write(folder, "src/wood.png", 16, 16, 60, true);
    test_image_write(folder, "src/wood.fr.png", 16, 16, 90, true);
    test_image_write(folder, "src/Any Name.png", 16, 16, 30, true);
    test_write_text(folder, "src/wood.texture.json", "{ \"usage\": \"data\" }");
    test_write_text(folder, "src/sign.texture.json", "{ \"image\": \"Any Name.png\" }");
    TEST_DONE(folder, "sleep 0.05; entc build src -o out --cache cache && sleep 0.05");
    EXPECT(folder, 0, " 0 compiled, 0 from the cache, 0 written, 3 unchanged",
           "entc build src -o out --cache cache -v");
    EXPECT(folder, 0, " 0 compiled, 3 from the cache",
           "entc build src -o other --cache cache -v && diff -r out other");
    test_image_write(folder, "src/Any Name.png", 16, 16, 200, true);
    EXPECT(folder, 0, "2 compiled, 0 from the cache, 2 written, 1 unchanged",
           "entc build src -o out --cache cache -v");
    EXPECT(folder, 0, "src/Any Name.png",
           "entc build src -o out --cache cache && "
           "entc why src sign.texture -o out");
    EXPECT(folder, 0, "1 written, 2 unchanged",
           "entc build src -o out --lang fr -v && ! cmp -s "
           "out/wood.texture other/wood.texture");
    TEST_DONE(folder, "rm -r out .out.entc && entc build src -o out && "
                      "entc compile src wood.texture -o one -MD -MF deps && "
                      "cmp one out/wood.texture && grep -q wood.png deps");
    EXPECT(folder, 0, " 3 compiled", "entc build src -o j1 -j1 -v");
    TEST_DONE(folder, "entc build src -o j4 -j4 && diff -r j1 j4");
    TEST_DONE(folder, "entc build src -o maps --source-map && entc verify maps");
    free(folder);
}

/* An image to which a model refers is not a texture of its own, also when the model is not read. */
static void image_of_a_model_is_no_texture_of_its_own(void** state) {
    static const char model[] =
        "{ \"asset\": { \"version\": \"2.0\" }, \"images\": [ { \"uri\": \"wood%20x.png\" }, "
        "{ \"uri\": \"oak.png\" } ], \"nodes\": [ { \"name\": \"a\" } ] }\n";
    char* folder = strdup(test_folder("textures_model"));
    UNUSED(state);
    test_write_text(folder, "src/m/table.gltf", model);
    test_image_write(folder, "src/m/wood x.png", 8, 8, 60, true);
    test_image_write(folder, "src/m/oak.png", 8, 8, 60, true);
    test_image_write(folder, "src/m/own.png", 8, 8, 60, true);
    for (u32 i = 0; i < 3; i++) {
        TEST_DONE(folder, "entc build src -o out --cache cache && "
                          "test \"$(cd out && find . -name '*.texture')\" = ./m/own.texture");
        if (i == 0) test_image_write(folder, "src/m/own.png", 8, 8, 61, true);
        if (i == 1) TEST_DONE(folder, "rm -r out .out.entc");
    }
    /* unless it has settings, to which it belongs as if there were no model */
    test_write_text(folder, "src/m/oak.texture.json", "{ \"image\": \"own.png\" }");
    EXPECT(folder, 3, "\"m/oak.texture\" has two sources", "entc build src -o out");
    test_write_text(folder, "src/m/oak.texture.json", "{}");
    TEST_DONE(folder, "entc build src -o out && test -e out/m/oak.texture");
    TEST_DONE(folder, "rm src/m/oak.texture.json");
    test_write_text(folder, "src/m/table.gltf", "{ \"asset\": { \"version\": \"2.0\" } }");
    TEST_DONE(folder, "entc build src -o out && test -e out/m/oak.texture");
    free(folder);
}

static void texture_moved_keeps_its_image(void** state) {
    char* folder = strdup(test_folder("textures_moved"));
    UNUSED(state);
    test_image_write(folder, "src/wood.png", 8, 8, 60, true);
    test_image_write(folder, "src/photos/Any.png", 8, 8, 60, true);
    test_image_write(folder, "src/oak.png", 8, 8, 90, true);
    test_write_text(folder, "src/wood.texture.json", "{ \"usage\": \"data\" }\n");
    test_write_text(folder, "src/sign.texture.json", "{ \"image\": \"photos/Any.png\" }\n");
    test_write_text(folder, "src/door.texture.json", "{ \"image\": \"oak.png\" }\n");
    TEST_DONE(folder, "entc build src -o before");
    TEST_DONE(folder, "entc mv src wood.texture a/b/wood.texture && test -e src/a/b/wood.png && "
                      "test -e src/a/b/wood.texture.json && ! test -e src/wood.png");
    TEST_DONE(folder, "entc mv src sign.texture a/sign.texture && "
                      "grep -qx '{ \"image\": \"../photos/Any.png\" }' src/a/sign.texture.json");
    TEST_DONE(folder, "entc mv src oak.texture x/ash.texture && "
                      "grep -qx '{ \"image\": \"x/ash.png\" }' src/door.texture.json");
    TEST_DONE(folder, "entc mv src a c && entc build src -o after && "
                      "entc diff --stat before/wood.texture after/c/b/wood.texture; "
                      "test -e after/c/sign.texture && test -e after/door.texture && "
                      "test -e after/x/ash.texture");
    EXPECT(folder, 3,
           "door.texture.json:1:12: error: this image would be missing without texture "
           "\"x/ash\"",
           "entc rm src x/ash.texture");
    TEST_DONE(folder, "entc rm src door.texture && ! test -e src/door.texture.json && "
                      "test -e src/x/ash.png && entc rm src c/b/wood.texture && ! ls src/c/b/*");
    free(folder);
}

/* Names that no resource can have. */
static void image_that_nothing_reads_is_counted(void** state) {
    char* folder = strdup(test_folder("textures_unread"));
    UNUSED(state);
    test_image_write(folder, "src/My\\Photo.png", 8, 8, 60, true);
    test_image_write(folder, "src/a\x07.png", 8, 8, 60, true);
    test_image_write(folder, "src/wood.png", 8, 8, 60, true);
    EXPECT(folder, 0, "entc: 2 files in \"src\" are not read", "entc build src -o out");
    EXPECT(folder, 0, "entc: 2 files in \"src\" are not read", "entc build src -o out");
    free(folder);
}

/* Budgets count textures before they are decoded. */
static void textures_beyond_the_largest_output_are_refused(void** state) {
    char* folder = strdup(test_folder("textures_budget"));
    UNUSED(state);
    for (u32 i = 0; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "src/p%u.png", i);
        test_image_write(folder, name, 256, 256, i, true);
    }
    EXPECT(folder, 4, "the outputs of this build need", "entc build src -o out --max-output 100K");
    TEST_DONE(folder, "! test -e out/p0.texture && entc build src -o out --max-output 4M");
    free(folder);
}

TEST_SUITE(textures) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texture_has_the_format_of_its_settings),
        cmocka_unit_test(image_that_compression_harms_is_not_compressed),
        cmocka_unit_test(orientation_of_a_photograph_is_applied_to_textures_of_the_folder),
        cmocka_unit_test(sampler_of_a_texture_is_that_of_its_settings),
        cmocka_unit_test(pixels_of_a_plain_texture_equal_the_image),
        cmocka_unit_test(picture_of_a_wrong_blob_or_level_is_refused),
        cmocka_unit_test(texture_that_cannot_be_compiled_is_reported),
        cmocka_unit_test(image_that_nothing_uses_and_that_cannot_be_decoded_is_a_warning),
        cmocka_unit_test(compile_of_unused_image_that_cannot_be_decoded_is_a_warning),
        cmocka_unit_test(texture_with_two_sources_is_an_error),
        cmocka_unit_test(texture_is_compiled_again_when_its_image_changes),
        cmocka_unit_test(image_of_a_model_is_no_texture_of_its_own),
        cmocka_unit_test(texture_moved_keeps_its_image),
        cmocka_unit_test(image_that_nothing_reads_is_counted),
        cmocka_unit_test(textures_beyond_the_largest_output_are_refused),
    };
    return TEST_RUN("textures", tests);
}
