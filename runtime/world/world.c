/* world.c - managers in spawn order, and the host's interfaces. */
#include "world.h"

#include <stdarg.h>
#include <stdio.h>

#include "hash.h"
#include "hooks_internal.h"
#include "host_internal.h"
#include "sections.h"
#include "world_internal.h"

/* --- the host's interfaces --- */

void world_log(const World* world, LogLevel level, const char* format, ...) {
    char    text[256];
    va_list arguments;
    if (!world->log.write) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    world->log.write(world->log.user, level, text);
}

void world_unknown_log(World* w, const Blob* blob, const BlobSection* section) {
    WorldUnknown*    unknown = &w->unknown;
    DeclarationParts part;
    char             id[16];
    for (u32 i = 0; i < unknown->count; i++) {
        if (unknown->id[i] == section->identifier) return;
    }
    if (unknown->count < WORLD_UNKNOWN_MAX) unknown->id[unknown->count++] = section->identifier;
    snprintf(id, sizeof id, "0x%08x", section->identifier);
    const bool declared = declaration_of_section(blob, section, &part);
    world_log(
        w, LOG_WARNING,
        "the component type %s of the blob is not registered in this world: its instances are "
        "left out",
        declared ? part.text + part.declaration->name : id);
}

/* --- worlds --- */

/* Managers from index `from` on have moved. */
static void managers_index(World* w, u32 from) {
    const ComponentType* types = ent_component_types();
    for (u32 i = from; i < w->manager_count; i++) {
        for (u32 k = 0; k < COMPONENT_COUNT; k++) {
            if (w->manager[i].desc.type.id == types[k].id) w->built_in[k] = (u8)i;
        }
    }
}

/* Updates `used` after managers from index `at` on have moved by one. */
static void used_shift(World* w, u32 at, int by) {
    for (u32 k = 0; k < w->used_count; k++) {
        if (w->used[k] >= &w->manager[at]) w->used[k] += by;
    }
}

/* At the wanted place if that is among those of its order, or else behind them. */
static u32 manager_place(const World* w, u32 order, u32 wanted) {
    const Manager* m = w->manager;
    u32            at = w->manager_count;
    if ((wanted == 0 || m[wanted - 1].desc.type.order <= order) &&
        (wanted == at || order <= m[wanted].desc.type.order))
        return wanted;
    while (at > 0 && m[at - 1].desc.type.order > order) at--;
    return at;
}

static void manager_insert(World* w, const Manager* add, u32 wanted) {
    const u32 at = manager_place(w, add->desc.type.order, wanted);
    for (u32 i = w->manager_count++; i > at; i--) w->manager[i] = w->manager[i - 1];
    w->manager[at] = *add;
    used_shift(w, at, 1);
    managers_index(w, at);
}

/* Each section of a blob belongs to one type, including those of states. */
static bool id_is_taken(const World* w, u32 id) {
    bool taken = false;
    for (u32 i = 0; i < w->manager_count; i++) {
        const Manager* m = &w->manager[i];
        taken |= m->desc.type.id == id;
        taken |= m->desc.state && manager_state_type(m).id == id;
    }
    return taken;
}

static const ComponentHooks no_hooks;

static void (*entity_remover(const Manager* m))(Manager*, Entity) {
    if (m->hooks->remove_direct) return m->hooks->remove_direct;
    if (m->desc.type.lookup == HASHED) return manager_remove_hashed;
    return m->plain ? manager_remove_plain : manager_remove_direct;
}

/* A save contains the declaration of each type: a type that cannot be declared could not be saved. */
static ent_status declarable_check(const World* w, const ComponentType* type) {
    RowFault fault;
    if (type_is_declarable(type, &fault)) return ENT_OK;
    world_log(w, LOG_ERROR, "the field table of %s is invalid: %s[%u]%s%s %s", type->record.name,
              fault.table, fault.row, *fault.field ? "." : "", fault.field, fault.reason);
    return ENT_BAD_FIELD;
}

static ent_status room_check(World* w, const ManagerDesc* desc) {
    const u32 fields = desc->type.record.field_count;
    if (id_is_taken(w, hash_name(text_of(desc->type.record.name)))) return ENT_EXISTS;
    if (desc->state && id_is_taken(w, hash_name(text_of(desc->state->name)))) return ENT_EXISTS;
    if (w->manager_count == WORLD_MANAGERS_MAX) {
        world_log(w, LOG_ERROR, "%s would be component type %u of the world; the limit is %u",
                  desc->type.record.name, w->manager_count + 1, WORLD_MANAGERS_MAX);
        return ENT_LIMIT;
    }
    if (desc->type.record.bytes > MANAGER_RECORD_BYTES_MAX) {
        world_log(w, LOG_ERROR, "a record of %s has %u bytes; the limit is %u",
                  desc->type.record.name, desc->type.record.bytes, MANAGER_RECORD_BYTES_MAX);
        return ENT_LIMIT;
    }
    if (fields <= COMPONENT_FIELDS_MAX) return ENT_OK;
    world_log(w, LOG_ERROR, "%s has %u fields: a component type can have at most %u",
              desc->type.record.name, fields, COMPONENT_FIELDS_MAX);
    return ENT_LIMIT;
}

static void manager_add(World* w, const ManagerDesc* desc, const ComponentHooks* hooks,
                        u32 wanted) {
    Manager add = {.desc = *desc, .hooks = hooks};
    assert(w->spawn_jobs == 0 &&
           "managers cannot be added or removed during a spawn over multiple frames");
    ent_component_type_finish(&add.desc.type);
    if (desc->lazy) add.desc.type.lookup = HASHED; /* else the slot's next entity finds old rows */
    add.column_count = ent_component_column_count(&add.desc.type);
    for (u32 i = 0; i < MANAGER_EXTRAS_MAX && desc->extra_bytes[i]; i++) add.column_count++;
    for (u32 c = 0; c < add.column_count; c++) {
        const u32 record_columns = ent_component_column_count(&add.desc.type);
        add.column_bytes[c] = c < record_columns ? ent_component_column_bytes(&add.desc.type, c)
                                                 : desc->extra_bytes[c - record_columns];
    }
    add.plain = add.desc.type.lookup == DIRECT && !desc->removed && !desc->moved;
    add.remove_entity = entity_remover(&add);
    assert(manager_state_fits(&add) && "field i of the state is extra column i");
    manager_insert(w, &add, wanted);
}

static ent_status desc_check(const World* w, const ManagerDesc* desc) {
    const Manager manager = {.desc = *desc};
    TRY(declarable_check(w, &desc->type));
    if (!desc->state) return ENT_OK;
    const ComponentType state = manager_state_type(&manager);
    return declarable_check(w, &state);
}

ent_status ent_world_register(World* w, const ManagerDesc* desc) {
    TRY(room_check(w, desc));
    TRY(desc_check(w, desc));
    manager_add(w, desc, &no_hooks, w->manager_count);
    return ENT_OK;
}

ent_status world_register_hooks(World* w, const ManagerDesc* desc, const ComponentHooks* hooks) {
    TRY(room_check(w, desc));
    manager_add(w, desc, hooks, w->manager_count);
    for (u32 i = 0; i < w->manager_count; i++) {
        if (w->manager[i].hooks == hooks) w->manager[i].is_private = 1;
    }
    return ENT_OK;
}

ent_status world_register_kept(World* w, const ManagerDesc* desc, void* kept) {
    const ent_status status = ent_world_register(w, desc);
    if (status == ENT_OK)
        ent_world_manager(w, hash_name(text_of(desc->type.record.name)))->type_block = kept;
    else
        world_drop(w, kept);
    return status;
}

static void manager_drop(World* w, const Manager* m) {
    world_drop(w, m->rows_block);
    world_drop(w, m->lookup_block);
    world_drop(w, m->type_block);
}

void world_manager_take_out(World* w, u32 at) {
    const Manager* m = &w->manager[at];
    u32            kept = 0;
    for (u32 k = 0; k < w->used_count; k++) {
        if (w->used[k] != m) w->used[kept++] = w->used[k];
    }
    w->used_count = kept;
    used_shift(w, at + 1, -1);
    w->manager_count--;
    for (u32 i = at; i < w->manager_count; i++) w->manager[i] = w->manager[i + 1];
    managers_index(w, at);
}

void world_unregister_at(World* w, u32 at) {
    Manager* m = &w->manager[at];
    if (m->count && m->desc.cleared) m->desc.cleared(m);
    manager_drop(w, m);
    world_manager_take_out(w, at);
}

void world_manager_put_back(World* w, const Manager* old, u32 at) {
    manager_insert(w, old, at);
    if (old->rows_block) w->used[w->used_count++] = ent_world_manager(w, old->desc.type.id);
}

static ent_status manager_renew(World* w, const ComponentType* type, u32 count, u32 at) {
    const ManagerDesc desc = {.type = *type};
    Plan              plan = {0};
    TRY(room_check(w, &desc));
    manager_add(w, &desc, &no_hooks, at);
    const Manager* m = ent_world_manager(w, type->id);
    ent_status     status = plan_rows(&plan, w, m, count);
    if (status == ENT_OK) status = plan_run(w, &plan);
    if (status != ENT_OK) world_manager_take_out(w, (u32)(m - w->manager));
    return status;
}

ent_status world_manager_replace(World* w, u32 at, const ComponentType* type, void* kept,
                                 const WorldRows* rows) {
    const Manager old = w->manager[at];
    world_manager_take_out(w, at);
    const ent_status status = manager_renew(w, type, rows->count, at);
    if (status != ENT_OK) {
        world_manager_put_back(w, &old, at);
        return status;
    }
    Manager* m = ent_world_manager(w, type->id);
    m->watch = old.watch;
    m->given = old.given;
    m->type_block = kept;
    manager_fill(m, rows->owner, rows->column, rows->count);
    manager_drop(w, &old);
    return ENT_OK;
}

bool world_is_built_in(u32 component_id) {
    for (u32 i = 0; i < COMPONENT_COUNT; i++) {
        if (ent_component_types()[i].id == component_id) return true;
    }
    return false;
}

ent_status ent_world_unregister(World* w, u32 component_id) {
    const Manager* m = ent_world_manager(w, component_id);
    assert(w->spawn_jobs == 0 &&
           "managers cannot be added or removed during a spawn over multiple frames");
    if (!m || world_is_built_in(component_id)) return ENT_NOT_FOUND;
    world_unregister_at(w, (u32)(m - w->manager));
    return ENT_OK;
}

ent_status ent_world_declare(World* w, const Blob* blob) {
    const size_t bytes = ent_component_type_bytes(blob);
    if (bytes == 0) return ENT_WRONG_TYPE;
    void* memory = world_keep(w, bytes);
    if (!memory) return ENT_NO_MEMORY;
    const ManagerDesc desc = {.type = ent_component_type_open(blob, memory)};
    return world_register_kept(w, &desc, memory);
}

static ent_status built_in_register(World* w, const ComponentHooks* const* hooks) {
    for (u32 i = 0; i < COMPONENT_COUNT; i++) {
        ManagerDesc           desc = {.type = ent_component_types()[i]};
        const ComponentHooks* record_columns = hooks[i] ? hooks[i] : &no_hooks;
        if (record_columns->describe) record_columns->describe(&desc);
        TRY(room_check(w, &desc));
        manager_add(w, &desc, record_columns, w->manager_count);
    }
    return ENT_OK;
}

/* Elements of the arrays at the end are written before they are read. Their pages are not touched here:
 * the first access to a page takes as long as spawning ten entities. */
static void world_begin(World* w, const WorldDesc* desc, HostAllocator allocator) {
    memset(w, 0, offsetof(World, plugin));
    w->unknown.count = 0;
    w->allocator = allocator;
    w->log = desc->log;
    w->destroyed = desc->destroyed;
    w->jobs = desc->jobs;
    w->has_pages = allocator.alloc == host_pages_alloc;
    w->gc_random = 0x2545f491u;
    w->id_next = desc->id_start;
    w->owner = desc->entities_of ? desc->entities_of->owner : w;
    w->entities = &w->owner->entity_pool;
    if (w->owner == w) return;
    w->next_sharing = w->owner->next_sharing;
    w->owner->next_sharing = w;
}

ent_status world_create(World** out, const WorldDesc* given, const ComponentHooks* const* hooks) {
    const WorldDesc     desc = given ? *given : (WorldDesc){0};
    const HostAllocator allocator = host_allocator(desc.allocator);
    Plan                plan = {0};
    World*              w = allocator.alloc(allocator.user, sizeof *w);
    if (!w) return ENT_NO_MEMORY;
    world_begin(w, &desc, allocator);
    ent_status status = built_in_register(w, hooks);
    if (status == ENT_OK && desc.entity_count) {
        status = plan_entities(&plan, w, desc.entity_count);
        if (status == ENT_OK) status = plan_run(w, &plan);
    }
    if (status == ENT_OK)
        *out = w;
    else
        ent_world_destroy(w);
    return status;
}

static void managers_clear(World* w) {
    for (u32 i = 0; i < w->manager_count; i++) {
        Manager* m = &w->manager[i];
        if (m->count && m->desc.cleared) m->desc.cleared(m);
        manager_clear(m, w->entities->slot_count);
    }
}

void ent_world_clear(World* w) {
    managers_clear(w);
    if (w->owner != w) return;
    for (World* each = w->next_sharing; each; each = each->next_sharing) managers_clear(each);
    pool_free_all(w->entities);
    for (World* each = w; each; each = each->next_sharing) {
        if (each->cleared) each->cleared(each);
    }
}

static void sharing_leave(World* w) {
    World** at = &w->owner->next_sharing;
    while (*at != w) at = &(*at)->next_sharing;
    *at = w->next_sharing;
}

void ent_world_destroy(World* w) {
    if (!w) return;
    assert((w->owner != w || !w->next_sharing) &&
           "worlds that share the entities of this one must be destroyed before it");
    const HostAllocator allocator = w->allocator;
    if (w->closing) w->closing(w);
    for (u32 i = 0; i < w->manager_count; i++) {
        Manager* m = &w->manager[i];
        if (m->count && m->desc.cleared) m->desc.cleared(m);
    }
    if (w->owner != w) sharing_leave(w);
    for (u32 i = 0; i < w->slab_count; i++) {
        allocator.free(allocator.user, w->slab[i].at, w->slab[i].bytes);
    }
    allocator.free(allocator.user, w, sizeof *w);
}

const EntityPool* ent_world_entities(const World* w) { return w->entities; }

u32 ent_world_manager_count(const World* w) { return w->manager_count; }

Manager* ent_world_manager_at(World* w, u32 index) {
    assert(index < w->manager_count);
    return &w->manager[index];
}

Manager* ent_world_built_in(World* w, u32 component) {
    assert(component < COMPONENT_COUNT);
    return &w->manager[w->built_in[component]];
}

Manager* ent_world_manager(World* w, u32 component_id) {
    for (u32 i = 0; i < w->manager_count; i++) {
        Manager* m = &w->manager[i];
        if (m->desc.type.id == component_id && !m->is_private) return m;
    }
    return NULL;
}

Manager* ent_world_manager_by_name(World* w, const char* name) {
    return ent_world_manager(w, hash_name(text_of(name)));
}
