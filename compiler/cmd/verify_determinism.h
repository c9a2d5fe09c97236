/* verify_determinism.h - `entc verify-determinism`: do two builds of a folder give the same bytes? */
#ifndef ENTC_VERIFY_DETERMINISM_H
#define ENTC_VERIFY_DETERMINISM_H

#include "build.h"

/* Builds `options->source` three times, with the last two in a different environment and, then, from
 * a cache, and compares the outputs. They are written into `options->out`, or, when it is NULL, into
 * a temporary folder, which is removed. `known`: the component types, to annotate a blob.
 *
 * Returns  EXIT_OK; EXIT_INVALID after reporting the first different byte, or the errors of the
 *          sources; or another exit code. */
int verify_determinism(const BuildOptions* options, const BlobOptions* known);

#endif
