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

/* Waits for a change, and then until no change occurs for `quiet_ms`, but at most `latest_ms`: an
 * editor, or git, makes many changes at once.
 *
 * Returns  as folder_watch_open; ENT_NOT_FOUND: the root was removed. */
MUST_CHECK ent_status folder_watch_wait(FolderWatch* watch, u32 quiet_ms, u32 latest_ms);

/* Waits for a change, but at most `max_ms`: on a network disk the kernel reports only changes by
 * this machine.
 *
 * Returns  as folder_watch_wait; ENT_OK also without a change. */
MUST_CHECK ent_status folder_watch_wait_max(FolderWatch* watch, u32 max_ms);

#endif
