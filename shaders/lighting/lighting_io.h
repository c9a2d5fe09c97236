/* lighting_io.h - the inputs and outputs of the passes that capture the surroundings of probes, and of what reads
 * them. */
#ifndef ENT_LIGHTING_IO_H
#define ENT_LIGHTING_IO_H

#include "kernel_io.h"

#define LIGHTING_PROBE 20 /* a LightingProbe for each row of probes */
#define LIGHTING_FACES 5  /* of the passes of a probe: samples of six faces, as CANVAS_COLOR */

#define LIGHTING_OPEN                                                                              \
    19 /* how much of the sky samples see, as NORMALS_VISIBLE; or NORMALS_WORD, when that is shown */

#define LIGHTING_GROUP 128u /* threads of the kernels that light surfaces */

#define LIGHTING_FACE          64u   /* samples along each side */
#define LIGHTING_MAP           32u   /* texels of a level along each side */
#define LIGHTING_MAP_LEVELS    5u    /* level n has roughness n / (LIGHTING_MAP_LEVELS - 1) */
#define LIGHTING_PROBE_TEXELS  5120u /* of all levels */
#define LIGHTING_PROBE_SAMPLES 64u   /* of a texel */
#define LIGHTING_PROBE_GROUP   128u

/* The surroundings of a probe. The map has an octahedron of directions in each level, two words for a texel as in
 * CANVAS_COLOR. */
KERNEL_STRUCT(LightingProbe) {
    Vec3 center;
    f32  is_captured; /* 0 or 1 */
    Vec3 tint;
    f32  blend_m;
    Vec4 light[9]; /* of all directions: coefficients of spherical harmonics, after the cosine */
    u32  map[10240];
};
#define LIGHTING_PROBE_HEAD 32u /* bytes before `light` */

#define LIGHTING_PROBES_MAX 256u /* that are captured: six pictures each, in one frame */

KERNEL_STRUCT(LightingProbePush) { u32 probe; };

/* The tiles of a row and of a column, and the samples of a tile along each side. */
KERNEL_STRUCT(LightingReceivers) {
    u32 wide, high, tile;
    u32 blends; /* blended surfaces, whose depths are not known, are anywhere before the others */
};

#endif
