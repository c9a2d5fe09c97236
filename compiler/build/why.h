/* why.h - the reason why a resource was last compiled, and why it would be compiled now. */
#ifndef ENTC_WHY_H
#define ENTC_WHY_H

#include "build_internal.h"

/* Returns all reasons for a product that has any, one per line followed by the chain of references:
 * the input, its old and new state, and the position of the reference. The memory belongs to the
 * arena. */
const char* reason_text(const Build* build, const Product* product, Arena* arena);

/* Reports on `resource` (NAME.TYPE), or, if NULL, on everything that would be compiled. Returns an
 * exit code. */
int why_run(const BuildOptions* options, const char* resource);

#endif
