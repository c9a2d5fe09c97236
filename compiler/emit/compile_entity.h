/* compile_entity.h - compiles an entity or a level: flattened, and grouped by component. */
#ifndef ENTC_COMPILE_ENTITY_H
#define ENTC_COMPILE_ENTITY_H

#include "compile.h"

/* Returns false, with diagnostics, when this fails; otherwise the caller owns the bytes. The source map
 * that was requested remains in `compile`: map_draft_destroy. */
bool compile_entity(Compile* compile, u8** bytes, size_t* size);

#endif
