/* entity.c - a queue of free indices with a generation each. A destroyed entity is removed from
 * every manager, alone or with its descendants. */
#include "entity.h"

#include "hooks_internal.h"
#include "world_internal.h"

#define GC_LIVING_IN_A_ROW 4
#define GC_NEIGHBOURS      64 /* rows */
#define GC_AHEAD           8u /* rows between the one that is removed and the one that is prefetched */

#define FIRST_MANAGERS 8u /* in use, that an entity leaves without a loop */

#define SUBTREES_CAPACITY 1024u /* entities, at first */

/* --- the pool --- */

/* The slots that have waited longest, which are adjacent in the ring. */
static void slots_reuse(EntityPool* p, Entity* out, u32 count) {
    const u32* ring = p->free_index + p->free_first;
    for (u32 i = 0; i < count; i++) {
        const u32 index = ring[i], generation = p->next[index];
        p->generation[index] = (u8)generation;
        out[i] = index | generation << ENTITY_INDEX_BITS;
    }
    p->free_first += count;
    if (p->free_first == p->slot_capacity) p->free_first = 0;
    p->free_count -= count;
}

void pool_create(EntityPool* p, Entity* out, u32 count) {
    const u32 reused = pool_reused(p, count);
    const u32 before_end = MIN_OF(reused, p->slot_capacity - p->free_first);
    if (before_end) slots_reuse(p, out, before_end);
    if (reused > before_end) slots_reuse(p, out + before_end, reused - before_end);
    if (count == reused) return;
    if (p->slot_count == 0) p->slot_count = 1; /* slot 0 is the null entity's */
    assert(p->slot_count + (count - reused) <= p->slot_capacity);
    memset(p->generation + p->slot_count, 0, count - reused);
    for (u32 i = reused; i < count; i++) out[i] = p->slot_count++;
}

static u32 ring_end(const EntityPool* p) {
    const u32 at = p->free_first + p->free_count;
    return at >= p->slot_capacity ? at - p->slot_capacity : at;
}

static inline u8 generation_after(u8 generation) {
    return generation == ENTITY_WAITING - 1 ? 0 : generation + 1;
}

static inline void pool_free(EntityPool* p, const Entity* entities, u32 count) {
    u32* const ring = p->free_index + ring_end(p);
    u8* const  generation = p->generation;
    u8* const  next = p->next;
    for (u32 i = 0; i < count; i++) {
        const u32 index = ent_entity_index(entities[i]);
        next[index] = generation_after(generation[index]);
        generation[index] = ENTITY_WAITING;
        ring[i] = index;
    }
    p->free_count += count;
}

/* The end of the ring may be among them. */
static void pool_free_many(EntityPool* p, const Entity* entities, u32 count) {
    const u32 before_end = MIN_OF(count, p->slot_capacity - ring_end(p));
    pool_free(p, entities, before_end);
    if (count > before_end) pool_free(p, entities + before_end, count - before_end);
}

/* Slots [first, end), which are adjacent in the ring as well. */
static void slots_free(EntityPool* p, u32 first, u32 end) {
    u32* ring = p->free_index + ring_end(p);
    for (u32 i = first; i < end; i++) p->next[i] = generation_after(p->generation[i]);
    for (u32 i = first; i < end; i++) ring[i - first] = i;
    memset(p->generation + first, ENTITY_WAITING, end - first);
    p->free_count += end - first;
}

/* Frees runs of slots in use. Waiting slots keep their position in the queue, so that no id is
 * reused earlier than it should be. */
void pool_free_all(EntityPool* p) {
    for (u32 first = 1, end; first < p->slot_count; first = end + 1) {
        const u8* waits = memchr(p->generation + first, ENTITY_WAITING, p->slot_count - first);
        end = waits ? (u32)(waits - p->generation) : p->slot_count;
        const u32 before_end = MIN_OF(end, first + p->slot_capacity - ring_end(p));
        if (before_end > first) slots_free(p, first, before_end);
        if (end > before_end) slots_free(p, before_end, end);
    }
}

u32 ent_entity_count(const World* w) {
    const EntityPool* p = w->entities;
    return p->slot_count ? p->slot_count - 1 - p->free_count : 0;
}

/* --- creating and destroying --- */

ent_status ent_entity_create(World* w, Entity* entities, u32 count) {
    Plan plan = {0};
    TRY(plan_entities(&plan, w, count));
    TRY(plan_run(w, &plan));
    pool_create(w->entities, entities, count);
    return ENT_OK;
}

/* Marks entities up to the first one that is not alive, or marked already. Returns their number. */
static u32 doom_run(const EntityPool* pool, const Entity* entities, u32 count) {
    const EntityPool p = *pool;
    u32              marked = 0;
    for (; marked < count && ent_entity_alive(&p, entities[marked]); marked++) {
        u8* mark = &p.next[ent_entity_index(entities[marked])];
        if (*mark == ENTITY_DOOMED) break;
        *mark = ENTITY_DOOMED;
    }
    return marked;
}

static void rows_remove_hashed(Manager* m, const Entity* entities, u32 count) {
    if (m->desc.lazy) return;
    for (u32 i = 0; i < count && m->count; i++) manager_remove_hashed(m, entities[i]);
}

/* One manager after the other, so that the arrays of each stay in the cache. */
static void world_leave(World* w, const Entity* entities, u32 count) {
    for (u32 k = 0; k < w->used_count; k++) {
        Manager* m = w->used[k];
        if (m->desc.type.lookup == HASHED)
            rows_remove_hashed(m, entities, count);
        else
            manager_remove_entities(m, w->entities, entities, count);
    }
}

/* The callbacks of all hosts are called before the first row is removed. */
static void entities_leave(World* w, const Entity* entities, u32 count) {
    EntityPool* pool = w->entities;
    for (World* each = w->owner; each; each = each->next_sharing) {
        if (each->destroyed.call) each->destroyed.call(each->destroyed.user, entities, count);
    }
    for (World* each = w->owner; each; each = each->next_sharing)
        world_leave(each, entities, count);
    pool_free_many(pool, entities, count);
}

/* May it have rows of an entity? A manager that is found by hash has no row slots. */
static inline bool manager_may_have(const Manager* m, u32 index) {
    if (index < m->row_slots) return m->row[index] != 0;
    return m->slot_mask != 0 && !m->desc.lazy;
}

static inline void pair_leave(Manager* const* managers, u32 present, Entity entity) {
    if (present & 1) managers[0]->remove_entity(managers[0], entity);
    if (present & 2) managers[1]->remove_entity(managers[1], entity);
}

/* Removes the rows of an entity from the first managers. Which of them have some is unpredictable for a
 * branch. It costs less when what it depends on was loaded before, and when each manager has a branch
 * and a call of its own. */
static inline void first_leave(Manager* const* managers, u32 count, Entity entity) {
    const u32 index = ent_entity_index(entity);
    u32       present = 0;
    for (u32 k = 0; k < count; k++) present |= (u32)manager_may_have(managers[k], index) << k;
    pair_leave(managers, present, entity);
    if (present >> 2 == 0) return;
    pair_leave(managers + 2, present >> 2, entity);
    if (present >> 4 == 0) return;
    pair_leave(managers + 4, present >> 4, entity);
    if (present >> 6 == 0) return;
    pair_leave(managers + 6, present >> 6, entity);
}

/* A single entity of a world that shares it with none, without callbacks, is the common case. */
static u32 entity_destroy(World* w, Entity entity) {
    EntityPool* const pool = w->entities;
    const u32         index = ent_entity_index(entity);
    if (!ent_entity_alive(pool, entity) || pool->next[index] == ENTITY_DOOMED) return 0;
    first_leave(w->used, MIN_OF(w->used_count, FIRST_MANAGERS), entity);
    for (u32 k = FIRST_MANAGERS; k < w->used_count; k++) {
        Manager* const m = w->used[k];
        if (manager_may_have(m, index)) m->remove_entity(m, entity);
    }
    pool_free(pool, &entity, 1);
    return 1;
}

/* A function, so that destroying a single entity saves fewer registers. Entities between those that
 * are skipped are destroyed together, without a copy of the list. */
static __attribute__((noinline)) u32 entities_destroy(World* w, const Entity* entities, u32 count) {
    u32 destroyed = 0;
    for (u32 i = 0, run; i < count; i += MAX_OF(run, 1u)) {
        run = doom_run(w->entities, entities + i, count - i);
        if (run) entities_leave(w, entities + i, run);
        destroyed += run;
    }
    return destroyed;
}

u32 ent_entity_destroy(World* w, const Entity* entities, u32 count) {
    const World* owner = w->owner;
    if (count == 1 && w == owner && !owner->next_sharing && !owner->destroyed.call)
        return entity_destroy(w, *entities);
    return entities_destroy(w, entities, count);
}

/* --- destroying subtrees --- */

/* Entities of subtrees, without duplicates, which are marked: [count], with a capacity of
 * `room`. */
typedef struct Gathered {
    EntityPool* pool;
    Entity*     list;
    u32         count, room;
} Gathered;

/* False: there is no room for it. */
static bool gather(void* user, Entity entity) {
    Gathered* g = user;
    u8*       mark = &g->pool->next[ent_entity_index(entity)];
    if (*mark == ENTITY_DOOMED) return true;
    if (g->count == g->room) return false;
    *mark = ENTITY_DOOMED;
    g->list[g->count++] = entity;
    return true;
}

/* The children of the entity in one world. */
static inline bool gather_children(Gathered* g, const World* w, Entity entity) {
    for (u32 k = 0; k < w->used_count; k++) {
        const Manager* m = w->used[k];
        if (!m->hooks->children) continue;
        const u32 row = ent_manager_row(m, w->entities, entity);
        if (row != MANAGER_NO_ROW && !m->hooks->children(m, row, gather, g)) return false;
    }
    return true;
}

/* The list is the queue of a breadth-first traversal. */
static bool gather_subtrees(Gathered* g, const World* w, const Entity* entities, u32 count) {
    bool all = true;
    for (u32 i = 0; i < count && all; i++)
        all = !ent_entity_alive(g->pool, entities[i]) || gather(g, entities[i]);
    for (u32 i = 0; i < g->count && all; i++) {
        for (const World* each = w->owner; each && all; each = each->next_sharing)
            all = gather_children(g, each, g->list[i]);
    }
    return all;
}

static void gathered_drop(Gathered* g) {
    while (g->count > 0) g->pool->next[ent_entity_index(g->list[--g->count])] = 0;
}

/* The number of entities is known only at the end: when the capacity is too small, it is doubled
 * and the traversal starts again. */
static ent_status subtrees_list(World* w, const Entity* entities, u32 count, Gathered* g) {
    for (u32 need = MAX_OF(count, SUBTREES_CAPACITY);; need = 2 * g->room) {
        Plan plan = {0};
        plan_scratch(&plan, w, (u32)(((u64)need + 2) / 3));
        TRY(plan_run(w, &plan));
        *g = (Gathered){w->entities, w->scratch, 0, 3 * w->scratch_capacity};
        if (gather_subtrees(g, w, entities, count)) return ENT_OK;
        gathered_drop(g);
    }
}

/* Children first: a destroyed entity then has no children whose poses would have to be changed. */
static void list_reverse(Entity* list, u32 count) {
    for (u32 i = 0, k = count; i + 1 < k; i++) {
        const Entity entity = list[--k];
        list[k] = list[i];
        list[i] = entity;
    }
}

ent_status ent_entity_destroy_subtrees(World* w, const Entity* entities, u32 count,
                                       u32* destroyed) {
    Gathered g = {0};
    if (count > 0) TRY(subtrees_list(w, entities, count, &g));
    list_reverse(g.list, g.count);
    if (g.count > 0) entities_leave(w, g.list, g.count);
    if (destroyed) *destroyed = g.count;
    return ENT_OK;
}

/* --- lazy collection --- */

static u32 random_row(World* w, u32 count) {
    w->gc_random ^= w->gc_random << 13;
    w->gc_random ^= w->gc_random >> 17;
    w->gc_random ^= w->gc_random << 5;
    return (u32)(((u64)w->gc_random * count) >> 32);
}

/* A removal searches the map for the row's entity and for that of the last row. */
static void removal_prefetch(const Manager* m, u32 row) {
    const u32 slots = m->slot_mask + 1, last = m->count - 1;
    const u32 ahead = MIN_OF(row + GC_AHEAD, last), behind = last - MIN_OF(last, GC_AHEAD);
    PREFETCH(&m->slot[ent_manager_slot(slots, m->entity[ahead])]);
    PREFETCH(&m->slot[ent_manager_slot(slots, m->entity[behind])]);
}

/* Removes rows of destroyed entities among those around a row: they are in the same lines of the cache,
 * and entities that were destroyed together are often adjacent. The last row, which moves into a hole,
 * is looked at in its new place. */
static u32 neighbours_collect(const World* w, Manager* m, u32 row) {
    const u32 before = m->count, end = row - row % GC_NEIGHBOURS + GC_NEIGHBOURS;
    for (row -= row % GC_NEIGHBOURS; row < MIN_OF(end, m->count);) {
        if (ent_entity_alive(w->entities, m->entity[row]))
            row++;
        else {
            removal_prefetch(m, row);
            if (m->next)
                manager_remove_row(m, row);
            else
                manager_remove_hashed(m, m->entity[row]);
        }
    }
    return before - m->count;
}

u32 ent_world_gc(World* w) {
    u32 removed = 0;
    for (u32 k = 0; k < w->manager_count; k++) {
        Manager* m = &w->manager[k];
        if (!m->desc.lazy) continue;
        for (u32 living = 0; m->count > 0 && living < GC_LIVING_IN_A_ROW; living++) {
            const u32 row = random_row(w, m->count);
            if (ent_entity_alive(w->entities, m->entity[row])) continue;
            removed += neighbours_collect(w, m, row);
            living = 0;
        }
    }
    return removed;
}
