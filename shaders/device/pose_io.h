/* pose_io.h - what kernels read of clips. */
#ifndef ENT_POSE_IO_H
#define ENT_POSE_IO_H

#include "kernel_io.h"

#define CHANNEL_NONE 0xffffffffu

#define CHANNEL_STEP   0u /* interpolation, as CLIP_INTERPOLATION */
#define CHANNEL_LINEAR 1u
#define CHANNEL_CUBIC  2u

/* The keys of one property of a joint or node. Cubic values are in-tangent, value, out-tangent. */
KERNEL_STRUCT(ClipChannel) {
    u32 first_time, first_value; /* words of the keys of all clips */
    u32 key_count;               /* 0: the rest pose is kept */
    u32 interpolation;
    u32 packing; /* 1: values are words of clip_packing.h */
};

#endif
