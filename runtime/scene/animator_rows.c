/* animator_rows.c - the rows of animators, and the clips that they play. */
#include "animators_internal.h"
#include "clip.h"
#include "hash.h"

static AnimatorRow row_of(Entity entity) {
    return (AnimatorRow){
        .entity = entity, .id = UINT64_MAX, .id_2 = UINT64_MAX, .clip = NONE, .clip_2 = NONE};
}

/* The rows of the tables are others. */
static void rows_forget(Animators* a) {
    for (u32 i = 0; i < a->row_room; i++) a->row[i] = row_of(ENTITY_NULL);
    for (u32 i = 0; i < a->node_room; i++) a->node[i] = (NodeRow){.use = ANIMATOR_UNUSED};
    for (u32 i = 0; i < a->property_room; i++)
        a->property[i] = (PropertyRow){.use = ANIMATOR_UNUSED};
}

static ent_status rows_make(Animators* a, u32 rows) {
    const u32 room = MAX_OF(rows + rows / 2, 16u);
    if (rows <= a->row_room) return ENT_OK;
    AnimatorRow* grown = pose_library_grow(&a->poses, a->row, a->row_room, room, sizeof *grown);
    if (!grown) return ENT_NO_MEMORY;
    for (u32 i = a->row_room; i < room; i++) grown[i] = row_of(ENTITY_NULL);
    a->row = grown;
    a->row_room = room;
    return ENT_OK;
}

ent_status animator_clip_find(Animators* a, ResourceRef ref, u64* id, u32* clip) {
    u32 found;
    *clip = NONE;
    *id = resource_id(ref);
    TRY(pose_library_clip(&a->poses, ref, &found));
    if (found == NONE) return ENT_OK;
    TRY(pose_tables_nodes(&a->poses.tables, found));
    *clip = found;
    return ENT_OK;
}

/* A clip that the library did not have may be open now: it is looked for again. */
static bool is_resolved(ResourceRef ref, u64 id, u32 clip) {
    return resource_id(ref) == id && (clip != NONE || !id);
}

static bool has_events(const Animators* a, u32 clip) {
    return clip != NONE && ent_blob_section(a->poses.tables.clip[clip].blob, SECTION_CLIP_EVENT);
}

static ent_status row_resolve(Animators* a, const AnimatorRecord* record, AnimatorRow* row) {
    const bool is_same = is_resolved(record->clip, row->id, row->clip);
    const bool is_same_2 = is_resolved(record->second_clip, row->id_2, row->clip_2);
    if (is_same && is_same_2) return ENT_OK;
    row->is_posed = false;
    if (!is_same) TRY(animator_clip_find(a, record->clip, &row->id, &row->clip));
    if (!is_same_2) TRY(animator_clip_find(a, record->second_clip, &row->id_2, &row->clip_2));
    row->has_events = has_events(a, row->clip) || has_events(a, row->clip_2);
    return ENT_OK;
}

ent_status animator_rows_resolve(Animators* a) {
    const AnimatorRows rows = ent_animator_rows(a->poses.world);
    const u32          version = a->poses.tables.version;
    if (pose_library_follow(&a->poses) || version != a->poses.tables.version) rows_forget(a);
    TRY(rows_make(a, rows.count));
    for (u32 i = 0; i < rows.count; i++) {
        if (a->row[i].entity != rows.entity[i]) a->row[i] = row_of(rows.entity[i]);
        TRY(row_resolve(a, &rows.record[i], &a->row[i]));
    }
    return ENT_OK;
}

static f32 time_of(const Animators* a, u32 clip, f32 time_s, u32 end) {
    return clip == NONE ? 0 : clip_time_inside(time_s, a->poses.tables.clip[clip].duration_s, end);
}

PosePlay animator_play(const Animators* a, const AnimatorRecord* record, const AnimatorRow* row) {
    return (PosePlay){.skeleton = NONE,
                      .clip = row->clip,
                      .clip_2 = row->clip_2,
                      .set = NONE,
                      .set_2 = NONE,
                      .time_s = time_of(a, row->clip, record->time_s, record->end),
                      .time_2_s = time_of(a, row->clip_2, record->second_time_s, record->end),
                      .blend = record->blend};
}

/* Takes the rows of the animators of an entity, in their order. */
static ent_status owner_take(Animators* a, Entity owner) {
    const Manager*    animators = animators_manager(a, COMPONENT_ANIMATOR);
    const EntityPool* pool = ent_world_entities(a->poses.world);
    u32               count = 0;
    if (a->owner == owner && a->owner_moves == a->watch.moves) return ENT_OK;
    const u32 first = ent_manager_row(animators, pool, owner);
    for (u32 at = first; at != MANAGER_NO_ROW; at = ent_manager_next(animators, at)) count++;
    if (count > a->owner_room) {
        u32* const grown = pose_library_take(&a->poses, count * 2 * sizeof *grown);
        if (!grown) return ENT_NO_MEMORY;
        pose_library_return(&a->poses, a->owner_row, a->owner_room * sizeof *grown);
        a->owner_row = grown;
        a->owner_room = count * 2;
    }
    a->owner = owner;
    a->owner_moves = a->watch.moves;
    a->owner_count = 0;
    for (u32 at = first; at != MANAGER_NO_ROW; at = ent_manager_next(animators, at))
        a->owner_row[a->owner_count++] = at;
    return ENT_OK;
}

ent_status animator_row_find(Animators* a, Entity entity, Entity animator, u32 index, u32* row) {
    *row = NONE;
    TRY(owner_take(a, animator == ENTITY_NULL ? entity : animator));
    if (index < a->owner_count) *row = a->owner_row[index];
    return ENT_OK;
}
