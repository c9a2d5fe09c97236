/* path_case.c - finds the path of a file whose letters differ in upper and lower case. */
#include "assets.h"

#include "hash.h"

#define CASE_PATH_BYTES 4096

/* ASCII only, as in names of resources. */
static u32 path_lower(const char* path, char lower[CASE_PATH_BYTES]) {
    u32 bytes = 0;
    for (; path[bytes] && bytes < CASE_PATH_BYTES - 1; bytes++) {
        const char c = path[bytes];
        lower[bytes] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    lower[bytes] = 0;
    return bytes;
}

static void paths_index(PathCases* cases, const Tree* tree) {
    char lower[CASE_PATH_BYTES];
    slots_alloc(&cases->slots, slots_needed(tree->files.count, 64));
    for (u32 i = 0; i < tree->files.count; i++) {
        const u32 bytes = path_lower(tree_relative(&tree->files.at[i]), lower);
        *slots_free(&cases->slots, hash_bytes(lower, bytes, 0)) = i + 1;
    }
}

const char* assets_path_of_case(const Assets* assets, const char* path) {
    char        lower[CASE_PATH_BYTES], other[CASE_PATH_BYTES];
    PathCases*  cases = assets->cases;
    const char* found = NULL;
    const u32   bytes = path_lower(path, lower);
    if (job_once_begin(&cases->once)) {
        paths_index(cases, assets->tree);
        job_once_end(&cases->once);
    }
    const u32* slot = slots_first(&cases->slots, hash_bytes(lower, bytes, 0));
    for (; *slot; slot = slots_next(&cases->slots, slot)) {
        const char* actual = tree_relative(&assets->tree->files.at[*slot - 1]);
        if (path_lower(actual, other) != bytes || strcmp(lower, other) != 0) continue;
        if (strcmp(actual, path) == 0) return NULL;
        if (!found || strcmp(actual, found) < 0) found = actual; /* the files are in no order */
    }
    return found;
}
