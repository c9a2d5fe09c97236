/* animated_io.h - the inputs and outputs of the kernels that place what animators move. */
#ifndef ENT_ANIMATED_IO_H
#define ENT_ANIMATED_IO_H

#include "pose_io.h"

#define MOVED_GROUP 64u

#define MOVED_NODE    0 /* bindings: an AnimatedNode each */
#define MOVED_PLAY    1 /* an AnimatedPlay for each animator */
#define MOVED_CHANNEL 2 /* a ClipChannel each, of all clips */
#define MOVED_KEY     3 /* floats or words: times and values of the keys of all clips */
#define MOVED_LOCAL   4 /* three vec4 for each AnimatedRow: its parent from the entity */
#define MOVED_ROW     5 /* an AnimatedRow each */
#define MOVED_WORLD   6 /* three vec4 for each row of transforms: its world matrix */

/* What an animator plays. */
KERNEL_STRUCT(AnimatedPlay) {
    f32 time_s, time_2_s;
    f32 blend; /* 0: the first clip, 1: the second one */
};

/* An entity that an animator moves. */
KERNEL_STRUCT(AnimatedNode) {
    u32  slot;                 /* its AnimatedRow */
    u32  animator;             /* its AnimatedPlay */
    u32  channels, channels_2; /* the first of each clip; CHANNEL_NONE: the clip does not move it */
    Vec3 position;             /* what clips do not animate */
    Vec4 rotation;
    Vec3 scale;
};

/* An entity that an animator moves, or that is below one. */
KERNEL_STRUCT(AnimatedRow) {
    u32 row;    /* of transforms */
    u32 parent; /* AnimatedRow; CHANNEL_NONE: its parent stands, or it has none */
    u32 root;   /* row of transforms of a parent that stands; CHANNEL_NONE: it has no such parent */
};

KERNEL_STRUCT(AnimatedPush) { u32 count; /* nodes, or rows */ };

#endif
