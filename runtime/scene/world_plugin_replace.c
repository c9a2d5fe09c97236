/* world_plugin_replace.c - another library takes the place of a plugin, and the rows of its managers.
 *
 * The old managers leave the world with their rows, so that the new plugin can add its own under the same names.
 * The rows are converted into memory. Only then nothing can fail any more: the old managers return for the moment in
 * which their plugin is closed, and the rows are spawned. Until then, everything can be undone. */
#include "conversion.h"
#include "fields.h"
#include "spawn_convert_internal.h"
#include "world_plugin_internal.h"

/* A manager outside of the world, with its place in it. */
typedef struct Parked {
    Manager manager;
    u32     place;
} Parked;

typedef struct ParkedList {
    u32    count;
    Parked at[WORLD_MANAGERS_MAX]; /* [count] places rising */
} ParkedList;

/* The instances of a manager, on their way to another one. */
typedef struct Moving {
    const Manager* from; /* parked */
    u32            to;   /* id of the new type */
    void*          block;
    size_t         bytes;
    ConversionRows before, after; /* owners: slots of entities; references: slots, or NONE */
    ConversionRows state_before, state_after; /* references: as in the world */
    bool           has_state;
    u32            states; /* bits: columns of the new state that the old one has */
} Moving;

typedef struct Replacing {
    World*     world;
    ApiGet *   before, *get;
    u32        place; /* of the plugin */
    ParkedList old, fresh;
    u32        moving_count;
    Moving     moving[WORLD_MANAGERS_MAX]; /* [moving_count] */
    Entity*    entities;                   /* [slots] each one that is alive, or ENTITY_NULL */
    u32*       parents;                    /* [slots] NONE: spawners find no parents */
    u32*       scratch;                    /* [2 * slots] */
    u32        slots;
    size_t     entity_bytes; /* of these three, in one block */
} Replacing;

/* --- managers outside of the world --- */

static void managers_park(World* w, ApiGet* get, ParkedList* list) {
    list->count = 0;
    for (u32 i = w->manager_count; i-- > 0;) {
        if (w->manager[i].plugin != get) continue;
        assert(list->count < COUNT_OF(list->at));
        list->at[list->count++] = (Parked){w->manager[i], i};
        world_manager_take_out(w, i);
    }
}

/* The first place is the last of the list. */
static void managers_return(World* w, const ParkedList* list) {
    for (u32 i = list->count; i-- > 0;)
        world_manager_put_back(w, &list->at[i].manager, list->at[i].place);
}

/* --- instances in memory --- */

static void* carve(u8* block, size_t* used, size_t bytes) {
    void* at = block ? block + *used : NULL;
    *used += (size_t)align_up(bytes, 16);
    return at;
}

static void rows_carve(ConversionRows* rows, const ComponentType* type, size_t count, u8* block,
                       size_t* used) {
    rows->owner = carve(block, used, sizeof(u32) * count);
    for (u32 c = 0; c < ent_component_column_count(type); c++)
        rows->column[c] = carve(block, used, count * ent_component_column_bytes(type, c));
}

static size_t moving_carve(Moving* m, const Manager* to, u8* block) {
    const size_t count = m->from->count;
    size_t       used = 0;
    rows_carve(&m->before, &m->from->desc.type, count, block, &used);
    rows_carve(&m->after, &to->desc.type, count, block, &used);
    if (m->has_state) {
        const ComponentType from = manager_state_type(m->from), next = manager_state_type(to);
        rows_carve(&m->state_before, &from, count, block, &used);
        rows_carve(&m->state_after, &next, count, block, &used);
    }
    return MAX_OF(used, (size_t)16);
}

/* `first`: the column of the manager that is column 0 of the rows. */
static void row_gather(const Manager* m, u32 row, ConversionRows* rows, u32 columns, u32 first) {
    const u32 at = rows->count++;
    rows->owner[at] = ent_entity_index(m->entity[row]);
    for (u32 c = 0; c < columns; c++) {
        const size_t bytes = m->column_bytes[first + c];
        memcpy(rows->column[c] + at * bytes, (u8*)m->column[first + c] + row * bytes, bytes);
    }
}

/* In the order of the entities, those of each in their order. */
static void rows_gather(const Replacing* r, Moving* m) {
    const Manager* from = m->from;
    const u32      columns = ent_component_column_count(&from->desc.type);
    for (u32 slot = 1; slot < r->slots; slot++) {
        if (r->entities[slot] == ENTITY_NULL) continue;
        u32 row = ent_manager_row(from, r->world->entities, r->entities[slot]);
        for (; row != MANAGER_NO_ROW; row = ent_manager_next(from, row)) {
            row_gather(from, row, &m->before, columns, 0);
            if (m->has_state)
                row_gather(from, row, &m->state_before, from->desc.state->field_count, columns);
        }
    }
}

typedef u32 (*WordChange)(const Replacing* r, u32 word);

/* An entity of the world as its slot, which is its index for the spawner. */
static u32 word_of_blob(const Replacing* r, u32 word) {
    const u32 slot = ent_entity_index(word);
    return word != ENTITY_NULL && slot < r->slots && r->entities[slot] == word ? slot : NONE;
}

/* State is copied behind the spawner: only defaults are words of a blob. */
static u32 word_of_world(const Replacing* r, u32 word) {
    UNUSED(r);
    return word == NONE ? ENTITY_NULL : word;
}

static void entities_change(const Replacing* r, const ComponentType* type, ConversionRows* rows,
                            WordChange change) {
    for (u32 f = 0; f < type->record.field_count; f++) {
        const Field* field = &type->record.fields[f];
        const u32    column = type->columns == BY_FIELD ? f : 0;
        if (field_form(field) != FORM_ENTITY) continue;
        const u32 stride = ent_component_column_bytes(type, column);
        const u32 inside = field->offset - ent_component_column_offset(type, column);
        for (u32 i = 0; i < rows->count; i++) {
            for (u32 e = 0; e < field->bytes; e += 4) {
                u8* at = rows->column[column] + (size_t)i * stride + inside + e;
                u32 word;
                memcpy(&word, at, 4);
                word = change(r, word);
                memcpy(at, &word, 4);
            }
        }
    }
}

/* --- what can fail --- */

/* The new manager of the same name, or one that states it as an older name. */
static Manager* successor_find(const Replacing* r, const Manager* from) {
    Manager* m = ent_world_manager(r->world, from->desc.type.id);
    for (u32 i = 0; i < r->world->manager_count && !m; i++) {
        Manager* each = &r->world->manager[i];
        if (each->plugin == r->get && conversion_is_former(&each->desc.type, from->desc.type.id))
            m = each;
    }
    return m;
}

/* Has another manager of the old plugin that successor? The one with its name comes first. */
static bool is_taken(const Replacing* r, const Manager* from, const Manager* to) {
    bool taken = false;
    for (u32 i = 0; i < r->old.count; i++) {
        const Manager* other = &r->old.at[i].manager;
        taken |= other != from && other->desc.type.id == to->desc.type.id;
    }
    for (u32 i = 0; i < r->moving_count; i++) taken |= r->moving[i].to == to->desc.type.id;
    return taken;
}

static ent_status rows_convert(const World* w, const ComponentType* from, const ComponentType* to,
                               const ConversionRows* before, ConversionRows* after) {
    Conversion c;
    conversion_plan(&c, from, to);
    const Field* missing = before->count ? conversion_fault(&c) : NULL;
    if (!missing) missing = conversion_run(&c, before, after);
    if (missing) return convert_missing_report(w, to, missing);
    if (before->count) conversion_report(&c, convert_line_log, (World*)w);
    return ENT_OK;
}

static u32 states_common(const ComponentType* from, const ComponentType* to) {
    u32 common = 0;
    for (u32 f = 0; f < to->record.field_count; f++) {
        const u32 source = conversion_source(from, to, f);
        if (source != NONE &&
            conversion_is_possible(&from->record.fields[source], &to->record.fields[f]))
            common |= 1u << f;
    }
    return common;
}

static ent_status moving_fill(const Replacing* r, Moving* m, const Manager* to) {
    const ComponentType* type = &to->desc.type;
    rows_gather(r, m);
    entities_change(r, &m->from->desc.type, &m->before, word_of_blob);
    TRY(rows_convert(r->world, &m->from->desc.type, type, &m->before, &m->after));
    if (!m->has_state) return ENT_OK;
    const ComponentType state = manager_state_type(m->from), next = manager_state_type(to);
    m->states = states_common(&state, &next);
    TRY(rows_convert(r->world, &state, &next, &m->state_before, &m->state_after));
    entities_change(r, &next, &m->state_after, word_of_world);
    return ENT_OK;
}

static ent_status moving_open(Replacing* r, const Manager* from) {
    const HostAllocator* host = &r->world->allocator;
    const Manager*       to = successor_find(r, from);
    if (!to || is_taken(r, from, to)) {
        world_log(r->world, LOG_WARNING,
                  "the new plugin has no component %s: its %u instances are removed",
                  from->desc.type.record.name, from->count);
        return ENT_OK;
    }
    Moving* m = &r->moving[r->moving_count];
    *m = (Moving){.from = from, .to = to->desc.type.id};
    m->has_state = from->desc.state && to->desc.state;
    m->bytes = moving_carve(m, to, NULL);
    m->block = host->alloc(host->user, m->bytes);
    if (!m->block) return ENT_NO_MEMORY;
    r->moving_count++;
    moving_carve(m, to, m->block);
    return moving_fill(r, m, to);
}

static ent_status entities_list(Replacing* r) {
    const HostAllocator* host = &r->world->allocator;
    const EntityPool*    pool = r->world->entities;
    r->slots = MAX_OF(pool->slot_count, 1u);
    r->entity_bytes = 4 * sizeof(u32) * (size_t)r->slots;
    r->entities = host->alloc(host->user, r->entity_bytes);
    if (!r->entities) return ENT_NO_MEMORY;
    r->parents = r->entities + r->slots;
    r->scratch = r->parents + r->slots;
    for (u32 i = 0; i < r->slots; i++) {
        const bool alive = i > 0 && pool->generation[i] != ENTITY_WAITING;
        r->entities[i] = alive ? i | (u32)pool->generation[i] << ENTITY_INDEX_BITS : ENTITY_NULL;
        r->parents[i] = NONE;
    }
    return ENT_OK;
}

static ent_status replacing_prepare(Replacing* r) {
    Plan plan = {0};
    TRY(entities_list(r));
    for (u32 i = 0; i < r->old.count; i++) TRY(moving_open(r, &r->old.at[i].manager));
    for (u32 i = 0; i < r->moving_count; i++) {
        const Moving* m = &r->moving[i];
        TRY(plan_rows(&plan, r->world, ent_world_manager(r->world, m->to), m->after.count));
    }
    return plan_run(r->world, &plan);
}

/* --- what cannot fail --- */

static void moving_spawn(const Replacing* r, const Moving* m) {
    Manager*             to = ent_world_manager(r->world, m->to);
    const ComponentType* type = &to->desc.type;
    const void*          columns[COMPONENT_COLUMNS_MAX];
    const u32            count = ent_component_column_count(type), base = to->count;
    assert(count <= COUNT_OF(columns)); /* of a valid type */
    for (u32 c = 0; c < count; c++) columns[c] = m->after.column[c];
    const SpawnBatch batch = {.entities = r->entities,
                              .parent_index = r->parents,
                              .entity_count = r->slots,
                              .entity_end = r->slots,
                              .count = m->after.count,
                              .entity_index = m->after.owner,
                              .columns = columns,
                              .scratch = r->scratch};
    to->watch = m->from->watch;
    if (batch.count == 0) return;
    if (to->desc.spawn) {
        to->desc.spawn(r->world, to, &batch);
    } else {
        manager_append(to, &batch, r->world->jobs);
        manager_zero_extras(to, base, batch.count);
    }
    for (u32 c = 0; m->has_state && c < to->desc.state->field_count; c++) {
        const size_t bytes = to->column_bytes[count + c];
        if (!(m->states >> c & 1)) continue; /* the spawner has written it */
        memcpy((u8*)to->column[count + c] + base * bytes, m->state_after.column[c],
               m->state_after.count * bytes);
    }
}

/* --- entities that the functions of the plugins have destroyed meanwhile --- */

static void row_copy(ConversionRows* rows, const ComponentType* type, u32 from, u32 to) {
    rows->owner[to] = rows->owner[from];
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        const size_t bytes = ent_component_column_bytes(type, c);
        memmove(rows->column[c] + to * bytes, rows->column[c] + from * bytes, bytes);
    }
}

static void rows_sweep(const Replacing* r, const ComponentType* type, ConversionRows* rows) {
    u32 kept = 0;
    for (u32 i = 0; i < rows->count; i++) {
        if (r->entities[rows->owner[i]] != ENTITY_NULL) row_copy(rows, type, i, kept++);
    }
    rows->count = kept;
}

static void destroyed_sweep(Replacing* r) {
    u32 gone = 0;
    for (u32 i = 0; i < r->slots; i++) {
        if (r->entities[i] == ENTITY_NULL) continue;
        if (ent_entity_alive(r->world->entities, r->entities[i])) continue;
        r->entities[i] = ENTITY_NULL;
        gone++;
    }
    for (u32 i = 0; i < r->moving_count && gone; i++) {
        Moving*        m = &r->moving[i];
        const Manager* to = ent_world_manager(r->world, m->to);
        rows_sweep(r, &to->desc.type, &m->after);
        if (!m->has_state) continue;
        const ComponentType state = manager_state_type(to);
        rows_sweep(r, &state, &m->state_after);
    }
}

/* Managers that return after a failure have not been in the world meanwhile. */
static void returned_sweep(World* w, ApiGet* get) {
    for (u32 i = 0; i < w->manager_count; i++) {
        Manager* m = &w->manager[i];
        if (m->plugin != get || m->desc.lazy) continue;
        for (u32 row = m->count; row-- > 0;) {
            if (!ent_entity_alive(w->entities, m->entity[row])) manager_remove_row(m, row);
        }
    }
}

/* In spawn order. */
static void rows_spawn(const Replacing* r) {
    for (u32 i = 0; i < r->world->manager_count; i++) {
        for (u32 k = 0; k < r->moving_count; k++) {
            if (r->moving[k].to == r->world->manager[i].desc.type.id)
                moving_spawn(r, &r->moving[k]);
        }
    }
}

/* The old plugin ends as if there were no other one. */
static void old_close(Replacing* r) {
    World* w = r->world;
    managers_park(w, r->get, &r->fresh);
    managers_return(w, &r->old);
    w->plugin[r->place] = r->before;
    world_plugin_remove(w, r->before);
    w->plugin[r->place] = r->get;
    managers_return(w, &r->fresh);
}

/* --- replacing --- */

static void replacing_close(Replacing* r) {
    const HostAllocator host = r->world->allocator;
    for (u32 i = 0; i < r->moving_count; i++)
        host.free(host.user, r->moving[i].block, r->moving[i].bytes);
    if (r->entities) host.free(host.user, r->entities, r->entity_bytes);
    host.free(host.user, r, sizeof *r);
}

static ent_status replacing_run(Replacing* r) {
    World* w = r->world;
    managers_park(w, r->before, &r->old);
    w->plugin[r->place] = r->get;
    ent_status status = world_plugin_setup(w, r->get);
    if (status == ENT_OK) status = replacing_prepare(r);
    if (status == ENT_OK) {
        old_close(r);
        destroyed_sweep(r);
        rows_spawn(r);
        return ENT_OK;
    }
    world_plugin_remove(w, r->get);
    managers_return(w, &r->old);
    w->plugin[r->place] = r->before;
    returned_sweep(w, r->before);
    return status;
}

ent_status ent_world_plugin_replace(World* w, ApiGet* before, ApiGet* get) {
    const HostAllocator* host = &w->allocator;
    const u32            place = world_plugin_find(w, before);
    assert(w->spawn_jobs == 0 && "plugins cannot be replaced during a spawn over multiple frames");
    if (place == w->plugin_count) return ENT_NOT_FOUND;
    if (world_plugin_find(w, get) < w->plugin_count) return ENT_EXISTS;
    TRY(world_plugin_check(w, get));
    Replacing* r = host->alloc(host->user, sizeof *r);
    if (!r) return ENT_NO_MEMORY;
    r->world = w, r->before = before, r->get = get, r->place = place;
    r->moving_count = 0;
    r->entities = NULL;
    const ent_status status = replacing_run(r);
    replacing_close(r);
    return status;
}
