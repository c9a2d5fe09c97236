/* manager.h - the instances of one component type in one world: parallel arrays and a lookup.
 *
 *     Manager*  masses = ent_world_manager_by_name(world, "point_mass");
 *     Vec3*     position = (Vec3*)masses->column[0];
 *     const u32 row = ent_manager_row(masses, ent_world_entities(world), entity);
 *     if (row != MANAGER_NO_ROW) position[row].y += 1;
 *     for (u32 i = 0; i < masses->count; i++) position[i].x += 1;      what systems are made of
 *
 * Rows are dense: row i is entity[i] and element i of every column, for i < count. Removing a row
 * moves the last one into the hole, and a spawn may take larger arrays: row numbers and pointers
 * into columns are good until rows come or go. All arrays of a manager stand in one block. Types
 * that nearly every entity has are found through an array of 4 bytes per entity slot, others
 * through a hash map: `lookup` of the component type says which. */
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

/* What one call of a spawner gets: instances of its type, of all of a blob's entities or of a run
 * of them. */
typedef struct SpawnBatch {
    const Entity*      entities;     /* [entity_count] made of the blob's; NOBODY: left out */
    const u32*         parent_index; /* [entity_count] an earlier entity, or UINT32_MAX */
    u32                entity_count; /* */
    u32                entity_first, entity_end; /* the run: whose instances these are */
    u32                count;                    /* instances */
    const u32*         entity_index; /* [count] entities[entity_index[i]] owns instance i; rising */
    const void* const* columns;      /* [columns of the type] arrays of [count]; copied */
    u32*               scratch;      /* [2 * entity_count] for the length of the call */
    u32                seed;         /* of persistent ids: ent_persistent_seeded; 0: as they are */
    Entity             parent;       /* whom entities without a parent hang on, or ENTITY_NOBODY */
    const TransformRecord* root; /* what poses of entities without a parent are relative to, or NULL
                                  */
} SpawnBatch;

/* What a world has to know to manage a component type. Zero means: nothing special. The functions
 * may read and write columns, of other managers as well; none of them may let rows, entities or
 * types come or go, but for ent_manager_append in `spawn`. */
typedef struct ManagerDesc {
    ComponentType type;                  /* id and layout are filled in by the world */
    u32 extra_bytes[MANAGER_EXTRAS_MAX]; /* of an element of each column that only the runtime has,
                                            behind the type's; the first 0 ends them */
    const RecordType* state; /* field i describes extra column i: what a save keeps of them, under
                                the record's name; columns behind the last field are not kept */
    int   lazy; /* rows of destroyed entities stay until ent_world_gc finds them; found by hash */
    void* user; /* for the functions below: manager->desc.user */

    /* Appends the batch: ent_manager_append, which tells the first new row, and then the extra
     * columns of the new rows, which hold anything. May read the whole world and adds to nothing
     * but this manager, where room for the batch is. Called for every run of entities that is
     * spawned, and by ent_manager_create with one instance. NULL: ent_manager_append, and zeros in
     * the extra columns. */
    void (*spawn)(struct World* world, struct Manager* manager, const SpawnBatch* batch);

    /* Row `row` goes; what it holds can still be read. */
    void (*removed)(struct Manager* manager, u32 row);

    /* Row `from` is about to become row `to`, where nobody is. `to` may be count, one past the end,
     * when rows trade places. */
    void (*moved)(struct Manager* manager, u32 from, u32 to);

    /* Fields of row `row` were written by ent_world_patch, as another blob has them. */
    void (*changed)(struct Manager* manager, u32 row);

    /* All rows are about to go at once, and are not told of one by one: the world is cleared or
     * destroyed, or the type unregistered. Not called when there are none. */
    void (*cleared)(struct Manager* manager);
} ManagerDesc;

/* Read all of it, write into columns and nothing else. */
typedef struct Manager {
    u32          count;        /* rows in use */
    u32          capacity;     /* rows there is room for; one more can be moved to */
    u32          tail;         /* of these, at the end, are kept apart from others */
    u32          column_count; /* */
    u32          given;  /* calls of ent_manager_create: a spawn over frames looks out for them */
    Entity*      entity; /* [count] owner of the row */
    void*        column[MANAGER_COLUMNS_MAX]; /* [count] the type's columns, then the extra ones */
    u32*         next; /* [count] SEVERAL: next row of the same entity, or MANAGER_NO_ROW */
    u32*         row;  /* DIRECT: [row_slots] 1 + first row of the entity, or 0 */
    u32          row_slots;
    u32          slot_mask;
    ManagerSlot* slot; /* HASHED: [slot_mask + 1] open addressing */
    u32*         list; /* [capacity] the transforms' own, as the next two; not moved with rows */
    u32          list_count;
    int          deferred;
    u32          column_bytes[MANAGER_COLUMNS_MAX]; /* of one element */
    ManagerDesc  desc;
    void*        rows_block;   /* what the world carved for the arrays, */
    void*        lookup_block; /* and for the lookup, */
    void*        type_block; /* and keeps of the description of the type; NULL: it is the host's */
    const void* (*plugin)(u32 id, u32 version); /* who brought the type; NULL: no plugin */
    const struct ComponentHooks* hooks;         /* of a built-in type, or of none; never NULL */
} Manager;

static inline u32 ent_manager_hash(Entity entity) {
    const u32 h = entity * 0x9e3779b1u;
    return h ^ h >> 15;
}

/* The first row of an entity, or MANAGER_NO_ROW; a stale handle has none.
 * Cost     DIRECT: a byte for the generation and 4 for the row. */
static inline u32 ent_manager_row(const Manager* m, const EntityPool* pool, Entity entity) {
    if (m->desc.type.lookup == DIRECT) { /* there are no more rows than slots */
        const u32 index = ent_entity_index(entity);
        if (index >= m->row_slots || pool->generation[index] != entity >> ENTITY_INDEX_BITS)
            return MANAGER_NO_ROW;
        return m->row[index] - 1;
    }
    if (m->slot_mask == 0 || !ent_entity_alive(pool, entity)) return MANAGER_NO_ROW;
    for (u32 at = ent_manager_hash(entity);; at++) {
        const ManagerSlot* slot = &m->slot[at & m->slot_mask];
        if (slot->entity == entity) return slot->row;
        if (slot->entity == ENTITY_NOBODY) return MANAGER_NO_ROW;
    }
}

/* For loops that find many rows: what is the same for all of them, at hand. Good until the next
 * spawn, creation or removal.
 *
 *     const ManagerFinder find = ent_manager_finder(m, ent_world_entities(world));
 *     for (u32 i = 0; i < count; i++) rows[i] = ent_finder_row(find, entities[i]); */
typedef struct ManagerFinder {
    const u32*        row; /* DIRECT: as the manager's, */
    const uint8_t*    generation;
    u32               row_slots; /* HASHED: 0 */
    const Manager*    manager;   /* HASHED: who is asked; else NULL */
    const EntityPool* pool;
} ManagerFinder;

static inline ManagerFinder ent_manager_finder(const Manager* m, const EntityPool* pool) {
    const int     direct = m->desc.type.lookup == DIRECT;
    ManagerFinder find = {m->row, pool->generation, direct ? m->row_slots : 0, direct ? NULL : m,
                          pool};
    return find;
}

#ifdef __cplusplus
extern "C" {
#endif

/* ent_manager_row, as a call: what a finder asks for a type that is found by hash, so that little
 * is left in the loop of one that is not. */
ENT_API u32 ent_manager_row_hashed(const Manager* m, const EntityPool* pool, Entity entity);

#ifdef __cplusplus
}
#endif

/* As ent_manager_row. */
static inline u32 ent_finder_row(ManagerFinder find, Entity entity) {
    const u32 index = ent_entity_index(entity);
    if (find.manager) return ent_manager_row_hashed(find.manager, find.pool, entity);
    if (index >= find.row_slots || find.generation[index] != entity >> ENTITY_INDEX_BITS)
        return MANAGER_NO_ROW;
    return find.row[index] - 1;
}

static inline int ent_manager_contains(const Manager* m, const EntityPool* pool, Entity entity) {
    return ent_manager_row(m, pool, entity) != MANAGER_NO_ROW;
}

/* The next row of the same entity, or MANAGER_NO_ROW: for a type that allows several. */
static inline u32 ent_manager_next(const Manager* m, u32 row) {
    return m->next ? m->next[row] : MANAGER_NO_ROW;
}

static inline u32    ent_manager_count(const Manager* m) { return m->count; }
static inline Entity ent_manager_entity_at(const Manager* m, u32 row) { return m->entity[row]; }

#ifdef __cplusplus
extern "C" {
#endif

/* Element of a column: the record of a type that is kept by record (column 0), a field of one that
 * is kept by field.
 *
 * Needs    row < count, column < column_count (asserted). */
ENT_API void* ent_manager_get(const Manager* manager, u32 row, u32 column);

/* Adds one instance with default values, zero in fields that have none, and tells its row. Its
 * extra columns are zero unless the type has a spawner, which fills them.
 *
 *   row  receives it; not NULL
 *
 * Returns  ENT_OK, or with nothing changed: ENT_STALE, ENT_NO_MEMORY, ENT_LIMIT; ENT_EXISTS: the
 *          entity has an instance, and the type does not allow several.
 * Cost     no allocation while there is room, which grows by half. */
ENT_API MUST_CHECK ent_status ent_manager_create(struct World* world, Manager* manager,
                                                 Entity entity, u32* row);

/* Removes the instance in a row; the last row moves into its place. The entity stays. When it was a
 * transform, its children stay as well, without a parent: their local poses do not change and are
 * relative to the world from then on.
 *
 * Needs    row < count (asserted).
 * Cost     one copy per column and two steps of the lookup. */
ENT_API void ent_manager_remove(struct World* world, Manager* manager, u32 row);

/* The same, also for children, and every row behind it moves up by one: for columns whose order
 * means something. Cost     proportional to the rows behind it. */
ENT_API void ent_manager_remove_keep_order(struct World* world, Manager* manager, u32 row);

/* Moves a row to another place; the rows between make room and keep their order.
 *
 * Needs    both below count, and not one in the deferred transforms' dirty part and the other
 *          outside (asserted).
 * Cost     proportional to the distance. */
ENT_API void ent_manager_move_item(struct World* world, Manager* manager, u32 from, u32 to);

/* Two rows trade places, by way of the place past the end. Needs as above. */
ENT_API void ent_manager_swap(struct World* world, Manager* manager, u32 a, u32 b);

/* Copies a batch into the columns and enters its owners into the lookup: what a spawner of one's
 * own calls first. Entity references in records become entities of this world. A batch of one
 * instance, as of ent_manager_create, comes behind what its owner has already; of larger ones
 * nobody has any.
 *
 * Returns  the first new row.
 * Cost     one copy per column, one store per instance and lookup. */
ENT_API u32 ent_manager_append(Manager* manager, const SpawnBatch* batch);

#ifdef __cplusplus
}
#endif

#endif
