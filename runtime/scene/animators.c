/* animators.c - which entity follows which clip, and their poses. */
#include "animators.h"

#include <math.h>

#include "clip_times_internal.h"
#include "hash.h"
#include "host_internal.h"
#include "rows.h"
#include "transform_manager.h"
#include "vec.h"
#include "watch_internal.h"
#include "world_internal.h"

/* What a row of animators refers to and plays; what its entities were posed by. */
typedef struct AnimatorRow {
    Entity entity;
    u64    id, id_2;     /* of the clips, when they were last resolved */
    u32    clip, clip_2; /* rows of the tables, or NONE */
    f32    time_s, time_2_s, blend;
    bool   is_posed; /* with what is above */
    bool   is_new;   /* its entities have to be posed */
} AnimatorRow;

/* What a row of animated nodes was, when it was last resolved. */
typedef struct NodeRow {
    Entity  entity, animator;
    u32     index;
    NameRef node;
    u32     moves;              /* of the animators' watch, when the row was found */
    u32     row;                /* of the animator, or NONE */
    u32     clip, clip_2;       /* of the animator, for which the channels were found, */
    u32     channel, channel_2; /* first ones in the tables; NONE: nothing is moved */
    u32     animated;           /* properties that these channels move, one bit each, */
    u32     moved;              /* and those that were moved before */
} NodeRow;

struct EntAnimators {
    PoseLibrary  poses;
    ClipEvents   events;
    AnimatorRow* row; /* [row_room] of each row of the animators */
    u32          row_room;
    NodeRow*     node;    /* [node_room] of each row of the animated nodes */
    u32*         touched; /* [node_room] rows of transforms that were written */
    u32          node_room;
    ManagerWatch watch; /* of the animators */
};

static const NodeRow new_node = {.entity = ENTITY_NULL, .row = NONE};

static AnimatorRow row_of(Entity entity) {
    return (AnimatorRow){
        .entity = entity, .id = UINT64_MAX, .id_2 = UINT64_MAX, .clip = NONE, .clip_2 = NONE};
}

static Manager* manager_of(const Animators* a, ComponentIndex type) {
    return ent_world_built_in(a->poses.world, type);
}

/* --- memory --- */

ent_status ent_animators_create(Animators** out, World* world, const Library* library) {
    const HostAllocator allocator = host_allocator(world->allocator);
    Animators*          a = allocator.alloc(allocator.user, sizeof *a);
    *out = a;
    if (!a) return ENT_NO_MEMORY;
    *a = (Animators){.poses = pose_library_of(world, library)};
    ent_manager_watch(manager_of(a, COMPONENT_ANIMATOR), &a->watch);
    return ENT_OK;
}

void ent_animators_destroy(Animators* a) {
    if (!a) return;
    const HostAllocator allocator = a->poses.tables.allocator;
    ent_manager_unwatch(manager_of(a, COMPONENT_ANIMATOR), &a->watch);
    pose_library_return(&a->poses, a->row, a->row_room * sizeof *a->row);
    pose_library_return(&a->poses, a->node, a->node_room * sizeof *a->node);
    pose_library_return(&a->poses, a->touched, a->node_room * sizeof *a->touched);
    clip_events_free(&a->events, &a->poses);
    pose_library_free(&a->poses);
    allocator.free(allocator.user, a, sizeof *a);
}

/* The rows of the tables are others. */
static void rows_forget(Animators* a) {
    for (u32 i = 0; i < a->row_room; i++) a->row[i] = row_of(ENTITY_NULL);
    for (u32 i = 0; i < a->node_room; i++) a->node[i] = new_node;
}

static ent_status rows_make(Animators* a, u32 rows) {
    const u32 room = MAX_OF(rows + rows / 2, 16u);
    if (rows <= a->row_room) return ENT_OK;
    AnimatorRow* grown = pose_library_take(&a->poses, room * sizeof *grown);
    if (!grown) return ENT_NO_MEMORY;
    if (a->row_room) memcpy(grown, a->row, a->row_room * sizeof *grown);
    for (u32 i = a->row_room; i < room; i++) grown[i] = row_of(ENTITY_NULL);
    pose_library_return(&a->poses, a->row, a->row_room * sizeof *a->row);
    a->row = grown;
    a->row_room = room;
    return ENT_OK;
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
    for (u32 i = a->node_room; i < room; i++) grown[i] = new_node;
    pose_library_return(&a->poses, a->node, a->node_room * sizeof *a->node);
    pose_library_return(&a->poses, a->touched, a->node_room * sizeof *a->touched);
    a->node = grown;
    a->touched = touched;
    a->node_room = room;
    return ENT_OK;
}

/* --- the clips of animators --- */

/* A clip of which the nodes are in the tables. */
static ent_status clip_find(Animators* a, ResourceRef ref, u64* id, u32* clip) {
    *clip = NONE;
    *id = resource_id(ref);
    TRY(pose_library_clip(&a->poses, ref, clip));
    return *clip == NONE ? ENT_OK : pose_tables_nodes(&a->poses.tables, *clip);
}

/* A clip that the library did not have may be open now: it is looked for again. */
static bool is_resolved(ResourceRef ref, u64 id, u32 clip) {
    return resource_id(ref) == id && (clip != NONE || !id);
}

static ent_status row_resolve(Animators* a, const AnimatorRecord* record, AnimatorRow* row) {
    if (!is_resolved(record->clip, row->id, row->clip)) {
        row->is_posed = false;
        TRY(clip_find(a, record->clip, &row->id, &row->clip));
    }
    if (is_resolved(record->second_clip, row->id_2, row->clip_2)) return ENT_OK;
    row->is_posed = false;
    return clip_find(a, record->second_clip, &row->id_2, &row->clip_2);
}

/* Resolves the clips of all rows. */
static ent_status rows_resolve(Animators* a, const AnimatorRows* rows) {
    const u32 version = a->poses.tables.version;
    if (pose_library_follow(&a->poses) || version != a->poses.tables.version) rows_forget(a);
    TRY(rows_make(a, rows->count));
    for (u32 i = 0; i < rows->count; i++) {
        if (a->row[i].entity != rows->entity[i]) a->row[i] = row_of(rows->entity[i]);
        TRY(row_resolve(a, &rows->record[i], &a->row[i]));
    }
    return ENT_OK;
}

ent_status ent_animators_advance(Animators* a, f32 seconds) {
    Manager*           manager = manager_of(a, COMPONENT_ANIMATOR);
    const AnimatorRows rows = ent_animator_rows(a->poses.world);
    bool               moves;
    if (!isfinite(seconds)) return ENT_BAD_FIELD;
    clip_events_begin(&a->events);
    TRY(rows_resolve(a, &rows));
    for (u32 i = 0; i < rows.count; i++) {
        const Playing playing = PLAYING_OF(&rows.record[i], rows.entity[i]);
        TRY(clip_times_move(&playing, &a->poses, a->row[i].clip, a->row[i].clip_2, seconds,
                            &a->events, &moves));
        if (moves) watch_row(manager->watch, i);
    }
    clip_events_end(&a->events, &a->poses);
    return ENT_OK;
}

const EntClipEvent* ent_animators_events(const Animators* a, u32* count) {
    *count = a->events.count;
    return a->events.at;
}

/* --- poses --- */

/* Takes what an animator plays now. */
static void row_take(const Animators* a, const AnimatorRecord* record, AnimatorRow* row) {
    const PoseClip* clips = a->poses.tables.clip;
    const f32       time_s =
        row->clip == NONE
                  ? 0
                  : clip_time_inside(record->time_s, clips[row->clip].duration_s, record->end);
    const f32 time_2_s =
        row->clip_2 == NONE
            ? 0
            : clip_time_inside(record->second_time_s, clips[row->clip_2].duration_s, record->end);
    row->is_new = !row->is_posed || time_s != row->time_s || time_2_s != row->time_2_s ||
                  record->blend != row->blend;
    row->time_s = time_s;
    row->time_2_s = time_2_s;
    row->blend = record->blend;
    row->is_posed = true;
}

static u32 animator_row(const Manager* animators, const EntityPool* pool, Entity entity,
                        u32 index) {
    u32 row = ent_manager_row(animators, pool, entity);
    while (row != MANAGER_NO_ROW && index-- > 0) row = ent_manager_next(animators, row);
    return row;
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

/* Finds the animator of a row, and the channels in its clips. False: the row was resolved before. */
static bool node_resolve(const Animators* a, const Manager* animators, Entity entity,
                         const AnimatedNodeRecord* record, NodeRow* out) {
    bool is_same = out->entity == entity && out->animator == record->animator &&
                   out->index == record->index && out->node == record->node;
    if (!is_same) out->moved = 0;
    if (!is_same || out->moves != a->watch.moves) {
        const Entity owner = record->animator == ENTITY_NULL ? entity : record->animator;
        const u32    row =
            animator_row(animators, ent_world_entities(a->poses.world), owner, record->index);
        is_same &= row == out->row;
        out->entity = entity;
        out->animator = record->animator;
        out->index = record->index;
        out->node = record->node;
        out->moves = a->watch.moves;
        out->row = row;
    }
    if (out->row == NONE) return false;
    const AnimatorRow* row = &a->row[out->row];
    if (is_same && out->clip == row->clip && out->clip_2 == row->clip_2) return false;
    out->clip = row->clip;
    out->clip_2 = row->clip_2;
    out->channel = channel_find(a, row->clip, record->node);
    out->channel_2 = channel_find(a, row->clip_2, record->node);
    out->animated = properties_of(a, out->channel) | properties_of(a, out->channel_2);
    return true;
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

/* Properties that were animated before, and are not any more, get the rest pose; others stay as they are. */
static void node_pose(const Animators* a, NodeRow* node, const AnimatorRow* row,
                      const AnimatedNodeRecord* rest, TransformRecord* pose) {
    if (node->moved & ~node->animated) {
        const TransformRecord still = {rest->position, rest->rotation, rest->scale};
        properties_copy(pose, &still, node->moved & ~node->animated);
    }
    node->moved = node->animated;
    if (row->blend > 0 || node->channel_2 != NONE) {
        TransformRecord       out = pose_of(a, rest, node->channel, row->time_s);
        const TransformRecord other = pose_of(a, rest, node->channel_2, row->time_2_s);
        pose_blend(&out, &other, MIN_OF(row->blend, 1.0f));
        properties_copy(pose, &out, node->animated);
    } else if (node->channel != NONE) {
        pose_node_sample(&a->poses.tables, node->channel, row->time_s, pose);
    }
}

/* Is something of the node moved, or set back? An animator that plays nothing leaves its nodes where they are. */
static bool node_is_posed(const NodeRow* node, const AnimatorRow* row) {
    if (node->channel != NONE || node->channel_2 != NONE) return true;
    return node->moved && (row->clip != NONE || row->clip_2 != NONE);
}

/* The pose of an entity that follows a joint is below that. False: there is none. */
static bool follower_pose(const Animators* a, NodeRow* node, const AnimatorRow* row,
                          const AnimatedNodeRecord* rest) {
    const Manager* followers = manager_of(a, COMPONENT_ATTACH_TO_JOINT);
    if (followers->count == 0) return false;
    const u32 at = ent_manager_row(followers, ent_world_entities(a->poses.world), node->entity);
    if (at == MANAGER_NO_ROW) return false;
    AttachToJointRecord* record = &ent_attach_to_joint_rows(a->poses.world).record[at];
    TransformRecord      pose = {record->position, record->rotation, record->scale};
    node_pose(a, node, row, rest, &pose);
    record->position = pose.position;
    record->rotation = pose.rotation;
    record->scale = pose.scale;
    if (followers->watch) watch_row(followers->watch, at);
    return true;
}

static void rows_take(Animators* a, const AnimatorRows* rows) {
    for (u32 i = 0; i < rows->count; i++) row_take(a, &rows->record[i], &a->row[i]);
}

ent_status ent_animators_pose(Animators* a) {
    World*                 w = a->poses.world;
    const AnimatorRows     rows = ent_animator_rows(w);
    const AnimatedNodeRows nodes = ent_animated_node_rows(w);
    const TransformRows    t = ent_transform_rows(w);
    const Manager*         animators = manager_of(a, COMPONENT_ANIMATOR);
    u32                    touched = 0;
    TRY(rows_resolve(a, &rows));
    TRY(nodes_make(a, nodes.count));
    rows_take(a, &rows);
    for (u32 i = 0; i < nodes.count; i++) {
        NodeRow*   node = &a->node[i];
        const bool is_new = node_resolve(a, animators, nodes.entity[i], &nodes.record[i], node);
        if (node->row == NONE) continue;
        const AnimatorRow* row = &a->row[node->row];
        if ((!is_new && !row->is_new) || !node_is_posed(node, row)) continue;
        if (follower_pose(a, node, row, &nodes.record[i])) continue;
        const u32 at = ent_transform_row(w, node->entity);
        if (at == MANAGER_NO_ROW) continue;
        TransformRecord pose = {t.position[at], t.rotation[at], t.scale[at]};
        node_pose(a, node, row, &nodes.record[i], &pose);
        t.position[at] = pose.position;
        t.rotation[at] = pose.rotation;
        t.scale[at] = pose.scale;
        a->touched[touched++] = at;
    }
    ent_transform_touch(w, a->touched, touched);
    return ENT_OK;
}

/* --- single animators --- */

/* Sets the clip of each animator of the entity that moves one of its nodes; without a clip, of all. Returns their
 * number. */
static u32 clip_play(Animators* a, Entity entity, u32 clip, ResourceRef ref, f32 time_s) {
    const AnimatedNodeRows nodes = ent_animated_node_rows(a->poses.world);
    const EntityPool*      pool = ent_world_entities(a->poses.world);
    Manager*               animators = manager_of(a, COMPONENT_ANIMATOR);
    AnimatorRecord*        records = ent_animator_rows(a->poses.world).record;
    u32                    count = 0;
    for (u32 i = 0; i < nodes.count; i++) {
        const AnimatedNodeRecord* node = &nodes.record[i];
        const Entity owner = node->animator == ENTITY_NULL ? nodes.entity[i] : node->animator;
        if (owner != entity || channel_find(a, clip, node->node) == NONE) continue;
        const u32 row = animator_row(animators, pool, entity, node->index);
        if (row == MANAGER_NO_ROW) continue;
        records[row].clip = ref;
        records[row].time_s = time_s;
        ent_manager_changed(animators, &row, 1);
        count++;
    }
    return count;
}

ent_status ent_animators_play(Animators* a, Entity entity, ResourceRef clip, f32 time_s) {
    const EntityPool*  pool = ent_world_entities(a->poses.world);
    Manager*           animators = manager_of(a, COMPONENT_ANIMATOR);
    const AnimatorRows rows = ent_animator_rows(a->poses.world);
    u64                id;
    u32                which;
    if (!ent_entity_alive(pool, entity)) return ENT_STALE;
    u32 row = ent_manager_row(animators, pool, entity);
    if (row == MANAGER_NO_ROW) return ENT_NOT_FOUND;
    if (!isfinite(time_s)) return ENT_BAD_FIELD;
    TRY(rows_resolve(a, &rows));
    TRY(clip_find(a, clip, &id, &which));
    if (id && which == NONE) return ENT_NOT_FOUND;
    if (id) return clip_play(a, entity, which, clip, time_s) ? ENT_OK : ENT_WRONG_TYPE;
    for (; row != MANAGER_NO_ROW; row = ent_manager_next(animators, row)) {
        rows.record[row].clip = clip;
        rows.record[row].time_s = time_s;
        ent_manager_changed(animators, &row, 1);
    }
    return ENT_OK;
}
