/* normals_io.h - inputs and outputs of the kernels that compute normals and ambient occlusion from the depth
 * of a picture.
 *
 * All of them read the set CANVAS_IMAGES. Rows of samples follow each other: sample x, y of a picture has the
 * index y width + x. */
#ifndef ENT_NORMALS_IO_H
#define ENT_NORMALS_IO_H

#include "canvas_io.h"

#define NORMALS_WORD 0 /* bindings: a word per sample, below */
#define NORMALS_RAW  1 /* a NormalsRaw per sample, or per 2 x 2 samples */
#define NORMALS_VISIBLE                                                                            \
    2 /* four samples per word, the first one in the lowest byte: 255 is not occluded */

/* The word of a sample: a unit vector in the world as a point of the octahedron, two signed numbers of 16 bits
 * from -32767 to 32767. It is the normal of the surface on the side of the eye. Where there is no surface, the
 * word is NORMALS_NONE, which no vector has. */
#define NORMALS_NONE 0x80008000u

#define NORMALS_SIDE         8u /* threads of a group, along each side */
#define NORMALS_GROUP        (NORMALS_SIDE * NORMALS_SIDE)
#define NORMALS_EACH         4u /* samples of a row that a thread computes */
#define NORMALS_TAPS         16u
#define NORMALS_SPREAD_GROUP 64u

/* Constant 1 of all kernels: how depth is converted to distance. */
#define NORMALS_INFINITE     0u /* perspective without a far plane */
#define NORMALS_PERSPECTIVE  1u
#define NORMALS_ORTHOGRAPHIC 2u
#define NORMALS_KINDS        3u

/* What an occlusion pass stores before it is smoothed. */
KERNEL_STRUCT(NormalsRaw) {
    f32 value; /* of the sample, as in normals_taps.glsl; 0: no surface */
    u32 word; /* visibility from 0 to 65535; from bit 16, which of its 2 x 2 samples it is: x + 2 y */
};

/* The x and y of a sample are counted from the middle of the picture, x to the right and y downwards. */
KERNEL_STRUCT(NormalsPush) {
    Vec4 across,
        down;    /* a normal is   across step_x + down step_y + to_eye rest,   where the steps are
                          differences of values between samples; w: x and y of the first sample, negative */
    Vec4 to_eye; /* opposite to the direction of the camera; w: is added to depths */
    f32  slope_x, slope_y; /* the lengths of `across` and `down`, with signs along right and up */
    f32  pixel_x,
        pixel_y;     /* from sample to sample along right and up: metres, or at a distance of 1 m */
    f32 scale, bias; /* distance is scale value + bias; perspective: 1 / (scale value) */
    u32 width, height; /* samples */
    u32 groups_wide;
    f32 radius_m; /* of occlusion */
};

#endif
