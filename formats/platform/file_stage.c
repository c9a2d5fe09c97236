/* file_stage.c - complete files that receive their paths later. */
#define _GNU_SOURCE
#include "file_stage.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "file_internal.h"
#include "temporary_internal.h"

ent_status file_stage_begin(FileStage** stage, const char* beside, const void* bytes, size_t size) {
    const FilePart part = {bytes, size};
    const int      fd = temporary_make(beside, stage);
    if (fd < 0) return errno_status(errno);
    bool      done = parts_write(fd, &part, 1);
    const int kept = errno;
    if (close(fd) != 0 && done && errno != EINTR) /* a late error of a network disk */
        done = false;
    else
        errno = kept;
    if (done) return ENT_OK;
    temporary_close(*stage, false);
    *stage = NULL;
    return errno_status(errno);
}

const char* file_stage_path(const FileStage* stage) { return stage->path; }

/* A folder of the path may be another file system. */
static ent_status stage_copy(const FileStage* stage, const char* path, FileStamp* stamp) {
    FileView view;
    TRY(file_map(&view, stage->path));
    const ent_status status = file_put(path, view.bytes, view.size, stamp);
    const int        kept = errno;
    file_unmap(&view);
    errno = kept;
    return status;
}

/* The folder may not exist yet, or another process has removed it while it was empty. */
static bool stage_rename(const FileStage* stage, const char* path) {
    for (u32 attempt = 0;; attempt++) {
        int result;
        UNINTERRUPTED(result, renameat(stage->folder, stage->path, AT_FDCWD, path));
        if (result == 0) return true;
        if (errno != ENOENT || attempt == 3 || !folders_make(path)) return false;
    }
}

ent_status file_stage_put(FileStage** stage, const char* path, FileStamp* stamp) {
    struct stat before, after;
    FileStage*  s = *stage;
    ent_status  status = ENT_OK;
    *stamp = (FileStamp){0};
    const bool renamed = look_at(s->folder, s->path, 0, &before) && stage_rename(s, path);
    if (!renamed) status = errno == EXDEV ? stage_copy(s, path, stamp) : errno_status(errno);
    /* A file that another process wrote meanwhile must not count as the file of this call. */
    if (renamed && look_at(AT_FDCWD, path, 0, &after) && after.st_ino == before.st_ino)
        *stamp = stamp_of(&after);
    temporary_close(s, renamed);
    *stage = NULL;
    return status;
}

void file_stage_drop(FileStage* stage) { temporary_close(stage, false); }
