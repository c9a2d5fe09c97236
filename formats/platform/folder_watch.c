/* folder_watch.c - implements folder_watch.h with inotify.
 *
 * An inotify watch covers the entries of one folder, so every folder below the root has one. When
 * folders are created, removed or moved, or when the queue of the kernel overflowed, all folders
 * are walked again: adding a watch that already exists changes nothing. Each folder is watched
 * before it is read, so that every later change in it is reported. */
#define _GNU_SOURCE
#include "folder_watch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "clock.h"
#include "file.h"

#define EVENTS                                                                                     \
    (IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM |              \
     IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
#define WALK_EVENTS (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)

/* A watched folder, and its path below the root in the text of the walk; "" is the root. */
typedef struct Watched {
    int wd;
    u32 path;
} Watched;

/* Folders in the order in which they were found. */
typedef struct Walk {
    Watched* at; /* [count] */
    u32      count, capacity;
    char*    text;
    u32      bytes, text_capacity;
    bool     full; /* memory for a folder was not available */
} Walk;

struct FolderWatch {
    int           fd;
    char*         root;
    char*         name; /* of the only entry that is watched; NULL: all, also below */
    Walk          walk; /* the last one, sorted by watch */
    FolderChanges changes;
};

#define CHANGES_MAX 4096u

/* --- lists --- */

static bool buffer_reserve(void** at, u32* capacity, u32 need, size_t element) {
    if (need <= *capacity) return true;
    const u32 more = MAX_OF(need, *capacity * 2);
    void*     grown = realloc(*at, more * element);
    if (!grown) return false;
    *at = grown;
    *capacity = more;
    return true;
}

/* Adds FOLDER/NAME; the folder is a path of this walk. */
static void walk_add(Walk* walk, u32 folder, const char* name) {
    const u32 above = (u32)strlen(walk->text + folder), name_bytes = (u32)strlen(name) + 1;
    const u32 need = above + name_bytes + 1;
    if (!buffer_reserve((void**)&walk->at, &walk->capacity, walk->count + 1, sizeof *walk->at) ||
        !buffer_reserve((void**)&walk->text, &walk->text_capacity, walk->bytes + need, 1)) {
        walk->full = true;
        return;
    }
    walk->at[walk->count++] = (Watched){-1, walk->bytes};
    char* path = walk->text + walk->bytes;
    memcpy(path, walk->text + folder, above);
    if (above) path[above] = '/';
    memcpy(path + above + (above > 0), name, name_bytes);
    walk->bytes += above + (above > 0) + name_bytes;
}

static void walk_drop(Walk* walk) {
    free(walk->at);
    free(walk->text);
    *walk = (Walk){0};
}

static int watched_order(const void* a, const void* b) {
    const int x = ((const Watched*)a)->wd, y = ((const Watched*)b)->wd;
    return (x > y) - (x < y);
}

/* The path of a watch, or NULL when the watch was removed. */
static const char* watched_path(const Walk* walk, int wd) {
    const Watched  key = {wd, 0};
    const Watched* found =
        walk->count ? bsearch(&key, walk->at, walk->count, sizeof key, watched_order) : NULL;
    return found ? walk->text + found->path : NULL;
}

/* --- walking --- */

typedef struct Step {
    Walk* walk;
    u32   folder; /* its path in the text of the walk */
} Step;

static void step_entry(void* user, const FolderEntry* entry) {
    Step* step = user;
    if (entry->kind != FILE_FOLDER || entry->link || entry->name[0] == '.') return;
    walk_add(step->walk, step->folder, entry->name);
}

/* Watches a folder and finds the folders in it. A folder that was removed meanwhile or cannot be
 * read is not an error here: it is reported when its content is read. */
static ent_status walk_folder(const FolderWatch* w, Walk* walk, u32 index) {
    Step        step = {walk, walk->at[index].path};
    const char* below = walk->text + step.folder;
    const bool  root = index == 0;
    char        path[8192];
    snprintf(path, sizeof path, "%s%s%s", w->root, root ? "" : "/", below);
    const int wd =
        inotify_add_watch(w->fd, path, EVENTS | IN_ONLYDIR | (root ? 0 : IN_DONT_FOLLOW));
    walk->at[index].wd = wd;
    if (wd < 0 && errno == ENOSPC) return ENT_LIMIT;
    if (wd < 0 && errno == ENOMEM) return ENT_NO_MEMORY;
    if (wd < 0) return !root ? ENT_OK : errno == ENOENT ? ENT_NOT_FOUND : ENT_IO;
    if (w->name) return ENT_OK;
    const ent_status status = folder_scan(path, 0, step_entry, &step);
    return root ? status : ENT_OK;
}

/* Walks all folders again, and removes the watches of those that are no longer below the root. */
static ent_status watch_walk(FolderWatch* w) {
    Walk       walk = {0};
    ent_status status = ENT_OK;
    if (!buffer_reserve((void**)&walk.text, &walk.text_capacity, 4096, 1)) return ENT_NO_MEMORY;
    walk.text[0] = 0;
    walk.bytes = 1;
    walk_add(&walk, 0, "");
    for (u32 i = 0; i < walk.count && status == ENT_OK; i++) status = walk_folder(w, &walk, i);
    if (status == ENT_OK && walk.full) status = ENT_NO_MEMORY;
    if (status != ENT_OK) {
        const int kept = errno;
        walk_drop(&walk);
        errno = kept;
        return status;
    }
    qsort(walk.at, walk.count, sizeof *walk.at, watched_order);
    for (u32 i = 0; i < w->walk.count; i++) {
        const int wd = w->walk.at[i].wd;
        if (wd >= 0 && !watched_path(&walk, wd)) inotify_rm_watch(w->fd, wd);
    }
    walk_drop(&w->walk);
    w->walk = walk;
    return ENT_OK;
}

/* --- events --- */

typedef struct Seen {
    bool change;   /* of an entry that may affect the caller */
    bool complete; /* the last change completed a file */
    bool walk;     /* folders have to be walked again */
} Seen;

static void changes_clear(FolderChanges* changes) {
    for (u32 i = 0; i < changes->count; i++) free(changes->path[i]);
    changes->count = 0;
    changes->is_incomplete = false;
}

/* FOLDER/NAME; a file that is written causes many events in succession. */
static void changes_add(FolderChanges* changes, const char* folder, const char* name) {
    const size_t bytes = strlen(folder) + strlen(name) + 2;
    if (changes->is_incomplete) return;
    char* path = malloc(bytes);
    if (path) snprintf(path, bytes, "%s%s%s", folder, *folder ? "/" : "", name);
    if (path && changes->count && strcmp(changes->path[changes->count - 1], path) == 0) {
        free(path);
        return;
    }
    if (!path || changes->count == CHANGES_MAX ||
        !buffer_reserve((void**)&changes->path, &changes->capacity, changes->count + 1,
                        sizeof *changes->path)) {
        changes->is_incomplete = true;
        free(path);
        return;
    }
    changes->path[changes->count++] = path;
}

static void event_see(FolderWatch* w, const struct inotify_event* event, Seen* seen) {
    const char* name = event->len ? event->name : "";
    const char* folder = watched_path(&w->walk, event->wd);
    const bool  lost = event->mask & IN_Q_OVERFLOW;
    if (!folder && !lost) return; /* of a watch that was removed */
    if (lost || event->mask & WALK_EVENTS) {
        seen->change = seen->walk = true;
        seen->complete = false;
        return;
    }
    if (w->name ? strcmp(name, w->name) != 0 : name[0] == '.') return;
    seen->change = true;
    seen->complete = event->mask & (IN_CLOSE_WRITE | IN_MOVED_TO);
    if (w->name) return;
    if (*name && !(event->mask & IN_ISDIR))
        changes_add(&w->changes, folder, name);
    else
        seen->walk = true; /* a folder may also have become readable */
}

/* Waits for at most this time and reads all available events. False: there were none. */
static bool events_read(FolderWatch* w, int wait_ms, Seen* seen) {
    _Alignas(struct inotify_event) char buffer[64 << 10];
    struct pollfd                       poller = {w->fd, POLLIN, 0};
    if (poll(&poller, 1, wait_ms) <= 0) return false;
    const ssize_t got = read(w->fd, buffer, sizeof buffer);
    for (ssize_t at = 0; at < got;) {
        const struct inotify_event* event = (const void*)(buffer + at);
        event_see(w, event, seen);
        at += (ssize_t)(sizeof *event + event->len);
    }
    return got > 0;
}

static ent_status wait_end(FolderWatch* w, const Seen* seen) {
    w->changes.is_incomplete |= seen->walk;
    return seen->walk ? watch_walk(w) : ENT_OK;
}

ent_status folder_watch_wait(FolderWatch* w, const WatchTimes* times) {
    Seen seen = {0};
    changes_clear(&w->changes);
    while (!seen.change) events_read(w, -1, &seen);
    const u64 end_ns = clock_ns() + (u64)times->max_ms * 1000000u;
    u64       now_ns;
    while ((now_ns = clock_ns()) < end_ns) {
        const u64 left_ms = (end_ns - now_ns) / 1000000u + 1;
        const u64 wait_ms = seen.complete ? times->complete_ms : times->quiet_ms;
        if (!events_read(w, (int)MIN_OF(wait_ms, left_ms), &seen)) break;
    }
    return wait_end(w, &seen);
}

ent_status folder_watch_wait_max(FolderWatch* w, u32 max_ms) {
    Seen      seen = {0};
    const u64 end_ns = clock_ns() + (u64)max_ms * 1000000u;
    u64       now_ns;
    changes_clear(&w->changes);
    while (!seen.change && (now_ns = clock_ns()) < end_ns)
        events_read(w, (int)((end_ns - now_ns) / 1000000u + 1), &seen);
    return wait_end(w, &seen);
}

ent_status folder_watch_poll(FolderWatch* w) {
    Seen seen = {0};
    changes_clear(&w->changes);
    while (events_read(w, 0, &seen)) continue;
    return wait_end(w, &seen);
}

const FolderChanges* folder_watch_changes(const FolderWatch* w) { return &w->changes; }

/* --- opening --- */

static ent_status watch_open(FolderWatch** out, const char* root, const char* name) {
    FolderWatch* w = calloc(1, sizeof *w);
    ent_status   status = ENT_NO_MEMORY;
    *out = NULL;
    if (!w) return status;
    w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    w->root = strdup(root);
    w->name = name ? strdup(name) : NULL;
    if (w->fd < 0)
        status = errno == EMFILE || errno == ENFILE ? ENT_LIMIT : ENT_IO;
    else if (w->root && (w->name || !name))
        status = watch_walk(w);
    if (status == ENT_OK) return *out = w, ENT_OK;
    const int kept = errno;
    folder_watch_close(w);
    errno = kept;
    return status;
}

ent_status folder_watch_open(FolderWatch** out, const char* root) {
    return watch_open(out, root, NULL);
}

ent_status folder_watch_open_entry(FolderWatch** out, const char* root, const char* name) {
    return watch_open(out, root, name);
}

void folder_watch_close(FolderWatch* w) {
    if (!w) return;
    if (w->fd >= 0) close(w->fd);
    walk_drop(&w->walk);
    changes_clear(&w->changes);
    free(w->changes.path);
    free(w->root);
    free(w->name);
    free(w);
}
