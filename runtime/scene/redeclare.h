/* redeclare.h - another declaration of a component type, while a world has instances of it.
 *
 *     EntLibraryChanges changes;
 *     if (ent_library_follow(&library, &changes) != ENT_OK) puts(library.problem);
 *     for (uint32_t i = 0; i < changes.count; i++) {
 *         const EntBlob* blob = &changes.change[i].entry->resource.blob;
 *         if (blob->header->resource_type != ENT_RESOURCE_COMPONENT) continue;
 *         if (ent_world_redeclare(world, blob) != ENT_OK) return 1; // the log states why
 *     }
 *
 * ent_world_follow calls it for changed declarations. */
#ifndef ENT_REDECLARE_H
#define ENT_REDECLARE_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Converts the instances of a type that was registered with ent_world_declare to another declaration of it, as those of
 * a save are converted when it is loaded: fields and texts of enums are found by their names or older names ("was"), new
 * fields have their defaults, numbers are limited to their ranges, and the log states what was dropped.
 *
 *   blob  of the declaration; not needed afterwards
 *
 * Returns  ENT_OK; or with nothing changed: ENT_WRONG_TYPE: the blob is no declaration; ENT_NOT_FOUND: the type is not
 *          registered, under its name or an older one: see ent_world_declare; ENT_EXISTS: the type has
 *          another layout now and belongs to the program or to a plugin, or its new name to another type; ENT_BAD_FIELD:
 *          a required field has no value; ENT_LIMIT: a spawn job has not ended, or of ent_world_register; ENT_NO_MEMORY.
 *          The log contains a sentence.
 * Cost     a pass over the instances; memory for a copy of them. Rows move when an entity had several: pointers to
 *          the columns of the type are invalid afterwards, and if its spawn order has changed, pointers to all
 *          managers. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_redeclare(EntWorld* world, const EntBlob* blob);

#ifdef __cplusplus
}
#endif

#endif
