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
 * Component types that a project declares are made known with ent_world_declare before the level
 * that uses them is spawned; what a world does not know is left out.
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
#define WORLD_PLUGINS_MAX  32

struct JobPool;
struct World;

/* Told of entities before they and their components go; must not change the world. Not told by
 * ent_world_clear and ent_world_destroy. */
typedef struct HostDestroyed {
    void (*call)(void* user, const Entity* entities, u32 count);
    void* user;
} HostDestroyed;

typedef struct WorldDesc {
    HostAllocator   allocator;    /* zero: pages from the system, huge ones where they pay */
    HostLog         log;          /* zero: silence */
    HostDestroyed   destroyed;    /* zero: nobody */
    u32             entity_count; /* room from the start; 0: at the first spawn */
    struct JobPool* jobs;         /* who helps with large spawns and updates; lives longer than the
                                     world. NULL: nobody */
    struct World*   entities_of;  /* whose entities this world shares; NULL: it has its own. That
                                     world lives longer, and destroys what both know. */
} WorldDesc;

/* Blocks that were taken from the allocator; managers' arrays are carved from them. */
typedef struct WorldSlab {
    void*  at;
    size_t bytes;
    u32    blocks; /* that are carved from it and in use */
} WorldSlab;

/* Private but for what the functions below return of it. */
typedef struct World {
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
} World;

static inline const EntityPool* ent_world_entities(const World* world) { return world->entities; }

#ifdef __cplusplus
extern "C" {
#endif

/* Makes an empty world with a manager for every built-in type.
 *
 *   desc  NULL: all zero
 *
 * Returns  ENT_OK or ENT_NO_MEMORY.
 * Cost     one allocation of some 54 KB, and one for `entity_count` when it is given. */
ENT_API MUST_CHECK ent_status ent_world_create(World** out, const WorldDesc* desc);

/* Gives back everything that the world took: its entities, with their children, go. One that shares
 * the entities of another leaves them alone, and what they have in other worlds. NULL: nothing.
 *
 * Needs    no SpawnJob that is not ended; no world that shares its entities any more (asserted). */
ENT_API void ent_world_destroy(World* world);

/* Adds a component type that is not built in, behind all of lower or equal spawn order. Entities
 * may be there already; they have no component of it. Managers move: what ent_world_manager said
 * before is not good any more.
 *
 *   desc  copied; what desc->type.record and desc->state point to stays for as long as the type
 *
 * Returns  ENT_OK; ENT_EXISTS when its id, or that of its state, is taken; ENT_LIMIT: too many
 *          types, or records above MANAGER_RECORD_BYTES_MAX.
 * Needs    no SpawnJob that is not ended (asserted). */
ENT_API MUST_CHECK ent_status ent_world_register(World* world, const ManagerDesc* desc);

/* Takes a component type out of the world, with all its rows, of which `cleared` is told. Entities
 * stay, and so does what other components know of them. Managers move, as above; memory of this one
 * goes back to the host as soon as nothing else stands in the same block.
 *
 * Returns  ENT_OK; ENT_NOT_FOUND: it has no such type, or it is built in.
 * Needs    no SpawnJob that is not ended (asserted); no call from within a manager's callbacks. */
ENT_API MUST_CHECK ent_status ent_world_unregister(World* world, u32 component_id);

/* Registers the component type that a `component` blob declares, as the generic manager holds it:
 * ent_world_manager_by_name(world, "health")->column[f] is field f of all rows, in the order of the
 * declaration. The header that `entc codegen` writes names the columns.
 *
 *   blob  opened with ent_blob_open; not needed afterwards
 *
 * Returns  what ent_world_register says; ENT_WRONG_TYPE: the blob is no declaration;
 *          ENT_NO_MEMORY.
 * Needs    as ent_world_register.
 * Cost     one allocation, which lasts as long as the type. */
ENT_API MUST_CHECK ent_status ent_world_declare(World* world, const Blob* blob);

/* Destroys every entity, in all worlds that share them, and keeps the memory. In a world that
 * shares the entities of another: removes all components, and with them who has which parent there,
 * and leaves the entities alone. To destroy some entities, with or without their children:
 * entity.h. Cost     a few bytes per entity slot; no row is looked at. */
ENT_API void ent_world_clear(World* world);

/* Removes rows of dead entities from managers that collect lazily: looks at rows by chance and
 * stops after four living ones in a row, so that its cost follows what there is to do.
 *
 * Returns  rows that were removed.
 * Cost     four looks a lazy manager when nothing is dead.
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 1), 2014. */
ENT_API u32 ent_world_gc(World* world);

/* The manager of a component type by id or name; NULL when the world has none. It stays where it is
 * until a type is registered or unregistered.
 * Cost     one pass over the types. */
ENT_API Manager* ent_world_manager(World* world, u32 component_id);
ENT_API Manager* ent_world_manager_by_name(World* world, const char* name);

/* The entity whose name component has this id; ENTITY_NOBODY when there is none. What a source
 * calls an entity for paths, its "name", is another thing, which a world does not keep:
 * ent_blob_path_find knows the place of one among the entities that ent_world_spawn gave back.
 * Cost     one pass over the name rows. */
ENT_API Entity ent_name_find(World* world, const char* name);

#ifdef __cplusplus
}
#endif

/* --- rows of the built-in types ---
 *
 * XxxRows ent_xxx_rows(world): count, entity[], and what a system walks: record[] of a type that is
 * kept by record, one array per field of one that is kept by field (components.h). Good until rows
 * come or go.
 *
 *     const LightRows lights = ent_light_rows(world);
 *     for (u32 i = 0; i < lights.count; i++) total += lights.record[i].intensity;
 *
 * Cost     some loads. */

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
