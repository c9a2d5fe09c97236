/* entity_names.h - names and paths of entities, as in the sources, in a world whose description asks for
 * them (EntWorldDesc.names).
 *
 *     EntWorldDesc desc = {0};
 *     desc.names = 1;
 *     if (ent_world_create(&world, &desc) != ENT_OK) return 1;
 *     if (ent_world_spawn(world, &level.blob, NULL, NULL) != ENT_OK) return 1;
 *     const EntEntity bulb = ent_world_path_find(world, "house_3/lamp/bulb");
 *     puts(ent_world_name(world, ent_transform_parent(world, bulb))); // lamp
 *
 * Names come from the blobs that are spawned: the root of an entity resource, and what was stripped of
 * names, has none. A path consists of the names of an entity and of those above it; in a path, an entity
 * without a name is "#" and its handle. What is above an entity is decided by its transform, at this
 * moment. Entities without a transform keep the parent of their source, and are part of the paths of what
 * they had below them there, until that is attached elsewhere. Patches change the names that the source
 * has changed. Saves contain the names (snapshot.h). In a world without names, functions behave as if no
 * entity had one. */
#ifndef ENT_ENTITY_NAMES_H
#define ENT_ENTITY_NAMES_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The name of an entity; "" when it has none, and for a stale handle. It stays where it is until the
 * world is destroyed.
 * Cost     a pass over the types, two loads. */
ENT_API const char* ent_world_name(const EntWorld* world, EntEntity entity);

/* Sets the name of an entity; "" removes it. Siblings should have different names.
 *
 * Returns  ENT_OK, or with nothing changed: ENT_STALE; ENT_BAD_FIELD: it is not valid UTF-8, contains '/'
 *          or a control character, or begins with '#'; ENT_NO_MEMORY, ENT_LIMIT.
 * Needs    EntWorldDesc.names (asserted). */
ENT_API ENT_MUST_CHECK EntStatus ent_world_name_set(EntWorld* world, EntEntity entity,
                                                    const char* name);

/* Writes the path of an entity, as much of it as fits, and NUL; "" for a stale handle.
 *
 *   out  [bytes] may be NULL when bytes is 0
 *
 * Returns  the bytes of the complete path, without the NUL.
 * Cost     proportional to the depth. */
ENT_API size_t ent_world_path(const EntWorld* world, EntEntity entity, char* out, size_t bytes);

/* The entity at a path, as ent_world_path writes it, or ENT_ENTITY_NULL. Of multiple entities with this path,
 * as after two spawns of a level, the one with the first row of names: the one that was named first, as
 * long as none was removed. Of siblings with one name, those with a transform are before those without one.
 * Cost     for each name of the path a pass over the children of its parent, if there are few, or
 *          over the entities with this name; where siblings have one name, or nothing is found, the path of
 *          each entity with the last name. */
ENT_API EntEntity ent_world_path_find(const EntWorld* world, const char* path);

#ifdef __cplusplus
}
#endif

#endif
