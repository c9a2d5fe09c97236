/* bundle_item.c - the file of a resource that is packed: its path, its errors, its bytes. */
#include <errno.h>
#include <stdio.h>

#include "bundle_pack_internal.h"
#include "exit_codes.h"
#include "hash.h"

#define PATH_BYTES_MAX 4096

const char* item_text(Pack* p, const PackItem* item) {
    return arena_print(&p->arena, "%s.%s", item->name, ent_resource_suffix(item->type));
}

const char* item_path(Pack* p, const PackItem* item) {
    return arena_print(&p->arena, "%s/%s", p->options->folder, item_text(p, item));
}

int item_refused(const PackItem* item, int code) {
    if (item->needed_by) fprintf(stderr, "entc: note: \"%s\" refers to it\n", item->needed_by);
    return code;
}

int item_error(Pack* p, const PackItem* item, int code, const char* reason) {
    fprintf(stderr, "%s: error: %s\n", item_path(p, item), reason);
    return item_refused(item, code);
}

ResourceRef blob_hash_read(const BlobFile* file) {
    ResourceRef hash;
    memcpy(&hash, file->bytes + offsetof(BlobHeader, hash), sizeof hash);
    return hash;
}

ent_status item_map(const Pack* p, const PackItem* item, BlobFile* file) {
    char      path[PATH_BYTES_MAX];
    const int bytes = snprintf(path, sizeof path, "%s/%s.%s", p->options->folder, item->name,
                               ent_resource_suffix(item->type));
    *file = (BlobFile){0};
    if (bytes < 0 || (size_t)bytes >= sizeof path)
        return ENT_NOT_FOUND; /* no file has a longer path */
    TRY(file_map(&file->view, path));
    file->bytes = file->view.bytes;
    file->size = file->view.size;
    return ENT_OK;
}

static bool is_validated(const PackItem* item, const BlobFile* file) {
    return file->size == item->size && resource_id(blob_hash_read(file)) == resource_id(item->hash);
}

bool item_read(const Pack* p, PackItem* item, BlobFile* file) {
    item->unread = item_map(p, item, file);
    item->unread_errno = errno;
    if (item->unread != ENT_OK) return false;
    if (is_validated(item, file)) return true;
    blob_file_close(file);
    item->unread = ENT_BAD_HASH;
    return false;
}

int item_unread_report(Pack* p, const PackItem* item) {
    if (item->unread == ENT_BAD_HASH)
        return item_error(p, item, EXIT_INVALID, "the file was modified while it was being packed");
    errno = item->unread_errno;
    return item_refused(item, unreadable_report(item_path(p, item), item->unread));
}
