/* test_header_examples.c - the comments of the installed headers: their examples are code that
 * compiles, in C11 and in C++17, and what they name exists for a host. */
#include <stdio.h>

#include "test.h"

#define INCLUDE TEST_BUILD "/include"
#define HEADERS "python3 tests/oracles/headers.py"

typedef struct Language {
    const char* name; /* of the file */
    const char* compiler;
} Language;

/* An example does not use everything that it shows. */
#define WARNINGS                                                                                   \
    "-Wall -Wextra -Werror -Wno-unused -Wno-unused-parameter -Wno-missing-field-initializers"

static const Language languages[] = {
    {"c", "gcc -std=c11 " WARNINGS},
    {"cc", "g++ -std=c++17 " WARNINGS},
};

/* Compiles the examples of the headers below `include`/ent; free with test_run_free. */
static TestRun examples_compile(const char* include, const Language* language) {
    const char* folder = test_folder("header_examples");
    return test_command(".",
                        HEADERS " examples '%s/ent' >'%s/all.%s' && %s '-I%s' -fsyntax-only "
                                "'%s/all.%s'",
                        include, folder, language->name, language->compiler, include, folder,
                        language->name);
}

static void examples_of_installed_headers_compile_in_c_and_cpp(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_NEEDS("g++");
    for (u32 i = 0; i < COUNT_OF(languages); i++) {
        TestRun run = examples_compile(INCLUDE, &languages[i]);
        if (run.code != 0) fail_msg("%s%s", run.out, run.err);
        test_run_free(&run);
    }
    /* Most headers have one. */
    TEST_DONE(".",
              "test $(" HEADERS " examples " INCLUDE "/ent | grep -c '^int example.*{') -gt 25");
}

/* A copy of the headers in which one is changed by sed. */
static const char* headers_changed(const char* name, const char* change) {
    static char folder[600];
    snprintf(folder, sizeof folder, "%s", test_folder("headers_changed"));
    TEST_DONE(".",
              "cp -r " INCLUDE "/ent '%s/ent' && sed -i '%s' '%s/ent/%s' && "
              "! cmp -s '%s/ent/%s' " INCLUDE "/ent/%s",
              folder, change, folder, name, folder, name, name);
    return folder;
}

static void example_with_a_stale_name_does_not_compile(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    const char* folder = headers_changed(
        "library.h", "s/^ \\*     \\(.*\\)ENT_RESOURCE_LEVEL/ *     \\1RESOURCE_LEVEL/");
    TestRun run = examples_compile(folder, &languages[0]);
    assert_int_not_equal(run.code, 0);
    assert_non_null(strstr(run.err, "library.h:"));
    test_run_free(&run);
}

static void names_in_installed_headers_exist_for_a_host(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    TestRun run = test_command(".", HEADERS " names " INCLUDE "/ent");
    assert_string_equal(run.out, "");
    assert_int_equal(run.code, 0);
    test_run_free(&run);
}

static void stale_names_in_comments_are_found(void** state) {
    static const struct {
        const char *change, *found;
    } rows[] = {
        {"1s/ - / - see shaders.h - /", "the header shaders.h is not installed"},
        {"1s/ - / - ENT_NO_SUCH_THING - /", "ENT_NO_SUCH_THING is in no installed header"},
        {"1s/ - / - ent_no_such_call - /", "ent_no_such_call is in no installed header"},
        {"1s/ - / - EntNoSuchType - /", "EntNoSuchType is in no installed header"},
        {"s/^ \\* Cost  *a hash lookup/ * and why. Cost     a hash lookup/",
         "a label within a line"},
    };
    UNUSED(state);
    TEST_NEEDS("python3");
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const char* folder = headers_changed("library.h", rows[i].change);
        EXPECT(".", 0, rows[i].found, HEADERS " names '%s/ent'", folder);
    }
}

TEST_SUITE(header_examples) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_installed_headers_compile_in_c_and_cpp),
        cmocka_unit_test(example_with_a_stale_name_does_not_compile),
        cmocka_unit_test(names_in_installed_headers_exist_for_a_host),
        cmocka_unit_test(stale_names_in_comments_are_found),
    };
    return TEST_RUN("header_examples", tests);
}
