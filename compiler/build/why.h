/* why.h - why a resource was compiled the last time, and why it would be now. */
#ifndef ENTC_WHY_H
#define ENTC_WHY_H

#include "build_internal.h"

/* All reasons for a product that has one, a line each and the way to it below: which input, from
 * what to what, named where. Lives as long as the arena. */
const char* reason_text(const Build* build, const Product* product, Arena* arena);

/* Tells about `resource` (NAME.TYPE), or NULL: about everything that would be compiled. Returns an
 * exit code. */
int why_run(const BuildOptions* options, const char* resource);

#endif
