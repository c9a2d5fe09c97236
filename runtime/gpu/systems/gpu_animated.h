/* gpu_animated.h - the world matrices of what animators move, and of all entities below, computed on the device.
 *
 *     GpuAnimated animated;
 *     TRY(gpu_animated_create(&animated, gpu, world, animators));
 *     each frame, after world matrices were uploaded to the columns of transforms:
 *         TRY(gpu_animated_record(&animated, frame, &transforms));
 *     gpu_animated_destroy(&animated);
 *
 * A thread samples the pose of an entity, and a thread multiplies the matrices of an entity and of its ancestors.
 * Transforms of the host stay as they are, and so does the device's copy of what no animator moves. Entities that
 * follow joints, and what is below them, are left out. Nothing is recorded while no animator plays and nothing that
 * moves is changed by the host. */
#ifndef ENT_GPU_ANIMATED_H
#define ENT_GPU_ANIMATED_H

#include "animators.h"
#include "gpu_columns.h"
#include "gpu_mirror.h"

#include "animated_io.h"

/* What the host has. */
typedef struct GpuAnimatedTables {
    AnimatedNode* node;     /* [node_count] */
    u32*          node_row; /* [node_count] of `animated_node` */
    AnimatedPlay* play;     /* [play_count] of each animator */
    u64*  playing; /* [play_count] hash of its clips: when it changes, nodes have other channels */
    bool* plays;   /* [play_count] it plays something else than in the last frame */
    AnimatedRow* row;     /* [row_count] ancestors before what is below them */
    Entity*      entity;  /* [row_count] of a row */
    u32*         node_of; /* [row_count] node of a row, or NONE */
    bool*        moves;   /* [row_count] its world matrix has changed in this frame */
    Mat34*       local;   /* [row_count] of those that are no nodes */
    u32*         slot;    /* [slot_count] of each transform: its row, or NONE */
    bool*        is_left; /* [slot_count] it is of a node below an entity that follows a joint */
    u64*         content; /* [content_count] of each entity, by its index: hash of its row, or 0 */
    u32          node_count, play_count, row_count, slot_count, content_count;
    u32          node_room, play_room, row_room, slot_room, content_room;
    u32          left_count;  /* of is_left */
    u32          moved_count; /* rows that move in this frame */
} GpuAnimatedTables;

typedef struct GpuAnimatedBuffers {
    GpuPool   pool, clips;
    GpuBuffer nodes, plays, rows, locals, channels, keys;
    GpuMirror mirror[4], clip_mirror[2]; /* of these, in this order */
} GpuAnimatedBuffers;

/* What was found when rows and clips were taken last. */
typedef struct GpuAnimatedSeen {
    u32  node_moves, player_moves, follower_moves; /* of the watches */
    u32  version, channel_count, key_count;        /* of the tables of clips */
    u32  dropped;                                  /* Gpu.dropped */
    bool has_clips;                                /* the device has these tables */
    bool is_partial;                               /* the frame has failed before it was complete */
} GpuAnimatedSeen;

typedef struct GpuAnimated {
    Gpu*               gpu;
    World*             world;
    Animators*         animators; /* NULL: nothing is moved */
    GpuKernel          sample, place;
    GpuAnimatedTables  has;
    GpuAnimatedBuffers buffer;
    GpuAnimatedSeen    seen;
    ManagerWatch       nodes, players,
        followers; /* of animated_node, animator, attach_to_joint: without bits,
                                               so that any change is an overflow */
    bool moves;    /* matrices were computed in this frame */
} GpuAnimated;

/*   animators  of the world; they exist until gpu_animated_destroy. NULL: nothing is moved */
MUST_CHECK ent_status gpu_animated_create(GpuAnimated* animated, Gpu* gpu, World* world,
                                          Animators* animators);
void                  gpu_animated_destroy(GpuAnimated* animated);

/* Records the passes that write the matrices to the column of world matrices.
 *
 *   transforms  updated in this frame
 *
 * Cost     a few operations for each animator; for each row as well when something moves. When animators, nodes
 *          or what is below them are added, removed or attached, or more transforms change than are listed, also
 *          some for each transform of the world, and the way to the root for each node. */
MUST_CHECK ent_status gpu_animated_record(GpuAnimated* animated, GpuFrame* frame,
                                          GpuColumns* transforms);

/* Is the matrix in a row of transforms computed on the device? */
static inline bool gpu_animated_has(const GpuAnimated* animated, u32 row) {
    return row < animated->has.slot_count && animated->has.slot[row] != NONE;
}

/* The world matrix in a row of transforms, computed on the host. False: the row is not moved here. */
bool gpu_animated_pose(const GpuAnimated* animated, u32 row, Mat34* pose);

#endif
