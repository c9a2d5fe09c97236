/* doc.h - what one source says: a tree of nodes whose components are still text.
 *
 * Nothing is converted here; a component is where its value stands. glTF gives the same shape, with
 * components that are records already. */
#ifndef ENTC_DOC_H
#define ENTC_DOC_H

#include "jobs.h"
#include "json.h"

#include "registry.h"

#define HIERARCHY_MAX 1024 /* entities below each other; also bounds the recursion over them */

typedef enum DocForm { DOC_OBJECT, DOC_ARRAY, DOC_NULL, DOC_RECORD } DocForm;

/* One layer of one component type on one node. */
typedef struct DocComponent {
    u16 type;   /* in the registry */
    u16 form;   /* DocForm */
    u32 offset; /* of the value in the text; of DOC_RECORD: index in Doc.records */
} DocComponent;

/* What an instance changes in one entity of its prefab. */
typedef struct DocOverride {
    Text path;                             /* decoded, from the prefab's root: "bulb/filament" */
    u32  offset;                           /* of the key */
    u32  first_component, component_count; /* in Doc.components */
} DocOverride;

/* What few nodes say: that they instance a prefab, or are in a group. */
typedef struct DocInstance {
    u32 prefab; /* offset of the prefab's name; 0: there is none */
    u32 group;  /* offset of the group's name; 0: it is in that of its parent */

    u32 first_override, override_count; /* in Doc.overrides */
} DocInstance;

/* Offsets are positions in the text. Kept small: a level may have half a million, and every pass
 * over them is a pass through memory. */
typedef struct DocNode {
    const char* name_at;                   /* decoded */
    u32         name_hash;                 /* taken while the text is at hand */
    u32         offset;                    /* of the node's object */
    u32         parent, first_child, next; /* nodes, or NONE */
    u32         first_component;           /* in Doc.components */
    u32         instance;                  /* in Doc.instances, + 1; 0: none */
    u16         name_bytes;
    u8          component_count;
    u8          layered; /* some component is an array, null, or stands twice */
} DocNode;

static_assert(REGISTRY_TYPES_MAX + 5 < 256, "a node's components are counted in a byte");

typedef struct Doc {
    const Source* source;
    ARRAY(DocNode)
    nodes; /* an entity's root is node 0; a level's roots are chained from first_root */
    ARRAY(DocComponent) components;
    ARRAY(DocInstance) instances;
    u32* prefab; /* [instances.count] file of the prefab, + 1, once it was looked up; atomic */
    ARRAY(DocOverride) overrides;
    ARRAY(const void*) records;
    ARRAY(u32) last_child;      /* [nodes.count] while the doc is being read */
    u32  first_root, last_root; /* NONE when empty */
    bool faulty; /* errors were told; what could be read is compiled all the same, for its own
                    errors */
} Doc;

void doc_name_set(DocNode* node, Text name);

static inline Text doc_name(const DocNode* node) {
    const Text name = {node->name_at, node->name_bytes};
    return name;
}

/* The instance that a node is, or one without prefab, overrides and group. */
static inline DocInstance doc_instance(const Doc* doc, const DocNode* node) {
    const DocInstance none = {0, 0, 0, 0};
    return node->instance ? doc->instances.at[node->instance - 1] : none;
}

/* Reads an entity or a level, a long level on all threads of the pool, which may be NULL;
 * components are checked for their type only. False, with diagnostics, when there is nothing to go
 * on with: the text is not JSON, or not an object. */
bool doc_read(Doc* doc, const Source* source, bool level, const Registry* registry, Arena* arena,
              Diagnostics* diag, JobPool* pool);
void doc_drop(Doc* doc);

/* Appends a node below `parent` (NONE: a root) and returns its number. */
u32 doc_node_add(Doc* doc, u32 parent);

/* Reads `{ "type": value, .. }` at the cursor and appends its components to the doc: the extras of
 * a glTF node. */
void doc_components_read(Doc* doc, Json* json, const Registry* registry, u32* first, u32* count);

/* Is a name good for an entity? NULL, or what is wrong with it. */
const char* entity_name_fault(Text name);

#endif
