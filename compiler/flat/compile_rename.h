/* compile_rename.h - which texts of a source contain the name of an entity: `entc mv` changes them.
 *
 * An entity is identified by the node that defines its name. Paths to it are in overrides, in references
 * and in "parent" of entries of levels. Each source is compiled as a resource of its own, so that every
 * text is found once. */
#ifndef ENTC_COMPILE_RENAME_H
#define ENTC_COMPILE_RENAME_H

#include "compile.h"

/* The entity that gets another name. */
typedef struct EntityRename {
    const Asset* asset;
    u32          node; /* in the asset's doc */
    const char*  name; /* the new one */
} EntityRename;

/* All functions do nothing, unless `c->rename` is set and the text is in the own source. */

/* The path of an override that changes an entity below `root`. */
void rename_override(Compile* c, const Asset* asset, u32 offset, u32 root, u32 entity);

/* The path of an override of what is below an entity, which is removed or has another prefab: its first
 * `bytes` are the path of the entity. */
void rename_below(Compile* c, const Asset* asset, const DocOverride* override, u32 bytes, u32 root,
                  u32 entity);

/* A path from `scope` (NONE: the top) to an entity. */
void rename_path(Compile* c, const Source* source, u32 offset, JsonString text, u32 scope,
                 u32 entity);

/* The name itself and "parent" of entries. Reports siblings that have the new name already. */
void rename_collect(Compile* c);

/* The node at a path of an entity or a level. NONE: it is not in this source; then `prefab` is the node
 * at the path up to which the source defines entities, if a prefab is instanced there, and otherwise NONE. */
u32 doc_path_find(const Doc* doc, bool is_level, Text path, u32* prefab);

#endif
