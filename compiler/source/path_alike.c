/* path_alike.c - finds the file to which a model refers: by its path as it is spelled there, else by the canonical
 * spelling of it. Systems differ in whether upper and lower case are distinguished, programs that export models in how
 * they write spaces and accents, so that only the list of the folder decides. */
#include "path_alike.h"

#include "asset_name.h"
#include "hash.h"

static void paths_index(PathsAlike* alike, const Tree* tree) {
    char room[PATH_ALIKE_BYTES];
    slots_alloc(&alike->slots, slots_needed(tree->files.count, 64));
    for (u32 i = 0; i < tree->files.count; i++) {
        const Text path = path_canonical(text_of(tree_relative(&tree->files.at[i])), room);
        *slots_free(&alike->slots, hash_bytes(path.at, path.bytes, 0)) = i + 1;
    }
}

/* The files with a canonical path, one after the other. */
typedef struct Alikes {
    const Tree* tree;
    Text        wanted;
    const u32*  slot;
    char        room[PATH_ALIKE_BYTES];
} Alikes;

static void alikes_begin(Alikes* a, const Tree* tree, const char* path) {
    PathsAlike* alike = tree->alike;
    a->tree = tree;
    a->wanted = path_canonical(text_of(path), a->room);
    if (job_once_begin(&alike->once)) {
        paths_index(alike, tree);
        job_once_end(&alike->once);
    }
    a->slot = slots_first(&alike->slots, hash_bytes(a->wanted.at, a->wanted.bytes, 0));
}

/* NULL: there are no more. */
static const char* alikes_next(Alikes* a) {
    char other[PATH_ALIKE_BYTES];
    while (*a->slot) {
        const char* actual = tree_relative(&a->tree->files.at[*a->slot - 1]);
        a->slot = slots_next(&a->tree->alike->slots, a->slot);
        if (text_equal(path_canonical(text_of(actual), other), a->wanted)) return actual;
    }
    return NULL;
}

u32 path_alike_count(const Tree* tree, const char* path) {
    Alikes alikes;
    u32    count = 0;
    alikes_begin(&alikes, tree, path);
    while (alikes_next(&alikes)) count++;
    return count;
}

const char* path_alike(const Tree* tree, const char* path, const char** second) {
    Alikes      alikes;
    const char *found = NULL, *actual;
    *second = NULL;
    alikes_begin(&alikes, tree, path);
    while ((actual = alikes_next(&alikes))) {
        if (strcmp(actual, path) == 0) {
            *second = NULL;
            return actual;
        }
        const bool is_first = !found || strcmp(actual, found) < 0; /* the files are in no order */
        if (is_first || !*second || strcmp(actual, *second) < 0)
            *second = is_first ? found : actual;
        if (is_first) found = actual;
    }
    return found;
}

const char* path_of_uri(const Tree* tree, Arena* arena, const char* path, const char** reason) {
    const size_t root = strlen(tree->root);
    const char*  second;
    *reason = NULL;
    if (strncmp(path, tree->root, root) != 0 || path[root] != '/') return path;
    const char* found = path_alike(tree, path + root + 1, &second);
    if (!found || strcmp(found, path + root + 1) == 0) return path;
    if (second)
        *reason = arena_print(arena,
                              "the folder has no file with exactly this name, and two that are "
                              "alike, \"%.300s\" and \"%.300s\"; rename one of them",
                              found, second);
    return arena_print(arena, "%s/%s", tree->root, found);
}

void paths_alike_drop(Tree* tree) {
    if (!tree->alike) return;
    slots_drop(&tree->alike->slots);
    *tree->alike = (PathsAlike){0};
}
