/* file.c - reads complete files, and queries what exists at a path. */
#define _GNU_SOURCE
#include "file_internal.h"
#include "pages.h"

#include "clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAP_FROM_BYTES      ((size_t)256 << 10)
#define POPULATE_FROM_BYTES ((size_t)1 << 20)

/* --- status of a failed call --- */

ent_status errno_status(int error) {
    switch (error) {
    case ENOMEM: return ENT_NO_MEMORY;
    case EMFILE:
    case ENFILE: return ENT_LIMIT;
    default: return ENT_IO;
    }
}

bool errno_is_absence(void) { return errno == ENOENT || errno == ENOTDIR; }

ent_status read_status(void) { return errno_is_absence() ? ENT_NOT_FOUND : errno_status(errno); }

/* Reserves one page more than the file needs, so that a NUL follows its last byte. */
static ent_status map_descriptor(FileView* out, int fd, size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t mapped = (size_t)align_up(size + 1, page);
    u8* memory = mmap(NULL, mapped, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return ENT_NO_MEMORY;
    if (mmap(memory, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
        const int kept = errno;
        munmap(memory, mapped);
        return errno_status(errno = kept);
    }
    *out = (FileView){memory, size, memory, mapped};
    return ENT_OK;
}

/* Mapping costs more than copying a small file, and a process may have some 65,000 mappings. */
ent_status read_descriptor(FileView* out, int fd, size_t size) {
    u8* memory = malloc(size + 1);
    if (!memory) return ENT_NO_MEMORY;
    pages_advise(memory, size);
    size_t done = 0;
    while (done < size) {
        const size_t part = MIN_OF(size - done, PAGES_WINDOW_BYTES);
        if (size >= POPULATE_FROM_BYTES) pages_populate(memory + done, part);
        const ssize_t got = read(fd, memory + done, part);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            const int kept = errno;
            free(memory);
            return errno_status(errno = kept);
        }
        if (got == 0) break; /* it was truncated meanwhile */
        done += (size_t)got;
    }
    memory[done] = 0;
    *out = (FileView){memory, done, memory, 0};
    return ENT_OK;
}

int open_complete(int folder, const char* path, int flags, mode_t mode) {
    int fd;
    UNINTERRUPTED(fd, openat(folder, path, flags | O_CLOEXEC, mode));
    return fd;
}

bool look_at(int folder, const char* path, int flags, struct stat* info) {
    int result;
    UNINTERRUPTED(result, fstatat(folder, path, info, flags));
    return result == 0;
}

bool look_into(int fd, struct stat* info) {
    int result;
    UNINTERRUPTED(result, fstat(fd, info));
    return result == 0;
}

FileStamp stamp_of(const struct stat* info) {
    return (FileStamp){
        .size = (u64)info->st_size,
        .modified_ns = (u64)info->st_mtim.tv_sec * 1000000000u + (u64)info->st_mtim.tv_nsec,
        .changed_ns = (u64)info->st_ctim.tv_sec * 1000000000u + (u64)info->st_ctim.tv_nsec,
        .inode = (u64)info->st_ino};
}

ent_status view_take(FileView* out, int fd, FileStamp* stamp, size_t map_from,
                     const Reader* reader) {
    struct stat info;
    *out = (FileView){0};
    *stamp = (FileStamp){0};
    if (fd < 0) return read_status();
    ent_status status = ENT_IO;
    if (!look_into(fd, &info)) {
        status = errno_status(errno);
    } else {
        const size_t size = (size_t)info.st_size;
        *stamp = stamp_of(&info);
        if (!S_ISREG(info.st_mode))
            errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
        else if (size >= map_from)
            status = map_descriptor(out, fd, size);
        else if (reader && size >= reader->from_bytes)
            status = reader->read(out, fd, size, reader->user);
        else
            status = read_descriptor(out, fd, size);
    }
    const int kept = errno;
    close(fd);
    errno = kept;
    return status;
}

ent_status view_open(FileView* out, int fd) {
    FileStamp stamp;
    return view_take(out, fd, &stamp, MAP_FROM_BYTES, NULL);
}

ent_status file_map_stamped(FileView* out, const char* path, FileStamp* stamp) {
    const int fd = open_complete(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0);
    return view_take(out, fd, stamp, MAP_FROM_BYTES, NULL);
}

ent_status file_stamp(const char* path, FileStamp* stamp) {
    struct stat info;
    if (!look_at(AT_FDCWD, path, 0, &info)) return read_status();
    *stamp = stamp_of(&info);
    return ENT_OK;
}

ent_status file_map(FileView* out, const char* path) {
    FileStamp stamp;
    return file_map_stamped(out, path, &stamp);
}

void file_unmap(FileView* view) {
    if (view->mapped && view->memory)
        munmap(view->memory, view->mapped);
    else
        free(view->memory);
    *view = (FileView){0};
}

void file_forget(const FileView* view) {
    const int kept = errno;
    if (view->mapped && view->memory) madvise(view->memory, view->mapped, MADV_DONTNEED);
    errno = kept; /* it remains in memory, which is no error */
}

/* --- queries --- */

FileKind kind_of(const struct stat* info) {
    if (S_ISREG(info->st_mode)) return FILE_REGULAR;
    return S_ISDIR(info->st_mode) ? FILE_FOLDER : FILE_OTHER;
}

ent_status file_look(const char* path, bool follow, FileKind* kind) {
    struct stat info;
    *kind = FILE_NONE;
    if (look_at(AT_FDCWD, path, follow ? 0 : AT_SYMLINK_NOFOLLOW, &info))
        *kind = kind_of(&info);
    else if (!errno_is_absence())
        return errno_status(errno);
    return ENT_OK;
}

static DIR* folder_open(const char* path) {
    DIR* folder;
    do {
        folder = opendir(path);
    } while (!folder && errno == EINTR);
    return folder;
}

/* The next entry except "." and ".."; NULL with errno, which is 0 after the last entry. */
static const struct dirent* entry_next(DIR* folder) {
    const struct dirent* entry;
    bool                 dots;
    do {
        errno = 0;
        entry = readdir(folder);
        dots = entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
    } while (dots || (!entry && errno == EINTR));
    return entry;
}

/* Closes the folder; false with errno. */
static bool entries_visit(DIR* folder, void (*each)(void* user, const char* name), void* user) {
    for (const struct dirent* entry; (entry = entry_next(folder));) each(user, entry->d_name);
    const int kept = errno;
    closedir(folder);
    errno = kept;
    return kept == 0;
}

ent_status folder_list(const char* path, void (*each)(void* user, const char* name), void* user) {
    DIR* folder = folder_open(path);
    if (!folder) return read_status();
    return entries_visit(folder, each, user) ? ENT_OK : errno_status(errno);
}

bool folder_list_at(int folder, void (*each)(void* user, const char* name), void* user) {
    const int fd = open_complete(folder, ".", O_RDONLY | O_DIRECTORY, 0);
    DIR*      listed = fd < 0 ? NULL : fdopendir(fd);
    if (listed) return entries_visit(listed, each, user);
    const int kept = errno;
    if (fd >= 0) close(fd);
    errno = kept;
    return false;
}

typedef struct ScanCall {
    int fd;
    u32 stamps; /* that are still to be read */
    void (*each)(void* user, const FolderEntry* entry);
    void* user;
} ScanCall;

/* False with errno. */
static bool entry_look(int folder, const char* name, FolderEntry* entry, bool* exists) {
    struct stat info;
    *entry = (FolderEntry){.name = name, .kind = FILE_NONE, .is_stamped = true};
    *exists = look_at(folder, name, AT_SYMLINK_NOFOLLOW, &info);
    if (!*exists) return errno == ENOENT;
    entry->link = S_ISLNK(info.st_mode);
    const bool has_target = !entry->link || look_at(folder, name, 0, &info);
    if (!has_target && !errno_is_absence() && errno != ELOOP) return false;
    if (has_target) entry->kind = kind_of(&info), entry->stamp = stamp_of(&info);
    return true;
}

/* False with errno. */
static bool scan_one(ScanCall* call, const char* name, u8 type) {
    FolderEntry entry = {.name = name, .kind = type == DT_REG ? FILE_REGULAR : FILE_FOLDER};
    bool        exists = true;
    if (call->stamps || (type != DT_REG && type != DT_DIR)) {
        call->stamps -= call->stamps > 0;
        if (!entry_look(call->fd, name, &entry, &exists)) return false;
    }
    if (exists) call->each(call->user, &entry);
    return true;
}

ent_status folder_entry(const char* path, FolderEntry* entry, bool* exists) {
    if (entry_look(AT_FDCWD, path, entry, exists)) return ENT_OK;
    return errno == ENOTDIR ? ENT_OK : errno_status(errno); /* its folder was replaced by a file */
}

ent_status folder_scan(const char* path, u32                                     stamps,
                       void (*each)(void* user, const FolderEntry* entry), void* user) {
    DIR* folder = folder_open(path);
    if (!folder) return read_status();
    ScanCall call = {dirfd(folder), stamps, each, user};
    int      kept = 0;
    for (const struct dirent* entry; kept == 0 && (entry = entry_next(folder));) {
        if (!scan_one(&call, entry->d_name, entry->d_type)) kept = errno;
    }
    kept = kept ? kept : errno;
    closedir(folder);
    errno = kept;
    return kept ? errno_status(kept) : ENT_OK;
}

void file_used(const char* path, const FileStamp* stamp) {
    const u64 day_ns = (u64)24 * 3600 * 1000000000u;
    if (stamp->modified_ns + day_ns < clock_wall_ns()) utimensat(AT_FDCWD, path, NULL, 0);
}

ent_status folder_trust(const char* path, bool* trusted) {
    struct stat info;
    if (!look_at(AT_FDCWD, path, 0, &info)) return read_status();
    *trusted = info.st_uid == geteuid() || !(info.st_mode & S_IWOTH);
    return ENT_OK;
}

ent_status path_resolve(const char* path, char* out, size_t bytes) {
    char        full[PATH_MAX];
    const char* found;
    do {
        found = realpath(path, full);
    } while (!found && errno == EINTR);
    if (!found) return read_status();
    if (strlen(full) >= bytes) return errno = ENAMETOOLONG, ENT_IO;
    strcpy(out, full);
    return ENT_OK;
}

bool name_remove(int folder, const char* path) {
    int result;
    UNINTERRUPTED(result, unlinkat(folder, path, 0));
    return result == 0;
}

ent_status file_remove(const char* path) {
    if (name_remove(AT_FDCWD, path) || errno == ENOENT) return ENT_OK;
    return errno_status(errno);
}
