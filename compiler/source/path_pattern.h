/* path_pattern.h - patterns that select files of the source folder by their paths.
 *
 * '?' is one character and '*' any number of them, but never '/'; a segment of two stars is any
 * number of folders. A pattern without '/', as "*.ogg", is compared with the name of a file in any
 * folder, one with '/', as "audio/?.ogg", with its path from the source folder. */
#ifndef ENTC_PATH_PATTERN_H
#define ENTC_PATH_PATTERN_H

#include "base.h"

/* Does a text contain '*' or '?', which no name of a resource does? */
bool path_pattern_is(const char* text);

/* Why a pattern is not valid: what would be right, as the end of a sentence. NULL: it is valid. */
const char* path_pattern_fault(const char* pattern);

/* Does a valid pattern select the file with this path? Cost: the product of both lengths at most. */
bool path_pattern_matches(const char* pattern, const char* path);

#endif
