/* tree.c - reads a folder recursively. */
#include "tree.h"
#include "path_alike.h"
#include "temporary.h"
#include "threads.h"

#include <errno.h>
#include <stdio.h>

/* The number of folders in one unit of work of a thread: small, as one may contain more than all
 * others. */
#define RUN_FOLDERS 4

/* Reads some folders of the same depth into a tree that may be a part of the complete one. */
typedef struct Walk {
    Tree*       tree;
    u32         relative; /* the beginning of paths below the root */
    u32         stamps;   /* of the first files of each folder */
    const char* folder;   /* that is being read, or could not be */
    u32         bytes;    /* of its path */
    ent_status  status;
    int         reason; /* errno */
} Walk;

/* All folders of a depth. */
typedef struct Wave {
    const char* const* folder; /* [count] */
    u32                count;
    Walk*              walk; /* [runs of them] */
} Wave;

static const char* path_join(Arena* arena, const char* folder, u32 bytes, Text name) {
    char* path = arena_alloc(arena, (size_t)bytes + name.bytes + 2);
    memcpy(path, folder, bytes);
    path[bytes] = '/';
    memcpy(path + bytes + 1, name.at, name.bytes);
    return path;
}

static void walk_entry(void* user, const FolderEntry* entry) {
    Walk* walk = user;
    Tree* tree = walk->tree;
    if (entry->name[0] == '.') { /* .git, .vscode, temporary files of entc */
        if (temporary_is_abandoned(entry->name)) {
            *array_push(&tree->dead) =
                path_join(&tree->arena, walk->folder, walk->bytes, text_of(entry->name));
        }
        return;
    }
    const char* path = path_join(&tree->arena, walk->folder, walk->bytes, text_of(entry->name));
    if (entry->kind == FILE_FOLDER && !entry->link) {
        *array_push(&tree->folders) = path;
        return;
    }
    *array_push(&tree->files) = (TreeFile){.path = path,
                                           .relative = walk->relative,
                                           .name = walk->bytes + 1,
                                           .kind = entry->kind,
                                           .link = entry->link,
                                           .is_stamped = entry->is_stamped,
                                           .stamp = entry->stamp};
}

static void walk_folders(Walk* walk, const char* const* folder, u32 count) {
    for (u32 i = 0; i < count && walk->status == ENT_OK; i++) {
        walk->folder = folder[i];
        walk->bytes = (u32)strlen(folder[i]);
        const bool root = walk->bytes < walk->relative;
        walk->status = folder_scan(folder[i], walk->stamps, walk_entry, walk);
        walk->reason = errno;
        if (walk->status == ENT_NOT_FOUND && !root) walk->status = ENT_OK; /* it was removed */
    }
}

static void wave_run(void* user, u32 first, u32 end, u32 worker) {
    const Wave* wave = user;
    UNUSED(worker);
    walk_folders(&wave->walk[first / RUN_FOLDERS], wave->folder + first, end - first);
}

/* Appends the result of one thread. */
static void tree_join(Tree* tree, Tree* part) {
    array_append(&tree->files, part->files.at, part->files.count);
    array_append(&tree->folders, part->folders.at, part->folders.count);
    array_append(&tree->dead, part->dead.at, part->dead.count);
    arena_absorb(&tree->arena, &part->arena);
    tree_drop(part);
}

/* Reads the folders from `first` on all threads, in runs of a few; the result is in order
 * nevertheless. Of the folders that cannot be read the first one is reported. */
static Walk wave_read(Tree* tree, u32 first, const Walk* how, JobPool* pool) {
    const u32    count = tree->folders.count - first, runs = (count - 1) / RUN_FOLDERS + 1;
    Arena        scratch = {0};
    Wave         wave = {.count = count, .walk = ARENA_NEW(&scratch, Walk, runs)};
    Tree*        part = ARENA_NEW(&scratch, Tree, runs);
    Walk         failed = *how;
    const char** folder = ARENA_NEW(&scratch, const char*, count); /* as the tree's list grows */
    memcpy(folder, tree->folders.at + first, sizeof *folder * count);
    wave.folder = folder;
    for (u32 i = 0; i < runs; i++) wave.walk[i] = *how, wave.walk[i].tree = &part[i];
    threads_run(pool, count, RUN_FOLDERS, wave_run, &wave);
    for (u32 i = 0; i < runs; i++) {
        tree_join(tree, &part[i]);
        if (failed.status == ENT_OK) failed = wave.walk[i];
    }
    arena_drop(&scratch);
    return failed;
}

/* --- stamps --- */

#define STAMPS_FIRST 256 /* of a folder, which are read with their names */
#define RUN_STAMPS   64  /* files in one unit of work of a thread */

typedef struct Stamping {
    TreeFile* file;
    int*      reason; /* [files] errno; GONE: the file does not exist any more */
} Stamping;

#define GONE (-1)

static void stamps_run(void* user, u32 first, u32 end, u32 worker) {
    const Stamping* s = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        TreeFile*   file = &s->file[i];
        FolderEntry entry;
        bool        exists = true;
        if (file->is_stamped) continue;
        if (folder_entry(file->path, &entry, &exists) != ENT_OK) {
            s->reason[i] = errno;
            continue;
        }
        /* A folder that has replaced the file is found by the next build. */
        s->reason[i] = exists && (entry.link || entry.kind != FILE_FOLDER) ? 0 : GONE;
        file->kind = entry.kind, file->link = entry.link, file->stamp = entry.stamp;
    }
}

/* One folder may contain very many files, so the stamps of all but its first files are read by all threads, after their
 * names. Of the files that cannot be read the first one is reported, with its folder. */
static void stamps_read(Tree* tree, JobPool* pool, Walk* walk) {
    const u32 count = tree->files.count;
    bool      complete = true;
    for (u32 i = 0; i < count && complete; i++) complete = tree->files.at[i].is_stamped;
    if (complete) return;
    Stamping stamping = {tree->files.at, memory_alloc(sizeof(int) * ((size_t)count + 1))};
    u32      kept = 0;
    threads_run(pool, count, RUN_STAMPS, stamps_run, &stamping);
    for (u32 i = 0; i < count; i++) {
        const TreeFile* file = &tree->files.at[i];
        const int       reason = stamping.reason[i];
        if (reason == GONE) continue;
        if (reason && walk->status == ENT_OK) {
            walk->folder = arena_text(&tree->arena, (Text){file->path, file->name - 1});
            walk->status = ENT_IO;
            walk->reason = reason;
        }
        tree->files.at[kept++] = *file;
    }
    tree->files.count = kept;
    memory_free(stamping.reason);
}

/* A folder that exceeds the depth limit is listed as a file, so that it is reported. */
static void folders_refuse(Tree* tree, u32 first, u32 relative) {
    for (u32 i = first; i < tree->folders.count; i++) {
        const char* path = tree->folders.at[i];
        *array_push(&tree->files) = (TreeFile){.path = path,
                                               .relative = relative,
                                               .name = (u32)strlen(path),
                                               .kind = FILE_FOLDER,
                                               .is_stamped = true};
    }
}

void tree_begin(Tree* tree, const char* root) {
    u32 bytes = (u32)strlen(root);
    *tree = (Tree){0};
    while (bytes > 1 && root[bytes - 1] == '/') bytes--;
    tree->root = arena_text(&tree->arena, (Text){root, bytes});
    tree->alike = ARENA_NEW(&tree->arena, PathsAlike, 1);
}

void tree_add(Tree* tree, Text path) {
    const u32 root = (u32)strlen(tree->root) + 1;
    u32       name = path.bytes;
    while (name > 0 && path.at[name - 1] != '/') name--;
    *array_push(&tree->files) =
        (TreeFile){.path = path_join(&tree->arena, tree->root, root - 1, path),
                   .relative = root,
                   .name = root + name,
                   .kind = FILE_REGULAR};
}

ent_status tree_read(Tree* tree, const char* root, bool stamps, JobPool* pool,
                     const char** failed) {
    tree_begin(tree, root);
    *array_push(&tree->folders) = tree->root;
    const bool later = stamps && threads_count(pool) > 1;
    Walk       walk = {.folder = tree->root,
                       .relative = (u32)strlen(tree->root) + 1,
                       .stamps = later    ? STAMPS_FIRST
                                 : stamps ? UINT32_MAX
                                          : 0};
    u32        first = 0;
    for (u32 depth = 0; first < tree->folders.count && walk.status == ENT_OK; depth++) {
        if (depth > TREE_DEPTH_MAX) {
            folders_refuse(tree, first, walk.relative);
            break;
        }
        const u32 end = tree->folders.count;
        walk = wave_read(tree, first, &walk, pool);
        first = end;
    }
    if (later && walk.status == ENT_OK) stamps_read(tree, pool, &walk);
    *failed = walk.folder;
    errno = walk.reason;
    return walk.status;
}

void tree_drop(Tree* tree) {
    paths_alike_drop(tree);
    array_drop(&tree->files);
    array_drop(&tree->folders);
    array_drop(&tree->dead);
    arena_drop(&tree->arena);
}

void tree_reverse(Tree* tree) {
    for (u32 i = 0; i < tree->files.count / 2; i++) {
        TreeFile *     a = &tree->files.at[i], *b = &tree->files.at[tree->files.count - 1 - i];
        const TreeFile kept = *a;
        *a = *b, *b = kept;
    }
}

void tree_sweep(const Tree* tree) {
    for (u32 i = 0; i < tree->dead.count; i++) {
        const int kept = errno;
        if (file_remove(tree->dead.at[i]) == ENT_OK) /* otherwise the next build tries again */
            folders_remove_empty(tree->dead.at[i], strlen(tree->root));
        errno = kept;
    }
}

void folders_sweep(const char* root) {
    Tree        tree;
    const char* failed;
    if (tree_read(&tree, root, false, NULL, &failed) == ENT_OK) tree_sweep(&tree);
    tree_drop(&tree);
}
