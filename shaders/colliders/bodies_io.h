/* bodies_io.h - the inputs and outputs of the kernels that move bodies: what has a mass and colliders, and is moved by a fluid. */
#ifndef ENT_BODIES_IO_H
#define ENT_BODIES_IO_H

#include "colliders_io.h"

#define BODIES_GROUP 64u

/* Bindings; also those of colliders_io.h. */
#define BODIES_SET    0 /* a BodySet for each, by the host */
#define BODIES_STATE  1 /* a BodyState for each */
#define BODIES_BEFORE 2 /* the same, before bodies were added or removed */
#define BODIES_SHOWN  3 /* BodyShown */
#define BODIES_MATRIX 4 /* world matrices, of which each row has 12 floats */

#define BODY_NONE 0xffffffffu

KERNEL_STRUCT(BodySet) {
    Vec3 at;
    u32  from; /* number of its state before; BODY_NONE: it begins at `at`, with `velocity` */
    Vec3 velocity;
    u32  entity;
    Vec3 force;
    f32  mass_kg;
    u32  first, count; /* its colliders */
    f32  stride_max_m; /* in a step */
    u32  stamp;        /* what the host has set last */
};

KERNEL_STRUCT(BodyState) {
    Vec3 at;
    u32  entity;
    Vec3 velocity;
    u32  stamp;
    Vec3 at_next; /* at the end of the step that begins */
    u32  frame;   /* its number */
    Vec3 velocity_next;
    u32  unused;
    Vec3 at_frame; /* at the beginning of the frame */
    u32  sum
        [6]; /* impulse of particles in the last step: of each axis a number of 64 bits, in 2^-32 units */
};

/* A row of the world's transforms that a body moves. */
KERNEL_STRUCT(BodyShown) {
    u32  row, body;
    Vec3 offset; /* from the body */
};

KERNEL_STRUCT(BodiesPush) {
    u32  count;
    u32  collider_count, collider_first; /* of the step */
    u32  keeps;                          /* 1: all go on as they are */
    u32  frame;
    f32  step_s;
    f32  unit; /* of impulses: kg m/s */
    f32  speed_max_m_s;
    Vec3 gravity;
};

#endif
