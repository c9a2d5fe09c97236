/* test_mirror.c - a naive model of a world, and its comparison with one. */
#include "test_mirror.h"
#include "rows.h"
#include "world_internal.h"

#include <stdlib.h>

/* --- entities --- */

void mirror_open(Mirror* mirror, World* world, const ComponentType* const* type, u32 count) {
    *mirror = (Mirror){.world = world, .type = type, .type_count = count};
    while (strcmp(type[mirror->transform]->record.name, "transform") != 0) mirror->transform++;
}

void mirror_clear(Mirror* mirror) {
    for (u32 i = 0; i < mirror->count; i++) free(mirror->at[i]);
    if (mirror->index_count)
        memset(mirror->by_index, 0, sizeof *mirror->by_index * mirror->index_count);
    mirror->count = 0;
}

void mirror_close(Mirror* mirror) {
    mirror_clear(mirror);
    free(mirror->at);
    free(mirror->by_index);
    free(mirror->ever);
}

static void mirror_grow(Mirror* mirror, u32 index) {
    if (mirror->count == mirror->capacity) {
        mirror->capacity = mirror->capacity * 2 + 16;
        mirror->at = realloc(mirror->at, sizeof *mirror->at * mirror->capacity);
    }
    if (mirror->ever_count == mirror->ever_capacity) {
        mirror->ever_capacity = mirror->ever_capacity * 2 + 16;
        mirror->ever = realloc(mirror->ever, sizeof *mirror->ever * mirror->ever_capacity);
    }
    if (index >= mirror->index_count) {
        const u32 count = index * 2 + 16;
        mirror->by_index = realloc(mirror->by_index, sizeof *mirror->by_index * count);
        memset(mirror->by_index + mirror->index_count, 0,
               sizeof *mirror->by_index * (count - mirror->index_count));
        mirror->index_count = count;
    }
}

MirrorEntity* mirror_add(Mirror* mirror, Entity id) {
    const u32 index = ent_entity_index(id);
    mirror_grow(mirror, index);
    MirrorEntity* e = calloc(1, sizeof *e);
    assert_true(index != 0);
    assert_null(mirror->by_index[index]);
    e->id = id;
    e->place = mirror->count;
    mirror->ever[mirror->ever_count++] = id;
    mirror->by_index[index] = e;
    return mirror->at[mirror->count++] = e;
}

MirrorEntity* mirror_find(const Mirror* mirror, Entity id) {
    const u32     index = ent_entity_index(id);
    MirrorEntity* e = index < mirror->index_count ? mirror->by_index[index] : NULL;
    return e && e->id == id ? e : NULL;
}

void mirror_destroy(Mirror* mirror, Entity id) {
    MirrorEntity* e = mirror_find(mirror, id);
    if (!e) return;
    mirror_set_parent(mirror, e, ENTITY_NULL);
    mirror_orphan(mirror, e);
    mirror->by_index[ent_entity_index(id)] = NULL;
    mirror->at[e->place] = mirror->at[--mirror->count];
    mirror->at[e->place]->place = e->place;
    free(e);
}

static void list_add(Entity* list, u32* count, Entity id) {
    for (u32 i = 0; i < *count; i++) {
        if (list[i] == id) return;
    }
    list[(*count)++] = id;
}

u32 mirror_subtrees(const Mirror* mirrors, u32 mirror_count, Entity* list, u32 count) {
    u32 all = 0;
    for (u32 i = 0; i < count; i++) list_add(list, &all, list[i]);
    for (u32 i = 0; i < all; i++) {
        for (u32 m = 0; m < mirror_count; m++) {
            const MirrorEntity* e = mirror_find(&mirrors[m], list[i]);
            for (u32 k = 0; e->children && k < mirrors[m].count; k++) {
                const MirrorEntity* child = mirrors[m].at[k];
                if (child->parent == e->id) list_add(list, &all, child->id);
            }
        }
    }
    return all;
}

/* --- transforms --- */

TransformRecord* mirror_pose(const Mirror* mirror, MirrorEntity* e) {
    return (TransformRecord*)(void*)e->record[mirror->transform][0];
}

void mirror_set_parent(Mirror* mirror, MirrorEntity* child, Entity parent) {
    if (child->parent) mirror_find(mirror, child->parent)->children--;
    if (parent) mirror_find(mirror, parent)->children++;
    child->parent = parent;
    child->link_order = ++mirror->link_order;
}

void mirror_orphan(Mirror* mirror, MirrorEntity* parent) {
    for (u32 i = 0; i < mirror->count && parent->children; i++) {
        if (mirror->at[i]->parent == parent->id)
            mirror_set_parent(mirror, mirror->at[i], ENTITY_NULL);
    }
    assert_int_equal(parent->children, 0);
}

static void world_make(const Mirror* mirror, MirrorEntity* e) {
    if (e->computed == mirror->stamp) return;
    const Mat64   local = mat64_of(mirror_pose(mirror, e));
    MirrorEntity* parent = e->parent ? mirror_find(mirror, e->parent) : NULL;
    if (parent) world_make(mirror, parent);
    e->world = mat64_multiply(parent ? &parent->world : &mat64_identity, &local);
    e->computed = mirror->stamp;
}

void mirror_worlds(Mirror* mirror) {
    mirror->stamp++;
    for (u32 i = 0; i < mirror->count; i++) {
        if (mirror->at[i]->count[mirror->transform]) world_make(mirror, mirror->at[i]);
    }
}

const Mat64* mirror_world(Mirror* mirror, MirrorEntity* e) {
    mirror->stamp++;
    world_make(mirror, e);
    return &e->world;
}

bool mirror_below(const Mirror* mirror, const MirrorEntity* e, Entity top) {
    while (e && e->id != top) e = e->parent ? mirror_find(mirror, e->parent) : NULL;
    return e != NULL;
}

void mirror_pose_read(Mirror* mirror, MirrorEntity* e) {
    *mirror_pose(mirror, e) =
        ent_transform_local(mirror->world, ent_transform_row(mirror->world, e->id));
}

/* --- spawning --- */

/* Instances of an entity are adjacent. */
static u32 first_instance(const Scene* s, u32 t, u32 e) {
    u32 lo = 0, hi = s->count[t];
    while (lo < hi) {
        const u32 middle = lo + (hi - lo) / 2;
        if (s->owner[t][middle] < e)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

bool mirror_spawn_entity(Mirror* mirror, const Scene* s, const Entity* entities, u32 e,
                         Entity outer) {
    MirrorEntity* owner = mirror_find(mirror, entities[e]);
    const bool    had = owner->count[mirror->transform];
    u32           p = s->parent[e];
    for (u32 t = 0; t < s->type_count; t++) {
        if (s->type[t]->several == SINGLE && owner->count[t]) continue;
        for (u32 i = first_instance(s, t, e); i < s->count[t] && s->owner[t][i] == e; i++) {
            scene_record(s, t, i, entities, owner->record[t][owner->count[t]++]);
        }
    }
    if (had || owner->count[mirror->transform] == 0) return false;
    for (; p != NONE; p = s->parent[p]) {
        const MirrorEntity* parent = mirror_find(mirror, entities[p]);
        if (parent && parent->count[mirror->transform]) break;
    }
    mirror_set_parent(mirror, owner, p == NONE ? outer : entities[p]);
    return p == NONE;
}

void mirror_spawn(Mirror* mirror, const Scene* s, const Entity* entities) {
    for (u32 e = 0; e < s->entity_count; e++) mirror_add(mirror, entities[e]);
    for (u32 e = 0; e < s->entity_count; e++) {
        mirror_spawn_entity(mirror, s, entities, e, ENTITY_NULL);
    }
}

/* --- comparing --- */

void mirror_check_entities(const Mirror* mirror) {
    assert_int_equal(ent_entity_count(mirror->world), mirror->count);
    for (u32 i = 0; i < mirror->count; i++) {
        assert_true(ent_entity_alive(mirror->world->entities, mirror->at[i]->id));
    }
}

static u32 lookup_count(const Manager* m, u32 slots) {
    u32 taken = 0;
    if (m->desc.type.lookup == HASHED) {
        for (u32 i = 0; m->slot_mask && i <= m->slot_mask; i++) taken += m->slot[i].entity != 0;
    } else {
        for (u32 i = 0; i < MIN_OF(m->row_slots, slots); i++) taken += m->row[i] != 0;
    }
    return taken;
}

/* Rows of destroyed entities that a lazy manager still has, and how many entities they belong
 * to. */
static u32 rows_of_destroyed(const Manager* m, const EntityPool* pool, u32* owners) {
    u32 rows = 0;
    *owners = 0;
    if (!m->desc.lazy) return 0;
    for (u32 row = 0; row < m->count; row++) {
        if (ent_entity_alive(pool, m->entity[row])) continue;
        rows++;
        *owners += ent_manager_next(m, row) == MANAGER_NO_ROW;
    }
    return rows;
}

void mirror_check_rows(const Mirror* mirror, u32 t) {
    const EntityPool* pool = mirror->world->entities;
    const Manager*    m = manager_of(mirror->world, mirror->type[t]);
    u32               owners, rows = rows_of_destroyed(m, pool, &owners);
    for (u32 i = 0; i < mirror->count; i++) {
        const MirrorEntity* e = mirror->at[i];
        u32                 row = ent_manager_row(m, pool, e->id);
        assert_int_equal(ent_finder_row(ent_manager_finder(m, pool), e->id), row);
        for (u32 k = 0; k < e->count[t]; k++) {
            assert_int_not_equal(row, MANAGER_NO_ROW);
            assert_row_is(m, row, e->id, e->record[t][k]);
            row = ent_manager_next(m, row);
        }
        assert_int_equal(row, MANAGER_NO_ROW);
        rows += e->count[t];
        owners += e->count[t] > 0;
    }
    assert_int_equal(m->count, rows);
    assert_true(m->count <= m->capacity);
    assert_int_equal(lookup_count(m, pool->slot_count), owners);
}

/* The children of a row, in order, and every link back. */
static void children_check(const Mirror* mirror, const MirrorEntity* e, u32 row) {
    World*                w = mirror->world;
    const TransformLinks* link = ent_transform_links(w);
    const Entity*         entity = ent_transform_rows(w).entity;
    u32                   count = 0, before = MANAGER_NO_ROW;
    u64                   link_order = 0;
    for (u32 child = link[row].first_child; child != MANAGER_NO_ROW;
         child = link[child].next_sibling) {
        const MirrorEntity* c = mirror_find(mirror, entity[child]);
        assert_non_null(c);
        assert_int_equal(c->parent, e->id);
        assert_int_equal(link[child].parent, row);
        assert_true(c->link_order > link_order);
        assert_int_equal(link[child].previous_sibling, before);
        link_order = c->link_order;
        before = child;
        count++;
    }
    assert_int_equal(count, e->children);
    assert_int_equal(link[row].last_child, before);
}

void mirror_check_links(const Mirror* mirror) {
    World*                w = mirror->world;
    const TransformLinks* link = ent_transform_links(w);
    for (u32 i = 0; i < mirror->count; i++) {
        const MirrorEntity* e = mirror->at[i];
        const u32           row = ent_transform_row(w, e->id);
        assert_int_equal(row != MANAGER_NO_ROW, e->count[mirror->transform]);
        assert_int_equal(ent_transform_parent(w, e->id), e->parent);
        if (row == MANAGER_NO_ROW) continue;
        if (!e->parent) {
            assert_int_equal(link[row].parent, MANAGER_NO_ROW);
            assert_int_equal(link[row].next_sibling, MANAGER_NO_ROW);
            assert_int_equal(link[row].previous_sibling, MANAGER_NO_ROW);
        }
        children_check(mirror, e, row);
    }
}

void mirror_check_matrices(Mirror* mirror) {
    mirror_worlds(mirror);
    for (u32 i = 0; i < mirror->count; i++) {
        const MirrorEntity* e = mirror->at[i];
        const Mat34*        matrix = ent_transform_world(mirror->world, e->id);
        assert_int_equal(matrix != NULL, e->count[mirror->transform]);
        if (matrix) assert_matrix_near(matrix, &e->world);
    }
}

void mirror_check(Mirror* mirror) {
    mirror_check_entities(mirror);
    for (u32 t = 0; t < mirror->type_count; t++) mirror_check_rows(mirror, t);
    mirror_check_links(mirror);
    mirror_check_matrices(mirror);
}

static int entity_order(const void* a, const void* b) {
    const Entity left = *(const Entity*)a, right = *(const Entity*)b;
    return (left > right) - (left < right);
}

void mirror_check_ids(Mirror* mirror) {
    assert_true(mirror->ever_count < 256 * 1024);
    if (mirror->ever_count == 0) return;
    qsort(mirror->ever, mirror->ever_count, sizeof(Entity), entity_order);
    for (u32 i = 1; i < mirror->ever_count; i++) {
        assert_int_not_equal(mirror->ever[i], mirror->ever[i - 1]);
    }
}
