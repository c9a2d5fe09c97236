/* manager_internal.h - what a world does with its managers and a host does not. */
#ifndef ENT_MANAGER_INTERNAL_H
#define ENT_MANAGER_INTERNAL_H

#include "base.h"
#include "manager.h"

u32  manager_column_bytes(const Manager* manager, u32 column);
void manager_lookup_put(Manager* manager, Entity entity, u32 row); /* entity has no row yet */
u32  manager_chain_last(const Manager* manager, u32 row);
/* Appends a batch of one whose entity has rows already: behind row `last` of its chain. */
void manager_append_chained(Manager* manager, const SpawnBatch* batch, u32 last);
void manager_remove_row(Manager* manager, u32 row);
void manager_clear(Manager* manager, u32 slot_count);

/* Fills an empty hash map from another one's slots, when it has grown. */
void manager_rehash(Manager* manager, const ManagerSlot* old, u32 old_count);

#endif
