/* watch.h - builds a folder again whenever something in it changes. */
#ifndef ENTC_WATCH_H
#define ENTC_WATCH_H

#include "build.h"

/* Builds, then waits for changes and builds again; the outputs are those of a clean build
 * (build_again.h). Unless it is quiet, it prints to stdout, each line immediately:
 *
 *     watching assets                                       changes are seen from here on
 *     built: 812 compiled, 812 written, 0 removed, 95 ms
 *     rebuilt: 2 compiled, 1 written, 0 removed, 12 ms      none when there was nothing to do
 *     failed: 3 errors, 9 ms                                the errors are on stderr, before it
 *
 * Returns EXIT_OK after SIGINT, SIGTERM and SIGHUP at any time, and EXIT_IO when the folder no
 * longer exists. */
int watch_run(const BuildOptions* options);

#endif
