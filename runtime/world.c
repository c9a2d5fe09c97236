/* world.c - entities, memory, and spawning: one call per component manager.
 *
 * Memory: before a spawn changes anything, the room for all of it is planned and taken from the
 * host as one block, from which every manager that has to grow gets its arrays. What a manager
 * leaves goes back once all blocks of its slab are left. */
#include "world.h"

#include <stdarg.h>
#include <stdio.h>

#include "fields.h"
#include "hash.h"
#include "host_internal.h"
#include "manager_internal.h"
#include "transform_manager.h"

#define CARVE_ALIGN 64u

/* Room that is missing; zero where there is enough. */
typedef struct Plan {
    u32 rows[WORLD_MANAGERS_MAX];  /* new capacity */
    u32 slots[WORLD_MANAGERS_MAX]; /* new size of a hash map */
    u32 entity_slots;              /* new capacity; direct lookups grow with it */
    u32 scratch;
} Plan;

/* --- what the host gave us --- */

static void world_log(const World* world, LogLevel level, const char* format, ...)
    PRINTF_LIKE(3, 4);

static void world_log(const World* world, LogLevel level, const char* format, ...) {
    char    text[256];
    va_list arguments;
    if (!world->log.write) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    world->log.write(world->log.user, level, text);
}

/* --- slabs --- */

static void block_release(World* w, void* block) {
    if (!block) return;
    for (u32 i = 0; i < w->slab_count; i++) {
        WorldSlab* slab = &w->slab[i];
        if ((u8*)block < (u8*)slab->at || (u8*)block >= (u8*)slab->at + slab->bytes) continue;
        if (--slab->blocks == 0) {
            w->allocator.free(w->allocator.user, slab->at, slab->bytes);
            *slab = w->slab[--w->slab_count];
        }
        return;
    }
    assert(false && "a block that is in no slab");
}

/* Where the next array stands in a block, or how large the block would be: the same walk measures
 * and carves. */
typedef struct Carver {
    u8*    at; /* NULL while measuring */
    size_t used;
} Carver;

static void* carve(Carver* c, size_t bytes) {
    void* here = c->at ? c->at + c->used : NULL;
    c->used += (size_t)align_up(bytes, CARVE_ALIGN);
    return here;
}

/* --- growing --- */

static void* column_move(Carver* c, const void* old, size_t element, u32 count, u32 capacity) {
    void* fresh = carve(c, element * capacity);
    if (fresh && count) memcpy(fresh, old, element * count);
    return fresh;
}

/* All arrays of a manager for `capacity` rows. */
static void rows_carve(Manager* m, Carver* c, u32 capacity) {
    Manager next = *m;
    next.rows_block = next.entity = column_move(c, m->entity, sizeof(Entity), m->count, capacity);
    for (u32 i = 0; i < m->column_count; i++) {
        next.column[i] =
            column_move(c, m->column[i], manager_column_bytes(m, i), m->count, capacity);
    }
    if (m->desc.type.several == SEVERAL) {
        next.next = column_move(c, m->next, sizeof(u32), m->count, capacity);
    }
    next.capacity = capacity;
    if (c->at) *m = next;
}

static void direct_carve(const World* w, Manager* m, Carver* c, u32 slots) {
    u32* fresh = carve(c, sizeof(u32) * slots);
    if (!fresh) return;
    const u32 known = m->row ? w->entities.slot_count : 0;
    if (known) memcpy(fresh, m->row, sizeof(u32) * known);
    if (!w->zeroed) memset(fresh + known, 0, sizeof(u32) * (slots - known));
    m->row = fresh;
    m->lookup_block = fresh;
}

static void hashed_carve(const World* w, Manager* m, Carver* c, u32 slots) {
    ManagerSlot* fresh = carve(c, sizeof(ManagerSlot) * slots);
    if (!fresh) return;
    const ManagerSlot* old = m->slot;
    const u32          old_count = m->slot_mask ? m->slot_mask + 1 : 0;
    if (!w->zeroed) memset(fresh, 0, sizeof(ManagerSlot) * slots);
    m->slot = fresh;
    m->slot_mask = slots - 1;
    m->lookup_block = fresh;
    manager_rehash(m, old, old_count);
}

static void entities_carve(const World* w, EntityPool* pool, Carver* c, u32 slots) {
    const u32 known = pool->slot_count;
    u16*      generation = carve(c, sizeof(u16) * slots);
    u32*      ring = carve(c, sizeof(u32) * slots);
    if (!generation) return;
    if (known) memcpy(generation, pool->generation, sizeof(u16) * known);
    if (!w->zeroed) memset(generation + known, 0, sizeof(u16) * (slots - known));
    for (u32 i = 0, at = pool->free_first; i < pool->free_count; i++) {
        ring[i] = pool->free_index[at];
        if (++at == pool->slot_capacity) at = 0;
    }
    pool->generation = generation;
    pool->free_index = ring;
    pool->free_first = 0;
    pool->slot_capacity = slots;
}

static bool lookup_grows(const Manager* m, const Plan* plan, u32 i) {
    if (m->desc.type.lookup == HASHED) return plan->slots[i] != 0;
    return m->row ? plan->entity_slots != 0 : plan->rows[i] != 0;
}

/* The walk over everything that grows. Without c->at it only measures. Returns carved blocks. */
static u32 plan_carve(World* w, const Plan* plan, Carver* c) {
    const u32 slots = plan->entity_slots ? plan->entity_slots : w->entities.slot_capacity;
    u32       blocks = 0;
    for (u32 i = 0; i < w->manager_count; i++) {
        Manager* m = &w->manager[i];
        if (plan->rows[i]) {
            void* old = m->rows_block;
            rows_carve(m, c, plan->rows[i]);
            if (c->at) block_release(w, old);
            blocks++;
        }
        if (!lookup_grows(m, plan, i)) continue;
        void* old = m->lookup_block;
        if (m->desc.type.lookup == DIRECT)
            direct_carve(w, m, c, slots);
        else
            hashed_carve(w, m, c, plan->slots[i]);
        if (c->at) block_release(w, old);
        blocks++;
    }
    if (plan->entity_slots) {
        void* old = w->entity_block;
        void* fresh = c->at ? c->at + c->used : NULL;
        entities_carve(w, &w->entities, c, plan->entity_slots);
        if (c->at) w->entity_block = fresh, block_release(w, old);
        blocks++;
    }
    if (plan->scratch) {
        void* old = w->scratch_block;
        void* fresh = carve(c, sizeof(u32) * 3 * (size_t)plan->scratch);
        if (fresh) {
            w->scratch_block = w->scratch = fresh;
            w->scratch_capacity = plan->scratch;
            block_release(w, old);
        }
        blocks++;
    }
    return blocks;
}

/* Takes one slab for the whole plan. Either everything grows, or nothing does. */
static ent_status plan_run(World* w, const Plan* plan) {
    Carver    measure = {0};
    const u32 blocks = plan_carve(w, plan, &measure);
    if (blocks == 0) return ENT_OK;
    if (w->slab_count == COUNT_OF(w->slab)) return ENT_LIMIT;
    u8* at = w->allocator.alloc(w->allocator.user, measure.used);
    if (!at) return ENT_NO_MEMORY;
    assert(((uintptr_t)at & (CARVE_ALIGN - 1)) == 0);
    w->slab[w->slab_count++] = (WorldSlab){at, measure.used, blocks};
    Carver carver = {.at = at};
    plan_carve(w, plan, &carver);
    assert(carver.used == measure.used);
    return ENT_OK;
}

/* --- planning --- */

/* The first room is what is asked for; later ones grow by half, so that n additions cost n. */
static u32 capacity_for(u32 have, u64 need, u32 most) {
    const u64 grown = have ? MAX_OF(need, (u64)have + have / 2) : need;
    return (u32)MIN_OF(align_up(grown, 16), MAX_OF((u64)most, need));
}

static ent_status plan_rows(Plan* plan, const World* w, u32 i, u32 more) {
    const Manager* m = &w->manager[i];
    const u64      need = (u64)m->count + more;
    if (need > 1u << 28) return ENT_LIMIT;
    if (more && need > m->capacity) plan->rows[i] = capacity_for(m->capacity, need, UINT32_MAX);
    if (more && m->desc.type.lookup == HASHED) {
        u64 slots = m->slot_mask ? (u64)m->slot_mask + 1 : 16;
        while (slots < need * 2) slots *= 2;
        if (slots > (u64)m->slot_mask + 1 || m->slot_mask == 0) plan->slots[i] = (u32)slots;
    }
    return ENT_OK;
}

/* 1,024 indices always wait, so the second spawn of n entities needs 1,024 more slots than the
 * first one used: they are planned for at once. */
static ent_status plan_entities(Plan* plan, const World* w, u32 more) {
    const EntityPool* p = &w->entities;
    const u32         waiting =
        p->free_count > ENTITY_FREE_MINIMUM ? p->free_count - ENTITY_FREE_MINIMUM : 0;
    const u32 fresh = more > waiting ? more - waiting : 0;
    const u64 need = MAX_OF((u64)p->slot_count, (u64)1) + fresh;
    if (need > ENTITY_COUNT_MAX) return ENT_LIMIT;
    if (need > p->slot_capacity) {
        plan->entity_slots =
            capacity_for(p->slot_capacity, need + ENTITY_FREE_MINIMUM, ENTITY_COUNT_MAX);
    }
    return ENT_OK;
}

/* --- entities --- */

static void pool_create(EntityPool* p, Entity* out, u32 count) {
    const u32 waiting =
        p->free_count > ENTITY_FREE_MINIMUM ? p->free_count - ENTITY_FREE_MINIMUM : 0;
    const u32 reused = MIN_OF(count, waiting);
    for (u32 i = 0; i < reused; i++) {
        const u32 index = p->free_index[p->free_first];
        if (++p->free_first == p->slot_capacity) p->free_first = 0;
        p->generation[index] &= (u16)~ENTITY_WAITING;
        out[i] = index | (u32)p->generation[index] << ENTITY_INDEX_BITS;
    }
    p->free_count -= reused;
    if (p->slot_count == 0) p->slot_count = 1; /* slot 0 is nobody's */
    for (u32 i = reused; i < count; i++) out[i] = p->slot_count++;
    assert(p->slot_count <= p->slot_capacity);
}

static void pool_free(EntityPool* p, u32 index) {
    u32 at = p->free_first + p->free_count;
    if (at >= p->slot_capacity) at -= p->slot_capacity;
    p->generation[index] = (u16)((u8)(p->generation[index] + 1) | ENTITY_WAITING);
    p->free_index[at] = index;
    p->free_count++;
}

u32 ent_entity_count(const World* w) {
    const EntityPool* p = &w->entities;
    return p->slot_count ? p->slot_count - 1 - p->free_count : 0;
}

ent_status ent_entity_create(World* w, Entity* entities, u32 count) {
    Plan plan = {0};
    TRY(plan_entities(&plan, w, count));
    TRY(plan_run(w, &plan));
    pool_create(&w->entities, entities, count);
    return ENT_OK;
}

void ent_entity_destroy(World* w, const Entity* entities, u32 count) {
    for (u32 i = 0; i < count; i++) {
        if (!ent_entity_alive(&w->entities, entities[i])) continue;
        for (u32 k = 0; k < w->manager_count; k++) {
            Manager* m = &w->manager[k];
            for (u32 row; m->count > 0 && (row = ent_manager_row(m, &w->entities, entities[i])) !=
                                              MANAGER_NO_ROW;) {
                manager_remove_row(m, row);
            }
        }
        pool_free(&w->entities, ent_entity_index(entities[i]));
    }
}

/* Every slot that does not wait in the ring is somebody. Waiting ones keep their place in the
 * queue, so that no id comes back sooner than it should. */
static void pool_free_all(EntityPool* p) {
    for (u32 index = 1; index < p->slot_count; index++) {
        if (!(p->generation[index] & ENTITY_WAITING)) pool_free(p, index);
    }
}

void ent_world_clear(World* w) {
    EntityPool* p = &w->entities;
    for (u32 i = 0; i < w->manager_count; i++) manager_clear(&w->manager[i], p->slot_count);
    if (p->slot_count > 0) pool_free_all(p);
}

/* --- spawning --- */

/* One row of the plan: which section of the blob goes to which manager. */
typedef struct Step {
    const BlobSection* section;
    Manager*           manager;
} Step;

static ent_status steps_find(World* w, const Blob* blob, const SpawnOptions* options, Step* steps,
                             u32* count) {
    u32       known = 0, held = 0;
    BlobFault fault;
    *count = 0;
    for (u32 i = 0; i < w->manager_count; i++) {
        Manager*           m = &w->manager[i];
        const BlobSection* s = ent_blob_component(blob, m->desc.type.id);
        if (!s) continue;
        known++;
        const ent_status proved = ent_blob_prove(blob, &m->desc.type, &fault);
        if (proved != ENT_OK) {
            world_log(w, LOG_ERROR, "%s at offset %u: %s", fault.field, fault.offset, fault.reason);
            return proved;
        }
        steps[(*count)++] = (Step){s, m};
    }
    for (u32 i = 0; i < blob->header->section_count; i++) {
        held += blob->section[i].kind == SECTION_COMPONENT;
    }
    if (known == held) return ENT_OK;
    world_log(w, LOG_WARNING, "%u of %u component types in the blob are not known to this world",
              held - known, held);
    return options && options->strict ? ENT_UNKNOWN_COMPONENT : ENT_OK;
}

/* What only the runtime has begins as zero, unless the type's own spawner says otherwise. */
static void extras_zero(Manager* m, u32 first, u32 count) {
    for (u32 c = ent_component_column_count(&m->desc.type); c < m->column_count; c++) {
        const size_t bytes = manager_column_bytes(m, c);
        memset((u8*)m->column[c] + first * bytes, 0, count * bytes);
    }
}

static void step_run(World* w, const Blob* blob, const Step* step, const Entity* entities,
                     u32* scratch) {
    const void*          columns[COMPONENT_COLUMNS_MAX];
    Manager*             m = step->manager;
    const ComponentType* type = &m->desc.type;
    const BlobSection*   parent = ent_blob_section(blob, SECTION_PARENT);
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        columns[c] = ent_blob_column(blob, step->section, type, c);
    }
    const SpawnBatch batch = {.entities = entities,
                              .parent_index = ent_blob_data(blob, parent),
                              .entity_count = blob->header->element_count,
                              .count = step->section->count,
                              .entity_index = ent_blob_data(blob, step->section),
                              .columns = columns,
                              .scratch = scratch};
    const u32        first = m->count;
    if (m->desc.spawn) {
        m->desc.spawn(w, m, &batch);
    } else {
        ent_manager_append(m, &batch);
        extras_zero(m, first, batch.count);
    }
}

ent_status ent_world_spawn(World* w, const Blob* blob, const SpawnOptions* options,
                           Entity* entities) {
    const u32 type = blob->header->resource_type, n = blob->header->element_count;
    Step      steps[WORLD_MANAGERS_MAX];
    u32       step_count;
    Plan      plan = {0};
    if (type != RESOURCE_ENTITY && type != RESOURCE_LEVEL) return ENT_WRONG_TYPE;
    TRY(steps_find(w, blob, options, steps, &step_count));
    TRY(plan_entities(&plan, w, n));
    for (u32 i = 0; i < step_count; i++) {
        TRY(plan_rows(&plan, w, (u32)(steps[i].manager - w->manager), steps[i].section->count));
    }
    if (n > w->scratch_capacity) plan.scratch = n;
    TRY(plan_run(w, &plan));
    if (n == 0) return ENT_OK;
    Entity* created = entities ? entities : w->scratch;
    pool_create(&w->entities, created, n);
    for (u32 i = 0; i < step_count; i++) {
        step_run(w, blob, &steps[i], created, w->scratch + w->scratch_capacity);
    }
    return ENT_OK;
}

/* --- single instances --- */

ent_status ent_manager_create(World* w, Manager* m, Entity entity, u32* row) {
    Plan                 plan = {0};
    const ComponentType* type = &m->desc.type;
    _Alignas(16) u8      record[MANAGER_RECORD_BYTES_MAX];
    const void*          columns[COMPONENT_COLUMNS_MAX];
    u32                  scratch[2];
    const u32            index = 0, no_parent = MANAGER_NO_ROW;
    const u32            first = ent_manager_row(m, &w->entities, entity);
    assert(ent_entity_alive(&w->entities, entity));
    assert(type->several == SEVERAL || first == MANAGER_NO_ROW);

    TRY(plan_rows(&plan, w, (u32)(m - w->manager), 1));
    TRY(plan_run(w, &plan));
    record_defaults(&type->record, record);
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        columns[c] = record + ent_component_column_offset(type, c);
    }
    const u32        chained = first == MANAGER_NO_ROW ? 0 : manager_chain_last(m, first) + 1;
    const SpawnBatch batch = {&entity, &no_parent, 1, 1, &index, columns, scratch};
    *row = m->count;
    extras_zero(m, m->count, 1);
    if (chained)
        manager_append_chained(m, &batch, chained - 1);
    else if (m->desc.spawn)
        m->desc.spawn(w, m, &batch);
    else
        ent_manager_append(m, &batch);
    return ENT_OK;
}

void ent_manager_remove(World* w, Manager* m, u32 row) {
    UNUSED(w);
    manager_remove_row(m, row);
}

/* --- worlds --- */

static void managers_index(World* w) {
    for (u32 i = 0; i < w->manager_count; i++) {
        for (u32 k = 0; k < COMPONENT_COUNT; k++) {
            if (w->manager[i].desc.type.id == ent_component_types()[k].id) w->built_in[k] = (u8)i;
        }
    }
}

ent_status ent_world_register(World* w, const ManagerDesc* desc) {
    Manager add = {.desc = *desc};
    assert(w->entities.slot_count == 0 &&
           "component types are registered before there are entities");
    ent_component_type_finish(&add.desc.type);
    for (u32 i = 0; i < w->manager_count; i++) {
        if (w->manager[i].desc.type.id == add.desc.type.id) return ENT_EXISTS;
    }
    if (w->manager_count == WORLD_MANAGERS_MAX) return ENT_LIMIT;
    if (desc->type.record.bytes > MANAGER_RECORD_BYTES_MAX) return ENT_LIMIT;
    add.column_count = ent_component_column_count(&add.desc.type);
    for (u32 i = 0; i < MANAGER_EXTRAS_MAX && desc->extra_bytes[i]; i++) add.column_count++;
    u32 at = w->manager_count++;
    for (; at > 0 && w->manager[at - 1].desc.type.order > add.desc.type.order; at--) {
        w->manager[at] = w->manager[at - 1];
    }
    w->manager[at] = add;
    managers_index(w);
    return ENT_OK;
}

ent_status ent_world_declare(World* w, const Blob* blob) {
    const size_t bytes = ent_component_type_bytes(blob);
    if (bytes == 0) return ENT_WRONG_TYPE;
    if (w->slab_count == COUNT_OF(w->slab)) return ENT_LIMIT;
    void* memory = w->allocator.alloc(w->allocator.user, bytes);
    if (!memory) return ENT_NO_MEMORY;
    const ManagerDesc desc = {.type = ent_component_type_open(blob, memory)};
    const ent_status  status = ent_world_register(w, &desc);
    if (status == ENT_OK)
        w->slab[w->slab_count++] = (WorldSlab){memory, bytes, 1}; /* nobody releases the block */
    else
        w->allocator.free(w->allocator.user, memory, bytes);
    return status;
}

/* The built-in types come in through the same door as anybody's. */
static ent_status built_in_register(World* w) {
    for (u32 i = 0; i < COMPONENT_COUNT; i++) {
        ManagerDesc desc = {.type = ent_component_types()[i]};
        if (i == COMPONENT_TRANSFORM) transform_manager_desc(&desc);
        TRY(ent_world_register(w, &desc));
    }
    return ENT_OK;
}

ent_status ent_world_create(World** out, const WorldDesc* desc) {
    const HostAllocator allocator = host_allocator(desc ? desc->allocator : (HostAllocator){0});
    Plan                plan = {0};
    World*              w = allocator.alloc(allocator.user, sizeof *w);
    if (!w) return ENT_NO_MEMORY;
    memset(w, 0, sizeof *w);
    w->allocator = allocator;
    w->zeroed = allocator.alloc == host_pages_alloc;
    if (desc) w->log = desc->log;
    ent_status status = built_in_register(w);
    if (status == ENT_OK && desc && desc->entity_count) {
        status = plan_entities(&plan, w, desc->entity_count);
        if (status == ENT_OK) status = plan_run(w, &plan);
    }
    if (status == ENT_OK)
        *out = w;
    else
        ent_world_destroy(w);
    return status;
}

void ent_world_destroy(World* w) {
    if (!w) return;
    const HostAllocator allocator = w->allocator;
    for (u32 i = 0; i < w->slab_count; i++) {
        allocator.free(allocator.user, w->slab[i].at, w->slab[i].bytes);
    }
    allocator.free(allocator.user, w, sizeof *w);
}

Manager* ent_world_manager(World* w, u32 component_id) {
    for (u32 i = 0; i < w->manager_count; i++) {
        if (w->manager[i].desc.type.id == component_id) return &w->manager[i];
    }
    return NULL;
}

Manager* ent_world_manager_by_name(World* w, const char* name) {
    return ent_world_manager(w, hash_name(text_of(name)));
}

Entity ent_name_find(World* w, const char* name) {
    const NameRows rows = ent_name_rows(w);
    const u32      id = hash_name(text_of(name));
    for (u32 i = 0; i < rows.count; i++) {
        if (rows.record[i].id == id) return rows.entity[i];
    }
    return ENTITY_NOBODY;
}
