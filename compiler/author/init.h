/* init.h - a starting project: assets that build and spawn as they are, settings by which an editor
 * finds the schemas, and a workflow that builds them. Its files stand in compiler/start/. */
#ifndef ENTC_INIT_H
#define ENTC_INIT_H

#include "base.h"

/* Writes a project into a folder that is new or empty (but for `.git`), or finishes one that an
 * earlier call could not. Returns an exit code. */
int init_run(const char* folder, bool quiet);

#endif
