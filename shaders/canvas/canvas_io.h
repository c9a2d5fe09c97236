/* canvas_io.h - what goes in and out of the passes of a picture. */
#ifndef ENT_CANVAS_IO_H
#define ENT_CANVAS_IO_H

#include "kernel_io.h"

#define CANVAS_GROUP 128u

#define CANVAS_VIEW     0 /* bindings: one CanvasEye */
#define CANVAS_POSITION 1 /* a draw's: vec4 each */
#define CANVAS_VELOCITY 2 /* a draw's: vec4 each; of discs, one word of it is their heat */
#define CANVAS_ID       3 /* a word each sample: 1 + number of what is seen; 0: nothing */
#define CANVAS_DEPTH    4 /* a float each sample: 1 near, 0 far */
#define CANVAS_COLOR    5 /* two words each sample: linear RGB in halves */
#define CANVAS_PIXEL    6 /* a word each pixel: RGBA, sRGB */
#define CANVAS_PLANE    7 /* vec4 each: unit normal, and its product with a point of the plane */

/* The camera, in world space: a sample at x, y from -1 to 1, y up, looks from
 *     perspective    origin             along  forward + x right + y up
 *     orthographic   origin + x right + y up   along  forward */
KERNEL_STRUCT(CanvasEye) {
    Vec4 clip_x, clip_y, clip_z, clip_w; /* rows of the matrix from world to clip space */
    Vec3 origin, right, up, forward;     /* right and up as long as half the picture, at 1 m */
    Vec3 light;                          /* unit vector towards it */
    Vec3 light_color;                    /* linear RGB */
    Vec3 center;                         /* planes are drawn around it, */
    f32  reach_m;                        /* and fade out from here on */
    f32  grid_m;                         /* between their lines */
    f32  near_m;
    f32  depth_scale; /* perspective: 1 / distance = scale depth + bias; else distance itself */
    f32  depth_bias;
    u32  orthographic;
    u32  width, height; /* samples */
    u32  samples;       /* of a pixel along each side */
    u32  plane_count;
};

/* What is pushed for a draw. */
KERNEL_STRUCT(CanvasPush) {
    Vec4 pose_x, pose_y, pose_z; /* rows of the matrix of discs, from their plane to the world */
    Vec3 color;                  /* of discs, linear RGB */
    f32  radius_m;               /* of spheres */
    f32  speed_max_m_s;          /* of what is drawn white */
    u32  heat_word;              /* of discs: which word of the velocity is their heat */
    u32  id_first;               /* instance i is id_first + i + 1 */
    u32  count;
};

#endif
