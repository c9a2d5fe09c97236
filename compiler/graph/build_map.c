/* build_map.c - source maps as outputs of a build: beside each blob, or beside none.
 *
 * They are not part of the environment of a build: whether they are requested does not affect
 * blobs, so cached blobs remain valid when maps are requested later. A map is found in the cache
 * with the hash of its blob and the paths of the sources, which are its content. */
#include <errno.h>

#include "build_internal.h"
#include "failure.h"
#include "libc.h"
#include "map_file.h"

bool map_path(const char* blob, char* path, size_t bytes) {
    const int wrote = snprintf(path, bytes, "%s" SOURCE_MAP_SUFFIX, blob);
    return wrote > 0 && (size_t)wrote < bytes;
}

static bool writes(const Build* b) { return build_writes(b->options); }

/* --- existing maps --- */

bool map_is_settled(const Build* b, u32 row) {
    const u32 map = b->database.products[row].map;
    return map != NONE && b->up_to_date.map[map].state == UP_TO_DATE_SAME;
}

bool maps_are_settled(const Build* b) {
    const u32 count = b->database.head ? b->database.head->product_count : 0;
    for (u32 i = 0; i < count; i++) {
        if (b->options->compile.source_map ? !map_is_settled(b, i)
                                           : b->database.products[i].map != NONE)
            return false;
    }
    return true;
}

/* --- writing --- */

/* The build database may show this. */
bool map_holds(const Build* b, Product* p, const char* path) {
    ProductMap* map = p->compiled->map;
    FileView    view;
    FileStamp   stamp;
    if (p->row != NONE && map_is_settled(b, p->row)) {
        const u32 row = b->database.products[p->row].map;
        map->stamp = b->up_to_date.map[row].stamp;
        return hash_equal(b->database.maps[row].hash, map->hash);
    }
    if (!b->options->resources.count && b->outputs.files.count == 0) return false;
    if (file_map_stamped(&view, path, &stamp) != ENT_OK) return false;
    const bool same = view.size == map->bytes && memcmp(view.bytes, map->text, map->bytes) == 0;
    file_unmap(&view);
    if (same) map->stamp = stamp;
    return same;
}

/* For `compile`, which has no build database. */
static void map_remove(Build* b, Product* p, const char* path) {
    ProductMap* map = p->compiled->map;
    bool        is_of_product;
    if (!b->options->resources.count) return;
    if (source_map_is_of(path, text_of(p->name), p->type, &is_of_product) != ENT_OK)
        map->failed = errno;
    if (map->failed || !is_of_product) return;
    map->change = FILE_CHANGED;
    if (writes(b) && file_remove(path) != ENT_OK) map->failed = errno;
}

void map_write(Build* b, Product* p, const char* blob) {
    ProductMap* map = p->compiled->map;
    char        path[4096];
    if (!map_path(blob, path, sizeof path)) {
        if (map->bytes) map->failed = errno_of(SYSTEM_LONG_NAME);
        return;
    }
    if (map->bytes == 0) {
        map_remove(b, p, path);
        return;
    }
    if (map->settled) {
        if (map->stage && file_stage_put(&map->stage, path, &map->stamp) != ENT_OK)
            map->failed = errno;
        return;
    }
    if (!b->options->resources.count) map->hash = hash_content(map->text, map->bytes);
    if (map_holds(b, p, path)) return;
    map->change = FILE_CHANGED;
    if (writes(b) && file_put(path, map->text, map->bytes, &map->stamp) != ENT_OK)
        map->failed = errno;
}

int map_print(Build* b, const Product* p, const char* blob) {
    const BuildOptions* o = b->options;
    const ProductMap*   map = p->compiled->map;
    const bool          removed = map->bytes == 0;
    char                path[4096];
    if (!map_path(blob, path, sizeof path)) path[sizeof path - 1] = 0; /* as much as fits */
    if (map->failed) {
        errno = map->failed;
        return io_failure(!removed                      ? "cannot write"
                          : map->change == FILE_CHANGED ? "cannot remove"
                                                        : "cannot read",
                          path);
    }
    if (map->change != FILE_CHANGED) return EXIT_OK;
    b->maps++;
    if (o->messages.quiet || (!o->messages.verbose && writes(b))) return EXIT_OK;
    if (removed)
        printf("%s %s\n", writes(b) ? "removed" : "would remove", path);
    else
        printf("%s %s (%zu bytes)\n", writes(b) ? "wrote" : "would write", path, map->bytes);
    return EXIT_OK;
}
