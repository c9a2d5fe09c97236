/* assets.h - the source folder: which file is which resource, read when it is first needed.
 *
 * A resource's name is its path from the root without suffixes, in one spelling only: lower-case
 * ASCII letters, digits, '_', '-' and '/'. Its type is the suffix. A glTF file is an entity, and
 * contains further resources below its own name. */
#ifndef ENTC_ASSETS_H
#define ENTC_ASSETS_H

#include "asset_name.h"
#include "diag_codes.h"
#include "doc.h"
#include "file.h"
#include "gltf_cost.h"
#include "gltf_file.h"
#include "gltf_remark.h"
#include "hash.h"
#include "input_list.h"
#include "job_lock.h"
#include "job_once.h"
#include "jobs.h"
#include "registry.h"
#include "settings.h"
#include "source_lines.h"
#include "tree.h"

#define SOURCE_BYTES_MAX (1u << 30)

/* Of a file of the type data: its blob has a header and one section. */
#define DATA_BYTES_MAX ((u32)(BLOB_BYTES_MAX - sizeof(BlobHeader) - sizeof(BlobSection)))

typedef enum AssetState { ASSET_NEW, ASSET_VALID, ASSET_INVALID } AssetState;

/* Does an image without settings belong to a model that refers to it? */
typedef enum ImageOwner { OWNER_UNKNOWN, OWNER_NONE, OWNER_MODEL } ImageOwner;

/* A file that a model refers to and that was read with it. */
typedef struct Beside {
    const char* path;
    const char* asked; /* the path as it is spelled in the source; or NULL: the same */
    FileView    view;
    FileStamp   stamp;
    Hash128     hash;
} Beside;

/* The size of an entity or level after its prefabs are instanced, saturated at COST_MAX. */
typedef struct Cost {
    u64 entities;
    u64 layers; /* see flat.h */
    u64 bytes;  /* of components, names and parents */
} Cost;

#define COST_MAX (1ull << 60)

/* The same for a source, for all its instances; flat_cost.c computes and reads it. */
typedef struct AssetCost {
    Cost cost;
    u64  root_types[2]; /* component types that the root has, a bit each */
    u32  known;         /* the other members are valid: stored last, read first */
} AssetCost;

static_assert(REGISTRY_TYPES_MAX <= 128, "a bit for each component type");

/* An entity that is a part of a split model. */
typedef struct AssetPart {
    const char* name; /* of the resource: "models/kit/crate" */
    u32         node; /* its root, in the doc of the model */
    AssetCost   cost; /* after it was counted; atomic */
} AssetPart;

/* A resource that is in a model. */
typedef struct SubResource {
    ResourceType type;
    const char*  name;
} SubResource;

/* Who uses the bytes of a source: asset_hold. */
typedef struct AssetHold {
    JobLock     lock;        /* guards the other members */
    u32         count;       /* threads that hold it */
    u32         users;       /* products that will be compiled from it */
    u64         bytes;       /* that are counted in Assets.kept */
    bool        is_in_use;   /* some of the products were compiled, and others will be */
    bool        is_given_up; /* the bytes are not in memory */
    bool        is_shared;   /* it was read again when no product was to be compiled from it */
    bool        had_text;    /* the text of an entity or a level was given up */
    bool        has_changed; /* they could not be read again, or are others: */
    int         unread;      /* errno, or 0 */
    const char* beside;      /* the file, or NULL: that of the source */
} AssetHold;

/* What a source consists of, after it was read. */
typedef struct AssetContent {
    FileView      view;
    Hash128       hash; /* of the file */
    Doc*          doc;  /* nodes, of entities, levels and glTF; NULL: they are not in memory */
    bool          has_errors; /* of doc */
    struct Model* model;      /* of glTF */
    AssetPart*    parts;      /* [part_count] of a split model */
    u32           part_count;
    Arena         gltf_arena; /* of what model->gltf refers to */
    AssetHold
        hold; /* of view, besides and gltf_arena; of doc, arena and lines, if there is no model */
    AssetCost   cost;    /* of doc, after it was counted; atomic */
    Arena       arena;   /* of doc and model */
    JsonTokens  tokens;  /* of the text, if it is no entity, level or model */
    JobOnce     counted; /* guards lines */
    SourceLines lines;
    ARRAY(Beside)
    besides;          /* of the settings of a texture: its image; of NAME.EXT.data.json: the
                       * file NAME.EXT */
    u32 image_offset; /* of "image" in the settings of a texture; 0: it has none */
} AssetContent;

/* What is known about a model without reading it; set by a build. */
typedef struct AssetOutline {
    JobOnce      opened; /* guards the next ones */
    GltfFile     model_file;
    Diagnostics* model_diag; /* the errors of opening it */
    GltfCost     model_cost;
    bool         has_prefabs; /* its text has the property "prefab" somewhere */
    bool         has_cost;    /* model_cost is known, and has_prefabs; atomic */
    JobOnce      listed;
    bool         recalled; /* without reading it */
    bool         known;
    Hash128      content_hash; /* of the file and of those beside it */
    ARRAY(SubResource) sub_resources;
    ARRAY(const char*)
    named; /* paths below the root of the files that it refers to and that are not read, as they are spelled in it */
} AssetOutline;

struct Asset;

/* An entity that is instanced: a source, or a part of a model. */
typedef struct Prefab {
    struct Asset* asset; /* NULL: none */
    u32           part;  /* in AssetContent.parts, or NONE */
} Prefab;

/* A project may have very many sources, and a single action reads few of them. So what is known before a source is read
 * is small, and the memory of the rest is not touched before it is used. */
typedef struct Asset {
    const char*  name; /* "props/lamp" */
    ResourceType type; /* of glTF: RESOURCE_ENTITY, or RESOURCE_LEVEL by its settings */
    AssetForm    form;
    AssetState   state;
    bool         unneeded;   /* it was read only to suggest a name */
    bool         is_renamed; /* its name is not that of the file */
    bool         is_alike; /* NAME.EXT.data.json belongs to a file that is spelled in another way */
    bool      has_namesake; /* another image has the same name: models may refer to one of them */
    u32       index;        /* in Assets.asset */
    u32       file;         /* in Tree.files */
    FileStamp stamp;  /* when the folder was listed; after the file was read, of the content that
                          * was read */
    JobOnce   load;   /* guards view, hash and stamp, because any thread may be the first to need
                          * them */
    JobOnce   once;   /* guards the other members of the content, and the diagnostics */
    int       unread; /* errno, when the file cannot be read */
    Source    source;
    Diagnostics* diag;         /* the errors and warnings of the source; NULL: none */
    const char*  content_file; /* of the settings of a texture: the image of the same name; of
                                 * NAME.EXT.data.json: NAME.EXT; of a model: its settings; or NULL */
    u32 kind_known; /* FileKind + 1 of the source, which a list names; 0: unknown; atomic */
    u32 owned;      /* ImageOwner, of an image; atomic */
    AssetContent* content;
    AssetOutline* outline; /* empty and never written, if it is no model */
} Asset;

typedef struct Assets {
    const char*           root; /* as the user specified it, without a trailing slash */
    char*                 root_real;
    const Tree*           tree;
    const Registry*       registry;
    const DiagSeverities* severities; /* of the project, for a build; or NULL */
    Variant               variant;
    const Settings*       settings; /* or NULL */
    const InputList*      inputs;   /* only these files are read; NULL: all of the folder */
    GltfRules             rules;    /* for remarks about models */
    JobPool*              pool;     /* or NULL: long sources are read on all its threads */
    bool                  hashes;   /* hashes of sources are computed */
    bool                  complete; /* all resources are compiled, not only one */

    u64 kept;     /* bytes of sources in memory that could be given up; atomic */
    u64 kept_max; /* their limit while no thread holds them; 0: none is given up */

    u32* read;       /* [count] rows of the sources whose bytes were read, each once */
    u32  read_count; /* atomic */

    bool misled; /* the settings of a model are not those when the files were listed; atomic */

    u64 zero_bytes; /* bytes of accessors without data in the models that were read; atomic */

    /* Returns true when a resource is known to exist, so that no model has to be read. May be
     * NULL. */
    bool (*known)(void* user, Text name, ResourceType type);
    void* user;

    Arena         arena;
    Asset*        all;      /* of which `asset` are pointers */
    AssetContent* contents; /* theirs */
    AssetOutline* outlines;
    Asset**       asset; /* [count] sorted by name, then type */
    u32           count;
    Asset**       of_file;         /* [tree's files]; NULL: it is none */
    Slots         slots;           /* of the assets, by name and type */
    ARRAY(const char*) data_files; /* paths of the files to which NAME.EXT.data.json belongs */
    Slots data_slots;              /* of these, by path */
} Assets;

/* Derives the names of resources from the files of a folder. Reports names that are not canonical,
 * two files for one resource and, when the settings list the variants of the project, other
 * variants. The tree and the settings, which may be NULL, must outlive the assets. Returns false
 * when the root no longer exists, see errno. */
MUST_CHECK bool assets_open(Assets* assets, const Tree* tree, const Registry* registry,
                            const Settings* settings, Variant variant, Diagnostics* diag);
void            assets_close(Assets* assets);

/* Is a file, by its path in the folder, a source, or would it be one with a corrected name? Files
 * to which NAME.EXT.data.json belongs are found in another way. The settings may be NULL. */
bool assets_concern(const Settings* settings, const char* path);

/* The suffix of a file in the folder. A file to which NAME.EXT.data.json belongs has the type data
 * and no other; its form is ASSET_FILE. */
Suffix assets_suffix(const Assets* assets, const char* path);

/* Finds the files of all NAME.EXT.data.json, of the tree. */
void assets_data_find(Assets* assets);

/* The path of the file to which NAME.EXT.data.json belongs: NAME.EXT, or that of which it is the canonical spelling. */
const char* assets_data_path(Assets* assets, Text file);

/* Does NAME.EXT.data.json belong to a file with this path in the folder? */
bool assets_have_data(const Assets* assets, const char* path);

/* Returns the source of a resource, or NULL: its own file, or for meshes, skeletons, clips and
 * materials the glTF file that contains it, which is read for this purpose. `index` is its row in
 * the model. */
Asset* assets_resource(Assets* assets, Text name, ResourceType type, u32* index);

/* The model with a name, which is an entity or a level; or NULL. */
Asset* assets_model(const Assets* assets, Text name);

/* The same, but only for a resource with its own file. */
Asset* assets_file(const Assets* assets, Text name, ResourceType type);

/* Is there such a resource? Of a list of inputs, also one that only has to exist. */
bool assets_have(Assets* assets, Text name, ResourceType type);

/* Reads the bytes of a source. Returns false when this fails. Any thread may call it. */
bool asset_load(Assets* assets, Asset* asset);

/* Reads and parses a source. Returns false when it cannot be used. Its errors are stored with it,
 * because the order in which resources need it is not deterministic. Any thread may call it. */
bool asset_read(Assets* assets, Asset* asset);

/* A thread that needs the bytes of a model, an image or data, or an entity or a level, holds the source; otherwise it may
 * be given up, and is read again when a thread holds it. Nodes and names of a model are always there. Returns false when
 * the file was modified or cannot be read again. Always release it. Any thread may call both. */
MUST_CHECK bool asset_hold(Assets* assets, Asset* asset);

/* One more product will be compiled from it. */
void asset_expect(Asset* asset);

/* `is_done`: one of its products (AssetHold.users) was compiled. After the last one, the bytes of a model, an image or data
 * and a level are given up; an entity is, when sources need too much memory, because others may instance it. */
void asset_release(Assets* assets, Asset* asset, bool is_done);

/* The same for a thread that needs only nodes: the bytes of a model are not read again for them. */
MUST_CHECK bool asset_hold_nodes(Assets* assets, Asset* asset);
void            asset_release_nodes(Assets* assets, Asset* asset);

/* Gives up entities and levels. No thread may hold any. */
void assets_give_up(Assets* assets);

/* Reads the text of a source again that was given up: the places of messages are counted in it. */
void asset_text_again(Assets* assets, const Source* source);

/* Reads the nodes of an entity or a level whose text is in memory. `diag` may be NULL. Returns false when there are
 * none. */
bool asset_doc_read(Assets* assets, Asset* asset, Diagnostics* diag);

/* Reports why asset_hold returned false. */
void asset_modified(const Asset* asset, Diagnostics* diag);

/* Marks a source as unusable unless it was read already; the caller has reported the error. Any
 * thread may call it. */
void asset_refuse(Asset* asset);

/* Reads a file to which a source refers, once; its path is resolved already. Returns NULL when this
 * fails, with `why` and, when it is not E0405, `code`. */
const Beside* asset_beside(const Assets* assets, Asset* asset, const char* path,
                           const char** reason, DiagCode* code);

/* The same for the path of a URI in a model, which may be spelled in another way than the file: path_of_uri. */
const Beside* asset_beside_uri(const Assets* assets, Asset* asset, Arena* arena, const char* path,
                               const char** reason, DiagCode* code);

/* Reads such a file again whose bytes were given up. Returns false when it has other content. */
MUST_CHECK bool asset_beside_again(const Assets* assets, Asset* asset, Beside* beside);

/* Does any model of the folder refer to this image, so that it is no resource of its own? Any thread may
 * call it. Cost: nothing when a build has listed the models, else all models are read once for each image. */
bool assets_image_is_owned(const Assets* assets, Asset* image);

/* The path of the first such model, or NULL. All models are read. */
const char* assets_image_owner(const Assets* assets, const Asset* image);

/* Calls `add` with the path, below the root of the folder, of each file to which a model refers; `view` is the
 * content of the model. */
typedef void ModelImageAdd(void* user, const char* path);
void         model_images_each(const Tree* tree, const TreeFile* model, AssetForm form,
                               const FileView* view, ModelImageAdd* add, void* user);

/* The bytes of the image of a texture that was read: of its own file, or of the one to which its
 * settings refer. */
const FileView* asset_image(const Asset* asset);

/* Is it the text of an entity or a level? */
static inline bool asset_has_doc(const Asset* asset) {
    return asset->form == ASSET_JSON &&
           (asset->type == RESOURCE_ENTITY || asset->type == RESOURCE_LEVEL);
}

/* Does it have settings that are read together with the file to which they refer? */
static inline bool asset_reads_beside(const Asset* asset) {
    return asset->form == ASSET_JSON &&
           (asset->type == RESOURCE_TEXTURE || asset->type == RESOURCE_DATA);
}

/* The bytes of the file of a resource of type data that was read. */
const FileView* asset_data(const Asset* asset);

/* The limit of the size of its file. */
u32 asset_bytes_limit(const Asset* asset);

/* Opens a model and estimates its size; false when the file cannot be read. Any thread may call it. */
bool asset_model_open(Assets* assets, Asset* asset);

/* Returns the lines of a source that was read, counted when they are first needed. Any thread may
 * call it. */
const SourceLines* asset_lines(Asset* asset);

/* Forgets what was read of a source, so that it is read again when it is needed: when it may have changed. No thread may
 * use it, and what refers to its content must not be used any more. `stamp`: of the file now. */
void asset_forget(Assets* assets, Asset* asset, FileStamp stamp);

/* The same for all sources that were read, but declarations of components, to which the registry refers. */
void assets_forget(Assets* assets);

/* Reports the errors of the sources that were read. */
void assets_report(Assets* assets, Diagnostics* diag);

/* Is the name canonical? Reports when it is not, and what to write instead, if that exists: for a mesh,
 * skeleton, clip or material that is named like its model, the names of those in the model. */
bool assets_name_check(Assets* assets, const Source* source, u32 offset, Text name,
                       ResourceType type, Diagnostics* diag);

/* Reports a resource that does not exist, with a suggestion. */
void assets_missing(Assets* assets, const Source* source, u32 offset, Text name, ResourceType type,
                    Diagnostics* diag);

/* Returns the most similar name of an existing resource of that type, or NULL. */
const char* assets_nearest(Assets* assets, Text name, ResourceType type);

/* The prefab of an instance of a document that was read; without an asset: it has no prefab, or there is no such
 * entity. Models that may contain it are read. */
Prefab assets_prefab(Assets* assets, const Asset* asset, u32 instance);

/* The same for the name of a prefab. */
Prefab assets_prefab_named(Assets* assets, Text name);

static inline Prefab prefab_none(void) { return (Prefab){NULL, NONE}; }

static inline bool prefab_same(Prefab a, Prefab b) {
    return a.asset == b.asset && a.part == b.part;
}

/* The root of a prefab that was read, in the doc of its asset. */
static inline u32 prefab_root(Prefab p) {
    return p.part == NONE ? 0 : p.asset->content->parts[p.part].node;
}

static inline const char* prefab_name(Prefab p) {
    return p.part == NONE ? p.asset->name : p.asset->content->parts[p.part].name;
}

static inline AssetCost* prefab_cost(Prefab p) {
    return p.part == NONE ? &p.asset->content->cost : &p.asset->content->parts[p.part].cost;
}

/* As Doc.prefab has it, not 0. */
static inline u64 prefab_pack(Prefab p) { return (u64)(p.part + 1) << 32 | (p.asset->index + 1); }

static inline Prefab prefab_unpack(const Assets* assets, u64 word) {
    if (!word) return prefab_none();
    return (Prefab){assets->asset[(u32)word - 1], (u32)(word >> 32) - 1};
}

/* Any thread may look it up: all of them find the same one. */
static inline void prefab_know(const Doc* doc, u32 instance, Prefab p) {
    __atomic_store_n(&doc->prefab[instance], prefab_pack(p), __ATOMIC_RELAXED);
}

/* The prefab of an instance, if it was looked up before. */
static inline Prefab prefab_known(const Assets* assets, const Doc* doc, u32 instance) {
    return prefab_unpack(assets, __atomic_load_n(&doc->prefab[instance], __ATOMIC_RELAXED));
}

/* The five arguments for "%s%s%s%s%s" at the end of a message about an argument NAME.TYPE: such a name as
 * the suggestion, or nothing. */
#define ASSETS_NEAREST(near, type)                                                                 \
    (near) ? "; did you mean \"" : "", (near) ? (near) : "", (near) ? "." : "",                    \
        (near) ? ent_resource_suffix(type) : "", (near) ? "\"?" : ""

#endif
