/* blob_folder.c - finds the blobs in a folder. */
#include "blob_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "blob_file.h"
#include "sections.h"
#include "order.h"

typedef struct FolderWalk {
    PathList*   list;
    const char* root;
    const char* folder; /* relative, with a trailing '/', or "" */
    ARRAY(const char*) folders;
    const char* failed; /* path that could not be accessed, and the reason */
    int         reason;
    u32         refused; /* names that were reported */
} FolderWalk;

/* An entry that may contain resources and is not read. A symbolic link to a folder may be
 * cyclic. */
static void folder_refuse(FolderWalk* walk, const char* full, FileKind kind) {
    const char* what = kind == FILE_FOLDER ? "a symbolic link to a folder, which is not followed"
                       : kind == FILE_NONE ? "a broken symbolic link"
                                           : "not a regular file";
    fprintf(stderr, "%s: error: it is %s; remove it or replace it with the files\n", full, what);
    walk->refused++;
}

/* Hidden files are not resources. */
static void folder_visit(void* user, const char* name) {
    FolderWalk* walk = user;
    const char* dot = strrchr(name, '.');
    if (name[0] == '.') return;
    const char* path = arena_print(&walk->list->arena, "%s%s", walk->folder, name);
    const char* full = arena_print(&walk->list->arena, "%s/%s", walk->root, path);
    FileKind    itself, kind;
    if (file_look(full, false, &itself) != ENT_OK || file_look(full, true, &kind) != ENT_OK) {
        walk->failed = full;
        walk->reason = errno;
    } else if (itself == FILE_FOLDER) {
        *array_push(&walk->folders) = arena_print(&walk->list->arena, "%s/", path);
    } else if (itself == FILE_NONE) {
        return; /* it was removed in the meantime */
    } else if (kind == FILE_FOLDER) {
        folder_refuse(walk, full, kind);
    } else if (dot && resource_from_suffix(text_of(dot + 1)) != RESOURCE_NONE) {
        if (kind == FILE_REGULAR)
            *array_push(&walk->list->paths) = path;
        else
            folder_refuse(walk, full, kind);
    }
}

int paths_collect(PathList* list, const char* folder) {
    FolderWalk walk = {.list = list, .root = folder};
    ent_status status = ENT_OK;
    *list = (PathList){0};
    *array_push(&walk.folders) = "";
    while (walk.folders.count > 0 && status == ENT_OK) {
        walk.folder = walk.folders.at[--walk.folders.count];
        const char* full = arena_print(&list->arena, "%s/%s", folder, walk.folder);
        status = folder_list(full, folder_visit, &walk);
        if (status == ENT_OK && walk.failed) {
            errno = walk.reason, full = walk.failed;
            status = errno_status(walk.reason);
        }
        if (status != ENT_OK) unreadable_report(full, status);
    }
    array_drop(&walk.folders);
    if (list->paths.count > 1) {
        qsort(list->paths.at, list->paths.count, sizeof *list->paths.at, order_texts);
    }
    return status == ENT_OK && walk.refused ? EXIT_IO : exit_code_of(status);
}

void paths_drop(PathList* list) {
    array_drop(&list->paths);
    arena_drop(&list->arena);
}

int paths_each(const char* folder, int (*visit)(void* user, const char* path), void* user) {
    PathList list;
    int      worst = paths_collect(&list, folder);
    for (u32 i = 0; i < list.paths.count; i++) {
        const int code = visit(user, arena_print(&list.arena, "%s/%s", folder, list.paths.at[i]));
        worst = MAX_OF(worst, code);
    }
    paths_drop(&list);
    return worst;
}
