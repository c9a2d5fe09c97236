/* manager.h - the instances of one component type in one world: parallel arrays and a lookup.
 *
 * Rows are dense: row i is entity[i] and element i of every column, for i < count. Removing a row
 * moves the last one into the hole, so a row number is good until the next spawn or removal. All
 * arrays of a manager stand in one block. */
#ifndef ENT_MANAGER_H
#define ENT_MANAGER_H

#include "components.h"
#include "entity.h"

#define MANAGER_NO_ROW           UINT32_MAX
#define MANAGER_EXTRAS_MAX       4
#define MANAGER_RECORD_BYTES_MAX 1024
#define MANAGER_COLUMNS_MAX      (COMPONENT_COLUMNS_MAX + MANAGER_EXTRAS_MAX)

struct World;
struct Manager;

typedef struct ManagerSlot {
    Entity entity; /* 0: free */
    u32    row;
} ManagerSlot;

/* What one call of a spawner gets: all instances of its type in a blob. */
typedef struct SpawnBatch {
    const Entity*      entities;     /* [entity_count] what this spawn created */
    const u32*         parent_index; /* [entity_count] an earlier entity, or UINT32_MAX */
    u32                entity_count; /* */
    u32                count;        /* instances */
    const u32*         entity_index; /* [count] entities[entity_index[i]] owns instance i */
    const void* const* columns;      /* [columns of the type] arrays of [count]; copied */
    u32*               scratch;      /* [2 * entity_count] for the length of the call */
} SpawnBatch;

/* What a world has to know to manage a component type. Zero means: nothing special. */
typedef struct ManagerDesc {
    ComponentType type;                            /* id and layout are filled in by the world */
    u32           extra_bytes[MANAGER_EXTRAS_MAX]; /* columns that only the runtime has */

    /* Appends the batch; room for it is there, the extra columns are not cleared. NULL:
     * ent_manager_append, and zeros in the extra columns. */
    void (*spawn)(struct World* world, struct Manager* manager, const SpawnBatch* batch);

    /* Row `row` goes, and then row `last` takes its place (they may be the same). */
    void (*remove)(struct Manager* manager, u32 row, u32 last);
} ManagerDesc;

typedef struct Manager {
    ManagerDesc  desc;
    u32          count;                       /* rows in use */
    u32          capacity;                    /* rows there is room for */
    Entity*      entity;                      /* [count] owner of the row */
    void*        column[MANAGER_COLUMNS_MAX]; /* [count] the type's columns, then the extra ones */
    u32*         next; /* [count] SEVERAL: next row of the same entity, or MANAGER_NO_ROW */
    u32*         row;  /* DIRECT: [entity slots] 1 + first row of the entity, or 0 */
    ManagerSlot* slot; /* HASHED: [slot_mask + 1] open addressing */
    u32          slot_mask;
    u32          column_count;
    void*        rows_block;   /* what the world carved for the arrays, */
    void*        lookup_block; /* and for the lookup */
} Manager;

static inline u32 ent_manager_hash(Entity entity) {
    const u32 h = entity * 0x9e3779b1u;
    return h ^ h >> 15;
}

/* The first row of an entity, or MANAGER_NO_ROW; a stale handle has none. */
static inline u32 ent_manager_row(const Manager* m, const EntityPool* pool, Entity entity) {
    const u32 index = ent_entity_index(entity);
    if (m->desc.type.lookup == DIRECT) {
        if (index >= pool->slot_count || !m->row || m->row[index] == 0) return MANAGER_NO_ROW;
        const u32 row = m->row[index] - 1;
        return m->entity[row] == entity ? row : MANAGER_NO_ROW;
    }
    if (m->slot_mask == 0 || entity == ENTITY_NOBODY) return MANAGER_NO_ROW;
    for (u32 at = ent_manager_hash(entity);; at++) {
        const ManagerSlot* slot = &m->slot[at & m->slot_mask];
        if (slot->entity == entity) return slot->row;
        if (slot->entity == ENTITY_NOBODY) return MANAGER_NO_ROW;
    }
}

/* The next row of the same entity, or MANAGER_NO_ROW. */
static inline u32 ent_manager_next(const Manager* m, u32 row) {
    return m->next ? m->next[row] : MANAGER_NO_ROW;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Copies a batch into the columns and enters its owners into the lookup: what a spawner of one's
 * own calls first. Entity references in records become entities of this world.
 *
 * Returns  the first new row.
 * Cost     one copy per column, one store per instance and lookup. */
ENT_API u32 ent_manager_append(Manager* manager, const SpawnBatch* batch);

#ifdef __cplusplus
}
#endif

#endif
