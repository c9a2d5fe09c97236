/* places.h - checks where a command may write: outputs must not be in the source folder. */
#ifndef ENTC_PLACES_H
#define ENTC_PLACES_H

#include "base.h"

/* Computes the absolute path of `path`, which need not exist, without symbolic links, "." and "..";
 * the last segment may be a link when `follow` is false. Returns false with errno on failure. */
MUST_CHECK bool path_absolute(const char* path, bool follow, char* out, size_t bytes);

/* Each returns an exit code after reporting an error. A source folder that does not exist is not an
 * error here; the command reports it.
 *
 * Checks that the folder `out` is not the source folder, not inside it and does not contain it. */
int places_check_apart(const char* command, const char* source, const char* out);

/* Checks that a folder for other files than outputs is outside of the source folder, or in a folder
 * with a name that begins with a dot, in which no source is read. */
int places_check_folder(const char* command, const char* option, const char* source,
                        const char* folder);

/* Checks that a file that will be written does not have the name of a source of the folder. `file`
 * may be NULL. */
int places_check_file(const char* command, const char* option, const char* source,
                      const char* file);

/* A file that an option states, or NULL. */
typedef struct PlaceOption {
    const char *option, *file;
} PlaceOption;

/* Checks that no two of the files of a command are the same. */
int places_check_distinct(const char* command, const PlaceOption* files, u32 count);

/* Checks that a file in the folder of outputs does not have the name of one of them. */
int places_check_output(const char* command, const PlaceOption* file, const char* out);

#endif
