/* flat_groups.h - the groups of the own nodes of a resource: subsets of its entities that can be
 * spawned separately. The entities of a group are stored together, after those in no group. */
#ifndef ENTC_FLAT_GROUPS_H
#define ENTC_FLAT_GROUPS_H

#include "compile.h"

/* A node in a group with a parent that is not: it is expanded together with the group. */
typedef struct GroupRoot {
    u32 node, parent, scope, depth;
    u32 next; /* of the same group, or NONE */
} GroupRoot;

typedef struct FlatGroup {
    u32  id;
    Text name;
    u32  offset;                /* in the source of the resource, at the first use of its name */
    u32  first_root, last_root; /* in FlatGroups.roots, or NONE */
    u32  first;                 /* entity */
} FlatGroup;

typedef struct FlatGroups {
    FlatGroup* at; /* [count] ids in ascending order */
    u32        count;
    u32*       of_instance; /* [doc.instances.count] the group of the node, or NONE */
    ARRAY(GroupRoot) roots;
} FlatGroups;

/* Finds the groups of the nodes of compile->asset, and reports different names with the same id. */
void flat_groups_open(FlatGroups* groups, Compile* compile);
void flat_groups_drop(FlatGroups* groups);

/* Returns the group of a node of compile->asset, or NONE. */
u32 flat_group_named(const FlatGroups* groups, const DocNode* node);

void flat_group_root_add(FlatGroups* groups, u32 group, GroupRoot root);

/* Reports a node in a group with an ancestor in another group. */
void flat_group_nested(const Compile* compile, u32 node, u32 parent, u32 outer);

/* Does an entity always exist when compile->entity exists? */
bool flat_group_reaches(const Compile* compile, u32 entity);

/* Reports a reference of compile->entity to an entity that may not exist when it exists. */
void flat_group_check(Compile* compile, const Source* source, u32 offset, Text path, u32 entity);

/* Adds the sections of groups; the last ones of a blob. */
void flat_groups_write(const Compile* compile, Output* out);

#endif
