/* test_options.c - the option tables of entc and what is generated from them: no command and no
 * option is missing from help, manual or completions, mandoc reports no error, and the shells
 * complete. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>

#include "test.h"
#include "version.h"

#define P (&entc_program)

static char* output_of(const char* command) {
    TestRun run = test_command(".", "%s", command);
    if (run.code != 0 || run.err_bytes) fail_msg("%s: %d %s", command, run.code, run.err);
    free(run.err);
    return run.out;
}

/* --- the tables --- */

static bool is_command(const char* name, size_t bytes) {
    for (u32 i = 0; i < P->command_count; i++) {
        const char* known = P->commands[i].name;
        if (strlen(known) == bytes && memcmp(known, name, bytes) == 0) return true;
    }
    return false;
}

static void option_check(const Option* o) {
    static const size_t sizes[] = {[OPTION_SWITCH] = sizeof(bool), [OPTION_FLAG] = sizeof(u32),
                                   [OPTION_MODE] = sizeof(u32),    [OPTION_TEXT] = sizeof(char*),
                                   [OPTION_NUMBER] = sizeof(u32),  [OPTION_CHOICE] = sizeof(u32),
                                   [OPTION_LIST] = sizeof(Words)};
    const bool takes = o->kind != OPTION_SWITCH && o->kind != OPTION_FLAG && o->kind != OPTION_MODE;
    if (takes != !!o->value) fail_msg("%s: its kind and its value contradict each other", o->name);
    if ((o->kind == OPTION_CHOICE) != (o->value && strchr(o->value, '|'))) {
        fail_msg("%s: a choice has several texts", o->name);
    }
    if (o->kind == OPTION_NUMBER && o->min >= o->max) fail_msg("%s: no number", o->name);
    if (o->offset + sizes[o->kind] > sizeof(Options)) fail_msg("%s: outside of Options", o->name);
    for (const char* at = o->commands; at && *at; at += strspn(at, " ")) {
        const size_t bytes = strcspn(at, " ");
        if (!is_command(at, bytes)) fail_msg("%s: no command \"%.*s\"", o->name, (int)bytes, at);
        at += bytes;
    }
}

static void option_tables_of_entc_have_unique_complete_rows(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < P->command_count; i++) {
        const Command* c = &P->commands[i];
        const size_t   bytes = strlen(c->manual);
        assert_true(c->run && c->min <= c->max && *c->text);
        if (bytes < 20 || c->manual[bytes - 1] != '.') fail_msg("%s: no sentence", c->name);
        for (u32 k = 0; k < i; k++) assert_string_not_equal(c->name, P->commands[k].name);
    }
    for (u32 i = 0; i < P->option_count; i++) {
        const Option* o = &P->options[i];
        option_check(o);
        for (u32 k = 0; k < i; k++) {
            for (u32 c = 0; c < P->command_count && !strcmp(o->name, P->options[k].name); c++) {
                const Command* command = &P->commands[c];
                if (option_is_for(o, command) && option_is_for(&P->options[k], command)) {
                    fail_msg("%s is duplicate for %s", o->name, command->name);
                }
            }
        }
    }
}

static void help_lists_every_command_and_option(void** state) {
    char line[300];
    UNUSED(state);
    char* all = output_of("entc --help");
    for (u32 i = 0; i < P->command_count; i++) {
        const Command* c = &P->commands[i];
        snprintf(line, sizeof line, "entc help %s", c->name);
        char* one = output_of(line);
        snprintf(line, sizeof line, "entc %s --help | cat", c->name);
        char* same = output_of(line);
        assert_string_equal(one, same);
        snprintf(line, sizeof line, "\n    entc %s %s ", c->name, c->arguments);
        if (!strstr(all, line) || !strstr(all, c->text)) fail_msg("entc --help: no %s", c->name);
        for (u32 k = 0; k < P->option_count; k++) {
            const Option* o = &P->options[k];
            snprintf(line, sizeof line, "\n    %s %s", o->name, o->value ? o->value : "");
            if (option_is_for(o, c) && !strstr(one, line)) {
                fail_msg("entc help %s: %s", c->name, o->name);
            }
        }
        free(one);
        free(same);
    }
    free(all);
}

static void version_option_prints_versions_of_program_and_libraries(void** state) {
    char* text = output_of("entc --version");
    UNUSED(state);
    assert_non_null(strstr(text, "entc " ENT_VERSION ", blob format "));
    assert_non_null(strstr(text, "cJSON 1."));
    assert_non_null(strstr(text, "xxHash 0."));
    assert_non_null(strstr(text, "meshoptimizer 0."));
    free(text);
    text = output_of("entrun --version");
    assert_non_null(strstr(text, "entrun " ENT_VERSION ", blob format "));
    free(text);
}

/* --- the manual --- */

/* The part of the manual about a command; terminates it at its end. */
static char* manual_part(char* manual, const char* name) {
    char title[64];
    snprintf(title, sizeof title, "\n.SS \"%s\"\n", name);
    for (char* at = title; (at = strchr(at, '-')); at += 2) {
        memmove(at + 1, at, strlen(at) + 1);
        *at = '\\';
    }
    char* part = strstr(manual, title);
    if (!part) fail_msg("the manual has no %s", title);
    part += strlen(title);
    char* end = strstr(part, "\n.S");
    assert_non_null(end);
    *end = 0;
    return part;
}

static void roff_name(char* out, const char* name) {
    for (; *name; name++) {
        if (*name == '-') *out++ = '\\';
        *out++ = *name;
    }
    *out = 0;
}

static void manual_describes_every_command_and_option(void** state) {
    char name[256], line[300];
    UNUSED(state);
    for (u32 i = 0; i < P->command_count; i++) {
        char* manual = output_of("entc --help=man");
        char* part = manual_part(manual, P->commands[i].name);
        for (u32 k = 0; k < P->option_count; k++) {
            if (!option_is_for(&P->options[k], &P->commands[i])) continue;
            roff_name(name, P->options[k].name);
            snprintf(line, sizeof line, "\n.TP\n.B %s%s", name, P->options[k].value ? " " : "\n");
            if (!strstr(part, line))
                fail_msg("%s: the manual has no %s", P->commands[i].name, name);
        }
        free(manual);
    }
    char*                  manual = output_of("entc --help=man");
    const ManualRow* const tables[] = {P->exits, P->variables, P->files, P->examples};
    for (u32 t = 0; t < COUNT_OF(tables); t++) {
        for (const ManualRow* row = tables[t]; row->name; row++) {
            roff_name(name, row->name);
            snprintf(line, sizeof line, "\n.TP\n.B %s\n", name);
            if (!strstr(manual, line)) fail_msg("the manual has no %s", row->name);
        }
    }
    free(manual);
}

/* Every environment variable that a program reads has a row. */
static void manual_lists_every_environment_variable_that_is_read(void** state) {
    char* names =
        output_of("cat compiler/*/*.c formats/*/*.c | grep -oE '(getenv|is_set)\\(\"[A-Z_]*\"' | "
                  "sed 's/.*\"\\(.*\\)\".*/\\1/' | sort -u");
    UNUSED(state);
    assert_non_null(strstr(names, "NO_COLOR"));
    for (char* name = strtok(names, "\n"); name; name = strtok(NULL, "\n")) {
        const ManualRow* row = P->variables;
        while (row->name && strcmp(row->name, name) != 0) row++;
        if (!row->name) fail_msg("%s is read and not in the manual", name);
    }
    free(names);
}

static void manual_checked_by_mandoc_has_no_errors(void** state) {
    UNUSED(state);
    TEST_NEEDS("mandoc");
    free(output_of("for p in entc entrun; do $p --help=man | mandoc -T lint || exit 1; done"));
    char* text = output_of(
        "for p in entc entrun; do $p --help=man | mandoc -T utf8 | sed 's/.\\x08//g'; done");
    assert_non_null(strstr(text, "--target little|big"));
    assert_non_null(strstr(text, "--stats"));
    assert_null(strstr(text, "\\"));
    free(text);
}

/* --- completions --- */

static const char complete[] =
    "ask() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); \"_$1\" >/dev/null;\n"
    "        echo \"$*: ${COMPREPLY[*]} .\"; }\n";

/* Requests completion of an option, and of the texts of a choice in both spellings; prints the
 * expected results. */
static void bash_option(FILE* ask, FILE* all, const Command* command, const Option* o) {
    fprintf(ask, "ask entc %s %s\n", command->name, o->name);
    fprintf(all, "entc %s %s: ", command->name, o->name);
    for (u32 k = 0; k < P->option_count; k++) {
        const Option* other = &P->options[k];
        const bool    begins = strncmp(other->name, o->name, strlen(o->name)) == 0;
        if (begins && option_is_for(other, command)) fprintf(all, "%s ", other->name);
    }
    fputs(".\n", all);
    for (u32 way = 0; way < 2 && o->kind == OPTION_CHOICE; way++) {
        fprintf(ask, "ask entc %s %s %s\n", command->name, o->name, way ? "=" : "''");
        fprintf(all, "entc %s %s %s: ", command->name, o->name, way ? "=" : "");
        for (const char* v = o->value; *v; v++) fputc(*v == '|' ? ' ' : *v, all);
        fputs(" .\n", all);
    }
}

/* Requests every option of every command from bash, and files. */
static void bash_completion_offers_every_option_and_files(void** state) {
    char * text = NULL, *wanted = NULL;
    size_t text_bytes = 0, requested_bytes = 0;
    char*  folder = strdup(test_folder("bash"));
    FILE*  ask = open_memstream(&text, &text_bytes);
    FILE*  all = open_memstream(&wanted, &requested_bytes);
    UNUSED(state);
    fprintf(ask, "%s. ./entc\n. ./entrun\ncomplete -p entc entrun\nask entc ''\n", complete);
    fputs("complete -F _entc entc\ncomplete -F _entrun entrun\nentc : ", all);
    for (u32 c = 0; c < P->command_count; c++) fprintf(all, "%s ", P->commands[c].name);
    fputs("help --help --version .\n", all);
    for (u32 c = 0; c < P->command_count; c++) {
        for (u32 i = 0; i < P->option_count; i++) {
            if (!option_is_for(&P->options[i], &P->commands[c])) continue;
            bash_option(ask, all, &P->commands[c], &P->options[i]);
        }
    }
    fputs("mkdir dir; touch 'dir/a b' dir/ac; cd dir; mkdir sub\n"
          "ask entc build ''\nask entc verify a\nask entc build sub -o a\nask entc build @a\n"
          "ask entc build x --target = b\nask entrun --st\nask entrun s\nask entc help bui\n",
          ask);
    fputs("entc build : sub .\nentc verify a: a b ac .\nentc build sub -o a: a b ac .\n"
          "entc build @a: @a b @ac .\nentc build x --target = b: big .\n"
          "entrun --st: --stats --strict .\nentrun s: sub .\nentc help bui: build .\n",
          all);
    fclose(ask);
    fclose(all);
    test_write_text(folder, "ask.bash", text);
    TestRun run = test_command(folder, "entc --help=bash > entc && entrun --help=bash > entrun && "
                                       "bash ask.bash");
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, wanted);
    test_run_free(&run);
    free(text);
    free(wanted);
    free(folder);
}

/* What a completion file must contain: a line for every option, in the spelling of that shell. */
static void contains_every_option(const char* text, const char* (*spelling)(const Option* option)) {
    for (u32 i = 0; i < P->option_count; i++) {
        if (!strstr(text, spelling(&P->options[i]))) {
            fail_msg("%s is missing: %s", spelling(&P->options[i]), text);
        }
    }
}

static const char* zsh_spelling(const Option* o) {
    static char text[64];
    snprintf(text, sizeof text, "'%s%s%s[", o->kind == OPTION_LIST ? "*" : "", o->name,
             o->value && o->name[1] == '-' ? "=" : "");
    return text;
}

static const char* fish_spelling(const Option* o) {
    static char text[64];
    const bool  word = o->name[1] == '-';
    snprintf(text, sizeof text, " -%s %s ",
             word         ? "l"
             : o->name[2] ? "o"
                          : "s",
             o->name + (word ? 2 : 1));
    return text;
}

static void zsh_and_fish_completions_contain_every_option(void** state) {
    char line[100];
    UNUSED(state);
    char* zsh = output_of("entc --help=zsh");
    char* fish = output_of("entc --help=fish");
    contains_every_option(zsh, zsh_spelling);
    contains_every_option(fish, fish_spelling);
    for (u32 i = 0; i < P->command_count; i++) {
        snprintf(line, sizeof line, "\n    %s) _arguments", P->commands[i].name);
        if (!strstr(zsh, line)) fail_msg("zsh has no %s", P->commands[i].name);
        snprintf(line, sizeof line, "-a %s -d", P->commands[i].name);
        if (!strstr(fish, line)) fail_msg("fish has no %s", P->commands[i].name);
    }
    free(zsh);
    free(fish);
}

static void zsh_completion_parsed_by_zsh_has_no_errors(void** state) {
    UNUSED(state);
    TEST_NEEDS("zsh");
    free(output_of("for p in entc entrun; do $p --help=zsh | zsh -n || exit 1; done"));
}

static void fish_completion_offers_commands_options_and_values(void** state) {
    const char* folder = test_folder("fish");
    UNUSED(state);
    TEST_NEEDS("fish");
    TestRun run = test_command(
        folder,
        "export HOME=$PWD XDG_CONFIG_HOME=$PWD XDG_DATA_HOME=$PWD; mkdir sub; touch file; "
        "entc --help=fish > entc.fish; entrun --help=fish > entrun.fish; fish -n *.fish && "
        "fish --no-config -c 'source entc.fish; source entrun.fish; complete -C \"entc bui\"; "
        "complete -C \"entc build --target \"; complete -C \"entc build --strip\"; "
        "complete -C \"entc dump --strip\"; complete -C \"entrun --stat\"; "
        "complete -C \"entc build s\"; complete -C \"entc verify fil\"'");
    assert_string_equal(run.err, "");
    assert_string_equal(
        run.out,
        "build\tcompile a folder of assets\nbig\tbyte order of the blobs (little)\nlittle\tbyte "
        "order of the blobs (little)\n--strip\tomit entity names and declarations from the "
        "blobs\n--stats\tprint "
        "instances, bytes, hierarchy depth and times\nsub/\tDirectory\nfile\n");
    test_run_free(&run);
}

TEST_SUITE(options) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(option_tables_of_entc_have_unique_complete_rows),
        cmocka_unit_test(help_lists_every_command_and_option),
        cmocka_unit_test(version_option_prints_versions_of_program_and_libraries),
        cmocka_unit_test(manual_describes_every_command_and_option),
        cmocka_unit_test(manual_lists_every_environment_variable_that_is_read),
        cmocka_unit_test(manual_checked_by_mandoc_has_no_errors),
        cmocka_unit_test(bash_completion_offers_every_option_and_files),
        cmocka_unit_test(zsh_and_fish_completions_contain_every_option),
        cmocka_unit_test(zsh_completion_parsed_by_zsh_has_no_errors),
        cmocka_unit_test(fish_completion_offers_commands_options_and_values),
    };
    return TEST_RUN("options", tests);
}
