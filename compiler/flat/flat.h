/* flat.h - the entities of a resource after every prefab was instanced: one list, parents first. */
#ifndef ENTC_FLAT_H
#define ENTC_FLAT_H

#include "flat_cost.h"
#include "flat_groups.h"

#define FLAT_LAYERS_MAX     (1u << 25)
#define FLAT_ERRORS_MAX     4096 /* limit of entities for cyclic prefabs: enough to find other errors */
#define FLAT_LOOK_AHEAD     32 /* number of entities by which memory is prefetched */
#define FLAT_ONLY_LAYER     (NONE - 1)
#define FLAT_PATH_BYTES_MAX 4096
#define FLAT_CANDIDATES_MAX 5000   /* number of paths that are compared for "did you mean" */
#define FLAT_NAMELESS       '\x01' /* instead of a missing name: no path can refer to it */

#define FLAT_ASSET_MAX ((1u << 31) - 1)

typedef struct FlatEntity {
    u32 asset : 31;  /* in Assets.asset: the doc of this asset contains the outermost node */
    u32 lost : 1;    /* its prefab is not available, which was reported: required data may be
                      * missing */
    u32 node;        /* that defines the name and the position in the text */
    u32 parent;      /* entity, or NONE */
    u32 scope;       /* entity at which paths in the file of the node begin, or NONE: a level */
    u32 first_layer; /* NONE: the node is the only one */
} FlatEntity;

/* The components that one file defines for one entity. */
typedef struct FlatLayer {
    Asset* asset;
    u32    scope;
    u32    first_component, component_count; /* in the asset's doc */
    u32    next;                             /* higher layer, or NONE */
    u32    override;                         /* in the asset's doc, or NONE: a node */
} FlatLayer;

typedef struct Flat {
    ARRAY(FlatEntity) entities;
    ARRAY(FlatLayer) layers;
    FlatGroups groups;
    Compile*   compile;     /* to which the entities belong */
    JobOnce    indexed;     /* guards the following members */
    Slots      child_slots; /* of the entities, by parent and name */
} Flat;

/* Fills the list from compile->asset. Returns false when something is missing, which is
 * reported. */
bool flat_expand(Compile* compile, Flat* flat);

/* The same for a level without prefabs. Returns false without any effect when it is none, or when
 * flat_expand has to report exceeded limits. */
bool flat_plain_expand(Compile* compile, Flat* flat);

/* Builds the index for finding entities by path, and reports duplicate names among siblings, unless
 * this was done before. The first thread that needs the index builds it, and other threads wait. */
void flat_index(Flat* flat);
void flat_drop(Flat* flat);

static inline const DocNode* doc_node(const Asset* asset, u32 node) {
    return &asset->content->doc->nodes.at[node];
}

static inline Text flat_name(const Flat* flat, const Assets* assets, u32 entity) {
    const FlatEntity* e = &flat->entities.at[entity];
    return doc_name(doc_node(assets->asset[e->asset], e->node));
}

/* The entity at a path from `scope` (NONE: the top), which is `scope` for "."; NONE: there is none. */
u32 flat_find(Compile* compile, u32 scope, Text path);

/* The entity of a node of a source, in which paths begin at `scope`; NONE: an override has removed it. */
u32 flat_of_node(Compile* compile, const Asset* asset, u32 scope, u32 node);

/* Relative path of `entity` from `root` (NONE: from the top), in the arena. */
const char* flat_path(Compile* compile, const Flat* flat, u32 root, u32 entity);

/* Writes "/name" of `entity` in front of `at`; returns the new beginning, or NULL when it does not fit
 * behind `first`. */
char* flat_path_prepend(const Flat* flat, const Assets* assets, char* first, char* at, u32 entity);

/* Prefetches the nodes of later entities, which are in the order of the source. */
static inline void flat_prefetch(const Flat* flat, const Assets* assets, u32 entity) {
    const u32 ahead = entity + FLAT_LOOK_AHEAD;
    if (ahead >= flat->entities.count) return;
    const FlatEntity* e = &flat->entities.at[ahead];
    PREFETCH(&assets->asset[e->asset]->content->doc->nodes.at[e->node]);
}

/* Lowest layer of an entity: an index in layers, or FLAT_ONLY_LAYER with `only` filled. */
u32 flat_first_layer(const Flat* flat, const Assets* assets, u32 entity, FlatLayer* only);

/* --- references --- */

/* Initialises an instance of a component of this resource, or with type NULL another record of it.
 * Its fields are in the own source of the resource until the caller sets another source. */
Instance compile_instance(Compile* compile, const ComponentType* type, void* record);

/* Returns the entity with a path from a scope; NONE after reporting that there is none, or that it is in
 * a group that may be absent. */
u32 compile_entity_ref(Compile* compile, const Source* source, u32 offset, JsonString text,
                       u32 scope);

/* The same, also if it is in a group that may be absent. */
u32 compile_entity_named(Compile* compile, const Source* source, u32 offset, JsonString text,
                         u32 scope);

#endif
