/* codegen.h - the C header of the component types that a project declares. */
#ifndef ENTC_CODEGEN_H
#define ENTC_CODEGEN_H

#include "build.h"

/* Writes the header of everything that the folder declares; `out` NULL: to standard output.
 * Returns an exit code. */
int codegen_run(const BuildOptions* options);

#endif
