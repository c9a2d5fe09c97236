/* test_model_textures.c - textures of models: one for each image, use and sampler, and the materials
 * that refer to them. */
#include <stdio.h>
#include <stdlib.h>

#include "hash.h"
#include "material.h"
#include "sections.h"
#include "test.h"
#include "test_image_files.h"

/* A model with these JSON members besides "asset". */
static void model_write(const char* folder, const char* members) {
    char text[4096];
    snprintf(text, sizeof text, "{ \"asset\": {\"version\": \"2.0\"},\n%s }\n", members);
    test_write_text(folder, "src/m.gltf", text);
}

typedef struct Textured {
    u8*                          bytes;
    Blob                         blob;
    const MaterialTextureRecord* row;
    u32                          count;
} Textured;

static Textured material_open(const char* folder, const char* name) {
    char     path[1200];
    size_t   size;
    Textured t = {.row = NULL};
    snprintf(path, sizeof path, "%s/out/%s.material", folder, name);
    t.bytes = test_read(path, &size);
    if (!t.bytes) fail_msg("%s does not exist", path);
    assert_int_equal(ent_blob_open(&t.blob, t.bytes, size, NULL, NULL), ENT_OK);
    const BlobSection* section = ent_blob_section(&t.blob, SECTION_MATERIAL_TEXTURE);
    if (section) t.row = ent_blob_data(&t.blob, section), t.count = section->count;
    return t;
}

static bool refers_to(const MaterialTextureRecord* row, const char* name) {
    return resource_id(row->texture) == hash_resource(text_of(name), "texture");
}

/* The format follows from the slot and the alpha mode, not from the image. */
static void slots_decide_how_the_images_of_a_model_are_compiled(void** state) {
    static const struct {
        const char* name;
        u32         format, color_space;
    } rows[] = {
        {"m/paint", TEXTURE_BC1, TEXTURE_SRGB}, /* opaque, although the image is not */
        {"m/rough", TEXTURE_BC1, TEXTURE_LINEAR}, {"m/bumps", TEXTURE_BC5, TEXTURE_LINEAR},
        {"m/shade", TEXTURE_BC4, TEXTURE_LINEAR}, {"m/glow", TEXTURE_BC1, TEXTURE_SRGB},
        {"m/paint_2", TEXTURE_BC3, TEXTURE_SRGB},
    };
    const char* folder = test_folder("model_textures");
    UNUSED(state);
    test_image_write(folder, "src/img/paint.png", 40, 24, 1, false);
    test_image_write(folder, "src/img/rough.png", 40, 24, 2, false);
    test_image_write(folder, "src/img/bumps.png", 40, 24, 3, true);
    test_image_write(folder, "src/img/x.png", 40, 24, 4, true);
    test_image_write(folder, "src/img/glow.png", 40, 24, 5, true);
    model_write(folder, "\"images\": [{\"uri\": \"img/paint.png\"}, {\"uri\": \"img/rough.png\"},\n"
                        "  {\"uri\": \"img/bumps.png\"}, {\"uri\": \"img/x.png\", \"name\": "
                        "\"shade\"}, {\"uri\": \"img/glow.png\"}],\n"
                        "\"textures\": [{\"source\": 0}, {\"source\": 1}, {\"source\": 2}, "
                        "{\"source\": 3}, {\"source\": 4}],\n"
                        "\"materials\": [{\"name\": \"a\", \"pbrMetallicRoughness\": "
                        "{\"baseColorTexture\": {\"index\": 0}, "
                        "\"metallicRoughnessTexture\": {\"index\": 1}},\n"
                        "  \"normalTexture\": {\"index\": 2, \"scale\": -0.5}, "
                        "\"occlusionTexture\": {\"index\": 3, \"strength\": 0.25}, "
                        "\"emissiveTexture\": {\"index\": 4}},\n"
                        "  {\"name\": \"b\", \"alphaMode\": \"BLEND\", \"pbrMetallicRoughness\": "
                        "{\"baseColorTexture\": {\"index\": 0}}}]");
    EXPECT(folder, 0, "", "entc build src -o out && entc verify out");
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const Opened o = test_texture_open(folder, rows[i].name);
        if (o.info->format != rows[i].format || o.info->color_space != rows[i].color_space)
            fail_msg("%s: format %u, colour space %u", rows[i].name, o.info->format,
                     o.info->color_space);
        assert_int_equal(o.info->level_count, 6);
        free(o.bytes);
    }
    const Textured a = material_open(folder, "m/a"), b = material_open(folder, "m/b");
    assert_int_equal(a.count, 5);
    for (u32 i = 0; i < 5; i++) {
        assert_int_equal(a.row[i].slot, i);
        if (!refers_to(&a.row[i], rows[i].name)) fail_msg("slot %u", i);
    }
    assert_true(a.row[2].strength == -0.5f && a.row[3].strength == 0.25f && a.row[4].strength == 1);
    assert_int_equal(b.count, 1);
    assert_true(refers_to(b.row, "m/paint_2"));
    free(a.bytes);
    free(b.bytes);
}

static void samplers_of_a_model_are_those_of_its_textures(void** state) {
    const char* folder = test_folder("model_textures_samplers");
    UNUSED(state);
    test_image_write(folder, "src/a.png", 16, 16, 1, true);
    model_write(folder, "\"images\": [{\"uri\": \"a.png\"}],\n"
                        "\"samplers\": [{\"wrapS\": 33071, \"wrapT\": 33648, \"magFilter\": 9728, "
                        "\"minFilter\": 9986}, {\"minFilter\": 9729}],\n"
                        "\"textures\": [{\"source\": 0, \"sampler\": 0}, {\"source\": 0, "
                        "\"sampler\": 1}, {\"source\": 0}],\n"
                        "\"materials\": [{\"emissiveTexture\": {\"index\": 0}}, "
                        "{\"emissiveTexture\": {\"index\": 1}}, {\"emissiveTexture\": {\"index\": "
                        "2}}, {\"emissiveTexture\": {\"index\": 0}}]");
    EXPECT(folder, 0, "", "entc build src -o out");
    TEST_DONE(folder, "test $(ls out/m/*.texture | wc -l) = 3");
    const Opened first = test_texture_open(folder, "m/a"),
                 second = test_texture_open(folder, "m/a_2");
    const Opened third = test_texture_open(folder, "m/a_3");
    assert_int_equal(first.info->wrap_u, TEXTURE_CLAMP);
    assert_int_equal(first.info->wrap_v, TEXTURE_MIRROR);
    assert_int_equal(first.info->magnify, TEXTURE_FILTER_NEAREST);
    assert_int_equal(first.info->minify, TEXTURE_FILTER_NEAREST);
    assert_int_equal(first.info->between_levels, TEXTURE_FILTER_LINEAR);
    assert_int_equal(first.info->level_count, 5);
    assert_int_equal(second.info->minify, TEXTURE_FILTER_LINEAR);
    assert_int_equal(second.info->level_count, 1); /* a filter without mipmaps */
    assert_int_equal(third.info->wrap_u, TEXTURE_REPEAT);
    assert_int_equal(third.info->magnify, TEXTURE_FILTER_LINEAR);
    assert_int_equal(third.info->level_count, 5);
    free(first.bytes);
    free(second.bytes);
    free(third.bytes);
}

static void transforms_and_sets_of_coordinates_are_in_the_material(void** state) {
    const char* folder = test_folder("model_textures_transform");
    UNUSED(state);
    test_image_write(folder, "src/a.png", 4, 4, 1, true);
    model_write(folder,
                "\"extensionsUsed\": [\"KHR_texture_transform\"],\n"
                "\"images\": [{\"uri\": \"a.png\"}], \"textures\": [{\"source\": 0}],\n"
                "\"materials\": [{\"name\": \"m\", \"normalTexture\": {\"index\": 0, \"texCoord\": "
                "1},\n"
                "  \"emissiveTexture\": {\"index\": 0, \"texCoord\": 1, \"extensions\": "
                "{\"KHR_texture_transform\": {\"offset\": [0.5, -1], \"rotation\": 0.75, "
                "\"scale\": [2, 3], \"texCoord\": 0}}}}]");
    EXPECT(folder, 0, "", "entc build src -o out");
    const Textured m = material_open(folder, "m/m");
    assert_int_equal(m.count, 2);
    assert_int_equal(m.row[0].uv_set, 1);
    assert_true(m.row[0].scale.x == 1 && m.row[0].scale.y == 1 && m.row[0].offset.x == 0);
    assert_int_equal(m.row[1].uv_set, 0); /* that of the extension */
    assert_true(m.row[1].offset.x == 0.5f && m.row[1].offset.y == -1);
    assert_true(m.row[1].scale.x == 2 && m.row[1].scale.y == 3 && m.row[1].rotation_rad == 0.75f);
    free(m.bytes);
}

/* Occlusion, roughness and metallic in one image are one texture. */
static void one_image_for_occlusion_and_roughness_is_one_texture(void** state) {
    const char* folder = test_folder("model_textures_packed");
    UNUSED(state);
    test_image_write(folder, "src/orm.png", 32, 32, 1, true);
    model_write(folder, "\"images\": [{\"uri\": \"orm.png\"}], \"textures\": [{\"source\": 0}],\n"
                        "\"materials\": [{\"name\": \"m\", \"pbrMetallicRoughness\": "
                        "{\"metallicRoughnessTexture\": {\"index\": 0}}, "
                        "\"occlusionTexture\": {\"index\": 0}}]");
    EXPECT(folder, 0, "", "entc build src -o out");
    TEST_DONE(folder, "test $(find out -name '*.texture') = out/m/orm.texture");
    const Opened   o = test_texture_open(folder, "m/orm");
    const Textured m = material_open(folder, "m/m");
    assert_int_equal(o.info->format, TEXTURE_BC1);
    assert_int_equal(o.info->color_space, TEXTURE_LINEAR);
    assert_true(m.count == 2 && refers_to(&m.row[0], "m/orm") && refers_to(&m.row[1], "m/orm"));
    free(o.bytes);
    free(m.bytes);
}

/* A masked material: the levels keep the share of pixels that pass its alpha test. */
static void levels_of_a_masked_material_keep_its_coverage(void** state) {
    const char* folder = test_folder("model_textures_mask");
    UNUSED(state);
    test_image_write(folder, "src/leaf.png", 64, 64, 1, false); /* alpha: half 255, half 128 */
    model_write(folder, "\"images\": [{\"uri\": \"leaf.png\"}], \"textures\": [{\"source\": 0}],\n"
                        "\"materials\": [{\"alphaMode\": \"MASK\", \"alphaCutoff\": 0.45, "
                        "\"pbrMetallicRoughness\": {\"baseColorFactor\": [1, 1, 1, 0.75], "
                        "\"baseColorTexture\": {\"index\": 0}}}]");
    test_write_text(folder, "src/masked.texture.json",
                    "{ \"alpha_cutoff\": 0.6, \"image\": \"copy.png\" }");
    TEST_DONE(folder, "cp src/leaf.png src/copy.png");
    EXPECT(folder, 0, "", "entc build src -o out");
    TEST_DONE(folder, "for i in 0 1 3 5; do entc dump out/masked.texture --png a.png --level $i && "
                      "entc dump out/m/leaf.texture --png b.png --level $i && cmp a.png b.png || "
                      "exit 1; done");
}

/* The same image in a file, in a data URI and in a buffer view gives the same bytes. */
static void images_in_buffers_and_data_uris_equal_those_in_files(void** state) {
    const char* folder = test_folder("model_textures_embedded");
    UNUSED(state);
    test_image_write(folder, "src/a.png", 8, 8, 7, true);
    TEST_DONE(
        folder,
        "image=$(base64 -w0 src/a.png) && bytes=$(wc -c <src/a.png) && printf '%%s' "
        "'{\"asset\": {\"version\": \"2.0\"}, \"images\": [{\"uri\": \"a.png\"}, {\"uri\": "
        "\"data:image/png;base64,'$image'\"}, {\"bufferView\": 0, \"mimeType\": \"image/png\"}], "
        "\"buffers\": [{\"byteLength\": '$bytes', \"uri\": "
        "\"data:application/octet-stream;base64,'$image'\"}], \"bufferViews\": [{\"buffer\": 0, "
        "\"byteLength\": '$bytes'}], \"textures\": [{\"source\": 0}, {\"source\": 1}, "
        "{\"source\": 2}], \"materials\": [{\"emissiveTexture\": {\"index\": 0}}, "
        "{\"emissiveTexture\": {\"index\": 1}}, {\"emissiveTexture\": {\"index\": 2}}]}' "
        ">src/m.gltf");
    EXPECT(folder, 0, "", "entc build src -o out");
    const Opened a = test_texture_open(folder, "m/a"), b = test_texture_open(folder, "m/texture_1");
    const Opened c = test_texture_open(folder, "m/texture_2");
    assert_memory_equal(a.data, b.data, 64 * 4);
    assert_memory_equal(a.data, c.data, 64 * 4);
    free(a.bytes);
    free(b.bytes);
    free(c.bytes);
}

/* In a file and in the model; another number of channels is refused. */
static void image_of_a_model_with_four_inks_becomes_colors(void** state) {
    const char* folder = test_folder("model_textures_inks");
    u8          inks[8 * 8 * 4];
    size_t      size;
    UNUSED(state);
    for (u32 i = 0; i < 8 * 8; i++) memcpy(inks + i * 4ul, (const u8[4]){255, 51, 0, 200}, 4);
    u8* file = test_jpeg_inks(inks, 8, 8, &size);
    test_write(folder, "src/a.jpg", file, size);
    for (u32 i = 0; i + 10 < size; i++) /* the frame header: 0xff, 0xc0, .. */
        if (file[i] == 0xff && file[i + 1] == 0xc0) file[i + 9] = 2;
    test_write(folder, "two.jpg", file, size);
    free(file);
    for (u32 wrong = 0; wrong < 2; wrong++) {
        TEST_DONE(folder,
                  "printf '%%s' '{\"asset\": {\"version\": \"2.0\"}, \"images\": [{\"uri\": "
                  "\"a.jpg\"}, {\"uri\": \"data:image/jpeg;base64,'$(base64 -w0 %s)'\"}], "
                  "\"textures\": [{\"source\": 0}, {\"source\": 1}], \"materials\": "
                  "[{\"emissiveTexture\": {\"index\": 0}}, {\"emissiveTexture\": {\"index\": "
                  "1}}]}' >src/m.gltf",
                  wrong ? "two.jpg" : "src/a.jpg");
        EXPECT(folder, wrong ? 3 : 0, wrong ? "it has neither 1, 3 nor 4 channels" : "",
               "entc build src -o out");
    }
    const Opened a = test_texture_open(folder, "m/a"), b = test_texture_open(folder, "m/texture_1");
    const int    wanted[4] = {200, 40, 0, 255}; /* multiplied by what black leaves */
    for (u32 c = 0; c < 4; c++) assert_true(abs(a.data[c] - wanted[c]) <= 2);
    assert_memory_equal(a.data, b.data, 8 * 8 * 4);
    free(a.bytes);
    free(b.bytes);
}

/* An image beside a model is an input of the model, as its buffers are. */
static void changed_image_of_a_model_is_compiled_again(void** state) {
    const char* folder = test_folder("model_textures_again");
    UNUSED(state);
    test_image_write(folder, "src/a.png", 8, 8, 1, true);
    model_write(folder, "\"images\": [{\"uri\": \"a.png\"}], \"textures\": [{\"source\": 0}],\n"
                        "\"materials\": [{\"emissiveTexture\": {\"index\": 0}}]");
    TEST_DONE(folder, "sleep 0.05; entc build src -o out --cache cache && "
                      "cp out/m/a.texture first");
    EXPECT(folder, 0, "0 compiled", "entc build src -o out --cache cache -v");
    test_image_write(folder, "src/a.png", 8, 8, 200, true);
    EXPECT(folder, 0, "3 compiled", "sleep 0.05; entc build src -o out --cache cache -v");
    TEST_DONE(folder, "! cmp -s out/m/a.texture first");
    TEST_DONE(folder,
              "entc compile src m/a.texture -o t.texture -MD -MF d.d && grep -q src/a.png d.d");
    test_image_write(folder, "src/a.png", 8, 8, 1, true);
    EXPECT(folder, 0, "0 compiled, 3 from the cache",
           "rm -r out && entc build src -o out --cache cache -v");
    TEST_DONE(folder, "cmp out/m/a.texture first && rm src/a.png");
    EXPECT(folder, 3, "images[0].uri is \"a.png\": the file does not exist [E0405]",
           "entc build src -o out --cache cache");
    TEST_DONE(folder, "cmp out/m/a.texture first");
}

/* --- settings in NAME.model.json --- */

/* Base colour "paint", also used with alpha; roughness "rough plates"; emission without a name. */
static const char* painted_model(const char* name) {
    const char* folder = test_folder(name);
    test_image_write(folder, "src/paint.png", 64, 32, 1, false);
    test_image_write(folder, "src/x.png", 64, 32, 2, true);
    test_image_write(folder, "src/spare.png", 64, 32, 2, true);
    TEST_DONE(folder,
              "printf '%%s' '{\"asset\": {\"version\": \"2.0\"}, \"images\": [{\"uri\": "
              "\"paint.png\"}, {\"uri\": \"x.png\", \"name\": \"rough plates\"}, {\"uri\": "
              "\"data:image/png;base64,'$(base64 -w0 src/x.png)'\"}, {\"uri\": \"spare.png\"}],\n"
              "\"textures\": [{\"source\": 0}, {\"source\": 1}, {\"source\": 2}],\n"
              "\"materials\": [{\"name\": \"a\", \"pbrMetallicRoughness\": "
              "{\"baseColorTexture\": {\"index\": 0}, \"metallicRoughnessTexture\": {\"index\": "
              "1}}, \"emissiveTexture\": {\"index\": 2}},\n"
              "{\"name\": \"b\", \"alphaMode\": \"BLEND\", \"pbrMetallicRoughness\": "
              "{\"baseColorTexture\": {\"index\": 0}}}]}' >src/m.gltf");
    test_write_text(folder, "src/entc.json", "{ \"models\": { \"accept\": [ \"unused\" ] } }\n");
    return folder;
}

static void settings_of_a_model_change_its_textures(void** state) {
    static const struct {
        const char* name;
        u32         format, width, magnify, color_space, levels;
    } rows[] = {
        {"m/paint", TEXTURE_BC3, 32, TEXTURE_FILTER_LINEAR, TEXTURE_SRGB, 6},
        {"m/paint_2", TEXTURE_BC3, 32, TEXTURE_FILTER_LINEAR, TEXTURE_SRGB, 6},
        {"m/rough_plates", TEXTURE_RGBA8, 64, TEXTURE_FILTER_NEAREST, TEXTURE_LINEAR, 7},
        {"m/texture_2", TEXTURE_BC4, 32, TEXTURE_FILTER_LINEAR, TEXTURE_LINEAR, 2},
    };
    const char* folder = painted_model("model_textures_settings");
    UNUSED(state);
    test_write_text(folder, "src/m.model.json",
                    "{ \"textures\": {\n"
                    "  \"rough plates\": { \"magnify\": \"nearest\", \"largest\": 0 },\n"
                    "  \"*\": { \"$comment\": \"all\", \"largest\": 32 },\n"
                    "  \"spare\": { \"largest\": 1 }, \"$comment\": \"is not used\",\n"
                    "  \"pain\\u0074\": { \"format\": \"bc3\" },\n"
                    "  \"texture_2\": { \"usage\": \"mask\", \"levels\": 2 } } }\n");
    EXPECT(folder, 0, "", "entc build src -o out && entc verify out");
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const Opened o = test_texture_open(folder, rows[i].name);
        if (o.info->format != rows[i].format || o.info->width != rows[i].width ||
            o.info->magnify != rows[i].magnify || o.info->color_space != rows[i].color_space ||
            o.info->level_count != rows[i].levels)
            fail_msg("%s: format %u, %u pixels, magnify %u, colour space %u, %u levels",
                     rows[i].name, o.info->format, o.info->width, o.info->magnify,
                     o.info->color_space, o.info->level_count);
        free(o.bytes);
    }
    TEST_DONE(folder, "test $(ls out/m/*.texture | wc -l) = 4");
}

static void settings_of_textures_with_errors_are_reported(void** state) {
    static const struct {
        const char *settings, *message;
    } rows[] = {
        {"{ \"textures\": 5 }", "m.model.json:1:15: error: \"textures\" must be an object, not a "
                                "number [E0202]"},
        {"{ \"textures\": { \"paint\": [] } }",
         "m.model.json:1:26: error: the settings of a texture must be an object, not an array"},
        {"{ \"textures\": { \"*\": {},\n  \"piant\": {} } }",
         "m.model.json:2:3: error: the model has no image \"piant\", but has \"paint\", \"rough "
         "plates\", \"spare\" and \"texture_2\"; did you mean \"paint\"? [E0302]"},
        {"{ \"textures\": { \"paint\": { \"fromat\": \"bc1\" } } }",
         "texture has no field \"fromat\"; did you mean \"format\"? [E0201]"},
        {"{ \"textures\": { \"paint\": { \"format\": \"bc7\" } } }", "[E0205]"},
        {"{ \"textures\": { \"paint\": { \"largest\": -1 } } }", "[E0203]"},
        {"{ \"textures\": { \"paint\": {}, \"paint\": {} } }",
         "m.model.json:1:30: error: duplicate key \"paint\""},
        {"{ \"textures\": { \"paint\": { \"format\": \"bc5\" } } }",
         "m.model.json:1:17: error: the settings of \"m/paint.texture\" are not valid: this format "
         "has no colours"},
        {"{ \"textures\": { \"*\": { \"premultiplied\": true } } }",
         "m.model.json:1:17: error: the settings of \"m/rough_plates.texture\" are not valid: "
         "\"premultiplied\" needs the usage \"color\""},
        {"{ \"texture\": {} }", "did you mean \"textures\"? [E0201]"},
    };
    const char* folder = painted_model("model_textures_wrong");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        test_write_text(folder, "src/m.model.json", rows[i].settings);
        EXPECT(folder, 3, rows[i].message, "entc build src -o out");
    }
    test_write_text(folder, "src/m.gltf", "{ \"asset\": {\"version\": \"2.0\"} }");
    test_write_text(folder, "src/m.model.json", "{ \"textures\": { \"*\": {} } }");
    EXPECT(folder, 0, "", "entc build src -o out");
    test_write_text(folder, "src/m.model.json", "{ \"textures\": { \"oak\": {} } }");
    EXPECT(folder, 3, "the model has no image \"oak\"; it has no images with a name [E0302]",
           "entc build src -o out");
}

/* Only the outputs of these textures change, as in a build from nothing. */
static void changed_settings_change_exactly_their_textures(void** state) {
    static const struct {
        const char *settings, *changed;
    } rows[] = {
        {"{ \"textures\": { \"paint\": { \"format\": \"rgba8\" } } }",
         "m/paint.texture m/paint_2.texture"},
        {"{ \"textures\": { \"paint\": { \"format\": \"rgba8\" }, \"rough plates\": { "
         "\"largest\": 8 } } }",
         "m/rough_plates.texture"},
        {"{ \"textures\": { \"*\": { \"format\": \"rgba8\" } } }",
         "m/rough_plates.texture m/texture_2.texture"},
        {"{ \"textures\": { \"*\": { \"format\": \"rgba8\" } }, \"lods\": 0 }", ""},
        {NULL, "m/paint.texture m/paint_2.texture m/rough_plates.texture m/texture_2.texture"},
    };
    const char* folder = painted_model("model_textures_again_settings");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out --cache cache");
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        TEST_DONE(folder, "rm -rf before && cp -r out before");
        if (rows[i].settings)
            test_write_text(folder, "src/m.model.json", rows[i].settings);
        else
            TEST_DONE(folder, "rm src/m.model.json");
        TEST_DONE(folder, "entc build src -o out --cache cache && rm -rf new && "
                          "entc build src -o new && diff -r out new");
        EXPECT(folder, 0, "0 compiled, 0 from the cache", "entc build src -o out --cache cache -v");
        TEST_DONE(folder,
                  "changed=$(cd out && for f in $(find * -type f); do cmp -s $f ../before/$f || "
                  "echo $f; done | sort | paste -sd' ') && test \"$changed\" = '%s' || { echo "
                  "\"$changed\"; exit 1; }",
                  rows[i].changed);
    }
}

TEST_SUITE(model_textures) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_decide_how_the_images_of_a_model_are_compiled),
        cmocka_unit_test(samplers_of_a_model_are_those_of_its_textures),
        cmocka_unit_test(transforms_and_sets_of_coordinates_are_in_the_material),
        cmocka_unit_test(one_image_for_occlusion_and_roughness_is_one_texture),
        cmocka_unit_test(levels_of_a_masked_material_keep_its_coverage),
        cmocka_unit_test(images_in_buffers_and_data_uris_equal_those_in_files),
        cmocka_unit_test(image_of_a_model_with_four_inks_becomes_colors),
        cmocka_unit_test(changed_image_of_a_model_is_compiled_again),
        cmocka_unit_test(settings_of_a_model_change_its_textures),
        cmocka_unit_test(settings_of_textures_with_errors_are_reported),
        cmocka_unit_test(changed_settings_change_exactly_their_textures),
    };
    return TEST_RUN("model_textures", tests);
}
