/* manager_watch.c - bits of changed rows. */
#include "manager_watch.h"

#include "watch_internal.h"

void watch_row(ManagerWatch* w, u32 row) {
    for (; w; w = w->next) {
        if (row < w->capacity)
            w->changed[row / 64] |= (u64)1 << row % 64;
        else
            w->overflow = 1;
    }
}

/* Whole words, except the first and the last one. */
static void bits_set(u64* words, u32 first, u32 end) {
    const u32 low = first / 64, high = end / 64;
    const u64 from_first = ~(u64)0 << first % 64, before_end = ((u64)1 << end % 64) - 1;
    if (low == high) {
        if (before_end) words[low] |= from_first & before_end;
        return;
    }
    words[low] |= from_first;
    for (u32 i = low + 1; i < high; i++) words[i] = ~(u64)0;
    if (before_end) words[high] |= before_end;
}

void watch_rows(ManagerWatch* w, u32 first, u32 end) {
    for (; w; w = w->next) {
        if (end > w->capacity) w->overflow = 1;
        if (first < MIN_OF(end, w->capacity)) bits_set(w->changed, first, MIN_OF(end, w->capacity));
    }
}

void watch_moves(ManagerWatch* w) {
    for (; w; w = w->next) w->moves++;
}

void ent_manager_watch(Manager* m, ManagerWatch* watch) {
    watch->next = m->watch;
    m->watch = watch;
}

void ent_manager_unwatch(Manager* m, ManagerWatch* watch) {
    ManagerWatch** at = &m->watch;
    while (*at && *at != watch) at = &(*at)->next;
    assert(*at && "the watch belongs to another manager, or has ended");
    *at = watch->next;
    watch->next = NULL;
}

void ent_manager_changed(Manager* m, const u32* rows, u32 count) {
    for (u32 i = 0; i < count && m->watch; i++) {
        assert(rows[i] < m->count);
        watch_row(m->watch, rows[i]);
    }
}
