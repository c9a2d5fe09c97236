/* json_tree.h - a cJSON tree with the source position of every node.
 *
 * Used for glTF, declarations of components, and compile functions of plugins. The strict scanner
 * reads the text first, cJSON builds the tree, and both are traversed in parallel; a difference is
 * an internal error. */
#ifndef ENTC_JSON_TREE_H
#define ENTC_JSON_TREE_H

#include <cjson/cJSON.h>

#include "json.h"

typedef struct JsonTree {
    const Source* source;
    Diagnostics*  diag;
    cJSON*        root;
    ARRAY(u32) offsets; /* [node number] byte offset of the value */
} JsonTree;

/* Reads the value at `offset` (0: the complete text, nothing may follow). Returns false, with
 * diagnostics, when it is not strict JSON. Members of `valueint` in the tree belong to this
 * module. */
bool json_tree_open(JsonTree* tree, const Source* source, u32 offset, Diagnostics* diag);
/* The same for the complete text of a glTF file: see json_open_gltf. The tree contains duplicate
 * keys, and U+0000 becomes U+FFFD. */
bool json_tree_open_gltf(JsonTree* tree, const Source* source, Diagnostics* diag);

void json_tree_close(JsonTree* tree);

/* Returns the offset of the value of a node, for diagnostics and for reading it from the text. */
u32 json_tree_offset(const JsonTree* tree, const cJSON* node);

/* Returns the key of a member of an object as in the text, including its quotes. Not for glTF, whose
 * tree may contain what the strict scanner refuses. */
Text json_tree_key(const JsonTree* tree, const cJSON* member);

JsonKind json_tree_kind(const cJSON* node);

/* Returns a member by exact key, in constant time for small objects; NULL when absent. */
const cJSON* json_tree_get(const cJSON* object, const char* key);

#endif
