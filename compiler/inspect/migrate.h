/* migrate.h - entc migrate: rewrites saves with the declarations of a build. */
#ifndef ENTC_MIGRATE_H
#define ENTC_MIGRATE_H

#include "blob.h"
#include "base.h"

/* Converts the instances of declared component types in [count] entities or levels to the
 * declarations in the output folder `out`, as a world does when it spawns them, and replaces the
 * files. With `dry_run` it only reports. Returns an exit code. */
int migrate_run(const char* out, const char* const* paths, u32 count, const BlobOptions* options,
                bool dry_run);

#endif
