/* init.h - a starting project: assets that build and spawn as they are, settings with which an
 * editor finds the schemas, and a workflow that builds them. Its files are in
 * compiler/author/start/. */
#ifndef ENTC_INIT_H
#define ENTC_INIT_H

#include "base.h"

/* Writes a project into a new folder or one that is empty except for `.git`, or completes a project
 * that an earlier call could not. Returns an exit code. */
int init_run(const char* folder, bool quiet);

#endif
