/* build.h - builds a folder, or one resource of it. */
#ifndef ENTC_BUILD_H
#define ENTC_BUILD_H

#include "command_line.h"
#include "diag_print.h"
#include "product.h"

#define MAX_OUTPUT_BYTES 8000000000ull /* almost twice the size of the largest possible blob */

#define CLIP_ERROR 1e-4f /* unless --clip-error states another one */

struct BuildOptions;

/* Receives the references between the resources of a build that finds all of them: it compiles every
 * resource of a folder, without plugins, in which no file belongs to a variant. Others call none of
 * the functions. */
typedef struct BuildObserver {
    void* user;
    /* Before the first of so many resources is compiled, by so many threads. Returns false when nothing
     * is to be observed. */
    bool (*begin)(void* user, const Assets* assets, u32 resources, u32 workers);
    /* A resource was compiled without errors; `compile` has its links, and is not used afterwards.
     * Threads call this at the same time, each with another `worker`. The resources are numbered by
     * name, then type. Returns false when the observer needs nothing more; then `end` is not called. */
    bool (*add)(void* user, u32 worker, u32 resource, Compile* compile, ResourceType type);
    /* There was no error. Returns the part of the build database with the references, which the observer
     * owns. */
    Text (*end)(void* user, const struct BuildOptions* options, const Tree* tree);
} BuildObserver;

/* Which program reads a depfile: some characters of paths are written differently for the two. */
typedef enum DepfileFormat { DEPFILE_BOTH, DEPFILE_MAKE, DEPFILE_NINJA } DepfileFormat;

typedef struct BuildOptions {
    const char*   source;         /* asset folder */
    const char*   out;            /* output folder; of `compile`: the file of the blob */
    const char*   resource;       /* of `compile`: NAME.TYPE; NULL: everything */
    const char*   depfile;        /* of `compile`: written when not NULL, for make and ninja */
    const char*   depfile_target; /* NULL: `out` */
    DepfileFormat depfile_format;
    Target        target;
    DiagFormat    format;
    const char*   lang;     /* requested variants; NULL: default files */
    const char*   platform; /* */
    Words         plugins;  /* libraries that provide component types */
    u32           jobs;     /* number of threads; 0: the number of processors of this process, or as
                         * make's jobserver permits */
    const char*   report;   /* file of sizes and times; NULL: none */
    const char*   manifest; /* file of all outputs and inputs; NULL: none */
    const char*   budget;   /* file of size limits; NULL: none */
    f32         clip_error; /* of joints, as a share of the skeleton's extent; 0: clips are exact */
    u64         max_output; /* limit for the bytes of all outputs together; 0: MAX_OUTPUT_BYTES */
    const char* cache;      /* cache folder that builds share; NULL: none */
    const char* graph;      /* only write the graph of `compile`s, for ninja, into this file */
    bool        keep_going; /* write what does not depend on a source with errors */
    bool        force;      /* compile all, even what is up to date */
    bool        take_over;  /* replace the outputs of another project */
    bool        strip;      /* omit entity names and declarations from the blobs */
    bool        strict_models; /* remarks about models are errors */
    bool        source_map;    /* write a source map beside each blob */
    bool        check;         /* write nothing; EXIT_INVALID when something would change */
    bool        dry_run;       /* write nothing; list what would be written */
    bool        backwards;     /* list the sources and compile in the reverse order */
    bool        watch;         /* of watch_run */
    bool        variants;      /* of build_check_variants */
    bool        list;          /* only list the paths of the outputs */
    bool        progress;      /* show the progress in a line that is overwritten */
    bool        quiet, verbose, color;
    u64         unread_reported;   /* BuildCounts.unread of the files that were reported already */
    const BuildObserver* observer; /* of build_run and build_last; or NULL */
} BuildOptions;

/* The results of a build. */
typedef struct BuildCounts {
    u32 errors; /* that were reported */
    u32 compiled, cached, written, unchanged, removed;
    f64 ms;
    u64 unread; /* hash of the list of unread files; 0: there are none */
} BuildCounts;

/* Compiles, and writes if there was no error: either everything is written, or nothing. With
 * `keep_going`, the resources that have no errors, and of which no source has errors, are written.
 * `counts` may be NULL. Returns an exit code. */
int build_run(const BuildOptions* options, BuildCounts* counts);

/* Compiles every variant that occurs in file names, and writes nothing. `out` may be NULL. */
int build_check_variants(const BuildOptions* options);

/* The same for a process that ends afterwards: memory is not freed, because the system does this
 * faster. */
int build_last(const BuildOptions* options);

#endif
