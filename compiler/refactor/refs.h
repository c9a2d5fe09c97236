/* refs.h - `entc refs`, `entc deps`, `entc unused`: the relations in a source folder, from the
 * references that the compiler reads. */
#ifndef ENTC_REFS_H
#define ENTC_REFS_H

#include "build.h"

/* Lists all references to a resource, in all variants of the folder. */
int refs_run(const BuildOptions* options, const char* resource, bool json);

/* Lists the source files of a resource, and the resources that it needs at runtime; with `all` also
 * the dependencies of these. */
int deps_run(const BuildOptions* options, const char* resource, bool all, bool json);

/* Lists the files that no root reaches, in any variant; without roots, the packages are the roots.
 * Returns EXIT_USAGE when there are such files. */
int unused_run(const BuildOptions* options, const char* const* roots, u32 root_count, bool json);

#endif
