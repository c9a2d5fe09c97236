/* shared_library.c - uses POSIX dlopen. */
#define _GNU_SOURCE
#include "shared_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ATTEMPTS 100u

bool shared_library_locate(const char* name, char* path, size_t bytes) {
    Dl_serinfo  size;
    Dl_serinfo* folders = NULL;
    void*       program = dlopen(NULL, RTLD_LAZY);
    bool        found = false;
    if (program && dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0)
        folders = malloc(size.dls_size);
    if (folders && dlinfo(program, RTLD_DI_SERINFOSIZE, folders) == 0 &&
        dlinfo(program, RTLD_DI_SERINFO, folders) == 0) {
        for (u32 i = 0; i < folders->dls_cnt && !found; i++) {
            const int wrote =
                snprintf(path, bytes, "%s/%s", folders->dls_serpath[i].dls_name, name);
            found = (size_t)wrote < bytes && access(path, R_OK) == 0;
        }
    }
    free(folders);
    if (program) dlclose(program);
    return found;
}

/* The dynamic linker does not repeat a call that a signal interrupted, and states the reason as text only. */
void* shared_library_find(const char* name, char* reason, size_t room) {
    void* library = NULL;
    for (u32 attempt = 0; !library && attempt < ATTEMPTS; attempt++) {
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library) break;
        snprintf(reason, room, "%s", dlerror());
        if (!strstr(reason, strerror(EINTR))) break;
    }
    return library;
}

void* shared_library_open(const char* path, char* reason, size_t room) {
    const size_t bytes = strlen(path) + 3;
    char*        here = strchr(path, '/') ? NULL : malloc(bytes);
    if (here) snprintf(here, bytes, "./%s", path);
    void* library = shared_library_find(here ? here : path, reason, room);
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
