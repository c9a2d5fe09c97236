/* test_install.c - `make install` as a host of libent uses it: the installed files, the exported
 * symbols, and programs in C and C++ that build with pkg-config and nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "file.h"
#include "markdown.h"
#include "test.h"
#include "version.h"

#define PREFIX "/opt/ent"
#define MAKE   "unset MAKEFLAGS MFLAGS MAKELEVEL; make -s BUILD=" TEST_BUILD " config=${config##*/} "

static char stage[600]; /* DESTDIR of an install, once it was created */

static const char* installed(void) {
    if (*stage) return stage;
    snprintf(stage, sizeof stage, "%s", test_folder("install/stage"));
    TEST_DONE(".", "config=" TEST_BUILD "; " MAKE "install DESTDIR='%s' PREFIX=" PREFIX, stage);
    return stage;
}

static const char* prefix(void) {
    static char path[700];
    snprintf(path, sizeof path, "%s" PREFIX, installed());
    return path;
}

static const char* repository(void) {
    static char path[400];
    assert_non_null(getcwd(path, sizeof path));
    return path;
}

/* --- the installed files --- */

static void installed_files_are_complete(void** state) {
    static const char* const names[] = {
        "bin/entc",
        "bin/entrun",
        "lib/libent.a",
        "lib/libent_gpu.a",
        ("lib/libent.so." ENT_VERSION),
        "include/ent/ent.h",
        "include/ent/gpu.h",
        "include/ent/canvas.h",
        "include/ent/gpu_picture.h",
        "include/ent/jobs.h",
        "include/ent/version.h",
        "lib/pkgconfig/libent.pc",
        "lib/pkgconfig/libent_gpu.pc",
        "lib/cmake/ent/ent-config.cmake",
        "lib/cmake/ent/ent-config-version.cmake",
        "share/man/man1/entc.1",
        "share/man/man1/entrun.1",
        "share/bash-completion/completions/entc",
        "share/bash-completion/completions/entrun",
        "share/zsh/site-functions/_entc",
        "share/zsh/site-functions/_entrun",
        "share/fish/vendor_completions.d/entc.fish",
        "share/fish/vendor_completions.d/entrun.fish",
        "share/doc/entc/formats/FORMAT.md",
        "share/doc/entc/formats/RECORDS.md",
        "share/entc/diagnostics.schema.json",
        "share/entc/entc_blender.py",
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(names); i++) TEST_DONE(prefix(), "test -s %s", names[i]);
    TEST_DONE(prefix(), "test \"$(readlink -f lib/libent.so)\" = \"$PWD/lib/libent.so." ENT_VERSION
                        "\" && test -L lib/libent.so.0.2");
    TEST_DONE(prefix(), "grep -q '^.TH ENTC 1 .*entc " ENT_VERSION "' share/man/man1/entc.1");
    TEST_DONE(prefix(), "bin/entc --version | grep -q '^entc " ENT_VERSION ",'");
    /* No installed file contains the path of the build folder. */
    TEST_DONE(prefix(), "! grep -rl '%s' lib/pkgconfig share", stage);
}

/* The files below `folder` before the install and after the uninstall are the same. */
static void expect_uninstall_removes(const char* folder, const char* values) {
    char* before = test_tree(folder);
    TEST_DONE(".", "config=" TEST_BUILD "; " MAKE "install DESTDIR='%s' %s", folder, values);
    char* between = test_tree(folder);
    assert_true(strlen(between) > strlen(before) + 1000);
    TEST_DONE(".", "config=" TEST_BUILD "; " MAKE "uninstall DESTDIR='%s' %s", folder, values);
    char* after = test_tree(folder);
    assert_string_equal(after, before);
    free(before);
    free(between);
    free(after);
}

static void uninstall_after_install_leaves_only_foreign_files(void** state) {
    const char* folder = test_folder("install/gone");
    UNUSED(state);
    TEST_DONE(folder, "mkdir -p usr/share/man/man1 usr/lib/cmake usr/share/doc/entc/formats && "
                      "for f in man/man1/other.1 doc/entc/formats/notes.txt; do "
                      "echo theirs >usr/share/$f; done && echo theirs >usr/lib/cmake/other.cmake");
    expect_uninstall_removes(folder, "PREFIX=/usr LIBDIR=lib/x86_64-linux-gnu");
    TEST_DONE(folder, "rm -r usr/share/doc");
    expect_uninstall_removes(folder, "PREFIX=/opt/games LIBDIR=/usr/lib64");
    TEST_DONE(folder, "test -z \"$(find . -name 'libent*' -o -name ent -o -name entc)\"");
}

static void installed_binaries_contain_no_debug_information(void** state) {
    static const char* const names[] = {"bin/entc", "bin/entrun", "lib/libent.so", "lib/libent.a",
                                        "lib/libent_gpu.a"};
    UNUSED(state);
    TEST_NEEDS("readelf");
    if (strcmp(TEST_BUILD, "build/release") != 0)
        TEST_SKIP("only a release is stripped when it is installed");
    for (u32 i = 0; i < COUNT_OF(names); i++)
        TEST_DONE(prefix(), "! readelf -SW %s | grep -F .debug_", names[i]);
}

/* --- ldconfig --- */

/* The loader finds a library in a folder that it searches after ldconfig has run. A staged tree is a
 * package: the loader's list on this machine does not concern it. */
static void install_runs_ldconfig_only_without_destdir(void** state) {
    char        folder[600];
    const char* install = "config=" TEST_BUILD "; " MAKE
                          "install STRIP=: PREFIX='%s/usr' LDCONFIG='%s/ldconfig' DESTDIR='%s'";
    UNUSED(state);
    snprintf(folder, sizeof folder, "%s", test_folder("install/loader"));
    test_write_text(folder, "ldconfig",
                    "#!/bin/sh\ncd \"${0%/*}\" && ls usr/lib/libent.so.0.2 >>ran\n");
    TEST_DONE(folder, "chmod +x ldconfig && mkdir stage");
    char stage_of[700];
    snprintf(stage_of, sizeof stage_of, "%s/stage", folder);
    TEST_DONE(".", install, folder, folder, stage_of);
    TEST_DONE(folder, "test ! -e ran && test -e stage/*/");
    TEST_DONE(".", install, folder, folder, "");
    TEST_DONE(folder, "test \"$(cat ran)\" = usr/lib/libent.so.0.2");
    TEST_DONE(folder, "readelf -SW usr/bin/entc | grep -qF .debug_info"); /* STRIP=: */
    /* An install by a user who may not write the loader's list is complete, and states what to do. */
    test_write_text(folder, "ldconfig", "#!/bin/sh\nexit 1\n");
    TestRun run = test_command(".", install, folder, folder, "");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "link with -Wl,-rpath,"));
    test_run_free(&run);
}

/* With that variable, a test would not see what a user without it sees. */
static void tests_of_installed_trees_set_no_library_path(void** state) {
    UNUSED(state);
    /* test_build.c replaces a library of the system. */
    TEST_DONE(
        ".",
        "! grep -rnE 'LD_LIBRARY_[P]ATH' --exclude=test_build.c tests .ci Makefile *.md */*.md");
}

/* --- pages --- */

static void link_check(void* user, const char* target, u32 line) {
    const Page* page = user;
    char        path[1024];
    const int   folder_bytes = (int)(strrchr(page->path, '/') - page->path);
    if (strstr(target, "://") || *target == '#') return;
    snprintf(path, sizeof path, "%.*s/%.*s", folder_bytes, page->path, (int)strcspn(target, "#"),
             target);
    if (access(path, F_OK) != 0) fail_msg("%s:%u: there is no %s", page->path, line, path);
}

/* Pages are installed in the folders that they have in the repository, and so is what they link
 * to. */
static void links_of_installed_pages_resolve(void** state) {
    u32 count = 0;
    UNUSED(state);
    TEST_DONE(prefix(),
              "cd share/doc/entc && cmp LICENSE '%s/LICENSE' && test -s CHANGELOG.md && "
              "test -s compiler/TUTORIAL.md && test -s README.md",
              repository());
    TestRun run = test_command(prefix(), "find \"$PWD/share/doc/entc\" -name '*.md'");
    for (char* path = strtok(run.out, "\n"); path; path = strtok(NULL, "\n"), count++) {
        Page page;
        page_open(&page, path);
        page_links(&page, link_check, &page);
        page_close(&page);
    }
    assert_true(count > 20);
    test_run_free(&run);
}

/* --- headers and symbols --- */

static void installed_headers_include_only_each_other_and_standard_ones(void** state) {
    UNUSED(state);
    TestRun run = test_command(
        prefix(), "cd include/ent && test $(ls | wc -l) -gt 20 && grep -HoE '^ *# *include "
                  "*[\"<][^\">]*' *.h | "
                  "sed 's/ *# *include *//' | while IFS=: read -r file name; do case $name in "
                  "'<'std*.h|'<'string.h|'<'math.h|'<'limits.h|'<'float.h|'<'stddef.h) ;; "
                  "'<'std*|'<'string.h*|'<'math.h*) ;; '\"'*) test -e \"${name#?}\" || echo "
                  "\"$file $name\" ;; "
                  "'<'vulkan/vulkan_core.h) test $file = gpu_vulkan.h || echo \"$file $name\" ;; "
                  "*) echo \"$file $name\" ;; esac; done");
    assert_int_equal(run.code, 0);
    assert_string_equal(run.out, "");
    test_run_free(&run);
}

static void installed_libraries_export_only_ent_symbols(void** state) {
    static const char* const commands[] = {"nm -D --defined-only lib/libent.so",
                                           "nm -g --defined-only lib/libent.a"};
    UNUSED(state);
    TEST_NEEDS("nm");
    for (u32 i = 0; i < COUNT_OF(commands); i++) {
        TestRun run = test_command(prefix(), "%s | awk 'NF == 3 { print $3 }' | grep -v __odr_asan",
                                   commands[i]);
        u32     count = 0;
        for (char* name = strtok(run.out, "\n"); name; name = strtok(NULL, "\n"), count++) {
            if (strncmp(name, "ent_", 4) != 0) fail_msg("%s: %s", commands[i], name);
        }
        assert_true(count > 20);
        test_run_free(&run);
    }
    TestRun run = test_command(prefix(), "readelf -d lib/libent.so");
    assert_non_null(strstr(run.out, "Library soname: [libent.so.0.2]"));
    test_run_free(&run);
}

/* --- consumers --- */

/* Valid C11 and C++17. */
static const char consumer[] =
    "#include <ent/ent.h>\n"
    "#include <stdio.h>\n"
    "static void sum_up(void* user, uint32_t first, uint32_t end, uint32_t worker) {\n"
    "    for (uint32_t i = first; i < end; i++) ((unsigned*)user)[worker] += i;\n"
    "}\n"
    "int main(int argc, char** argv) {\n"
    "    EntResource  level;\n"
    "    EntWorld*    world;\n"
    "    EntBlobFault fault;\n"
    "    if (argc != 2) return 1;\n"
    "    const EntStatus status = ent_resource_open(&level, argv[1], NULL, &fault);\n"
    "    if (status != ENT_OK) return printf(\"%s\\n\", ent_status_text(status)), 2;\n"
    "    if (ent_world_create(&world, NULL) != ENT_OK) return 3;\n"
    "    if (ent_world_spawn(world, &level.blob, NULL, NULL) != ENT_OK) return 4;\n"
    "    const EntLightRows lights = ent_light_rows(world);\n"
    "    const EntTransformRows transforms = ent_transform_rows(world);\n"
    "    if (lights.count != 1 || transforms.count != 1) return 5;\n"
    "    EntJobPool* pool = ent_job_pool_create(1, NULL);\n"
    "    EntJobGroup group = {0, 0};\n"
    "    unsigned sum[2] = {0, 0};\n"
    "    if (!pool) return 6;\n"
    "    ent_job_dispatch(pool, &group, 1000, 7, sum_up, sum);\n"
    "    ent_job_wait(pool, &group);\n"
    "    ent_job_pool_destroy(pool);\n"
    "    if (sum[0] + sum[1] != 499500) return 7;\n"
    "    printf(\"%u %g %g %s\\n\", ent_entity_count(world), (double)lights.record[0].range_m,\n"
    "           (double)transforms.position[0].y, ent_version());\n"
    "    ent_world_destroy(world);\n"
    "    ent_resource_close(&level);\n"
    "    return 0;\n"
    "}\n";

static const char level[] =
    "{ \"entities\": [ { \"name\": \"a\" }, { \"name\": \"b\", \"components\": {\n"
    "    \"transform\": { \"position\": [0, 2.5, 0] }, \"light\": { \"range_m\": 12 } },\n"
    "    \"children\": [ { \"name\": \"c\" } ] } ] }\n";

/* A folder with the level compiled by the installed entc, and the source of the consumer. */
static void consumer_write(const char* folder) {
    test_write_text(folder, "src/x.level.json", level);
    test_write_text(folder, "main.c", consumer);
    test_write_text(folder, "main.cc", consumer);
    TEST_DONE(folder, "'%s/bin/entc' build src -o out && '%s/bin/entrun' out --level x", prefix(),
              prefix());
}

/* Builds with the output of pkg-config for the install below `root`, and without any other
 * option. */
static void consumer_check(const char* folder, const char* compiler, const char* source,
                           const char* root, const char* form) {
    const char* sanitize = SANITIZED ? "-fsanitize=address,undefined" : "";
    TEST_DONE(folder,
              "export PKG_CONFIG_SYSROOT_DIR='%s' PKG_CONFIG_LIBDIR='%s" PREFIX
              "/lib/pkgconfig' && "
              "eval %s %s -Wall -Wextra -Wpedantic -Wconversion -Werror %s "
              "$(pkg-config --cflags %s --libs libent) -Wl,-rpath,'%s" PREFIX "/lib' -o program",
              root, root, compiler, sanitize, source, form, root);
    TestRun run = test_command(folder, "./program out/x.level");
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, "3 12 2.5 " ENT_VERSION "\n");
    assert_int_equal(run.code, 0);
    test_run_free(&run);
}

static void consumer_in_c_and_cpp_builds_with_pkg_config_and_runs(void** state) {
    char folder[600], alone[700];
    UNUSED(state);
    TEST_NEEDS("pkg-config");
    TEST_NEEDS("g++");
    installed();
    snprintf(folder, sizeof folder, "%s", test_folder("install/consumer"));
    consumer_write(folder);
    consumer_check(folder, "gcc -std=c11", "main.c", stage, "");
    TEST_DONE(folder, "readelf -d program | grep -q 'NEEDED.*libent.so.0.2'");
    consumer_check(folder, "g++ -std=c++17", "main.cc", stage, "");
    /* Where only the archive is installed, --static adds the libraries that it needs. */
    snprintf(alone, sizeof alone, "%s/alone", folder);
    TEST_DONE(folder, "cp -r '%s' alone && rm alone" PREFIX "/lib/libent.so*", stage);
    consumer_check(folder, "gcc -std=c11", "main.c", alone, "--static");
    TEST_DONE(folder, "! readelf -d program | grep -q libent");
    consumer_check(folder, "g++ -std=c++17", "main.cc", alone, "--static");
}

static const char gpu_consumer[] =
    "#include <ent/canvas.h>\n"
    "#include <stdio.h>\n"
    "int main(void) {\n"
    "    EntGpu* gpu;\n"
    "    EntCanvas* canvas;\n"
    "    const EntCanvasDesc size = {8, 8, 1, ENT_GPU_TIMES_NONE};\n"
    "    const EntStatus status = ent_gpu_create(&gpu, NULL);\n"
    "    if (status == ENT_NO_DEVICE) return printf(\"none\\n\") < 0;\n"
    "    if (status != ENT_OK || ent_canvas_create(&canvas, gpu, &size) != ENT_OK) return 2;\n"
    "    ent_canvas_destroy(canvas);\n"
    "    ent_gpu_destroy(gpu);\n"
    "    return printf(\"drawn\\n\") < 0;\n"
    "}\n";

/* A host with GPU systems also starts on a machine without a GPU. */
static void consumer_of_gpu_library_builds_with_pkg_config_and_runs(void** state) {
    char        folder[600];
    const char* sanitize = SANITIZED ? "-fsanitize=address,undefined" : "";
    UNUSED(state);
    TEST_NEEDS("pkg-config");
    TEST_NEEDS("g++");
    installed();
    snprintf(folder, sizeof folder, "%s", test_folder("install/gpu"));
    test_write_text(folder, "main.c", gpu_consumer);
    test_write_text(folder, "main.cc", gpu_consumer);
    for (u32 i = 0; i < 2; i++) {
        TEST_DONE(folder,
                  "export PKG_CONFIG_SYSROOT_DIR='%s' PKG_CONFIG_LIBDIR='%s" PREFIX
                  "/lib/pkgconfig' && %s %s -Wall -Wextra -Wpedantic -Wconversion -Werror "
                  "$(pkg-config --cflags --libs libent_gpu) -Wl,-rpath,'%s" PREFIX
                  "/lib' -o program && ! readelf -d program | grep -q vulkan",
                  stage, stage, i ? "g++ -std=c++17 main.cc" : "gcc -std=c11 main.c", sanitize,
                  stage);
        EXPECT(folder, 0, "none",
               "VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent ./program");
    }
}

/* Builds with find_package for the install below `root`. */
static void cmake_check(const char* folder, const char* root) {
    const char* sanitize = SANITIZED ? "-fsanitize=address,undefined" : "";
    test_write_text(folder, "CMakeLists.txt",
                    "cmake_minimum_required(VERSION 3.13)\n"
                    "project(host C)\n"
                    "find_package(ent " ENT_VERSION " REQUIRED)\n"
                    "find_package(ent 0.9 QUIET)\n"
                    "if(ent_FOUND)\n  message(FATAL_ERROR \"0.9 is not installed\")\nendif()\n"
                    "add_executable(program main.c)\n"
                    "target_link_libraries(program ent::ent)\n"
                    "add_executable(with_gpu main.c)\n"
                    "target_link_libraries(with_gpu ent::gpu)\n");
    TEST_DONE(folder,
              "cmake -S . -B made -DCMAKE_PREFIX_PATH='%s' -DCMAKE_C_FLAGS='%s' "
              "-DCMAKE_LIBRARY_ARCHITECTURE=x86_64-linux-gnu >log && cmake --build made >log",
              root, sanitize);
    TestRun run = test_command(folder, "./made/program out/x.level && ./made/with_gpu out/x.level");
    assert_string_equal(run.out, "3 12 2.5 " ENT_VERSION "\n3 12 2.5 " ENT_VERSION "\n");
    assert_int_equal(run.code, 0);
    test_run_free(&run);
}

static void cmake_host_using_installed_package_builds_and_runs(void** state) {
    char folder[600];
    UNUSED(state);
    TEST_NEEDS("cmake");
    installed();
    snprintf(folder, sizeof folder, "%s", test_folder("install/cmake"));
    consumer_write(folder);
    cmake_check(folder, prefix());
}

/* LIBDIR decides where the libraries, the files of pkg-config and those of cmake are. */
static void hosts_of_a_multiarch_install_build_and_run(void** state) {
    char        folder[600], root[700];
    const char* sanitize = SANITIZED ? "-fsanitize=address,undefined" : "";
    UNUSED(state);
    TEST_NEEDS("cmake");
    TEST_NEEDS("pkg-config");
    installed();
    snprintf(folder, sizeof folder, "%s", test_folder("install/multiarch"));
    snprintf(root, sizeof root, "%s/usr", folder);
    consumer_write(folder);
    TEST_DONE(".",
              "config=" TEST_BUILD "; " MAKE
              "install DESTDIR='%s' PREFIX=/usr LIBDIR=lib/x86_64-linux-gnu",
              folder);
    TEST_DONE(root, "test $(ls lib) = x86_64-linux-gnu && test -L lib/*/libent.so.0.2");
    TEST_DONE(folder,
              "export PKG_CONFIG_SYSROOT_DIR=\"$PWD\" "
              "PKG_CONFIG_LIBDIR=\"$PWD/usr/lib/x86_64-linux-gnu/pkgconfig\" && "
              "gcc main.c %s $(pkg-config --cflags --libs libent) "
              "-Wl,-rpath,\"$PWD/usr/lib/x86_64-linux-gnu\" "
              "-o program && ./program out/x.level && pkg-config --variable=libdir libent_gpu | "
              "grep -q 'usr/lib/x86_64-linux-gnu$'",
              sanitize);
    cmake_check(folder, root);
}

static void versions_of_install_and_pkg_config_are_equal(void** state) {
    UNUSED(state);
    TEST_NEEDS("pkg-config");
    TEST_DONE(prefix(),
              "test \"$(PKG_CONFIG_LIBDIR=lib/pkgconfig pkg-config --modversion libent)\" "
              "= " ENT_VERSION);
    TEST_DONE(prefix(), "strings -a bin/entc | grep -q '" ENT_VERSION "'");
}

TEST_SUITE(install) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(installed_files_are_complete),
        cmocka_unit_test(uninstall_after_install_leaves_only_foreign_files),
        cmocka_unit_test(installed_binaries_contain_no_debug_information),
        cmocka_unit_test(install_runs_ldconfig_only_without_destdir),
        cmocka_unit_test(tests_of_installed_trees_set_no_library_path),
        cmocka_unit_test(links_of_installed_pages_resolve),
        cmocka_unit_test(installed_headers_include_only_each_other_and_standard_ones),
        cmocka_unit_test(installed_libraries_export_only_ent_symbols),
        cmocka_unit_test(consumer_in_c_and_cpp_builds_with_pkg_config_and_runs),
        cmocka_unit_test(consumer_of_gpu_library_builds_with_pkg_config_and_runs),
        cmocka_unit_test(cmake_host_using_installed_package_builds_and_runs),
        cmocka_unit_test(hosts_of_a_multiarch_install_build_and_run),
        cmocka_unit_test(versions_of_install_and_pkg_config_are_equal),
    };
    return TEST_RUN("install", tests);
}
