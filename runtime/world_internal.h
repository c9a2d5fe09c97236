/* world_internal.h - what a patch needs of a world. Private. */
#ifndef ENT_WORLD_INTERNAL_H
#define ENT_WORLD_INTERNAL_H

#include "world.h"

/* Makes room for so many entities more, and rows[i] instances more of manager i: what is then added
 * needs no memory. Returns  ENT_OK, ENT_LIMIT, ENT_NO_MEMORY. */
MUST_CHECK ent_status world_reserve(World* world, u32 entities, const u32* rows);

/* One call of a manager's spawner. */
void manager_spawn(World* world, Manager* manager, const SpawnBatch* batch);

#endif
