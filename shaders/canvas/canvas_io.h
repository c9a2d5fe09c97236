/* canvas_io.h - the inputs and outputs of the passes of a picture. */
#ifndef ENT_CANVAS_IO_H
#define ENT_CANVAS_IO_H

#include "kernel_io.h"

#define CANVAS_GROUP 128u

#define CANVAS_VIEW     0  /* bindings: one CanvasEye */
#define CANVAS_POSITION 1  /* of a draw: a vec4 per element */
#define CANVAS_VELOCITY 2  /* of a draw: a vec4 per element; of discs, one word is the heat */
#define CANVAS_COLOR    5  /* two words per sample: linear RGB as half floats */
#define CANVAS_PIXEL    6  /* a word per pixel: RGBA, sRGB */
#define CANVAS_PLANE    7  /* a vec4 each: unit normal, and its dot product with a point */
#define CANVAS_PYRAMID  8  /* two floats per block: its farthest and its nearest depth */
#define CANVAS_NEAREST  9  /* a word per sample: bits of the depth of the nearest sphere, 0: none */
#define CANVAS_NUMBER   10 /* a word per sample: the id of that sphere */
#define CANVAS_LARGE    11 /* a count, and the ids of spheres that cover many samples */
#define CANVAS_METER    12 /* a word per bin: samples by luminance, and by their brightest channel */

/* Each bin is 1 + 1/32 to 1 + 1/64 times as bright as the one before, from the least half float to the
 * greatest. */
#define CANVAS_METER_BITS   5
#define CANVAS_METER_BINS   1280u
#define CANVAS_METER_LOWEST 5.9604645e-8f

#define CANVAS_SPLAT_SMALL  12u /* a thread computes spheres in boxes of up to this many samples, */
#define CANVAS_SPLAT_LARGE  4096u  /* and a subgroup those of up to this many */
#define CANVAS_SPLAT_LISTED 65536u /* larger ones; if there are more, a thread computes each */
#define CANVAS_SPLAT_PARTS  16u    /* of the box of a large sphere, which a group each computes */
#define CANVAS_SPLAT_GROUPS 1024u  /* for all parts */

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
#define CANVAS_REACHED       8u

/* The push constants of a level of the pyramid. */
KERNEL_STRUCT(CanvasLevel) {
    u32 level; /* that is read */
    u32 count; /* of levels above it that are written: 1 to CANVAS_LEVELS_AT_ONCE */
};

/* The push constants of a draw. */
KERNEL_STRUCT(CanvasPush) {
    Vec4 pose_x, pose_y, pose_z; /* rows of the matrix of discs, from their plane to the world */
    Vec3 color;                  /* of discs, linear RGB */
    f32  radius_m;               /* of spheres */
    f32  speed_max_m_s;          /* spheres with this speed or more are white */
    u32  heat_word;              /* of discs: which word of the velocity is their heat */
    u32  id_first;               /* the id of instance i is id_first + i + 1 */
    u32  count;
};

#endif
