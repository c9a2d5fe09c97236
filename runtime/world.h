/* world.h - the door of libent: a world holds one manager per component type, for its entities.
 *
 *     World* world;
 *     Resource level;
 *     ent_resource_open(&level, "out/levels/town.level", NULL, NULL);
 *     ent_world_create(&world, NULL);
 *     ent_world_spawn(world, &level.blob, NULL, NULL);
 *     TransformRows t = ent_transform_rows(world);
 *     for (u32 i = 0; i < t.count; i++) use(t.entity[i], &t.position[i]);
 *     ent_world_destroy(world);
 *     ent_resource_close(&level);
 *
 * Worlds know nothing of each other, unless one shares the entities of another: then the same
 * entity has components in both, each with its own data. A world, and worlds that share entities,
 * are for one thread at a time. */
#ifndef ENT_WORLD_H
#define ENT_WORLD_H

#include "blob.h"
#include "declaration.h"
#include "entity.h"
#include "host.h"
#include "manager.h"

#define WORLD_MANAGERS_MAX 96

struct JobPool;
struct World;

/* Told of entities before they and their components go. Not told by ent_world_clear. */
typedef struct HostDestroyed {
    void (*call)(void* user, const Entity* entities, u32 count);
    void* user;
} HostDestroyed;

typedef struct WorldDesc {
    HostAllocator   allocator;    /* zero: pages from the system, huge ones where they pay */
    HostLog         log;          /* zero: silence */
    HostDestroyed   destroyed;    /* zero: nobody */
    u32             entity_count; /* room from the start; 0: at the first spawn */
    struct JobPool* jobs;         /* who helps with large spawns and updates; NULL: nobody */
    struct World*   entities_of;  /* whose entities this world shares; NULL: it has its own. That
                                     world lives longer, and destroys what both know. */
} WorldDesc;

/* Blocks that were taken from the allocator; managers' arrays are carved from them. */
typedef struct WorldSlab {
    void*  at;
    size_t bytes;
    u32    blocks; /* that are carved from it and in use */
} WorldSlab;

typedef struct World {
    EntityPool*     entities;                    /* its own, or those that it shares */
    Manager         manager[WORLD_MANAGERS_MAX]; /* [manager_count] in spawn order */
    u32             manager_count;
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
    int             plugin_status; /* of the plugin that is being set up */
} World;

static inline const EntityPool* ent_world_entities(const World* world) { return world->entities; }

#ifdef __cplusplus
extern "C" {
#endif

/* Makes an empty world with a manager for every built-in type.
 *
 *   desc  NULL: all zero
 *
 * Returns  ENT_OK or ENT_NO_MEMORY. */
ENT_API MUST_CHECK ent_status ent_world_create(World** out, const WorldDesc* desc);
ENT_API void                  ent_world_destroy(World* world);

/* Adds a component type that is not built in, behind all of lower or equal spawn order.
 *
 * Returns  ENT_OK; ENT_EXISTS when name or id are taken; ENT_LIMIT: too many types, or records
 *          above MANAGER_RECORD_BYTES_MAX.
 * Needs    no components in the world yet (asserted). */
ENT_API MUST_CHECK ent_status ent_world_register(World* world, const ManagerDesc* desc);

/* Registers the component type that a `component` blob declares, as the generic manager holds it:
 * ent_world_manager_by_name(world, "health")->column[f] is field f of all rows, in the order of the
 * declaration. The header that `entc codegen` writes names the columns.
 *
 *   blob  opened with ent_blob_open; not needed afterwards
 *
 * Returns  what ent_world_register says; ENT_WRONG_TYPE: the blob is no declaration;
 *          ENT_NO_MEMORY.
 * Needs    no components in the world yet (asserted).
 * Cost     one allocation, which lasts as long as the world. */
ENT_API MUST_CHECK ent_status ent_world_declare(World* world, const Blob* blob);

/* Destroys every entity and keeps the memory. In a world that shares the entities of another:
 * removes all components and leaves the entities alone. */
ENT_API void ent_world_clear(World* world);

/* Removes rows of dead entities from managers that collect lazily: looks at rows by chance and
 * stops after four living ones in a row, so that its cost follows what there is to do.
 *
 * Returns  rows that were removed.
 * Cost     four looks a lazy manager when nothing is dead.
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 1), 2014. */
ENT_API u32 ent_world_gc(World* world);

/* The manager of a component type by id or name; NULL when the world has none. */
ENT_API Manager* ent_world_manager(World* world, u32 component_id);
ENT_API Manager* ent_world_manager_by_name(World* world, const char* name);

/* The entity whose name component has this id; ENTITY_NOBODY when there is none.
 * Cost     one pass over the name rows. */
ENT_API Entity ent_name_find(World* world, const char* name);

#ifdef __cplusplus
}
#endif

/* --- rows of the built-in types ---
 *
 * XxxRows ent_xxx_rows(world): count, entity[], and what a system walks: record[] of a type that is
 * kept by record, one array per field of one that is kept by field. Good until the next spawn or
 * removal. */

#define ROWS_COLUMN(R, Type, name, fallback, lo, hi, unit, argument, text) Type* name;
#define ROWS_ASSIGN(R, Type, name, fallback, lo, hi, unit, argument, text)                         \
    rows.name = (Type*)m->column[column++];

#define ROWS_BY_RECORD(name, Type, NAME)                                                           \
    typedef struct Type##Rows {                                                                    \
        u32           count;                                                                       \
        const Entity* entity;                                                                      \
        Type##Record* record;                                                                      \
    } Type##Rows;                                                                                  \
    static inline Type##Rows ent_##name##_rows(World* world) {                                     \
        Manager*   m = &world->manager[world->built_in[COMPONENT_##NAME]];                         \
        Type##Rows rows = {m->count, m->entity, (Type##Record*)m->column[0]};                      \
        return rows;                                                                               \
    }

#define ROWS_BY_FIELD(name, Type, NAME)                                                            \
    typedef struct Type##Rows {                                                                    \
        u32           count;                                                                       \
        const Entity* entity;                                                                      \
        NAME##_FIELDS(ROWS_COLUMN, 0)                                                              \
    } Type##Rows;                                                                                  \
    static inline Type##Rows ent_##name##_rows(World* world) {                                     \
        Manager*   m = &world->manager[world->built_in[COMPONENT_##NAME]];                         \
        u32        column = 0;                                                                     \
        Type##Rows rows;                                                                           \
        rows.count = m->count;                                                                     \
        rows.entity = m->entity;                                                                   \
        NAME##_FIELDS(ROWS_ASSIGN, 0) return rows;                                                 \
    }

#define ROWS(name, Type, NAME, order, several, columns, lookup) ROWS_##columns(name, Type, NAME)
COMPONENT_LIST(ROWS)
#undef ROWS

#endif
