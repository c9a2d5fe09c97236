/* diff_group.c - finds entities that are in another group than before. */
#include "diff_internal.h"

/* The id of the group that an entity is in; 0: the base. */
static u32 group_id(const Side* side, u32 entity) {
    const Groups* groups = &side->tables.groups;
    const u32     group = groups_find(groups, entity);
    return group == NONE ? 0 : groups->row[group].id;
}

bool group_moved(const Diff* d, u32 entity) {
    return group_id(&d->a, entity) != group_id(&d->b, d->match[entity]);
}

bool group_came_along(const Diff* d, u32 entity) {
    const u32 parent = d->a.tables.parent[entity];
    return parent != NONE && group_moved(d, parent) &&
           group_id(&d->a, parent) == group_id(&d->a, entity) &&
           group_id(&d->b, d->match[parent]) == group_id(&d->b, d->match[entity]);
}

const char* group_text(const Side* side, u32 entity, GroupText id) {
    const u32   group = groups_find(&side->tables.groups, entity);
    const char* name = group == NONE ? NULL : ent_blob_group_name(&side->file.blob, group);
    if (!name || *name) return name;
    snprintf(id, sizeof(GroupText), "0x%08x", side->tables.groups.row[group].id);
    return id;
}
