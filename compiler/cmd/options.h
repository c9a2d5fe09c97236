/* options.h - the tables of entc's command line. Help, manual and completions are made of them.
 *
 * A command is a row in options.c and a function named here, in a file of the part that does the
 * work or in commands.c. An option is a row that says where its value goes. */
#ifndef ENTC_OPTIONS_H
#define ENTC_OPTIONS_H

#include "build.h"
#include "bundles.h"
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
    Words        declarations; /* folders of them, for blobs that lie elsewhere */
    Words        packages;     /* that are packed */
    Words        roots;        /* that reach what is used */
    bool         all;          /* what is needed by what is needed too */
    u32          level;        /* of zstd */
    bool         json;
    const char*  max_output;   /* bytes that all outputs may have */
    const char*  trim;         /* bytes that may stay in the cache */
    bool         print;        /* what setup-git would do */
    bool         phony;        /* -MP: every depfile is like that */
    bool         finish, drop; /* what is done about a change that was interrupted */
};

typedef int CommandRun(const Options* options);
CommandRun  run_build, run_compile, run_why, run_cache, run_codegen, run_conform, run_schema,
    run_init, run_deps, run_refs, run_unused, run_mv, run_rm, run_pack, run_list, run_unpack,
    run_dump, run_diff, run_verify, run_info, run_setup_git;

/* The program: its commands, options, exit codes, environment, files and examples. */
extern const Program entc_program;

#endif
