/* file.h - what the platform gives: files mapped and written whole, folders listed, pages.
 *
 * The only file that knows POSIX. Paths are UTF-8 with '/'. */
#ifndef ENT_FILE_H
#define ENT_FILE_H

#include "base.h"

/* A file's bytes, read-only, aligned to a page, with at least one NUL behind the last one. Whoever
 * replaces the file by renaming leaves the mapping as it was. */
typedef struct FileView {
    const u8* bytes;  /* [size] */
    size_t    size;   /* */
    void*     memory; /* what file_unmap gives back */
    size_t    mapped; /* */
} FileView;

/* Returns  ENT_OK, ENT_NOT_FOUND, or ENT_IO (also for what is not a regular file: a folder, a pipe,
 * a device never blocks the caller). errno tells more. */
MUST_CHECK ent_status file_map(FileView* out, const char* path);
void                  file_unmap(FileView* view);

typedef enum FileChange { FILE_SAME, FILE_CHANGED } FileChange;

/* Makes `path` hold exactly these bytes, all or nothing: a temporary beside it, then a rename. A
 * file that holds them already keeps its time. Folders on the way are made. A device or pipe is
 * written into.
 *
 * Returns  ENT_OK or ENT_IO with errno; then nothing is left behind. */
MUST_CHECK ent_status file_replace(const char* path, const void* bytes, size_t size,
                                   FileChange* change);

/* The same with content that lies in pieces. */
typedef struct FilePart {
    const void* at;
    size_t      bytes;
} FilePart;
MUST_CHECK ent_status file_replace_parts(const char* path, const FilePart* parts, size_t count,
                                         FileChange* change);

/* Does the file hold exactly these bytes? */
bool file_holds(const char* path, const void* bytes, size_t size);

typedef enum FileKind { FILE_NONE, FILE_REGULAR, FILE_FOLDER, FILE_OTHER } FileKind;

/* What stands at a path; follows links when told to. */
FileKind file_kind(const char* path, bool follow);

/* Calls `each` for every name in a folder but "." and "..", in no order. */
MUST_CHECK ent_status folder_list(const char* path, void (*each)(void* user, const char* name),
                                  void*       user);

/* The absolute path without links, in `out`; false when it does not exist or is too long. */
bool path_resolve(const char* path, char* out, size_t bytes);

/* Fresh zeroed memory straight from the kernel, in huge pages where it is large enough for them to
 * pay (page faults decide what first use costs). NULL when there is none. */
void* pages_alloc(size_t bytes);
void  pages_free(void* at, size_t bytes);

/* Nanoseconds on a clock that only rises. */
u64 clock_ns(void);

#endif
