/* name_manager.c - entities by the id of their name component: a table of ids over the rows. */
#include "name_internal.h"

#include "hash.h"
#include "id_table_internal.h"
#include "name.h"
#include "world_internal.h"

static void name_spawn(World* w, Manager* m, const SpawnBatch* batch) {
    id_table_enter(m, manager_append(m, batch, w->jobs));
}

static void name_describe(ManagerDesc* desc) {
    id_table_describe(desc);
    desc->spawn = name_spawn;
}

const ComponentHooks name_hooks = {.describe = name_describe, .list_each = 2};

Entity ent_name_find(World* w, const char* name) {
    const Manager* m = ent_world_built_in(w, COMPONENT_NAME);
    const u32      row = id_table_find(m, hash_name(text_of(name)));
    return row == MANAGER_NO_ROW ? ENTITY_NULL : m->entity[row];
}

ent_status ent_name_set(World* w, Entity entity, const char* name) {
    Manager* m = ent_world_built_in(w, COMPONENT_NAME);
    u32      row = ent_manager_row(m, w->entities, entity);
    if (row == MANAGER_NO_ROW) TRY(ent_manager_create(w, m, entity, &row));
    NameRecord* record = m->column[ID_COLUMN];
    record[row].id = hash_name(text_of(name));
    id_table_changed(m, row);
    return ENT_OK;
}
