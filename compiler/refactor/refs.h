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
 * With `why` also the other files, each with a shortest chain of references from a root. Returns
 * EXIT_USAGE when there are files that no root reaches. */
int unused_run(const BuildOptions* options, const char* const* roots, u32 root_count,
               bool with_reasons, bool json);

#endif
