/* world_memory.c - one block for everything that has to grow at once. */
#include "jobs.h"
#include "pages.h"
#include "hooks_internal.h"
#include "world_internal.h"

#define CARVE_ALIGN 64u
#define ROWS_MAX    (1u << 28) /* of one manager */

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

/* The position of the next array in a block, or the size of the block: the same pass measures
 * and assigns. */
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

/* All arrays of a manager for `capacity` rows, and the place past the end through which rows are
 * swapped. */
static void rows_carve(Manager* m, Carver* c, u32 capacity) {
    const u32 places = capacity + 1;
    Manager   next = *m;
    next.rows_block = next.entity = column_move(c, m->entity, sizeof(Entity), m->count, places);
    for (u32 i = 0; i < m->column_count; i++) {
        next.column[i] = column_move(c, m->column[i], m->column_bytes[i], m->count, places);
    }
    if (m->desc.type.several == SEVERAL) {
        next.next = column_move(c, m->next, sizeof(u32), m->count, places);
    }
    if (m->hooks->list_each) {
        const u32 size = capacity * m->hooks->list_each + m->hooks->list_more;
        next.list = column_move(c, m->list, sizeof(u32), m->list_count, size);
    }
    next.capacity = capacity;
    if (c->at) *m = next;
}

static void direct_carve(const World* w, Manager* m, Carver* c, u32 slots) {
    u32* fresh = carve(c, sizeof(u32) * slots);
    if (!fresh) return;
    const u32 known = MIN_OF(m->row_slots, w->entities->slot_count);
    if (known) memcpy(fresh, m->row, sizeof(u32) * known);
    if (!w->zeroed) memset(fresh + known, 0, sizeof(u32) * (slots - known));
    m->row = fresh;
    m->row_slots = slots;
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
    u8*       generation = carve(c, slots);
    u8*       next = carve(c, slots);
    u32*      ring = carve(c, sizeof(u32) * slots);
    if (!generation) return;
    if (known) memcpy(generation, pool->generation, known);
    if (known) memcpy(next, pool->next, known);
    memset(generation + known, ENTITY_WAITING, slots - known);
    if (!w->zeroed) memset(next + known, 0, slots - known);
    for (u32 i = 0, at = pool->free_first; i < pool->free_count; i++) {
        ring[i] = pool->free_index[at];
        if (++at == pool->slot_capacity) at = 0;
    }
    pool->generation = generation;
    pool->next = next;
    pool->free_index = ring;
    pool->free_first = 0;
    pool->slot_capacity = slots;
}

static void block_replace(World* w, void** block, void* fresh) {
    block_release(w, *block);
    *block = fresh;
}

/* Assigns the memory of one manager. Returns the number of blocks used. */
static u32 manager_carve(World* w, const Plan* plan, u32 i, Carver* c) {
    Manager* m = &w->manager[i];
    u32      blocks = 0;
    if (plan->rows[i]) {
        void* old = m->rows_block;
        rows_carve(m, c, plan->rows[i]);
        if (c->at && !old) w->used[w->used_count++] = m;
        if (c->at) block_release(w, old);
        blocks++;
    }
    if (plan->slots[i]) {
        void* old = m->lookup_block;
        if (m->desc.type.lookup == DIRECT)
            direct_carve(w, m, c, plan->slots[i]);
        else
            hashed_carve(w, m, c, plan->slots[i]);
        if (c->at) block_release(w, old);
        blocks++;
    }
    return blocks;
}

/* Assigns the memory of everything that grows in a world. Without c->at it only measures.
 * Returns the number of blocks used. */
static u32 plan_carve(World* w, const Plan* plan, Carver* c) {
    u32 blocks = 0;
    for (u32 i = 0; i < w->manager_count; i++) blocks += manager_carve(w, plan, i, c);
    if (plan->entity_slots && w->owner == w) {
        void* fresh = c->at ? c->at + c->used : NULL;
        entities_carve(w, w->entities, c, plan->entity_slots);
        if (c->at) block_replace(w, &w->entity_block, fresh);
        blocks++;
    }
    if (plan->scratch) {
        void* fresh = carve(c, sizeof(u32) * 3 * (size_t)plan->scratch);
        if (fresh) {
            block_replace(w, &w->scratch_block, fresh);
            w->scratch = fresh;
            w->scratch_capacity = plan->scratch;
        }
        blocks++;
    }
    return blocks;
}

/* One slab for the whole plan. Shared entities grow in their owning world; that is not visible
 * when a later step fails. */
ent_status plan_run(World* w, const Plan* plan) {
    Carver measure = {0};
    if (plan->entity_slots && w->owner != w) {
        const Plan entities = {.entity_slots = plan->entity_slots};
        TRY(plan_run(w->owner, &entities));
    }
    const u32 blocks = plan_carve(w, plan, &measure);
    if (blocks == 0) return ENT_OK;
    if (w->slab_count == COUNT_OF(w->slab)) {
        world_log(w, LOG_ERROR, "the world has %u blocks of memory, as many as it can have",
                  w->slab_count);
        return ENT_LIMIT;
    }
    u8* at = w->allocator.alloc(w->allocator.user, measure.used);
    if (!at) return ENT_NO_MEMORY;
    assert(((uintptr_t)at & (CARVE_ALIGN - 1)) == 0);
    w->slab[w->slab_count++] = (WorldSlab){at, measure.used, blocks};
    w->zeroed = w->has_pages && pages_are_zeros(measure.used);
    Carver carver = {.at = at};
    plan_carve(w, plan, &carver);
    assert(carver.used == measure.used);
    return ENT_OK;
}

/* --- planning --- */

/* The first capacity is the requested one; later ones grow by half, so that the cost of n
 * additions is proportional to n. */
static u32 capacity_for(u32 have, u64 need, u32 max) {
    const u64 grown = have ? MAX_OF(need, (u64)have + have / 2) : need;
    return (u32)MIN_OF(align_up(grown, 16), MAX_OF((u64)max, need));
}

/* Slots of the lookup for `need` rows and the number of entity slots; 0: there are enough. */
static u32 lookup_slots(u32 entity_slots, const World* w, const Manager* m, u64 need) {
    if (m->desc.type.lookup == DIRECT) {
        const u32 slots = MAX_OF(entity_slots, w->entities->slot_capacity);
        return m->row_slots < slots ? slots : 0;
    }
    u64 slots = m->slot_mask ? (u64)m->slot_mask + 1 : 16;
    while (slots < need * 2) slots *= 2;
    return m->slot_mask == 0 || slots > (u64)m->slot_mask + 1 ? (u32)slots : 0;
}

ent_status plan_rows(Plan* plan, const World* w, const Manager* m, u32 more) {
    const u32 i = (u32)(m - w->manager);
    const u64 need = (u64)m->count + more;
    if (need > ROWS_MAX) {
        world_log(w, LOG_ERROR, "%s: %u rows and %u requested exceed the limit of %u",
                  m->desc.type.record.name, m->count, more, ROWS_MAX);
        return ENT_LIMIT;
    }
    if (more == 0) return ENT_OK;
    if (need > m->capacity) plan->rows[i] = capacity_for(m->capacity, need, UINT32_MAX);
    plan->slots[i] = lookup_slots(plan->entity_slots, w, m, need);
    return ENT_OK;
}

/* 1,032 indices always wait, so the second spawn of n entities needs 1,032 more slots than the
 * first one used: they are planned together. */
ent_status plan_entities(Plan* plan, const World* w, u32 more) {
    const EntityPool* p = w->entities;
    const u64         need = MAX_OF((u64)p->slot_count, (u64)1) + more - pool_reused(p, more);
    if (need > ENTITY_COUNT_MAX + 1) {
        world_log(w, LOG_ERROR, "%u entities alive and %u requested exceed the limit of %u",
                  ent_entity_count(w), more, ENTITY_COUNT_MAX);
        return ENT_LIMIT;
    }
    if (need > p->slot_capacity) {
        const u64 wanted = MIN_OF(need + ENTITY_FREE_MINIMUM, (u64)ENTITY_COUNT_MAX + 1);
        plan->entity_slots = capacity_for(p->slot_capacity, wanted, ENTITY_COUNT_MAX + 1);
    }
    return ENT_OK;
}

ent_status world_reserve_one(World* w, const Manager* m) {
    const u64 need = (u64)m->count + 1;
    if (need <= m->capacity && lookup_slots(0, w, m, need) == 0) return ENT_OK;
    Plan plan = {0};
    TRY(plan_rows(&plan, w, m, 1));
    return plan_run(w, &plan);
}

void plan_scratch(Plan* plan, const World* w, u32 entity_count) {
    if (entity_count > w->scratch_capacity) plan->scratch = entity_count;
}

/* --- memory that lasts --- */

void* world_keep(World* w, size_t bytes) {
    if (w->slab_count == COUNT_OF(w->slab)) return NULL;
    void* at = w->allocator.alloc(w->allocator.user, bytes);
    if (at) w->slab[w->slab_count++] = (WorldSlab){at, bytes, 1};
    return at;
}

void world_drop(World* w, void* at) { block_release(w, at); }
