/* world_internal.h - a world's memory and entities, for the files that make up the world.
 *
 * Before anything changes, the room for all of it is planned and taken from the host as one block,
 * from which everything that has to grow gets its arrays. What is left behind goes back once all
 * blocks of its slab are left. */
#ifndef ENT_WORLD_INTERNAL_H
#define ENT_WORLD_INTERNAL_H

#include "manager_internal.h"
#include "world.h"

/* Blocks that were taken from the allocator; managers' arrays are carved from them. */
typedef struct WorldSlab {
    void*  at;
    size_t bytes;
    u32    blocks; /* that are carved from it and in use */
} WorldSlab;

struct World {
    EntityPool*     entities;                    /* its own, or those that it shares */
    Manager         manager[WORLD_MANAGERS_MAX]; /* [manager_count] in spawn order */
    u32             manager_count;
    u32             used_count;
    Manager*        used[WORLD_MANAGERS_MAX];  /* [used_count] managers that have room for rows */
    unsigned char   built_in[COMPONENT_COUNT]; /* which manager holds a built-in type */
    u32*            scratch;                   /* [3 * scratch_capacity] of the spawn at hand */
    u32             scratch_capacity;
    HostAllocator   allocator;
    HostLog         log;
    HostDestroyed   destroyed;
    struct JobPool* jobs;
    int             zeroed; /* the allocator hands out zeros */
    u32             gc_random;
    EntityPool      own_entities;
    struct World*   home;   /* whose own_entities these are: itself, or the one it shares with */
    struct World*   sharer; /* of a home: a world that shares; of that one: the next */
    WorldSlab       slab[WORLD_MANAGERS_MAX * 3 + 8];
    u32             slab_count;
    void*           entity_block;
    void*           scratch_block;
    u32             spawn_jobs;     /* that are not ended: they know managers by their place */
    void (*closing)(struct World*); /* before it goes, with all rows there; NULL: nothing */
    int plugin_setup;               /* one is being set up, the last of these; */
    int plugin_status;              /* what was wrong with a manager of it */
    u32 plugin_count;
    const void* (*plugin[WORLD_PLUGINS_MAX])(u32 id, u32 version); /* in the order of their coming
                                                                    */
};

/* Room that is missing; zero where there is enough. */
typedef struct Plan {
    u32 rows[WORLD_MANAGERS_MAX];  /* new capacity */
    u32 slots[WORLD_MANAGERS_MAX]; /* new size of a hash map, or of a direct lookup */
    u32 entity_slots;              /* new capacity of the home's entities */
    u32 scratch;
} Plan;

/* Adds to a plan. Entities come first: direct lookups are as long as their slots. ENT_LIMIT. */
MUST_CHECK ent_status plan_entities(Plan* plan, const World* world, u32 more);
MUST_CHECK ent_status plan_rows(Plan* plan, const World* world, const Manager* m, u32 more);
void                  plan_scratch(Plan* plan, const World* world, u32 entity_count);

/* Takes the memory. Either everything grows, or nothing that could be seen. */
MUST_CHECK ent_status plan_run(World* world, const Plan* plan);

/* Room for one more row; when it is there, nothing is planned. */
MUST_CHECK ent_status world_room_for_one(World* world, const Manager* m);

/* Memory that lasts as long as the world, or until world_forget. NULL: none left. */
void* world_keep(World* world, size_t bytes);
void  world_forget(World* world, void* at);

/* ent_world_register of a type whose description stands in memory of world_keep: the type's from
 * now on, or given back. */
MUST_CHECK ent_status world_register_kept(World* world, const ManagerDesc* desc, void* kept);
void                  world_unregister_at(World* world, u32 manager);

/* Slots that have waited long enough. */
/* How many of `count` new entities get an index that waits; the others get one that was never used,
 * of which there may be too few. */
static inline u32 pool_reused(const EntityPool* pool, u32 count) {
    const u32 waiting = pool->free_count, used = MAX_OF(pool->slot_count, 1u);
    const u32 ready = waiting > ENTITY_FREE_MINIMUM ? waiting - ENTITY_FREE_MINIMUM : 0;
    const u32 unused = ENTITY_INDEX_MASK + 1 - used;
    if (count <= ready) return count;
    return MIN_OF(count - ready > unused ? count - unused : ready, waiting);
}

void pool_create(EntityPool* pool, Entity* out, u32 count);
void pool_free_all(EntityPool* pool);

void world_log(const World* world, LogLevel level, const char* format, ...) PRINTF_LIKE(3, 4);

#endif
