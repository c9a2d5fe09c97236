/* test_diagnostics.c - diagnostics as programs read them: JSON lines that match the published
 * schema, SARIF that viewers accept, and at most as many annotations as GitHub shows. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

/* python3 with the validator of JSON Schema, or NULL: Debian's contains it, another one may not. */
static const char* python(void) {
    static const char* const names[] = {"/usr/bin/python3", "python3"};
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        TestRun    run = test_command(".", "%s -c 'import jsonschema'", names[i]);
        const bool works = run.code == 0;
        test_run_free(&run);
        if (works) return names[i];
    }
    return NULL;
}

static void diagnostics_of_error_cases_in_each_format_match_schema(void** state) {
    const char* folder = test_folder("diagnostics");
    const char* name = python();
    u32         runs = 0, count = 0, codes = 0;
    UNUSED(state);
    if (!name) TEST_SKIP("python3 with jsonschema is not installed");
    TestRun run = test_command(".",
                               "%s tests/oracles/diagnostics_forms.py " TEST_BUILD
                               "/entc formats/diagnostics.schema.json '%s' tests/cases/%s.txt",
                               name, folder, test_step(1, 8) == 1 ? "*" : "[dg]*");
    if (run.code != 0) fail_msg("%s%s", run.out, run.err);
    assert_int_equal(sscanf(run.out, "%u runs, %u diagnostics, %u codes", &runs, &count, &codes),
                     3);
    if (runs < 200 / test_step(1, 8) || count < 300 / test_step(1, 8) ||
        codes < 20 / test_step(1, 4))
        fail_msg("%s", run.out);
    test_run_free(&run);
}

/* A file with this number of errors, each on a separate line, after this number of warnings. */
static char* folder_with(const char* name, u32 errors, u32 warnings) {
    char*  folder = strdup(test_folder(name));
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    fputs("{ \"entities\": [\n", out);
    for (u32 i = 0; i < warnings + errors; i++) {
        fprintf(out,
                "  { \"components\": { \"transform\": { \"position\": [%u, 0, 0] }, %s } }%s\n",
                i * 10, i < warnings ? "\"fluid\": { \"step_s\": 0.5 }" : "\"lamp\": {}",
                i + 1 < warnings + errors ? "," : "");
    }
    fputs("] }\n", out);
    fclose(out);
    test_write_text(folder, "src/a.level.json", text);
    free(text);
    return folder;
}

static u32 count_of(const char* text, const char* part) {
    u32 count = 0;
    for (const char* at = text; (at = strstr(at, part)); at++) count++;
    return count;
}

static void github_format_with_many_errors_prints_ten_annotations(void** state) {
    static const struct {
        u32 errors, annotations, text;
    } rows[] = {{1, 1, 0}, {10, 10, 0}, {11, 10, 1}, {150, 10, 90}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        char    notice[100];
        char*   folder = folder_with("github", rows[i].errors, 0);
        TestRun run = test_command(folder, "entc build src -o out --diag-format github");
        snprintf(notice, sizeof notice,
                 "::notice title=entc::%u errors; 10 are shown as annotations, the other %u are in "
                 "the log\n",
                 rows[i].errors, rows[i].text);
        assert_int_equal(run.code, 3);
        assert_int_equal(count_of(run.err, "::error file=src/a.level.json,line="),
                         rows[i].annotations);
        assert_int_equal(count_of(run.err, ": error: unknown component type"), rows[i].text);
        assert_int_equal(count_of(run.err, notice), rows[i].text ? 1 : 0);
        test_run_free(&run);
        free(folder);
    }
}

/* In every format and by every command: standard output contains only the result of the command. */
static void diagnostics_in_each_format_are_printed_to_standard_error(void** state) {
    static const char* const commands[] = {"build src -o out",
                                           "compile src a.level -o a.level",
                                           "build src -o out --check",
                                           "build src -o out --dry-run",
                                           "codegen src",
                                           "schema src -o schemas",
                                           "deps src a.level",
                                           "refs src a.level",
                                           "unused src",
                                           "mv src a.level b.level",
                                           "rm src a.level",
                                           "build src -o out -v",
                                           "build src -o out --list-outputs",
                                           "mv src wind.component gust.component"};
    static const char* const forms[] = {"text", "json", "sarif", "github"};
    UNUSED(state);
    char* folder = folder_with("streams", 1, 0);
    test_write_text(folder, "src/wind.component.json", "{ \"fields\": {} }");
    for (u32 i = 0; i < COUNT_OF(commands); i++) {
        for (u32 k = i % test_step(1, 4); k < COUNT_OF(forms); k += test_step(1, 4)) {
            TestRun run = test_command(folder, "entc %s --diag-format %s", commands[i], forms[k]);
            if (strstr(run.out, "E0204") || !strstr(run.err, "E0204")) {
                fail_msg("%s, %s: %d\n%s\n%s", commands[i], forms[k], run.code, run.out, run.err);
            }
            test_run_free(&run);
        }
    }
    free(folder);
}

/* However many warnings there are, every error is printed that would be printed without them. */
static void errors_among_many_warnings_are_all_printed(void** state) {
    static const struct {
        u32         errors, warnings, shown;
        const char* end;
    } rows[] = {
        {0, 1, 1, "entc: 1 warning\n"},
        {0, 2, 2, "entc: 2 warnings\n"},
        {1, 2, 2, "entc: 1 error and 2 warnings\n"},
        {3, 150, 97, "entc: 53 more warnings are not shown\nentc: 3 errors and 150 warnings\n"},
        {0, 101, 100, "entc: 1 more warning is not shown\nentc: 101 warnings\n"},
        {102, 1, 0,
         "entc: 2 more errors and 1 warning are not shown\nentc: 102 errors and 1 warning\n"},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        char*   folder = folder_with("severities", rows[i].errors, rows[i].warnings);
        TestRun run = test_command(folder, "entc build src -o out");
        assert_int_equal(run.code, rows[i].errors ? 3 : 0);
        assert_int_equal(count_of(run.err, ": error: unknown component type"),
                         MIN_OF(rows[i].errors, 100u));
        assert_int_equal(count_of(run.err, ": warning: fluid: "), rows[i].shown);
        assert_non_null(strstr(run.err, rows[i].end));
        assert_string_equal(strstr(run.err, rows[i].end), rows[i].end);
        test_run_free(&run);
        free(folder);
    }
}

/* A build prints the warnings of a clean build, whatever there is to do and wherever results come
 * from. */
/* With --strict-models, remarks about models are errors, also after a build with warnings, and for a
 * model that a cache contains; an accepted kind is none. */
static void strict_models_report_errors_in_every_order_of_builds(void** state) {
    static const char strict[] = "[E0410]";
    char*             folder = strdup(test_folder("strict_models"));
    UNUSED(state);
    test_write_text(
        folder, "src/m.gltf",
        "{ \"asset\": { \"version\": \"2.0\" }, \"extras\": { \"a\": 1 },\n"
        "  \"materials\": [{ \"name\": \"red\" }], \"nodes\": [{ \"name\": \"a\" }] }\n");
    EXPECT(folder, 3, strict, "entc build src -o out --strict-models --cache cache");
    TEST_DONE(folder, "! test -e out/m.entity");
    EXPECT(folder, 0, "[W0410]", "entc build src -o out --cache cache");
    EXPECT(folder, 0, "[W0410]", "entc build src -o out --cache cache");
    EXPECT(folder, 0, "[W0410]", "entc build src -o other --cache cache");
    EXPECT(folder, 3, strict, "entc build src -o out --strict-models --cache cache");
    EXPECT(folder, 3, strict,
           "entc compile src m/red.material -o one --strict-models --cache cache");
    test_write_text(folder, "src/entc.json", "{ \"models\": { \"accept\": [\"extras\"] } }");
    EXPECT(folder, 0, " 2 unchanged, 0 removed",
           "entc build src -o out --strict-models --cache cache -v");
    test_write_text(folder, "src/entc.json", "{ \"models\": { \"accept\": [] } }");
    EXPECT(folder, 3, strict, "entc build src -o out --strict-models --cache cache");
    TEST_DONE(folder, "entc refs src m.entity 2> said && ! grep W0410 said");
    free(folder);
}

static void warnings_are_repeated_by_each_build_until_fixed(void** state) {
    static const char one[] = "entc: 1 warning\n";
    char*             folder = folder_with("warnings", 0, 1);
    UNUSED(state);
    EXPECT(folder, 0, one, "entc build src -o out --cache cache");
    EXPECT(folder, 0, one, "entc build src -o out --cache cache");
    EXPECT(folder, 0, one, "entc build src -o other --cache cache");
    EXPECT(folder, 0, one, "entc build src -o out --check");
    EXPECT(folder, 0, one, "entc build src -o out --dry-run");
    EXPECT(folder, 0, one, "entc compile src a.level -o a");
    EXPECT(folder, 0, "the last build reported warnings for it", "entc why src a.level -o out");
    EXPECT(folder, 0, "1 compiled, 0 from the cache, 0 written, 1 unchanged",
           "entc build src -o out -v --cache cache");
    TEST_DONE(folder, "entc refs src a.level 2>told && ! test -s told");
    TEST_DONE(folder, "sed -i s/0.5/0.001/ src/a.level.json && entc build src -o out 2>told && "
                      "! grep warning told");
    EXPECT(folder, 0, "0 compiled, 0 from the cache, 0 written, 1 unchanged",
           "entc build src -o out -v");
    free(folder);
}

/* A long level is compiled in slices by several threads. */
static void warnings_with_any_number_of_threads_are_equal(void** state) {
    char* folder = folder_with("warned_slices", 0, 20000);
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o a -j1 2>one && entc build src -o b -j4 2>four && "
                      "cmp one four && grep -q 'entc: 20000 warnings' one && diff -r a b");
    free(folder);
}

/* Colour on a terminal, unless it is disabled, and nowhere else. */
static void diagnostics_have_colour_only_on_terminal_that_allows_it(void** state) {
    static const struct {
        const char* set;
        bool        terminal, color;
    } rows[] = {
        {"TERM=xterm", true, true},
        {"TERM=xterm NO_COLOR=1", true, false},
        {"TERM=xterm NO_COLOR=", true, true},
        {"TERM=xterm CI=true", true, false},
        {"TERM=dumb", true, false},
        {"TERM=", true, false},
        {"TERM=xterm CI=true CLICOLOR_FORCE=1", true, true},
        {"TERM=xterm", false, false},
        {"TERM=xterm CLICOLOR_FORCE=0", false, false},
        {"TERM=dumb CLICOLOR_FORCE=1", false, true},
    };
    UNUSED(state);
    TEST_NEEDS_TERMINAL;
    char* folder = folder_with("colour", 1, 0);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        TestRun run =
            test_command(folder, "unset CI NO_COLOR; export %s; %s; cat typescript", rows[i].set,
                         rows[i].terminal ? "script -qc 'entc build src -o out' typescript"
                                          : "entc build src -o out 2> typescript");
        assert_non_null(strstr(run.out, "unknown component type"));
        if (!!strchr(run.out, '\033') != rows[i].color) fail_msg("%s: %s", rows[i].set, run.out);
        test_run_free(&run);
    }
    free(folder);
}

TEST_SUITE(diagnostics) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diagnostics_of_error_cases_in_each_format_match_schema),
        cmocka_unit_test(github_format_with_many_errors_prints_ten_annotations),
        cmocka_unit_test(diagnostics_in_each_format_are_printed_to_standard_error),
        cmocka_unit_test(errors_among_many_warnings_are_all_printed),
        cmocka_unit_test(warnings_are_repeated_by_each_build_until_fixed),
        cmocka_unit_test(strict_models_report_errors_in_every_order_of_builds),
        cmocka_unit_test(warnings_with_any_number_of_threads_are_equal),
        cmocka_unit_test(diagnostics_have_colour_only_on_terminal_that_allows_it)};
    return TEST_RUN("diagnostics", tests);
}
