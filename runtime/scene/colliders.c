/* colliders.c - the colliders of a world as rigid shapes, and how they moved. */
#include "colliders.h"

#include "rows.h"
#include "transform_manager.h"
#include "vec.h"
#include "world_internal.h"

/* What a shape was computed from. */
typedef struct Source {
    Entity         entity;
    Mat34          pose;
    ColliderRecord record;
} Source;

struct EntColliders {
    World*          world;
    Source*         source; /* [count] by row */
    ColliderMotion* shape;  /* [count] by row; reach_m below 0: it has no volume */
    ColliderMotion* listed; /* [listed_count] */
    Body*           body;   /* [body_count] */
    u32*            number; /* [count] by row: of the body of an entity, by its first solid; NONE */
    u32             count, capacity, listed_count, body_count;
    u32             version;
};

/* --- those of a world --- */

ent_status ent_colliders_create(Colliders** out, World* world) {
    const HostAllocator* host = &world->allocator;
    Colliders*           c = host->alloc(host->user, sizeof *c);
    *out = c;
    if (!c) return ENT_NO_MEMORY;
    *c = (Colliders){.world = world};
    return ENT_OK;
}

static size_t arrays_bytes(u32 capacity) {
    return capacity * (sizeof(Source) + 2 * sizeof(ColliderMotion) + sizeof(Body) + sizeof(u32));
}

static void arrays_free(const Colliders* c) {
    const HostAllocator* host = &c->world->allocator;
    if (c->capacity) host->free(host->user, c->shape, arrays_bytes(c->capacity));
}

void ent_colliders_destroy(Colliders* c) {
    if (!c) return;
    const HostAllocator* host = &c->world->allocator;
    arrays_free(c);
    host->free(host->user, c, sizeof *c);
}

static ent_status arrays_reserve(Colliders* c, u32 count) {
    const HostAllocator* host = &c->world->allocator;
    if (count <= c->capacity) return ENT_OK;
    Colliders grown = *c;
    grown.capacity = MAX_OF(count + count / 2, 16u);
    grown.shape = host->alloc(host->user, arrays_bytes(grown.capacity));
    if (!grown.shape) return ENT_NO_MEMORY;
    grown.listed = grown.shape + grown.capacity;
    grown.source = (Source*)(void*)(grown.listed + grown.capacity);
    grown.body = (Body*)(void*)(grown.source + grown.capacity);
    grown.number = (u32*)(void*)(grown.body + grown.capacity);
    if (c->count) memcpy(grown.shape, c->shape, c->count * sizeof *c->shape);
    if (c->listed_count) memcpy(grown.listed, c->listed, c->listed_count * sizeof *c->listed);
    if (c->count) memcpy(grown.source, c->source, c->count * sizeof *c->source);
    arrays_free(c);
    *c = grown;
    return ENT_OK;
}

static bool is_same(const Source* a, const Source* b) {
    return a->entity == b->entity && memcmp(&a->record, &b->record, sizeof a->record) == 0;
}

/* The row that a collider had in the last frame: removed rows are replaced by the last ones, so that it is not above its row now;
 * rows that were not yet computed in this frame still have what they had. One whose record has changed is found in the same row, if
 * that has another solid of its entity, whose space is the same. */
static u32 row_before(const Colliders* c, const Source* now, u32 row) {
    for (u32 i = row; i < c->count; i++)
        if (is_same(&c->source[i], now)) return i;
    const bool is_known = row < c->count && c->source[row].entity == now->entity &&
                          c->source[row].record.kind == now->record.kind;
    return is_known && COLLIDER_IS_SOLID(now->record.kind) ? row : NONE;
}

/* Returns whether the shape is another one than in the last frame. */
static bool shape_update(Colliders* c, u32 row, u32 before, const Source* now) {
    ColliderMotion* const shape = &c->shape[row];
    const bool            is_known = before != NONE;
    const ColliderMotion  old = is_known ? c->shape[before] : (ColliderMotion){0};
    const bool            stood = is_known && memcmp(&old.at, &old.at_was, sizeof old.at) == 0 &&
                       memcmp(&old.turn, &old.turn_was, sizeof old.turn) == 0;
    if (stood && before == row && memcmp(&c->source[row], now, sizeof *now) == 0) return false;
    if (!ent_collider_of(shape, &now->record, &now->pose)) shape->reach_m = -1;
    shape->body = old.body;
    if (is_known && old.reach_m >= 0 && old.is_plane == shape->is_plane) {
        shape->at_was = old.at;
        shape->turn_was = old.turn;
    }
    c->source[row] = *now;
    return true;
}

/* --- bodies --- */

/* The first collider of an entity that is a solid; NONE: it has none. */
static u32 solid_first(const Colliders* c, Entity entity) {
    const ColliderRows rows = ent_collider_rows(c->world);
    const Manager*     m = ent_world_built_in(c->world, COMPONENT_COLLIDER);
    u32                row = ent_manager_row(m, ent_world_entities(c->world), entity);
    while (row != MANAGER_NO_ROW && !COLLIDER_IS_SOLID(rows.record[row].kind))
        row = ent_manager_next(m, row);
    return row == MANAGER_NO_ROW ? NONE : row;
}

static void body_add(Colliders* c, const PointMassRows* mass, u32 row, Entity entity) {
    c->body[c->body_count++] = (Body){.position = mass->position[row],
                                      .velocity_m_s = mass->velocity[row],
                                      .force_n = mass->force[row],
                                      .mass_kg = mass->mass[row],
                                      .entity = entity};
}

/* Returns whether colliders belong to other bodies than in the last frame. */
static bool bodies_find(Colliders* c, const ColliderRows* rows) {
    const PointMassRows mass = ent_point_mass_rows(c->world);
    const Manager*      masses = ent_world_built_in(c->world, COMPONENT_POINT_MASS);
    bool                changed = false;
    c->body_count = 0;
    for (u32 i = 0; i < rows->count; i++) {
        c->number[i] = NONE;
        if (mass.count == 0 || c->shape[i].reach_m < 0) continue; /* it has no volume */
        if (solid_first(c, rows->entity[i]) != i) continue;
        const u32 row = ent_manager_row(masses, ent_world_entities(c->world), rows->entity[i]);
        if (row == MANAGER_NO_ROW) continue;
        c->number[i] = c->body_count;
        body_add(c, &mass, row, rows->entity[i]);
    }
    for (u32 i = 0; i < rows->count; i++) {
        const bool is_solid = c->body_count > 0 && !c->shape[i].is_plane;
        const u32  first = is_solid ? solid_first(c, rows->entity[i]) : NONE;
        const u32  body = first != NONE && c->number[first] != NONE ? c->number[first] + 1 : 0;
        changed |= c->shape[i].body != body;
        c->shape[i].body = body;
    }
    return changed;
}

const Body* ent_colliders_bodies(const Colliders* c, u32* count) {
    *count = c->body_count;
    return c->body;
}

static void list_make(Colliders* c) {
    c->listed_count = 0;
    for (u32 solid = 0; solid < 2; solid++)
        for (u32 i = 0; i < c->count; i++)
            if (c->shape[i].reach_m >= 0 && c->shape[i].is_plane != solid)
                c->listed[c->listed_count++] = c->shape[i];
    c->version++;
}

ent_status ent_colliders_advance(Colliders* c) {
    const ColliderRows rows = ent_collider_rows(c->world);
    TRY(arrays_reserve(c, rows.count));
    bool changed = rows.count != c->count || c->version == 0;
    for (u32 i = 0; i < rows.count; i++) {
        const Mat34* pose = ent_transform_world(c->world, rows.entity[i]);
        Source       now;
        memset(&now, 0, sizeof now); /* it is compared */
        now.entity = rows.entity[i];
        now.pose = pose ? *pose : mat34_identity;
        now.record = rows.record[i];
        changed |= shape_update(c, i, row_before(c, &now, i), &now);
    }
    changed |= bodies_find(c, &rows);
    c->count = rows.count;
    if (changed) list_make(c);
    return ENT_OK;
}

const ColliderMotion* ent_colliders_list(const Colliders* c, u32* count) {
    *count = c->listed_count;
    return c->listed;
}

u32 ent_colliders_version(const Colliders* c) { return c->version; }

u32 ent_collider_planes(World* world, Vec4* plane, u32 capacity) {
    const ColliderRows rows = ent_collider_rows(world);
    u32                count = 0;
    for (u32 i = 0; i < rows.count && count < capacity; i++) {
        const Mat34*   pose = ent_transform_world(world, rows.entity[i]);
        ColliderMotion c;
        if (rows.record[i].kind != COLLIDER_PLANE) continue;
        if (!ent_collider_of(&c, &rows.record[i], pose ? pose : &mat34_identity)) continue;
        plane[count++] = ent_collider_plane(&c);
    }
    return count;
}
