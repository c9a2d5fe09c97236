/* cache.c - the cache folder. */
#include "cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "exit_codes.h"
#include "failure.h"
#include "libc.h"
#include "tree.h"
#include "temporary.h"

#define CACHE_VERSION  1
#define TEXT_BYTES_MAX ((u64)1 << 30) /* of a manifest, and of notes */

typedef struct EntryHead {
    char    magic[8];
    u32     version, spare;
    u64     manifest_bytes, notes_bytes, size;
    Hash128 hash; /* of everything after the head */
} EntryHead;

static const char magic[8] = "entc.hit";

static void warn(const char* what, const char* path, const char* reason) {
    fprintf(stderr, "entc: warning: %s \"%s\"%s%s\n", what, path, reason ? ": " : "",
            reason ? reason : "");
}

static void sweep_one(void* user, const char* name) {
    const Cache* cache = user;
    char         path[4096];
    if (!temporary_is_abandoned(name)) return;
    if (snprintf(path, sizeof path, "%s/%s", cache->folder, name) >= (int)sizeof path) return;
    if (file_remove(path) != ENT_OK) warn("cannot remove", path, strerror(errno));
}

bool cache_open(Cache* cache, const char* folder) {
    char inside[4096];
    *cache = (Cache){0};
    if (!folder || !*folder) return false;
    if (snprintf(inside, sizeof inside, "%s/x", folder) >= (int)sizeof inside) {
        warn("cannot use the cache folder", folder, strerror(errno_of(SYSTEM_LONG_NAME)));
        return false;
    }
    if (!folders_make(inside)) {
        warn("cannot use the cache folder", folder, strerror(errno));
        return false;
    }
    bool trusted;
    if (folder_trust(folder, &trusted) != ENT_OK) {
        warn("cannot use the cache folder", folder, strerror(errno));
        return false;
    }
    if (!trusted) {
        warn("cannot use the cache folder", folder,
             "it belongs to another user, and all users may write to it");
        return false;
    }
    cache->folder = folder;
    if (folder_list(folder, sweep_one, cache) == ENT_OK) return true;
    warn("cannot use the cache folder", folder, strerror(errno));
    cache->folder = NULL;
    return false;
}

static bool entry_path(const Cache* cache, Text manifest, char* path, size_t bytes) {
    const Hash128 hash = hash_content(manifest.at, manifest.bytes);
    const int     wrote =
        snprintf(path, bytes, "%s/%02x/%014llx%016llx", cache->folder, (u32)(hash.high >> 56),
                 (unsigned long long)(hash.high & 0xffffffffffffffu), (unsigned long long)hash.low);
    return (size_t)wrote < bytes;
}

static bool entry_is_complete(const FileView* view, const EntryHead* head) {
    const u64 room = view->size - sizeof *head;
    return memcmp(head->magic, magic, sizeof magic) == 0 && head->version == CACHE_VERSION &&
           head->spare == 0 && head->manifest_bytes <= MIN_OF(room, TEXT_BYTES_MAX) &&
           head->notes_bytes <= MIN_OF(room, TEXT_BYTES_MAX) && head->size <= room &&
           head->manifest_bytes + head->notes_bytes + head->size == room &&
           hash_equal(hash_content(view->bytes + sizeof *head, room), head->hash);
}

bool cache_find(Cache* cache, Text manifest, CacheEntry* out) {
    char      path[4096];
    EntryHead head;
    FileStamp stamp;
    *out = (CacheEntry){0};
    if (!cache->folder || !entry_path(cache, manifest, path, sizeof path)) return false;
    if (file_map_stamped(&out->view, path, &stamp) != ENT_OK) return false;
    const char* text = (const char*)out->view.bytes + sizeof head;
    if (out->view.size >= sizeof head) memcpy(&head, out->view.bytes, sizeof head);
    if (out->view.size < sizeof head || !entry_is_complete(&out->view, &head)) {
        warn("rebuilding the damaged cache entry", path, NULL);
        if (file_remove(path) != ENT_OK) warn("cannot remove", path, strerror(errno));
        cache_release(out);
        return false;
    }
    if (!text_equal(manifest, (Text){text, (u32)head.manifest_bytes})) {
        cache_release(out);
        return false;
    }
    out->notes = (Text){text + head.manifest_bytes, (u32)head.notes_bytes};
    out->bytes = (const u8*)text + head.manifest_bytes + head.notes_bytes;
    out->size = head.size;
    file_used(path, &stamp);
    __atomic_fetch_add(&cache->hits, 1, __ATOMIC_RELAXED);
    return true;
}

void cache_release(CacheEntry* entry) {
    file_unmap(&entry->view);
    *entry = (CacheEntry){0};
}

void cache_store(Cache* cache, Text manifest, Text notes, const void* bytes, size_t size) {
    char path[4096], beside[4096];
    if (!cache->folder || !entry_path(cache, manifest, path, sizeof path)) return;
    snprintf(beside, sizeof beside, "%s/x", cache->folder); /* cache_open removes it */
    const u64 rest = (u64)manifest.bytes + notes.bytes + size;
    EntryHead head = {.version = CACHE_VERSION,
                      .manifest_bytes = manifest.bytes,
                      .notes_bytes = notes.bytes,
                      .size = size};
    u8*       content = memory_alloc(sizeof head + rest);
    u8*       at = content + sizeof head;
    memcpy(at, manifest.at, manifest.bytes);
    if (notes.bytes) memcpy(at + manifest.bytes, notes.at, notes.bytes);
    if (size) memcpy(at + manifest.bytes + notes.bytes, bytes, size);
    memcpy(head.magic, magic, sizeof magic);
    head.hash = hash_content(at, rest);
    memcpy(content, &head, sizeof head);
    const ent_status status = file_put_by(path, beside, content, sizeof head + rest, NULL);
    const int        reason = errno;
    memory_free(content);
    if (status == ENT_OK)
        __atomic_fetch_add(&cache->stores, 1, __ATOMIC_RELAXED);
    else if (!__atomic_exchange_n(&cache->refused, 1, __ATOMIC_RELAXED))
        warn("cannot store results in the cache folder", cache->folder, strerror(reason));
}

/* --- trimming --- */

/* Newest first. */
static int use_order(const void* a, const void* b) {
    const TreeFile *x = a, *y = b;
    if (x->stamp.modified_ns != y->stamp.modified_ns)
        return x->stamp.modified_ns > y->stamp.modified_ns ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Only files with names of entries: the folder may contain other files. */
static bool is_entry(const TreeFile* file) {
    const char* relative = tree_relative(file);
    return file->kind == FILE_REGULAR && strlen(relative) == 33 && relative[2] == '/' &&
           strspn(relative, "0123456789abcdef") == 2 &&
           strspn(relative + 3, "0123456789abcdef") == 30;
}

int cache_trim(const char* folder, u64 limit_bytes, bool quiet) {
    Tree             tree;
    const char*      failed;
    int              code = EXIT_OK;
    u64              kept = 0, bytes = 0;
    u32              removed = 0;
    const ent_status status = tree_read(&tree, folder, true, NULL, &failed);
    if (status == ENT_NOT_FOUND &&
        errno == errno_of(SYSTEM_ABSENT)) { /* no build has used it yet */
        if (!quiet) printf("there is no cache folder \"%s\": nothing was removed\n", folder);
        tree_drop(&tree);
        return EXIT_OK;
    }
    if (status != ENT_OK) {
        code = io_failure("cannot read the cache folder", failed);
        tree_drop(&tree);
        return code;
    }
    tree_sweep(&tree);
    if (tree.files.count) qsort(tree.files.at, tree.files.count, sizeof(TreeFile), use_order);
    u32 stay = 0; /* the first of them */
    for (; stay < tree.files.count; stay++) {
        const TreeFile* file = &tree.files.at[stay];
        if (!is_entry(file)) continue;
        if (file->stamp.size > limit_bytes - kept) break;
        kept += file->stamp.size;
    }
    /* The oldest is removed first, so that the next trim continues an interrupted one. */
    for (u32 i = tree.files.count; i-- > stay && code == EXIT_OK;) {
        const TreeFile* file = &tree.files.at[i];
        if (!is_entry(file)) continue;
        if (file_remove(file->path) != ENT_OK) code = io_failure("cannot remove", file->path);
        removed += code == EXIT_OK;
        bytes += file->stamp.size;
    }
    if (!quiet && code == EXIT_OK) {
        printf("removed %u entries of %llu bytes; %llu bytes remain\n", removed,
               (unsigned long long)bytes, (unsigned long long)kept);
    }
    tree_drop(&tree);
    return code;
}
