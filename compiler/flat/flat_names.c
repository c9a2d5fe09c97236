/* flat_names.c - finds entities by path, and reports duplicate names. */
#include "diag.h"
#include "flat.h"
#include "hash.h"

/* --- paths --- */

char* flat_path_prepend(const Flat* flat, const Assets* assets, char* first, char* at, u32 entity) {
    static const char nameless[] = {FLAT_NAMELESS};
    Text              name = flat_name(flat, assets, entity);
    if (name.bytes == 0) name = (Text){nameless, 1};
    if ((size_t)(at - first) < name.bytes + 1) return NULL;
    at -= name.bytes;
    memcpy(at, name.at, name.bytes);
    *--at = '/';
    return at;
}

const char* flat_path(Compile* c, const Flat* flat, u32 root, u32 entity) {
    char  path[FLAT_PATH_BYTES_MAX];
    char* at = path + sizeof path - 1;
    *at = 0;
    while (entity != root && entity != NONE) {
        char* next = flat_path_prepend(flat, c->assets, path, at, entity);
        if (!next) break;
        at = next;
        entity = flat->entities.at[entity].parent;
    }
    return arena_text(&c->arena, text_of(*at == '/' ? at + 1 : at));
}

/* --- the index of names --- */

/* A slot contains entity + 1 and, in higher bits, a part of the hash, so that most other entities
 * in a chain are skipped without comparing names. */
#define SLOT_ENTITY ((1u << 23) - 1)
static_assert(BLOB_ENTITIES_MAX < SLOT_ENTITY, "an entity must fit into a slot");

static u64 child_hash(u32 parent, u32 name_hash) {
    const u64 hash = ((u64)parent << 32 | name_hash) * 0x9e3779b97f4a7c15u;
    return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
}

static u32 slot_tag(u64 hash) { return (u32)(hash >> 8) & ~SLOT_ENTITY; }

/* The slot of the child, or the free slot for it. */
static u32* child_slot(const Flat* flat, const Assets* assets, u32 parent, Text name, u64 hash) {
    u32* slot = slots_first(&flat->child_slots, hash >> 40);
    for (; *slot; slot = slots_next(&flat->child_slots, slot)) {
        if ((*slot & ~SLOT_ENTITY) != slot_tag(hash)) continue;
        const u32 entity = (*slot & SLOT_ENTITY) - 1;
        if (flat->entities.at[entity].parent == parent &&
            text_equal(flat_name(flat, assets, entity), name)) {
            break;
        }
    }
    return slot;
}

static void twins_report(Compile* c, const Flat* flat, u32 first, u32 second) {
    const FlatEntity* e = &flat->entities.at[second];
    const FlatEntity* existing = &flat->entities.at[first];
    const Asset *asset = c->assets->asset[e->asset], *other = c->assets->asset[existing->asset];
    const Text   name = flat_name(flat, c->assets, second);
    diag_error(c->diag, E0305, &asset->source, doc_node(asset, e->node)->offset, 1,
               "duplicate name \"%.*s\" among siblings; rename one of them", (int)name.bytes,
               name.at);
    diag_note(c->diag, &other->source, doc_node(other, existing->node)->offset, 1,
              "the other entity is here");
}

static const DocNode* entity_node(const Flat* flat, const Assets* assets, u32 entity) {
    const FlatEntity* e = &flat->entities.at[entity];
    return doc_node(assets->asset[e->asset], e->node);
}

/* Prefetches the slot of a later entity, the node of which was prefetched before. */
static void slot_prefetch(const Flat* flat, const Assets* assets, u32 entity) {
    const u32 ahead = entity + FLAT_LOOK_AHEAD / 2;
    if (ahead >= flat->entities.count) return;
    const u32 name = entity_node(flat, assets, ahead)->name_hash;
    const u64 hash = child_hash(flat->entities.at[ahead].parent, name);
    PREFETCH(slots_first(&flat->child_slots, hash >> 40));
}

static void names_index(Compile* c, Flat* flat) {
    slots_alloc(&flat->child_slots, slots_needed(flat->entities.count, 16));
    memory_touch(flat->child_slots.at, sizeof(u32) * flat->child_slots.count);
    for (u32 i = 0; i < flat->entities.count; i++) {
        flat_prefetch(flat, c->assets, i);
        slot_prefetch(flat, c->assets, i);
        const Text name = flat_name(flat, c->assets, i);
        if (name.bytes == 0) continue;
        const u32 parent = flat->entities.at[i].parent;
        const u64 hash = child_hash(parent, entity_node(flat, c->assets, i)->name_hash);
        u32*      slot = child_slot(flat, c->assets, parent, name, hash);
        if (*slot)
            twins_report(c, flat, (*slot & SLOT_ENTITY) - 1, i);
        else
            *slot = (i + 1) | slot_tag(hash);
    }
}

void flat_index(Flat* flat) {
    if (!job_once_begin(&flat->indexed)) return;
    names_index(flat->compile, flat);
    job_once_end(&flat->indexed);
}

u32 flat_find(Compile* c, u32 scope, Text path) {
    flat_index(c->flat);
    u32 entity = scope;
    if (path.bytes == 1 && path.at[0] == '.') return scope;
    for (u32 first = 0; first <= path.bytes;) {
        u32 last = first;
        while (last < path.bytes && path.at[last] != '/') last++;
        const Text name = {path.at + first, last - first};
        if (name.bytes == 0) return NONE;
        const u32 hash = (u32)hash_bytes(name.at, name.bytes, 0);
        const u32 slot = *child_slot(c->flat, c->assets, entity, name, child_hash(entity, hash));
        if (!slot) return NONE;
        entity = (slot & SLOT_ENTITY) - 1;
        first = last + 1;
    }
    return entity;
}

u32 flat_of_node(Compile* c, const Asset* asset, u32 scope, u32 node) {
    u32 below[HIERARCHY_MAX + 1], count = 0;
    for (; doc_node(asset, node)->parent != NONE; node = doc_node(asset, node)->parent) {
        assert(count < HIERARCHY_MAX); /* checked when the source was read */
        below[count++] = node;
    }
    if (scope == NONE) below[count++] = node; /* a root of a level */
    if (count) flat_index(c->flat);
    u32 entity = scope;
    while (count) {
        const DocNode* n = doc_node(asset, below[--count]);
        const u64      hash = child_hash(entity, n->name_hash);
        const u32      slot = *child_slot(c->flat, c->assets, entity, doc_name(n), hash);
        if (!slot) return NONE;
        entity = (slot & SLOT_ENTITY) - 1;
    }
    return entity;
}
