/* tree.c - reads a folder and all below it. */
#include "tree.h"

#include <errno.h>
#include <stdio.h>

typedef struct Walk {
    Tree*       tree;
    const char* folder; /* that is being read */
    u32         bytes;  /* of its path */
} Walk;

static const char* path_join(Arena* arena, const char* folder, u32 bytes, const char* name) {
    const size_t more = strlen(name);
    char*        path = arena_alloc(arena, bytes + more + 2);
    memcpy(path, folder, bytes);
    path[bytes] = '/';
    memcpy(path + bytes + 1, name, more);
    return path;
}

static void walk_entry(void* user, const FolderEntry* entry) {
    Walk* walk = user;
    Tree* tree = walk->tree;
    if (entry->name[0] == '.') { /* .git, .vscode, our own temporaries */
        if (temporary_is_dead(entry->name)) {
            *array_push(&tree->dead) =
                path_join(&tree->arena, walk->folder, walk->bytes, entry->name);
        }
        return;
    }
    const char* path = path_join(&tree->arena, walk->folder, walk->bytes, entry->name);
    if (entry->kind == FILE_FOLDER && !entry->link) {
        *array_push(&tree->folders) = path;
        return;
    }
    *array_push(&tree->files) = (TreeFile){.path = path,
                                           .relative = (u32)strlen(tree->root) + 1,
                                           .name = walk->bytes + 1,
                                           .kind = entry->kind,
                                           .link = entry->link,
                                           .stamp = entry->stamp};
}

static u32 depth_of(const char* path) {
    u32 depth = 0;
    for (; *path; path++) depth += *path == '/';
    return depth;
}

ent_status tree_read(Tree* tree, const char* root, bool stamps, const char** failed) {
    Walk walk = {.tree = tree};
    *tree = (Tree){0};
    u32 bytes = (u32)strlen(root);
    while (bytes > 1 && root[bytes - 1] == '/') bytes--;
    tree->root = arena_text(&tree->arena, (Text){root, bytes});
    const u32  depth = depth_of(tree->root);
    ent_status status = ENT_OK;
    *failed = tree->root;
    *array_push(&tree->folders) = tree->root;
    for (u32 i = 0; i < tree->folders.count && status == ENT_OK; i++) {
        walk.folder = tree->folders.at[i];
        walk.bytes = (u32)strlen(walk.folder);
        if (depth_of(walk.folder) - depth > TREE_DEPTH_MAX) {
            *array_push(&tree->files) = (TreeFile){.path = walk.folder,
                                                   .relative = (u32)strlen(tree->root) + 1,
                                                   .name = walk.bytes,
                                                   .kind = FILE_FOLDER};
            continue;
        }
        *failed = walk.folder;
        status = folder_scan(walk.folder, stamps, walk_entry, &walk);
        if (status == ENT_NOT_FOUND && walk.folder != tree->root) status = ENT_OK; /* it went */
    }
    return status;
}

void tree_drop(Tree* tree) {
    array_drop(&tree->files);
    array_drop(&tree->folders);
    array_drop(&tree->dead);
    arena_drop(&tree->arena);
}

const char* path_below(Arena* arena, const char* folder_real, const char* path) {
    const size_t folder = strlen(folder_real);
    char         real[4096];
    u32          end = (u32)strlen(path); /* of what exists */
    while (end > 1 && path[end - 1] == '/') end--;
    const u32 whole = end;
    while (end > 0 && !path_resolve(arena_text(arena, (Text){path, end}), real, sizeof real)) {
        while (end > 0 && path[end - 1] != '/') end--;
        while (end > 1 && path[end - 1] == '/') end--;
    }
    if (end == 0 && !path_resolve(".", real, sizeof real)) return "";
    while (end < whole && path[end] == '/') end++;
    const char* all = arena_print(arena, "%s%s%.*s", real, end < whole ? "/" : "",
                                  (int)(whole - end), path + end);
    return strncmp(all, folder_real, folder) == 0 && all[folder] == '/' ? all + folder + 1 : "";
}

void tree_sweep(const Tree* tree) {
    for (u32 i = 0; i < tree->dead.count; i++) {
        const int kept = errno;
        if (file_remove(tree->dead.at[i]) == ENT_OK) /* else the next build tries again */
            folders_remove_empty(tree->dead.at[i], strlen(tree->root));
        errno = kept;
    }
}

typedef struct Sweep {
    const char* path;
    int         folder; /* bytes of it, with its slash */
} Sweep;

static void sweep_name(void* user, const char* name) {
    const Sweep* sweep = user;
    char         whole[4096];
    if (name[0] != '.' || !temporary_is_dead(name)) return;
    const int wrote = snprintf(whole, sizeof whole, "%.*s%s", sweep->folder, sweep->path, name);
    if (wrote < (int)sizeof whole && file_remove(whole) != ENT_OK) return; /* the next one tries */
}

void folder_sweep(const char* path) {
    char        folder[4096];
    const char* slash = strrchr(path, '/');
    const Sweep sweep = {path, slash ? (int)(slash + 1 - path) : 0};
    if (sweep.folder >= (int)sizeof folder) return;
    snprintf(folder, sizeof folder, "%.*s", sweep.folder ? sweep.folder : 1,
             sweep.folder ? path : ".");
    if (folder_list(folder, sweep_name, (void*)&sweep) != ENT_OK) return; /* writing will tell */
}
