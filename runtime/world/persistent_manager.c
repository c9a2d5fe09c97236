/* persistent_manager.c - entities by persistent id: a table of ids over the rows. */
#include "persistent_manager.h"

#include "id_table_internal.h"
#include "persistent_internal.h"
#include "world_internal.h"

static Manager* persistent_ids(const World* w) {
    return (Manager*)&w->manager[w->built_in[COMPONENT_PERSISTENT_ID]];
}

static PersistentRef* ids_of(const Manager* m) { return m->column[ID_COLUMN]; }

static void persistent_spawn(World* w, Manager* m, const SpawnBatch* batch) {
    const u32      base = manager_append(m, batch, w->jobs);
    PersistentRef* id = ids_of(m);
    for (u32 row = base; row < m->count && batch->seed; row++) {
        id[row] = ent_persistent_seeded(id[row], batch->seed);
    }
    id_table_enter(m, base);
}

static void persistent_describe(ManagerDesc* desc) {
    id_table_describe(desc);
    desc->spawn = persistent_spawn;
}

const ComponentHooks persistent_id_hooks = {.describe = persistent_describe, .list_each = 2};

/* --- public functions --- */

Entity ent_persistent_find(const World* w, PersistentRef id) {
    const Manager* m = persistent_ids(w);
    const u32      found = id_table_find(m, id);
    return found == MANAGER_NO_ROW ? ENTITY_NULL : m->entity[found];
}

PersistentRef ent_persistent_of(const World* w, Entity entity) {
    const Manager* m = persistent_ids(w);
    const u32      row = ent_manager_row(m, w->entities, entity);
    return row == MANAGER_NO_ROW ? 0 : ids_of(m)[row];
}

/* Another number of 31 bits for each number: each step can be reversed. */
static PersistentRef id_scatter(u32 number) {
    number = (number ^ number >> 15) * 0x2c1b3c6du & PERSISTENT_ID_MAX;
    number = (number ^ number >> 12) * 0x297a2d39u & PERSISTENT_ID_MAX;
    return number ^ number >> 15;
}

ent_status ent_persistent_add(World* w, Entity entity, PersistentRef* out) {
    PersistentRef id = ent_persistent_of(w, entity);
    if (id == 0) {
        const u32 before = w->id_next;
        do id = id_scatter(w->id_next++ & PERSISTENT_ID_MAX);
        while (id == 0 || ent_persistent_find(w, id));
        const ent_status status = ent_persistent_set(w, entity, id);
        if (status != ENT_OK) {
            w->id_next = before;
            return status;
        }
    }
    if (out) *out = id;
    return ENT_OK;
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
    id_table_changed(m, row);
    return ENT_OK;
}
