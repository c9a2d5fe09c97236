/* links_saved.h - the references of a source folder as a file beside the build database of an output
 * folder, so that `refs` and `unused` read them again while no source has changed.
 *
 * The file only saves work: it is used if the program, the variant, and the path, size and time
 * stamps of every file of the folder are the same as when it was written; otherwise the folder is
 * compiled, and the file is written anew. It contains what these two commands print. */
#ifndef ENTC_LINKS_SAVED_H
#define ENTC_LINKS_SAVED_H

#include "links.h"

/* Does this file have the resource? Called before saved references are used, so that errors are
 * reported by the code that has all sources. */
typedef bool (*LinksSuffice)(const Links* links, const void* user);

/* The same as links_open with every variant. Without `options->out`, or before the first build of
 * that folder, or with plugins, it always compiles the folder. */
int links_open_saved(Links* links, const BuildOptions* options, LinksSuffice suffice,
                     const void* user);

#endif
