/* file_internal.h - what file.c, file_write.c and folder_root.c share. */
#ifndef ENT_FILE_INTERNAL_H
#define ENT_FILE_INTERNAL_H

#include "file.h"

#include <errno.h>
#include <sys/stat.h>

/* A call again whenever a signal interrupts it; -1 with any other errno. */
#define UNINTERRUPTED(result, call)                                                                \
    do {                                                                                           \
        (result) = (call);                                                                         \
    } while ((result) < 0 && errno == EINTR)

int open_whole(int folder, const char* path, int flags, mode_t mode);

/* fstatat, and fstat; false with errno. */
bool look_at(int folder, const char* path, int flags, struct stat* info);
bool look_into(int fd, struct stat* info);

FileStamp stamp_of(const struct stat* info);
FileKind  kind_of(const struct stat* info);

/* Does errno say that there is nothing at the path, rather than that the look failed? */
bool errno_is_absence(void);

/* How files of at least so many bytes are read. */
typedef struct Reader {
    size_t from_bytes;
    ent_status (*read)(FileView* out, int fd, size_t size, void* user);
    void* user;
} Reader;

/* The first `size` bytes of a file, or what there is of them, in memory of their own. */
MUST_CHECK ent_status read_descriptor(FileView* out, int fd, size_t size);

/* Of a file that was opened, and is closed; of -1 what errno says. Files of at least `map_from`
 * bytes are mapped, others read, by the reader, which may be NULL, when they are long. */
MUST_CHECK ent_status view_take(FileView* out, int fd, FileStamp* stamp, size_t map_from,
                                const Reader* reader);

/* The bytes of a file that was opened, which is closed; of -1 what errno says. */
MUST_CHECK ent_status view_open(FileView* out, int fd);

/* The status of a call that failed to read: ENT_NOT_FOUND where there is nothing. */
ent_status read_status(void);

/* Content on its way into a file. Paths are relative to `folder`, or to the working folder. */
typedef enum PutMode {
    PUT_REPLACE, /* whatever is there */
    PUT_REWRITE, /* the same, and the file keeps its rights */
    PUT_CREATE   /* nothing may be there */
} PutMode;

typedef struct Put {
    int             folder; /* or AT_FDCWD */
    const char*     path;
    const FilePart* parts; /* [count] */
    size_t          count;
    PutMode         mode;
} Put;

/* Writes a temporary beside `beside` and renames it. The folder has to be there: ENOENT tells that
 * it is not. False with errno, and then nothing is left behind. */
bool put_once(const Put* put, const char* beside, FileStamp* stamp);

/* Renames, where nothing may be; false with errno. */
bool rename_once(int from_folder, const char* from, int to_folder, const char* to);

#endif
