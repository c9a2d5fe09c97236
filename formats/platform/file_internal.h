/* file_internal.h - what is shared by file.c, file_write.c and folder_root.c. */
#ifndef ENT_FILE_INTERNAL_H
#define ENT_FILE_INTERNAL_H

#include "file.h"

#include <errno.h>
#include <sys/stat.h>

/* Repeats a call that a signal interrupted; -1 with any other errno. */
#define UNINTERRUPTED(result, call)                                                                \
    do {                                                                                           \
        (result) = (call);                                                                         \
    } while ((result) < 0 && errno == EINTR)

int open_complete(int folder, const char* path, int flags, mode_t mode);

/* fstatat, and fstat; false with errno. */
bool look_at(int folder, const char* path, int flags, struct stat* info);
bool look_into(int fd, struct stat* info);

FileStamp stamp_of(const struct stat* info);
FileKind  kind_of(const struct stat* info);

/* As folder_list, for an open folder; false with errno. */
bool folder_list_at(int folder, void (*each)(void* user, const char* name), void* user);

/* Does errno report that nothing exists at the path, rather than that the query failed? */
bool errno_is_absence(void);

/* The function that reads files of at least so many bytes. */
typedef struct Reader {
    size_t from_bytes;
    ent_status (*read)(FileView* out, int fd, size_t size, void* user);
    void* user;
} Reader;

/* Reads the first `size` bytes of a file, or all of a shorter one, into separate memory. */
MUST_CHECK ent_status read_descriptor(FileView* out, int fd, size_t size);

/* Reads an open file and closes it; for -1, returns the status of errno. Files of at least
 * `map_from` bytes are mapped. Others are read, and long ones by the reader, which may be NULL. */
MUST_CHECK ent_status view_take(FileView* out, int fd, FileStamp* stamp, size_t map_from,
                                const Reader* reader);

/* Reads the bytes of an open file and closes it; for -1, returns the status of errno. */
MUST_CHECK ent_status view_open(FileView* out, int fd);

/* The status of a failed read: ENT_NOT_FOUND when nothing exists at the path. */
ent_status read_status(void);

/* Content that is to be written to a file. Paths are relative to `folder`, or to the working
 * folder. */
typedef enum PutMode {
    PUT_REPLACE, /* any existing file */
    PUT_REWRITE, /* the same, and the file keeps its permissions */
    PUT_CREATE   /* no file may exist */
} PutMode;

typedef struct Put {
    int             folder; /* or AT_FDCWD */
    const char*     path;
    const FilePart* parts; /* [count] */
    size_t          count;
    PutMode         mode;
} Put;

/* Writes all parts to a file; false with errno. */
bool parts_write(int fd, const FilePart* parts, size_t count);

/* Writes a temporary file beside `beside` and renames it. The folder must exist: ENOENT reports
 * that it does not. False with errno; then no temporary file remains. */
bool put_once(const Put* put, const char* beside, FileStamp* stamp);

/* Renames to a path where nothing may exist; false with errno. */
bool rename_once(int from_folder, const char* from, int to_folder, const char* to);

/* Reads a short file of the system, or its beginning; "" when there is none. */
void text_read(const char* path, char* out, size_t bytes);

/* unlinkat; false with errno. */
bool name_remove(int folder, const char* path);

#endif
