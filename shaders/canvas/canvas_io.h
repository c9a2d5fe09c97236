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
#define CANVAS_IMAGES 2
#define CANVAS_DEPTH  0 /* a float: 1 near, 0 far */
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
    f32  time_s;
    u32  has_sky;                          /* the sky is behind everything, not a backdrop */
    u32  blocks_wide, blocks_high;         /* blocks of level 0 of the pyramid */
    u32  blocks_before[CANVAS_LEVELS_MAX]; /* the first block of each level */
};

    /* --- layers: the blended surfaces of a sample --- */

#define CANVAS_LAYER 3 /* bindings: a CanvasLayer each, those of a sample one after the other */
#define CANVAS_LAYER_COLOR                                                                         \
    18 /* two words each: its sample, then colour and opacity as half floats */
#define CANVAS_LAYER_BEGIN 14 /* a word per sample, and one more: its first layer, of all rounds */
#define CANVAS_LAYER_COUNT 15 /* a word per sample */
#define CANVAS_LAYERS      19 /* one CanvasLayers */
#define CANVAS_WATER                                                                               \
    7 /* a word per pixel: depth of the surface of a fluid as a float, 0: there is none; negative: \
         the eye is in it, and all layers are behind */
#define CANVAS_LAYER_BEND 11 /* CanvasBend of each layer, when some refract or are glass */
#define CANVAS_BEHIND                                                                              \
    4 /* two words per pixel: the mean colour of opaque surfaces, as CANVAS_COLOR */
#define CANVAS_BEHIND_DEPTH 9 /* a float per pixel: the depth of the nearest one */
#define CANVAS_FRONT                                                                               \
    6 /* CanvasFront of each sample: layers before a fluid, which is added behind them */

#define CANVAS_LAYERS_MAX    (8u << 20) /* of a round, of 20 bytes each, 32 with CanvasBend */
#define CANVAS_LAYERS_DEEP   1024u      /* of a sample; more are drawn where there is room */
#define CANVAS_LAYERS_ROUNDS 16u
#define CANVAS_LAYERS_GROUP  256u
#define CANVAS_LAYERS_ROW    32768u /* groups along x */

KERNEL_STRUCT(CanvasLayer) {
    f32 depth; /* 1 near, 0 far */
    u32 id;    /* as CANVAS_ID */
    u32 word;
};

/* How a layer shows what is behind it, in halfs. */
KERNEL_STRUCT(CanvasBend) {
    u32 aside;            /* where a ray that is refracted is after a metre, to the right and up */
    u32 red_green;        /* the share that passes; negative: 1 - the alpha of its colour */
    u32 blue_and_reach_m; /* of the ray, after which it is not refracted */
};

/* What is before water at a sample, in halfs; 0: nothing is. */
KERNEL_STRUCT(CanvasFront) {
    u32 red_green;
    u32 blue_and_red_hidden; /* the colour, and the share of what is behind that it hides */
    u32 green_blue_hidden;
};

/* What the layers of a picture are, and the groups of kernels. */
KERNEL_STRUCT(CanvasLayers) {
    u32 parts;                     /* instances of blended parts that are drawn */
    u32 layers, samples, deepest;  /* samples with layers, and the highest number of these at one */
    u32 dropped;                   /* samples of which not all layers are drawn */
    u32 rounds;                    /* that have layers */
    u32 end[CANVAS_LAYERS_ROUNDS]; /* behind the last layer of a round; 0: there is none */
    u32 groups[CANVAS_LAYERS_ROUNDS]
              [6]; /* of a layer each, and of a sample each; three words for a dispatch */
};

/* The push constants of the kernels of layers. */
KERNEL_STRUCT(CanvasRound) {
    u32 round, rounds; /* that are drawn */
    u32 room,
        step;    /* layers for which there is memory; layers between the first ones of two rounds */
    u32 samples; /* of the picture */
    u32 width, side; /* samples of a row, and of a pixel along each side */
    u32 bends;       /* some layers refract, or are glass */
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
