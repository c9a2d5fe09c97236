/* file.h - maps and writes complete files, lists folders.
 *
 * Paths are UTF-8 with '/'. A call that fails returns ENT_NO_MEMORY, ENT_LIMIT when too many files
 * are open, or ENT_IO, each with errno. A path counts as absent only when the system reports that
 * it does not exist. */
#ifndef ENT_FILE_H
#define ENT_FILE_H

#include "base.h"

/* The bytes of a file, read-only, aligned to 16, with at least one NUL after the last one. They do
 * not change when the file is replaced by a rename. */
typedef struct FileView {
    const u8* bytes;  /* [size] */
    size_t    size;   /* */
    void*     memory; /* what file_unmap releases */
    size_t    mapped; /* 0: a copy in memory */
} FileView;

/* The status for the errno of a failed call. */
ent_status errno_status(int error);

/* Returns  ENT_OK, ENT_NOT_FOUND, or another status (ENT_IO for what is not a regular file: a
 *          folder, a pipe or a device never blocks the caller). errno has the details. */
MUST_CHECK ent_status file_map(FileView* out, const char* path);
void                  file_unmap(FileView* view);

/* Gives up the memory of a mapped file until it is read again. */
void file_forget(const FileView* view);

/* Identifies an unchanged file without reading it. */
typedef struct FileStamp {
    u64 size;                    /* bytes */
    u64 modified_ns, changed_ns; /* of the content; of anything about it */
    u64 inode;                   /* */
} FileStamp;

static inline bool file_stamp_equal(const FileStamp* a, const FileStamp* b) {
    return a->size == b->size && a->modified_ns == b->modified_ns &&
           a->changed_ns == b->changed_ns && a->inode == b->inode;
}

/* Was the stamp read long enough after the last change, so that a later change gives another
 * stamp? */
static inline bool file_stamp_is_settled(const FileStamp* stamp, u64 taken_ns) {
    return stamp->modified_ns < taken_ns && stamp->changed_ns < taken_ns;
}

/* The same, with the stamp of the file that was read. */
MUST_CHECK ent_status file_map_stamped(FileView* out, const char* path, FileStamp* stamp);

/* The same in separate memory, for files that other processes may write to while they are read; the
 * file must not have more than `most` bytes. A long file is read by all threads of the pool, which
 * may be NULL. */
struct JobPool;
MUST_CHECK ent_status file_copy_stamped(FileView* out, const char* path, FileStamp* stamp,
                                        size_t max, struct JobPool* pool);

/* The stamp of the file at a path; ENT_NOT_FOUND when there is none. */
MUST_CHECK ent_status file_stamp(const char* path, FileStamp* stamp);

typedef enum FileChange { FILE_SAME, FILE_CHANGED } FileChange;

/* Replaces the content of `path` with exactly these bytes, atomically: writes a temporary file
 * beside it and renames it. A file that already has this content keeps its time stamp. Missing
 * folders of the path are created. A device or pipe is written to directly. On failure, no
 * temporary file remains. */
MUST_CHECK ent_status file_replace(const char* path, const void* bytes, size_t size,
                                   FileChange* change);

/* The same with content that consists of parts. A long file is compared with its new content by all
 * threads of the pool, which may be NULL. */
MUST_CHECK ent_status file_replace_parts(const char* path, const FilePart* parts, size_t count,
                                         FileChange* change, struct JobPool* pool);

/* The same for a file that is known to have other content and is not a device. `stamp` receives the
 * stamp of the new file, all 0 when another process replaced it immediately; it may be NULL. */
MUST_CHECK ent_status file_put(const char* path, const void* bytes, size_t size, FileStamp* stamp);
MUST_CHECK ent_status file_put_parts(const char* path, const FilePart* parts, size_t count,
                                     FileStamp* stamp);

/* The same with the temporary file beside another path of the same file system: in a folder that is
 * searched for the remains of killed processes. */
MUST_CHECK ent_status file_put_by(const char* path, const char* beside, const void* bytes,
                                  size_t size, FileStamp* stamp);

/* The same where no file may exist: ENT_IO with EEXIST when one does, also with
 * concurrent callers. */
MUST_CHECK ent_status file_create(const char* path, const void* bytes, size_t size);

/* Appends to a file of `size` bytes; ENT_NOT_FOUND when there is none of this size, it is a link or has several names, or
 * another process is appending to it. After another failure, the file may have some of the bytes. */
MUST_CHECK ent_status file_append(const char* path, u64 size, const FilePart* parts, size_t count);

/* Creates the parent folders of a path; false with errno. */
bool folders_make(const char* path);

/* Returns ENT_OK also when the file does not exist. */
MUST_CHECK ent_status file_remove(const char* path);

/* Removes the parent folders of a path as long as they are empty, but none within its first `keep`
 * bytes. */
void folders_remove_empty(const char* path, size_t keep);

/* Does the file have exactly this content? A missing file does not. */
MUST_CHECK ent_status file_compare(const char* path, const void* bytes, size_t size, bool* same);
MUST_CHECK ent_status file_compare_parts(const char* path, const FilePart* parts, size_t count,
                                         struct JobPool* pool, bool* same);

typedef enum FileKind { FILE_NONE, FILE_REGULAR, FILE_FOLDER, FILE_OTHER } FileKind;

/* Records in the change time of a file that it was used today; at most once per day and file. */
void file_used(const char* path, const FileStamp* stamp);

/* Does the folder belong to this user, or is it not writable by all users? */
MUST_CHECK ent_status folder_trust(const char* path, bool* trusted);

/* The kind of file at a path, FILE_NONE when there is none; with `follow`, of the target of a link.
 * Any status but ENT_OK: the kind is unknown. */
MUST_CHECK ent_status file_look(const char* path, bool follow, FileKind* kind);

/* Calls `each` for every name in a folder except "." and "..", in unspecified order. */
MUST_CHECK ent_status folder_list(const char* path, void (*each)(void* user, const char* name),
                                  void*       user);

/* A name in a folder and the kind of file that it has; of a link, the kind of its target. */
typedef struct FolderEntry {
    const char* name;
    FileKind    kind; /* FILE_NONE: a link whose target does not exist */
    bool        link;
    bool        is_stamped; /* its stamp was read */
    FileStamp   stamp;
} FolderEntry;

/* The same, with the kind of each entry that still exists, and the stamps of the first `stamps` entries and of links. */
MUST_CHECK ent_status folder_scan(const char* path, u32                                     stamps,
                                  void (*each)(void* user, const FolderEntry* entry), void* user);

/* The same for one entry, by its path, with its stamp. */
MUST_CHECK ent_status folder_entry(const char* path, FolderEntry* entry, bool* exists);

/* Writes the absolute path without links to `out`. ENT_NOT_FOUND when nothing exists at
 * the path. */
MUST_CHECK ent_status path_resolve(const char* path, char* out, size_t bytes);

#endif
