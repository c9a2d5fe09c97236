/* skins_internal.h - the members of EntSkins. */
#ifndef ENT_SKINS_INTERNAL_H
#define ENT_SKINS_INTERNAL_H

#include "clip_times_internal.h"
#include "skins.h"

/* What a row of skins referred to when it was last resolved, and the rows of tables that these are. */
typedef struct SkinsRow {
    u64      skeleton, clip, clip_2; /* ids */
    PosePlay play;
} SkinsRow;

struct EntSkins {
    PoseLibrary      poses;
    ClipEvents       events; /* of the last step */
    SkinsRow*        row;    /* [row_room] of each row of the manager */
    u32              row_room;
    TransformRecord* pose;  /* [joint_room] of one skin */
    Mat34*           joint; /* [joint_room] */
    u32              joint_room;
    Mat34*           palette; /* [palette_room] */
    u32              palette_room;
    f32*             weight; /* [weight_room] of one mesh */
    u32              weight_room;
    Entity           reported; /* that could not follow a joint, in the last report */
};

/* The row of an entity's skin: ENT_OK, ENT_STALE or ENT_NOT_FOUND. */
MUST_CHECK ent_status skins_row(const Skins* skins, Entity entity, u32* row);
/* The entity to which the pose of a row is relative. */
Entity skins_root(const Skins* skins, u32 row);

#endif
