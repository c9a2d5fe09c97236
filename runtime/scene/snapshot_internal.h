/* snapshot_internal.h - the state of managers in a blob, for saving and spawning. */
#ifndef ENT_SNAPSHOT_INTERNAL_H
#define ENT_SNAPSHOT_INTERNAL_H

#include "world_internal.h"

/* The section of a manager's state, or NULL when the manager keeps none or the blob has none.
 *
 *   instances  the manager's own section in the blob
 *
 * Returns  ENT_OK; ENT_BAD_FIELD, which the log explains, when it is not of the same instances. */
MUST_CHECK ent_status snapshot_state_find(const World* world, const Blob* blob, const Manager* m,
                                          const BlobSection* instances, const BlobSection** out);

/* Fills the extra columns of rows [base, base + batch->count), which were appended from instance
 * `first` of the section on. */
void snapshot_state_restore(Manager* manager, const Blob* blob, const BlobSection* state, u32 first,
                            const SpawnBatch* batch, u32 base);

#endif
