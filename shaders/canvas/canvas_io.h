/* canvas_io.h - the inputs and outputs of the passes of a picture. */
#ifndef ENT_CANVAS_IO_H
#define ENT_CANVAS_IO_H

#include "kernel_io.h"

#define CANVAS_GROUP 128u

#define CANVAS_VIEW    0  /* bindings: one CanvasEye */
#define CANVAS_COLOR   5  /* two words per sample: linear RGB as half floats */
#define CANVAS_PIXEL   6  /* a word per pixel: RGBA, sRGB */
#define CANVAS_PYRAMID 8  /* two floats per block: its farthest and its nearest depth */
#define CANVAS_METER   12 /* a word per bin: samples by luminance, and by their brightest channel */

/* Each bin is 1 + 1/32 to 1 + 1/64 times as bright as the one before, from the least half float to the
 * greatest. */
#define CANVAS_METER_BITS   5
#define CANVAS_METER_BINS   1280u
#define CANVAS_METER_LOWEST 5.9604645e-8f

/* The set of images that kernels read, and its bindings: a sample each. */
#define CANVAS_IMAGES  2
#define CANVAS_DEPTH   0 /* a float: 1 near, 0 far */
#define CANVAS_BLENDED 2 /* four floats: the colours of blended surfaces, and how much they hide */
#define CANVAS_ID                                                                                  \
    1 /* two words: 1 + number of the visible element, 0: none; and a word of the element's own */

#define CANVAS_BLOCK          8u  /* pixels of a block of level 0 of the pyramid, along each side */
#define CANVAS_LEVELS_MAX     16u /* of the pyramid */
#define CANVAS_LEVELS_AT_ONCE 3u
#define CANVAS_LEVELS_GROUP   64u

/* The camera, in world space: a sample at x, y from -1 to 1, y up, has the ray from
 *     perspective    origin             along  forward + x right + y up
 *     orthographic   origin + x right + y up   along  forward */
KERNEL_STRUCT(CanvasEye) {
    Vec4 clip_x, clip_y, clip_z, clip_w; /* rows of the matrix from world to clip space */
    Vec3 origin, right, up, forward;     /* right, up: half the size of the picture at 1 m */
    Vec3 light;                          /* unit vector towards the light */
    Vec3 light_color;                    /* linear RGB */
    Vec3 center;                         /* planes are drawn around it, */
    f32  reach_m;                        /* and fade out at about this distance */
    f32  grid_m;                         /* distance between their grid lines */
    f32  near_m;
    f32  depth_scale; /* perspective: 1 / distance = scale depth + bias; else distance itself */
    f32  depth_bias;
    u32  orthographic;
    u32  width, height; /* samples */
    u32  samples;       /* of a pixel along each side */
    u32  plane_count;
    f32  exposure;    /* factor of the lights of the world; 0: 1 without a tone curve */
    f32  tone;        /* of the logarithmic tone curve; 0: the exponential one */
    f32  sky;         /* brightness of the sky, 0 to 1 */
    f32  occlusion_m; /* radius of ambient occlusion; 0: there is none */
    u32  shows;       /* as EntCanvasShows */
    u32  shadows;     /* as EntCanvasShadows */
    u32  has_sky;     /* the sky is behind everything, not a backdrop */
    u32  blocks_wide, blocks_high;         /* blocks of level 0 of the pyramid */
    u32  blocks_before[CANVAS_LEVELS_MAX]; /* the first block of each level */
};

/* As EntCanvasShadows. */
#define CANVAS_SHADOWS_TWO_DEPTHS 0u
#define CANVAS_SHADOWS_SIMPLE     1u
#define CANVAS_SHADOWS_OFF        2u

/* As EntCanvasShows. */
#define CANVAS_LIT           0u
#define CANVAS_ALBEDO        1u
#define CANVAS_NORMALS       2u
#define CANVAS_DISTANCE      3u
#define CANVAS_OCCLUSION     4u
#define CANVAS_NORMALS_DEPTH 5u
#define CANVAS_NORMALS_PLAIN 6u
#define CANVAS_HEAT          7u
#define CANVAS_SPEED         8u
#define CANVAS_REACHED       9u

/* The push constants of a level of the pyramid. */
KERNEL_STRUCT(CanvasLevel) {
    u32 level; /* that is read */
    u32 count; /* of levels above it that are written: 1 to CANVAS_LEVELS_AT_ONCE */
};

#endif
