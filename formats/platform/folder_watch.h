/* folder_watch.h - notifies of changes in a folder or below it.
 *
 * Whoever saves in whatever way: writing into a file, putting another one in its place, moving
 * folders in and out. What begins with '.' is left out, and whatever links lead to. A change is
 * never missed between two waits; one that made no difference may be told, when the kernel lost
 * count or a folder moved. */
#ifndef ENT_FOLDER_WATCH_H
#define ENT_FOLDER_WATCH_H

#include "base.h"
#include "status.h"

typedef struct FolderWatch FolderWatch;

/* Returns  ENT_OK; ENT_NOT_FOUND or ENT_IO about the root, with errno; ENT_LIMIT when the kernel
 *          gives no more watches; ENT_NO_MEMORY. But for ENT_OK nothing is left to be closed. */
MUST_CHECK ent_status folder_watch_open(FolderWatch** out, const char* root);
void                  folder_watch_close(FolderWatch* watch);

/* Waits for a change, and on until it has been quiet for `quiet_ms`, but at most `latest_ms`: an
 * editor, or git, makes many changes at once.
 *
 * Returns  as folder_watch_open; ENT_NOT_FOUND: the root went. */
MUST_CHECK ent_status folder_watch_wait(FolderWatch* watch, u32 quiet_ms, u32 latest_ms);

#endif
