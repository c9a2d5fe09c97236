/* world.h - worlds: a world contains one manager per component type, for its entities.
 *
 *     EntWorld*   world;
 *     EntResource level;
 *     if (ent_resource_open(&level, "out/levels/town.level", NULL, NULL) != ENT_OK) return 1;
 *     if (ent_world_create(&world, NULL) != ENT_OK) return 1;
 *     if (ent_world_spawn(world, &level.blob, NULL, NULL) != ENT_OK) return 1;
 *     const EntTransformRows t = ent_transform_rows(world);
 *     for (uint32_t i = 0; i < t.count; i++)
 *         printf("%u %f\n", t.entity[i], (double)t.position[i].y);
 *     ent_world_destroy(world);
 *     ent_resource_close(&level);
 *
 * Component types that a project declares are registered with ent_world_declare before the level
 * that uses them is spawned; types that are not registered are left out.
 *
 * Worlds are independent of each other, unless one shares the entities of another: then the same
 * entity has components in both, each with its own data. A world, and worlds that share
 * entities, may be used by one thread at a time. */
#ifndef ENT_WORLD_H
#define ENT_WORLD_H

#include "blob.h"
#include "declaration.h"
#include "entity.h"
#include "host.h"
#include "manager.h"

#define ENT_WORLD_MANAGERS_MAX 96
#define ENT_WORLD_PLUGINS_MAX  32

struct EntJobPool;

/* A world; its members are private. */
typedef struct EntWorld EntWorld;

/* Called before entities and their components are destroyed; must not change the world. Not called
 * by ent_world_clear and ent_world_destroy. */
typedef struct EntHostDestroyed {
    void (*call)(void* user, const EntEntity* entities, uint32_t count);
    void* user;
} EntHostDestroyed;

typedef struct EntWorldDesc {
    EntHostAllocator   allocator;    /* zero: pages from the system, huge ones where they pay */
    EntHostLog         log;          /* zero: silence */
    EntHostDestroyed   destroyed;    /* zero: no callback */
    uint32_t           entity_count; /* room from the start; 0: at the first spawn */
    struct EntJobPool* jobs;         /* threads for large spawns and updates; exists longer than the
                                     world. NULL: none */
    int names; /* 1: entities keep the names of their sources (entity_names.h); 0: they do not */
    uint32_t         id_start;    /* where ent_persistent_add begins; see there */
    struct EntWorld* entities_of; /* whose entities this world shares; NULL: it has its own. That
                                     world exists longer, and destroys the entities. */
} EntWorldDesc;

#ifdef __cplusplus
extern "C" {
#endif

/* Creates an empty world with a manager for every built-in type.
 *
 *   desc  NULL: all zero
 *
 * Returns  ENT_OK or ENT_NO_MEMORY.
 * Cost     one allocation of some 54 KB, and one for `entity_count` when it is set. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_create(EntWorld** out, const EntWorldDesc* desc);

/* Destroys a world and its entities, with their components, and frees its memory. A world that
 * shares the entities of another does not destroy them, nor their components in other worlds. NULL:
 * does nothing.
 *
 * Needs    every EntSpawnJob ended; no world that shares its entities any more (asserted). */
ENT_API void ent_world_destroy(EntWorld* world);

/* Adds a component type that is not built in, behind all of lower or equal spawn order. Entities
 * may exist already; they have no component of it. Managers move: pointers that ent_world_manager
 * returned before are invalid.
 *
 *   desc  copied; what desc->type.record and desc->state point to must exist as long as the type
 *
 * Returns  ENT_OK; ENT_EXISTS when its id, or that of its state, is in use; ENT_LIMIT: too many
 *          types, records above ENT_MANAGER_RECORD_BYTES_MAX or more than ENT_COMPONENT_FIELDS_MAX
 *          fields; ENT_BAD_FIELD: its field table, or that of its state, does not follow the rules
 *          for declarations, so that it could not be saved (which the log states).
 * Needs    no EntSpawnJob that is not ended (asserted). */
ENT_API ENT_MUST_CHECK EntStatus ent_world_register(EntWorld* world, const EntManagerDesc* desc);

/* Removes a component type from the world, with all its rows; `cleared` is called. Entities and
 * their other components stay. Managers move, as above; memory of this one is returned to the host
 * as soon as nothing else is in the same block.
 *
 * Returns  ENT_OK; ENT_NOT_FOUND: it has no such type, or it is built in.
 * Needs    no EntSpawnJob that is not ended (asserted); no call from within a manager's callbacks. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_unregister(EntWorld* world, uint32_t component_id);

/* Registers the component type that a `component` blob declares, with the generic manager:
 * ent_world_manager_by_name(world, "health")->column[f] is field f of all rows, in the order of the
 * declaration. The header that `entc codegen` writes names the columns.
 *
 *   blob  opened with ent_blob_open; not needed afterwards
 *
 * Returns  as ent_world_register; ENT_WRONG_TYPE: the blob is no declaration; ENT_NO_MEMORY.
 * Needs    as ent_world_register.
 * Cost     one allocation, which lasts as long as the type. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_declare(EntWorld* world, const EntBlob* blob);

/* Destroys every entity, in all worlds that share them, and keeps the memory. In a world that
 * shares the entities of another: removes all components, and with them the hierarchy of that
 * world, and does not destroy the entities. To destroy some entities, with or without their
 * children: entity.h.
 *
 * Cost     a few bytes per entity slot; no row is read. */
ENT_API void ent_world_clear(EntWorld* world);

/* Removes rows of destroyed entities from managers that collect lazily: checks random rows, and those
 * around a row that it removes; stops after four random rows of live entities in succession, so that
 * the cost is proportional to the work.
 *
 * Returns  the number of removed rows.
 * Cost     four checks per lazy manager when there are no such rows.
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 1), 2014. */
ENT_API uint32_t ent_world_gc(EntWorld* world);

/* The entities of a world, its own or those that it shares: for ent_entity_alive and lookups.
 * Constant for as long as the world exists.
 * Cost     a load. */
ENT_API const EntEntityPool* ent_world_entities(const EntWorld* world);

/* The managers of a world, in spawn order: `index` below the count. They move as above. */
ENT_API uint32_t    ent_world_manager_count(const EntWorld* world);
ENT_API EntManager* ent_world_manager_at(EntWorld* world, uint32_t index);

/* The manager of a built-in type, by its number: ENT_COMPONENT_LIGHT.
 * Cost     two loads. */
ENT_API EntManager* ent_world_built_in(EntWorld* world, uint32_t component);

/* The manager of a component type by id or name; NULL when the world has none. The pointer is valid
 * until a type is registered or unregistered.
 * Cost     one pass over the types. */
ENT_API EntManager* ent_world_manager(EntWorld* world, uint32_t component_id);
ENT_API EntManager* ent_world_manager_by_name(EntWorld* world, const char* name);

/* A text of the world: what a field of type text contains. It stays where it is until the world is
 * destroyed, because other fields may contain the same number. 0 is "". */
ENT_API const char* ent_world_text(const EntWorld* world, EntTextRef text);

/* The number of a text, which is copied when the world does not have it yet: a program that sets a
 * field of type text stores this number.
 *
 * Returns  ENT_OK; ENT_NO_MEMORY; ENT_LIMIT: 2^31 texts; ENT_BAD_FIELD: it is not valid UTF-8, so
 *          that it could not be saved.
 * Cost     a pass over the text and a lookup. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_text_add(EntWorld* world, const char* text,
                                                    EntTextRef* out);

/* The entity whose component `name` has this text; ENT_ENTITY_NULL when there is none. Of multiple
 * ones, the one with the first row. The "name" that a source sets for paths is another one: see
 * entity_names.h.
 * Cost     a hash and a lookup; of many entities with one name, a pass over their rows, or over all
 *          rows up to the first one, whichever is shorter. */
ENT_API EntEntity ent_name_find(EntWorld* world, const char* name);

/* Sets the component `name` of an entity, which receives one if it has none. An id that is written
 * directly into the records is not found by ent_name_find.
 *
 * Returns  ENT_OK, or with nothing changed: ENT_STALE, ENT_NO_MEMORY, ENT_LIMIT.
 * Cost     a hash; constant. */
ENT_API ENT_MUST_CHECK EntStatus ent_name_set(EntWorld* world, EntEntity entity, const char* name);

#ifdef __cplusplus
}
#endif

#endif
