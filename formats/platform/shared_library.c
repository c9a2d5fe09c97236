/* shared_library.c - uses POSIX dlopen. */
#include "shared_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void* shared_library_open(const char* path, char* reason, size_t room) {
    const size_t bytes = strlen(path) + 3;
    char*        here = strchr(path, '/') ? NULL : malloc(bytes);
    if (here) snprintf(here, bytes, "./%s", path);
    void* library = dlopen(here ? here : path, RTLD_NOW | RTLD_LOCAL);
    if (!library) snprintf(reason, room, "%s", dlerror());
    free(here);
    return library;
}

void shared_library_close(void* library) { dlclose(library); }

LibraryFunction* shared_library_function(void* library, const char* name) {
    LibraryFunction* function;
    void*            symbol = dlsym(library, name);
    memcpy(&function, &symbol, sizeof function); /* ISO C has no cast between them; POSIX does */
    return function;
}
