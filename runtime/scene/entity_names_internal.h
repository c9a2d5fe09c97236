/* entity_names_internal.h - names of entities, for creating worlds, spawning, patches and saves. Private. */
#ifndef ENT_ENTITY_NAMES_INTERNAL_H
#define ENT_ENTITY_NAMES_INTERNAL_H

#include "entity_names.h"
#include "spawn_convert_internal.h"

/* Adds the manager of names to a world without entities. Its rows are not written to saves as those of other managers. */
MUST_CHECK ent_status names_register(World* world);

/* The manager of names; NULL: the world has none. */
Manager* names_manager(const World* world);

/* The names of a blob as rows of the manager, one for each entity. NULL: the blob, or the world, has no
 * names. Free it with convert_drop.
 *
 * Returns  ENT_OK, ENT_NO_MEMORY, ENT_LIMIT: texts. */
MUST_CHECK ent_status names_rows(World* world, const Blob* blob, ConvertedRows** out);

/* The text of a row, and the parent that its entity had in its source, alive or ENTITY_NULL. */
const char* names_text(const World* world, const Manager* names, u32 row);
Entity      names_parent(const World* world, const Manager* names, u32 row);

/* The parent in paths, or ENTITY_NULL. */
Entity names_path_parent(const World* world, const Manager* names, Entity entity);

/* The entity, which the host has named before, was spawned below this parent. */
void names_place(World* world, Entity entity, Entity parent);

/* The names of a blob that replaces another one. */
typedef struct NamesPatch {
    const Blob *old_blob, *new_blob;
    const u32*  old_of_new; /* [entities of the new blob] the same entity of the old one, or NONE */
    const Entity*  now;     /* [entities of the new blob] in the world, or ENTITY_NULL */
    Entity         parent;  /* of those without a parent */
    ConvertedRows* rows;    /* names_rows of the new blob; NULL: there are none */
} NamesPatch;

/* Names new entities, and those whose name differs between the blobs; there is room for the rows. */
void names_patch(World* world, const NamesPatch* patch);

#endif
