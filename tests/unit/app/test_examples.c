/* test_examples.c - the programs of runtime/app/examples: what they print about the town.
 * runtime/EMBEDDING.md shows the same, which test_pages.c compares.
 *
 * Nothing is built here; each compiler only checks the sources. */
#include <stdio.h>
#include <stdlib.h>

#include "test_gpu_support.h"

#define EXAMPLES "PATH=\"$(dirname $(command -v entc))/examples:$PATH\"; "

static const char flies[] = "59 entities, 7 levels deep\n"
                            "9 lights, 5 of them cast shadows\n"
                            "the ball is at 2 4 3\n"
                            "the ball is at 2 -2.13125 2\n"
                            "the ball is at 2 -18.0725 1\n";

static const char breaks[] =
    "5 of 59 entities can break\n"
    "after 1 s: 1 broken, 4 rows left; the target is row 1, its bar at 39\n"
    "after 2 s: 2 broken, 3 rows left; the target is row 1, its bar at 37.5\n"
    "after 3 s: 2 broken, 3 rows left; the target is row 1, its bar at 35.75\n"
    "after 4 s: 3 broken, 2 rows left; the target is gone\n";

/* A folder with the town compiled in out/. The caller frees the path. */
static char* town(const char* name) {
    char* folder = strdup(test_folder(name));
    TEST_DONE(".", "entc build assets -o '%s/out' -q", folder);
    if (!HOST_IS_LITTLE) TEST_DONE(".", "entc build assets -o '%s/out' -q --target big", folder);
    return folder;
}

static void expect_output(const char* folder, const char* command, int code, const char* out,
                          const char* err) {
    TestRun run = test_command(folder, EXAMPLES "%s", command);
    assert_string_equal(run.err, err);
    assert_string_equal(run.out, out);
    assert_int_equal(run.code, code);
    test_run_free(&run);
}

static void spawn_level_example_prints_entities_of_level_or_one_error(void** state) {
    char* folder = town("examples_spawn");
    UNUSED(state);
    expect_output(folder, "spawn_level out levels/town", 0, flies, "");
    expect_output(folder, "entc pack out -o all.pak >packed; spawn_level all.pak levels/town", 0,
                  flies, "");
    expect_output(folder, "spawn_level", 1, "", "usage: spawn_level OUT NAME\n");
    expect_output(folder, "spawn_level nix levels/town", 1, "", "\"nix\": no such file\n");
    expect_output(folder, "spawn_level out levels/nix", 1, "",
                  "\"out/levels/nix.level\": no such file\n");
    free(folder);
}

static void own_manager_example_prints_rows_of_component_or_one_error(void** state) {
    char* folder = town("examples_manager");
    UNUSED(state);
    expect_output(folder, "own_manager out levels/town gameplay/health", 0, breaks, "");
    expect_output(folder, "own_manager out levels/town gameplay/nix", 1, "",
                  "\"out/gameplay/nix.component\": no such file\n");
    free(folder);
}

/* In one submission a frame, on a device of the host, while the validation layer checks it. */
static void host_device_example_reads_fluid_and_visible_meshes(void** state) {
    char*    folder = town("examples_device");
    unsigned visible, meshes, banners;
    float    lowest_m, highest_m;
    UNUSED(state);
    gpu_for_test();
    if (SANITIZED) setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
    TestRun run = test_command(folder,
                               EXAMPLES "VK_INSTANCE_LAYERS=%s "
                                        "VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_"
                                        "SYNCHRONIZATION_VALIDATION_EXT "
                                        "host_device out levels/town",
                               getenv("ENT_TEST_NO_LAYER") ? "" : "VK_LAYER_KHRONOS_validation");
    assert_string_equal(run.err, "");
    if (sscanf(run.out,
               "the lowest particle is at %f m, %u of %u meshes are in view, the highest "
               "of %u banners reaches %f m",
               &lowest_m, &visible, &meshes, &banners, &highest_m) != 5 ||
        strchr(run.out, '\n') != strrchr(run.out, '\n'))
        fail_msg("%s", run.out);
    assert_true(lowest_m < -1 &&
                lowest_m > -1.5f); /* 0.48 s of free fall, and their own pressure */
    assert_int_equal(meshes, 14 + 99);
    assert_int_equal(banners, 100);
    assert_in_range(visible, 8, 14 + 99);
    assert_true(highest_m > 0.5f && highest_m < 20);
    test_run_free(&run);
    expect_output(folder, "VK_DRIVER_FILES=/nothing host_device out levels/town", 1, "",
                  "host_device: vkCreateInstance(&instance, NULL, &gpu_host.instance) failed\n");
    free(folder);
}

static void examples_compiled_as_c_and_cpp_give_no_warning(void** state) {
    static const char* const compilers[] = {"gcc -std=c11", "clang -std=c11",
                                            "g++ -std=c++17 -x c++", "clang++ -std=c++17 -x c++"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(compilers); i++) {
        const char* form = compilers[i];
        TEST_DONE(".",
                  "compiler='%s'; command -v ${compiler%%%% *} >/dev/null || exit 0; "
                  "$compiler -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fsyntax-only "
                  "-I" TEST_BUILD "/include runtime/app/examples/spawn_level.c",
                  form);
        if (i < 2) /* they use forms of C that C++ does not have */
            TEST_DONE(".",
                      "compiler='%s'; command -v ${compiler%%%% *} >/dev/null || exit 0; "
                      "for file in own_manager host_device; do "
                      "$compiler -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "
                      "-fsyntax-only -I" TEST_BUILD "/include -I" TEST_BUILD
                      "/runtime/app/examples runtime/app/examples/$file.c || exit 1; done",
                      form);
    }
}

TEST_SUITE(examples) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spawn_level_example_prints_entities_of_level_or_one_error),
        cmocka_unit_test(own_manager_example_prints_rows_of_component_or_one_error),
        cmocka_unit_test(host_device_example_reads_fluid_and_visible_meshes),
        cmocka_unit_test(examples_compiled_as_c_and_cpp_give_no_warning),
    };
    return gpu_suite_end(TEST_RUN("examples", tests));
}
