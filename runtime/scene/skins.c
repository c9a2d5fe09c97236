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

static void* memory_take(const Skins* s, size_t bytes) {
    return s->tables.allocator.alloc(s->tables.allocator.user, bytes);
}

static void memory_return(const Skins* s, void* at, size_t bytes) {
    if (at) s->tables.allocator.free(s->tables.allocator.user, at, bytes);
}

ent_status ent_skins_create(Skins** out, World* world, const Library* library) {
    const HostAllocator allocator = host_allocator(world->allocator);
    Skins*              s = allocator.alloc(allocator.user, sizeof *s);
    *out = s;
    if (!s) return ENT_NO_MEMORY;
    *s = (Skins){.world = world,
                 .library = library,
                 .tables = {.allocator = allocator},
                 .version = library->version,
                 .taken = library->version,
                 .cleared = library->cleared};
    return ENT_OK;
}

static void scratch_free(Skins* s) {
    memory_return(s, s->pose, s->joint_room * sizeof *s->pose);
    memory_return(s, s->joint, s->joint_room * sizeof *s->joint);
    s->pose = NULL;
    s->joint = NULL;
    s->joint_room = 0;
}

void ent_skins_destroy(Skins* s) {
    if (!s) return;
    const HostAllocator allocator = s->tables.allocator;
    scratch_free(s);
    memory_return(s, s->row, s->row_room * sizeof *s->row);
    memory_return(s, s->weight, s->weight_room * sizeof *s->weight);
    memory_return(s, s->palette, s->palette_room * sizeof *s->palette);
    pose_tables_free(&s->tables);
    allocator.free(allocator.user, s, sizeof *s);
}

/* Room for poses of the skeleton with the most joints. */
static ent_status scratch_make(Skins* s) {
    const u32 room = MAX_OF(s->tables.joint_max, 1u);
    if (room <= s->joint_room) return ENT_OK;
    scratch_free(s);
    s->pose = memory_take(s, room * sizeof *s->pose);
    s->joint = memory_take(s, room * sizeof *s->joint);
    s->joint_room = room;
    if (s->pose && s->joint) return ENT_OK;
    scratch_free(s);
    return ENT_NO_MEMORY;
}

static ent_status weights_make(Skins* s, u32 count) {
    if (count <= s->weight_room) return ENT_OK;
    memory_return(s, s->weight, s->weight_room * sizeof *s->weight);
    s->weight = memory_take(s, count * sizeof *s->weight);
    s->weight_room = s->weight ? count : 0;
    return s->weight ? ENT_OK : ENT_NO_MEMORY;
}

static ent_status palette_make(Skins* s, u32 count) {
    if (count <= s->palette_room) return ENT_OK;
    memory_return(s, s->palette, s->palette_room * sizeof *s->palette);
    s->palette = memory_take(s, count * sizeof *s->palette);
    s->palette_room = s->palette ? count : 0;
    return s->palette ? ENT_OK : ENT_NO_MEMORY;
}

static ent_status rows_make(Skins* s, u32 rows) {
    const u32 room = MAX_OF(rows + rows / 2, 16u);
    if (rows <= s->row_room) return ENT_OK;
    SkinsRow* grown = memory_take(s, room * sizeof *grown);
    if (!grown) return ENT_NO_MEMORY;
    memory_return(s, s->row, s->row_room * sizeof *s->row);
    for (u32 i = 0; i < room; i++) grown[i] = (SkinsRow){.play = nothing, .skeleton = UINT64_MAX};
    s->row = grown;
    s->row_room = room;
    return ENT_OK;
}

/* --- references --- */

static const Blob* blob_find(const Skins* s, ResourceRef id, ResourceType type) {
    const Blob* blob = resource_id(id) ? ent_library_find(s->library, id) : NULL;
    return blob && blob->header->resource_type == type ? blob : NULL;
}

static bool is_changed(const Skins* s, const Blob* blob) {
    const u8* entry = (const u8*)blob - offsetof(LibraryEntry, resource.blob);
    return ((const LibraryEntry*)(const void*)entry)->version > s->taken;
}

static bool tables_differ(const Skins* s) {
    const PoseTables* t = &s->tables;
    bool              any = false;
    for (u32 i = 0; i < t->skeleton_count; i++) any |= is_changed(s, t->skeleton[i].blob);
    for (u32 i = 0; i < t->clip_count; i++) any |= is_changed(s, t->clip[i].blob);
    return any;
}

/* The blobs of a library that was cleared do not exist any more. */
static void tables_forget(Skins* s) {
    const u32 version = s->tables.version;
    pose_tables_free(&s->tables);
    s->tables.version = version + 1;
    for (u32 i = 0; i < s->row_room; i++)
        s->row[i] = (SkinsRow){.play = nothing, .skeleton = UINT64_MAX};
}

/* Takes the skeletons and clips that the library has changed. */
static void library_follow(Skins* s) {
    const Library* l = s->library;
    if (s->cleared != l->cleared) {
        tables_forget(s);
    } else if (s->version != l->version && tables_differ(s)) {
        PoseTables       next = {.allocator = s->tables.allocator};
        const ent_status status = pose_tables_renew(&next, &s->tables);
        s->version = l->version;
        if (status != ENT_OK) {
            pose_tables_free(&next);
            world_log(s->world, LOG_WARNING,
                      "skeletons or clips that changed cannot be used (%s): the former ones stay",
                      ent_status_text(status));
            return;
        }
        pose_tables_free(&s->tables);
        s->tables = next;
    }
    s->version = s->taken = l->version;
    s->cleared = l->cleared;
}

static ent_status clip_find(Skins* s, u32 skeleton, ResourceRef id, u32* clip, u32* set) {
    const Blob* blob = blob_find(s, id, RESOURCE_CLIP);
    *clip = *set = NONE;
    if (!blob) return ENT_OK;
    TRY(pose_tables_clip(&s->tables, blob, clip));
    return skeleton == NONE ? ENT_OK : pose_tables_set(&s->tables, skeleton, *clip, set);
}

static ent_status row_resolve(Skins* s, const SkinRecord* record, SkinsRow* row) {
    const Blob* skeleton = blob_find(s, record->skeleton, RESOURCE_SKELETON);
    PosePlay*   play = &row->play;
    play->skeleton = NONE;
    if (skeleton) TRY(pose_tables_skeleton(&s->tables, skeleton, &play->skeleton));
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

const PoseTables* ent_skins_tables(const Skins* s) { return &s->tables; }

/* --- times --- */

static f32 duration_of(const Skins* s, u32 clip) {
    return clip == NONE ? 0 : s->tables.clip[clip].duration_s;
}

/* A time of a clip, in the clip. What a host wrote to a record, or a product that overflows, may not be
 * finite: it must not stay. */
static f32 time_inside(f32 time_s, f32 duration_s, u32 end) {
    if (!(duration_s > 0) || isnan(time_s)) return 0;
    if (end != SKIN_LOOP) return MIN_OF(MAX_OF(time_s, 0), duration_s);
    if (time_s >= 0 && time_s <= duration_s) return time_s;
    if (isinf(time_s)) return 0;
    const f32 rest = fmodf(time_s, duration_s);
    return rest < 0 ? rest + duration_s : rest;
}

ent_status ent_skins_playing(Skins* s, u32 row, PosePlay* out) {
    const SkinRows    rows = ent_skin_rows(s->world);
    const SkinRecord* record = &rows.record[row];
    assert(row < rows.count);
    if (s->version != s->library->version || s->cleared != s->library->cleared) library_follow(s);
    TRY(rows_make(s, rows.count));
    SkinsRow* skin_row = &s->row[row];
    if (!is_resolved(skin_row, record)) TRY(row_resolve(s, record, skin_row));
    *out = skin_row->play;
    out->time_s = time_inside(record->time_s, duration_of(s, out->clip), record->end);
    out->time_2_s = time_inside(record->second_time_s, duration_of(s, out->clip_2), record->end);
    out->blend = record->blend;
    return ENT_OK;
}

/* Moves a time; removes the clip when it has ended and is to stop. */
static void time_move(f32* time_s, ResourceRef* clip, f32 step_s, f32 duration_s, u32 end) {
    const f32  moved = *time_s + step_s;
    const bool ends = step_s > 0 ? moved >= duration_s : step_s < 0 && moved <= 0;
    if (resource_id(*clip) == 0 || step_s == 0) return;
    *time_s = time_inside(moved, duration_s, end);
    if (ends && end == SKIN_STOP) *clip = (ResourceRef){0, 0};
}

ent_status ent_skins_advance(Skins* s, f32 seconds) {
    Manager*       manager = ent_world_built_in(s->world, COMPONENT_SKIN);
    const SkinRows rows = ent_skin_rows(s->world);
    PosePlay       play;
    if (!isfinite(seconds)) return ENT_BAD_FIELD;
    for (u32 i = 0; i < rows.count; i++) {
        SkinRecord* record = &rows.record[i];
        TRY(ent_skins_playing(s, i, &play));
        const f32 step_s = seconds * record->speed;
        if (step_s == 0 || (play.clip == NONE && play.clip_2 == NONE)) continue;
        if (play.clip != NONE)
            time_move(&record->time_s, &record->clip, step_s, duration_of(s, play.clip),
                      record->end);
        if (play.clip_2 != NONE)
            time_move(&record->second_time_s, &record->second_clip, step_s,
                      duration_of(s, play.clip_2), record->end);
        if (manager->watch) watch_row(manager->watch, i);
    }
    return ENT_OK;
}

/* --- single skins --- */

ent_status skins_row(const Skins* s, Entity entity, u32* row) {
    const Manager*    manager = ent_world_built_in(s->world, COMPONENT_SKIN);
    const EntityPool* pool = ent_world_entities(s->world);
    if (!ent_entity_alive(pool, entity)) return ENT_STALE;
    *row = ent_manager_row(manager, pool, entity);
    return *row == MANAGER_NO_ROW ? ENT_NOT_FOUND : ENT_OK;
}

Entity skins_root(const Skins* s, u32 row) {
    const SkinRows rows = ent_skin_rows(s->world);
    const Entity   root = rows.record[row].root;
    return ent_entity_alive(ent_world_entities(s->world), root) ? root : rows.entity[row];
}

ent_status ent_skins_play(Skins* s, Entity entity, ResourceRef clip, f32 time_s) {
    u32      row;
    PosePlay play;
    TRY(skins_row(s, entity, &row));
    if (!isfinite(time_s)) return ENT_BAD_FIELD;
    SkinRecord* record = &ent_skin_rows(s->world).record[row];
    record->clip = clip;
    record->time_s = time_s;
    ent_manager_changed(ent_world_built_in(s->world, COMPONENT_SKIN), &row, 1);
    TRY(ent_skins_playing(s, row, &play));
    if (resource_id(clip) == 0) return ENT_OK;
    if (play.set != NONE && s->tables.set[play.set].moves) return ENT_OK;
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
    const PoseSkeleton* skeleton = *out = &s->tables.skeleton[play.skeleton];
    pose_sample(&s->tables, &play, 0, skeleton->joint_count, s->pose);
    pose_joints(s->tables.joint + skeleton->first_joint, skeleton->joint_count, s->pose, s->joint);
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
    pose_palette(s->tables.bind + skeleton->first_bind, skeleton->bind_count, s->joint, s->palette);
    *palette = s->palette;
    *count = skeleton->bind_count;
    return ENT_OK;
}

ent_status ent_skins_weights(Skins* s, u32 row, u32 count, f32* weights) {
    const SkinRecord* record = &ent_skin_rows(s->world).record[row];
    PosePlay          play;
    TRY(ent_skins_playing(s, row, &play));
    if (record->node == 0) return ENT_OK;
    if (play.clip_2 == NONE || play.blend == 0) {
        if (play.clip != NONE)
            pose_weights(&s->tables.clip[play.clip], record->node, play.time_s, count, weights);
        return ENT_OK;
    }
    TRY(weights_make(s, count));
    memcpy(s->weight, weights, count * sizeof *weights);
    if (play.clip != NONE)
        pose_weights(&s->tables.clip[play.clip], record->node, play.time_s, count, weights);
    pose_weights(&s->tables.clip[play.clip_2], record->node, play.time_2_s, count, s->weight);
    for (u32 i = 0; i < count; i++) weights[i] += (s->weight[i] - weights[i]) * play.blend;
    return ENT_OK;
}
