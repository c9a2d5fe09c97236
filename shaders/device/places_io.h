/* places_io.h - the inputs and outputs of the kernel that finds the row of each entity. */
#ifndef ENT_PLACES_IO_H
#define ENT_PLACES_IO_H

#include "kernel_io.h"

#define PLACES_GROUP 128u

#define PLACES_ENTITY 0 /* bindings: the owner of each row */
#define PLACES_ROW    1 /* the row of each entity, by the entity's index */

#define PLACES_INDEX_MASK 0x3fffffu /* of an entity: its index */

KERNEL_STRUCT(PlacesPush) { u32 count; /* rows */ };

#endif
