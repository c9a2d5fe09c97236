/* snapshot_save_internal.h - a save that is being written: snapshot_entities.c finds the entities with their
 * order, parents and names, snapshot.c writes them with their components. */
#ifndef ENT_SNAPSHOT_SAVE_INTERNAL_H
#define ENT_SNAPSHOT_SAVE_INTERNAL_H

#include "snapshot.h"
#include "snapshot_internal.h"

/* A resource that a source names. */
typedef struct SaveReference {
    u64         id;
    const char* name;
    u32         type;
    u32         used;
} SaveReference;

/* An instance, or the first of a chain: its owner in the blob, and its row. */
typedef struct SaveRow {
    u32 index, row;
} SaveRow;

typedef struct Save {
    World*               world;
    const EntityPool*    pool;
    const SaveOptions*   options;
    BlobWriter           writer;
    u32                  slot_count, entity_count, reference_count, row_max;
    u64                  name_bytes; /* of entities, each with its end; 0: none has a name */
    u32*                 index;      /* [slot_count] of the slot's entity in the blob, or NONE */
    u32*                 parent;     /* [slot_count] slots, or NONE: the forest that is written */
    u32*                 first;
    u32*                 next;
    u32*                 order; /* [entity_count] slot of each entity of the blob */
    const char**         name;  /* [slot_count] or NULL */
    u32*                 named; /* [named_slots] hash table by parent and name; entity + 1 */
    u32                  named_slots;
    const Manager*       names; /* of the world, which are not a component of the save; or NULL */
    SaveReference*       reference; /* [reference_count] ids rising */
    SaveRow*             rows;      /* [row_max] of the current manager */
    SaveRow*             spare;     /* [row_max] */
    u32*                 from;      /* [row_max] row of each instance that is written */
    u32*                 string;    /* [text_count] of each text of the world, or NONE: not used */
    TextRef*             strings;   /* [string_count] texts in the order of their first use */
    u32                  text_count, string_count;
    u64                  string_bytes;
    const SnapshotTypes* types; /* of the instances that are saved */
} Save;

static inline bool save_has_slot(const Save* s, u32 slot) {
    return slot > 0 && s->pool->generation[slot] != ENTITY_WAITING;
}

/* The slot of an entity that is alive, or NONE. */
static inline u32 save_slot_of(const Save* s, Entity entity) {
    const u32 slot = ent_entity_index(entity);
    return ent_entity_alive(s->pool, entity) && save_has_slot(s, slot) ? slot : NONE;
}

static inline u32 save_index_of(const Save* s, Entity entity) {
    const u32 slot = save_slot_of(s, entity);
    return slot == NONE ? NONE : s->index[slot];
}

/* Finds all entities that are alive, their places in the blob, parents and names. */
void save_entities_read(Save* save);

#endif
