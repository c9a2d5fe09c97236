/* codegen.h - generates a C header for the component types that a project declares. */
#ifndef ENTC_CODEGEN_H
#define ENTC_CODEGEN_H

#include "build.h"

/* Writes the header for all declarations of the folder; `out` NULL: to standard output. Returns an
 * exit code. */
int codegen_run(const BuildOptions* options);

#endif
