/* persistent_manager.c - a hash table over the rows of persistent ids, in their own memory: the
 * list beside the rows holds the first row of each bucket, an extra column the next one. There
 * are as many buckets as the capacity, so that the table grows with the rows and needs memory
 * only when they do. */
#include "persistent_manager.h"

#include "chains.h"
#include "persistent_internal.h"
#include "world_internal.h"

enum { COLUMN_ID, COLUMN_NEXT, COLUMN_ENTERED };

static Manager* persistent_ids(const World* w) {
    return (Manager*)&w->manager[w->built_in[COMPONENT_PERSISTENT_ID]];
}

static PersistentRef* ids_of(const Manager* m) { return m->column[COLUMN_ID]; }
static u32*           nexts_of(const Manager* m) { return m->column[COLUMN_NEXT]; }
/* The id under which a row was entered, even when its id is overwritten later. */
static PersistentRef* entered_of(const Manager* m) { return m->column[COLUMN_ENTERED]; }

/* --- the table --- */

static u32 id_hash(PersistentRef id) {
    const u32 h = id * 0x9e3779b1u;
    return h ^ h >> 15;
}

static Chains chains_of(const Manager* m) { return (Chains){m->list, nexts_of(m), m->list_count}; }

static void row_enter(Manager* m, u32 row) {
    const PersistentRef id = ids_of(m)[row];
    entered_of(m)[row] = id;
    if (id == 0) return;
    const Chains chains = chains_of(m);
    chains_enter(&chains, id_hash(id), row);
}

/* The place that holds the number of a row that was entered. */
static u32* place_of(const Manager* m, u32 row) {
    const Chains chains = chains_of(m);
    u32*         place = chains_first(&chains, id_hash(entered_of(m)[row]));
    while (*place != row) place = chains_next(&chains, place);
    return place;
}

static u32 buckets_for(u32 capacity) {
    u32 buckets = 1;
    while (buckets <= capacity / 2) buckets *= 2;
    return buckets;
}

/* Enters rows from `first` on; all of them when the capacity has grown, or the table is empty. */
static void rows_enter(Manager* m, u32 first) {
    const u32 buckets = buckets_for(m->capacity);
    if (m->list_count != buckets) {
        m->list_count = buckets;
        const Chains chains = chains_of(m);
        chains_clear(&chains);
        first = 0;
    }
    for (u32 row = first; row < m->count; row++) row_enter(m, row);
}

static void row_leave(Manager* m, u32 row) {
    if (entered_of(m)[row]) *place_of(m, row) = nexts_of(m)[row];
}

/* --- the manager --- */

static void persistent_spawn(World* w, Manager* m, const SpawnBatch* batch) {
    const u32      base = manager_append(m, batch, w->jobs);
    PersistentRef* id = ids_of(m);
    for (u32 row = base; row < m->count && batch->seed; row++) {
        id[row] = ent_persistent_seeded(id[row], batch->seed);
    }
    rows_enter(m, base);
}

static void persistent_moved(Manager* m, u32 from, u32 to) {
    if (entered_of(m)[from]) *place_of(m, from) = to;
}

static void persistent_changed(Manager* m, u32 row) {
    row_leave(m, row);
    row_enter(m, row);
}

static void persistent_describe(ManagerDesc* desc) {
    desc->extra_bytes[0] = desc->extra_bytes[1] = sizeof(u32);
    desc->spawn = persistent_spawn;
    desc->removed = row_leave;
    desc->moved = persistent_moved;
    desc->changed = persistent_changed;
}

const ComponentHooks persistent_id_hooks = {.describe = persistent_describe, .has_list = true};

/* --- public functions --- */

Entity ent_persistent_find(const World* w, PersistentRef id) {
    const Manager* m = persistent_ids(w);
    u32            found = MANAGER_NO_ROW;
    if (id == 0 || m->list_count == 0) return ENTITY_NULL;
    const Chains chains = chains_of(m);
    const u32*   link = chains_first(&chains, id_hash(id));
    for (; *link != MANAGER_NO_ROW; link = chains_next(&chains, link)) {
        if (ids_of(m)[*link] == id) found = MIN_OF(found, *link);
    }
    return found == MANAGER_NO_ROW ? ENTITY_NULL : m->entity[found];
}

PersistentRef ent_persistent_of(const World* w, Entity entity) {
    const Manager* m = persistent_ids(w);
    const u32      row = ent_manager_row(m, w->entities, entity);
    return row == MANAGER_NO_ROW ? 0 : ids_of(m)[row];
}

ent_status ent_persistent_set(World* w, Entity entity, PersistentRef id) {
    Manager* m = persistent_ids(w);
    u32      row = ent_manager_row(m, w->entities, entity);
    assert(id <= PERSISTENT_ID_MAX);
    if (id == 0 && row == MANAGER_NO_ROW) {
        return ent_entity_alive(w->entities, entity) ? ENT_OK : ENT_STALE;
    }
    if (row == MANAGER_NO_ROW) TRY(ent_manager_create(w, m, entity, &row));
    ids_of(m)[row] = id;
    persistent_changed(m, row);
    return ENT_OK;
}
