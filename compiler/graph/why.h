/* why.h - the reason why a resource was last compiled, and why it would be compiled now. */
#ifndef ENTC_WHY_H
#define ENTC_WHY_H

#include "build_internal.h"

/* Reports on `resource` (NAME.TYPE), or, if NULL, on everything that would be compiled. Returns an
 * exit code. */
int why_run(const BuildOptions* options, const char* resource);

#endif
