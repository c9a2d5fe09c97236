/* test_codes.c - compiler/ERRORS.md and `entc explain` contain every code of a diagnostic, with its cause and its
 * repair; GOLDEN=1 writes the page. */
#include <stdio.h>
#include <stdlib.h>

#include "diag_codes.h"
#include "test.h"

#define PAGE "compiler/ERRORS.md"

/* Pages are Markdown: what is not text there is written with a backslash. */
static void text_put(FILE* out, const char* text) {
    for (; *text; text++) fprintf(out, strchr("*_<>", *text) ? "\\%c" : "%c", *text);
}

static char* page_text(void) {
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    fputs("# Errors and warnings\n\nEvery diagnostic ends with a code, which never changes its "
          "meaning. "
          "`entc explain CODE` prints the same as this page, which is generated from the list of "
          "codes (`make "
          "reference`). E is an error; W is a warning, whose severity [entc.json](AUTHORING.md) "
          "can change.\n",
          out);
    for (u32 i = 0; i < DIAG_CODE_COUNT; i++) {
        const DiagExplanation e = diag_explanation((DiagCode)i);
        fprintf(out, "\n## %s\n\n- Meaning: ", diag_code_name((DiagCode)i));
        text_put(out, diag_code_text((DiagCode)i));
        fputs("\n- Cause: ", out);
        text_put(out, e.cause);
        fputs("\n- Repair: ", out);
        text_put(out, e.repair);
        fputs("\n", out);
    }
    fclose(out);
    return text;
}

static void every_code_has_a_cause_and_a_repair(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < DIAG_CODE_COUNT; i++) {
        const DiagExplanation e = diag_explanation((DiagCode)i);
        const char* const     texts[] = {e.cause, e.repair};
        for (u32 k = 0; k < COUNT_OF(texts); k++) {
            const size_t bytes = texts[k] ? strlen(texts[k]) : 0;
            if (bytes < 20 || texts[k][bytes - 1] != '.' || texts[k][0] < 'A' || texts[k][0] > 'Z')
                fail_msg("%s: the %s is not a sentence", diag_code_name((DiagCode)i),
                         k ? "repair" : "cause");
        }
    }
}

static void errors_page_equals_list_of_codes(void** state) {
    UNUSED(state);
    test_page_equals(PAGE, page_text(), "the list of codes", "reference");
}

static void explain_prints_what_the_page_contains(void** state) {
    char expected[2048];
    UNUSED(state);
    for (u32 i = 0; i < DIAG_CODE_COUNT; i++) {
        const DiagExplanation e = diag_explanation((DiagCode)i);
        TestRun run = test_command(".", "entc explain %s", diag_code_name((DiagCode)i));
        snprintf(expected, sizeof expected, "%s: %s\n\nCause: %s\n\nRepair: %s\n",
                 diag_code_name((DiagCode)i), diag_code_text((DiagCode)i), e.cause, e.repair);
        assert_int_equal(run.code, 0);
        assert_string_equal(run.out, expected);
        test_run_free(&run);
    }
    EXPECT(".", 0, "E0306: unresolved reference to an entity\n", "entc explain e0306");
    EXPECT(".", 1, "there is no code \"E0999\"; \"entc explain\" lists all codes\n",
           "entc explain E0999");
    EXPECT(".", 1, "there is no code \"E03060000000000\"", "entc explain E03060000000000");
    TEST_DONE(".", "test $(entc explain | wc -l) = %u && entc explain | grep -q '^W0705  '",
              (u32)DIAG_CODE_COUNT);
}

TEST_SUITE(codes) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_a_cause_and_a_repair),
        cmocka_unit_test(errors_page_equals_list_of_codes),
        cmocka_unit_test(explain_prints_what_the_page_contains),
    };
    return TEST_RUN("codes", tests);
}
