/* library.h - a level and every resource that it refers to, opened from an output folder. */
#ifndef ENT_LIBRARY_H
#define ENT_LIBRARY_H

#include "base.h"
#include "file.h"
#include "resource.h"

typedef struct LibraryEntry {
    ResourceRef id;
    Resource    resource;
    FileView    view;
    char        name[260]; /* without the type, cut when it is longer */
} LibraryEntry;

typedef struct Library {
    LibraryEntry* entry; /* [count] the level first */
    u32           count, capacity;
    u64           open_ns, verify_ns; /* spent in mapping and in ent_blob_open, over all */
    u64           bytes;
    char          problem[4608]; /* one sentence, when loading failed */
} Library;

/* Opens FOLDER/NAME.TYPE and what it refers to, and what that refers to. On failure `problem` says
 * which file and why. */
MUST_CHECK ent_status library_load(Library* library, const char* folder, const char* name,
                                   ResourceType type);
void                  library_close(Library* library);

/* The blob of a resource, or NULL. */
const Blob* library_find(const Library* library, ResourceRef id);

#endif
