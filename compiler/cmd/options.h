/* options.h - the tables of entc's command line. Help, manual and completions are generated from
 * them.
 *
 * A command is a row in options.c and a function declared here, which is in a file of its module or
 * in commands.c. An option is a row with the variable that receives its value. */
#ifndef ENTC_OPTIONS_H
#define ENTC_OPTIONS_H

#include "build.h"
#include "bundle.h"
#include "bundle_pack.h"
#include "command_line.h"
#include "inspect.h"

typedef enum ColorChoice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } ColorChoice;

struct Options {
    Words        arguments;
    BuildOptions build;
    bool         depend; /* write a depfile; named after -o unless `build` has a name */
    ColorChoice  color;
    DumpForm     dump;
    DiffForm     diff;
    const char*  picture; /* PNG file of a level of a texture */
    u32          picture_level;
    Words        declarations; /* folders of them, for blobs outside of an output folder */
    Words        packages;     /* that are packed */
    Words        roots;        /* the roots of the references */
    bool         why;          /* also the reasons why sources are used */
    bool         all;          /* also the dependencies of dependencies */
    const char*  inputs;       /* of `deps`: the list that is written */
    u32          level;        /* of zstd */
    bool         json;
    const char*  max_output;   /* limit for the bytes of all outputs */
    const char*  memory;       /* limit for what is compiled at the same time */
    const char*  cache_min;    /* of sources whose results are stored */
    const char*  clip_error;   /* of packed clips */
    const char*  trim;         /* bytes to keep in the cache */
    bool         print;        /* the instructions of setup-git */
    bool         phony;        /* -MP: every depfile has this form */
    bool         finish, drop; /* the action for an interrupted change */
    bool         references;   /* only these are rewritten */
    bool         canonical;    /* files get their canonical names */
};

/* The function of a command, which the row of the command in options.c names:
 *
 *     COMMAND(list) { return list_run(o->arguments.at[0], o->json); } */
typedef int CommandRun(const Options* o);
#define COMMAND(name)                                                                              \
    CommandRun run_##name;                                                                         \
    int        run_##name(const Options* o)

/* The program: its commands, options, exit codes, environment, files and examples. */
extern const Program entc_program;

#endif
