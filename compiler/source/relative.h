/* relative.h - paths as texts: resolves and computes relative paths, and converts them to URIs. */
#ifndef ENTC_RELATIVE_H
#define ENTC_RELATIVE_H

#include "memory.h"

/* Resolves `relative` from the folder of the file `path`, including "." and "..": folders must not
 * be symbolic links. */
const char* path_beside(Arena* arena, const char* path, const char* relative);

/* Computes the relative path from the file `from` to the file `to`: "../textures/wood.png". Both
 * are absolute and have no "." or "..". */
const char* path_between(Arena* arena, const char* from, const char* to);

/* Is a path relative, without a ".." that refers to a path outside of its first folder? Symbolic
 * links are not resolved. */
bool path_is_below(Text path);

/* Does a URI begin with a scheme such as "data:" or "https:", so that it is not a path? */
bool uri_has_scheme(const char* uri);

/* Decodes a URI; NULL when a % is not followed by two hex digits, or encodes a zero byte. */
const char* uri_decode(Arena* arena, const char* uri);

/* Returns the URI of a relative path. Segments that are in `model`, another URI, are written in the
 * same form. */
const char* uri_encode(Arena* arena, const char* path, const char* model);

#endif
