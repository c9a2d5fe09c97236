/* lists.h - the numbered lists of the format: types of resources, kinds of sections and fields, component types.
 *
 * Here they expand from the tables. What is installed under this name is written from the same tables by
 * header_write.c: plain enums. No record is in it, so that what does not read records does not depend on them. */
#ifndef ENT_LISTS_H
#define ENT_LISTS_H

#include "components.h"
#include "container.h"
#include "record.h"
#include "resources.h"

#endif
