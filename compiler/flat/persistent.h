/* persistent.h - the persistent ids of the entities of a resource: ids that a source defines, ids
 * that are derived from the path of an entity, and references to them by path. */
#ifndef ENTC_PERSISTENT_H
#define ENTC_PERSISTENT_H

#include "compile_hooks.h"

/* Derives the ids that no source gives, puts them in place of paths, and reports two entities with
 * one id and paths to entities without.
 *
 * A derived id is a hash of the name of the resource and the path of the entity: it is the same in
 * every build, and changes only when the entity or its resource is renamed. If two hashes are
 * equal, the later entity gets the next free id. */
extern const CompileHooks persistent_id_compile_hooks;

/* What a reference holds in place of the id of the entity at a path until all ids are derived. */
u32 persistent_path(Compile* compile, const Source* source, u32 offset, JsonString text, u32 scope);
bool persistent_is_open(const Compile* compile, const void* word);

/* The entity of a word that is open. */
u32 persistent_entity(const void* word);

#endif
