/* flat_groups.c - which entities of a resource are in a group, and which entities may refer to
 * them.
 *
 * A prefab is instanced completely: the groups of its own nodes apply only when the prefab is
 * spawned itself. */
#include "flat.h"

#include <stdlib.h>

#include "diag.h"
#include "hash.h"
#include "search.h"

/* The position of the name of a group. */
typedef struct Naming {
    u32  id, offset, instance;
    Text name;
} Naming;

static int naming_order(const void* a, const void* b) {
    const Naming *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void collision_report(const Compile* c, const FlatGroup* existing, const Naming* n) {
    const Source* source = &c->asset->source;
    diag_error(c->diag, E0310, source, n->offset, n->name.bytes + 2,
               "the groups \"%.*s\" and \"%.*s\" have the same id 0x%08x; rename one of them",
               (int)n->name.bytes, n->name.at, (int)existing->name.bytes, existing->name.at, n->id);
    diag_note(c->diag, source, existing->offset, existing->name.bytes + 2,
              "\"%.*s\" is defined here", (int)existing->name.bytes, existing->name.at);
}

static u32 namings_count(const Doc* doc) {
    u32 count = 0;
    for (u32 i = 0; i < doc->instances.count; i++) count += doc->instances.at[i].group != 0;
    return count;
}

void flat_groups_open(FlatGroups* groups, Compile* c) {
    const Doc* doc = c->asset->content->doc;
    const u32  count = namings_count(doc);
    if (count == 0) return;
    Naming* naming = memory_alloc(sizeof(Naming) * count);
    for (u32 i = 0, n = 0; i < doc->instances.count; i++) {
        const u32 offset = doc->instances.at[i].group;
        if (!offset) continue;
        const Text name = compile_text(c, json_string_at(&c->asset->source, offset));
        naming[n++] = (Naming){hash_name(name), offset, i, name};
    }
    qsort(naming, count, sizeof(Naming), naming_order);
    groups->at = memory_alloc(sizeof(FlatGroup) * count);
    groups->of_instance = memory_alloc(sizeof(u32) * doc->instances.count);
    memset(groups->of_instance, 0xff, sizeof(u32) * doc->instances.count);
    for (u32 i = 0; i < count; i++) {
        const Naming* n = &naming[i];
        if (i == 0 || n->id != n[-1].id) {
            groups->at[groups->count++] = (FlatGroup){n->id, n->name, n->offset, NONE, NONE, 0};
        }
        const FlatGroup* group = &groups->at[groups->count - 1];
        if (!text_equal(group->name, n->name)) collision_report(c, group, n);
        groups->of_instance[n->instance] = groups->count - 1;
    }
    memory_free(naming);
}

void flat_groups_drop(FlatGroups* groups) {
    memory_free(groups->at);
    memory_free(groups->of_instance);
    array_drop(&groups->roots);
}

u32 flat_group_named(const FlatGroups* groups, const DocNode* node) {
    return node->instance ? groups->of_instance[node->instance - 1] : NONE;
}

void flat_group_root_add(FlatGroups* groups, u32 group, GroupRoot root) {
    FlatGroup* g = &groups->at[group];
    const u32  index = groups->roots.count;
    root.next = NONE;
    *array_push(&groups->roots) = root;
    if (g->first_root == NONE)
        g->first_root = index;
    else
        groups->roots.at[g->last_root].next = index;
    g->last_root = index;
}

/* The group of an entity, or NULL. */
static const FlatGroup* group_of(const FlatGroups* groups, u32 entity) {
    Search s = search_between(0, groups->count);
    while (search_continues(&s)) {
        search_narrow(&s, groups->at[s.middle].first <= entity);
    }
    return s.first ? &groups->at[s.first - 1] : NULL;
}

/* Reports the position at which an entity, or an ancestor, is assigned to its group. */
static void place_note(const Compile* c, u32 entity, const FlatGroup* group) {
    const FlatGroups* groups = &c->flat->groups;
    for (; entity != NONE; entity = c->flat->entities.at[entity].parent) {
        const FlatEntity* e = &c->flat->entities.at[entity];
        const DocNode*    node = &c->asset->content->doc->nodes.at[e->node];
        if (e->asset != c->asset->index) continue;
        if (flat_group_named(groups, node) != (u32)(group - groups->at)) continue;
        diag_note(c->diag, &c->asset->source, doc_instance(c->asset->content->doc, node).group,
                  group->name.bytes + 2, "its group is defined here");
        return;
    }
}

void flat_group_nested(const Compile* c, u32 node, u32 parent, u32 outer) {
    const FlatGroups* groups = &c->flat->groups;
    const DocNode*    n = &c->asset->content->doc->nodes.at[node];
    const Text        inside = groups->at[flat_group_named(groups, n)].name;
    const Text        around = groups->at[outer].name;
    diag_error(
        c->diag, E0311, &c->asset->source, doc_instance(c->asset->content->doc, n).group,
        inside.bytes + 2,
        "this entity cannot be in the group \"%.*s\", because an ancestor is in the group \"%.*s\"",
        (int)inside.bytes, inside.at, (int)around.bytes, around.at);
    place_note(c, parent, &groups->at[outer]);
}

bool flat_group_reaches(const Compile* c, u32 entity) {
    const FlatGroup* to = group_of(&c->flat->groups, entity);
    return !to || to == group_of(&c->flat->groups, c->entity);
}

void flat_group_check(Compile* c, const Source* source, u32 offset, Text path, u32 entity) {
    const FlatGroup *from = group_of(&c->flat->groups, c->entity),
                    *to = group_of(&c->flat->groups, entity);
    if (flat_group_reaches(c, entity)) return;
    if (from) {
        diag_error(c->diag, E0312, source, offset, path.bytes + 2,
                   "\"%.*s\" is in the group \"%.*s\", which may be absent; an entity in the group "
                   "\"%.*s\" may refer only to entities in its own group or in no group",
                   (int)path.bytes, path.at, (int)to->name.bytes, to->name.at,
                   (int)from->name.bytes, from->name.at);
    } else {
        diag_error(c->diag, E0312, source, offset, path.bytes + 2,
                   "\"%.*s\" is in the group \"%.*s\", which may be absent; an entity in no group "
                   "may refer only to entities in no group",
                   (int)path.bytes, path.at, (int)to->name.bytes, to->name.at);
    }
    place_note(c, entity, to);
}

/* --- writing --- */

void flat_groups_write(const Compile* c, Output* out) {
    const FlatGroups* groups = &c->flat->groups;
    GroupRecord*      rows = memory_alloc(sizeof(GroupRecord) * groups->count);
    u32               bytes = 0;
    for (u32 i = 0; i < groups->count; i++) {
        const FlatGroup* g = &groups->at[i];
        rows[i] = (GroupRecord){g->id, g->first, c->options.strip ? 0 : bytes};
        bytes += g->name.bytes + 1;
    }
    output_section(out, SECTION_GROUP, rows, groups->count);
    char* text = c->options.strip ? NULL : output_section(out, SECTION_GROUP_NAME, NULL, bytes);
    for (u32 i = 0; text && i < groups->count; i++) {
        memcpy(text + rows[i].name, groups->at[i].name.at, groups->at[i].name.bytes);
    }
    memory_free(rows);
}
