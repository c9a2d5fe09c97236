/* file.h - files mapped and written whole, folders listed.
 *
 * Paths are UTF-8 with '/'. A call that fails
 * returns ENT_NO_MEMORY, ENT_LIMIT where too many files are open, or ENT_IO, each with errno; only
 * what the system says is not there counts as absent. */
#ifndef ENT_FILE_H
#define ENT_FILE_H

#include "base.h"

/* A file's bytes, read-only, aligned to 16, with at least one NUL behind the last one. Whoever
 * replaces the file by renaming leaves them as they were. */
typedef struct FileView {
    const u8* bytes;  /* [size] */
    size_t    size;   /* */
    void*     memory; /* what file_unmap gives back */
    size_t    mapped; /* 0: a copy in memory */
} FileView;

/* What an errno of a failed call means. */
ent_status errno_status(int error);

/* Returns  ENT_OK, ENT_NOT_FOUND, or another status (ENT_IO for what is not a regular file: a
 * folder, a pipe, a device never blocks the caller). errno has the details. */
MUST_CHECK ent_status file_map(FileView* out, const char* path);
void                  file_unmap(FileView* view);

/* Identifies an unchanged file without reading it. */
typedef struct FileStamp {
    u64 size;                    /* bytes */
    u64 modified_ns, changed_ns; /* of the content; of anything about it */
    u64 inode;                   /* */
} FileStamp;

/* The same, and the stamp of what was read. */
MUST_CHECK ent_status file_map_stamped(FileView* out, const char* path, FileStamp* stamp);

/* The same in memory of its own, for files that others may write into while they are looked at; but
 * not one of more than `most` bytes. A long one is read by all threads of the pool, which may be
 * NULL. */
struct JobPool;
MUST_CHECK ent_status file_copy_stamped(FileView* out, const char* path, FileStamp* stamp,
                                        size_t most, struct JobPool* pool);

typedef enum FileChange { FILE_SAME, FILE_CHANGED } FileChange;

/* Makes `path` hold exactly these bytes, all or nothing: a temporary beside it, then a rename. A
 * file that holds them already keeps its time. Folders on the way are made. A device or pipe is
 * written into. When it fails, nothing is left behind. */
MUST_CHECK ent_status file_replace(const char* path, const void* bytes, size_t size,
                                   FileChange* change);

/* The same with content that lies in pieces. Whether the file holds long ones is looked at by all
 * threads of the pool, which may be NULL. */
MUST_CHECK ent_status file_replace_parts(const char* path, const FilePart* parts, size_t count,
                                         FileChange* change, struct JobPool* pool);

/* The same for a file that is known not to hold them, and is no device. `stamp` is what it looks
 * like afterwards, all 0 when another process replaced it immediately; or NULL. */
MUST_CHECK ent_status file_put(const char* path, const void* bytes, size_t size, FileStamp* stamp);
MUST_CHECK ent_status file_put_parts(const char* path, const FilePart* parts, size_t count,
                                     FileStamp* stamp);

/* The same with the temporary beside another path of the same disk: in a folder where what killed
 * processes leave is looked for. */
MUST_CHECK ent_status file_put_by(const char* path, const char* beside, const void* bytes,
                                  size_t size, FileStamp* stamp);

/* The same where nothing may be there: ENT_IO with EEXIST when something is, however many ask. */
MUST_CHECK ent_status file_create(const char* path, const void* bytes, size_t size);

/* Makes the folders on the way to a path; false with errno. */
bool folders_make(const char* path);

/* ENT_OK also when it is not there. */
MUST_CHECK ent_status file_remove(const char* path);

/* Removes the folders on the way to a path while they are empty, but nothing in its first `keep`
 * bytes. */
void folders_remove_empty(const char* path, size_t keep);

/* Does the file hold exactly these bytes? One that is not there does not. */
MUST_CHECK ent_status file_compare(const char* path, const void* bytes, size_t size, bool* same);
MUST_CHECK ent_status file_compare_parts(const char* path, const FilePart* parts, size_t count,
                                         struct JobPool* pool, bool* same);

typedef enum FileKind { FILE_NONE, FILE_REGULAR, FILE_FOLDER, FILE_OTHER } FileKind;

/* Notes that a file was used today, in its time of change; at most once a day and file. */
void file_used(const char* path, const FileStamp* stamp);

/* Is the folder our own, or one that not everybody may write to? */
MUST_CHECK ent_status folder_trust(const char* path, bool* trusted);

/* What is at a path, FILE_NONE when nothing is; with `follow`, where a link leads to. Anything but
 * ENT_OK: that is not known. */
MUST_CHECK ent_status file_look(const char* path, bool follow, FileKind* kind);

/* Calls `each` for every name in a folder but "." and "..", in no order. */
MUST_CHECK ent_status folder_list(const char* path, void (*each)(void* user, const char* name),
                                  void*       user);

/* A name in a folder and what stands there; of a link, what it leads to. */
typedef struct FolderEntry {
    const char* name;
    FileKind    kind; /* FILE_NONE: a link that leads nowhere */
    bool        link;
    FileStamp   stamp;
} FolderEntry;

/* The same with a look at each that is still there. */
MUST_CHECK ent_status folder_scan(const char* path, bool                                    stamps,
                                  void (*each)(void* user, const FolderEntry* entry), void* user);

/* The absolute path without links, in `out`. ENT_NOT_FOUND when there is nothing. */
MUST_CHECK ent_status path_resolve(const char* path, char* out, size_t bytes);

#endif
