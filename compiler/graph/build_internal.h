/* build_internal.h - shared by the parts of a build.
 *
 * build.c           defines the order of all steps
 * build_steps.c     the steps that every action has: begin, look, compile, end
 * build_products.c  the list of products
 * build_select.c    determines what has to be compiled, and why
 * build_traces.c    what other variants have compiled from the same inputs
 * build_compile.c   compiles on all threads what is selected
 * build_cost.c      estimates the size of the outputs
 * build_memory.c    limits how many large products are compiled at the same time
 * build_stage.c     moves what was compiled into temporary files
 * build_outputs.c   finds outputs of no product, which are removed, and foreign files
 * build_write.c     writes the outputs
 * build_inputs.c    writes the list of inputs of one resource
 * depfile.c         writes the inputs of one resource for make and ninja
 * build_map.c       writes the source maps beside the outputs
 * build_names.c     compares the ids of the names in all products
 * build_database.c  writes the build database for the next build
 * build_index.c     writes the index of the outputs, which is the last step
 * build_cache.c     reads and stores products in the cache
 * build_graph.c     lists the outputs or writes a ninja file, instead of building
 * build_variants.c  compiles all variants of a folder without writing them
 * build_unusable.c  removes images that cannot be decoded and that nothing uses
 * build_image.c     compiles a single one of them
 * build_unread.c    finds the files of the source folder that are not read
 * build_again.c     builds repeatedly, and keeps what is known between two builds
 * build_edit.c      finds out what a changed file means for the next build */
#ifndef ENTC_BUILD_INTERNAL_H
#define ENTC_BUILD_INTERNAL_H

#include "build.h"
#include "cache.h"
#include "exit_codes.h"
#include "file_stage.h"
#include "input_list.h"
#include "job_budget.h"
#include "up_to_date.h"
#include "progress.h"
#include "print.h"
#include "registry.h"

/* The reason why a resource is compiled. */
typedef enum Reason {
    REASON_NONE,         /* it is not compiled: none of its inputs has changed */
    REASON_FORCED,       /* --force */
    REASON_NO_DATABASE,  /* there is no build database of the last build */
    REASON_ENVIRONMENT,  /* entc, a library or an option has changed */
    REASON_NEW,          /* it was not part of the last build */
    REASON_FAILED,       /* the last build found errors in its sources */
    REASON_READ_REMOVED, /* one of its sources was removed */
    REASON_READ_MOVED,   /* a name refers to another file */
    REASON_READ_CHANGED,
    REASON_PATTERN,        /* a pattern of the package matches other resources */
    REASON_NEED_REMOVED,   /* what it needs at runtime is gone */
    REASON_OUTPUT_REMOVED, /* */
    REASON_OUTPUT_CHANGED, /* not by entc */
    REASON_MAP,            /* its source map is requested, and missing or changed */
    REASON_WARNED          /* the last build reported warnings for it */
} Reason;

/* The position of a name in a source; "" and 0: none. */
typedef struct Place {
    const char* path; /* below the source folder */
    u32         line, column;
} Place;

/* A source of a product, or a resource that it needs at runtime. A need of type RESOURCE_NONE is
 * the path of a file that a model refers to and that entc does not read; it need not exist. One of
 * TYPE_OF_NAME is a name in a field, and one of TYPE_OF_PATTERN a pattern of a package. */
typedef struct Edge {
    bool         need;
    ResourceType type;
    const char*  name;
    Asset*       asset; /* that was read; of a need NULL */
    u64          bytes; /* that it added to the blob */
    Place        place;
} Edge;

/* The source map of a product that was compiled. */
typedef struct ProductMap {
    const char* text;  /* [bytes] own memory, or that of the cache entry; NULL: see `settled` */
    size_t      bytes; /* 0: it is not requested */
    FileView    view;  /* of the cache entry, when it was read from there */
    Hash128     hash;
    FileStamp   stamp; /* when it was written */
    FileStage*  stage; /* the temporary file that contains it; or NULL */
    FileChange  change;
    int         failed; /* errno of writing it */
    bool        is_cached;
    bool        settled; /* `change` is known, and the text is not in memory */
} ProductMap;

/* The result of compiling a product. There are as many as products: the order of the members leaves no gaps. */
typedef struct Compiled {
    const u8*    bytes; /* [size] own memory, or that of the cache entry; NULL: see `settled` */
    size_t       size;
    FileView     view; /* of the cache entry, as long as the bytes are in memory */
    Hash128      hash;
    u64          stored_hash; /* as blob_stored_hash returns it */
    const Edge*  edges;       /* [edge_count] reads, the source itself first, then needs */
    Diagnostics* diag;        /* errors and warnings; NULL: none */
    u64          cost;        /* estimated upper bound for the bytes of an entity or level */
    u64          work;        /* the same including temporary memory */
    const char*  unusable;    /* why its image cannot be decoded, which has no settings; or NULL */
    u64          compile_ns;
    FileStamp    stamp; /* of the output, when it was written */
    FileStage*   stage; /* the temporary file that contains it; or NULL */
    ProductMap*  map;   /* empty and never written, if it is not requested */
    u32          edge_count;
    FileChange   change;      /* of the output */
    int          failed;      /* errno of writing it */
    bool         is_cached;   /* it was read from the cache */
    bool         has_prefabs; /* of a model: `cost` is that of what it instances */
    bool         refused;     /* by the estimate: it has too many entities */
    bool         skipped;     /* it is not compiled: the build was rejected by the estimate */
    bool         is_compiled; /* */
    bool         invalid;     /* it has errors, or one of its sources has: it is not written */
    bool         settled;     /* `change` is known, and the bytes are not in memory */
    bool         put;         /* it was written, or could not be */
} Compiled;

/* A resource that the build produces. */
typedef struct Product {
    Asset*       asset;
    const char*  name;
    ResourceType type;
    u32          index; /* in the model; NONE for a file of its own, or in a model not yet read */
    u64          id;
    u32          row;      /* in the build database, or NONE */
    Reason       found;    /* the reason why it is compiled */
    const char*  reason;   /* the same as text */
    Compiled*    compiled; /* NULL: it is not compiled, because its output is up to date */
} Product;

/* The state that a thread reuses from product to product. */
typedef struct Worker {
    Compile      compile;
    Diagnostics* diag;
    Arena        arena; /* of the products' edges */
    bool         has_reserved;
} Worker;

/* The products of each file in the build database, as linked lists of rows + 1. */
typedef struct Known {
    u32* first; /* [database's files] */
    u32* next;  /* [database's products] */
} Known;

/* One input of a product that a variant has compiled. */
typedef struct TraceRow {
    const char*  name;
    ResourceType type;
    const char*  path; /* of the source to which the name referred; NULL: it only has to exist */
} TraceRow;

/* A product that was compiled without errors, with all its sources and needs. */
typedef struct Trace {
    u32       next; /* of the same product; index + 1 */
    u64       id;
    u64       declarations; /* that existed */
    TraceRow* rows;         /* [count] */
    u32       count;
} Trace;

typedef struct Traces {
    Arena arena;
    ARRAY(Trace) traces;
    Slots slots;        /* of the newest trace of each product, by its id */
    u64   declarations; /* that exist now */
} Traces;

/* Limits of memory, in bytes. */
typedef struct BuildMemory {
    u64       limit; /* of all large products that are compiled at the same time */
    u64       kept;  /* of sources that no thread uses */
    JobBudget used;  /* of the limit */
} BuildMemory;

/* What was compiled and is not in memory. */
typedef struct BuildStage {
    u64     kept;      /* atomic; bytes of small outputs in memory */
    u32     rejected;  /* atomic; 1: there is an error, and nothing will be written */
    bool    has_links; /* there are symbolic links in the output folder */
    u32     existing;  /* bytes of the path of the output folder that existed before */
    JobOnce once;      /* guards it; done when a temporary file was created */
} BuildStage;

typedef struct Build {
    const BuildOptions* options;
    Diagnostics*        diag;
    Registry            registry;
    Tree                sources, outputs;
    InputList           inputs;
    int                 absent_code; /* the exit code of a requested resource that does not exist */
    Settings            settings;
    FileView            budget; /* text of the budget's file */
    Assets              assets;
    Database            database;
    int                 database_unread; /* errno: it exists and could not be read */
    UpToDate            up_to_date;
    Cache               cache;
    Known               known;
    Arena               arena;
    const char*         shared_reason; /* the common reason of all products, if there is one */
    char*               environment;
    Hash128             environment_hash;
    bool                same_environment; /* as in the build database */
    bool                distrust;         /* neither the build database nor the cache is read: see
                                           * misled */
    void*               index;            /* [index_bytes] the index of the outputs */
    size_t              index_bytes;      /* */
    u32                 index_rows;
    Text                links; /* for the build database; see links_make */
    bool index_differs;      /* from the one in the output folder, of a build that does not write */
    bool differs;            /* --check found a difference, and no error */
    bool is_single;          /* only some resources are compiled: their errors are reported */
    bool is_part;            /* only some are compiled, and the others are known to be up to date */
    bool kept_going;         /* there were errors, and the rest was written */
    u32  observed;           /* atomic; 1: the observer receives all references */
    bool models_have_images; /* in files of the folder, which are no resources */
    bool refused;            /* an error concerns all outputs: nothing is written */
    bool is_eager;           /* entities and levels are compiled as soon as they are estimated */
    bool is_hasty;           /* some were, although the build is rejected */
    u64  eager_bytes;        /* atomic; the estimates of these */
    u32  misled;             /* atomic; 1: their description of a model differs from its
                                 * content */
    u64  scanned_ns;
    BuildStage  stage;
    BuildMemory memory;
    JobPool*    pool;
    Progress    progress;
    Worker*     worker; /* [ent_job_worker_count] */
    ARRAY(Product) products;
    Slots   product_slots; /* of the products, by name and type */
    u32     written, unchanged, compiled, cached, removed;
    u32     maps;                  /* that were written */
    bool    idle;                  /* there was nothing to build */
    bool    is_done;               /* it is idle, or has listed its outputs */
    bool    misplaced_unknown;     /* settings in a wrong place were not searched yet */
    Traces* traces;                /* the inputs of the products of other variants; or NULL */
    ARRAY(const TreeFile*) stale;  /* outputs of no product, which are removed */
    ARRAY(const TreeFile*) unread; /* files of the source folder that are not read, by path */
} Build;

/* --- build.c --- */

/* Reports the diagnostics and the counts of a build that ends with `code`. Returns an exit code. */
int build_report(Build* build, int code, u64 start, BuildCounts* counts);

/* --- build_steps.c --- */

/* Completes an interrupted rename of resources, or reports it when the build may not do that. Returns an exit code. */
int journal_finish(const BuildOptions* options);

/* The diagnostics of the build and its threads have the severities of the project. */
void severities_set(Build* build);

/* Creates the threads and the diagnostics. The build must always be ended. */
int  build_begin(Build* build, const BuildOptions* options);
void build_end(Build* build);

/* Ends its threads, when nothing else is compiled but its sources are still needed. */
void workers_stop(Build* build);

/* Ends it and begins it again; with `distrust`, without the build database and the cache, which were inconsistent with
 * the sources. */
int build_restart(Build* build, bool distrust);

/* Reads the component types, both folders, and the settings of the project. Returns an exit code. */
int build_open(Build* build);

/* Reads the build database. Is there nothing to build? */
bool database_compare(Build* build);

/* Reports a file that database_compare could not read, unless the build reads or replaces it. */
int compare_failed(const Build* build);

/* Lists the products of the files, reading only the sources that are necessary for this. */
int assets_look(Build* build);

/* All of these: the folders, the build database, and the list of products. */
int build_look(Build* build);

/* Adds the diagnostics of what was compiled to those of the build. */
void products_settle(Build* build);

/* Before diagnostics are printed: reads the texts of their sources that were given up. */
void texts_read(Build* build);

/* Counts, compiles and settles what is selected. */
void products_compile(Build* build);

/* Does the content of every model that was read agree with the build database and the cache? */
bool models_agree(const Build* build);

/* --- build_products.c --- */

void product_add(Build* build, Asset* asset, const char* name, ResourceType type, u32 index);

/* Is the product what its source is named for, and not a part of a model? */
static inline bool product_is_source(const Product* p) {
    return p->type == p->asset->type && strcmp(p->name, p->asset->name) == 0;
}

/* By name, then type. */
void products_sort(Build* build);
bool product_same(const Product* a, const Product* b);

/* Prepares product_find for the list of products, and reports those with the same name or id. */
void products_index(Build* build);

/* The product of a name and type, or NULL. */
Product* product_find(const Build* build, Text name, ResourceType type);

/* EXIT_OK with the product of NAME.TYPE, or reports that there is none. */
int product_named(Build* build, const char* resource, const Product** product);

/* [count] Their memory is that of the build. */
Compiled* compiled_alloc(Build* build, u32 count);

/* Frees the bytes of an output and its map, and drops all of it. */
void compiled_free(Compiled* compiled);
void compiled_drop(Compiled* compiled);

/* --- build_select.c --- */

/* Returns the reason why a product has to be compiled, from the build database and the current
 * folders. */
Reason product_reason(const Build* build, const Product* product);

/* Finds the reason why each product has to be compiled. Those that have one are compiled next. */
void products_select(Build* build);

/* The same for [products] some of them, and for one. */
void products_select_only(Build* build, const bool* wanted);
void product_select(Build* build, const Product* only);

/* The memory of what is compiled and the reasons as texts, of products of a part of a build that were selected. */
void products_explain(const Build* build, Build* part);

/* Does a package match other resources than when the text of the pattern, "12 levels/?.level", was
 * recorded? Names are not removed from the matches here: the package needs them. */
bool pattern_is_changed(const Build* build, const Asset* package, const char* recorded);

/* Are the files of a model unchanged? Then the build database contains the list of its
 * resources. */
bool model_is_recorded(const Build* build, const Asset* asset);

/* --- build_traces.c --- */

/* Did another variant compile the product from the same inputs? */
bool trace_holds(const Build* build, const Product* product);

/* Adds what a variant has compiled. A product with errors has no edges, and is compiled in each
 * variant. */
void traces_add(Traces* traces, const Build* build);
void traces_drop(Traces* traces);

/* --- build_cache.c --- */

/* Is the content of a model known from the build database or the cache? One thread calls this once
 * for each model before model_open; model_open calls it itself when that has not been done. */
bool model_recall(Build* build, Asset* asset);

/* Lists the content of a model: from the build database, the cache, or the model. Returns false
 * when it has errors. Any thread may call it. */
bool model_open(Build* build, Asset* asset);

/* The model with errors of whose resources, which are unknown, this may be the name; or NULL. */
const Asset* unread_model_of(const Build* build, Text name);

/* Reads a product with its edges from the cache; stores one. Any thread may call them. */
bool product_from_cache(Build* build, Product* product, Worker* worker);
void product_to_cache(Build* build, const Product* product);

/* Reads from the cache the map of a blob, which belongs to the sources of a list; stores one. Any thread may call
 * them. */
bool map_from_cache(Build* build, Product* product, Text list, Hash128 blob);
void map_to_cache(Build* build, const Product* product, Text list);

/* --- build_cost.c --- */

/* Estimates all models that will be read; when they exceed the limit, which is reported, most of
 * them are rejected. */
void models_count(Build* build);

/* Reads products from the cache, and estimates the others; when they exceed the limit, which is
 * reported, marks the products that are not compiled. */
void products_count(Build* build);

/* Is the size of the outputs in the build database within the limit? */
bool database_fits(const Build* build);

/* --- build_compile.c --- */

/* Compiles what is selected, counted and not compiled yet, and reports nothing about it. */
void products_run(Build* build);
void product_compile(Build* build, Product* product, Worker* worker);

/* All of them, in the order in which they are compiled. */
Product* product_in_turn(Build* build, u32 turn);

/* Before the first product is compiled: the observer receives all references, unless this ends because a product is not
 * compiled. Any thread may end it. */
void observe_begin(Build* build);
void observe_end(Build* build);

/* Were warnings reported for it, which the next build must report again? */
bool product_is_warned(const Product* product);

/* --- build_unusable.c --- */

/* Was an image compiled that cannot be decoded and has no settings? */
bool unusable_exists(const Build* build);

/* Removes the products of such images that nothing uses: a warning is reported for each. */
void unusable_remove(Build* build);

/* --- build_image.c --- */

/* For `compile`: is it of such an image? Then lists all products and finds out whether anything uses
 * it. If nothing does, there is no output, and one of an earlier compile is removed. Returns an exit code. */
bool unusable_is_compiled(const Build* build);
int  unusable_compile(Build* build);

/* --- build_names.c --- */

/* Reports names in any products that have the same id. */
void names_check(Build* build);

/* The names of all products, kept between builds. Those that were removed remain. */
typedef struct NameTable {
    Arena arena;
    ARRAY(const char*) text;
    Slots slots; /* by id */
} NameTable;

void name_table_fill(NameTable* names, const Build* build);
void name_table_drop(NameTable* names);

/* Adds the names of what was compiled. False: one may have the id of another name. */
bool name_table_join(NameTable* names, const Build* build);

/* --- build_outputs.c --- */

/* Finds stale outputs, and reports foreign files at the paths of outputs that would be written. */
int outputs_look(Build* build);
int stale_remove(Build* build);

/* For `compile`, which has no output: removes a blob of the resource at `path`, and its map. */
int output_withdraw(Build* build, const char* path, Text name, ResourceType type);

/* Reports when the build database records the sources of another project only. */
int outputs_check_project(const Build* build);

/* --- build_index.c --- */

/* The path of the index in the output folder. */
const char* index_path(const Build* build, Arena* arena);

/* Is the index in the output folder the one that the last build wrote? */
bool index_is_settled(const Build* build);

/* Creates the index of the outputs, in memory. Any thread may call it while the outputs are written. */
void index_make(Build* build);

/* Changes the index, which is that of the last build, after some of its resources were compiled. */
void index_change(Build* build);

/* Reports when there are too many rows. Returns an exit code. */
int index_check(const Build* build);

/* Replaces the index in the output folder when it differs. Returns an exit code. */
int index_put(Build* build);

/* --- build_memory.c --- */

void memory_open(Build* b);

/* Should what is not needed any more be freed before the next step begins? */
bool memory_is_scarce(const Build* build);

/* Waits until there is memory for compiling a product, whose source is held and was read; one that needs more than the
 * limit is compiled alone. Returns the number of bytes that the caller gives back. */
u64  memory_take(Build* b, const Product* p);
void memory_give(Build* b, u64 work);

/* --- build_stage.c --- */

/* Moves a product that was compiled, or read from the cache, out of memory, unless it is small. Any thread may call
 * it. */
void product_stage(Build* b, Product* p);

/* Removes all temporary files, and the output folder if it was created for them. */
void stages_drop(Build* b);

/* The bytes of a product that has no errors: from memory, its temporary file or the output folder. */
ent_status product_view(const Build* b, const Product* p, FileView* view);

/* --- build_write.c, build_map.c --- */

/* The path of an output. Returns `path`, or that of the options. */
const char* product_path(const Build* b, const Product* p, char* path, size_t bytes);

/* Does the output, or the map at `path`, contain the product already? Then its stamp is recorded. */
bool output_holds(const Build* b, Product* p, const char* path);
bool map_holds(const Build* b, Product* p, const char* path);

int products_write(Build* build);

/* The same without looking at other files of the output folder. */
int outputs_write(Build* build);

/* Before anything is compiled, for a batch: is no folder of its outputs a symbolic link? Returns an exit code. */
int batch_links_check(const Build* build);

/* Writes each product, or without writing finds whether it differs from its output: Made.change. */
void products_put(Build* build);

/* The same for one, which has no errors. Any thread may call it. */
void product_put(Build* build, Product* product);

/* For `compile`: writes the map of a product, or removes one that is no longer requested; the blob
 * is at `path`. Any thread may call it. */
void map_write(Build* build, Product* product, const char* path);

/* Reports what was done with it. Returns an exit code. */
int map_print(Build* build, const Product* product, const char* path);

/* The path of the map beside a blob; false: it is too long. */
bool map_path(const char* blob, char* path, size_t bytes);

/* Are the maps in the output folder those that are requested? */
bool maps_are_settled(const Build* build);
bool map_is_settled(const Build* build, u32 row);

/* --- depfile.c, build_graph.c --- */

/* Creates the text of the depfile, if one is requested; when it cannot be written, this is reported, and there is no
 * text. */
int depfile_make(const Build* build, Print* print);

/* Writes it, unless the build has failed with `code` or writes nothing, and frees the text. Returns an exit code. */
int depfile_put(const Build* build, Print* print, int code);

int outputs_list(const Build* build);

/* --- build_inputs.c --- */

/* Writes the list of inputs of what was compiled; of all files of the folder. Both return an exit code. */
int inputs_list(const Build* build);
int inputs_list_all(const Build* build, const char* path);
int graph_write(Build* build);

/* --- build_database.c --- */

/* Collects the references for the build database, if they are all known. Any thread may call it while the outputs are
 * written. */
void links_make(Build* build);

int build_record(Build* build);

/* Appends what was compiled to the build database of the last build, and changes its rows. Returns an exit code;
 * `is_recorded` false: the database in the output folder is another one. */
int build_record_part(const Build* part, Database* database, bool* is_recorded);

/* Writes the build database again with the current stamps, when nothing else has changed and it can
 * be written. */
void build_record_stamps(Build* build);

/* --- build_unread.c --- */

/* Reports files with the name of the settings that are not in the root of the source folder. */
void settings_misplaced_find(Build* build);

/* Finds the files that are not read, after a build without errors. */
void unread_find(Build* build);

/* Returns a hash of the result; 0: none. */
u64 unread_digest(const Build* build);

/* Reports them in one line, or one by one, unless the options state that they were reported
 * already. */
void unread_print(const Build* build, FILE* out);

/* Paths below the source folder. */
typedef struct Paths {
    Arena arena;
    ARRAY(const char*) at; /* below the source folder */
} Paths;

/* Adds the files to which models refer that this build does not read, those of other variants, and
 * all files to which NAME.EXT.data.json belongs. */
void paths_of_others(const Build* build, Paths* paths);

/* Reports, once, the files whose names are not those of their resources. */
void renamed_report(Build* build);

/* The path of the file that a model means by a path below the root, as it is recorded. */
const char* path_named(const Build* build, const char* path);

#endif
