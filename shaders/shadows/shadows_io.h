/* shadows_io.h - shadow maps: squares of an atlas, each of which shows the world from a light.
 *
 * The atlas is three images of the same size, of binding 1, 2 and 3 of set SHADOWS_IMAGES:
 *   depth   of opaque surfaces, 1 near the light, 0 far
 *   filter  a colour by which light is multiplied that passes the transparent surfaces before the opaque
 *           one, and in alpha the caustics that are added, divided by SHADOWS_CAUSTICS
 *   front   depth of the transparent surfaces that are nearest to the light */
#ifndef ENT_SHADOWS_IO_H
#define ENT_SHADOWS_IO_H

#include "canvas_io.h"

#define SHADOWS_IMAGES 1
#define SHADOWS_DEPTH  1 /* bindings of that set */
#define SHADOWS_FILTER 2
#define SHADOWS_FRONT  3
#define SHADOWS_KEPT   4 /* depth of what stands */
#define SHADOWS_FILTER_STORED                                                                      \
    5 /* the same images, and those of what stands, for a kernel that writes them */
#define SHADOWS_FRONT_STORED 6
#define SHADOWS_KEPT_FILTER  7
#define SHADOWS_KEPT_FRONT   8

#define SHADOWS_TABLE                                                                              \
    21 /* binding: a ShadowsTable, then a word for each row of lights: 1 + its first map,
                            from bit 16 how many it has, and which kind; 0: it casts no shadow */
#define SHADOWS_COVERED                                                                            \
    14 /* binding: a bit for each texel of the atlas that moving opaque surfaces cover */
#define SHADOWS_BLOCKS                                                                             \
    15 /* binding: a word for each block of the maps that are drawn: has it such texels? */
#define SHADOWS_SEEN                                                                               \
    16 /* binding: for SHADOWS_SQUARES squared squares of each map that is drawn, the bits of the lowest
                              depth of a surface that is seen there */
#define SHADOWS_TALLY       17  /* binding: a ShadowsTally for each map that is drawn */
#define SHADOWS_SQUARES     32u /* along each side of a map */
#define SHADOWS_IS_CASCADES 0x80000000u
#define SHADOWS_FACES       6u

#define SHADOWS_MAPS_MAX 256u
#define SHADOWS_BLOCK    64u
#define SHADOWS_GROUP    256u
#define SHADOWS_TAPS     12u  /* texels that a sample compares */
#define SHADOWS_RADIUS   1.5f /* of the disc on which they are, in texels */
#define SHADOWS_BORDER   3.0f /* texels of a map that are beyond what it is for */
#define SHADOWS_CAUSTICS 16.0f

/* A point p is at  (x, y, z) . p / w . p  from -1 to 1 in the map, y downwards, with its depth. */
KERNEL_STRUCT(ShadowMap) {
    Vec4 x, y, z, w;
    f32  left, top, side; /* texels of the atlas */
    f32  texel_m;         /* size of a texel where w . p is 1 */
};

KERNEL_STRUCT(ShadowsHead) {
    u32 variant;               /* CANVAS_SHADOWS_.. */
    u32 atlas_side;            /* texels */
    u32 now_count;             /* maps that are drawn */
    u32 now[SHADOWS_MAPS_MAX]; /* their numbers */
    u32 block_first[SHADOWS_MAPS_MAX +
                    1]; /* blocks of SHADOWS_BLOCK texels along each side before each of
                                              them, and of all */
};

/* The casters of a map in a picture, that kernels count, and what they are of. */
KERNEL_STRUCT(ShadowsTally) {
    u32 light, map, drawn, is_redrawn;   /* for the host */
    u32 standing, moving, small, unseen; /* as EntShadowCounts: redrawn, copied, .. */
};
#define SHADOWS_TALLY_WORDS    8u
#define SHADOWS_TALLY_STANDING 4u
#define SHADOWS_TALLY_MOVING   5u
#define SHADOWS_TALLY_SMALL    6u
#define SHADOWS_TALLY_UNSEEN   7u

/* What shadows_filters.comp does. */
#define SHADOWS_ERASES      0u
#define SHADOWS_ERASES_KEPT 1u
#define SHADOWS_COPIES      2u

KERNEL_STRUCT(ShadowsFilters) { u32 does, maps; };

KERNEL_STRUCT(ShadowsTable) {
    ShadowsHead head;
    ShadowMap   map[SHADOWS_MAPS_MAX];
};

#endif
