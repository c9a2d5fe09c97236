/* entity.h - entity handles and liveness: 22 bits of index, 8 bits of generation.
 *
 *     EntEntity crowd[100];
 *     if (ent_entity_create(world, crowd, 100) != ENT_OK) return 1;
 *     // One load and a comparison:
 *     if (ent_entity_alive(ent_world_entities(world), crowd[7])) puts("alive");
 *
 * An entity is a number and nothing else; its components are in the managers of its
 * worlds. A destroyed index waits in a queue behind at least 1,032 others before it is used again,
 * and then has the next of 255 generations: an id comes back after 256 x 1,024 creations at the
 * earliest. Only when every index was used and no others are left are those 1,032 given out too, so
 * that ENT_ENTITY_COUNT_MAX entities can be alive at any time. Index 0 is the null entity.
 *
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 1), 2014. */
#ifndef ENT_ENTITY_H
#define ENT_ENTITY_H

#include "status.h"
#include "types.h"

struct EntWorld;

typedef uint32_t EntEntity;

#define ENT_ENTITY_NULL         0u
#define ENT_ENTITY_INDEX_BITS   22u
#define ENT_ENTITY_INDEX_MASK   ((1u << ENT_ENTITY_INDEX_BITS) - 1)
#define ENT_ENTITY_COUNT_MAX    ENT_ENTITY_INDEX_MASK /* alive at a time: index 0 is the null entity */
#define ENT_ENTITY_FREE_MINIMUM 1032u
#define ENT_ENTITY_WAITING      255u /* no entity has this generation */

static inline uint32_t ent_entity_index(EntEntity entity) { return entity & ENT_ENTITY_INDEX_MASK; }

/* Which entities are alive, in one world or in worlds that share them. To be read only. */
typedef struct EntEntityPool {
    uint8_t*
        generation; /* [slot_capacity] of the entity that has the slot; ENT_ENTITY_WAITING: none, as
                            in slot 0 and those that were never used */
    uint32_t slot_capacity;
#ifdef ENT_BUILD
#include "entity_private.h"
#endif
} EntEntityPool;

/* One load and a comparison. */
static inline int ent_entity_alive(const EntEntityPool* pool, EntEntity entity) {
    const uint32_t index = ent_entity_index(entity);
    return index < pool->slot_capacity &&
           pool->generation[index] == entity >> ENT_ENTITY_INDEX_BITS;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Creates entities without components: ent_manager_create gives them some.
 *
 *   entities  [count] receives them
 *
 * Returns  ENT_OK, or with nothing changed: ENT_LIMIT (more than ENT_ENTITY_COUNT_MAX), which the
 *          log explains; ENT_NO_MEMORY.
 * Cost     a load and three stores each; no allocation while there is room. */
ENT_API ENT_MUST_CHECK EntStatus ent_entity_create(struct EntWorld* world, EntEntity* entities,
                                                   uint32_t count);

/* Destroys entities and their components, in every world that shares them. Their children stay,
 * without a parent: their local poses do not change and are relative to the world from then on.
 * Managers that collect lazily keep their rows until ent_world_gc.
 *
 *   entities  [count]
 *
 * Returns  ENT_OK; ENT_STALE with nothing changed: one is not alive, or is named twice.
 * Cost     a lookup in each manager, and for each instance one row that is moved. Many entities in
 *          one call cost less than as many calls; of these, adjacent rows are moved together. */
ENT_API EntStatus ent_entity_destroy(struct EntWorld* world, const EntEntity* entities,
                                     uint32_t count);

/* The same for entities with all their descendants: no child of a destroyed entity is left. Parents
 * are those of transforms (transform_manager.h): an entity without a transform has no descendants.
 * Of worlds that share entities, all are followed: the children that an entity has in any of them
 * go, with the children that these have in any of them. Of a spawn that has not ended, entities
 * whose transforms are still to come have no parent yet.
 *
 *   entities  [count]; one may be named twice, or be a descendant of another one
 *
 * Returns  ENT_OK; or with nothing changed: ENT_STALE: one is not alive; ENT_NO_MEMORY, ENT_LIMIT.
 * Cost     as ent_entity_destroy for all that are destroyed, and a lookup of their transforms in
 *          each world; no allocation while there is room for a list of them. */
ENT_API ENT_MUST_CHECK EntStatus ent_entity_destroy_subtrees(struct EntWorld* world,
                                                             const EntEntity* entities,
                                                             uint32_t         count);

/* Entities that are alive. */
ENT_API uint32_t ent_entity_count(const struct EntWorld* world);

#ifdef __cplusplus
}
#endif

#endif
