/* persistent_id.h - a number by which saves, scripts and other levels refer to an entity,
 * independently of its current index.
 *
 * Unique in its level. A level that is spawned with a seed (SpawnOptions) has other ids each time:
 * ((id << 1) ^ seed) >> 1, in the references that components hold (PersistentRef) as well.
 *
 * Source   J. Turanszki, Entity-Component System, 2019: serialization of entities. */
#ifndef ENT_PERSISTENT_ID_H
#define ENT_PERSISTENT_ID_H

#include "record.h"

#define PERSISTENT_ID_FIELDS(F, R)                                                                 \
    F(R, u32, id, V1(0), 0, ID31, "", PLAIN, "0 in JSON: entc derives it from the entity's path")

RECORD(PersistentIdRecord, PERSISTENT_ID_FIELDS)

#endif
