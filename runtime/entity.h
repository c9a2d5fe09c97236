/* entity.h - who exists: 22 bits of index, 8 bits of generation.
 *
 * A destroyed index waits in a queue of at least 1,024 others before it is used again, and then has
 * the next generation: an id comes back after 256 x 1,024 creations at the earliest. Entity 0 is
 * nobody.
 *
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 1), 2014. */
#ifndef ENT_ENTITY_H
#define ENT_ENTITY_H

#include "status.h"
#include "shared.h"

typedef u32 Entity;

#define ENTITY_NOBODY       0u
#define ENTITY_INDEX_BITS   22u
#define ENTITY_INDEX_MASK   ((1u << ENTITY_INDEX_BITS) - 1)
#define ENTITY_COUNT_MAX    (1u << ENTITY_INDEX_BITS)
#define ENTITY_FREE_MINIMUM 1024u
#define ENTITY_WAITING      0x8000u /* no generation has this bit */

static inline u32 ent_entity_index(Entity entity) { return entity & ENTITY_INDEX_MASK; }

/* The part of a world that knows who is alive. Read it, do not write it. */
typedef struct EntityPool {
    uint16_t* generation; /* [slot_capacity] of the entity that has the slot; of the next one, with
                             ENTITY_WAITING, while nobody has it */
    u32* free_index;      /* [slot_capacity] ring of slots that wait */
    u32  free_first;      /* position in the ring of the one that waits longest */
    u32  free_count;      /* */
    u32  slot_count;      /* slots that were ever used, slot 0 included, which is nobody's */
    u32  slot_capacity;   /* */
} EntityPool;

/* One load and a comparison. */
static inline int ent_entity_alive(const EntityPool* pool, Entity entity) {
    const u32 index = ent_entity_index(entity);
    return entity != ENTITY_NOBODY && index < pool->slot_count &&
           pool->generation[index] == entity >> ENTITY_INDEX_BITS;
}

#endif
