/* assets.h - the source folder: which file is which resource, read when it is first needed.
 *
 * A resource's name is its path from the root without suffixes, in one spelling only: lower-case
 * ASCII letters, digits, '_', '-' and '/'. Its type is the suffix. A glTF file is an entity, and
 * holds further resources below its own name. */
#ifndef ENTC_ASSETS_H
#define ENTC_ASSETS_H

#include "asset_name.h"
#include "doc.h"
#include "file.h"
#include "gltf_cost.h"
#include "hash.h"
#include "job_once.h"
#include "jobs.h"
#include "model.h"
#include "registry.h"
#include "settings.h"
#include "source_lines.h"
#include "tree.h"

#define SOURCE_BYTES_MAX (1u << 30)

typedef enum AssetState { ASSET_NEW, ASSET_GOOD, ASSET_BAD } AssetState;

/* A file beside a model that was read with it. */
typedef struct Beside {
    const char* path;
    FileView    view;
    FileStamp   stamp;
    Hash128     hash;
} Beside;

/* What an entity or level comes to when its prefabs are instanced, saturated at COST_MOST. */
typedef struct Cost {
    u64 entities;
    u64 layers; /* see flat.h */
    u64 bytes;  /* of components, names and parents */
} Cost;

#define COST_MOST (1ull << 60)

/* The same of a source, for whatever instances it; flat_cost.c fills and reads it. */
typedef struct AssetCost {
    Cost cost;
    u64  root_types[2]; /* component types that the root has, a bit each */
    u32  known;         /* the rest is valid: stored last, read first */
} AssetCost;

static_assert(REGISTRY_TYPES_MAX <= 128, "a bit for each component type");

/* A resource that is in a model. */
typedef struct Offer {
    ResourceType type;
    const char*  name;
} Offer;

typedef struct Asset {
    const char*  name; /* "props/lamp" */
    ResourceType type; /* of glTF: RESOURCE_ENTITY */
    AssetForm    form;
    AssetState   state;
    u32          index;  /* in Assets.asset */
    u32          file;   /* in Tree.files */
    FileStamp    stamp;  /* when the folder was listed; once it was read, of what was read */
    JobOnce      load;   /* guards view, hash and stamp: any thread may be the first to need them */
    JobOnce      once;   /* guards the rest */
    int          unread; /* errno, when the file cannot be read */
    Source       source;
    FileView     view;
    Hash128      hash;    /* of the file */
    Doc          doc;     /* nodes, of entities, levels and glTF */
    Model*       model;   /* of glTF */
    AssetCost    cost;    /* of doc, once it was counted; atomic */
    Arena        arena;   /* of doc and model */
    Diagnostics* diag;    /* what is wrong with the source; NULL: nothing */
    JobOnce      counted; /* guards lines */
    SourceLines  lines;

    /* Of a model, what can be known without reading it; a build fills it. */
    JobOnce  weighed; /* guards the next one */
    GltfCost model_cost;
    JobOnce  listed;
    bool     recalled; /* without reading it */
    bool     known;
    Hash128  content; /* of the file and of those beside it */
    ARRAY(Offer) offers;

    ARRAY(Beside) besides;
    ARRAY(const char*) named; /* by a model, paths below the root of files that are not read */
} Asset;

typedef struct Assets {
    const char*     root; /* as the user typed it, without a slash at its end */
    char*           root_real;
    const Registry* registry;
    Variant         variant;
    JobPool*        pool;   /* or NULL: long sources are read on all its threads */
    bool            hashes; /* of sources are wanted */
    bool            whole;  /* every model may be read to suggest a name out of it */

    u64 zero_bytes; /* of accessors without data in the models that were read; atomic */

    /* Is a resource known to exist, so that no model has to be read for it? Or NULL. */
    bool (*known)(void* user, Text name, ResourceType type);
    void* user;

    Arena   arena;
    Asset** asset; /* [count] sorted by name, then type */
    u32     count;
    Asset** of_file; /* [tree's files]; NULL: it is none */
    Slots   slots;   /* of the assets, by name and type */
} Assets;

/* Gives the files of a folder their names. Names that are not canonical, two files for one resource
 * and, when the settings know the variants of the project, other variants are reported. The tree
 * must outlive the assets, and so must the settings, which may be NULL. False: the root went, see
 * errno. */
MUST_CHECK bool assets_open(Assets* assets, const Tree* tree, const Registry* registry,
                            const Settings* settings, Variant variant, Diagnostics* diag);
void            assets_close(Assets* assets);

/* Is a file a source, or would it be under a better name? */
bool assets_concern(const char* file);

/* The source of a resource, or NULL: its own file, or for meshes, skeletons, clips and materials
 * the glTF file below whose name it stands, which is read for that. `index` is its row in the
 * model. */
Asset* assets_resource(Assets* assets, Text name, ResourceType type, u32* index);

/* Only by its own file. */
Asset* assets_file(const Assets* assets, Text name, ResourceType type);

/* Reads a source's bytes; false when it cannot be. Any thread. */
bool asset_load(const Assets* assets, Asset* asset);

/* Reads and parses a source; false when it cannot be used. What is wrong with it is kept with it,
 * for nobody knows which resource is the first to need it. Any thread. */
bool asset_read(Assets* assets, Asset* asset);

/* What was not read yet is not going to be; that this is an error was reported. Any thread. */
void asset_refuse(Asset* asset);

/* What a model comes to, from a look at its JSON; NULL when the file cannot be read. Any thread. */
const GltfCost* asset_model_cost(const Assets* assets, Asset* asset);

/* The lines of a source that was read, counted when they are first needed. Any thread. */
const SourceLines* asset_lines(Asset* asset);

/* Reports what was wrong with the sources that were read. */
void assets_report(const Assets* assets, Diagnostics* diag);

/* Reports a resource that does not exist, and what may have been meant. */
void assets_missing(Assets* assets, const Source* source, u32 offset, Text name, ResourceType type,
                    Diagnostics* diag);

/* The nearest name of a resource of that type, or NULL. */
const char* assets_nearest(Assets* assets, Text name, ResourceType type);

#endif
