/* shared_library.h - loads shared libraries: for programs, which have plugins. libent
 * loads none. */
#ifndef ENT_SHARED_LIBRARY_H
#define ENT_SHARED_LIBRARY_H

#include "base.h"

/* Loads the file and its dependencies; a path without '/' is a file in the working folder. NULL:
 * `why` receives the reason, a sentence without a full stop. */
void* shared_library_open(const char* path, char* reason, size_t room);
/* The path of a library of the system in LD_LIBRARY_PATH or in the folders that the dynamic linker always searches; false:
 * it is in none of them. */
bool shared_library_locate(const char* name, char* path, size_t bytes);

/* The same for a library of the system, which the dynamic linker finds by its name, or at its path. */
void* shared_library_find(const char* name, char* reason, size_t room);
void  shared_library_close(void* library);

/* An exported function, to be cast to its type; NULL when there is none. */
typedef void     LibraryFunction(void);
LibraryFunction* shared_library_function(void* library, const char* name);

#endif
