/* records.h - every record, enum and numbered list of the format, as C structs.
 *
 * Here they expand from the field tables. What is installed under this name is written from the same
 * tables by header_write.c: plain structs, field by field, with bounds and units. */
#ifndef ENT_RECORDS_H
#define ENT_RECORDS_H

#include "clip.h"
#include "components.h"
#include "container.h"
#include "material.h"
#include "mesh_data.h"
#include "resources.h"
#include "skeleton.h"
#include "texture.h"

#endif
