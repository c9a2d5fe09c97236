/* snapshot_entities.c - the entities of a save: their parents, names and order in the blob. */
#include "entity_names_internal.h"
#include "hash.h"
#include "sections.h"
#include "snapshot_save_internal.h"
#include "transform_internal.h"
#include "transform_manager.h"

/* Does the transform of the entity skip a parent without one, which it has in paths? */
static bool is_skipping(const Save* s, Entity entity, Entity parent) {
    const Manager* transforms = world_transforms(s->world);
    return parent && ent_manager_contains(transforms, s->pool, entity) &&
           !ent_manager_contains(transforms, s->pool, parent) &&
           names_path_parent(s->world, s->names, entity) == parent;
}

/* Before all others: their transforms become children of parents without one, which a spawn skips again. */
static void parents_of_paths(Save* s) {
    for (u32 row = 0; s->names && row < s->names->count; row++) {
        const Entity entity = s->names->entity[row];
        const Entity parent = names_parent(s->world, s->names, row);
        if (is_skipping(s, entity, parent))
            s->parent[save_slot_of(s, entity)] = save_slot_of(s, parent);
    }
}

/* The children of a transform, in their order, that have no other parent yet. */
static void children_link(Save* s, const Manager* m, const TransformLinks* links, u32 row) {
    const u32 slot = ent_entity_index(m->entity[row]);
    u32       last = NONE;
    for (u32 at = links[row].first_child; at != MANAGER_NO_ROW; at = links[at].next_sibling) {
        const u32 child = ent_entity_index(m->entity[at]);
        if (s->parent[child] != NONE) continue;
        s->parent[child] = slot;
        if (last == NONE)
            s->first[slot] = child;
        else
            s->next[last] = child;
        last = child;
    }
}

static void forest_of_transforms(Save* s) {
    const Manager*        m = world_transforms(s->world);
    const TransformLinks* links = m->count ? ent_transform_links(s->world) : NULL;
    for (u32 row = 0; row < m->count; row++) children_link(s, m, links, row);
}

static bool is_below(const Save* s, u32 slot, u32 top) {
    while (slot != top && slot != NONE) slot = s->parent[slot];
    return slot == top;
}

/* An entity without a transform keeps the parent that it had in its source, and becomes its first child; so does one that
 * skips it, which parents_of_paths has found. */
static void parent_keep(Save* s, Entity entity, Entity parent, bool skips) {
    const u32  slot = save_slot_of(s, entity), above = save_slot_of(s, parent);
    const bool free = slot != NONE && s->parent[slot] == NONE &&
                      !ent_manager_contains(world_transforms(s->world), s->pool, entity);
    if (above == NONE || (!free && !skips)) return;
    s->parent[slot] = NONE;
    if (is_below(s, above, slot)) return;
    s->parent[slot] = above;
    s->next[slot] = s->first[above];
    s->first[above] = slot;
}

/* From the last to the first, because each one becomes the first child. */
static void forest_of_source(Save* s, const SaveSource* source) {
    const BlobSection* section = ent_blob_section(source->blob, SECTION_PARENT);
    const u32*         parent = section ? ent_blob_data(source->blob, section) : NULL;
    for (u32 i = section ? section->count : 0; i-- > 0;) {
        if (parent[i] != NONE)
            parent_keep(s, source->entities[i], source->entities[parent[i]], false);
    }
}

static void names_of_source(Save* s, const SaveSource* source) {
    const BlobSection* offsets = ent_blob_section(source->blob, SECTION_NAME_OFFSET);
    const BlobSection* names = ent_blob_section(source->blob, SECTION_NAME);
    if (!offsets || !names) return;
    const u32*  offset = ent_blob_data(source->blob, offsets);
    const char* text = ent_blob_data(source->blob, names);
    for (u32 i = 0; i < offsets->count; i++) {
        const u32 slot = save_slot_of(s, source->entities[i]);
        if (slot != NONE) s->name[slot] = text + offset[i];
    }
}

/* In a world with names, entities have the names that the host has set since they were spawned. */
static void names_of_world(Save* s, const Manager* m) {
    for (u32 row = m->count; row-- > 0;) {
        const u32   slot = save_slot_of(s, m->entity[row]);
        const char* name = names_text(s->world, m, row);
        if (slot != NONE && *name) s->name[slot] = name;
        const Entity parent = names_parent(s->world, m, row);
        parent_keep(s, m->entity[row], parent, is_skipping(s, m->entity[row], parent));
    }
}

static void sources_read(Save* s) {
    if (s->names) {
        names_of_world(s, s->names);
        return;
    }
    for (u32 i = s->options->source_count; i-- > 0;) {
        const SaveSource* source = &s->options->sources[i];
        if (!source->entities) continue;
        forest_of_source(s, source);
        names_of_source(s, source);
    }
}

/* Numbers a root and all its descendants, depth first. */
static u32 tree_number(Save* s, u32 root, u32 count) {
    for (u32 slot = root;;) {
        s->index[slot] = count;
        s->order[count++] = slot;
        if (s->first[slot] != NONE) {
            slot = s->first[slot];
            continue;
        }
        while (slot != root && s->next[slot] == NONE) slot = s->parent[slot];
        if (slot == root) return count;
        slot = s->next[slot];
    }
}

static bool is_root(const Save* s, u32 slot) {
    return slot != NONE && s->parent[slot] == NONE && s->index[slot] == NONE;
}

/* Roots in the order of their rows, transforms first; those without components last. After a
 * load rows have the order of the blob, so that the next save finds the same order. */
static void entities_number(Save* s) {
    const Manager* transforms = world_transforms(s->world);
    u32            count = 0;
    for (u32 i = 0; i <= s->world->manager_count; i++) {
        const Manager* m = i == 0 ? transforms : &s->world->manager[i - 1];
        if (m == s->names) continue; /* a load does not give all of these rows back */
        for (u32 row = 0; row < m->count; row++) {
            const u32 slot = save_slot_of(s, m->entity[row]);
            if (is_root(s, slot)) count = tree_number(s, slot, count);
        }
    }
    for (u32 slot = 1; slot < s->slot_count; slot++) {
        if (save_has_slot(s, slot) && is_root(s, slot)) count = tree_number(s, slot, count);
    }
    assert(count == s->entity_count);
}

static bool same_name(const Save* s, u32 slot, u32 other) {
    return s->parent[slot] == s->parent[other] && strcmp(s->name[slot], s->name[other]) == 0;
}

/* Siblings have different names: of multiple ones with the same name, as after two loads of one
 * level, the first keeps it. */
static void names_make_unique(Save* s) {
    memset(s->named, 0, sizeof(u32) * s->named_slots);
    for (u32 i = 0; i < s->entity_count && s->named_slots; i++) {
        const u32   slot = s->order[i];
        const char* name = s->name[slot];
        if (!name || !*name) continue;
        u64 at = hash_bytes(name, strlen(name), s->parent[slot]) & (s->named_slots - 1);
        while (s->named[at] && !same_name(s, slot, s->order[s->named[at] - 1])) {
            at = (at + 1) & (s->named_slots - 1);
        }
        if (s->named[at])
            s->name[slot] = NULL;
        else
            s->named[at] = i + 1;
    }
}

static void names_measure(Save* s) {
    bool any = false;
    s->name_bytes = s->entity_count;
    for (u32 i = 0; i < s->entity_count; i++) {
        const char* name = s->name[s->order[i]];
        if (name) s->name_bytes += strlen(name), any |= *name != 0;
    }
    if (!any) s->name_bytes = 0;
}

void save_entities_read(Save* s) {
    const size_t bytes = sizeof(u32) * s->slot_count;
    memset(s->index, 0xff, bytes);
    memset(s->parent, 0xff, bytes);
    memset(s->first, 0xff, bytes);
    memset(s->next, 0xff, bytes);
    for (u32 i = 0; i < s->slot_count; i++) s->name[i] = NULL;
    parents_of_paths(s);
    forest_of_transforms(s);
    sources_read(s);
    entities_number(s);
    names_make_unique(s);
    names_measure(s);
}
