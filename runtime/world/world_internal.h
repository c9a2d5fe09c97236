/* world_internal.h - a world's memory and entities, for the files that make up the world.
 *
 * Before anything changes, the required memory is planned and allocated from the host as one
 * slab, from which everything that has to grow gets its arrays. A slab is freed when none of its
 * blocks is in use any more. */
#ifndef ENT_WORLD_INTERNAL_H
#define ENT_WORLD_INTERNAL_H

#include "manager_internal.h"
#include "world.h"

/* Memory from the allocator; managers' arrays are blocks of it. */
typedef struct WorldSlab {
    void*  at;
    size_t bytes;
    u32    blocks; /* of it that are in use */
} WorldSlab;

/* The texts of a world, each once. Text 0 is "" and is in no table. */
typedef struct WorldTexts {
    const char** text;  /* [capacity] where each begins; they never move */
    u32*         slot;  /* [slot_count] hash table; 0: free */
    char*        chunk; /* [chunk_bytes] for new texts, of which [chunk_used] are in use */
    u32          count, capacity, slot_count;
    size_t       chunk_bytes, chunk_used;
} WorldTexts;

/* Component types that the log has stated to be unknown: each is stated once. */
#define WORLD_UNKNOWN_MAX 32

typedef struct WorldUnknown {
    u32 count;
    u32 id[WORLD_UNKNOWN_MAX]; /* [count] */
} WorldUnknown;

#define ENTITY_DOOMED 255 /* in EntityPool.next of a slot in use, while its entity is destroyed */

/* The long arrays are at the end, in the order in which their first elements are used: a small world
 * touches a few pages of it. */
struct World {
    EntityPool*     entities; /* its own, or those that it shares */
    u32             manager_count;
    u32             used_count;
    unsigned char   built_in[COMPONENT_COUNT]; /* which manager holds a built-in type */
    u32*            scratch;                   /* [3 * scratch_capacity] of the current spawn */
    u32             scratch_capacity;
    HostAllocator   allocator;
    HostLog         log;
    HostDestroyed   destroyed;
    struct JobPool* jobs;
    bool            has_pages; /* the allocator is that of pages.h; */
    bool            zeroed;    /* the slab whose memory is assigned contains zeros */
    u32             gc_random;
    u32             id_next; /* of ent_persistent_add */
    EntityPool      entity_pool;
    struct World*   owner; /* owning world of the entities: itself or the one it shares with */
    struct World*   next_sharing; /* list of sharing worlds, which begins at the owning world */
    u32             slab_count;
    void*           entity_block;
    void*           scratch_block;
    WorldTexts      texts;
    u32             spawn_jobs;     /* that are not ended: they contain indices of managers */
    void (*closing)(struct World*); /* before it is destroyed, rows included; NULL: none */
    void (*cleared)(struct World*); /* all its entities were destroyed; NULL: none */
    struct SpawnRecords* spawned;   /* spawns with a number; NULL: there was none */
    const void* (*plugin_setup)(u32 id, u32 version); /* is being set up; NULL: none; */
    int plugin_status;                                /* what was wrong with a manager of it */
    u32 plugin_count;
    const void* (*plugin[WORLD_PLUGINS_MAX])(u32 id, u32 version); /* in the order of setup
                                                                    */
    Manager*     used[WORLD_MANAGERS_MAX];    /* [used_count] managers that have room for rows */
    Manager      manager[WORLD_MANAGERS_MAX]; /* [manager_count] in spawn order */
    WorldUnknown unknown;
    WorldSlab    slab[WORLD_MANAGERS_MAX * 3 + 48];
};

/* Capacity that has to be added; zero where there is enough. */
typedef struct Plan {
    u32 rows[WORLD_MANAGERS_MAX];  /* new capacity */
    u32 slots[WORLD_MANAGERS_MAX]; /* new size of a hash map, or of a direct lookup */
    u32 entity_slots;              /* new capacity of the owning world's entities */
    u32 scratch;
} Plan;

/* Adds to a plan. Entities come first: direct lookups are as long as their slots. ENT_LIMIT. */
MUST_CHECK ent_status plan_entities(Plan* plan, const World* world, u32 more);
MUST_CHECK ent_status plan_rows(Plan* plan, const World* world, const Manager* m, u32 more);
void                  plan_scratch(Plan* plan, const World* world, u32 entity_count);

/* Allocates the memory. Either everything grows, or there is no visible change. */
MUST_CHECK ent_status plan_run(World* world, const Plan* plan);

/* Ensures capacity for one more row; plans nothing when there is enough. */
MUST_CHECK ent_status world_reserve_one(World* world, const Manager* m);

/* Logs that the type of a section of a blob is not registered, unless the log has it already. */
void world_unknown_log(World* world, const Blob* blob, const BlobSection* section);

/* Memory that lasts as long as the world, or until world_drop. NULL: no memory. */
void* world_keep(World* world, size_t bytes);

/* The strings of a blob as texts of the world: `out` receives [strings of the blob] of world_keep,
 * or NULL when it has none. ENT_NO_MEMORY, ENT_LIMIT. */
MUST_CHECK ent_status world_texts_of(World* world, const Blob* blob, TextRef** out);

/* ent_world_text_add of a valid text of `bytes` characters. */
MUST_CHECK ent_status world_text_intern(World* world, const char* text, size_t bytes, TextRef* out);

/* The number of a text of `bytes` characters; 0: the world does not have it. */
TextRef world_text_find(const World* world, const char* text, size_t bytes);
void    world_drop(World* world, void* at);

/* Is it a type that every world has? */
bool world_is_built_in(u32 component_id);

/* ent_world_register of a private type of the library: it is not found by its id or name, so that no blob can have
 * instances of it. */
struct ComponentHooks;
MUST_CHECK ent_status world_register_hooks(World* world, const ManagerDesc* desc,
                                           const struct ComponentHooks* hooks);

/* ent_world_register of a type whose description is in memory of world_keep: the type owns it
 * from now on, or it is freed on failure. */
MUST_CHECK ent_status world_register_kept(World* world, const ManagerDesc* desc, void* kept);
void                  world_unregister_at(World* world, u32 manager);

/* Takes a manager out of the world, and returns a copy of it to its place if that is among those of its order. The copy
 * owns the blocks. */
void world_manager_take_out(World* world, u32 manager);
void world_manager_put_back(World* world, const Manager* copy, u32 manager);

/* Rows of a manager; those of an entity are adjacent. */
typedef struct WorldRows {
    u32           count;
    const Entity* owner; /* [count] */
    const void*   column[MANAGER_COLUMNS_MAX];
} WorldRows;

/* Replaces the manager of a declared type by that of another declaration of it, with these rows. Watches stay. `kept`:
 * the memory of the type's description, from world_keep, which the manager owns from then on. ENT_NO_MEMORY, ENT_LIMIT
 * and ENT_EXISTS, another type has the new name: nothing has changed. */
MUST_CHECK ent_status world_manager_replace(World* world, u32 manager, const ComponentType* type,
                                            void* kept, const WorldRows* rows);

/* The number of slots that have waited long enough. */
/* How many of `count` new entities get a waiting index; the others get one that was not used
 * before, of which there may be too few. */
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
