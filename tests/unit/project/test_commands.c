/* test_commands.c - compiler/COMMANDS.md contains the tables of entc's command line, and the output
 * of entrun; GOLDEN=1 writes the page. */
#include <stdio.h>
#include <stdlib.h>

#include "options.h"
#include "test.h"

#define PAGE "compiler/COMMANDS.md"
#define P    (&entc_program)

/* In a cell of a table a bar is written with a backslash, also between backticks. */
static void cell_put(FILE* out, const char* text) {
    for (; *text; text++) fprintf(out, *text == '|' ? "\\|" : "%c", *text);
}

/* A line end of a manual begins a paragraph. */
static void paragraphs_put(FILE* out, const char* text) {
    for (; *text; text++) {
        if (*text == '\n' && text[1] == '\n') continue;
        fputs(*text == '\n' ? "\n\n" : (char[]){*text, 0}, out);
    }
    fputs("\n", out);
}

static void option_put(FILE* out, const char* name, const char* value, const char* text) {
    fputs("| `", out);
    cell_put(out, name);
    if (value) fputs(" ", out);
    if (value) cell_put(out, value);
    fputs("` | ", out);
    cell_put(out, text);
    fputs(" |\n", out);
}

static void rows_put(FILE* out, const char* title, const char* head, const ManualRow* rows) {
    fprintf(out, "\n## %s\n\n| %s | meaning |\n|---|---|\n", title, head);
    for (; rows->name; rows++) option_put(out, rows->name, NULL, rows->text);
}

static void command_put(FILE* out, const Command* command) {
    u32 count = 0;
    fprintf(out, "\n## %s\n\n```text\nentc %s %s\n```\n\n", command->name, command->name,
            command->arguments);
    paragraphs_put(out, command->manual);
    for (u32 i = 0; i < P->option_count; i++) {
        const Option* option = &P->options[i];
        if (!option_is_for(option, command)) continue;
        if (count++ == 0) fputs("\n| option | meaning |\n|---|---|\n", out);
        option_put(out, option->name, option->value, option->text);
    }
}

static void contents_put(FILE* out) {
    fputs("# Commands\n\nThis page is generated from the tables of the command line: `make "
          "reference` "
          "writes it, and a test holds it equal to them. `entc help COMMAND` prints the same, and "
          "so do the manual pages that `make install` installs.\n\n"
          "| command | purpose |\n|---|---|\n",
          out);
    for (u32 i = 0; i < P->command_count; i++) {
        const Command* command = &P->commands[i];
        fprintf(out, "| [`entc %s`](#%s) | ", command->name, command->name);
        cell_put(out, command->text);
        fputs(" |\n", out);
    }
    fputs("| [`entrun`](#entrun) | load a compiled level, spawn it, simulate and draw it |\n", out);
}

static void entrun_put(FILE* out) {
    TestRun run = test_command(".", "entrun --help");
    assert_int_equal(run.code, 0);
    fprintf(out, "\n## entrun\n\n```text\n%s```\n", run.out);
    test_run_free(&run);
}

static char* reference_text(void) {
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    contents_put(out);
    for (u32 i = 0; i < P->command_count; i++) command_put(out, &P->commands[i]);
    fputs("\n## Options of all commands\n\n| option | meaning |\n|---|---|\n", out);
    for (u32 i = 0; i < general_option_count; i++)
        option_put(out, general_options[i].name, NULL, general_options[i].text);
    rows_put(out, "Exit codes", "code", P->exits);
    rows_put(out, "Environment variables", "variable", P->variables);
    rows_put(out, "Files", "file", P->files);
    rows_put(out, "Examples", "command", P->examples);
    entrun_put(out);
    fclose(out);
    return text;
}

static void commands_page_equals_option_tables_of_programs(void** state) {
    UNUSED(state);
    test_page_equals(PAGE, reference_text(), "the tables of the command line", "reference");
}

TEST_SUITE(commands) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_page_equals_option_tables_of_programs)};
    return TEST_RUN("commands", tests);
}
