/* manual.c - writes the tables of a program as a manual page, in man(7). */
#include "command_line.h"

#define LINE_BYTES_MAX 76

/* Writes one character for roff, in which a hyphen is not the ASCII character. */
static void character_print(FILE* out, char c) {
    if (c == '\\')
        fputs("\\e", out);
    else if (c == '-')
        fputs("\\-", out);
    else if (c == '"')
        fputs("\\(dq", out);
    else
        fputc(c, out);
}

/* A part of a line: of a request, or after one. */
static void word_print(FILE* out, const char* text) {
    while (*text) character_print(out, *text++);
}

/* Writes each sentence on a separate line. None of them begins like a request, and an empty line
 * begins a paragraph. */
static void text_print(FILE* out, const char* text) {
    for (size_t column = 0; *text; text++) {
        if (column == 0 && (*text == '.' || *text == '\'')) fputs("\\&", out);
        if (*text == ' ' && column + strcspn(text + 1, " \n") >= LINE_BYTES_MAX) {
            fputc('\n', out);
            column = 0;
        } else if (*text == '\n') {
            fputs(text[1] == '\n' ? "\n.PP" : "\n", out);
            column = 0;
        } else {
            character_print(out, *text);
            column += *text == '-' ? 2 : 1;
        }
    }
    fputc('\n', out);
}

/* One argument of a request. */
static void argument_print(FILE* out, const char* text) {
    fputs(" \"", out);
    word_print(out, text);
    fputs("\"", out);
}

static void section_print(FILE* out, const char* title) { fprintf(out, ".SH %s\n", title); }

/* A term and its text. */
static void term_print(FILE* out, const char* name, const char* value, const char* text) {
    fputs(".TP\n.B ", out);
    word_print(out, name);
    if (value) {
        fputs(" \\fI", out);
        word_print(out, value);
        fputs("\\fR", out);
    }
    fputs("\n", out);
    text_print(out, text);
}

static void rows_print(FILE* out, const char* title, const ManualRow* rows) {
    if (!rows->name) return;
    section_print(out, title);
    for (; rows->name; rows++) term_print(out, rows->name, NULL, rows->text);
}

static void synopsis_print(FILE* out, const Program* program) {
    section_print(out, "SYNOPSIS");
    for (u32 i = 0; i < program->command_count; i++) {
        const Command* command = &program->commands[i];
        if (i) fputs(".br\n", out);
        fprintf(out, ".B %s", program->name);
        if (command->name) fprintf(out, " %s", command->name);
        fputs("\n.RI", out);
        argument_print(out, command->arguments);
        fputs("\n", out);
    }
}

static void options_print(FILE* out, const Program* program, const Command* command) {
    for (u32 i = 0; i < program->option_count; i++) {
        const Option* option = &program->options[i];
        if (option_is_for(option, command)) {
            term_print(out, option->name, option->value, option->text);
        }
    }
}

static void commands_print(FILE* out, const Program* program) {
    if (!program->commands[0].name) return;
    section_print(out, "COMMANDS");
    for (u32 i = 0; i < program->command_count; i++) {
        const Command* command = &program->commands[i];
        fputs(".SS", out);
        argument_print(out, command->name);
        fprintf(out, "\n.B %s %s\n.RI", program->name, command->name);
        argument_print(out, command->arguments);
        fputs("\n.PP\n", out);
        text_print(out, command->manual);
        options_print(out, program, command);
    }
}

static void general_print(FILE* out, const Program* program) {
    section_print(out, "OPTIONS");
    if (!program->commands[0].name) options_print(out, program, program->commands);
    for (u32 i = 0; i < general_option_count; i++) {
        term_print(out, general_options[i].name, NULL, general_options[i].text);
    }
    if (program->commands[0].name) {
        term_print(out, "help", "COMMAND", "list the options of a command, or all commands");
    }
    term_print(out, "--help=", "man|bash|zsh|fish",
               "print this page, or the completion script of a shell");
    term_print(out, "@", "FILE",
               "insert the words of a response file here. The words are separated by white space, "
               "quotes enclose white space, and a backslash escapes the next character; a response "
               "file may refer to others.\n"
               "An argument that begins with @ is written ./@");
    term_print(out, "--", NULL, "the following arguments are not options");
}

void manual_print(FILE* out, const Program* program) {
    fputs(".TH", out);
    for (const char* at = program->name; *at; at++) {
        fprintf(out, "%s%c", at == program->name ? " " : "", *at - 'a' + 'A');
    }
    fprintf(out, " 1 %s \"%s %s\"\n", program->date, program->name, program->number);
    section_print(out, "NAME");
    fprintf(out, "%s \\-\n", program->name);
    text_print(out, program->text);
    synopsis_print(out, program);
    section_print(out, "DESCRIPTION");
    text_print(out, program->manual);
    commands_print(out, program);
    general_print(out, program);
    rows_print(out, "EXIT STATUS", program->exits);
    rows_print(out, "ENVIRONMENT", program->variables);
    rows_print(out, "FILES", program->files);
    rows_print(out, "EXAMPLES", program->examples);
    section_print(out, "SEE ALSO");
    fprintf(out, ".BR %s (1)\n", program->see_also);
}
