/* id_table.c - finds the rows of an id, of which any number may be equal. */
#include "id_table_internal.h"

static u32* ids_of(const Manager* m) { return m->column[ID_COLUMN]; }
static u32* nexts_of(const Manager* m) { return m->column[ID_NEXT]; }
static u32* previous_of(const Manager* m) { return m->column[ID_PREVIOUS]; }
/* The id under which a row was entered, even when its id is overwritten later. 0: it is in no bucket. */
static u32* entered_of(const Manager* m) { return m->column[ID_ENTERED]; }

static u32* bucket_of(const Manager* m, u32 id) {
    const u32 hash = id * 0x9e3779b1u;
    return &m->list[(hash ^ hash >> 15) & (m->list_count - 1)];
}

/* What refers to a row: the row before it, or the bucket. */
static u32* link_to(const Manager* m, u32 row) {
    const u32 before = previous_of(m)[row];
    return before == MANAGER_NO_ROW ? bucket_of(m, entered_of(m)[row]) : &nexts_of(m)[before];
}

static void row_enter(Manager* m, u32 row) {
    const u32 id = ids_of(m)[row];
    entered_of(m)[row] = id;
    if (id == 0) return;
    u32*      bucket = bucket_of(m, id);
    const u32 next = *bucket;
    nexts_of(m)[row] = next;
    previous_of(m)[row] = MANAGER_NO_ROW;
    if (next != MANAGER_NO_ROW) previous_of(m)[next] = row;
    *bucket = row;
}

static void row_leave(Manager* m, u32 row) {
    if (entered_of(m)[row] == 0) return;
    const u32 next = nexts_of(m)[row];
    *link_to(m, row) = next;
    if (next != MANAGER_NO_ROW) previous_of(m)[next] = previous_of(m)[row];
}

static void row_moved(Manager* m, u32 from, u32 to) {
    if (entered_of(m)[from] == 0) return;
    const u32 next = nexts_of(m)[from];
    *link_to(m, from) = to;
    if (next != MANAGER_NO_ROW) previous_of(m)[next] = to;
}

/* From the capacity to twice as many: most chains have one row. */
static u32 buckets_for(u32 capacity) {
    u32 buckets = 1;
    while (buckets <= capacity) buckets *= 2;
    return buckets;
}

/* All rows are entered again when the capacity has grown, or the table is empty. */
void id_table_enter(Manager* m, u32 first) {
    const u32 buckets = buckets_for(m->capacity);
    if (m->list_count != buckets) {
        m->list_count = buckets;
        memset(m->list, 0xff, sizeof(u32) * buckets);
        first = 0;
    }
    for (u32 row = first; row < m->count; row++) row_enter(m, row);
}

void id_table_changed(Manager* m, u32 row) {
    row_leave(m, row);
    row_enter(m, row);
}

void id_table_describe(ManagerDesc* desc) {
    for (u32 i = 0; i < ID_MORE - 1; i++) desc->extra_bytes[i] = sizeof(u32);
    desc->removed = row_leave;
    desc->moved = row_moved;
    desc->changed = id_table_changed;
}

/* --- searching --- */

IdSearch id_search(const Manager* m, u32 id) {
    const u32 first = id && m->list_count ? *bucket_of(m, id) : MANAGER_NO_ROW;
    return (IdSearch){
        .manager = m, .id = id, .chained = first, .in_order = true, .found = MANAGER_NO_ROW};
}

/* In turn one row of the bucket and one of all rows; the end of the bucket ends the search. */
bool id_search_next(IdSearch* s) {
    const Manager* m = s->manager;
    while (s->chained != MANAGER_NO_ROW) {
        s->in_order = !s->in_order;
        s->at = s->in_order ? s->row++ : s->chained;
        if (!s->in_order) s->chained = nexts_of(m)[s->at];
        if (ids_of(m)[s->at] != s->id) continue;
        if (!s->in_order || entered_of(m)[s->at] == s->id) return true;
    }
    return false;
}

/* No earlier row is wanted when `at` is one of all rows. */
void id_search_found(IdSearch* s) {
    s->found = MIN_OF(s->found, s->at);
    if (s->in_order) s->chained = MANAGER_NO_ROW;
}

u32 id_table_find(const Manager* m, u32 id) {
    IdSearch search = id_search(m, id);
    while (id_search_next(&search)) id_search_found(&search);
    return search.found;
}
