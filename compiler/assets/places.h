/* places.h - where a command may write: outputs never lie among the sources. */
#ifndef ENTC_PLACES_H
#define ENTC_PLACES_H

#include "base.h"

/* The absolute path without links, "." and "..", of what is or would be at `path`; the last segment
 * may be a link when `follow` is false. False with errno when that cannot be known. */
MUST_CHECK bool path_absolute(const char* path, bool follow, char* out, size_t bytes);

/* Each returns an exit code, after reporting what is wrong. A source folder that does not exist is
 * nothing to them: the command itself reports it.
 *
 * Is the folder `out` neither the source folder, nor in it, nor around it? */
int places_check_apart(const char* command, const char* source, const char* out);

/* Is a folder that holds something else than outputs not among the sources? It may be in the source
 * folder below a name that begins with a dot, where no source is read. */
int places_check_folder(const char* command, const char* option, const char* source,
                        const char* folder);

/* Is a file that is written not named like a source of the folder? `file` may be NULL. */
int places_check_file(const char* command, const char* option, const char* source,
                      const char* file);

#endif
