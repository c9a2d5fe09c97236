/* skins.c - resolves the references of skins, moves their times and computes single poses. */
#include "skins_internal.h"

#include <math.h>

#include "hash.h"
#include "host_internal.h"
#include "rows.h"
#include "watch_internal.h"
#include "world_internal.h"

static const PosePlay nothing = {NONE, NONE, NONE, NONE, NONE, 0, 0, 0};

/* --- memory --- */

ent_status ent_skins_create(Skins** out, World* world, const Library* library) {
    const HostAllocator allocator = host_allocator(world->allocator);
    Skins*              s = allocator.alloc(allocator.user, sizeof *s);
    *out = s;
    if (!s) return ENT_NO_MEMORY;
    *s = (Skins){.poses = pose_library_of(world, library)};
    return ENT_OK;
}

static void scratch_free(Skins* s) {
    pose_library_return(&s->poses, s->pose, s->joint_room * sizeof *s->pose);
    pose_library_return(&s->poses, s->joint, s->joint_room * sizeof *s->joint);
    s->pose = NULL;
    s->joint = NULL;
    s->joint_room = 0;
}

void ent_skins_destroy(Skins* s) {
    if (!s) return;
    const HostAllocator allocator = s->poses.tables.allocator;
    scratch_free(s);
    pose_library_return(&s->poses, s->row, s->row_room * sizeof *s->row);
    pose_library_return(&s->poses, s->weight, s->weight_room * sizeof *s->weight);
    pose_library_return(&s->poses, s->palette, s->palette_room * sizeof *s->palette);
    clip_events_free(&s->events, &s->poses);
    pose_library_free(&s->poses);
    allocator.free(allocator.user, s, sizeof *s);
}

/* Room for poses of the skeleton with the most joints. */
static ent_status scratch_make(Skins* s) {
    const u32 room = MAX_OF(s->poses.tables.joint_max, 1u);
    if (room <= s->joint_room) return ENT_OK;
    scratch_free(s);
    s->pose = pose_library_take(&s->poses, room * sizeof *s->pose);
    s->joint = pose_library_take(&s->poses, room * sizeof *s->joint);
    s->joint_room = room;
    if (s->pose && s->joint) return ENT_OK;
    scratch_free(s);
    return ENT_NO_MEMORY;
}

static ent_status weights_make(Skins* s, u32 count) {
    if (count <= s->weight_room) return ENT_OK;
    pose_library_return(&s->poses, s->weight, s->weight_room * sizeof *s->weight);
    s->weight = pose_library_take(&s->poses, count * sizeof *s->weight);
    s->weight_room = s->weight ? count : 0;
    return s->weight ? ENT_OK : ENT_NO_MEMORY;
}

static ent_status palette_make(Skins* s, u32 count) {
    if (count <= s->palette_room) return ENT_OK;
    pose_library_return(&s->poses, s->palette, s->palette_room * sizeof *s->palette);
    s->palette = pose_library_take(&s->poses, count * sizeof *s->palette);
    s->palette_room = s->palette ? count : 0;
    return s->palette ? ENT_OK : ENT_NO_MEMORY;
}

static ent_status rows_make(Skins* s, u32 rows) {
    const u32 room = MAX_OF(rows + rows / 2, 16u);
    if (rows <= s->row_room) return ENT_OK;
    SkinsRow* grown = pose_library_take(&s->poses, room * sizeof *grown);
    if (!grown) return ENT_NO_MEMORY;
    pose_library_return(&s->poses, s->row, s->row_room * sizeof *s->row);
    for (u32 i = 0; i < room; i++) grown[i] = (SkinsRow){.play = nothing, .skeleton = UINT64_MAX};
    s->row = grown;
    s->row_room = room;
    return ENT_OK;
}

/* --- references --- */

static void library_follow(Skins* s) {
    if (!pose_library_follow(&s->poses)) return;
    for (u32 i = 0; i < s->row_room; i++)
        s->row[i] = (SkinsRow){.play = nothing, .skeleton = UINT64_MAX};
}

static ent_status clip_find(Skins* s, u32 skeleton, ResourceRef id, u32* clip, u32* set) {
    *set = NONE;
    TRY(pose_library_clip(&s->poses, id, clip));
    return skeleton == NONE || *clip == NONE
               ? ENT_OK
               : pose_tables_set(&s->poses.tables, skeleton, *clip, set);
}

static ent_status row_resolve(Skins* s, const SkinRecord* record, SkinsRow* row) {
    const Blob* skeleton = pose_library_find(&s->poses, record->skeleton, RESOURCE_SKELETON);
    PosePlay*   play = &row->play;
    play->skeleton = NONE;
    if (skeleton) TRY(pose_tables_skeleton(&s->poses.tables, skeleton, &play->skeleton));
    TRY(clip_find(s, play->skeleton, record->clip, &play->clip, &play->set));
    TRY(clip_find(s, play->skeleton, record->second_clip, &play->clip_2, &play->set_2));
    row->skeleton = resource_id(record->skeleton);
    row->clip = resource_id(record->clip);
    row->clip_2 = resource_id(record->second_clip);
    return ENT_OK;
}

/* A resource that the library did not have may be open now: it is looked for again. */
static bool is_resolved(const SkinsRow* row, const SkinRecord* record) {
    const PosePlay* play = &row->play;
    return row->skeleton == resource_id(record->skeleton) &&
           row->clip == resource_id(record->clip) &&
           row->clip_2 == resource_id(record->second_clip) &&
           (play->skeleton != NONE || !row->skeleton) && (play->clip != NONE || !row->clip) &&
           (play->clip_2 != NONE || !row->clip_2);
}

const PoseTables* ent_skins_tables(const Skins* s) { return &s->poses.tables; }

/* --- times --- */

static f32 duration_of(const Skins* s, u32 clip) {
    return clip == NONE ? 0 : s->poses.tables.clip[clip].duration_s;
}

ent_status ent_skins_playing(Skins* s, u32 row, PosePlay* out) {
    const SkinRows    rows = ent_skin_rows(s->poses.world);
    const SkinRecord* record = &rows.record[row];
    assert(row < rows.count);
    library_follow(s);
    TRY(rows_make(s, rows.count));
    SkinsRow* skin_row = &s->row[row];
    if (!is_resolved(skin_row, record)) TRY(row_resolve(s, record, skin_row));
    *out = skin_row->play;
    out->time_s = clip_time_inside(record->time_s, duration_of(s, out->clip), record->end);
    out->time_2_s =
        clip_time_inside(record->second_time_s, duration_of(s, out->clip_2), record->end);
    out->blend = record->blend;
    return ENT_OK;
}

ent_status ent_skins_advance(Skins* s, f32 seconds) {
    Manager*       manager = ent_world_built_in(s->poses.world, COMPONENT_SKIN);
    const SkinRows rows = ent_skin_rows(s->poses.world);
    PosePlay       play;
    bool           moves;
    if (!isfinite(seconds)) return ENT_BAD_FIELD;
    clip_events_begin(&s->events);
    for (u32 i = 0; i < rows.count; i++) {
        const Playing playing = PLAYING_OF(&rows.record[i], rows.entity[i]);
        TRY(ent_skins_playing(s, i, &play));
        TRY(clip_times_move(&playing, &s->poses, play.clip, play.clip_2, seconds, &s->events,
                            &moves));
        if (moves && manager->watch) watch_row(manager->watch, i);
    }
    clip_events_end(&s->events, &s->poses);
    return ENT_OK;
}

const EntClipEvent* ent_skins_events(const Skins* s, u32* count) {
    *count = s->events.count;
    return s->events.at;
}

/* --- single skins --- */

ent_status skins_row(const Skins* s, Entity entity, u32* row) {
    const Manager*    manager = ent_world_built_in(s->poses.world, COMPONENT_SKIN);
    const EntityPool* pool = ent_world_entities(s->poses.world);
    if (!ent_entity_alive(pool, entity)) return ENT_STALE;
    *row = ent_manager_row(manager, pool, entity);
    return *row == MANAGER_NO_ROW ? ENT_NOT_FOUND : ENT_OK;
}

Entity skins_root(const Skins* s, u32 row) {
    const SkinRows rows = ent_skin_rows(s->poses.world);
    const Entity   root = rows.record[row].root;
    return ent_entity_alive(ent_world_entities(s->poses.world), root) ? root : rows.entity[row];
}

ent_status ent_skins_play(Skins* s, Entity entity, ResourceRef clip, f32 time_s) {
    u32      row;
    PosePlay play;
    TRY(skins_row(s, entity, &row));
    if (!isfinite(time_s)) return ENT_BAD_FIELD;
    SkinRecord* record = &ent_skin_rows(s->poses.world).record[row];
    record->clip = clip;
    record->time_s = time_s;
    ent_manager_changed(ent_world_built_in(s->poses.world, COMPONENT_SKIN), &row, 1);
    TRY(ent_skins_playing(s, row, &play));
    if (resource_id(clip) == 0) return ENT_OK;
    if (play.set != NONE && s->poses.tables.set[play.set].moves) return ENT_OK;
    record->clip = (ResourceRef){0, 0};
    return play.clip == NONE || play.skeleton == NONE ? ENT_NOT_FOUND : ENT_WRONG_TYPE;
}

/* The joints of an entity's skin, in scratch memory; `skeleton` receives its row of the tables. */
static ent_status joints_compute(Skins* s, Entity entity, const PoseSkeleton** out) {
    u32      row;
    PosePlay play;
    TRY(skins_row(s, entity, &row));
    TRY(ent_skins_playing(s, row, &play));
    if (play.skeleton == NONE) return ENT_NOT_FOUND;
    TRY(scratch_make(s));
    const PoseSkeleton* skeleton = *out = &s->poses.tables.skeleton[play.skeleton];
    pose_sample(&s->poses.tables, &play, 0, skeleton->joint_count, s->pose);
    pose_joints(s->poses.tables.joint + skeleton->first_joint, skeleton->joint_count, s->pose,
                s->joint);
    return ENT_OK;
}

ent_status ent_skins_joints(Skins* s, Entity entity, const Mat34** joints, u32* count) {
    const PoseSkeleton* skeleton;
    TRY(joints_compute(s, entity, &skeleton));
    *joints = s->joint;
    *count = skeleton->joint_count;
    return ENT_OK;
}

ent_status ent_skins_palette(Skins* s, Entity entity, const Mat34** palette, u32* count) {
    const PoseSkeleton* skeleton;
    TRY(joints_compute(s, entity, &skeleton));
    TRY(palette_make(s, skeleton->bind_count));
    pose_palette(s->poses.tables.bind + skeleton->first_bind, skeleton->bind_count, s->joint,
                 s->palette);
    *palette = s->palette;
    *count = skeleton->bind_count;
    return ENT_OK;
}

ent_status ent_skins_weights(Skins* s, u32 row, u32 count, f32* weights) {
    const SkinRecord* record = &ent_skin_rows(s->poses.world).record[row];
    PosePlay          play;
    TRY(ent_skins_playing(s, row, &play));
    if (record->node == 0) return ENT_OK;
    if (play.clip_2 == NONE || play.blend == 0) {
        if (play.clip != NONE)
            pose_weights(&s->poses.tables.clip[play.clip], record->node, play.time_s, count,
                         weights);
        return ENT_OK;
    }
    TRY(weights_make(s, count));
    memcpy(s->weight, weights, count * sizeof *weights);
    if (play.clip != NONE)
        pose_weights(&s->poses.tables.clip[play.clip], record->node, play.time_s, count, weights);
    pose_weights(&s->poses.tables.clip[play.clip_2], record->node, play.time_2_s, count, s->weight);
    for (u32 i = 0; i < count; i++) weights[i] += (s->weight[i] - weights[i]) * play.blend;
    return ENT_OK;
}
