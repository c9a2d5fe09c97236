/* command_line.h - the command line of a program as tables. The parser, --help, the manual and the
 * completions of bash, zsh and fish use the same rows. */
#ifndef ENT_COMMAND_LINE_H
#define ENT_COMMAND_LINE_H

#include <stdio.h>

#include "base.h"
#include "exit_codes.h"

/* The target of the rows: each program has its own struct. */
typedef struct Options Options;

typedef struct Command {
    const char* name;                   /* "build"; NULL: the program has only one command */
    const char* arguments;              /* "SRC NAME.TYPE -o FILE" */
    const char* text;                   /* one line, lower case, no full stop */
    const char* manual;                 /* complete sentences; an empty line between paragraphs */
    u32         min, max;               /* arguments */
    int (*run)(const Options* options); /* returns an exit code */
} Command;

typedef enum OptionKind {
    OPTION_SWITCH, /* bool: true */
    OPTION_FLAG,   /* enum or u32: `least` */
    OPTION_MODE, /* the same, of options that exclude each other; one with the value `most` includes it */
    OPTION_TEXT,   /* const char* */
    OPTION_PATH,   /* const char*: what is written there; not "-", which is no standard output */
    OPTION_NUMBER, /* u32 from `least` to `most` */
    OPTION_CHOICE, /* enum or u32: position among the texts of `value` */
    OPTION_LIST,   /* Words: one more */
} OptionKind;

typedef struct Option {
    const char* name;     /* "--target" */
    const char* value;    /* "little|big", "FILE", "N"; NULL: has no value */
    const char* text;     /* one line, lower case, no full stop */
    const char* commands; /* "build compile"; NULL: all */
    OptionKind  kind;     /* of the variable at the offset */
    size_t      offset;   /* in Options */
    u32         min, max; /* */
} Option;

/* A row of the manual that is not parsed: "NO_COLOR", "never colour". */
typedef struct ManualRow {
    const char *name, *text;
} ManualRow;

typedef struct Program {
    const char*      name;          /* "entc" */
    const char*      text;          /* one line, lower case, no full stop */
    const char*      manual;        /* as of a command */
    const char*      version;       /* the line of --version */
    const char *     number, *date; /* of the manual: "0.2.0", "2026-11-22" */
    const Command*   commands;
    u32              command_count;
    const Option*    options;
    u32              option_count;
    const ManualRow *exits, *variables, *files, *examples; /* each up to a name of NULL */
    const char*      see_also;                             /* "entrun" */
    size_t           arguments;                            /* offset of a Words in Options */
    void (*version_print)(FILE* out);                      /* the line of --version */
    /* Returns the word of [count] that is most similar to `word`, or NULL; may be NULL itself. */
    const char* (*nearest)(Text word, const char* const* words, u32 count);
} Program;

/* Reads the words after argv[0], with the words of FILE instead of @FILE, into `options` and runs
 * the command. Returns its exit code; EXIT_USAGE, EXIT_IO or EXIT_LIMIT, after a message on stderr,
 * when it cannot be run; EXIT_IO when standard output could not be written. */
int program_run(const Program* program, Options* options, int argc, char** argv);

bool option_is_for(const Option* option, const Command* command);

/* --help: all commands, one per line, or one with its options. */
void help_print(FILE* out, const Program* program, const Command* command);

/* The options of every program: "--help", "--version". */
extern const Option general_options[];
extern const u32    general_option_count;

/* --help=man, bash, zsh, fish: a manual page of section 1 (man(7)), and completion scripts. */
void manual_print(FILE* out, const Program* program);
void bash_print(FILE* out, const Program* program);
void zsh_print(FILE* out, const Program* program);
void fish_print(FILE* out, const Program* program);

#endif
