/* build.h - builds a folder, or one resource of it. */
#ifndef ENTC_BUILD_H
#define ENTC_BUILD_H

#include "command_line.h"
#include "diag_print.h"
#include "product.h"
#include "tree.h"

#define MAX_OUTPUT_BYTES 8000000000ull /* almost twice the size of the largest possible blob */

#define BATCH_MAX 100000

#define GRAPH_LIST_SUFFIX ".inputs" /* of the list of all files, beside the ninja file */

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
     * owns. Any thread calls this, while the outputs are written. */
    Text (*end)(void* user, const struct BuildOptions* options, const Tree* tree);
} BuildObserver;

/* What a build does with its results. */
typedef enum BuildMode {
    BUILD_WRITE,   /* either everything is written, or nothing when there is an error */
    BUILD_WATCH,   /* and again whenever a source changes */
    BUILD_DRY_RUN, /* nothing is written; what would be written is listed */
    BUILD_CHECK,   /* the same; EXIT_INVALID when something would change */
    BUILD_LIST,    /* only the paths of the outputs are listed */
    BUILD_GRAPH,   /* only the graph of `compile`s is written, for ninja */
    BUILD_ALONE,   /* everything is compiled and nothing is written; there is no output folder */
    BUILD_INPUTS, /* one resource is compiled, and only the list of its inputs is written, to `out` */
    BUILD_VARIANTS /* the same for every variant that occurs in file names */
} BuildMode;

/* Which program reads a depfile: some characters of paths are written differently for the two. */
typedef enum DepfileFormat { DEPFILE_BOTH, DEPFILE_MAKE, DEPFILE_NINJA } DepfileFormat;

typedef struct DepfileOptions {
    const char*   path;   /* NULL: none is written */
    const char*   target; /* NULL: the path of the blob */
    DepfileFormat format;
} DepfileOptions;

/* How a command reports what it does. */
typedef struct MessageOptions {
    DiagFormat format;
    bool       quiet, verbose, color;
    bool       progress; /* in a line that is overwritten */
} MessageOptions;

/* Both folders as they are, of a program that builds repeatedly. */
typedef struct BuildLists {
    Tree sources, outputs;
    u64  scanned_ns;  /* when the first of them was read */
    bool is_complete; /* the build takes them; false: it reads the folders */
} BuildLists;

typedef struct BuildOptions {
    const char*    source; /* asset folder */
    const char*    out; /* output folder; of `compile` with one resource: the file of the blob; of
                            * `check`: NULL */
    Words          resources; /* of `compile`: each NAME.TYPE; none: everything */
    const char*    inputs;    /* list of the files that may be read; NULL: the folder is listed */
    BuildMode      mode;
    CompileOptions compile;
    Variant        variant; /* that is requested; NULL: default files */
    DepfileOptions depfile; /* of `compile`, for make and ninja */
    MessageOptions messages;
    Words          plugins; /* libraries that provide component types */
    u32            jobs;    /* number of threads; 0: the number of processors of this process, or as
                                   * make's jobserver permits */
    const char*    report;  /* file of sizes and times; NULL: none */
    const char*    manifest; /* file of all outputs and inputs; NULL: none */
    const char*    budget;   /* file of size limits; NULL: none */
    const char*    graph;    /* of BUILD_GRAPH: the ninja file */
    u32            batch; /* of BUILD_GRAPH: number of resources that one command compiles; 0: 1 */
    const char*    cache; /* cache folder that builds share; NULL: none */
    u64  cache_min;       /* bytes of a source without prefabs from which its result is stored */
    u64  max_output;      /* limit for the bytes of all outputs together; 0: MAX_OUTPUT_BYTES */
    u64  memory; /* limit for large resources that are compiled at the same time; 0: half of what
                  * the process may use */
    bool keep_going;               /* write what does not depend on a source with errors */
    bool force;                    /* compile all, even what is up to date */
    bool take_over;                /* replace the outputs of another project */
    bool strict_models;            /* remarks about models are errors */
    bool backwards;                /* list the sources and compile in the reverse order */
    u64  unread_reported;          /* BuildCounts.unread of the files that were reported already */
    const BuildObserver* observer; /* of build_run and build_last; or NULL */
    BuildLists*          lists;    /* or NULL */
} BuildOptions;

/* May a build write outputs, or remove them? */
static inline bool build_writes(const BuildOptions* options) {
    return options->mode != BUILD_DRY_RUN && options->mode != BUILD_CHECK &&
           options->mode != BUILD_LIST && options->mode != BUILD_ALONE &&
           options->mode != BUILD_INPUTS;
}

/* Does `compile` compile several resources into a folder? One with errors leaves the others written. */
static inline bool build_is_batch(const BuildOptions* options) {
    return options->resources.count > 1;
}

/* May a build fill its cache? */
static inline bool build_stores(const BuildOptions* options) {
    return build_writes(options) || options->mode == BUILD_ALONE;
}

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

/* Compiles every variant that occurs in file names, and writes nothing. */
int build_check_variants(const BuildOptions* options);

/* The same for a process that ends afterwards: memory is not freed, because the system does this
 * faster. */
int build_last(const BuildOptions* options);

#endif
