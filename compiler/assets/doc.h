/* doc.h - the content of one source: a tree of nodes with components.
 *
 * A component is a record if it could be read early, see record_early.h, otherwise the tokens of its
 * value: whatever has to be reported is reported by those who read these. A glTF file has the same
 * form, with components that are records already. */
#ifndef ENTC_DOC_H
#define ENTC_DOC_H

#include "jobs.h"
#include "json_tokens.h"

#include "registry.h"

#define HIERARCHY_MAX 1024 /* maximum depth of entities; also bounds the recursion over them */

/* DOC_MEMBERS: an object each member of which is an instance, a list in another component; `given` has the number of that, and
 * DOC_MEMBERS_ADD if the list of a component before it is to remain.
 *
 * DOC_PLACE is a DOC_RECORD of an object that instances a prefab: compile_place.h. */
#define DOC_MEMBERS_ADD 0x8000u
typedef enum DocForm {
    DOC_OBJECT,
    DOC_ARRAY,
    DOC_NULL,
    DOC_MEMBERS,
    DOC_RECORD,
    DOC_RECORDS,
    DOC_PLACE
} DocForm;

/* One layer of one component type on one node. */
typedef struct DocComponent {
    u8  type;    /* in the registry */
    u8  form;    /* DocForm */
    u16 given;   /* of a record that was read early, bit f: it contains field f */
    u32 offset;  /* of the value in the text; of DOC_RECORD: index in Doc.records; of DOC_RECORDS:
                 * the same, of their number, which the records follow */
    u32 content; /* of DOC_OBJECT, DOC_ARRAY and DOC_MEMBERS: see doc_is_early() and doc_value() */
} DocComponent;

static_assert(EARLY_FIELDS_MAX <= 16, "DocComponent.given has a bit for each field");

static inline bool doc_has_records(const DocComponent* component) {
    return component->form >= DOC_RECORD;
}

/* The changes of an instance to one entity of its prefab.
 *
 *   path       decoded, from the prefab's root: "bulb/filament"
 *   offset     of the key, or of the value of "parent"
 *   was        offset of the recorded values of the prefab, of which the components follow; 0: none
 *   host       a node that is no entity: its children are added, and its prefab replaces that of the
 *              overridden entity; NONE: there is neither
 *   removes    the entity, with all below it
 *   is_parent  an entry of the level names the entity as its parent; no override has this path */
typedef struct DocOverride {
    Text path;
    u32  offset, was, host;
    u32  first_component, component_count; /* in Doc.components */
    u32  first_was, was_count;             /* the same */
    bool removes, is_parent;
} DocOverride;

/* The properties of a node that instances a prefab or is in a group, which most nodes are not. */
typedef struct DocInstance {
    u32 prefab; /* offset of the name of the prefab; 0: none */
    u32 group;  /* offset of the name of the group; 0: the group of its parent */

    u32 first_override, override_count; /* in Doc.overrides */
} DocInstance;

/* Offsets are positions in the text. The structure is small because a level may have half a million
 * nodes, and the time of every pass over them depends on memory bandwidth. */
typedef struct DocNode {
    const char* name_at;                   /* decoded */
    u32         name_hash;                 /* computed while the text is read */
    u32         offset;                    /* of the node's object */
    u32         parent, first_child, next; /* nodes, or NONE */
    u32         first_component;           /* in Doc.components */
    u32         instance;                  /* in Doc.instances, + 1; 0: none */
    u16         name_bytes;
    u8          component_count;
    u8          layered; /* a component is an array, null, or a duplicate */
} DocNode;

static_assert(REGISTRY_TYPES_MAX + 5 < 256, "a node's components are counted in a byte");

typedef struct Doc {
    const Source* source;
    ARRAY(DocNode)
    nodes; /* an entity's root is node 0; a level's roots are chained from first_root */
    ARRAY(DocComponent) components;
    ARRAY(DocInstance) instances;
    u64* prefab; /* [instances.count] the prefab after it was looked up, see prefab_pack; atomic */
    ARRAY(DocOverride) overrides;
    ARRAY(const void*) records;
    ARRAY(u8*) early;           /* blocks of records that were read early, in the arena */
    JsonTokens tokens;          /* of values that were not */
    ARRAY(u32) last_child;      /* [nodes.count] while the doc is being read */
    u32  first_root, last_root; /* NONE when empty */
    bool names_differ;          /* no two nodes have the same name, as far as this is known */
    bool has_errors; /* errors were reported; the readable part is compiled in order to find further
                  * errors */
} Doc;

/* DocComponent.content has this bit and the index of a token. Or its lower bits are an index of words in
 * a block, the others that of the block; all + 1. 0: the text has to be read. */
#define DOC_TOKENS       (1u << 31)
#define EARLY_WORD_BITS  20
#define EARLY_WORDS_MAX  (1u << EARLY_WORD_BITS)
#define EARLY_BLOCKS_MAX ((DOC_TOKENS - 1) >> EARLY_WORD_BITS)

static inline bool doc_is_early(const DocComponent* component) {
    return component->content - 1 < DOC_TOKENS - 1;
}

/* Returns the tokens of a component; NULL: it has none. */
static inline const JsonToken* doc_value(const Doc* doc, const DocComponent* component) {
    return component->content & DOC_TOKENS ? &doc->tokens.at[component->content & ~DOC_TOKENS]
                                           : NULL;
}

static inline const u8* doc_early(const Doc* doc, const DocComponent* component) {
    const u32 at = component->content - 1;
    return doc->early.at[at >> EARLY_WORD_BITS] + (size_t)(at & (EARLY_WORDS_MAX - 1)) * 4;
}

void doc_name_set(DocNode* node, Text name);

static inline Text doc_name(const DocNode* node) {
    const Text name = {node->name_at, node->name_bytes};
    return name;
}

/* Returns the instance of a node, or an instance without prefab, overrides and group. */
static inline DocInstance doc_instance(const Doc* doc, const DocNode* node) {
    const DocInstance none = {0, 0, 0, 0};
    return node->instance ? doc->instances.at[node->instance - 1] : none;
}

/* Reads an entity, or a level, a long one on all threads of the pool, which may be NULL; only the
 * types of components are checked. Returns false, with diagnostics, when the text is not valid JSON
 * or not an object. */
bool doc_entity_read(Doc* doc, const Source* source, const Registry* registry, Arena* arena,
                     Diagnostics* diag);
bool doc_level_read(Doc* doc, const Source* source, const Registry* registry, Arena* arena,
                    Diagnostics* diag, JobPool* pool);
void doc_drop(Doc* doc);

/* Of its arrays. */
u64 doc_bytes(const Doc* doc);

/* Appends a node as a child of `parent` (NONE: a root) and returns its index. */
u32 doc_node_add(Doc* doc, u32 parent);

/* Appends the components of `{ "type": value, .. }`, the value of a token of the doc: the extras of
 * a glTF node. */
void doc_components_take(Doc* doc, u32 token, const Registry* registry, Diagnostics* diag);

/* Returns NULL if a name is valid for an entity, otherwise the error. */
const char* entity_name_fault(Text name);

#endif
