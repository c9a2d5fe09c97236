/* refs.h - `entc refs`, `entc deps`, `entc unused`: what belongs together in a source folder, from
 * the places where the compiler reads names. */
#ifndef ENTC_REFS_H
#define ENTC_REFS_H

#include "build.h"

/* Every place that names a resource, in all variants of the folder. */
int refs_run(const BuildOptions* options, const char* resource, bool json);

/* The files that a resource is made of, and the resources that it needs at runtime; with `all` also
 * those of what it needs. */
int deps_run(const BuildOptions* options, const char* resource, bool all, bool json);

/* The files that no root leads to, in any variant; without roots, packages are that. EXIT_USAGE
 * when there are such files. */
int unused_run(const BuildOptions* options, const char* const* roots, u32 root_count, bool json);

#endif
