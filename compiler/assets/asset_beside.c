/* asset_beside.c - reads a file to which a source refers. */
#include "assets.h"

#include <errno.h>
#include <string.h>

#include "diag.h"
#include "lfs_pointer.h"
#include "libc.h"
#include "path_alike.h"
#include "relative.h"

/* A missing file is an error of the project; a read error is one of the system. */
static DiagCode unread_code(int error) {
    const bool is_absent = error == errno_of(SYSTEM_ABSENT) || error == errno_of(SYSTEM_NOT_FOLDER);
    return is_absent ? E0405 : diag_unread_code(error);
}

static bool is_below(const char* path, const char* root) {
    const size_t bytes = strlen(root);
    return strncmp(path, root, bytes) == 0 && path[bytes] == '/';
}

/* A file of a list of inputs may be a link to any place, as those of the sandbox of a build system are. */
static bool may_be_read(const Assets* assets, const char* real) {
    return assets->inputs || is_below(real, assets->root_real);
}

/* Does a path that cannot be resolved lead through a symbolic link to a place outside the asset
 * folder, or to none? Nothing is reported about what is there, because the author of a source need
 * not be allowed to see it. */
static bool path_leaves(const Assets* assets, const char* path) {
    char        prefix[4096], real[4096];
    const char* end = path + strlen(assets->root);
    while (*end) {
        FileKind kind;
        end += 1 + strcspn(end + 1, "/");
        if ((size_t)(end - path) >= sizeof prefix) return false;
        snprintf(prefix, sizeof prefix, "%.*s", (int)(end - path), path);
        if (file_look(prefix, false, &kind) != ENT_OK || kind == FILE_NONE) return false;
        if (kind != FILE_OTHER) continue;
        if (path_resolve(prefix, real, sizeof real) != ENT_OK) return true;
        if (strcmp(real, assets->root_real) != 0 && !is_below(real, assets->root_real)) return true;
    }
    return false;
}

/* Some systems ignore upper and lower case in paths, so that a project can seem to be complete. */
static const char* absence_text(const Assets* assets, Arena* arena, const char* path) {
    const char* second;
    const char* actual = path_alike(assets->tree, path + strlen(assets->root) + 1, &second);
    if (!actual) return "the file does not exist";
    return arena_print(arena,
                       "the file does not exist; there is \"%.300s\", which is spelled in another "
                       "way",
                       actual);
}

/* The path without symbolic links; NULL when it cannot be resolved, or when it is outside of the
 * asset folder. Whether there is a file outside has no effect on what is reported. */
static const char* beside_resolve(const Assets* assets, Asset* asset, const char* path,
                                  char real[4096], const char** reason, DiagCode* code) {
    *reason = "it is outside the asset folder";
    if (!is_below(path, assets->root)) return NULL;
    if (assets->inputs && !input_list_file(assets->inputs, path + strlen(assets->root) + 1)) {
        *code = E0405;
        *reason = "the list of inputs does not contain it";
        return NULL;
    }
    if (path_resolve(path, real, 4096) == ENT_OK) return may_be_read(assets, real) ? real : NULL;
    const int unread = errno;
    if (!assets->inputs && path_leaves(assets, path)) return NULL;
    *code = unread_code(unread);
    *reason = *code == E0405 ? absence_text(assets, &asset->content->arena, path)
                             : arena_text(&asset->content->arena, text_of(strerror(unread)));
    return NULL;
}

static u32 bytes_limit(const Asset* asset) {
    return asset->type == RESOURCE_DATA ? DATA_BYTES_MAX : SOURCE_BYTES_MAX;
}

bool asset_beside_again(const Assets* assets, Asset* asset, Beside* beside) {
    char      real[4096];
    FileStamp stamp;
    const u32 max = bytes_limit(asset);
    if (beside->view.memory) return true;
    if (path_resolve(beside->path, real, sizeof real) != ENT_OK) {
        asset->content->hold.unread = errno;
        return false;
    }
    if (!may_be_read(assets, real)) return false; /* it was replaced by a link */
    if (file_copy_stamped(&beside->view, real, &stamp, max, assets->pool) != ENT_OK) {
        asset->content->hold.unread = errno;
        return false;
    }
    return beside->view.size <= max &&
           hash_equal(hash_content(beside->view.bytes, beside->view.size), beside->hash);
}

static bool is_asked(const Beside* beside, const char* path, const char* asked) {
    const char* before = beside->asked ? beside->asked : beside->path;
    return strcmp(beside->path, path) == 0 && strcmp(before, asked ? asked : path) == 0;
}

static const Beside* beside_open(const Assets* assets, Asset* asset, const char* path,
                                 const char* asked, const char** reason, DiagCode* code) {
    char   real[4096];
    Beside beside = {.path = path, .asked = asked};
    for (u32 i = 0; i < asset->content->besides.count; i++) {
        const Beside* known = &asset->content->besides.at[i];
        if (is_asked(known, path, asked)) return known; /* several buffers may use one file */
    }
    /* Both are checked: the path, which is recorded as a path below the folder, and its target. */
    if (!beside_resolve(assets, asset, path, real, reason, code)) return NULL;
    const u32 max = bytes_limit(asset);
    if (file_copy_stamped(&beside.view, real, &beside.stamp, max, assets->pool) != ENT_OK) {
        const int  unread = errno;
        FileKind   kind;
        const bool regular = file_look(real, true, &kind) != ENT_OK || kind == FILE_REGULAR;
        *code = regular ? unread_code(unread) : E0405;
        *reason = regular ? arena_text(&asset->content->arena, text_of(strerror(unread)))
                          : "it is not a regular file";
        return NULL;
    }
    if (lfs_is_pointer(beside.view.bytes, beside.view.size)) {
        file_unmap(&beside.view);
        *code = E0110;
        *reason = LFS_POINTER_TEXT;
        return NULL;
    }
    if (beside.view.size <= max) /* a larger one is refused */
        beside.hash = hash_content(beside.view.bytes, beside.view.size);
    Beside* kept = array_push(&asset->content->besides);
    *kept = beside;
    return kept;
}

const Beside* asset_beside(const Assets* assets, Asset* asset, const char* path,
                           const char** reason, DiagCode* code) {
    return beside_open(assets, asset, path, NULL, reason, code);
}

const Beside* asset_beside_uri(const Assets* assets, Asset* asset, Arena* arena, const char* path,
                               const char** reason, DiagCode* code) {
    const char* actual = path_of_uri(assets->tree, arena, path, reason);
    if (*reason) return NULL;
    return beside_open(assets, asset, actual, actual == path ? NULL : path, reason, code);
}
