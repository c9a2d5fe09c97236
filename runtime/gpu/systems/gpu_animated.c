/* gpu_animated.c - which entities move because of animators, and the passes that compute where they are. */
#include "gpu_animated.h"

#include <stdlib.h>

#include "gpu_frame_internal.h"
#include "hash.h"
#include "pose_internal.h"
#include "rows.h"
#include "transform_internal.h"

#include "animated_place.comp.h"
#include "animated_sample.comp.h"

_Static_assert(sizeof(ClipChannel) == sizeof(PoseChannel), "channels are uploaded unchanged");
_Static_assert(NONE == CHANNEL_NONE, "channels are found as they are");

/* --- memory --- */

/* An array of the host. */
typedef struct Column {
    void** at;
    size_t bytes; /* of an element */
} Column;
#define COLUMN(t, name)                                                                            \
    { (void**)&(t)->name, sizeof *(t)->name }

/* Room for half more elements in all columns, when `count` does not fit. */
static ent_status columns_reserve(u32 count, u32* room, const Column* columns, u32 column_count) {
    const u32 wanted = (u32)MIN_OF(count + (u64)count / 2, (u64)UINT32_MAX);
    if (count <= *room) return ENT_OK;
    for (u32 i = 0; i < column_count; i++) {
        void* grown = realloc(*columns[i].at, wanted * columns[i].bytes);
        if (!grown) return ENT_NO_MEMORY;
        *columns[i].at = grown;
    }
    *room = wanted;
    return ENT_OK;
}

static ent_status nodes_reserve(GpuAnimatedTables* t, u32 count) {
    const Column columns[] = {COLUMN(t, node), COLUMN(t, node_row)};
    return columns_reserve(count, &t->node_room, columns, COUNT_OF(columns));
}

static ent_status plays_reserve(GpuAnimatedTables* t, u32 count) {
    const Column columns[] = {COLUMN(t, play), COLUMN(t, playing), COLUMN(t, plays)};
    return columns_reserve(count, &t->play_room, columns, COUNT_OF(columns));
}

static ent_status rows_reserve(GpuAnimatedTables* t, u32 count) {
    const Column columns[] = {COLUMN(t, row), COLUMN(t, entity), COLUMN(t, node_of),
                              COLUMN(t, moves), COLUMN(t, local)};
    return columns_reserve(count, &t->row_room, columns, COUNT_OF(columns));
}

static ent_status slots_reserve(GpuAnimatedTables* t, u32 count) {
    const Column columns[] = {COLUMN(t, slot), COLUMN(t, is_left)};
    return columns_reserve(count, &t->slot_room, columns, COUNT_OF(columns));
}

static ent_status contents_reserve(GpuAnimatedTables* t, u32 count) {
    const Column columns[] = {COLUMN(t, content)};
    TRY(columns_reserve(count, &t->content_room, columns, COUNT_OF(columns)));
    for (; t->content_count < count; t->content_count++) t->content[t->content_count] = 0;
    return ENT_OK;
}

static Manager* manager_of(const GpuAnimated* a, ComponentIndex type) {
    return ent_world_built_in(a->world, type);
}

ent_status gpu_animated_create(GpuAnimated* a, Gpu* gpu, World* world, Animators* animators) {
    *a = (GpuAnimated){.gpu = gpu, .world = world};
    if (!animators) return ENT_OK;
    TRY(gpu_kernel_create(&a->sample, gpu, &GPU_KERNEL(animated_sample, MOVED_GROUP)));
    TRY(gpu_kernel_create(&a->place, gpu, &GPU_KERNEL(animated_place, MOVED_GROUP)));
    a->animators = animators;
    a->nodes.overflow = 1; /* rows are found in the first frame */
    ent_manager_watch(manager_of(a, COMPONENT_ANIMATED_NODE), &a->nodes);
    ent_manager_watch(manager_of(a, COMPONENT_ANIMATOR), &a->players);
    ent_manager_watch(manager_of(a, COMPONENT_ATTACH_TO_JOINT), &a->followers);
    return ENT_OK;
}

void gpu_animated_destroy(GpuAnimated* a) {
    GpuAnimatedTables* const t = &a->has;
    if (!a->gpu) return;
    if (a->animators) {
        ent_manager_unwatch(manager_of(a, COMPONENT_ANIMATED_NODE), &a->nodes);
        ent_manager_unwatch(manager_of(a, COMPONENT_ANIMATOR), &a->players);
        ent_manager_unwatch(manager_of(a, COMPONENT_ATTACH_TO_JOINT), &a->followers);
    }
    gpu_wait(a->gpu);
    gpu_kernel_destroy(&a->sample);
    gpu_kernel_destroy(&a->place);
    gpu_pool_destroy(&a->buffer.pool);
    gpu_pool_destroy(&a->buffer.clips);
    for (u32 i = 0; i < COUNT_OF(a->buffer.mirror); i++) gpu_mirror_free(&a->buffer.mirror[i]);
    for (u32 i = 0; i < COUNT_OF(a->buffer.clip_mirror); i++)
        gpu_mirror_free(&a->buffer.clip_mirror[i]);
    free(t->node), free(t->node_row);
    free(t->play), free(t->playing), free(t->plays);
    free(t->row), free(t->entity), free(t->node_of), free(t->moves), free(t->local);
    free(t->slot), free(t->is_left), free(t->content);
    *a = (GpuAnimated){0};
}

/* --- rows --- */

static bool follows_joint(const GpuAnimated* a, Entity entity) {
    const Manager* followers = manager_of(a, COMPONENT_ATTACH_TO_JOINT);
    return followers->count > 0 &&
           ent_manager_row(followers, ent_world_entities(a->world), entity) != MANAGER_NO_ROW;
}

static bool has_follower_above(const GpuAnimated* a, u32 row) {
    const TransformRows   rows = ent_transform_rows(a->world);
    const TransformLinks* links = ent_transform_links(a->world);
    if (manager_of(a, COMPONENT_ATTACH_TO_JOINT)->count == 0) return false;
    while (row != NONE && !follows_joint(a, rows.entity[row])) row = links[row].parent;
    return row != NONE;
}

static void row_add(GpuAnimatedTables* t, u32 at, Entity entity) {
    t->slot[at] = t->row_count;
    t->node_of[t->row_count] = NONE;
    t->entity[t->row_count] = entity;
    t->row[t->row_count++].row = at;
}

/* Adds a row and all rows below it, each once, parents before their children. */
static void rows_add(GpuAnimated* a, u32 top) {
    const TransformRows   rows = ent_transform_rows(a->world);
    const TransformLinks* links = ent_transform_links(a->world);
    GpuAnimatedTables*    t = &a->has;
    for (u32 at = top; at != NONE;) {
        const bool is_left_out = t->slot[at] != NONE || follows_joint(a, rows.entity[at]);
        if (!is_left_out) row_add(t, at, rows.entity[at]);
        if (!is_left_out && links[at].first_child != NONE) {
            at = links[at].first_child;
            continue;
        }
        while (at != top && links[at].next_sibling == NONE) at = links[at].parent;
        at = at == top ? NONE : links[at].next_sibling;
    }
}

/* The highest ancestor of a row that is a node, or the row itself; `nodes` marks nodes. */
static u32 top_of(const TransformLinks* links, const bool* nodes, u32 row) {
    u32 top = row;
    for (u32 at = links[row].parent; at != NONE; at = links[at].parent)
        if (nodes[at]) top = at;
    return top;
}

/* Lists the nodes that an animator moves, and marks their rows of transforms. */
static ent_status nodes_list(GpuAnimated* a, bool* nodes) {
    const AnimatedNodeRows rows = ent_animated_node_rows(a->world);
    GpuAnimatedTables*     t = &a->has;
    for (u32 i = 0; i < rows.count; i++) {
        const u32    at = ent_transform_row(a->world, rows.entity[i]);
        AnimatorNode node;
        TRY(ent_animators_node(a->animators, i, &node));
        if (at == MANAGER_NO_ROW || node.animator == NONE) continue;
        if (has_follower_above(a, at)) {
            t->is_left[at] = true;
            t->left_count++;
            continue;
        }
        nodes[at] = true;
        t->node[t->node_count].slot = at; /* the slots are not known yet */
        t->node_row[t->node_count++] = i;
    }
    return ENT_OK;
}

/* Below the highest nodes, so that ancestors are before what is below them. */
static ent_status rows_find(GpuAnimated* a, bool* nodes) {
    const TransformLinks* links = ent_transform_links(a->world);
    GpuAnimatedTables*    t = &a->has;
    TRY(nodes_list(a, nodes));
    for (u32 i = 0; i < t->node_count; i++) {
        const u32 at = t->node[i].slot;
        if (t->slot[at] == NONE) rows_add(a, top_of(links, nodes, at));
        t->node[i].slot = t->slot[at];
        t->node_of[t->slot[at]] = i;
    }
    return ENT_OK;
}

static void properties_set(AnimatedNode* node, const TransformRecord* pose, u32 properties) {
    if (properties & 1) node->position = pose->position;
    if (properties & 2)
        node->rotation =
            (Vec4){pose->rotation.x, pose->rotation.y, pose->rotation.z, pose->rotation.w};
    if (properties & 4) node->scale = pose->scale;
}

/* What moves a node, and its pose where no clip does. */
static ent_status node_fill(GpuAnimated* a, u32 which) {
    AnimatedNode* const       node = &a->has.node[which];
    const u32                 i = a->has.node_row[which];
    const AnimatedNodeRecord* record = &ent_animated_node_rows(a->world).record[i];
    const TransformRecord     rest = {record->position, record->rotation, record->scale};
    const TransformRecord     pose = ent_transform_local(a->world, a->has.row[node->slot].row);
    AnimatorNode              found;
    PosePlay                  play;
    TRY(ent_animators_node(a->animators, i, &found));
    assert(found.animator < a->has.play_count); /* else rows are found again */
    ent_animators_playing(a->animators, found.animator, &play);
    const bool stays = play.clip == NONE && !(play.blend > 0);
    node->animator = found.animator;
    node->channels = stays ? NONE : found.first_channel;
    node->channels_2 = stays ? NONE : found.first_channel_2;
    properties_set(node, &pose, 7);
    properties_set(node, &rest, stays ? 0 : found.properties);
    return ENT_OK;
}

/* True: its parent has another row than before. */
static bool row_link(GpuAnimated* a, u32 slot) {
    AnimatedRow* const row = &a->has.row[slot];
    const AnimatedRow  before = *row;
    const u32          parent = ent_transform_links(a->world)[row->row].parent;
    row->parent = parent == NONE ? NONE : a->has.slot[parent];
    row->root = row->parent == NONE ? parent : NONE;
    return before.parent != row->parent || before.root != row->root;
}

static ent_status row_fill(GpuAnimated* a, u32 slot) {
    const AnimatedRow* row = &a->has.row[slot];
    row_link(a, slot);
    if (a->has.node_of[slot] != NONE) return node_fill(a, a->has.node_of[slot]);
    const TransformRecord pose = ent_transform_local(a->world, row->row);
    a->has.local[slot] = mat34_of_pose(&pose.position, &pose.rotation, &pose.scale);
    return ENT_OK;
}

/* A hash of what decides where a row is below its parent. */
static u64 content_of(const GpuAnimated* a, u32 slot) {
    const GpuAnimatedTables* t = &a->has;
    const u32                node = t->node_of[slot],
              parent = ent_transform_links(a->world)[t->row[slot].row].parent;
    const Entity above = parent == NONE ? ENTITY_NULL : ent_transform_rows(a->world).entity[parent];
    if (node == NONE) return hash_bytes(&t->local[slot], sizeof *t->local, above) | 1;
    AnimatedNode alone = t->node[node];
    alone.slot = alone.animator = 0; /* what the animator plays is compared by itself */
    return hash_bytes(&alone, sizeof alone, above) | 1;
}

static ent_status rows_fill(GpuAnimated* a) {
    GpuAnimatedTables* const t = &a->has;
    for (u32 i = 0; i < t->row_count; i++) {
        t->local[i] = mat34_identity;
        TRY(row_fill(a, i));
    }
    for (u32 i = 0; i < t->row_count; i++)
        t->moves[i] = t->content[ent_entity_index(t->entity[i])] != content_of(a, i);
    memset(t->content, 0, t->content_count * sizeof *t->content);
    for (u32 i = 0; i < t->row_count; i++)
        t->content[ent_entity_index(t->entity[i])] = content_of(a, i);
    return ENT_OK;
}

/* Rows that are not moved any more get the matrices of the host. */
static void rows_restore(GpuAnimated* a, GpuFrame* frame, GpuColumns* transforms, u32* before,
                         u32 count) {
    u32 kept = 0;
    for (u32 i = 0; i < count; i++)
        if (before[i] < a->has.slot_count && a->has.slot[before[i]] == NONE)
            before[kept++] = before[i];
    gpu_columns_restore(transforms, frame, before, kept);
}

static ent_status tables_reserve(GpuAnimatedTables* t, World* world) {
    const u32 count = ent_transform_rows(world).count;
    TRY(nodes_reserve(t, ent_animated_node_rows(world).count));
    TRY(rows_reserve(t, count));
    TRY(slots_reserve(t, count));
    TRY(contents_reserve(t, ent_world_entities(world)->slot_capacity));
    t->node_count = t->row_count = t->left_count = 0;
    t->slot_count = count;
    for (u32 i = 0; i < count; i++) t->slot[i] = NONE, t->is_left[i] = false;
    return ENT_OK;
}

static ent_status rows_collect(GpuAnimated* a, GpuFrame* frame, GpuColumns* transforms) {
    GpuAnimatedTables* const t = &a->has;
    const u32                count = t->row_count;
    u32* const               before = malloc((count + 1) * sizeof *before);
    bool* const              nodes = calloc((size_t)transforms->count + 1, sizeof *nodes);
    ent_status               status = before && nodes ? ENT_OK : ENT_NO_MEMORY;
    a->nodes.overflow = 1; /* after a failure, rows are found again */
    for (u32 i = 0; i < count && status == ENT_OK; i++) before[i] = t->row[i].row;
    if (status == ENT_OK) status = tables_reserve(t, a->world);
    if (status == ENT_OK) status = rows_find(a, nodes);
    if (status == ENT_OK) status = rows_fill(a);
    if (status == ENT_OK) rows_restore(a, frame, transforms, before, count);
    free(before);
    free(nodes);
    TRY(status);
    gpu_mirror_free(&a->buffer.mirror[3]); /* the device has written to other rows */
    a->nodes.overflow = 0;
    a->seen.node_moves = a->nodes.moves;
    a->seen.player_moves = a->players.moves;
    a->seen.follower_moves = a->followers.moves;
    return ENT_OK;
}

/* --- following the world --- */

/* A row that has changed may have got another parent: is it still to be moved, behind its parent, or still not to be
 * moved? */
static bool row_is_as_found(const GpuAnimated* a, u32 row) {
    const GpuAnimatedTables* t = &a->has;
    const u32                slot = t->slot[row];
    const u32                parent = ent_transform_links(a->world)[row].parent;
    const u32                above = parent == NONE ? NONE : t->slot[parent];
    if (t->is_left[row]) return has_follower_above(a, row);
    if (slot == NONE)
        return above == NONE || follows_joint(a, ent_transform_rows(a->world).entity[row]);
    if (above != NONE) return above < slot;
    return t->node_of[slot] != NONE && !has_follower_above(a, row);
}

/* Are all rows those of the same entities? Other transforms were added, removed or got other rows, which may be those of
 * parents. */
static ent_status owners_compare(GpuAnimated* a, u32 count, bool* same, bool* changed) {
    GpuAnimatedTables* const t = &a->has;
    const TransformRows      rows = ent_transform_rows(a->world);
    TRY(slots_reserve(t, count));
    for (u32 i = 0; i < t->row_count && *same; i++)
        *same = t->row[i].row < count && rows.entity[t->row[i].row] == t->entity[i];
    *same = *same && t->left_count == 0; /* their rows may be others */
    for (u32 i = t->slot_count; i < count && *same; i++) t->slot[i] = NONE, t->is_left[i] = false;
    if (!*same) return ENT_OK;
    t->slot_count = count;
    for (u32 i = 0; i < t->row_count; i++) *changed |= row_link(a, i);
    return ENT_OK;
}

/* Takes what the host has changed of rows that move. `changed`: everything, if it is already set. */
static ent_status rows_follow(GpuAnimated* a, GpuFrame* frame, GpuColumns* transforms,
                              bool* changed) {
    GpuAnimatedTables* const t = &a->has;
    const u32                listed = transforms->listed_count;
    bool same = !*changed && !a->nodes.overflow && a->seen.node_moves == a->nodes.moves &&
                a->seen.player_moves == a->players.moves &&
                a->seen.follower_moves == a->followers.moves && listed != NONE;
    if (same && (transforms->moved || t->slot_count != transforms->count))
        TRY(owners_compare(a, transforms->count, &same, changed));
    for (u32 i = 0; i < listed && same; i++) same = row_is_as_found(a, transforms->rows[i]);
    *changed |= !same;
    if (!same) return rows_collect(a, frame, transforms);
    memset(t->moves, 0, t->row_count * sizeof *t->moves);
    for (u32 i = 0; i < listed; i++) {
        const u32 slot = t->slot[transforms->rows[i]];
        if (slot == NONE) continue;
        TRY(row_fill(a, slot));
        t->content[ent_entity_index(t->entity[slot])] = content_of(a, slot);
        *changed = t->moves[slot] = true;
    }
    return ENT_OK;
}

/* Takes what animators play. Other clips: nodes have other channels. */
static ent_status plays_follow(GpuAnimated* a, bool* changed, bool* others) {
    GpuAnimatedTables* const t = &a->has;
    const u32                count = ent_animator_rows(a->world).count;
    TRY(plays_reserve(t, count));
    for (u32 i = 0; i < count; i++) {
        PosePlay play;
        ent_animators_playing(a->animators, i, &play);
        const AnimatedPlay now = {play.time_s, play.time_2_s, play.blend};
        const u32          clips[] = {play.clip, play.clip_2, play.blend > 0};
        const u64          playing = hash_bytes(clips, sizeof clips, 1);
        const bool         is_new = i >= t->play_count || playing != t->playing[i];
        t->plays[i] = is_new || memcmp(&now, &t->play[i], sizeof now) != 0;
        t->play[i] = now;
        t->playing[i] = playing;
        *others |= is_new;
        *changed |= t->plays[i];
    }
    t->play_count = count;
    return ENT_OK;
}

static ent_status nodes_follow(GpuAnimated* a) {
    GpuAnimatedTables* const t = &a->has;
    for (u32 i = 0; i < t->node_count; i++) {
        const u32 slot = t->node[i].slot;
        TRY(node_fill(a, i));
        t->content[ent_entity_index(t->entity[slot])] = content_of(a, slot);
    }
    return ENT_OK;
}

/* Marks what moves with its animator or its parent. */
static void moves_find(GpuAnimatedTables* t) {
    t->moved_count = 0;
    for (u32 i = 0; i < t->row_count; i++) {
        const u32 node = t->node_of[i], parent = t->row[i].parent;
        t->moves[i] |= (node != NONE && t->plays[t->node[node].animator]) ||
                       (parent != NONE && t->moves[parent]);
        t->moved_count += t->moves[i];
    }
}

/* --- passes --- */

static ent_status clips_upload(GpuAnimated* a, GpuFrame* frame) {
    GpuAnimatedBuffers*    b = &a->buffer;
    GpuAnimatedSeen*       seen = &a->seen;
    const PoseTables*      clips = ent_animators_tables(a->animators);
    const GpuBufferRequest tables[] = {
        {&b->channels, clips->channel_count, sizeof *clips->channel, "tracks"},
        {&b->keys, clips->key_count, sizeof *clips->key, "keys of clips"}};
    const void* from[] = {clips->channel, clips->key};
    if (seen->has_clips && seen->channel_count == clips->channel_count &&
        seen->key_count == clips->key_count)
        return ENT_OK;
    TRY(gpu_mirrors_upload(b->clip_mirror, frame, &b->clips, tables, from, COUNT_OF(tables)));
    seen->has_clips = true;
    seen->channel_count = clips->channel_count;
    seen->key_count = clips->key_count;
    return ENT_OK;
}

/*   filled  nodes or rows are others than those that the device has */
static ent_status tables_upload(GpuAnimated* a, GpuFrame* frame, bool filled) {
    const GpuAnimatedTables* t = &a->has;
    GpuAnimatedBuffers*      b = &a->buffer;
    const GpuBufferRequest   tables[] = {
          {&b->nodes, t->node_count, sizeof *t->node, "animated entities"},
          {&b->plays, t->play_count, sizeof *t->play, "animators"},
          {&b->rows, t->row_count, sizeof *t->row, "entities that animators move"},
          {&b->locals, t->row_count, sizeof *t->local, "entities that animators move"}};
    const void* from[] = {t->node, t->play, t->row, t->local};
    TRY(clips_upload(a, frame));
    if (filled) return gpu_mirrors_upload(b->mirror, frame, &b->pool, tables, from, 4);
    return gpu_mirror_upload(&b->mirror[1], frame, &b->plays, t->play,
                             t->play_count * sizeof *t->play);
}

static void passes_record(const GpuAnimated* a, GpuList* list, const GpuBuffer* worlds) {
    const GpuAnimatedBuffers* b = &a->buffer;
    AnimatedPush              push = {a->has.node_count};
    gpu_pass(list, &(GpuPass){.name = "animated",
                              .kernel = &a->sample,
                              .use = {[MOVED_NODE] = {&b->nodes, GPU_READ},
                                      [MOVED_PLAY] = {&b->plays, GPU_READ},
                                      [MOVED_CHANNEL] = {&b->channels, GPU_READ},
                                      [MOVED_KEY] = {&b->keys, GPU_READ},
                                      [MOVED_LOCAL] = {&b->locals, GPU_WRITE}},
                              GPU_PUSH(push),
                              .threads = push.count});
    push.count = a->has.row_count;
    gpu_pass(list, &(GpuPass){.name = "animated places",
                              .kernel = &a->place,
                              .use = {[MOVED_LOCAL] = {&b->locals, GPU_READ},
                                      [MOVED_ROW] = {&b->rows, GPU_READ},
                                      [MOVED_WORLD] = {worlds, GPU_READ_WRITE}},
                              GPU_PUSH(push),
                              .threads = push.count});
}

ent_status gpu_animated_record(GpuAnimated* a, GpuFrame* frame, GpuColumns* transforms) {
    GpuAnimatedSeen* const seen = &a->seen;
    bool                   others = false, plays = false;
    a->moves = false;
    a->has.moved_count = 0;
    if (!a->animators) return ENT_OK;
    TRY(ent_animators_properties(a->animators)); /* it finds clips, too */
    if (ent_animated_node_rows(a->world).count == 0 && a->has.row_count == 0) return ENT_OK;
    TRY(plays_follow(a, &plays, &others));
    const u32 version = ent_animators_tables(a->animators)->version;
    bool filled = seen->is_partial || seen->dropped != a->gpu->dropped || seen->version != version;
    if (filled) seen->has_clips = false;
    seen->dropped = a->gpu->dropped;
    seen->version = version;
    seen->is_partial = true; /* until everything is recorded */
    TRY(rows_follow(a, frame, transforms, &filled));
    if (others) TRY(nodes_follow(a));
    if (a->has.node_count > 0 && (filled || plays)) {
        moves_find(&a->has);
        TRY(tables_upload(a, frame, filled || others));
        passes_record(a, &frame->list, &transforms->column[COLUMN_WORLD]);
        a->moves = true;
    }
    seen->is_partial = frame->list.status != ENT_OK;
    return frame->list.status;
}

/* --- on the host --- */

/* Without memory for the animators, as the host has it: the next frame reports that. */
static Mat34 slot_local(const GpuAnimated* a, u32 slot) {
    const u32 node = a->has.node_of[slot];
    if (node == NONE) return a->has.local[slot];
    TransformRecord pose = ent_transform_local(a->world, a->has.row[slot].row);
    if (ent_animators_local(a->animators, a->has.node_row[node], &pose) != ENT_OK)
        pose = ent_transform_local(a->world, a->has.row[slot].row);
    return mat34_of_pose(&pose.position, &pose.rotation, &pose.scale);
}

bool gpu_animated_pose(const GpuAnimated* a, u32 row, Mat34* pose) {
    if (!gpu_animated_has(a, row)) return false;
    u32   slot = a->has.slot[row];
    Mat34 m = slot_local(a, slot);
    while (a->has.row[slot].parent != NONE) {
        slot = a->has.row[slot].parent;
        const Mat34 above = slot_local(a, slot), below = m;
        mat34_multiply(&m, &above, &below);
    }
    const u32 root = a->has.row[slot].root;
    *pose = m;
    if (root != NONE) mat34_multiply(pose, &ent_transform_worlds(a->world)[root], &m);
    return true;
}
