/* persistent_manager.h - entities by persistent id: the ids by which a save, a script or another
 * level refers to them, independent of their current handles.
 *
 *     const EntEntity door = ent_persistent_find(world, 4711);
 *
 * Ids are in the component persistent_id and are random numbers from 1 to 2^31 - 1; entc derives
 * those that no source specifies. When a level is loaded multiple times, seeds distinguish the
 * loads:
 *
 *     EntSpawnOptions options = {0};
 *     options.seed = 0x5eed1234;
 *     if (ent_world_spawn(world, &house, &options, NULL) != ENT_OK) return 1;
 *     const EntEntity door = ent_persistent_find(world, ent_persistent_seeded(4711, options.seed));
 *
 * Every id of that load, and every EntPersistentRef in its components, was converted by
 * ent_persistent_seeded. A save keeps ids as they are: it is loaded with seed 0.
 *
 * Source   J. Turanszki, Entity-Component System, 2019. */
#ifndef ENT_PERSISTENT_MANAGER_H
#define ENT_PERSISTENT_MANAGER_H

#include "world.h"

#define ENT_PERSISTENT_ID_MAX 0x7fffffffu

/* The id that `id` becomes in a load with this seed; seed 0 does not change it. Different ids
 * stay different. An id that would become 0, the null id, is not changed. */
static inline EntPersistentRef ent_persistent_seeded(EntPersistentRef id, uint32_t seed) {
    const uint32_t other = ((id << 1) ^ seed) >> 1;
    return id == 0 || other == 0 ? id : other;
}

#ifdef __cplusplus
extern "C" {
#endif

/* The entity with this id; ENT_ENTITY_NULL when there is none, and for id 0. When multiple entities
 * have the id, as after two loads with the same seed, the one with the first row of persistent_id:
 * the one that was spawned first, as long as none was removed.
 * Cost     a hash and about one comparison for each entity with the id. */
ENT_API EntEntity ent_persistent_find(const EntWorld* world, EntPersistentRef id);

/* Gives an entity that has no id a new one. New ids follow from EntWorldDesc.id_start and the number of
 * calls: no entity of the world has such an id at that time, and none is given twice in one world. A
 * host that keeps ids of destroyed entities in its saves starts each session with another random number.
 *
 *   id  receives the id of the entity, new or not; NULL: not requested
 *
 * Returns  ENT_OK, or with nothing changed: ENT_STALE, ENT_NO_MEMORY, ENT_LIMIT.
 * Cost     as ent_persistent_find for each id that is tried, of which nearly always the first is new. */
ENT_API ENT_MUST_CHECK EntStatus ent_persistent_add(EntWorld* world, EntEntity entity,
                                                    EntPersistentRef* id);

/* The id of an entity; 0 when it has none. */
ENT_API EntPersistentRef ent_persistent_of(const EntWorld* world, EntEntity entity);

/* Sets, replaces, or with 0 removes the id of an entity. An id that is written directly into the
 * records is not found by ent_persistent_find.
 *
 *   id  up to ENT_PERSISTENT_ID_MAX (asserted); the host ensures that no other entity has it
 *
 * Returns  ENT_OK, or with nothing changed: ENT_STALE, ENT_NO_MEMORY, ENT_LIMIT. */
ENT_API ENT_MUST_CHECK EntStatus ent_persistent_set(EntWorld* world, EntEntity entity,
                                                    EntPersistentRef id);

#ifdef __cplusplus
}
#endif

#endif
