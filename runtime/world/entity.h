/* entity.h - entity handles and liveness: 22 bits of index, 8 bits of generation.
 *
 *     EntEntity crowd[100];
 *     if (ent_entity_create(world, crowd, 100) != ENT_OK) return 1;
 *     // One load and a comparison:
 *     if (ent_entity_alive(ent_world_entities(world), crowd[7])) puts("alive");
 *
 * An entity is a number and nothing else; its components are in the managers of its
 * worlds. Index 0 is the null entity. A destroyed index waits in a queue and then has the next of 255
 * generations: the handle of a destroyed entity is stale until its index has been reused 255 times, and
 * then is that of another entity. An index is reused only while more than 1,032 wait, so that each
 * reuse takes 1,033 creations, except for the first one, which may take one: a stale handle stays stale
 * for 262,382 creations after its entity was destroyed (ENT_ENTITY_STALE_CREATIONS). Only in a world in
 * which all 4,194,303 indices have been used are those 1,032 reused too, so that ENT_ENTITY_COUNT_MAX
 * entities can be alive: as long as 1,032 or fewer of its indices wait, a reuse may take a single
 * creation, and a stale handle is certain to be stale for 254 creations only. A program that keeps
 * handles of destroyed entities for longer compares persistent ids instead.
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
#define ENT_ENTITY_GENERATIONS  255u /* of an index, one after the other */

/* Creations during which the handle of a destroyed entity stays stale: see above. */
#define ENT_ENTITY_STALE_CREATIONS ((ENT_ENTITY_GENERATIONS - 1) * (ENT_ENTITY_FREE_MINIMUM + 1))

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

/* Functions that take lists of entities have one rule: an entity that is not alive is skipped, as are
 * ENT_ENTITY_NULL and an entity that the list contains already. So the array that ent_world_spawn
 * filled can be passed whatever has happened to its entities since then.
 *
 * Destroys entities and their components, in every world that shares them. Their children stay,
 * without a parent: their local poses do not change and are relative to the world from then on.
 * Managers that collect lazily keep their rows until ent_world_gc.
 *
 *   entities  [count]
 *
 * Returns  how many were destroyed.
 * Cost     a lookup in each manager, and for each instance one row that is moved. Many entities in
 *          one call cost less than as many calls; of these, adjacent rows are moved together. */
ENT_API uint32_t ent_entity_destroy(struct EntWorld* world, const EntEntity* entities,
                                    uint32_t count);

/* The same for entities with all their descendants: no child of a destroyed entity is left. Parents
 * are those of transforms (transform_manager.h): an entity without a transform has no descendants.
 * Of worlds that share entities, all are followed: the children that an entity has in any of them
 * go, with the children that these have in any of them. Of a spawn that has not ended, entities
 * whose transforms are still to come have no parent yet.
 *
 *   entities   [count]; one may be a descendant of another one
 *   destroyed  receives how many were destroyed, descendants included; or NULL
 *
 * Returns  ENT_OK; or with nothing changed: ENT_NO_MEMORY, ENT_LIMIT.
 * Cost     as ent_entity_destroy for all that are destroyed, and a lookup of their transforms in
 *          each world; no allocation while there is room for a list of them. */
ENT_API ENT_MUST_CHECK EntStatus ent_entity_destroy_subtrees(struct EntWorld* world,
                                                             const EntEntity* entities,
                                                             uint32_t count, uint32_t* destroyed);

/* Entities that are alive. */
ENT_API uint32_t ent_entity_count(const struct EntWorld* world);

#ifdef __cplusplus
}
#endif

#endif
