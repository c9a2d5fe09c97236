/* completion.c - writes completion scripts for bash, zsh and fish from the tables of a program. */
#include "command_line.h"

typedef enum ValueKind { VALUE_NONE, VALUE_CHOICE, VALUE_FOLDER, VALUE_FILE } ValueKind;

/* The meaning of a word of the tables. */
static ValueKind value_kind(const char* value) {
    static const char* const folders[] = {"SRC", "OUT", "DIR"};
    static const char* const other[] = {"N",   "NAME", "NAME.TYPE", "OLD",
                                        "NEW", "P",    "L",         "COMMAND"};
    if (strchr(value, '|')) return VALUE_CHOICE;
    for (u32 i = 0; i < COUNT_OF(folders); i++) {
        if (strcmp(value, folders[i]) == 0) return VALUE_FOLDER;
    }
    for (u32 i = 0; i < COUNT_OF(other); i++) {
        if (strcmp(value, other[i]) == 0) return VALUE_NONE;
    }
    return VALUE_FILE;
}

/* Reads the next word of "SRC NAME.TYPE [DIR] -o OUT" that is an argument, without its brackets and
 * dots; returns false at the end. `more`: it may be repeated. */
static bool argument_next(const char** at, char* out, size_t bytes, bool* more) {
    for (;;) {
        *at += strspn(*at, " ");
        const size_t length = strcspn(*at, " ");
        if (length == 0) return false;
        const char* word = *at;
        *at += length;
        if (word[0] == '-' || strncmp(word, "[-", 2) == 0) {
            *at += strspn(*at, " ");
            *at += strcspn(*at, " "); /* its value */
            continue;
        }
        size_t count = 0;
        for (size_t i = 0; i < length && count + 1 < bytes; i++) {
            if (!strchr("[]", word[i])) out[count++] = word[i];
        }
        *more = count > 3 && memcmp(out + count - 3, "...", 3) == 0;
        out[*more ? count - 3 : count] = 0;
        return true;
    }
}

/* The kind of the arguments of a command: folders if all are folders, files if one is a file. */
static ValueKind arguments_kind(const Command* command) {
    const char* at = command->arguments;
    ValueKind   kind = VALUE_NONE;
    char        word[64];
    bool        more;
    while (argument_next(&at, word, sizeof word, &more)) kind = MAX_OF(kind, value_kind(word));
    return kind;
}

/* "little|big" separated by `between`. */
static void choices_print(FILE* out, const char* value, char between) {
    for (; *value; value++) fputc(*value == '|' ? between : *value, out);
}

static const char* command_name(const Command* command) {
    return command->name ? command->name : "";
}

/* --- bash --- */

static void bash_value(FILE* out, const Option* option) {
    switch (value_kind(option->value)) {
    case VALUE_CHOICE:
        fputs("words=\"", out);
        choices_print(out, option->value, ' ');
        fputs("\"", out);
        break;
    case VALUE_FOLDER: fputs("files=-d", out); break;
    case VALUE_FILE: fputs("files=-f", out); break;
    case VALUE_NONE: fputs(":", out); break;
    }
    fputs(" ;;\n", out);
}

static void bash_command(FILE* out, const Program* program, const Command* command) {
    static const char* const files[] = {"", "", " files=-d", " files=-f"};
    fprintf(out, "    \"%s\")\n        case $last in\n", command_name(command));
    for (u32 i = 0; i < program->option_count; i++) {
        const Option* option = &program->options[i];
        if (!option->value || !option_is_for(option, command)) continue;
        fprintf(out, "        %s) ", option->name);
        bash_value(out, option);
    }
    fputs("        *)\n            case $word in\n            -*) words=\"", out);
    for (u32 i = 0; i < program->option_count; i++) {
        const Option* option = &program->options[i];
        if (option_is_for(option, command)) fprintf(out, "%s ", option->name);
    }
    fprintf(out, "--help\" ;;\n            *)%s ;;\n            esac ;;\n        esac ;;\n",
            files[arguments_kind(command)]);
}

void bash_print(FILE* out, const Program* program) {
    const bool  several = program->commands[0].name;
    const char* name = program->name;
    fprintf(out,
            "# Completion of %s for bash.\n"
            "_%s() {\n"
            "    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}\n"
            "    local command=%s words='' files=''\n"
            "    # Bash splits --target=big into three words.\n"
            "    if [ \"$word\" = = ]; then\n"
            "        word=''\n"
            "    elif [ \"$last\" = = ]; then\n"
            "        last=${COMP_WORDS[COMP_CWORD - 2]}\n"
            "    fi\n"
            "    COMPREPLY=()\n",
            name, name, several ? "${COMP_WORDS[1]}" : "");
    if (several) {
        fputs("    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"", out);
        for (u32 i = 0; i < program->command_count; i++)
            fprintf(out, "%s ", program->commands[i].name);
        fputs("help --help --version\"\n        command=\n    elif [ \"$command\" = help ]; then\n "
              "       words=\"",
              out);
        for (u32 i = 0; i < program->command_count; i++) {
            fprintf(out, "%s%s", i ? " " : "", program->commands[i].name);
        }
        fputs("\"\n    fi\n", out);
    }
    fputs("    case $command in\n", out);
    for (u32 i = 0; i < program->command_count; i++) {
        bash_command(out, program, &program->commands[i]);
    }
    fprintf(out,
            "    esac\n"
            "    case $word in\n"
            "    @*) files=-f words='' ;;\n"
            "    esac\n"
            "    if [ -n \"$files\" ]; then\n"
            "        compopt -o filenames 2>/dev/null\n"
            "        case $word in\n"
            "        @*) mapfile -t COMPREPLY < <(compgen -P @ -f -- \"${word#@}\") ;;\n"
            "        *) mapfile -t COMPREPLY < <(compgen \"$files\" -- \"$word\") ;;\n"
            "        esac\n"
            "    elif [ -n \"$words\" ]; then\n"
            "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
            "    fi\n"
            "}\n"
            "complete -F _%s %s\n",
            name, name);
}

/* --- zsh --- */

/* Inside of '..[TEXT]..' of _arguments. */
static void zsh_text(FILE* out, const char* text) {
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

static void zsh_action(FILE* out, const char* value) {
    switch (value_kind(value)) {
    case VALUE_CHOICE:
        fputc('(', out);
        choices_print(out, value, ' ');
        fputc(')', out);
        break;
    case VALUE_FOLDER: fputs("_files -/", out); break;
    case VALUE_FILE: fputs("_files", out); break;
    case VALUE_NONE: break;
    }
}

static void zsh_command(FILE* out, const Program* program, const Command* command) {
    const char* arguments = command->arguments;
    char        word[64];
    bool        more;
    fputs("_arguments", out);
    for (u32 i = 0; i < program->option_count; i++) {
        const Option* option = &program->options[i];
        if (!option_is_for(option, command)) continue;
        fprintf(out, " \\\n        '%s%s%s[", option->kind == OPTION_LIST ? "*" : "", option->name,
                option->value && option->name[1] == '-' ? "=" : "");
        zsh_text(out, option->text);
        fputc(']', out);
        if (option->value) {
            fputs(":value:", out);
            zsh_action(out, option->value);
        }
        fputc('\'', out);
    }
    for (u32 i = 1; argument_next(&arguments, word, sizeof word, &more); i++) {
        fputs(" \\\n        '", out);
        if (more)
            fputc('*', out);
        else
            fprintf(out, "%u", i);
        fprintf(out, ":%s:", word);
        zsh_action(out, word);
        fputc('\'', out);
    }
    fputs("\n", out);
}

void zsh_print(FILE* out, const Program* program) {
    const char* name = program->name;
    fprintf(out, "#compdef %s\n# Completion of %s for zsh.\n\n_%s() {\n", name, name, name);
    if (!program->commands[0].name) {
        fputs("    ", out);
        zsh_command(out, program, program->commands);
    } else {
        fputs("    local context state state_descr line\n"
              "    typeset -A opt_args\n"
              "    _arguments -C '1:command:->command' '*::argument:->argument'\n"
              "    if [[ $state == command ]]; then\n"
              "        local -a commands\n"
              "        commands=(\n",
              out);
        for (u32 i = 0; i < program->command_count; i++) {
            fprintf(out, "            '%s:", program->commands[i].name);
            zsh_text(out, program->commands[i].text);
            fputs("'\n", out);
        }
        fputs("            'help:list the options of a command'\n"
              "        )\n"
              "        _describe command commands\n"
              "        return\n"
              "    fi\n"
              "    case $words[1] in\n",
              out);
        for (u32 i = 0; i < program->command_count; i++) {
            fprintf(out, "    %s) ", program->commands[i].name);
            zsh_command(out, program, &program->commands[i]);
            fputs("        ;;\n", out);
        }
        fputs("    esac\n", out);
    }
    fprintf(out, "}\n\n_%s \"$@\"\n", name);
}

/* --- fish --- */

static void fish_text(FILE* out, const char* text) {
    fputs(" -d '", out);
    for (; *text; text++) {
        if (strchr("'\\", *text)) fputc('\\', out);
        fputc(*text, out);
    }
    fputs("'\n", out);
}

static void fish_option(FILE* out, const Program* program, const Option* option) {
    const char* kind = option->name[1] == '-' ? "-l" : option->name[2] ? "-o" : "-s";
    fprintf(out, "complete -c %s", program->name);
    if (option->commands) fprintf(out, " -n '__fish_seen_subcommand_from %s'", option->commands);
    fprintf(out, " %s %s", kind, option->name + (option->name[1] == '-' ? 2 : 1));
    switch (option->value ? value_kind(option->value) : VALUE_NONE) {
    case VALUE_CHOICE:
        fputs(" -x -a '", out);
        choices_print(out, option->value, ' ');
        fputc('\'', out);
        break;
    case VALUE_FOLDER: fputs(" -x -a '(__fish_complete_directories)'", out); break;
    case VALUE_FILE: fputs(" -r -F", out); break;
    case VALUE_NONE: fputs(option->value ? " -x" : "", out); break;
    }
    fish_text(out, option->text);
}

static void fish_command(FILE* out, const Program* program, const Command* command) {
    fprintf(out, "complete -c %s -n __fish_use_subcommand -f -a %s", program->name, command->name);
    fish_text(out, command->text);
    const ValueKind kind = arguments_kind(command);
    if (kind == VALUE_FILE) return; /* fish completes files by default */
    fprintf(out, "complete -c %s -n '__fish_seen_subcommand_from %s' -f%s\n", program->name,
            command->name, kind == VALUE_FOLDER ? " -a '(__fish_complete_directories)'" : "");
}

void fish_print(FILE* out, const Program* program) {
    fprintf(out, "# Completion of %s for fish.\n", program->name);
    for (u32 i = 0; i < program->command_count && program->commands[i].name; i++) {
        fish_command(out, program, &program->commands[i]);
    }
    if (program->commands[0].name) {
        fprintf(out, "complete -c %s -n __fish_use_subcommand -f -a help", program->name);
        fish_text(out, "list the options of a command");
    }
    for (u32 i = 0; i < program->option_count; i++) {
        fish_option(out, program, &program->options[i]);
    }
    for (u32 i = 0; i < general_option_count; i++) {
        fish_option(out, program, &general_options[i]);
    }
}
