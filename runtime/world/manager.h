/* manager.h - the instances of one component type in one world: parallel arrays and a lookup.
 *
 *     EntManager*          masses = ent_world_manager_by_name(world, "point_mass");
 *     const EntEntityPool* pool = ent_world_entities(world);
 *     EntVec3*             position = (EntVec3*)masses->column[0];
 *
 *     // The loop of a system:
 *     for (uint32_t i = 0; i < masses->count; i++) position[i].x += 1;
 *
 *     // One entity:
 *     const uint32_t row = ent_manager_row(masses, pool, entity);
 *     if (row != ENT_MANAGER_NO_ROW) position[row].y += 1;
 *
 * Rows are dense: row i is entity[i] and element i of every column, for i < count. Removing a
 * row moves the last one into the hole, and a spawn may allocate larger arrays: row numbers and
 * pointers into columns are valid until rows are added or removed. All arrays of a manager are
 * in one block. Types that nearly every entity has are found through an array of 4 bytes per
 * entity slot, others through a hash map: `lookup` of the component type selects one of them. */
#ifndef ENT_MANAGER_H
#define ENT_MANAGER_H

#include "component_type.h"
#include "entity.h"

#define ENT_MANAGER_NO_ROW           UINT32_MAX
#define ENT_MANAGER_EXTRAS_MAX       4
#define ENT_MANAGER_RECORD_BYTES_MAX 1024
#define ENT_MANAGER_COLUMNS_MAX      (ENT_COMPONENT_COLUMNS_MAX + ENT_MANAGER_EXTRAS_MAX)

struct EntWorld;
struct EntManager;

typedef struct EntManagerSlot {
    EntEntity entity; /* 0: free */
    uint32_t  row;
} EntManagerSlot;

/* The input of one call of a spawner: instances of its type, of all entities of a blob or of a
 * range of them. */
typedef struct EntSpawnBatch {
    const EntEntity*   entities;     /* [entity_count] created for the blob's; 0: left out      */
    const uint32_t*    parent_index; /* [entity_count] an earlier entity, or UINT32_MAX */
    uint32_t           entity_count; /* */
    uint32_t           entity_first, entity_end; /* the range that owns these instances */
    uint32_t           count;                    /* instances */
    const uint32_t*    entity_index; /* [count] entities[entity_index[i]] owns instance i; rising */
    const void* const* columns;      /* [columns of the type] arrays of [count]; copied */
    uint32_t*          scratch;      /* [2 * entity_count] for the length of the call */
    uint32_t           seed;         /* of persistent ids: ent_persistent_seeded; 0: as they are */
    EntEntity          parent; /* of entities that have no parent in the blob, or ENT_ENTITY_NULL */
    const struct EntTransformRecord*
                      root;  /* what poses of entities without a parent are relative to, or NULL
                                  */
    const EntTextRef* texts; /* [strings of the blob] the same in this world; NULL: texts are the
                                world's */
} EntSpawnBatch;

/* How a world manages a component type. Zero means: no special behaviour. The functions may read
 * and write columns, also of other managers; none of them may add or remove rows, entities or
 * types, except with ent_manager_append in `spawn`. */
typedef struct EntManagerDesc {
    EntComponentType type; /* id and layout are filled in by the world */
    uint32_t         extra_bytes
        [ENT_MANAGER_EXTRAS_MAX]; /* of an element of each column that only the runtime has,
                                            behind the type's; the first 0 ends them */
    const EntRecordType*
          state; /* field i describes extra column i: what a save keeps of them, under
                                the record's name; columns behind the last field are not kept */
    int   lazy;  /* rows of destroyed entities stay until ent_world_gc finds them; found by hash */
    void* user;  /* for the functions below: manager->desc.user */

    /* Appends the batch: ent_manager_append, which returns the first new row, and then the extra
     * columns of the new rows, which are uninitialised. May read the complete world and adds
     * rows only to this manager, which has the capacity for the batch. Called for every range of
     * entities that is spawned, and by ent_manager_create with one instance. NULL:
     * ent_manager_append, and zeros in the extra columns. */
    void (*spawn)(struct EntWorld* world, struct EntManager* manager, const EntSpawnBatch* batch);

    /* Row `row` is about to be removed; its contents can still be read. */
    void (*removed)(struct EntManager* manager, uint32_t row);

    /* Row `from` is about to become row `to`, which is not in use. `to` may be count, one past
     * the end, when rows are swapped. */
    void (*moved)(struct EntManager* manager, uint32_t from, uint32_t to);

    /* Fields of row `row` were written: by ent_world_patch with the values of the new blob, or by
     * ent_world_unspawn, whose flag sets references to null. */
    void (*changed)(struct EntManager* manager, uint32_t row);

    /* All rows are about to be removed together, and `removed` is not called for each: the world
     * is cleared or destroyed, or the type unregistered. Not called when there are none. */
    void (*cleared)(struct EntManager* manager);
} EntManagerDesc;

/* All members may be read; only elements of columns may be written. */
typedef struct EntManager {
    uint32_t   count;                      /* rows in use */
    uint32_t   column_count;               /* */
    EntEntity* entity;                     /* [count] owner of the row */
    void* column[ENT_MANAGER_COLUMNS_MAX]; /* [count] the type's columns, then the extra ones */
    EntManagerDesc desc;                   /* as it was registered, with id and layout */

    /* For the lookups below. */
    uint32_t*       next; /* [count] several: next row of the same entity, or ENT_MANAGER_NO_ROW */
    uint32_t*       row;  /* direct: [row_slots] 1 + first row of the entity, or 0 */
    uint32_t        row_slots;
    uint32_t        slot_mask;
    EntManagerSlot* slot; /* hashed: [slot_mask + 1] open addressing */
#ifdef ENT_BUILD
#include "manager_private.h"
#endif
} EntManager;

/* Hashed: the slot at which the search for an entity begins, of `slots`, a power of two from 8 on. Eight
 * entities that were created one after the other share a line of the cache; lines are spread evenly,
 * and keep their order when the map grows. */
static inline uint32_t ent_manager_slot(uint32_t slots, EntEntity entity) {
    const uint64_t key = (entity >> 3) * 0x9e3779b1u; /* 32 bits */
    const uint32_t line = (key * slots >> 32) & 0xfffffff8u;
    return line | (entity & 7u);
}

/* The first row of an entity, or ENT_MANAGER_NO_ROW; a stale handle has none.
 * Cost     ENT_DIRECT: a byte for the generation and 4 for the row. */
static inline uint32_t ent_manager_row(const EntManager* m, const EntEntityPool* pool,
                                       EntEntity entity) {
    if (m->desc.type.lookup == ENT_DIRECT) { /* there are no more rows than slots */
        const uint32_t index = ent_entity_index(entity);
        if (index >= m->row_slots || pool->generation[index] != entity >> ENT_ENTITY_INDEX_BITS)
            return ENT_MANAGER_NO_ROW;
        return m->row[index] - 1;
    }
    if (m->slot_mask == 0) return ENT_MANAGER_NO_ROW;
    for (uint32_t at = ent_manager_slot(m->slot_mask + 1, entity);; at++) {
        const EntManagerSlot* slot = &m->slot[at & m->slot_mask];
        if (slot->entity == ENT_ENTITY_NULL) return ENT_MANAGER_NO_ROW;
        if (slot->entity != entity) continue;
        if (m->desc.lazy && !ent_entity_alive(pool, entity)) return ENT_MANAGER_NO_ROW;
        return slot->row; /* of a destroyed entity, there would be none */
    }
}

/* For loops that find many rows: the values that are the same for all of them. Valid until the next
 * spawn, creation or removal.
 *
 *     const EntManagerFinder find = ent_manager_finder(m, ent_world_entities(world));
 *     for (uint32_t i = 0; i < count; i++) rows[i] = ent_finder_row(find, entities[i]); */
typedef struct EntManagerFinder {
    const uint32_t*      row; /* as the manager's, of a type that is looked up directly */
    const uint8_t*       generation;
    uint32_t             row_slots;
    int                  hashed; /* the manager is called for each lookup */
    const EntManager*    manager;
    const EntEntityPool* pool;
} EntManagerFinder;

static inline EntManagerFinder ent_manager_finder(const EntManager* m, const EntEntityPool* pool) {
    EntManagerFinder find;
    find.row = m->row;
    find.generation = pool->generation;
    find.row_slots = m->row_slots;
    find.hashed = m->desc.type.lookup != ENT_DIRECT;
    find.manager = m;
    find.pool = pool;
    return find;
}

#ifdef __cplusplus
extern "C" {
#endif

/* ent_manager_row as a function that is not inline: a finder calls it for a type that is found
 * by hash, so that the loop stays short for a direct lookup. */
ENT_API uint32_t ent_manager_row_hashed(const EntManager* m, const EntEntityPool* pool,
                                        EntEntity entity);

#ifdef __cplusplus
}
#endif

/* As ent_manager_row. */
static inline uint32_t ent_finder_row(EntManagerFinder find, EntEntity entity) {
    const uint32_t index = ent_entity_index(entity);
    if (find.hashed) return ent_manager_row_hashed(find.manager, find.pool, entity);
    if (index >= find.row_slots || find.generation[index] != entity >> ENT_ENTITY_INDEX_BITS)
        return ENT_MANAGER_NO_ROW;
    return find.row[index] - 1;
}

static inline int ent_manager_contains(const EntManager* m, const EntEntityPool* pool,
                                       EntEntity entity) {
    return ent_manager_row(m, pool, entity) != ENT_MANAGER_NO_ROW;
}

/* The next row of the same entity, or ENT_MANAGER_NO_ROW: for a type that allows multiple
 * instances per entity. */
static inline uint32_t ent_manager_next(const EntManager* m, uint32_t row) {
    return m->next ? m->next[row] : ENT_MANAGER_NO_ROW;
}

static inline uint32_t  ent_manager_count(const EntManager* m) { return m->count; }
static inline EntEntity ent_manager_entity_at(const EntManager* m, uint32_t row) {
    return m->entity[row];
}

#ifdef __cplusplus
extern "C" {
#endif

/* Element of a column: the record of a type that is an array of structures (column 0), or a field
 * of a type that is a structure of arrays.
 *
 * Needs    row < count, column < column_count (asserted). */
ENT_API void* ent_manager_get(const EntManager* manager, uint32_t row, uint32_t column);

/* Adds one instance with default values, zero in fields that have no default, and returns its row.
 * Its extra columns are zero unless the type has a spawner, which fills them.
 *
 *   row  receives it; not NULL
 *
 * Returns  ENT_OK, or with nothing changed: ENT_STALE, ENT_NO_MEMORY, ENT_LIMIT; ENT_EXISTS: the
 *          entity has an instance, and the type does not allow multiple ones.
 * Cost     no allocation while the capacity suffices; it grows by half. */
ENT_API ENT_MUST_CHECK EntStatus ent_manager_create(struct EntWorld* world, EntManager* manager,
                                                    EntEntity entity, uint32_t* row);

/* Removes the instance in a row; the last row moves into its place. The entity stays alive. When it
 * was a transform, its children stay alive as well, without a parent: their local poses do not
 * change and are relative to the world from then on.
 *
 * Needs    row < count (asserted).
 * Cost     one copy per column and two steps of the lookup. */
ENT_API void ent_manager_remove(struct EntWorld* world, EntManager* manager, uint32_t row);

/* The same, also for children, but every row behind it moves up by one: for columns whose order
 * is significant.
 *
 * Cost     proportional to the rows behind it. */
ENT_API void ent_manager_remove_keep_order(struct EntWorld* world, EntManager* manager,
                                           uint32_t row);

/* Moves a row to another place; the rows in between move by one and keep their order.
 *
 * Needs    both below count, and not one in the deferred transforms' dirty part and the other
 *          outside (asserted).
 * Cost     proportional to the distance. */
ENT_API void ent_manager_move_item(struct EntWorld* world, EntManager* manager, uint32_t from,
                                   uint32_t to);

/* Swaps two rows, through the place past the end. Needs as above. */
ENT_API void ent_manager_swap(struct EntWorld* world, EntManager* manager, uint32_t a, uint32_t b);

/* Copies a batch into the columns and enters its owners into the lookup: a custom spawner calls
 * this first. Entity references in records become entities of this world. A batch of one instance,
 * as of ent_manager_create, is added behind the instances of its owner; in larger batches no owner
 * has an instance yet.
 *
 * Returns  the first new row.
 * Cost     one copy per column, one store per instance and lookup. */
ENT_API uint32_t ent_manager_append(EntManager* manager, const EntSpawnBatch* batch);

#ifdef __cplusplus
}
#endif

#endif
