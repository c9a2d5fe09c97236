/* fix_overrides.h - `entc fix-overrides`: records in each override the values that it replaces. */
#ifndef ENTC_FIX_OVERRIDES_H
#define ENTC_FIX_OVERRIDES_H

#include "build.h"

/* Writes "was" into every override of a source folder in which it is missing or differs. Returns an exit code, after
 * reporting errors. */
int fix_overrides_run(const BuildOptions* options);

#endif
