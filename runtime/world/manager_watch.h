/* manager_watch.h - which rows of a manager changed: for copies of its columns, as on a GPU.
 *
 *     uint64_t        words[ENT_MANAGER_WATCH_WORDS(1000)] = {0};
 *     EntManagerWatch watch = {0};
 *     watch.changed = words;
 *     watch.capacity = 1000;
 *     ent_manager_watch(lights, &watch);
 *     while (running) {
 *         change_world();
 *         for (uint32_t i = 0; i < lights->count; i++) {
 *             if (watch.overflow || words[i / 64] >> i % 64 & 1) copy_row(i);
 *         }
 *         memset(words, 0, sizeof words);
 *         watch.overflow = 0;
 *     }
 *     ent_manager_unwatch(lights, &watch);
 *
 * A bit is set when its row is added, when another row moves to its place, and when a reload patches
 * it. A row of transforms also gets its bit when its world matrix is computed: a deferred change
 * counts from ent_transform_update on. A host that writes to columns itself reports the rows with
 * ent_manager_changed; of poses, ent_transform_touch is sufficient. Rows that were removed have no
 * bit: the manager's count is smaller then. */
#ifndef ENT_MANAGER_WATCH_H
#define ENT_MANAGER_WATCH_H

#include "manager.h"

#define ENT_MANAGER_WATCH_WORDS(rows) (((size_t)(rows) + 63) / 64)

typedef struct EntManagerWatch {
    uint64_t*
        changed; /* [ENT_MANAGER_WATCH_WORDS(capacity)] the host's: bit row % 64 of word row / 64 */
    uint32_t                capacity; /* rows */
    uint32_t                overflow; /* 1: a row behind the capacity changed */
    uint32_t                moves;    /* increases when entities got, lost or changed rows */
    struct EntManagerWatch* next;     /* the library's: another watch of the same manager */
} EntManagerWatch;

#ifdef __cplusplus
extern "C" {
#endif

/* Reports changes from now on. The bits and `overflow` are set here and cleared by the host.
 *
 * Needs    the watch exists until ent_manager_unwatch, or until the type is unregistered or the world
 *          destroyed. */
ENT_API void ent_manager_watch(EntManager* manager, EntManagerWatch* watch);
ENT_API void ent_manager_unwatch(EntManager* manager, EntManagerWatch* watch);

/* Reports rows whose columns the host has written.
 *
 *   rows  [count]
 *
 * Needs    rows < manager->count (asserted).
 * Cost     without a watch: nothing. */
ENT_API void ent_manager_changed(EntManager* manager, const uint32_t* rows, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
