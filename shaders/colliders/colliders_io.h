/* colliders_io.h - the inputs and outputs of the kernel that moves colliders, and what kernels read that move particles among them.
 * Colliders are planes first. */
#ifndef ENT_COLLIDERS_IO_H
#define ENT_COLLIDERS_IO_H

#include "kernel_io.h"

#define COLLIDERS_GROUP 64u

/* Bindings. */
#define COLLIDERS_FRAME 0  /* a ColliderShape for each, over the frame */
#define COLLIDERS_STEP  16 /* for each step, the same over that step */
#define COLLIDERS_CELL                                                                             \
    17 /* COLLIDERS_CELLS times COLLIDERS_WORDS: a count, and numbers of colliders */
#define COLLIDERS_LIST                                                                             \
    18 /* a count, and numbers of colliders that are in no cell; behind them, a word for each: is it listed? */

/* Cells of space, by a hash. A collider is in all cells that it can meet, but in none when they are more than COLLIDERS_WIDE. */
#define COLLIDERS_CELLS 16384u
#define COLLIDERS_WORDS 16u
#define COLLIDERS_WIDE  200u

/* Up to so many are met by all particles without cells. */
#define COLLIDERS_FEW 16u

/* After a contact a particle is somewhere else, where it can meet others: so often its way is looked at again. */
#define COLLIDER_ROUNDS 4u

/* EntColliderMotion of collider_shape.h. */
KERNEL_STRUCT(ColliderShape) {
    Vec4 turn_was, turn; /* quaternions */
    Vec3 at_was;
    f32  radius_m;
    Vec3 at;
    f32  reach_m; /* in COLLIDERS_STEP: with its motion; of a plane: 0 */
    Vec3
        half_m; /* of a plane in COLLIDERS_STEP: its normal in the world; 0: it moves, and all particles can meet it */
    u32 is_plane;
    f32 friction, restitution;
    f32 motion_m; /* in COLLIDERS_STEP: how far a point of it moves, at most */
    u32 body;     /* number of the body that moves it, plus 1; 0: none does */
};

KERNEL_STRUCT(CollidersPush) {
    u32 count, plane_count;
    u32 steps;  /* of the frame; 0: one, in which they stand where they are at its end */
    f32 cell_m; /* 0: there are no cells */
    f32 near_m; /* how near a particle is that finds a collider in its cell */
    u32 bodies; /* whose places are known on the device */
    u32 first;  /* of the step whose cells are made */
};

/* Planes that stand, without friction. */
KERNEL_STRUCT(ColliderPlane) {
    Vec4 plane;
    f32  restitution;
};

#endif
