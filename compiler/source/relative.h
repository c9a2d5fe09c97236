/* relative.h - paths as texts: where a relative one leads, how one is written, and URIs of them. */
#ifndef ENTC_RELATIVE_H
#define ENTC_RELATIVE_H

#include "memory.h"

/* The path of `relative` beside the file `path`, with its "." and ".." carried out: folders are not
 * links. */
const char* path_beside(Arena* arena, const char* path, const char* relative);

/* What stands in the file `from` for the file `to`: "../textures/wood.png". Both are absolute and
 * have no "." or "..". */
const char* path_between(Arena* arena, const char* from, const char* to);

/* Is a path relative, without a ".." that could lead out of the folder where it begins? Links are
 * not looked at. */
bool path_is_below(Text path);

/* Does a URI begin with "data:", "https:" or the like, and is no path? */
bool uri_has_scheme(const char* uri);

/* NULL when a % is not followed by two hex digits, or stands for a zero byte. */
const char* uri_decode(Arena* arena, const char* uri);

/* The URI of a relative path. Segments that stand in `model`, another URI, are written as there. */
const char* uri_encode(Arena* arena, const char* path, const char* model);

#endif
