/* build_again.h - builds a folder repeatedly, and keeps what is known about it between two builds, so that a build costs
 * what has changed.
 *
 * After a build without errors, both folders are looked at once more, and kept: their lists, the build database, and
 * the list of products. Then a build that knows which files have changed reads only these and what they refer to,
 * compiles what was made from them, and appends that to the build database. When files were added, removed or renamed,
 * when the settings or the declaration of a component have changed, and in folders with symbolic or hard links,
 * everything is looked at, as in any other build. */
#ifndef ENTC_BUILD_AGAIN_H
#define ENTC_BUILD_AGAIN_H

#include "build.h"
#include "folder_watch.h"

typedef struct BuildAgain BuildAgain;

BuildAgain* build_again_open(const BuildOptions* options);
void        build_again_close(BuildAgain* again);

/* Builds: the outputs, the messages and the exit code are those of build_run.
 *
 *   changes   all entries of the source folder that may have changed since the last build; NULL: unknown
 *   complete  receives whether the complete folders were looked at */
int build_again_run(BuildAgain* again, const FolderChanges* changes, BuildCounts* counts,
                    bool* complete);

/* Prepares the next build, after one has succeeded and its results have been reported. */
void build_again_prepare(BuildAgain* again);

/* Gives the kernel's watches of the output folder back, when there are too few for the sources; from now on each build
 * looks at everything. */
void build_again_forget(BuildAgain* again);

#endif
