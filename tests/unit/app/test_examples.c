/* test_examples.c - the programs of runtime/app/examples: what they print about the town, and what
 * the README shows of them.
 *
 * Nothing is built here, but each compiler checks the sources. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

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

static void examples_compiled_as_c_and_cpp_give_no_warning(void** state) {
    static const char* const compilers[] = {"gcc -std=c11", "clang -std=c11",
                                            "g++ -std=c++17 -x c++", "clang++ -std=c++17 -x c++"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(compilers); i++) {
        const char* form = compilers[i];
        TEST_DONE(".",
                  "compiler='%s'; command -v ${compiler%%%% *} >/dev/null || exit 0; "
                  "for file in runtime/app/examples/spawn_level.c "
                  "runtime/app/examples/own_manager.c; do "
                  "$compiler -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fsyntax-only "
                  "-I" TEST_BUILD "/include $file || exit 1; done",
                  form);
    }
}

/* --- the section of the README --- */

#define SECTION "\n## A host's first hour\n"

/* A line without surrounding white space. Changes the line. */
static char* trimmed(char* line) {
    while (*line == ' ') line++;
    size_t end = strlen(line);
    while (end > 0 && line[end - 1] == ' ') end--;
    line[end] = 0;
    return line;
}

/* Is this, apart from surrounding white space, a line of one of the programs? */
static bool is_in_an_example(const char* line) {
    static const char* const names[] = {"spawn_level", "own_manager", "hot_reload"};
    bool                     found = false;
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        char   path[128];
        size_t size;
        snprintf(path, sizeof path, "runtime/app/examples/%s.c", names[i]);
        char* text = (char*)test_read(path, &size);
        assert_non_null(text);
        for (char* at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) {
            found |= strcmp(trimmed(at), line) == 0;
        }
        free(text);
    }
    return found;
}

/* The indented lines of the section are commands with their output, and lines of the programs. */
static void readme_section_on_examples_matches_sources_and_output(void** state) {
    char*  folder = town("examples_readme");
    char   shown[8192] = "", printed[8192] = "";
    size_t size;
    u32    commands = 0, lines = 0;
    char*  page = (char*)test_read("README.md", &size);
    UNUSED(state);
    assert_non_null(page);
    char* section = strstr(page, SECTION);
    assert_non_null(section);
    section += strlen(SECTION);
    char* end = strstr(section, "\n## ");
    assert_non_null(end);
    *end = 0;
    bool transcript = false;
    for (char *line = section, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        if (strncmp(line, "    ", 4) != 0) {
            transcript = false;
        } else if (strncmp(line, "    $ ", 6) == 0) {
            TestRun run = test_command(folder, EXAMPLES "%s", line + 6);
            assert_int_equal(run.code, 0);
            strncat(printed, run.out, sizeof printed - strlen(printed) - 1);
            test_run_free(&run);
            transcript = true;
            commands++;
        } else if (transcript) {
            strncat(shown, line + 4, sizeof shown - strlen(shown) - 2);
            strcat(shown, "\n");
        } else {
            if (!is_in_an_example(trimmed(line))) fail_msg("no example has \"%s\"", line);
            lines++;
        }
    }
    assert_string_equal(shown, printed);
    assert_true(commands >= 2 && lines >= 8);
    free(page);
    free(folder);
}

TEST_SUITE(examples) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spawn_level_example_prints_entities_of_level_or_one_error),
        cmocka_unit_test(own_manager_example_prints_rows_of_component_or_one_error),
        cmocka_unit_test(examples_compiled_as_c_and_cpp_give_no_warning),
        cmocka_unit_test(readme_section_on_examples_matches_sources_and_output),
    };
    return TEST_RUN("examples", tests);
}
