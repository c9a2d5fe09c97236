/* animators_internal.h - the rows of animators, and what their clips move and change. */
#ifndef ENT_ANIMATORS_INTERNAL_H
#define ENT_ANIMATORS_INTERNAL_H

#include "animators.h"
#include "clip_times_internal.h"
#include "rows.h"
#include "watch_internal.h"
#include "world_internal.h"

/* What a row of animators refers to and plays; what its entities were posed by. */
typedef struct AnimatorRow {
    Entity   entity;
    u64      id, id_2;     /* of the clips, when they were last resolved */
    u32      clip, clip_2; /* rows of the tables, or NONE */
    PosePlay play;         /* what its entities were posed by, */
    bool     is_posed;     /* unless they have to be posed anew */
    bool     is_new;       /* its entities have to be posed */
    bool     has_events;
    bool     is_chosen; /* its entities are to be posed, or it is to play another clip */
    u32      quiet;     /* as in Playing */
} AnimatorRow;

/* The animator to which a row of another component refers, when it was last found. */
typedef struct AnimatorUse {
    Entity entity, animator; /* that has the row, and that has the animator, or ENTITY_NULL */
    u32    index;
    u32    moves;        /* of the animators' watch */
    u32    row;          /* of the animator, or NONE */
    u32    clip, clip_2; /* that it had */
} AnimatorUse;

/* What a row of animated nodes was, when it was last resolved. */
typedef struct NodeRow {
    AnimatorUse use;
    NameRef     node;
    u32         channel, channel_2; /* first ones in the tables; NONE: nothing is moved */
    u32         animated;           /* properties that these channels move, one bit each */
    bool        is_new;             /* its channels are others than those by which it was posed */
} NodeRow;

/* What a row of animated properties was, when it was last resolved, and what it was set by. */
typedef struct PropertyRow {
    AnimatorUse use;
    u32         property;
    NameRef     target;
    u32         track, track_2; /* rows of their sections; NONE: nothing is changed */
    f32         time_s, time_2_s, blend;
    bool        is_set; /* by these; else it has to be set anew */
} PropertyRow;

#define ANIMATOR_UNUSED ((AnimatorUse){.entity = ENTITY_NULL, .row = NONE})

struct EntAnimators {
    PoseLibrary  poses;
    ClipEvents   events;
    AnimatorRow* row; /* [row_room] of each row of the animators */
    u32          row_room;
    NodeRow*     node;    /* [node_room] of each row of the animated nodes */
    u32*         touched; /* [node_room] rows of transforms that were written */
    u32          node_room;
    PropertyRow* property; /* [property_room] of each row of the animated properties */
    u32          property_room;
    Entity       owner;     /* whose animators these are: */
    u32*         owner_row; /* [owner_room] the first owner_count in their order */
    u32          owner_count, owner_room, owner_moves;
    ManagerWatch watch; /* of the animators */
};

/* --- animator_rows.c --- */

static inline Manager* animators_manager(const Animators* a, ComponentIndex type) {
    return ent_world_built_in(a->poses.world, type);
}

/* Resolves the clips of all rows. */
MUST_CHECK ent_status animator_rows_resolve(Animators* a);

/* The clip, of which the nodes are in the tables; NONE after an error, so that it is looked for again. */
MUST_CHECK ent_status animator_clip_find(Animators* a, ResourceRef ref, u64* id, u32* clip);

/* What an animator plays now. */
PosePlay animator_play(const Animators* a, const AnimatorRecord* record, const AnimatorRow* row);

/* The row of the animator with an index that an entity has; absent: `entity`. NONE: there is none. */
MUST_CHECK ent_status animator_row_find(Animators* a, Entity entity, Entity animator, u32 index,
                                        u32* row);

/* Finds the animator of a row, and what it plays.
 *
 *   is_same  what else the row refers to is what it was
 *   is_new   receives whether clips have to be searched again: the row, the animator or its clips are others */
static inline MUST_CHECK ent_status animator_use_find(Animators* a, AnimatorUse* use, Entity entity,
                                                      Entity animator, u32 index, bool is_same,
                                                      bool* is_new) {
    is_same &= use->entity == entity && use->animator == animator && use->index == index;
    *is_new = false;
    if (!is_same || use->moves != a->watch.moves) {
        u32              row;
        const ent_status status = animator_row_find(a, entity, animator, index, &row);
        if (status != ENT_OK) return status;
        is_same &= row == use->row;
        use->entity = entity;
        use->animator = animator;
        use->index = index;
        use->moves = a->watch.moves;
        use->row = row;
    }
    if (use->row == NONE) return ENT_OK;
    const AnimatorRow* row = &a->row[use->row];
    *is_new = !is_same || use->clip != row->clip || use->clip_2 != row->clip_2;
    use->clip = row->clip;
    use->clip_2 = row->clip_2;
    return ENT_OK;
}

/* --- animator_properties.c --- */

/* Sets what clips change of lights and cameras; `chosen`: of the rows only that are chosen. Needs
 * animator_rows_resolve. */
MUST_CHECK ent_status animator_properties_set(Animators* a, bool chosen);

/* Chooses the animators of an entity that change a property that a clip animates. */
MUST_CHECK ent_status animator_properties_mark(Animators* a, Entity entity, u32 clip);

/* Sets, of chosen animators of an entity, what the clip that they play changes and another one does not, to its value at rest. */
MUST_CHECK ent_status animator_properties_rest(Animators* a, Entity entity, u32 clip);

#endif
