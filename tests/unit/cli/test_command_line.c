/* test_command_line.c - from arguments to options, with a small program of its own: every kind of
 * option in every spelling, response files, and what is refused with which exit code. */
#include "command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "response.h"
#include "test.h"

typedef enum Shade { RED, GREEN, BLUE } Shade;

struct Options {
    Words       arguments;
    Words       roots;
    bool        quiet;
    u32         jobs, form;
    Shade       shade;
    const char* out;
};

static char seen[8192]; /* what the command was called with */

static void words_print(const char* name, const Words* words) {
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), " %s", name);
    for (u32 i = 0; i < words->count; i++) {
        snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "[%s]", words->at[i]);
    }
}

static int run_paint(const Options* o) {
    snprintf(seen, sizeof seen, "q%d j%u %u %u %s", o->quiet, o->jobs, o->form, (u32)o->shade,
             o->out ? o->out : "-");
    words_print("roots", &o->roots);
    words_print("args", &o->arguments);
    return EXIT_OK;
}

static int run_other(const Options* o) { return UNUSED(o), EXIT_UNSUPPORTED; }

static const Command commands[] = {
    {"paint", "WALL... -o FILE", "paints", "Paints.", 0, 3, run_paint},
    {"paint-all", "", "paints everything", "Paints.", 0, 0, run_other},
};

#define INTO(member) offsetof(Options, member)

static const Option options[] = {
    {"-q", NULL, "quiet", NULL, OPTION_SWITCH, INTO(quiet), 0, 0},
    {"-j", "N", "jobs", "paint", OPTION_NUMBER, INTO(jobs), 1, 64},
    {"--shade", "red|green|blue", "shade", "paint", OPTION_CHOICE, INTO(shade), 0, 0},
    {"--json", NULL, "form", "paint", OPTION_FLAG, INTO(form), 7, 0},
    {"-o", "FILE", "out", "paint", OPTION_PATH, INTO(out), 0, 0},
    {"--root", "NAME", "roots", "paint", OPTION_LIST, INTO(roots), 0, 0},
    {"-all", NULL, "no option of paint", "paint-all", OPTION_SWITCH, INTO(quiet), 0, 0},
};

static const ManualRow none[] = {{NULL, NULL}};
static void            version_ignore(FILE* out) { UNUSED(out); }

static const Program program = {.name = "painter",
                                .text = "paints",
                                .manual = "Paints.",
                                .number = "1",
                                .date = "2000-01-01",
                                .commands = commands,
                                .command_count = COUNT_OF(commands),
                                .options = options,
                                .option_count = COUNT_OF(options),
                                .exits = none,
                                .variables = none,
                                .files = none,
                                .examples = none,
                                .see_also = "absent",
                                .arguments = INTO(arguments),
                                .version_print = version_ignore};

/* Runs with arguments separated by '|', and with standard error redirected to a file. */
static int paint(const char* words, const char* errors) {
    char        text[1024];
    char*       argv[32] = {"painter"};
    int         argc = 1;
    Options     o = {0};
    const int   kept = dup(STDERR_FILENO);
    FILE* const out = fopen(errors, "w");
    snprintf(text, sizeof text, "%s", words);
    for (char* at = text; at; argc++) {
        argv[argc] = at;
        at = strchr(at, '|');
        if (at) *at++ = 0;
    }
    *seen = 0;
    assert_non_null(out);
    fflush(stderr);
    dup2(fileno(out), STDERR_FILENO);
    const int code = program_run(&program, &o, argc, argv);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    fclose(out);
    return code;
}

typedef struct Row {
    const char* words;
    int         code;
    const char* text; /* of a successful run: what it was called with; else a part of the message */
} Row;

static void rows_check(const char* folder, const Row* rows, size_t count) {
    char path[1200];
    snprintf(path, sizeof path, "%s/errors", folder);
    for (size_t i = 0; i < count; i++) {
        const int  code = paint(rows[i].words, path);
        size_t     bytes;
        char*      errors = (char*)test_read(path, &bytes);
        const bool valid =
            code == rows[i].code &&
            (code == EXIT_OK ? strcmp(seen, rows[i].text) == 0 : !!strstr(errors, rows[i].text));
        if (!valid) fail_msg("%s: %d \"%s\" %s", rows[i].words, code, seen, errors);
        if (code != EXIT_OK && code != EXIT_UNSUPPORTED && *seen)
            fail_msg("%s: it ran", rows[i].words);
        free(errors);
    }
}

static void options_of_each_kind_and_spelling_are_parsed_or_refused(void** state) {
    static const Row rows[] = {
        {"paint", 0, "q0 j0 0 0 - roots args"},
        {"paint|a|-q|b", 0, "q1 j0 0 0 - roots args[a][b]"},
        {"paint|-j|12|--json", 0, "q0 j12 7 0 - roots args"},
        {"paint|-j12", 0, "q0 j12 0 0 - roots args"},
        {"paint|-j=64", 0, "q0 j64 0 0 - roots args"},
        {"paint|-oout=x", 0, "q0 j0 0 0 out=x roots args"},
        {"paint|-o|-q", 0, "q0 j0 0 0 -q roots args"},
        {"paint|-o|./-", 0, "q0 j0 0 0 ./- roots args"},
        {"paint|-o|-", 1, "invalid value for -o: \"-\"; expected a path, because"},
        {"paint|-o-", 1, "a file with this name is ./-"},
        {"paint|-o=-", 1, "not written to standard output"},
        {"paint|--shade=blue|--shade|green", 0, "q0 j0 0 1 - roots args"},
        {"paint|--root|b|--root=a|--root=", 0, "q0 j0 0 0 - roots[b][a][] args"},
        {"paint|-|--|-q|--", 0, "q0 j0 0 0 - roots args[-][-q][--]"},
        {"paint|@", 0, "q0 j0 0 0 - roots args[@]"},
        {"paint|", 0, "q0 j0 0 0 - roots args[]"},
        {"paint-all", 5, ""},
        {"paint-all|-all", 5, ""},
        {"paint|-j|0", 1, "a number from 1 to 64"},
        {"paint|-j65", 1, "invalid value for -j: \"65\""},
        {"paint|-j4294967297", 1, "invalid value for -j"},
        {"paint|-jfour", 1, "invalid value for -j: \"four\""},
        {"paint|-j=", 1, "invalid value for -j: \"\""},
        {"paint|-j", 1, "-j needs a value"},
        {"paint|--shade|re", 1, "expected red|green|blue"},
        {"paint|--shade|red|--shade|", 1, "invalid value for --shade: \"\""},
        {"paint|--shade|red|green|x", 0, "q0 j0 0 0 - roots args[green][x]"},
        {"paint|-q=1", 1, "-q takes no value"},
        {"paint|-qq", 1, "unknown option \"-qq\""},
        {"paint|-all", 1, "unknown option \"-all\""},
        {"paint-all|-j1", 1, "unknown option \"-j1\""},
        {"paint|a|b|c|d", 1, "usage: painter paint WALL... -o FILE"},
        {"pain", 1, "unknown command \"pain\""},
        {"help|pain", 1, "unknown command \"pain\""},
        {"-q|paint", 1, "unknown command \"-q\""},
    };
    UNUSED(state);
    rows_check(test_folder("command_line"), rows, COUNT_OF(rows));
}

static void response_file_arguments_are_expanded_or_refused(void** state) {
    static const Row rows[] = {
        {"paint|@FOLDER/plain", 0, "q1 j3 0 0 - roots args[a][b]"},
        {"@FOLDER/command|x", 0, "q0 j0 0 0 - roots args[a b][x]"},
        {"paint|@FOLDER/quotes", 0, "q0 j0 0 0 a \"b\" 'c' \\ roots[][d\te][f g] args"},
        {"paint|@FOLDER/empty_and_blank|x", 0, "q0 j0 0 0 - roots args[x]"},
        {"paint|@FOLDER/nested", 0, "q1 j3 0 0 - roots args[a][b][c]"},
        {"paint|-o|@FOLDER/word", 0, "q0 j0 0 0 word roots args"},
        {"paint|@FOLDER/depth7", 0, "q0 j0 0 0 - roots args[deep]"},
        {"paint|@FOLDER/depth8", 4, "is nested 9 deep; response files may be nested 8 deep"},
        {"paint|@FOLDER/itself", 4, "check whether a file refers to itself"},
        {"paint|@FOLDER/many", 4, "word number 1000001 of the command line; the limit is 1000000"},
        {"paint|@FOLDER/open", 1, "open:3: error: a quote is not terminated"},
        {"paint|@FOLDER/nul", 1, "NUL"},
        {"paint|@FOLDER/nosuch", 2, "nosuch\": No such file or directory"},
        {"paint|@FOLDER", 2, "Is a directory"},
        {"paint|@nosuch", 2, "an argument that begins with @ is written ./@"},
    };
    char* folder = strdup(test_folder("response"));
    Row   at[COUNT_OF(rows)];
    char  name[64], text[1300], words[COUNT_OF(rows)][1300];
    UNUSED(state);
    test_write_text(folder, "plain", "a\t-q\r\n-j\n\n 3   b");
    test_write_text(folder, "command", "paint 'a b'\n");
    test_write_text(folder, "quotes",
                    "\"-o\" \"a \\\"b\\\" 'c' \\\\\"\n--root \"\" --root 'd\te' --root=f\\ g");
    test_write_text(folder, "empty", "");
    snprintf(text, sizeof text, " \n@%s/empty\n\n", folder);
    test_write_text(folder, "empty_and_blank", text);
    snprintf(text, sizeof text, "@%s/plain c", folder);
    test_write_text(folder, "nested", text);
    test_write_text(folder, "word", "word");
    test_write_text(folder, "depth0", "deep");
    for (u32 i = 1; i <= 8; i++) {
        snprintf(name, sizeof name, "depth%u", i);
        snprintf(text, sizeof text, "@%s/depth%u", folder, i - 1);
        test_write_text(folder, name, text);
    }
    snprintf(text, sizeof text, "x @%s/itself", folder);
    test_write_text(folder, "itself", text);
    test_write_text(folder, "open", "a\nb\n'c\nd");
    test_write(folder, "nul", "a\0b", 3);
    char* many = malloc(2 * RESPONSE_WORDS_MAX + 2);
    for (u32 i = 0; i <= RESPONSE_WORDS_MAX; i++) memcpy(many + (size_t)i * 2, "x ", 2);
    test_write(folder, "many", many, 2 * RESPONSE_WORDS_MAX + 2);
    free(many);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const char* key = strstr(rows[i].words, "FOLDER");
        at[i] = rows[i];
        if (!key) continue;
        snprintf(words[i], sizeof words[i], "%.*s%s%s", (int)(key - rows[i].words), rows[i].words,
                 folder, key + strlen("FOLDER"));
        at[i].words = words[i];
    }
    rows_check(folder, at, COUNT_OF(at));
    free(folder);
}

TEST_SUITE(command_line) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_each_kind_and_spelling_are_parsed_or_refused),
        cmocka_unit_test(response_file_arguments_are_expanded_or_refused)};
    return TEST_RUN("command_line", tests);
}
