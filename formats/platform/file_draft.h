/* file_draft.h - a file that is written step by step: a temporary file beside its path, renamed at the end.
 *
 * Until file_draft_end has returned ENT_OK, the old file is what it was. A device or pipe, which cannot be replaced,
 * is written at the end; its content is in memory until then. So is that for an existing file in a folder where no other
 * can be created: it is compared. */
#ifndef ENT_FILE_DRAFT_H
#define ENT_FILE_DRAFT_H

#include "file.h"

typedef struct FileDraft FileDraft;

/* Begins a file. Missing folders of the path are created. On failure, *draft is NULL. */
MUST_CHECK ent_status file_draft_begin(FileDraft** draft, const char* path);

/* Writes bytes at the end. */
MUST_CHECK ent_status file_draft_add(FileDraft* draft, const void* bytes, size_t size);

/* Replaces bytes that were added. */
MUST_CHECK ent_status file_draft_set(FileDraft* draft, u64 at, const void* bytes, size_t size);

/* Gives the file its path. A file that already has this content keeps its time stamp. */
MUST_CHECK ent_status file_draft_end(FileDraft* draft, FileChange* change);

/* Frees it, and removes what has not been given its path. Keeps errno. NULL is permitted. */
void file_draft_drop(FileDraft* draft);

#endif
