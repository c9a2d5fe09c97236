/* transform_manager.c - spawning poses, and keeping world matrices right.
 *
 * Rows come from the compiler parents first and near their children, so that one forward pass makes
 * all world matrices while parents are still in the cache. */
#include "transform_manager.h"

#include "pose_internal.h"

#define SPAWN_CHUNK 256 /* rows whose poses stay in the first cache between copy and matrix */

enum { COLUMN_POSITION, COLUMN_ROTATION, COLUMN_SCALE, COLUMN_WORLD, COLUMN_LINKS };

static Manager* transforms(const World* world) {
    return (Manager*)&world->manager[world->built_in[COMPONENT_TRANSFORM]];
}

static const Mat34 identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

typedef struct Rows {
    Vec3*           position;
    Quat*           rotation;
    Vec3*           scale;
    Mat34*          world;
    TransformLinks* links;
} Rows;

static Rows rows_of(const Manager* m) {
    return (Rows){m->column[COLUMN_POSITION], m->column[COLUMN_ROTATION], m->column[COLUMN_SCALE],
                  m->column[COLUMN_WORLD], m->column[COLUMN_LINKS]};
}

static void world_from_parent(const Rows* r, u32 row, u32 parent) {
    Mat34 local;
    mat34_from_pose(&local, &r->position[row], &r->rotation[row], &r->scale[row]);
    mat34_multiply(&r->world[row], parent == MANAGER_NO_ROW ? &identity : &r->world[parent],
                   &local);
}

/* --- spawning --- */

/* The row that each instance hangs on: its nearest ancestor with a transform. */
static void parent_rows(const SpawnBatch* batch, u32 base, u32* parent_row) {
    u32* row = batch->scratch; /* of each entity, or of the nearest ancestor that has one */
    for (u32 e = 0, i = 0; e < batch->entity_count; e++) {
        const u32 parent = batch->parent_index[e];
        const u32 above = parent == MANAGER_NO_ROW ? MANAGER_NO_ROW : row[parent];
        row[e] = above;
        if (i < batch->count && batch->entity_index[i] == e) {
            parent_row[i] = above;
            row[e] = base + i++;
        }
    }
}

/* Hangs `row` behind the last child of its parent. `last` remembers, per new row, its last child;
 * what has no parent writes into the two spares, which spares the branch. */
static inline void link_row(TransformLinks* links, u32* last, u32 base, u32 row, u32 parent) {
    u32             spare_last = MANAGER_NO_ROW;
    TransformLinks  spare;
    const bool      root = parent == MANAGER_NO_ROW;
    u32*            last_child = pointer_select(root, &spare_last, &last[(size_t)parent - base]);
    TransformLinks* above = pointer_select(root, &spare, &links[parent]);
    const u32       before = *last_child;
    u32*            place =
        pointer_select(before == MANAGER_NO_ROW, &above->first_child, &links[before].next_sibling);
    links[row] = (TransformLinks){parent, MANAGER_NO_ROW, MANAGER_NO_ROW, before};
    last[row - base] = MANAGER_NO_ROW;
    *place = row;
    *last_child = row;
}

static void poses_to_matrices(const Rows* r, u32 row, u32 count, Mat34* out) {
    u32 i = 0;
    for (; i + 4 <= count; i += 4, row += 4) {
        mat34_from_four_poses(&out[i], &r->position[row], &r->rotation[row], &r->scale[row]);
    }
    for (; i < count; i++, row++) {
        mat34_from_pose(&out[i], &r->position[row], &r->rotation[row], &r->scale[row]);
    }
}

static void transform_spawn(World* world, Manager* m, const SpawnBatch* batch) {
    const u32  base = ent_manager_append(m, batch);
    const Rows r = rows_of(m);
    const bool dense = batch->count == batch->entity_count; /* then instance i is entity i */
    u32*       last = batch->scratch + batch->entity_count;
    u32        parents[SPAWN_CHUNK];
    Mat34      locals[SPAWN_CHUNK];
    UNUSED(world);
    u32* sparse = dense ? NULL : last; /* each is read before `last` of its row is written */
    if (!dense) parent_rows(batch, base, sparse);
    for (u32 first = 0; first < batch->count; first += SPAWN_CHUNK) {
        const u32 count = MIN_OF(batch->count - first, (u32)SPAWN_CHUNK);
        for (u32 i = 0; i < count; i++) {
            const u32 p = dense ? batch->parent_index[first + i] : sparse[first + i];
            parents[i] = dense && p != MANAGER_NO_ROW ? base + p : p;
        }
        poses_to_matrices(&r, base + first, count, locals);
        /* Roots multiply with the identity: a branch that cannot be learned costs more. */
        for (u32 i = 0; i < count; i++) {
            const bool   root = parents[i] == MANAGER_NO_ROW;
            const Mat34* above = pointer_select(root, (Mat34*)&identity, &r.world[parents[i]]);
            mat34_multiply(&r.world[base + first + i], above, &locals[i]);
            link_row(r.links, last, base, base + first + i, parents[i]);
        }
    }
}

/* --- changing --- */

static void subtree_update(const Rows* r, u32 top) {
    u32 row = top;
    for (;;) {
        world_from_parent(r, row, r->links[row].parent);
        if (r->links[row].first_child != MANAGER_NO_ROW) {
            row = r->links[row].first_child;
            continue;
        }
        while (row != top && r->links[row].next_sibling == MANAGER_NO_ROW)
            row = r->links[row].parent;
        if (row == top) return;
        row = r->links[row].next_sibling;
    }
}

static void unlink_row(const Rows* r, u32 row) {
    const TransformLinks l = r->links[row];
    if (l.previous_sibling != MANAGER_NO_ROW) {
        r->links[l.previous_sibling].next_sibling = l.next_sibling;
    } else if (l.parent != MANAGER_NO_ROW) {
        r->links[l.parent].first_child = l.next_sibling;
    }
    if (l.next_sibling != MANAGER_NO_ROW) {
        r->links[l.next_sibling].previous_sibling = l.previous_sibling;
    }
}

/* Children of a row that goes stay where their local poses put them, without a parent. */
static void orphan_children(const Rows* r, u32 row) {
    for (u32 child = r->links[row].first_child; child != MANAGER_NO_ROW;) {
        const u32 next = r->links[child].next_sibling;
        r->links[child].parent = MANAGER_NO_ROW;
        r->links[child].next_sibling = r->links[child].previous_sibling = MANAGER_NO_ROW;
        subtree_update(r, child);
        child = next;
    }
}

/* Everybody who speaks of row `from` is told that it will be row `to`. */
static void relink_moved(const Rows* r, u32 from, u32 to) {
    const TransformLinks l = r->links[from];
    if (l.previous_sibling != MANAGER_NO_ROW)
        r->links[l.previous_sibling].next_sibling = to;
    else if (l.parent != MANAGER_NO_ROW)
        r->links[l.parent].first_child = to;
    if (l.next_sibling != MANAGER_NO_ROW) r->links[l.next_sibling].previous_sibling = to;
    for (u32 c = l.first_child; c != MANAGER_NO_ROW; c = r->links[c].next_sibling) {
        r->links[c].parent = to;
    }
}

static void transform_remove(Manager* m, u32 row, u32 last) {
    const Rows r = rows_of(m);
    unlink_row(&r, row);
    orphan_children(&r, row);
    if (row != last) relink_moved(&r, last, row);
}

void transform_manager_desc(ManagerDesc* desc) {
    desc->extra_bytes[0] = sizeof(Mat34);
    desc->extra_bytes[1] = sizeof(TransformLinks);
    desc->spawn = transform_spawn;
    desc->remove = transform_remove;
}

/* --- the door --- */

u32 ent_transform_row(const World* world, Entity entity) {
    return ent_manager_row(transforms(world), &world->entities, entity);
}

const Mat34* ent_transform_world(const World* world, Entity entity) {
    const u32 row = ent_transform_row(world, entity);
    return row == MANAGER_NO_ROW ? NULL : rows_of(transforms(world)).world + row;
}

TransformRecord ent_transform_local(const World* world, u32 row) {
    const Rows r = rows_of(transforms(world));
    assert(row < transforms(world)->count);
    return (TransformRecord){r.position[row], r.rotation[row], r.scale[row]};
}

void ent_transform_set_local(World* world, u32 row, const TransformRecord* local) {
    const Rows r = rows_of(transforms(world));
    assert(row < transforms(world)->count);
    r.position[row] = local->position;
    r.rotation[row] = local->rotation;
    r.scale[row] = local->scale;
    subtree_update(&r, row);
}

Entity ent_transform_parent(const World* world, Entity entity) {
    const Manager* m = transforms(world);
    const u32      row = ent_transform_row(world, entity);
    if (row == MANAGER_NO_ROW) return ENTITY_NOBODY;
    const u32 parent = rows_of(m).links[row].parent;
    return parent == MANAGER_NO_ROW ? ENTITY_NOBODY : m->entity[parent];
}

u32 ent_transform_depth(const World* world) {
    const Manager* m = transforms(world);
    const Rows     r = rows_of(m);
    u32            deepest = 0;
    for (u32 i = 0; i < m->count; i++) {
        u32 depth = 1;
        for (u32 p = r.links[i].parent; p != MANAGER_NO_ROW; p = r.links[p].parent) depth++;
        deepest = MAX_OF(deepest, depth);
    }
    return deepest;
}
