/* build.h - a folder, or one resource of it, from sources to files. */
#ifndef ENTC_BUILD_H
#define ENTC_BUILD_H

#include "command_line.h"
#include "product.h"

#define MAX_OUTPUT_BYTES 8000000000ull /* nearly twice what the largest blob has */

typedef struct BuildOptions {
    const char* source;         /* asset folder */
    const char* out;            /* output folder; of `compile`: the blob's file */
    const char* resource;       /* of `compile`: NAME.TYPE; NULL: everything */
    const char* depfile;        /* of `compile`: written when not NULL, for make and ninja */
    const char* depfile_target; /* NULL: `out` */
    Target      target;
    DiagFormat  format;
    const char* lang;     /* variants that are wanted; NULL: plain files */
    const char* platform; /* */
    Words       plugins;  /* libraries that bring component types */
    u32         jobs;   /* threads; 0: the processors this process may run on, or what make says */
    const char* report; /* file of sizes and times; NULL: none */
    const char* budget; /* file of bytes that may not be exceeded; NULL: none */
    u64         max_output; /* bytes that all outputs may have together; 0: MAX_OUTPUT_BYTES */
    const char* cache;      /* folder of results of other builds; NULL: none */
    const char* graph;      /* only write the graph of `compile`s, for ninja, into this file */
    bool        force;      /* compile all, whatever the last build left */
    bool        strip;      /* leave entity names out of the blobs */
    bool        source_map; /* write a source map beside each blob */
    bool        check;      /* write nothing; EXIT_INVALID when something would change */
    bool        dry_run;    /* write nothing; tell what would be written */
    bool        watch;      /* of watch_run */
    bool        variants;   /* of build_check_variants */
    bool        list;       /* only tell the paths of the outputs */
    bool        progress;   /* tell how far it is, in a line that is written over */
    bool        quiet, verbose, color;
    u64         unread_told; /* BuildCounts.unread of files that need not be reported again */
} BuildOptions;

/* What a build did. */
typedef struct BuildCounts {
    u32 errors; /* that were told */
    u32 compiled, cached, written, unchanged, removed;
    f64 ms;
    u64 unread; /* which files nothing reads, as one number; 0: there are none */
} BuildCounts;

/* Compiles, and writes when there was no error at all: either everything is written, or nothing.
 * `counts` may be NULL. Returns an exit code. */
int build_run(const BuildOptions* options, BuildCounts* counts);

/* Compiles every variant that the names of files allow, and writes nothing. `out` may be NULL. */
int build_check_variants(const BuildOptions* options);

/* The same for a process that ends with it, which gives back its memory faster than we could. */
int build_last(const BuildOptions* options);

#endif
