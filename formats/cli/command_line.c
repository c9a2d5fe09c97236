/* command_line.c - parses the words into options and runs the command. */
#include "command_line.h"

#include "streams.h"
#include "response.h"

/* --- help --- */

/* "entc build SRC -o OUT" */
static int usage_write(char* out, size_t bytes, const Program* program, const Command* command) {
    const char* name = command->name;
    return snprintf(out, bytes, "%s%s%s %s", program->name, name ? " " : "", name ? name : "",
                    command->arguments);
}

static void rows_print(FILE* out, const char* title, const ManualRow* rows) {
    fprintf(out, "\n%s:\n", title);
    for (; rows->name; rows++) fprintf(out, "    %-4s %s\n", rows->name, rows->text);
}

static void commands_help(FILE* out, const Program* program) {
    char line[256];
    int  widest = 0;
    for (u32 i = 0; i < program->command_count; i++) {
        const int width = usage_write(line, sizeof line, program, &program->commands[i]);
        widest = MAX_OF(widest, width);
    }
    for (u32 i = 0; i < program->command_count; i++) {
        usage_write(line, sizeof line, program, &program->commands[i]);
        fprintf(out, "    %-*s  %s\n", widest, line, program->commands[i].text);
    }
    fprintf(out, "\n%s help COMMAND lists the options of a command\n", program->name);
}

static void options_help(FILE* out, const Program* program, const Command* command) {
    for (u32 i = 0; i < program->option_count; i++) {
        const Option* option = &program->options[i];
        char          head[128];
        if (!option_is_for(option, command)) continue;
        snprintf(head, sizeof head, "%s %s", option->name, option->value ? option->value : "");
        fprintf(out, "    %-40s %s\n", head, option->text);
    }
}

void help_print(FILE* out, const Program* program, const Command* command) {
    char       line[256];
    const bool is_program = !command;
    if (is_program && program->commands[0].name) {
        fprintf(out, "%s %s\n\n", program->name, program->text);
        commands_help(out, program);
    } else {
        if (is_program) command = program->commands;
        usage_write(line, sizeof line, program, command);
        fprintf(out, "%s\n    %s\n", line, command->text);
        options_help(out, program, command);
    }
    if (is_program) rows_print(out, "exit codes", program->exits);
}

/* --- errors --- */

static int usage(const Program* program, const char* format, const char* word, const char* near) {
    fprintf(stderr, "%s: error: ", program->name);
    fprintf(stderr, format, word);
    if (near) fprintf(stderr, "; did you mean \"%s\"?", near);
    fputs("\n", stderr);
    return EXIT_USAGE;
}

static const char* nearest(const Program* program, const char* word, const char* const* words,
                           u32 count) {
    return program->nearest ? program->nearest(text_of(word), words, count) : NULL;
}

#define NAMES_MAX 256 /* commands of a program, options of a command */

static int command_unknown(const Program* program, const char* word) {
    const char* names[NAMES_MAX];
    const u32   count = program->command_count;
    char        text[128];
    assert(count <= NAMES_MAX);
    for (u32 i = 0; i < count; i++) names[i] = program->commands[i].name;
    snprintf(text, sizeof text, "\"%.80s\"; see %s --help", word, program->name);
    return usage(program, "unknown command %s", text, nearest(program, word, names, count));
}

static int option_unknown(const Program* program, const Command* command, const char* word) {
    const char* names[NAMES_MAX];
    u32         count = 0;
    assert(program->option_count <= NAMES_MAX);
    for (u32 i = 0; i < program->option_count; i++) {
        if (option_is_for(&program->options[i], command)) names[count++] = program->options[i].name;
    }
    return usage(program, "unknown option \"%s\" for this command", word,
                 nearest(program, word, names, count));
}

/* --- reading --- */

typedef struct Reading {
    const Program* program;
    const Command* command;
    u8*            options;
    Line           line;
    u32            at;   /* next word */
    bool           help; /* of the command was requested */
} Reading;

static const Option* option_find(const Reading* r, Text name) {
    for (u32 i = 0; i < r->program->option_count; i++) {
        const Option* option = &r->program->options[i];
        if (text_equal(text_of(option->name), name) && option_is_for(option, r->command)) {
            return option;
        }
    }
    return NULL;
}

/* Memory for as many items as there are words. */
static void words_add(Reading* r, Words* words, const char* word) {
    if (!words->at) words->at = line_alloc(&r->line, sizeof(char*) * r->line.count);
    words->at[words->count++] = word;
}

static bool number_read(const Option* option, const char* text, u32* out) {
    u64 value = 0;
    for (const char* at = text; *at; at++) {
        if (*at < '0' || *at > '9' || value > UINT32_MAX) return false;
        value = value * 10 + (u64)(*at - '0');
    }
    *out = (u32)value;
    return *text && value >= option->min && value <= option->max;
}

static bool choice_read(const Option* option, const char* text, u32* out) {
    const char* choice = option->value;
    for (u32 i = 0;; i++) {
        const size_t bytes = strcspn(choice, "|");
        if (strlen(text) == bytes && memcmp(text, choice, bytes) == 0) return *out = i, true;
        if (!choice[bytes]) return false;
        choice += bytes + 1;
    }
}

static bool option_set(Reading* r, const Option* option, const char* value) {
    void* to = r->options + option->offset;
    u32   number = option->min;
    switch (option->kind) {
    case OPTION_SWITCH: return *(bool*)to = true;
    case OPTION_PATH:
        if (strcmp(value, "-") == 0) return false;
        return memcpy(to, &value, sizeof value), true;
    case OPTION_TEXT: return memcpy(to, &value, sizeof value), true;
    case OPTION_LIST: return words_add(r, to, value), true;
    case OPTION_NUMBER:
        if (!number_read(option, value, &number)) return false;
        break;
    case OPTION_CHOICE:
        if (!choice_read(option, value, &number)) return false;
        break;
    case OPTION_MODE:
    case OPTION_FLAG: break;
    }
    memcpy(to, &number, sizeof number);
    return true;
}

static int value_refused(const Reading* r, const Option* option, const char* value) {
    fprintf(stderr, "%s: error: invalid value for %s: \"%s\"; expected ", r->program->name,
            option->name, value);
    if (option->kind == OPTION_NUMBER)
        fprintf(stderr, "a number from %u to %u\n", option->min, option->max);
    else if (option->kind == OPTION_PATH)
        fprintf(stderr, "a path, because this is not written to standard output; a file with this "
                        "name is ./-\n");
    else
        fprintf(stderr, "%s\n", option->value);
    return EXIT_USAGE;
}

/* Another option of this command that has set the variable of a mode, and that this one neither includes nor is part
 * of; or NULL. */
static const Option* mode_conflict(const Reading* r, const Option* option) {
    u32 mode;
    memcpy(&mode, r->options + option->offset, sizeof mode);
    for (u32 i = 0; i < r->program->option_count && mode; i++) {
        const Option* other = &r->program->options[i];
        if (other->kind == OPTION_MODE && other->offset == option->offset && other->min == mode)
            return other->max == option->min || other == option ? NULL : other;
    }
    return NULL;
}

static int mode_set(Reading* r, const Option* option) {
    u32 mode;
    memcpy(&mode, r->options + option->offset, sizeof mode);
    if (mode && mode == option->max) return EXIT_OK;
    const Option* other = mode_conflict(r, option);
    if (!other) return option_set(r, option, NULL), EXIT_OK;
    fprintf(stderr, "%s: error: %s: %s and %s cannot be combined\n", r->program->name,
            r->command->name, other->name, option->name);
    return EXIT_USAGE;
}

/* `--target big`, `--target=big`, and of one letter `-j4`. */
static int option_read(Reading* r, const char* word) {
    const char*   equals = strchr(word, '=');
    const char*   value = equals ? equals + 1 : NULL;
    const Text    name = {word, equals ? (u32)(equals - word) : (u32)strlen(word)};
    const Option* option = option_find(r, name);
    if (!option && word[1] != '-' && word[2]) {
        option = option_find(r, (Text){word, 2});
        if (option && !option->value) option = NULL;
        value = word + 2;
    }
    if (!option) {
        char cut[64];
        snprintf(cut, sizeof cut, "%.*s", (int)name.bytes, word);
        return option_unknown(r->program, r->command, cut);
    }
    if (option->value && !value && r->at < r->line.count) value = r->line.word[r->at++];
    if (option->value && !value) return usage(r->program, "%s needs a value", option->name, NULL);
    if (!option->value && value) return usage(r->program, "%s takes no value", option->name, NULL);
    if (option->kind == OPTION_MODE) return mode_set(r, option);
    return option_set(r, option, value) ? EXIT_OK : value_refused(r, option, value);
}

/* After `--` everything is an argument; a single `-` is always an argument. */
static int words_read(Reading* r) {
    Words* arguments = (Words*)(void*)(r->options + r->program->arguments);
    bool   options = true;
    int    code = EXIT_OK;
    while (r->at < r->line.count && code == EXIT_OK) {
        const char* word = r->line.word[r->at++];
        if (!options || word[0] != '-' || word[1] == 0)
            words_add(r, arguments, word);
        else if (strcmp(word, "--") == 0)
            options = false;
        else if (strcmp(word, "--help") == 0)
            return r->help = true, EXIT_OK;
        else
            code = option_read(r, word);
    }
    if (code != EXIT_OK) return code;
    if (arguments->count >= r->command->min && arguments->count <= r->command->max) {
        return EXIT_OK;
    }
    char text[256];
    usage_write(text, sizeof text, r->program, r->command);
    return usage(r->program, "usage: %s", text, NULL);
}

/* --- running --- */

static const Command* command_find(const Program* program, const char* name) {
    for (u32 i = 0; i < program->command_count; i++) {
        const char* known = program->commands[i].name;
        if (known && strcmp(known, name) == 0) return &program->commands[i];
    }
    return NULL;
}

/* For `make install`, so they are not listed. */
static const struct {
    const char* name;
    void (*print)(FILE* out, const Program* program);
} forms[] = {
    {"--help=man", manual_print},
    {"--help=bash", bash_print},
    {"--help=zsh", zsh_print},
    {"--help=fish", fish_print},
};

/* Handles --help, --version and similar first words. */
static bool answer(const Program* program, const Line* line, int* code) {
    const char* word = line->count ? line->word[0] : "";
    const bool  help = program->commands[0].name && strcmp(word, "help") == 0;
    *code = EXIT_OK;
    if (strcmp(word, "--version") == 0) return program->version_print(stdout), true;
    for (u32 i = 0; i < COUNT_OF(forms); i++) {
        if (strcmp(word, forms[i].name) == 0) return forms[i].print(stdout, program), true;
    }
    if (help && line->count > 1) {
        const Command* command = command_find(program, line->word[1]);
        if (!command) return *code = command_unknown(program, line->word[1]), true;
        help_print(stdout, program, command);
        return true;
    }
    if (!help && strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0) return false;
    help_print(stdout, program, NULL);
    return true;
}

/* Reads the line. Returns the command to run; or NULL when the line was answered or refused, with the exit code. */
static const Command* line_read(Reading* r, int* code) {
    const Program* program = r->program;
    if (answer(program, &r->line, code)) return NULL;
    *code = EXIT_USAGE;
    if (r->line.count == 0) return help_print(stderr, program, NULL), NULL;
    r->command = program->commands;
    if (r->command->name) r->command = command_find(program, r->line.word[r->at++]);
    if (!r->command) return *code = command_unknown(program, r->line.word[0]), NULL;
    *code = words_read(r);
    if (r->help) return help_print(stdout, program, r->command), *code = EXIT_OK, NULL;
    return *code == EXIT_OK ? r->command : NULL;
}

/* A full disk at standard output is a failure too. */
static int output_check(const Program* program, int code) {
    const int failure = streams_flush();
    if (!failure) return code;
    fprintf(stderr, "%s: error: cannot write to standard output: %s\n", program->name,
            failure > 0 ? strerror(failure) : "an earlier write failed");
    return EXIT_IO;
}

int program_run(const Program* program, Options* options, int argc, char** argv) {
    Reading r = {.program = program, .options = (u8*)options, .line.program = program->name};
    int     code = EXIT_OK;
    streams_begin();
    if (argc > 1) code = line_add(&r.line, (const char* const*)argv + 1, (u32)argc - 1);
    const Command* command = code == EXIT_OK ? line_read(&r, &code) : NULL;
    if (command) code = command->run(options);
    line_drop(&r.line);
    return output_check(program, code);
}
