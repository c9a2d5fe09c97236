/* test_features.c - models with one feature each, and textures: what entc reports, and every value
 * in comparison with readers that share no code with it. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

#define GOLDEN_NAME "features.txt"

/* The models are written and compiled once for all tests of the suite. */
static const char* features_folder(void) {
    static const char* folder;
    if (folder) return folder;
    folder = strdup(test_folder("features"));
    TEST_DONE(".", "python3 tests/support/make_features.py '%s/src'", folder);
    TEST_DONE(folder, "entc build src -o out 2>diagnostics");
    return folder;
}

/* The name of each model, and below it its diagnostics without the lines of the source. */
static void features_have_exactly_the_diagnostics_of_the_golden(void** state) {
    size_t size;
    UNUSED(state);
    TEST_NEEDS("python3");
    const char* folder = features_folder();
    TestRun     run = test_command(
            folder, "grep -hE '(warning|error): ' diagnostics >reported; for model in $(cd src && "
                        "LC_ALL=C ls | sed -nE 's/\\.gl(tf|b)$//p'); do echo $model; "
                        "sed -nE \"s,^src/$model\\.gl[a-z]+:,    ,p\" reported; done; "
                        "grep -vE '^src/' reported");
    char* golden = (char*)test_read("tests/golden/" GOLDEN_NAME, &size);
    if (getenv("GOLDEN"))
        test_write_text("tests/golden", GOLDEN_NAME, run.out);
    else if (!golden || strcmp(golden, run.out) != 0)
        fail_msg("tests/golden/" GOLDEN_NAME " differs; `make golden` and read the diff");
    free(golden);
    test_run_free(&run);
}

/* Both readers compare every model of src with what was compiled to out. `text`: the end of the
 * last line of the second one. */
static void models_compare(const char* folder, const char* text) {
    TEST_DONE(folder,
              "mkdir -p probes && for file in src/*.gl*; do model=$(basename ${file%%.*}); "
              "../../tool_probe src out $model >probes/$model.json || exit 1; "
              "echo $file probes/$model.json >>short; echo $file out probes/$model.json >>long; "
              "done");
    EXPECT(folder, 0, " values compared, 0 different\n",
           "python3 ../../../../tests/oracles/gltf_oracle.py $(cat short)");
    EXPECT(folder, 0, text, "python3 ../../../../tests/oracles/model_oracle.py $(cat long)");
}

static void compiled_features_equal_what_other_readers_find(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    /* the JPEG file is skipped */
    models_compare(features_folder(), " values compared, 0 different, 1 skipped\n");
}

static void random_models_equal_what_other_readers_find(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    const char* folder = test_folder("features_random");
    TEST_DONE(".", "python3 tests/support/make_random_models.py '%s/src' 1 60", folder);
    TEST_DONE(folder, "entc build src -o out");
    models_compare(folder, " values compared, 0 different\n");
}

static void first_level_of_a_texture_equals_its_image(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    const char* folder = features_folder();
    EXPECT(folder, 0, " values compared, 0 different\n",
           "python3 ../../../../tests/oracles/model_oracle.py --textures $(cd src && for file in "
           "*.texture.json; do name=${file%%.texture.json}; echo src/$name.png "
           "out/$name.texture; done)");
}

/* A model that is changed after it was compiled: the comparison reports the change. */
static void damaged_feature_is_reported_by_the_comparison(void** state) {
    static const struct {
        const char *model, *change, *report; /* `change`: a command in the folder of the copy */
    } rows[] = {
        {"material_factors", "sed -i 's/0.6,*$/0.7/' $f", "materials[0].roughness"},
        {"emissive_strength", "sed -i 's/12.5/12.25/' $f", "materials[0].emissive"},
        {"alpha_mask", "sed -i 's/0.3/0.30001/' $f", "materials[0].alpha_cutoff"},
        {"texture_transform", "sed -i 's/0.3$/0.4/; s/0.3,/0.4,/' $f", "base_color.rotation_rad"},
        {"slot_normal", "sed -i 's/0.75/0.5/' $f", "normal.strength"},
        /* as if the tangents had been computed without the transform */
        {"slot_normal",
         "sed -i 's/\"scale\": 0.75/&, \"extensions\": { \"KHR_texture_transform\": { "
         "\"rotation\": "
         "1 } }/' $f",
         "corner 0: the tangent"},
        {"magnify_nearest", "sed -i 's/9728/9729/' $f", "magnify"},
        {"wrap_v_mirror", "sed -i 's/33648/33071/' $f", "wrap_v"},
        {"image_file", "cp ../src/plain_rgba.png 'image in a file.png'", ".size"},
        {"image_file", "cp ../src/blocks_of_normals.png 'image in a file.png'", ".size"},
        {"morph_mesh_weights", "sed -i 's/0.25, 0.75/0.25, 0.5/' $f", "morph_target[1].weight"},
        {"morph_node_weights", "sed -i 's/0.25, 0.5/0.25, 0.625/' $f", "morph_weight"},
        {"morph_names", "sed -i 's/left eye/eye/' $f", "morph_target[1].name"},
        {"weights_linear", "sed -i 's/LINEAR/STEP/' $f", "morph_track[0].interpolation"},
        {"extras_of_fields", "sed -i 's/: 30/: 31/' $f", "light.range_m"},
        {"camera_perspective", "sed -i 's/0.125/0.25/' $f", "camera.near_m"},
        /* the first number of the buffer, x of a position: -0.5 becomes 0.5 */
        {"plain_grid", "sed -i 's/base64,AAAAvw/base64,AAAAPw/' $f", "is missing"},
        /* one of the buffer in a file: the lowest byte of the sixth number */
        {"buffer_file", "printf '\\001' | dd of=buffer_file.bin bs=1 seek=20 conv=notrunc",
         "is missing"},
        {"color_u16_rgba", "sed -i 's/\"COLOR_0\"/\"COLOR_1\"/' $f", "has color"},
        {"joints_1_f32", "sed -i 's/JOINTS_1/_ID/' $f", "weights"},
    };
    UNUSED(state);
    TEST_NEEDS("python3");
    const char* folder = features_folder();
    for (u32 i = 0; i < COUNT_OF(rows); i++)
        EXPECT(
            folder, 1, rows[i].report,
            "rm -rf copy && mkdir copy && cp src/%s.gltf src/*.bin src/image*.png copy && cd copy "
            "&& f=%s.gltf && cp $f before && { %s; } && cd .. && ../../tool_probe src out %s "
            ">probe.json && python3 ../../../../tests/oracles/model_oracle.py copy/%s.gltf out "
            "probe.json",
            rows[i].model, rows[i].model, rows[i].change, rows[i].model, rows[i].model);
}

TEST_SUITE(features) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_have_exactly_the_diagnostics_of_the_golden),
        cmocka_unit_test(compiled_features_equal_what_other_readers_find),
        cmocka_unit_test(random_models_equal_what_other_readers_find),
        cmocka_unit_test(first_level_of_a_texture_equals_its_image),
        cmocka_unit_test(damaged_feature_is_reported_by_the_comparison),
    };
    return TEST_RUN("features", tests);
}
