/* folder_watch.h - reports changes in a folder and the folders below it.
 *
 * All methods of saving are recognised: writing to a file, replacing it by another one, moving
 * folders in and out. Names that begin with '.' and the targets of links are ignored. No change
 * between two waits is missed. A change without effect may be reported when the queue of the kernel
 * overflowed or a folder was moved. */
#ifndef ENT_FOLDER_WATCH_H
#define ENT_FOLDER_WATCH_H

#include "base.h"
#include "status.h"

typedef struct FolderWatch FolderWatch;

/* Returns  ENT_OK; ENT_NOT_FOUND or ENT_IO for the root, with errno; ENT_LIMIT when the kernel's
 *          limit of watches is reached; ENT_NO_MEMORY. On failure, nothing has to be closed. */
MUST_CHECK ent_status folder_watch_open(FolderWatch** out, const char* root);
void                  folder_watch_close(FolderWatch* watch);

/* The same for one entry of a folder: only changes of what has this name are reported, also when it begins
 * with '.', and the removal of the folder. The folders below it are not watched. */
MUST_CHECK ent_status folder_watch_open_entry(FolderWatch** out, const char* root,
                                              const char* name);

/* How long a watch waits for further changes, because an editor, or git, makes many changes at once. */
typedef struct WatchTimes {
    u32 complete_ms; /* after a file was closed or moved to its name: its content is complete */
    u32 quiet_ms;    /* after any other change */
    u32 max_ms;      /* after the first change, whatever follows */
} WatchTimes;

/* Waits for a change, and then until none follows it within these times.
 *
 * Returns  as folder_watch_open; ENT_NOT_FOUND: the root was removed. */
MUST_CHECK ent_status folder_watch_wait(FolderWatch* watch, const WatchTimes* times);

/* Waits for a change, but at most `max_ms`: on a network disk the kernel reports only changes by
 * this machine.
 *
 * Returns  as folder_watch_wait; ENT_OK also without a change. */
MUST_CHECK ent_status folder_watch_wait_max(FolderWatch* watch, u32 max_ms);

/* Does not wait: reads what has changed since the last call. Returns as folder_watch_wait. */
MUST_CHECK ent_status folder_watch_poll(FolderWatch* watch);

/* The entries of folders that were changed, created or removed; those of a root that is watched alone are not listed. */
typedef struct FolderChanges {
    char** path; /* [count] below the root, with repetitions */
    u32    count, capacity;
    bool
        is_incomplete; /* others may have changed too: of folders that were created, removed or moved, or because
                             * the kernel or this list had too many */
} FolderChanges;

/* What the last call of folder_watch_wait, folder_watch_wait_max or folder_watch_poll has found. Valid until the next
 * one. */
const FolderChanges* folder_watch_changes(const FolderWatch* watch);

#endif
