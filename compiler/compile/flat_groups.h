/* flat_groups.h - the groups that a resource's own nodes name: parts of its entities that can be
 * spawned by themselves. Entities of a group stand together, behind those in no group. */
#ifndef ENTC_FLAT_GROUPS_H
#define ENTC_FLAT_GROUPS_H

#include "compile.h"

/* A node that is in a group and whose parent is not: it is expanded when the group's turn comes. */
typedef struct GroupRoot {
    u32 node, parent, scope, depth;
    u32 next; /* of the same group, or NONE */
} GroupRoot;

typedef struct FlatGroup {
    u32  id;
    Text name;
    u32  offset;                /* in the resource's source, where it is named first */
    u32  first_root, last_root; /* in FlatGroups.roots, or NONE */
    u32  first;                 /* entity */
} FlatGroup;

typedef struct FlatGroups {
    FlatGroup* at; /* [count] ids rising */
    u32        count;
    u32*       of_instance; /* [doc.instances.count] the group that it names, or NONE */
    ARRAY(GroupRoot) roots;
} FlatGroups;

/* Finds what groups the nodes of compile->asset name, and reports names with one id. */
void flat_groups_open(FlatGroups* groups, Compile* compile);
void flat_groups_drop(FlatGroups* groups);

/* The group that a node of compile->asset names, or NONE. */
u32 flat_group_named(const FlatGroups* groups, const DocNode* node);

void flat_group_root_add(FlatGroups* groups, u32 group, GroupRoot root);

/* Reports a node that names a group and is to stand below an entity of the outer one. */
void flat_group_nested(const Compile* compile, u32 node, u32 parent, u32 outer);

/* Is an entity there whenever compile->entity is? */
bool flat_group_reaches(const Compile* compile, u32 entity);

/* Reports a reference of compile->entity to an entity that need not be there when it is. */
void flat_group_check(Compile* compile, const Source* source, u32 offset, Text path, u32 entity);

/* Adds the sections of groups; the last ones of a blob. */
void flat_groups_write(const Compile* compile, Output* out);

#endif
