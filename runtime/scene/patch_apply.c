/* patch_apply.c - applies a patch to a running world.
 *
 * Everything that can fail is done first: memory for the patch itself, and capacity in the world
 * for additions. Then instances and entities are removed, fields are written, additions are
 * spawned, and transforms are attached to their new parents. */
#include "entity_names_internal.h"
#include "manager_watch.h"
#include "hash.h"
#include "patch_internal.h"
#include "persistent_manager.h"
#include "patch_spawns_internal.h"

#include "fields.h"
#include "transform_internal.h"

typedef struct Apply {
    World*                 world;
    const Patch*           patch;
    const Entity*          old_entities;
    Entity                 parent;    /* of transforms without a parent */
    const TransformRecord* root;      /* that their poses are relative to, or NULL, */
    TransformRecord        from_root; /* and its inverse */
    u32                    seed;      /* of persistent ids */
    PatchSpawns*           spawns;    /* whose records receive `now`; or NULL */
    TextRef*               texts;     /* [strings of the new blob] in the world, or NULL */
    ConvertedRows*         names;     /* of the new blob, or NULL */
    PatchResult            result;
    u32                    fresh_count;
    u32*                   fresh;        /* [fresh_count] created entities of the new blob */
    Entity*                now;          /* [patch->new_count] */
    Entity*                list;         /* [maximum of added and removed entities] */
    u32*                   index;        /* [rows_max] owners of a batch, and */
    u32*                   row;          /* [rows_max] rows of the new blob, */
    u8*                    columns;      /* [column_bytes] their columns, */
    u32*                   scratch;      /* [2 * new_count] and what their spawner writes to */
    u32                    rows_max;     /* */
    size_t                 column_bytes; /* */
} Apply;

static const EntityPool* pool_of(const Apply* a) { return a->world->entities; }

static bool is_transform(const PatchPart* part) {
    return part->type->id == ent_component_types()[COMPONENT_TRANSFORM].id;
}

static bool is_persistent_id(const PatchPart* part) {
    return part->type->id == ent_component_types()[COMPONENT_PERSISTENT_ID].id;
}

/* The manager of a part's type, or NULL: the type is not registered in the world. */
static Manager* manager_of(const Apply* a, const PatchPart* part) {
    Manager* m = ent_world_manager(a->world, part->type->id);
    return m && m->desc.type.layout == part->type->layout ? m : NULL;
}

/* --- what can fail --- */

static void* carve(u8* block, size_t* used, size_t bytes) {
    void* at = block ? block + *used : NULL;
    *used += (size_t)align_up(bytes, 16);
    return at;
}

static size_t columns_bytes(const ComponentType* type, u32 rows) {
    size_t bytes = 0;
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        bytes += (size_t)align_up((u64)rows * ent_component_column_bytes(type, c), 16);
    }
    return bytes;
}

static size_t apply_carve(Apply* a, u8* block) {
    const Patch* p = a->patch;
    size_t       used = 0;
    a->now = carve(block, &used, sizeof(Entity) * p->new_count);
    a->fresh = carve(block, &used, sizeof(u32) * p->added_count);
    a->list = carve(block, &used, sizeof(Entity) * MAX_OF(p->added_count, p->removed_count));
    if (a->rows_max == 0) return used;
    a->index = carve(block, &used, sizeof(u32) * a->rows_max);
    a->row = carve(block, &used, sizeof(u32) * a->rows_max);
    a->columns = carve(block, &used, a->column_bytes);
    a->scratch = carve(block, &used, sizeof(u32) * 2 * (size_t)p->new_count);
    return used;
}

static bool group_exists(const Apply* a, u32 group) {
    u32 first, end;
    ent_blob_group_range(a->patch->old_blob, group, &first, &end);
    while (first < end && a->old_entities[first] == ENTITY_NULL) first++;
    return first < end;
}

/* Are additions to a group of the new blob spawned? Not while the host leaves the group out; a
 * group without entities in the old blob is spawned when the host leaves out no group. */
static bool group_is_spawned(const Apply* a, u32 group) {
    const Blob*   old = a->patch->old_blob;
    const NameRef id = ent_blob_group_id(a->patch->new_blob, group);
    u32           existing = 0;
    for (u32 g = 0; g < ent_blob_group_count(old); g++) {
        if (ent_blob_group_id(old, g) == id) return group_exists(a, g);
    }
    while (existing < ent_blob_group_count(old) && group_exists(a, existing)) existing++;
    return existing == ent_blob_group_count(old);
}

/* Finds the entities that exist, and those to be created: all except those below an entity that
 * is destroyed, or in a group that is not spawned. The entities of a group are adjacent, behind
 * the base. */
static void entities_look_up(Apply* a) {
    const Patch* p = a->patch;
    const u32*   parent = patch_parents(p->new_blob);
    u32          group = NONE, first, end;
    bool         comes = true;
    ent_blob_group_range(p->new_blob, group, &first, &end);
    for (u32 i = 0; i < p->new_count; i++) {
        const u32 before = p->old_of_new[i];
        if (i == end) {
            ent_blob_group_range(p->new_blob, ++group, &first, &end); /* NONE + 1 is the first */
            comes = group_is_spawned(a, group);
        }
        if (a->spawns && a->spawns->owner) comes = a->spawns->owner[i] != NONE;
        a->now[i] = ENTITY_NULL;
        if (before != NONE) {
            const Entity entity = a->old_entities[before];
            if (ent_entity_alive(pool_of(a), entity)) a->now[i] = entity;
        } else if (comes && (parent[i] == NONE || a->now[parent[i]] != ENTITY_NULL)) {
            a->now[i] = UINT32_MAX; /* until it is created */
            a->fresh[a->fresh_count++] = i;
        }
        a->result.passed_over += a->now[i] == ENTITY_NULL;
    }
}

static ent_status buffer_reserve(const Apply* a) {
    Plan plan = {0};
    TRY(plan_entities(&plan, a->world, a->fresh_count));
    if (a->names) TRY(plan_rows(&plan, a->world, names_manager(a->world), a->names->count));
    for (u32 i = 0; i < a->patch->part_count; i++) {
        const PatchPart* part = &a->patch->part[i];
        const Manager*   m = manager_of(a, part);
        if (m) TRY(plan_rows(&plan, a->world, m, part->spawned_count + part->added_count));
    }
    return plan_run(a->world, &plan);
}

static ent_status entities_make(Apply* a) {
    TRY(buffer_reserve(a));
    TRY(ent_entity_create(a->world, a->list, a->fresh_count));
    for (u32 i = 0; i < a->fresh_count; i++) a->now[a->fresh[i]] = a->list[i];
    a->result.entities_added = a->fresh_count;
    return ENT_OK;
}

/* --- attaching --- */

/* The new parent of a transform. */
static Entity link_parent(const Apply* a, const PatchLink* link) {
    const Entity parent = link->parent == NONE ? a->parent : a->now[link->parent];
    return ent_transform_row(a->world, parent) == MANAGER_NO_ROW ? ENTITY_NULL : parent;
}

/* An entity that was relative to the root of the complete level and now gets a parent, or the
 * reverse, keeps the pose that the game set, relative to its parent in the source. */
static void links_place(const Apply* a) {
    for (u32 i = 0; i < a->patch->link_count && a->root; i++) {
        const PatchLink* link = &a->patch->link[i];
        const u32        row = ent_transform_row(a->world, a->now[link->entity]);
        const bool       is_root = link->parent == NONE;
        if (row == MANAGER_NO_ROW || is_root == (link->was_root != 0)) continue;
        TransformRecord local = ent_transform_local(a->world, row);
        transform_place(&local, is_root ? a->root : &a->from_root);
        ent_transform_set_local(a->world, row, &local);
    }
}

/* From the top down in the new blob: a parent already has its final place when it gets a child,
 * so that no cycle arises in between, however the source reordered the hierarchy. */
static void links_attach(Apply* a) {
    for (u32 i = 0; i < a->patch->link_count; i++) {
        const PatchLink* link = &a->patch->link[i];
        const Entity     entity = a->now[link->entity], parent = link_parent(a, link);
        const bool       existing = ent_transform_row(a->world, entity) != MANAGER_NO_ROW;
        if (existing && ent_transform_parent(a->world, entity) == parent) continue;
        /* The game may have attached the parent to the child. */
        if (existing && ent_transform_reparent(a->world, entity, parent) == ENT_OK)
            a->result.transforms_attached++;
        else
            a->result.passed_over++;
    }
}

/* --- removal --- */

static u32 row_at(const Apply* a, const Manager* m, Entity entity, u32 position) {
    u32 row = ent_manager_row(m, pool_of(a), entity);
    while (position-- > 0 && row != MANAGER_NO_ROW) row = ent_manager_next(m, row);
    return row;
}

/* From the last to the first, so that the positions of earlier instances do not change. */
static void instances_remove(Apply* a, const PatchPart* part, Manager* m) {
    for (u32 i = part->removed_count; i-- > 0;) {
        const PatchInstance* gone = &part->removed[i];
        const u32            row = row_at(a, m, a->old_entities[gone->entity], gone->position);
        if (row == MANAGER_NO_ROW) {
            a->result.passed_over++;
            continue;
        }
        ent_manager_remove(a->world, m, row);
        a->result.instances_removed++;
    }
}

static void entities_remove(Apply* a) {
    const Patch* p = a->patch;
    u32          count = 0;
    for (u32 i = 0; i < p->removed_count; i++) a->list[count++] = a->old_entities[p->removed[i]];
    a->result.entities_removed = ent_entity_destroy(a->world, a->list, count);
    a->result.passed_over += p->removed_count - a->result.entities_removed;
}

/* --- writing --- */

/* The value of a field of the new blob in this world. */
static void words_resolve(const Apply* a, const PatchPart* part, u32 row, u32 field, void* out) {
    const Field*    f = &part->type->record.fields[field];
    const FieldForm form = field_form(f);
    const bool      is_id = form == FORM_PERSISTENT || is_persistent_id(part);
    memcpy(out, ent_patch_words(a->patch->new_blob, part->type, row, field), f->bytes);
    const bool is_text = form == FORM_TEXT && a->texts;
    for (u32 e = 0; e < f->bytes && (form == FORM_ENTITY || is_id || is_text); e += 4) {
        u32 word;
        memcpy(&word, (u8*)out + e, 4);
        if (form == FORM_ENTITY)
            word = word == NONE ? ENTITY_NULL : a->now[word];
        else if (is_text)
            word = a->texts[word];
        else
            word = ent_persistent_seeded(word, a->seed);
        memcpy((u8*)out + e, &word, 4);
    }
}

static void field_write(const Apply* a, const PatchPart* part, Manager* m, u32 row, u32 blob_row,
                        u32 field) {
    const ComponentType* type = part->type;
    const u32            column = type->columns == BY_FIELD ? field : 0;
    const u32            bytes = ent_component_column_bytes(type, column);
    const u32            inside =
        type->record.fields[field].offset - ent_component_column_offset(type, column);
    words_resolve(a, part, blob_row, field, (u8*)m->column[column] + (size_t)row * bytes + inside);
    ent_manager_changed(m, &row, 1);
}

/* The changes of one instance, from the i-th on. Returns where the next one's begin. */
static u32 instance_end(const PatchPart* part, u32 i) {
    const u32 row = part->changed[i].new_row;
    while (i < part->changed_count && part->changed[i].new_row == row) i++;
    return i;
}

/* Each field of a pose relative to another one depends only on the same field. */
static void pose_write(const Apply* a, const PatchPart* part, u32 row, u32 first, u32 end) {
    const Field*    field = part->type->record.fields;
    TransformRecord local = ent_transform_local(a->world, row), pose = local;
    for (u32 i = first; i < end; i++) {
        const PatchChange* c = &part->changed[i];
        words_resolve(a, part, c->new_row, c->field, (u8*)&pose + field[c->field].offset);
    }
    if (a->root && a->patch->ancestor[part->changed[first].entity] == NONE)
        transform_place(&pose, a->root);
    for (u32 i = first; i < end; i++) {
        const Field* f = &field[part->changed[i].field];
        memcpy((u8*)&local + f->offset, (const u8*)&pose + f->offset, f->bytes);
    }
    ent_transform_set_local(a->world, row, &local);
}

static void fields_write(Apply* a, const PatchPart* part, Manager* m) {
    for (u32 first = 0, end; first < part->changed_count; first = end) {
        const PatchChange* c = &part->changed[first];
        const u32          row = row_at(a, m, a->now[c->entity], c->position);
        end = instance_end(part, first);
        if (row == MANAGER_NO_ROW) {
            a->result.passed_over += end - first;
            continue;
        }
        a->result.fields_written += end - first;
        if (is_transform(part)) {
            pose_write(a, part, row, first, end);
            continue;
        }
        for (u32 i = first; i < end; i++) {
            field_write(a, part, m, row, c->new_row, part->changed[i].field);
        }
        if (m->desc.changed) m->desc.changed(m, row);
    }
}

/* --- addition --- */

/* The rows that one call of a spawner adds: those of added entities, and of those that stayed
 * and have no instance yet. */
static u32 batch_gather(Apply* a, const PatchPart* part, const Manager* m) {
    const Patch*       p = a->patch;
    const BlobSection* s = ent_blob_component(p->new_blob, part->type->id);
    const u32*         owner = ent_blob_data(p->new_blob, s);
    u32                count = 0, k = 0;
    for (u32 i = 0; i < s->count; i++) {
        const Entity entity = a->now[owner[i]];
        const bool   stayed = p->old_of_new[owner[i]] != NONE;
        if (stayed && (k == part->added_count || part->added[k].row != i)) continue;
        k += stayed;
        if (entity == ENTITY_NULL) {
            a->result.passed_over += stayed;
            continue;
        }
        if (stayed && ent_manager_row(m, pool_of(a), entity) != MANAGER_NO_ROW) continue;
        a->result.instances_added += stayed;
        a->row[count] = i;
        a->index[count++] = owner[i];
    }
    return count;
}

static void batch_spawn(Apply* a, const PatchPart* part, Manager* m, u32 count) {
    const ComponentType* type = part->type;
    const Patch*         p = a->patch;
    const BlobSection*   s = ent_blob_component(p->new_blob, type->id);
    const void*          columns[COMPONENT_COLUMNS_MAX];
    size_t               used = 0;
    assert(ent_component_column_count(type) <= COUNT_OF(columns)); /* of a valid type */
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        const u32 bytes = ent_component_column_bytes(type, c);
        const u8* from = ent_blob_column(p->new_blob, s, type, c);
        u8*       to = carve(a->columns, &used, (size_t)count * bytes);
        for (u32 i = 0; i < count; i++, to += bytes) {
            memcpy(to, from + (size_t)a->row[i] * bytes, bytes);
        }
        columns[c] = to - (size_t)count * bytes;
    }
    const SpawnBatch batch = {.entities = a->now,
                              .parent_index = patch_parents(p->new_blob),
                              .entity_count = p->new_count,
                              .entity_end = p->new_count,
                              .count = count,
                              .entity_index = a->index,
                              .columns = columns,
                              .scratch = a->scratch,
                              .texts = a->texts,
                              .seed = a->seed,
                              .parent = ent_transform_row(a->world, a->parent) == NONE ? ENTITY_NULL
                                                                                       : a->parent};
    const u32        base = m->count;
    if (m->desc.spawn) {
        m->desc.spawn(a->world, m, &batch);
    } else {
        manager_append(m, &batch, a->world->jobs);
        manager_zero_extras(m, base, count);
    }
}

/* The spawner cannot distinguish children of entities that stayed from entities without a
 * parent. */
static void roots_place(const Apply* a, u32 base, u32 count) {
    for (u32 i = 0; i < count && a->root; i++) {
        if (a->patch->ancestor[a->index[i]] != NONE) continue;
        TransformRecord pose = ent_transform_local(a->world, base + i);
        transform_place(&pose, a->root);
        ent_transform_set_local(a->world, base + i, &pose);
    }
}

/* Adds an instance to an entity that has instances: behind them, when it may have multiple ones. */
static void instance_chain(Apply* a, const PatchPart* part, Manager* m, const PatchInstance* more) {
    u32 row;
    if (part->type->several == SINGLE ||
        ent_manager_create(a->world, m, a->now[more->entity], &row) != ENT_OK) {
        a->result.passed_over++;
        return;
    }
    for (u32 f = 0; f < part->type->record.field_count; f++) {
        field_write(a, part, m, row, more->row, f);
    }
    if (m->desc.changed) m->desc.changed(m, row);
    a->result.instances_added++;
}

static void instances_add(Apply* a, const PatchPart* part, Manager* m) {
    if (part->spawned_count + part->added_count == 0) return;
    const u32 count = batch_gather(a, part, m), base = m->count;
    if (count) batch_spawn(a, part, m, count);
    if (is_transform(part)) roots_place(a, base, count);
    for (u32 i = 0; i < part->added_count; i++) {
        const PatchInstance* more = &part->added[i];
        const Entity         entity = a->now[more->entity];
        const u32            row = ent_manager_row(m, pool_of(a), entity);
        if (row == MANAGER_NO_ROW || (row >= base && row < base + count)) continue;
        instance_chain(a, part, m, more);
    }
}

/* --- the complete patch --- */

static void apply_run(Apply* a) {
    const Patch* p = a->patch;
    const int    deferred = world_transforms(a->world)->deferred;
    ent_transform_defer(a->world,
                        1); /* each matrix is computed once, and attaching allocates nothing */
    links_place(a);
    for (u32 i = 0; i < p->part_count; i++) {
        Manager* m = manager_of(a, &p->part[i]);
        if (m) instances_remove(a, &p->part[i], m);
    }
    entities_remove(a);
    for (u32 i = 0; i < p->part_count; i++) {
        Manager* m = manager_of(a, &p->part[i]);
        if (m) fields_write(a, &p->part[i], m);
    }
    /* In spawn order, independent of the order of the types in the patch. */
    for (u32 k = 0; k < a->world->manager_count; k++) {
        for (u32 i = 0; i < p->part_count; i++) {
            Manager* m = manager_of(a, &p->part[i]);
            if (m == &a->world->manager[k]) instances_add(a, &p->part[i], m);
        }
    }
    links_attach(a);
    ent_transform_defer(a->world, deferred);
    names_patch(a->world, &(NamesPatch){.old_blob = p->old_blob,
                                        .new_blob = p->new_blob,
                                        .old_of_new = p->old_of_new,
                                        .now = a->now,
                                        .parent = a->parent,
                                        .rows = a->names});
}

/* Destroyed entities keep their stale handles, unlike those that were never spawned. */
static void entities_notify(const Apply* a) {
    const Patch* p = a->patch;
    for (u32 i = 0; i < p->new_count; i++) {
        if (p->old_of_new[i] != NONE) a->now[i] = a->old_entities[p->old_of_new[i]];
    }
}

/* The inverse of `root`: a pose relative to it and then to `root` is the original one. */
static TransformRecord pose_inverse(const TransformRecord* root) {
    const Quat      q = root->rotation;
    const f32       scale = root->scale.x != 0 ? 1 / root->scale.x : 0;
    TransformRecord turn = {{0, 0, 0}, {-q.x, -q.y, -q.z, q.w}, {scale, scale, scale}};
    TransformRecord moved = {
        {-root->position.x, -root->position.y, -root->position.z}, {0, 0, 0, 1}, {1, 1, 1}};
    transform_place(&moved, &turn);
    return (TransformRecord){moved.position, turn.rotation, turn.scale};
}

/* Handles of another world, or none at all: a patch that changes nothing must not go unnoticed. */
static void stale_report(const Apply* a) {
    const Patch* p = a->patch;
    u32          alive = 0;
    for (u32 i = 0; i < p->old_count; i++)
        alive += ent_entity_alive(pool_of(a), a->old_entities[i]) != 0;
    if (alive || p->old_count == 0) return;
    world_log(a->world, LOG_WARNING,
              "none of the %u entities of the level is alive in this world: the patch changes none "
              "of them; after a save was loaded, ent_saved_entities finds them",
              p->old_count);
}

/* How the level was spawned: as the options state, or as the world has recorded under their number. */
static ent_status spawn_look_up(Apply* a, const SpawnOptions* options, PatchSpawns* spawns) {
    if (!options) return ENT_OK;
    a->parent = options->parent, a->root = options->root, a->seed = options->seed;
    if (!options->spawned) return ENT_OK;
    TRY(patch_spawns_open(spawns, a->world, a->patch, *options->spawned));
    const SpawnRecord* record = spawned_find(a->world, *options->spawned);
    a->spawns = spawns;
    a->parent = record->info.parent;
    a->root = record->has_root ? &record->root : NULL;
    a->seed = record->info.seed;
    a->old_entities = spawns->before;
    return ENT_OK;
}

/* The entities of the new blob are in `new_entities`, unless it is NULL, and in the records of spawns. */
static ent_status patch_run(Apply* a, Entity* new_entities) {
    const HostAllocator* host = &a->world->allocator;
    const size_t         bytes = MAX_OF(apply_carve(a, NULL), (size_t)16);
    u8*                  block = host->alloc(host->user, bytes);
    if (!block) return ENT_NO_MEMORY;
    apply_carve(a, block);
    entities_look_up(a);
    stale_report(a);
    const ent_status status = entities_make(a);
    if (status == ENT_OK) {
        apply_run(a);
        entities_notify(a);
        if (new_entities) memcpy(new_entities, a->now, sizeof(Entity) * a->patch->new_count);
    }
    if (a->spawns && status == ENT_OK) {
        patch_spawns_close(a->spawns, a->now);
        a->spawns = NULL;
    }
    host->free(host->user, block, bytes);
    return status;
}

ent_status ent_world_patch(World* world, const Patch* patch, const SpawnOptions* options,
                           const Entity* old_entities, Entity* new_entities, PatchResult* result) {
    Apply       a = {.world = world, .patch = patch, .old_entities = old_entities};
    PatchSpawns spawns;
    TRY(spawn_look_up(&a, options, &spawns));
    if (a.root) a.from_root = pose_inverse(a.root);
    for (u32 i = 0; i < patch->part_count; i++) {
        const PatchPart* part = &patch->part[i];
        const u32        rows = part->spawned_count + part->added_count;
        a.rows_max = MAX_OF(a.rows_max, rows);
        a.column_bytes = MAX_OF(a.column_bytes, columns_bytes(part->type, rows));
    }
    ent_status status = world_texts_of(world, patch->new_blob, &a.texts);
    if (status == ENT_OK) status = names_rows(world, patch->new_blob, &a.names);
    if (status == ENT_OK) status = patch_run(&a, new_entities);
    if (status == ENT_OK && result) *result = a.result;
    if (a.spawns) patch_spawns_close(a.spawns, NULL);
    convert_drop(world, a.names);
    world_drop(world, a.texts);
    return status;
}
