/* folder_root.c - opens a file segment by segment, each in the folder of the segment before. */
#define _GNU_SOURCE
#include "folder_root.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "file_internal.h"

#define FOLDER_FLAGS (O_PATH | O_DIRECTORY | O_NOFOLLOW)

/* The folder that contains the last segment of a path, and that segment. */
typedef struct Spot {
    int         folder; /* to be closed */
    const char* name;
} Spot;

static void spot_close(const Spot* spot) {
    const int kept = errno;
    close(spot->folder);
    errno = kept;
}

/* The system reports a link in place of a folder as ENOTDIR, which would count as absence. */
static int link_errno(int folder, const char* name) {
    const int   kept = errno;
    struct stat info;
    if (kept != ENOTDIR || !look_at(folder, name, AT_SYMLINK_NOFOLLOW, &info)) return kept;
    return S_ISLNK(info.st_mode) ? ELOOP : kept;
}

static int folder_enter(int folder, const char* name, bool make) {
    int fd = open_complete(folder, name, FOLDER_FLAGS, 0);
    if (fd < 0 && make && errno == ENOENT) {
        int result;
        UNINTERRUPTED(result, mkdirat(folder, name, 0777));
        if (result == 0 || errno == EEXIST) fd = open_complete(folder, name, FOLDER_FLAGS, 0);
    }
    if (fd < 0) errno = link_errno(folder, name);
    return fd;
}

/* False with errno. */
static bool spot_open(const FolderRoot* root, const char* path, bool make, Spot* spot) {
    char segment[NAME_MAX + 1];
    *spot = (Spot){fcntl(root->fd, F_DUPFD_CLOEXEC, 0), path};
    if (spot->folder < 0) return false;
    for (;;) {
        const size_t bytes = strcspn(spot->name, "/");
        const bool   dots =
            spot->name[0] == '.' && (bytes == 1 || (bytes == 2 && spot->name[1] == '.'));
        errno = bytes > NAME_MAX ? ENAMETOOLONG : bytes == 0 || dots ? EINVAL : 0;
        if (errno) return spot_close(spot), false;
        if (spot->name[bytes] == 0) return true;
        assert(bytes < sizeof segment);
        memcpy(segment, spot->name, bytes);
        segment[bytes] = 0;
        const int next = folder_enter(spot->folder, segment, make);
        spot_close(spot);
        if (next < 0) return false;
        *spot = (Spot){next, spot->name + bytes + 1};
    }
}

ent_status root_open(FolderRoot* root, const char* path) {
    root->fd = open_complete(AT_FDCWD, path, O_PATH | O_DIRECTORY, 0);
    return root->fd < 0 ? read_status() : ENT_OK;
}

ent_status root_make(FolderRoot* root, const char* path) {
    int result;
    root->fd = -1;
    if (!folders_make(path)) return errno_status(errno);
    UNINTERRUPTED(result, mkdir(path, 0777));
    if (result != 0 && errno != EEXIST) return errno_status(errno);
    return root_open(root, path);
}

void root_close(FolderRoot* root) {
    if (root->fd >= 0) close(root->fd);
    root->fd = -1;
}

ent_status root_number(const FolderRoot* root, u64* number) {
    struct stat info;
    if (!look_at(root->fd, "", AT_EMPTY_PATH, &info)) return errno_status(errno);
    *number = (u64)info.st_ino;
    return ENT_OK;
}

ent_status root_look(const FolderRoot* root, const char* path, FileKind* kind) {
    struct stat info;
    Spot        spot;
    *kind = FILE_NONE;
    if (!spot_open(root, path, false, &spot))
        return errno_is_absence() ? ENT_OK : errno_status(errno);
    const bool exists = look_at(spot.folder, spot.name, AT_SYMLINK_NOFOLLOW, &info);
    spot_close(&spot);
    if (exists) *kind = kind_of(&info);
    return exists || errno_is_absence() ? ENT_OK : errno_status(errno);
}

ent_status root_map(const FolderRoot* root, const char* path, FileView* out) {
    Spot spot;
    *out = (FileView){0};
    if (!spot_open(root, path, false, &spot)) return read_status();
    const int fd = open_complete(spot.folder, spot.name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);
    spot_close(&spot);
    return view_open(out, fd);
}

static ent_status root_put(const FolderRoot* root, const char* path, const void* bytes, size_t size,
                           PutMode mode) {
    const FilePart part = {bytes, size};
    FileStamp      stamp;
    Spot           spot;
    for (u32 attempt = 0;; attempt++) {
        if (!spot_open(root, path, mode != PUT_REWRITE, &spot)) return errno_status(errno);
        const Put  put = {spot.folder, spot.name, &part, 1, mode};
        const bool done = put_once(&put, spot.name, &stamp);
        spot_close(&spot);
        if (done) return ENT_OK;
        /* Another process may have removed the folder while it was empty. */
        if (errno != ENOENT || attempt == 3) return errno_status(errno);
    }
}

ent_status root_replace(const FolderRoot* root, const char* path, const void* bytes, size_t size,
                        FileChange* change) {
    FileView view;
    *change = FILE_CHANGED;
    if (root_map(root, path, &view) == ENT_OK) { /* one that cannot be read is replaced */
        if (view.size == size && (size == 0 || memcmp(view.bytes, bytes, size) == 0))
            *change = FILE_SAME;
        file_unmap(&view);
    }
    return *change == FILE_SAME ? ENT_OK : root_put(root, path, bytes, size, PUT_REPLACE);
}

ent_status root_rewrite(const FolderRoot* root, const char* path, const void* bytes, size_t size) {
    return root_put(root, path, bytes, size, PUT_REWRITE);
}

ent_status root_create(const FolderRoot* root, const char* path, const void* bytes, size_t size) {
    return root_put(root, path, bytes, size, PUT_CREATE);
}

/* Two names in one folder. */
typedef struct Names {
    const char *first, *second;
    bool        has_first, has_second;
} Names;

static void names_find(void* user, const char* name) {
    Names* n = user;
    n->has_first |= strcmp(name, n->first) == 0;
    n->has_second |= strcmp(name, n->second) == 0;
}

/* Two links to one file are listed both. False with errno. */
static bool spots_compare(const Spot* first, const Spot* second, RootSpelling* spelling) {
    struct stat a, b;
    Names       names = {first->name, second->name, false, false};
    *spelling = SPELLING_OTHER;
    if (!look_at(first->folder, first->name, AT_SYMLINK_NOFOLLOW, &a) ||
        !look_at(second->folder, second->name, AT_SYMLINK_NOFOLLOW, &b))
        return errno_is_absence();
    if (a.st_dev != b.st_dev || a.st_ino != b.st_ino) return true;
    if (!look_into(first->folder, &a) || !look_into(second->folder, &b)) return false;
    if (a.st_dev != b.st_dev || a.st_ino != b.st_ino) return true;
    if (strcmp(first->name, second->name) == 0) return *spelling = SPELLING_SAME, true;
    if (!folder_list_at(first->folder, names_find, &names)) return false;
    if (names.has_first != names.has_second)
        *spelling = names.has_first ? SPELLING_FIRST : SPELLING_SECOND;
    return true;
}

ent_status root_spelling(const FolderRoot* root, const char* first, const char* second,
                         RootSpelling* spelling) {
    Spot a, b;
    *spelling = SPELLING_OTHER;
    if (!spot_open(root, first, false, &a))
        return errno_is_absence() ? ENT_OK : errno_status(errno);
    bool done = spot_open(root, second, false, &b);
    if (done) {
        done = spots_compare(&a, &b, spelling);
        spot_close(&b);
    } else {
        done = errno_is_absence();
    }
    spot_close(&a);
    return done ? ENT_OK : errno_status(errno);
}

/* False with errno. */
static bool spot_move(const Spot* from, const Spot* to) {
    RootSpelling spelling;
    int          result;
    if (rename_once(from->folder, from->name, to->folder, to->name)) return true;
    if (errno != EEXIST || !spots_compare(from, to, &spelling)) return false;
    if (spelling != SPELLING_FIRST) return errno = EEXIST, false;
    UNINTERRUPTED(result, renameat(from->folder, from->name, to->folder, to->name));
    if (result != 0 || !spots_compare(from, to, &spelling)) return false;
    errno = EEXIST; /* two links to one file stay both */
    return spelling == SPELLING_SECOND;
}

ent_status root_move(const FolderRoot* root, const char* from, const char* to) {
    Spot source, target;
    if (!spot_open(root, from, false, &source)) return errno_status(errno);
    const bool exists = spot_open(root, to, true, &target);
    const bool done = exists && spot_move(&source, &target);
    if (exists) spot_close(&target);
    spot_close(&source);
    return done ? ENT_OK : errno_status(errno);
}

ent_status root_remove(const FolderRoot* root, const char* path) {
    Spot spot;
    if (!spot_open(root, path, false, &spot))
        return errno_is_absence() ? ENT_OK : errno_status(errno);
    int result;
    UNINTERRUPTED(result, unlinkat(spot.folder, spot.name, 0));
    spot_close(&spot);
    return result == 0 || errno == ENOENT ? ENT_OK : errno_status(errno);
}

void root_remove_empty(const FolderRoot* root, const char* path) {
    char folder[PATH_MAX];
    if (strlen(path) >= sizeof folder) return;
    strcpy(folder, path);
    for (char* slash; (slash = strrchr(folder, '/'));) {
        Spot spot;
        *slash = 0;
        if (!spot_open(root, folder, false, &spot)) return;
        const bool gone = unlinkat(spot.folder, spot.name, AT_REMOVEDIR) == 0;
        spot_close(&spot);
        if (!gone) return;
    }
}
