/* build_internal.h - what the parts of a build share.
 *
 * build.c          from folders to what there will be, and the order of everything
 * build_compile.c  what has to be compiled, on all threads
 * build_cost.c     how much that is, before it is made
 * build_write.c    outputs, what is stale, the depfile
 * build_map.c      the source maps beside the outputs
 * build_ledger.c   what the next build needs to know
 * build_cache.c    what other builds may take from the cache
 * build_graph.c    the outputs as a list or a graph, instead of building them
 * build_variants.c  all variants of a folder, compiled and not written
 * build_unread.c   which files of the source folder nothing reads */
#ifndef ENTC_BUILD_INTERNAL_H
#define ENTC_BUILD_INTERNAL_H

#include "build.h"
#include "cache.h"
#include "exit_codes.h"
#include "fresh.h"
#include "progress.h"
#include "registry.h"

/* Why a resource is compiled. */
typedef enum Reason {
    REASON_NONE,        /* it is not: nothing that it is made of has changed */
    REASON_FORCED,      /* --force */
    REASON_NO_LEDGER,   /* there is no record of the last build */
    REASON_ENVIRONMENT, /* entc, a library or an option is another one */
    REASON_NEW,         /* the last build did not have it */
    REASON_READ_GONE,   /* a file that it is made of is gone */
    REASON_READ_MOVED,  /* a name leads to another file */
    REASON_READ_CHANGED,
    REASON_NEED_GONE,      /* what it needs at runtime is gone */
    REASON_OUTPUT_GONE,    /* */
    REASON_OUTPUT_CHANGED, /* not by entc */
    REASON_MAP,            /* its source map is wanted, and not there or not as it was */
    REASON_WARNED          /* the last build warned of it */
} Reason;

/* Where something is named; "" and 0: nowhere. */
typedef struct Place {
    const char* path; /* below the source folder */
    u32         line, column;
} Place;

/* What a product is made of, or needs at runtime. A need of type RESOURCE_NONE is the path of a
 * file that a model names and entc does not read, and need not be there. */
typedef struct Edge {
    bool         need;
    ResourceType type;
    const char*  name;
    Asset*       asset; /* that was read; of a need NULL */
    u64          bytes; /* that it brought into the blob */
    Place        place;
} Edge;

/* The source map of a product that was compiled. */
typedef struct ProductMap {
    const char* text; /* [bytes] its own, or the entry's; NULL: none is wanted */
    size_t      bytes;
    CacheEntry  entry; /* of the cache, when it came from there */
    Hash128     hash;
    FileStamp   stamp; /* when it was written */
    FileChange  change;
    int         failed; /* errno of writing it */
} ProductMap;

/* What has become of a product that is compiled. */
typedef struct Made {
    const u8*    bytes; /* [size] its own, or the entry's */
    size_t       size;
    CacheEntry   entry; /* of the cache, when it came from there */
    Hash128      hash;
    const Edge*  edges; /* [edge_count] reads, the source itself first, then needs */
    u32          edge_count;
    Diagnostics* diag;    /* errors and warnings; NULL: none */
    u64          cost;    /* bytes that an entity or level will have at most, as counted */
    u64          work;    /* the same with what is held meanwhile */
    bool         refused; /* by that count: it has too many entities */
    bool         skipped; /* it is not compiled: the build was refused by its counts */
    u64          compile_ns;
    FileStamp    stamp;  /* of the output, when it was written */
    FileChange   change; /* */
    int          failed; /* errno of writing it */
    ProductMap   map;
} Made;

/* A resource that there will be. */
typedef struct Product {
    Asset*       asset;
    const char*  name;
    ResourceType type;
    u32          index; /* in the model; NONE for a file of its own, or in a model not yet read */
    u64          id;
    u32          row;   /* in the ledger, or NONE */
    Reason       found; /* why it is compiled */
    const char*  why;   /* the same in words */
    Made*        made;  /* NULL: it is not compiled, its output is good */
} Product;

/* What a thread keeps from product to product. */
typedef struct Worker {
    Compile      compile;
    Diagnostics* diag;
    Arena        arena; /* of the products' edges */
} Worker;

/* Which products the ledger has of each file, as chains of rows + 1. */
typedef struct Known {
    u32* first; /* [ledger's files] */
    u32* next;  /* [ledger's products] */
} Known;

typedef struct Build {
    const BuildOptions* options;
    Diagnostics*        diag;
    Registry            registry;
    Tree                sources, outputs;
    Settings            settings;
    FileView            budget; /* text of the budget's file */
    Assets              assets;
    Ledger              ledger;
    int                 ledger_unread; /* errno: there is one that could not be read */
    Fresh               fresh;
    Cache               cache;
    Known               known;
    Arena               arena;
    const char*         shared_why; /* the reason of all products, when they have one in common */
    char*               environment;
    Hash128             environment_hash;
    bool                same_environment; /* as in the ledger */
    bool                distrust;         /* neither the ledger nor the cache is read: see misled */
    u32                 misled; /* atomic; 1: what they say about a model is not what is in it */
    u64                 scanned_ns;
    JobPool*            pool;
    Progress            progress;
    Worker*             worker; /* [ent_job_worker_count] */
    ARRAY(Product) products;
    Slots          product_slots; /* of the products, by name and type */
    u32            written, unchanged, compiled, cached, removed;
    u32            maps;           /* that were written */
    bool           idle;           /* there was nothing to do */
    struct Traces* traces;         /* what other variants were compiled of; or NULL */
    ARRAY(const TreeFile*) unread; /* files of the source folder that nothing reads, by path */
} Build;

/* Threads and a place for diagnostics; end it in any case. */
int  build_begin(Build* build, const BuildOptions* options);
void build_end(Build* build);

/* Ends its threads, when nothing more is compiled and its sources are still needed. */
void workers_stop(Build* build);

/* Ends it and begins it anew without the ledger and the cache, which have misled it. */
int build_restart(Build* build);

/* Looks at the folders and the ledger, and lists what there will be, reading what it has to for
 * that and no more. Returns an exit code. */
int build_look(Build* build);

/* The product of a name and type, or NULL. */
Product* product_find(const Build* build, Text name, ResourceType type);

/* Why a product has to be compiled, from the ledger and the folders as they are. */
Reason product_reason(const Build* build, const Product* product);

/* The same for a row of the ledger's reads, and needs. */
Reason read_reason(const Build* build, u32 row);
bool   need_is_gone(const Build* build, u32 row);

/* Is a product's row in the ledger one of the source that it has today? */
bool row_is_of(const Build* build, u32 row, const Asset* asset);

/* Are the files that a model was made of the same? Then the ledger knows what is in it. */
bool model_is_known(const Build* build, const Asset* asset);

/* Is it known what is in a model, from the ledger or the cache? Once for each, by one thread,
 * before model_open; which asks itself where nobody did. */
bool model_recall(Build* build, Asset* asset);

/* Counts all models that will be read; when they come to too much, which is reported, most of them
 * are refused. */
void models_count(Build* build);

/* Takes from the cache what that has, and counts the rest; when that is too much, which is
 * reported, marks what is not to be compiled. */
void products_count(Build* build);

/* Do the outputs that the ledger has come to no more than they may? */
bool ledger_fits(const Build* build);

/* What is in a model: from the ledger, the cache, or the model. False: it has errors. Any thread.
 */
bool model_open(Build* build, Asset* asset);

/* Takes a product from the cache with its edges; stores one. Any thread. */
bool product_from_cache(Build* build, Product* product, Worker* worker);
void product_to_cache(Build* build, const Product* product);

/* Takes a map from the cache that is of the sources that a list names; stores one. Any thread. */
bool map_from_cache(Build* build, Product* product, Text list);
void map_to_cache(Build* build, const Product* product, Text list);

/* Writes a product's map, or removes the one that nobody wants any more, of `compile`; the blob
 * stands at `path`. Any thread. */
void map_write(Build* build, Product* product, const char* path);

/* Tells what was done with it; an exit code. */
int map_tell(Build* build, const Product* product, const char* path);

/* Are the maps in the output folder those that are wanted? */
bool maps_are_settled(const Build* build);
bool map_is_settled(const Build* build, u32 row);

/* Is a file of the output folder a map that is not wanted? ENT_IO with errno: it cannot be read. */
MUST_CHECK ent_status map_is_stale(const Build* build, const TreeFile* file, bool* stale);

void map_drop(ProductMap* map);

void products_compile(Build* build);

/* Exit codes. */
int products_write(Build* build);
int depfile_write(const Build* build);
int stale_remove(Build* build);
int build_record(Build* build);
int outputs_list(const Build* build);
int graph_write(Build* build);

/* Did another variant compile the product, of what it would be made of now? */
bool trace_holds(const Build* build, const Product* product);

/* Finds the files that nothing reads, after a build without errors. */
void unread_find(Build* build);

/* What was found, as one number; 0: nothing. */
u64 unread_digest(const Build* build);

/* Reports them in a line, or one by one, unless the options say that they were reported. */
void unread_print(const Build* build, FILE* out);

/* Writes the ledger again with the stamps of today, when nothing else has changed and that can be.
 */
void build_record_stamps(Build* build);

#endif
