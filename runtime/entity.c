/* entity.c - a queue of free indices, a generation each; who dies leaves every manager. */
#include "entity.h"

#include "world_internal.h"

#define GC_LIVING_IN_A_ROW 4

#define DOOMED 1 /* in `next` of a slot that somebody has, while destroying */

/* --- the pool --- */

void pool_create(EntityPool* p, Entity* out, u32 count) {
    const u32 waiting =
        p->free_count > ENTITY_FREE_MINIMUM ? p->free_count - ENTITY_FREE_MINIMUM : 0;
    const u32 reused = MIN_OF(count, waiting);
    for (u32 i = 0; i < reused; i++) {
        const u32 index = p->free_index[p->free_first];
        if (++p->free_first == p->slot_capacity) p->free_first = 0;
        out[i] = index | (u32)p->next[index] << ENTITY_INDEX_BITS;
        p->generation[index] = p->next[index];
        p->next[index] = 0;
    }
    p->free_count -= reused;
    if (p->slot_count == 0) p->slot_count = 1; /* slot 0 is nobody's */
    for (u32 i = reused; i < count; i++) out[i] = p->slot_count++;
    assert(p->slot_count <= p->slot_capacity);
}

static void slot_free(EntityPool* p, u32 index, u32 at) {
    const u32 generation = p->generation[index] + 1u;
    p->next[index] = (u8)(generation == ENTITY_WAITING ? 0 : generation);
    p->generation[index] = ENTITY_WAITING;
    p->free_index[at] = index;
}

static u32 ring_end(const EntityPool* p) {
    const u32 at = p->free_first + p->free_count;
    return at >= p->slot_capacity ? at - p->slot_capacity : at;
}

static void pool_free(EntityPool* p, u32 index) {
    slot_free(p, index, ring_end(p));
    p->free_count++;
}

/* Waiting slots keep their place in the queue, so that no id comes back sooner than it should. */
void pool_free_all(EntityPool* p) {
    u32 at = ring_end(p);
    for (u32 index = 1; index < p->slot_count; index++) {
        if (p->generation[index] == ENTITY_WAITING) continue;
        slot_free(p, index, at);
        if (++at == p->slot_capacity) at = 0;
    }
    p->free_count = p->slot_count ? p->slot_count - 1 : 0;
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

/* Marks all; false and none marked when one is dead or comes twice. */
static bool doom_all(EntityPool* p, const Entity* entities, u32 count) {
    u32 marked = 0;
    for (; marked < count && ent_entity_alive(p, entities[marked]); marked++) {
        u8* mark = &p->next[ent_entity_index(entities[marked])];
        if (*mark == DOOMED) break;
        *mark = DOOMED;
    }
    if (marked == count) return true;
    while (marked > 0) p->next[ent_entity_index(entities[--marked])] = 0;
    return false;
}

static void rows_remove(const World* w, Manager* m, const Entity* entities, u32 count) {
    if (m->desc.lazy) return;
    for (u32 i = 0; i < count && m->count > 0; i++) {
        for (u32 row; (row = ent_manager_row(m, w->entities, entities[i])) != MANAGER_NO_ROW;) {
            manager_remove_row(m, row);
        }
    }
}

/* Manager by manager: each one's arrays stay in the cache. */
ent_status ent_entity_destroy(World* w, const Entity* entities, u32 count) {
    if (!doom_all(w->entities, entities, count)) return ENT_STALE;
    for (World* each = w->home; each; each = each->sharer) {
        if (each->destroyed.call) each->destroyed.call(each->destroyed.user, entities, count);
        for (u32 k = 0; k < each->manager_count; k++) {
            if (each->manager[k].count) rows_remove(each, &each->manager[k], entities, count);
        }
    }
    for (u32 i = 0; i < count; i++) pool_free(w->entities, ent_entity_index(entities[i]));
    return ENT_OK;
}

/* --- lazy collection --- */

static u32 random_row(World* w, u32 count) {
    w->gc_random ^= w->gc_random << 13;
    w->gc_random ^= w->gc_random >> 17;
    w->gc_random ^= w->gc_random << 5;
    return (u32)(((u64)w->gc_random * count) >> 32);
}

u32 ent_world_gc(World* w) {
    u32 removed = 0;
    for (u32 k = 0; k < w->manager_count; k++) {
        Manager* m = &w->manager[k];
        if (!m->desc.lazy) continue;
        for (u32 living = 0; m->count > 0 && living < GC_LIVING_IN_A_ROW;) {
            const u32 row = random_row(w, m->count);
            if (ent_entity_alive(w->entities, m->entity[row])) {
                living++;
                continue;
            }
            manager_remove_row(m, row);
            removed++;
            living = 0;
        }
    }
    return removed;
}
