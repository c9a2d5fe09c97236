/* entity.h - who exists: 22 bits of index, 8 bits of generation.
 *
 *     Entity crowd[100];
 *     if (ent_entity_create(world, crowd, 100) != ENT_OK) return 1;
 *     ent_entity_alive(ent_world_entities(world), crowd[7]);          one load and a comparison
 *
 * An entity is a number and nothing else; what it is stands in the managers of the worlds that know
 * it. A destroyed index waits in a queue behind at least 1,032 others before it is used again, and
 * then has the next of 255 generations: an id comes back after 256 x 1,024 creations at the
 * earliest. Only when every index was used and no others are left are those 1,032 given out too, so
 * that ENTITY_COUNT_MAX entities can be alive at any time. Index 0 is the null entity.
 *
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 1), 2014. */
#ifndef ENT_ENTITY_H
#define ENT_ENTITY_H

#include "status.h"
#include "shared.h"

struct World;

typedef u32 Entity;

#define ENTITY_NOBODY       0u
#define ENTITY_INDEX_BITS   22u
#define ENTITY_INDEX_MASK   ((1u << ENTITY_INDEX_BITS) - 1)
#define ENTITY_COUNT_MAX    ENTITY_INDEX_MASK /* alive at a time: index 0 is the null entity */
#define ENTITY_FREE_MINIMUM 1032u
#define ENTITY_WAITING      255u /* no entity has this generation */

static inline u32 ent_entity_index(Entity entity) { return entity & ENTITY_INDEX_MASK; }

/* Who is alive, in one world or in several that share it. Read it, do not write it. */
typedef struct EntityPool {
    uint8_t* generation; /* [slot_capacity] of the entity that has the slot; ENTITY_WAITING: nobody,
                                  as in slot 0 and those that were never used */
    uint8_t* next;       /* [slot_capacity] generation of the one that gets the slot next */
    u32*     free_index; /* [slot_capacity] ring of slots that wait */
    u32      free_first; /* position in the ring of the one that waits longest */
    u32      free_count; /* */
    u32      slot_count; /* slots that were ever used, slot 0 included, which is nobody's */
    u32      slot_capacity; /* */
} EntityPool;

/* One load and a comparison. */
static inline int ent_entity_alive(const EntityPool* pool, Entity entity) {
    const u32 index = ent_entity_index(entity);
    return index < pool->slot_capacity && pool->generation[index] == entity >> ENTITY_INDEX_BITS;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Creates entities without components: ent_manager_create gives them some.
 *
 *   entities  [count] receives them
 *
 * Returns  ENT_OK, or with nothing changed: ENT_LIMIT (more than ENTITY_COUNT_MAX), which the
 *          log explains; ENT_NO_MEMORY.
 * Cost     a load and three stores each; no allocation while there is room. */
ENT_API MUST_CHECK ent_status ent_entity_create(struct World* world, Entity* entities, u32 count);

/* Destroys entities and their components, in every world that shares them. Their children stay,
 * without a parent: their local poses do not change and are relative to the world from then on.
 * Managers that collect lazily keep their rows until ent_world_gc.
 *
 *   entities  [count]
 *
 * Returns  ENT_OK; ENT_STALE with nothing changed: one is not alive, or is named twice.
 * Cost     a lookup in each manager, and for each instance one row that is moved. */
ENT_API ent_status ent_entity_destroy(struct World* world, const Entity* entities, u32 count);

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
ENT_API MUST_CHECK ent_status ent_entity_destroy_subtrees(struct World* world,
                                                          const Entity* entities, u32 count);

/* Entities that are alive. */
ENT_API u32 ent_entity_count(const struct World* world);

#ifdef __cplusplus
}
#endif

#endif
