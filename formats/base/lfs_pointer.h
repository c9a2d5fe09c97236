/* lfs_pointer.h - recognises the text that git lfs stores in the place of a file until it has fetched
 * the file. Such a text is never the content of a source or of an output.
 *
 * Source   Git LFS specification, docs/spec.md, version 1: fewer than 1,024 bytes of lines with a key
 *          and a value; the first is `version`, later ones are `oid` and `size`. */
#ifndef ENT_LFS_POINTER_H
#define ENT_LFS_POINTER_H

#include <string.h>

#include "base.h"

#define LFS_POINTER_BYTES_MAX 1023u
#define LFS_POINTER_FIRST     "version https://git-lfs.github.com/spec/v"

/* The end of a sentence about a file. */
#define LFS_POINTER_TEXT                                                                           \
    "it is a pointer of git lfs, not the file itself; `git lfs pull` gets the file"

/* Does one of the lines after the first begin with this text? */
static inline bool lfs_line_begins(const char* at, size_t bytes, const char* text) {
    const size_t length = strlen(text);
    for (const char* line; (line = memchr(at, '\n', bytes)) != NULL; at = line + 1) {
        bytes -= (size_t)(line + 1 - at);
        if (bytes >= length && memcmp(line + 1, text, length) == 0) return true;
    }
    return false;
}

static inline bool lfs_is_pointer(const void* text, size_t bytes) {
    const size_t first = sizeof LFS_POINTER_FIRST - 1;
    return bytes > first && bytes <= LFS_POINTER_BYTES_MAX &&
           memcmp(text, LFS_POINTER_FIRST, first) == 0 && lfs_line_begins(text, bytes, "oid ") &&
           lfs_line_begins(text, bytes, "size ");
}

#endif
