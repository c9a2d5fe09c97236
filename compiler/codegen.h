/* codegen.h - the C header of the component types that a project declares. */
#ifndef ENTC_CODEGEN_H
#define ENTC_CODEGEN_H

#include "diag.h"

/* Writes the header of everything that the folder declares; `out` NULL: to standard output.
 * Returns an exit code. */
int codegen_run(const char* source, const char* out, DiagFormat format, bool color);

#endif
