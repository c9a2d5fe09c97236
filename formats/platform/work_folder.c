/* work_folder.c - see work_folder.h. */
#define _XOPEN_SOURCE 700
#include "work_folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "file.h"

#define FOLDERS_OPEN 16

ent_status work_folder_make(char* path, size_t room) {
    const char* parent = getenv("TMPDIR");
    const int   wrote = snprintf(path, room, "%s/entc.XXXXXX", parent && *parent ? parent : "/tmp");
    if (wrote < 0 || (size_t)wrote >= room) return errno_status(errno = ENAMETOOLONG);
    return mkdtemp(path) ? ENT_OK : errno_status(errno);
}

static int entry_remove(const char* path, const struct stat* info, int kind, struct FTW* where) {
    UNUSED(info);
    UNUSED(where);
    return kind == FTW_DP || kind == FTW_DNR ? rmdir(path) : unlink(path);
}

ent_status work_folder_remove(const char* path) {
    return nftw(path, entry_remove, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS) == 0 ? ENT_OK
                                                                             : errno_status(errno);
}
