/* snapshot_internal.h - the state of managers in a blob, for saving and spawning. */
#ifndef ENT_SNAPSHOT_INTERNAL_H
#define ENT_SNAPSHOT_INTERNAL_H

#include "blob_write_internal.h"
#include "spawn_convert_internal.h"
#include "world_internal.h"

/* The types of the sections of a save, in their order: those of which the world has instances, and of
 * their states. */
typedef struct SnapshotTypes {
    const ComponentType* type[2 * WORLD_MANAGERS_MAX]; /* [count] */
    ComponentType        state[WORLD_MANAGERS_MAX];    /* [state_count] */
    u32                  count, state_count;
} SnapshotTypes;

void snapshot_types_add(SnapshotTypes* types, const Manager* manager);

/* The declarations of all types, however they were registered, so that the save can be converted when
 * any of them has changed. */
void snapshot_declarations_write(BlobWriter* writer, const SnapshotTypes* types);

/* Saved extra columns. All 0: the manager keeps none, or the blob has none. */
typedef struct SnapshotState {
    const BlobSection* section;
    ConvertedRows*     converted; /* NULL: they are used as they are in the blob */
} SnapshotState;

/* Finds the section of a manager's state, and converts it when it was written under an older
 * description; free it with convert_drop.
 *
 *   instances  the manager's own section in the blob
 *   converted  were its instances converted? Then the state is converted in the same way
 *
 * Returns  ENT_OK; ENT_BAD_FIELD, which the log explains, when it is not of the same instances or
 *          cannot be converted; ENT_NO_MEMORY. */
MUST_CHECK ent_status snapshot_state_find(World* world, const Blob* blob, const Manager* m,
                                          const BlobSection* instances, bool converted,
                                          SnapshotState* out);

/* Fills the extra columns of rows [base, base + batch->count), which were appended from instance
 * `first` of the section on. */
void snapshot_state_restore(Manager* manager, const Blob* blob, const SnapshotState* state,
                            u32 first, const SpawnBatch* batch, u32 base);

#endif
