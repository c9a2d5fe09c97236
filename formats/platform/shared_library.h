/* shared_library.h - loads what was linked apart: for programs, which have plugins. libent loads
 * nothing. */
#ifndef ENT_SHARED_LIBRARY_H
#define ENT_SHARED_LIBRARY_H

#include "base.h"

/* Loads the file, with all that it needs; a path without '/' is one in this folder. NULL: `why`
 * says so in a sentence without a full stop. */
void* shared_library_open(const char* path, char* why, size_t room);
void  shared_library_close(void* library);

/* A function that it exports, to be cast to its type; NULL when there is none. */
typedef void     LibraryFunction(void);
LibraryFunction* shared_library_function(void* library, const char* name);

#endif
