/* entc.c - the command line: one table of commands, one of options. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "build.h"
#include "exit_codes.h"
#include "init.h"
#include "inspect.h"
#include "schema.h"

#define ENTC_VERSION "0.1"

typedef enum Command {
    BUILD,
    COMPILE,
    DUMP,
    DIFF,
    VERIFY,
    INFO,
    SCHEMA,
    INIT,
    COMMAND_COUNT
} Command;

static const struct {
    const char* name;
    const char* arguments;
    const char* text;
    u32         least, most; /* of arguments */
} commands[COMMAND_COUNT] = {
    [BUILD] = {"build", "SRC -o OUT", "compile a folder of assets", 1, 1},
    [COMPILE] = {"compile", "SRC NAME.TYPE -o FILE", "compile one resource of a folder", 2, 2},
    [DUMP] = {"dump", "BLOB", "show a blob as stable text", 1, 1},
    [DIFF] = {"diff", "A B", "compare two blobs or two output folders", 2, 2},
    [VERIFY] = {"verify", "BLOB...", "tell what is wrong with blobs", 1, UINT32_MAX},
    [INFO] = {"info", "PATH", "types, counts and bytes of a blob or folder", 1, 1},
    [SCHEMA] = {"schema", "[SRC] -o DIR", "write JSON Schemas for editors", 0, 1},
    [INIT] = {"init", "DIR", "start a project in a new folder", 1, 1},
};

#define FOR(command) (1u << (command))

typedef struct Options {
    BuildOptions build;
    DumpForm     dump;
    DiffForm     diff;
    const char** argument; /* [argument_count] */
    u32          argument_count;
} Options;

static bool set_out(Options* o, const char* value) { return o->build.out = value, true; }
static bool set_strip(Options* o, const char* value) {
    return UNUSED(value), o->build.strip = true;
}
static bool set_check(Options* o, const char* value) {
    return UNUSED(value), o->build.check = true;
}
static bool set_quiet(Options* o, const char* value) {
    return UNUSED(value), o->build.quiet = true;
}
static bool set_dry_run(Options* o, const char* value) {
    return UNUSED(value), o->build.dry_run = true;
}
static bool set_verbose(Options* o, const char* value) {
    return UNUSED(value), o->build.verbose = true;
}
static bool set_depfile(Options* o, const char* value) { return o->build.depfile = value, true; }
static bool set_depend(Options* o, const char* value) {
    UNUSED(value);
    if (!o->build.depfile) o->build.depfile = ""; /* named after -o once that is known */
    return true;
}
static bool set_target(Options* o, const char* value) {
    o->build.target = strcmp(value, "big") == 0 ? TARGET_BIG : TARGET_LITTLE;
    return o->build.target == TARGET_BIG || strcmp(value, "little") == 0;
}
static bool set_format(Options* o, const char* value) {
    static const char* const names[] = {"text", "json", "sarif", "github"};
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(value, names[i]) == 0) return o->build.format = (DiagFormat)i, true;
    }
    return false;
}
static bool set_json(Options* o, const char* value) {
    UNUSED(value);
    o->dump = DUMP_JSON;
    o->diff = DIFF_JSON;
    return true;
}
static bool set_annotate(Options* o, const char* value) {
    return UNUSED(value), o->dump = DUMP_ANNOTATE, true;
}
static bool set_stat(Options* o, const char* value) {
    return UNUSED(value), o->diff = DIFF_STAT, true;
}
static bool set_color(Options* o, const char* value) {
    if (strcmp(value, "auto") == 0) return true;
    o->build.color = strcmp(value, "always") == 0;
    return o->build.color || strcmp(value, "never") == 0;
}

static const struct Option {
    const char* name;
    const char* value; /* NULL: a switch */
    const char* text;
    u32         commands;
    bool (*set)(Options* options, const char* value);
} options_table[] = {
    {"-o", "PATH", "where to write", FOR(BUILD) | FOR(COMPILE) | FOR(SCHEMA), set_out},
    {"--target", "little|big", "byte order of the blobs (little)", FOR(BUILD) | FOR(COMPILE),
     set_target},
    {"--strip", NULL, "leave entity names out of the blobs", FOR(BUILD) | FOR(COMPILE), set_strip},
    {"--check", NULL, "write nothing; exit 1 when something would change",
     FOR(BUILD) | FOR(COMPILE) | FOR(SCHEMA), set_check},
    {"--dry-run", NULL, "write nothing; tell what would be written", FOR(BUILD) | FOR(COMPILE),
     set_dry_run},
    {"-MD", NULL, "write a depfile beside the blob", FOR(COMPILE), set_depend},
    {"-MF", "FILE", "write the depfile here", FOR(COMPILE), set_depfile},
    {"--diag-format", "text|json|sarif|github", "form of the diagnostics",
     FOR(BUILD) | FOR(COMPILE) | FOR(SCHEMA), set_format},
    {"--color", "auto|always|never", "colour in diagnostics",
     FOR(BUILD) | FOR(COMPILE) | FOR(SCHEMA), set_color},
    {"--json", NULL, "as JSON", FOR(DUMP) | FOR(DIFF), set_json},
    {"--annotate", NULL, "name every byte range", FOR(DUMP), set_annotate},
    {"--stat", NULL, "only counts", FOR(DIFF), set_stat},
    {"-q", NULL, "say nothing but errors", FOR(BUILD) | FOR(COMPILE) | FOR(VERIFY) | FOR(INIT),
     set_quiet},
    {"-v", NULL, "say what is written", FOR(BUILD) | FOR(COMPILE) | FOR(SCHEMA), set_verbose},
};

static void help_command(FILE* out, u32 command) {
    fprintf(out, "entc %s %s\n    %s\n", commands[command].name, commands[command].arguments,
            commands[command].text);
    for (u32 i = 0; i < COUNT_OF(options_table); i++) {
        const struct Option* option = &options_table[i];
        char                 head[64];
        if (!(option->commands & FOR(command))) continue;
        snprintf(head, sizeof head, "%s %s", option->name, option->value ? option->value : "");
        fprintf(out, "    %-40s %s\n", head, option->text);
    }
}

static int help_print(FILE* out, int code) {
    fputs("entc compiles JSON entities, levels and glTF models into blobs that are read in "
          "place.\n\n",
          out);
    for (u32 i = 0; i < COMMAND_COUNT; i++) help_command(out, i);
    fputs("\nentc help COMMAND, entc --version\n"
          "exit codes: 0 ok; 1 usage, or `diff` and `--check` found a difference; 2 a file cannot "
          "be\n"
          "read or written; 3 invalid input; 4 out of memory or over a limit; 5 a blob of another\n"
          "format version\n",
          out);
    return code;
}

static int usage(const char* format, const char* word, const char* near) {
    fputs("entc: error: ", stderr);
    fprintf(stderr, format, word);
    if (near) fprintf(stderr, "; did you mean \"%s\"?", near);
    fputs("\n", stderr);
    return EXIT_USAGE;
}

static const struct Option* option_find(const char* name, u32 command) {
    for (u32 i = 0; i < COUNT_OF(options_table); i++) {
        if (strcmp(options_table[i].name, name) == 0 && options_table[i].commands & FOR(command)) {
            return &options_table[i];
        }
    }
    return NULL;
}

static int option_unknown(const char* name, u32 command) {
    const char* names[COUNT_OF(options_table)];
    u32         count = 0;
    for (u32 i = 0; i < COUNT_OF(options_table); i++) {
        if (options_table[i].commands & FOR(command)) names[count++] = options_table[i].name;
    }
    return usage("there is no option \"%s\" here", name, diag_nearest(text_of(name), names, count));
}

/* `--target big` and `--target=big`; a lone `-` is an argument. */
static int arguments_read(Options* o, u32 command, int argc, char** argv) {
    char name[64];
    for (int i = 2; i < argc; i++) {
        const char* word = argv[i];
        if (word[0] != '-' || word[1] == 0) {
            o->argument[o->argument_count++] = word;
            continue;
        }
        const char* equals = strchr(word, '=');
        snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - word) : (int)strlen(word),
                 word);
        const struct Option* option = option_find(name, command);
        if (!option) return option_unknown(name, command);
        const char* value = equals ? equals + 1 : NULL;
        if (option->value && !value && ++i < argc) value = argv[i];
        if (option->value && !value) return usage("%s needs a value", name, NULL);
        if (!option->value && equals) return usage("%s takes no value", name, NULL);
        if (!option->set(o, value)) {
            fprintf(stderr, "entc: error: %s cannot be \"%s\"; it is %s\n", name, value,
                    option->value);
            return EXIT_USAGE;
        }
    }
    if (o->argument_count >= commands[command].least &&
        o->argument_count <= commands[command].most) {
        return EXIT_OK;
    }
    fprintf(stderr, "entc: error: usage: entc %s %s\n", commands[command].name,
            commands[command].arguments);
    return EXIT_USAGE;
}

static bool wants_color(void) {
    const char* term = getenv("TERM");
    if (getenv("CLICOLOR_FORCE")) return true;
    if (getenv("NO_COLOR") || getenv("CI")) return false;
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

static int run_build(Options* o, bool one) {
    BuildOptions* b = &o->build;
    char          depfile[4096];
    if (!b->out) return usage("%s: -o says where to write", one ? "compile" : "build", NULL);
    b->source = o->argument[0];
    b->resource = one ? o->argument[1] : NULL;
    if (b->depfile && !*b->depfile) {
        snprintf(depfile, sizeof depfile, "%s.d", b->out);
        b->depfile = depfile;
    }
    return build_run(b);
}

static int run_schema(Options* o) {
    BuildOptions* b = &o->build;
    if (!b->out) return usage("%s: -o says where to write", "schema", NULL);
    b->source = o->argument_count ? o->argument[0] : NULL;
    return schema_run(b);
}

/* The commands that read blobs know the same component types as those that write them. */
static int run_inspect(const Options* o, Command command) {
    Diagnostics* diag = diag_create();
    Registry     registry;
    int          code = EXIT_INVALID;
    if (registry_init(&registry, diag)) {
        const BlobOptions  known = registry_options(&registry);
        const char* const* argument = o->argument;
        if (command == DUMP)
            code = inspect_dump(argument[0], o->dump, &known);
        else if (command == DIFF)
            code = inspect_diff(argument[0], argument[1], o->diff, &known);
        else if (command == INFO)
            code = inspect_info(argument[0], &known);
        else
            code = inspect_verify(argument, o->argument_count, &known, o->build.quiet);
    }
    diag_print(diag, stderr, DIAG_TEXT, false);
    diag_destroy(diag);
    return code;
}

static int run_command(Options* o, Command command) {
    switch (command) {
    case BUILD:
    case COMPILE: return run_build(o, command == COMPILE);
    case SCHEMA: return run_schema(o);
    case INIT: return init_run(o->argument[0], o->build.quiet);
    default: return run_inspect(o, command);
    }
}

static int help(int argc, char** argv) {
    for (u32 i = 0; argc > 2 && i < COMMAND_COUNT; i++) {
        if (strcmp(argv[2], commands[i].name) != 0) continue;
        help_command(stdout, i);
        return EXIT_OK;
    }
    return help_print(stdout, EXIT_OK);
}

static int command_unknown(const char* word) {
    const char* names[COMMAND_COUNT];
    for (u32 i = 0; i < COMMAND_COUNT; i++) names[i] = commands[i].name;
    return usage("there is no command \"%s\"; see entc --help", word,
                 diag_nearest(text_of(word), names, COMMAND_COUNT));
}

/* A full disk behind standard output is a failure too. */
static int output_check(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    perror("entc: error: cannot write to standard output");
    return EXIT_IO;
}

int main(int argc, char** argv) {
    Options options = {.build.color = wants_color()};
    Command command = BUILD;
    if (argc < 2) return help_print(stderr, EXIT_USAGE);
    if (strcmp(argv[1], "--version") == 0) {
        printf("entc %s, blob format %u\n", ENTC_VERSION, BLOB_VERSION);
        return output_check(EXIT_OK);
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0) {
        return output_check(help(argc, argv));
    }
    while (command < COMMAND_COUNT && strcmp(argv[1], commands[command].name) != 0) command++;
    if (command == COMMAND_COUNT) return command_unknown(argv[1]);
    options.argument = memory_alloc(sizeof(char*) * (size_t)argc);
    int code = arguments_read(&options, command, argc, argv);
    if (code == EXIT_OK) code = run_command(&options, command);
    memory_free((void*)options.argument);
    return output_check(code);
}
