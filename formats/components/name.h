/* name.h - a name by which a host finds an entity at run time, also in stripped blobs. */
#ifndef ENT_NAME_H
#define ENT_NAME_H

#include "record.h"

#define NAME_FIELDS(F, R) F(R, NameRef, id, REQUIRED, 1, ALL, "", PLAIN, "name for ent_name_find()")

RECORD(NameRecord, NAME_FIELDS)

#endif
