/* build.h - a folder, or one resource of it, from sources to files. */
#ifndef ENTC_BUILD_H
#define ENTC_BUILD_H

#include "product.h"

typedef struct BuildOptions {
    const char* source;         /* asset folder */
    const char* out;            /* output folder; of `compile`: the blob's file */
    const char* resource;       /* of `compile`: NAME.TYPE; NULL: everything */
    const char* depfile;        /* of `compile`: written when not NULL, for make and ninja */
    const char* depfile_target; /* NULL: `out` */
    Target      target;
    DiagFormat  format;
    const char* lang;       /* variants that are wanted; NULL: plain files */
    const char* platform;   /* */
    u32         jobs;       /* threads; 0: the processors this process may run on */
    const char* cache;      /* folder of results of other builds; NULL: none */
    bool        force;      /* compile all, whatever the last build left */
    bool        strip;      /* leave entity names out of the blobs */
    bool        source_map; /* write a source map beside each blob */
    bool        check;      /* write nothing; EXIT_USAGE when something would change */
    bool        dry_run;    /* write nothing; tell what would be written */
    bool        quiet, verbose, color;
} BuildOptions;

/* Compiles, and writes when there was no error at all: either everything is written, or nothing.
 * Returns an exit code. */
int build_run(const BuildOptions* options);

#endif
