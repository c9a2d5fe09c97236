/* animators.c - which entity follows which clip, and their poses. */
#include <math.h>

#include "animators_internal.h"
#include "clip.h"
#include "hash.h"
#include "host_internal.h"
#include "transform_manager.h"
#include "vec.h"

/* --- memory --- */

ent_status ent_animators_create(Animators** out, World* world, const Library* library) {
    const HostAllocator allocator = host_allocator(world->allocator);
    Animators*          a = allocator.alloc(allocator.user, sizeof *a);
    *out = a;
    if (!a) return ENT_NO_MEMORY;
    *a = (Animators){.poses = pose_library_of(world, library)};
    ent_manager_watch(animators_manager(a, COMPONENT_ANIMATOR), &a->watch);
    return ENT_OK;
}

void ent_animators_destroy(Animators* a) {
    if (!a) return;
    const HostAllocator allocator = a->poses.tables.allocator;
    ent_manager_unwatch(animators_manager(a, COMPONENT_ANIMATOR), &a->watch);
    pose_library_return(&a->poses, a->row, a->row_room * sizeof *a->row);
    pose_library_return(&a->poses, a->node, a->node_room * sizeof *a->node);
    pose_library_return(&a->poses, a->touched, a->node_room * sizeof *a->touched);
    pose_library_return(&a->poses, a->property, a->property_room * sizeof *a->property);
    pose_library_return(&a->poses, a->owner_row, a->owner_room * sizeof *a->owner_row);
    clip_events_free(&a->events, &a->poses);
    pose_library_free(&a->poses);
    allocator.free(allocator.user, a, sizeof *a);
}

static ent_status nodes_make(Animators* a, u32 rows) {
    const u32 room = MAX_OF(rows + rows / 2, 16u);
    if (rows <= a->node_room) return ENT_OK;
    NodeRow* grown = pose_library_take(&a->poses, room * sizeof *grown);
    u32*     touched = pose_library_take(&a->poses, room * sizeof *touched);
    if (!grown || !touched) {
        pose_library_return(&a->poses, grown, room * sizeof *grown);
        pose_library_return(&a->poses, touched, room * sizeof *touched);
        return ENT_NO_MEMORY;
    }
    if (a->node_room) memcpy(grown, a->node, a->node_room * sizeof *grown);
    for (u32 i = a->node_room; i < room; i++) grown[i] = (NodeRow){.use = ANIMATOR_UNUSED};
    pose_library_return(&a->poses, a->node, a->node_room * sizeof *a->node);
    pose_library_return(&a->poses, a->touched, a->node_room * sizeof *a->touched);
    a->node = grown;
    a->touched = touched;
    a->node_room = room;
    return ENT_OK;
}

/* Several animators of an entity may play one clip: the first one reports its events. */
static void echoes_find(Animators* a, const Manager* animators, const AnimatorRows* rows) {
    const EntityPool* pool = ent_world_entities(a->poses.world);
    for (u32 i = 0; i < rows->count; i++) {
        const AnimatorRecord* r = &rows->record[i];
        AnimatorRow*          row = &a->row[i];
        row->quiet = 0;
        if (!row->has_events) continue;
        u32 at = ent_manager_row(animators, pool, rows->entity[i]);
        for (; at != i && at != MANAGER_NO_ROW; at = ent_manager_next(animators, at)) {
            const AnimatorRecord* other = &rows->record[at];
            if (other->speed != r->speed || other->end != r->end) continue;
            if (resource_id(other->clip) == resource_id(r->clip) && other->time_s == r->time_s &&
                other->blend < 1)
                row->quiet |= 1;
            if (resource_id(other->second_clip) == resource_id(r->second_clip) &&
                other->second_time_s == r->second_time_s && other->blend > 0)
                row->quiet |= 2;
        }
    }
}

const EntClipEvent* ent_animators_events(const Animators* a, u32* count) {
    *count = a->events.count;
    return a->events.at;
}

/* --- poses --- */

static void row_take(const Animators* a, const AnimatorRecord* record, AnimatorRow* row) {
    const PosePlay play = animator_play(a, record, row);
    row->is_new = !row->is_posed || play.time_s != row->play.time_s ||
                  play.time_2_s != row->play.time_2_s || play.blend != row->play.blend;
    row->play = play;
    row->is_posed = true;
}

static u32 channel_find(const Animators* a, u32 clip, NameRef node) {
    return clip == NONE ? NONE : pose_node_find(&a->poses.tables, clip, node);
}

/* The properties that the channels animate, one bit each. */
static u32 properties_of(const Animators* a, u32 channel) {
    u32 bits = 0;
    for (u32 i = 0; channel != NONE && i < 3; i++)
        bits |= (u32)(a->poses.tables.channel[channel + i].key_count > 0) << i;
    return bits;
}

/* Finds the animator of a row, and the channels in its clips. */
static ent_status node_resolve(Animators* a, Entity entity, const AnimatedNodeRecord* record,
                               NodeRow* out) {
    const bool is_same = out->node == record->node;
    bool       is_new;
    TRY(animator_use_find(a, &out->use, entity, record->animator, record->index, is_same, &is_new));
    out->node = record->node;
    if (!is_new) return ENT_OK;
    out->is_new = true;
    out->channel = channel_find(a, out->use.clip, record->node);
    out->channel_2 = channel_find(a, out->use.clip_2, record->node);
    out->animated = properties_of(a, out->channel) | properties_of(a, out->channel_2);
    return ENT_OK;
}

static void properties_copy(TransformRecord* to, const TransformRecord* from, u32 properties) {
    if (properties & 1) to->position = from->position;
    if (properties & 2) to->rotation = from->rotation;
    if (properties & 4) to->scale = from->scale;
}

/* Properties without keys have the rest pose. */
static TransformRecord pose_of(const Animators* a, const AnimatedNodeRecord* rest, u32 channel,
                               f32 time_s) {
    TransformRecord pose = {rest->position, rest->rotation, rest->scale};
    if (channel != NONE) pose_node_sample(&a->poses.tables, channel, time_s, &pose);
    return pose;
}

/* Properties that no clip animates stay as they are. */
static void node_pose(const Animators* a, const NodeRow* node, const PosePlay* play,
                      const AnimatedNodeRecord* rest, TransformRecord* pose) {
    if (play->blend > 0 || node->channel_2 != NONE) {
        TransformRecord       out = pose_of(a, rest, node->channel, play->time_s);
        const TransformRecord other = pose_of(a, rest, node->channel_2, play->time_2_s);
        pose_blend(&out, &other, MIN_OF(play->blend, 1.0f));
        properties_copy(pose, &out, node->animated);
    } else if (node->channel != NONE) {
        pose_node_sample(&a->poses.tables, node->channel, play->time_s, pose);
    }
}

/* Without a clip, only a second one that has influence moves nodes. */
static bool node_is_posed(const NodeRow* node, const PosePlay* play) {
    return (node->channel != NONE || node->channel_2 != NONE) &&
           (play->clip != NONE || play->blend > 0);
}

/* The pose of an entity that follows a joint is below that. False: there is none. */
static bool follower_pose(const Animators* a, const NodeRow* node, const AnimatorRow* row,
                          const AnimatedNodeRecord* rest) {
    const Manager* followers = animators_manager(a, COMPONENT_ATTACH_TO_JOINT);
    if (followers->count == 0) return false;
    const u32 at = ent_manager_row(followers, ent_world_entities(a->poses.world), node->use.entity);
    if (at == MANAGER_NO_ROW) return false;
    AttachToJointRecord* record = &ent_attach_to_joint_rows(a->poses.world).record[at];
    TransformRecord      pose = {record->position, record->rotation, record->scale};
    node_pose(a, node, &row->play, rest, &pose);
    record->position = pose.position;
    record->rotation = pose.rotation;
    record->scale = pose.scale;
    if (followers->watch) watch_row(followers->watch, at);
    return true;
}

/* Poses the nodes of all rows whose clips, times or blend have changed; `chosen`: of those rows only that are chosen. */
static ent_status nodes_pose(Animators* a, bool chosen) {
    World*                 w = a->poses.world;
    const AnimatorRows     rows = ent_animator_rows(w);
    const AnimatedNodeRows nodes = ent_animated_node_rows(w);
    const TransformRows    t = ent_transform_rows(w);
    u32                    touched = 0;
    TRY(nodes_make(a, nodes.count));
    for (u32 i = 0; i < rows.count; i++)
        if (!chosen || a->row[i].is_chosen) row_take(a, &rows.record[i], &a->row[i]);
    for (u32 i = 0; i < nodes.count; i++) {
        NodeRow* node = &a->node[i];
        TRY(node_resolve(a, nodes.entity[i], &nodes.record[i], node));
        if (node->use.row == NONE) continue;
        const AnimatorRow* row = &a->row[node->use.row];
        if (chosen && !row->is_chosen) continue;
        const bool is_new = node->is_new || row->is_new;
        node->is_new = false;
        if (!is_new || !node_is_posed(node, &row->play)) continue;
        if (follower_pose(a, node, row, &nodes.record[i])) continue;
        const u32 at = ent_transform_row(w, node->use.entity);
        if (at == MANAGER_NO_ROW) continue;
        TransformRecord pose = {t.position[at], t.rotation[at], t.scale[at]};
        node_pose(a, node, &row->play, &nodes.record[i], &pose);
        t.position[at] = pose.position;
        t.rotation[at] = pose.rotation;
        t.scale[at] = pose.scale;
        a->touched[touched++] = at;
    }
    ent_transform_touch(w, a->touched, touched);
    return ENT_OK;
}

ent_status ent_animators_pose(Animators* a) {
    TRY(ent_animators_resolve(a));
    TRY(nodes_pose(a, false));
    return animator_properties_set(a, false);
}

ent_status ent_animators_properties(Animators* a) {
    TRY(ent_animators_resolve(a));
    return animator_properties_set(a, false);
}

static ent_status chosen_pose(Animators* a) {
    TRY(nodes_pose(a, true));
    return animator_properties_set(a, true);
}

/* --- times --- */

/* Moves the times of a row; a clip that ends is removed from it, and its end is to be posed. */
static ent_status row_advance(Animators* a, AnimatorRow* row, AnimatorRecord* record, Entity entity,
                              f32 seconds, bool* moves) {
    Playing playing = PLAYING_OF(record, entity);
    playing.quiet = row->quiet;
    TRY(clip_times_move(&playing, &a->poses, row->clip, row->clip_2, seconds, &a->events, moves));
    row->is_chosen = (row->clip != NONE && resource_id(record->clip) == 0) ||
                     (row->clip_2 != NONE && resource_id(record->second_clip) == 0);
    return ENT_OK;
}

ent_status ent_animators_advance(Animators* a, f32 seconds) {
    Manager*           manager = animators_manager(a, COMPONENT_ANIMATOR);
    const AnimatorRows rows = ent_animator_rows(a->poses.world);
    bool               moves, any = false;
    if (!isfinite(seconds)) return ENT_BAD_FIELD;
    clip_events_begin(&a->events);
    TRY(ent_animators_resolve(a));
    echoes_find(a, manager, &rows);
    for (u32 i = 0; i < rows.count; i++) {
        TRY(row_advance(a, &a->row[i], &rows.record[i], rows.entity[i], seconds, &moves));
        if (moves) watch_row(manager->watch, i);
        any |= a->row[i].is_chosen;
    }
    clip_events_end(&a->events, &a->poses);
    return any ? chosen_pose(a) : ENT_OK; /* before the clips are forgotten */
}

/* --- for poses on a device --- */

const PoseTables* ent_animators_tables(const Animators* a) { return &a->poses.tables; }

ent_status ent_animators_resolve(Animators* a) {
    TRY(animator_rows_resolve(a));
    return nodes_make(a, ent_animated_node_rows(a->poses.world).count);
}

void ent_animators_playing(const Animators* a, u32 row, PosePlay* out) {
    const AnimatorRows rows = ent_animator_rows(a->poses.world);
    assert(row < rows.count && row < a->row_room);
    *out = animator_play(a, &rows.record[row], &a->row[row]);
}

ent_status ent_animators_node(Animators* a, u32 row, AnimatorNode* out) {
    const AnimatedNodeRows nodes = ent_animated_node_rows(a->poses.world);
    NodeRow* const         node = &a->node[row];
    assert(row < nodes.count && row < a->node_room);
    TRY(node_resolve(a, nodes.entity[row], &nodes.record[row], node));
    const bool is_moved = node->use.row != NONE;
    *out = (AnimatorNode){.animator = node->use.row,
                          .first_channel = is_moved ? node->channel : NONE,
                          .first_channel_2 = is_moved ? node->channel_2 : NONE,
                          .properties = is_moved ? node->animated : 0};
    return ENT_OK;
}

ent_status ent_animators_local(Animators* a, u32 row, TransformRecord* pose) {
    const AnimatedNodeRows nodes = ent_animated_node_rows(a->poses.world);
    AnimatorNode           found;
    PosePlay               play;
    TRY(ent_animators_node(a, row, &found));
    if (found.animator == NONE) return ENT_OK;
    ent_animators_playing(a, found.animator, &play);
    if (node_is_posed(&a->node[row], &play))
        node_pose(a, &a->node[row], &play, &nodes.record[row], pose);
    return ENT_OK;
}

/* --- single animators --- */

/* Sets the rest pose of what the present clip of an animator moves of a node, and the next one does not. */
static void node_rest(Animators* a, Entity entity, const AnimatedNodeRecord* record, u32 row,
                      u32 clip) {
    World* const w = a->poses.world;
    const u32    before = properties_of(a, channel_find(a, a->row[row].clip, record->node));
    const u32    left = before & ~properties_of(a, channel_find(a, clip, record->node));
    const u32    at = ent_transform_row(w, entity);
    if (left == 0 || at == MANAGER_NO_ROW) return;
    const TransformRecord rest = {record->position, record->rotation, record->scale};
    TransformRecord       pose = ent_transform_local(w, at);
    properties_copy(&pose, &rest, left);
    ent_transform_set_local(w, at, &pose);
}

/* Calls for each node of an entity, with the row of its animator. */
static ent_status nodes_visit(Animators* a, Entity entity, u32 clip,
                              void (*each)(Animators* a, Entity node,
                                           const AnimatedNodeRecord* record, u32 row, u32 clip)) {
    const AnimatedNodeRows nodes = ent_animated_node_rows(a->poses.world);
    for (u32 i = 0; i < nodes.count; i++) {
        const AnimatedNodeRecord* node = &nodes.record[i];
        u32                       row;
        if ((node->animator == ENTITY_NULL ? nodes.entity[i] : node->animator) != entity) continue;
        TRY(animator_row_find(a, nodes.entity[i], node->animator, node->index, &row));
        if (row != NONE) each(a, nodes.entity[i], node, row, clip);
    }
    return ENT_OK;
}

/* Marks the animators that a clip concerns. */
static void node_mark(Animators* a, Entity entity, const AnimatedNodeRecord* record, u32 row,
                      u32 clip) {
    UNUSED(entity);
    a->row[row].is_chosen |= channel_find(a, clip, record->node) != NONE;
}

static void chosen_rest(Animators* a, Entity entity, const AnimatedNodeRecord* record, u32 row,
                        u32 clip) {
    if (a->row[row].is_chosen) node_rest(a, entity, record, row, clip);
}

/* Plays the clip with each animator of the entity of which it moves a node. */
static ent_status clip_play(Animators* a, Entity entity, u32 clip, ResourceRef ref, f32 time_s) {
    Manager*           animators = animators_manager(a, COMPONENT_ANIMATOR);
    const AnimatorRows rows = ent_animator_rows(a->poses.world);
    bool               any = false;
    for (u32 i = 0; i < rows.count; i++) a->row[i].is_chosen = false;
    TRY(nodes_visit(a, entity, clip, node_mark));
    TRY(animator_properties_mark(a, entity, clip));
    for (u32 i = 0; i < rows.count; i++) any |= a->row[i].is_chosen;
    if (!any) return ENT_WRONG_TYPE;
    TRY(chosen_pose(a)); /* what no clip animates any more stays where a device has shown it */
    TRY(nodes_visit(a, entity, clip, chosen_rest));
    TRY(animator_properties_rest(a, entity, clip));
    for (u32 i = 0; i < rows.count; i++) {
        if (!a->row[i].is_chosen) continue;
        rows.record[i].clip = ref;
        rows.record[i].time_s = time_s;
        ent_manager_changed(animators, &i, 1);
    }
    return ENT_OK;
}

ent_status ent_animators_play(Animators* a, Entity entity, ResourceRef clip, f32 time_s) {
    const EntityPool*  pool = ent_world_entities(a->poses.world);
    Manager*           animators = animators_manager(a, COMPONENT_ANIMATOR);
    const AnimatorRows rows = ent_animator_rows(a->poses.world);
    u64                id;
    u32                which;
    if (!ent_entity_alive(pool, entity)) return ENT_STALE;
    u32 row = ent_manager_row(animators, pool, entity);
    if (row == MANAGER_NO_ROW) return ENT_NOT_FOUND;
    if (!isfinite(time_s)) return ENT_BAD_FIELD;
    TRY(ent_animators_resolve(a));
    TRY(animator_clip_find(a, clip, &id, &which));
    if (id && which == NONE) return ENT_NOT_FOUND;
    if (id) return clip_play(a, entity, which, clip, time_s);
    for (u32 i = 0; i < rows.count; i++) a->row[i].is_chosen = rows.entity[i] == entity;
    TRY(chosen_pose(a)); /* as above */
    for (; row != MANAGER_NO_ROW; row = ent_manager_next(animators, row)) {
        rows.record[row].clip = rows.record[row].second_clip = clip;
        rows.record[row].time_s = time_s;
        ent_manager_changed(animators, &row, 1);
    }
    return ENT_OK;
}
