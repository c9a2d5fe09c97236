/* water_io.h - the inputs and outputs of the passes that draw the surface of particles. A picture of it has one sample a pixel.
 * All passes over pixels are over blocks of the rectangle in which particles can be seen. */
#ifndef ENT_WATER_IO_H
#define ENT_WATER_IO_H

#include "kernel_io.h"

#include "lighting_io.h"

#define WATER_OPEN 65535u /* nothing occludes it */

#define WATER_GROUP 128u /* threads: of a block of pixels as well */
#define WATER_WIDE  16u  /* pixels of a block */
#define WATER_HIGH  8u

/* Bindings. */
#define WATER_POSITION 1 /* of a fluid, a vec4 per particle: x, y, z and bits of its number */
#define WATER_VELOCITY 2 /* of a fluid, a vec4 per particle: x, y, z and the density */
#define WATER_STATE    3 /* one WaterState */
#define WATER_FLUID    4 /* WATER_FLUIDS_MAX times WaterFluid */
#define WATER_NEAREST  7 /* a word per pixel: the surface. See water_depth.glsl */
#define WATER_SMOOTHED 9 /* the same; afterwards how much of the sky it sees, of WATER_OPEN */
#define WATER_THICK                                                                                \
    10 /* a word per cell of all levels: thickness along `forward` in WaterPush.unit_m */
#define WATER_FOAMS  11 /* a word per cell of all levels: the same of foam */
#define WATER_LARGE  12 /* counts, and parts of particles that cover many pixels */
#define WATER_HIDDEN 14 /* a word per block of the picture: the lowest key of its pixels */
#define WATER_FOAM   13 /* of a fluid, a float per particle, by its number: how much it foams */
#define WATER_CROWD  5  /* of a fluid, a word per cube: water_crowd.glsl */
#define WATER_BEHIND                                                                               \
    18 /* two words per pixel: the colour of what is behind the surface, as CANVAS_COLOR */
#define WATER_FAR   19 /* a float per pixel: its depth, or of what is beside the surface */
#define WATER_FRONT 6  /* CanvasFront of each sample: blended layers before the surface */

#define WATER_FLUIDS_MAX 16u /* their number is in the lowest bits of the depth of a pixel */
#define WATER_FLUID_BITS 15u

/* Every so many-th particle is added first: these hide most of the others. */
#define WATER_SOME 8u

#define WATER_SMALL  12u   /* a thread computes particles in boxes of up to so many pixels, */
#define WATER_MIDDLE 1024u /* and a subgroup those of up to this many */
#define WATER_PART   512u  /* pixels of a larger one, which a group computes */
#define WATER_LISTED                                                                               \
    131072u /* such parts of all fluids; of more particles, a subgroup computes each */
#define WATER_GROUPS 2048u /* for all parts */

/* Cells of thickness: those of level 0 have two pixels along each side, those of level n 2^n as many. A particle is added to
 * the level in which its radius is 2 to 4 cells. */
#define WATER_LEVELS 8u
/* The passes that smooth, in pairs: number n compares pixels with a distance of 2^n; the last pair, with 2 and 1, smooths what the
 * others leave. */
#define WATER_STEPS 10u
#define WATER_LAST  8u /* the first number of the last pair */

/* Caustics are of how the surface bends, in which particles are seen longer: it is smoothed more. */
#define WATER_MAP_SMOOTHER 2.0f

KERNEL_STRUCT(WaterBox) {
    u32 low[3], high[3]; /* as ShapesBox */
    u32 around; /* inverted: how much of the fluid is around the eye, in 1/65536 of that at rest */
    u32 unused;
};

/* Rows of `groups`: three words for a dispatch. Those of a fluid are of its particles. */
#define WATER_OF_BLOCKS  0u /* of the rectangle */
#define WATER_OF_PICTURE 1u /* all pixels, and cells */
#define WATER_OF_LARGE   2u /* particles */
#define WATER_OF_STEPS   3u /* of two each */
#define WATER_OF_CLEAR   8u
#define WATER_OF_FLUIDS  9u
#define WATER_DISPATCHES 25u

KERNEL_STRUCT(WaterState) {
    u32      left, top, wide, high; /* blocks of the rectangle */
    u32      is_inside;             /* the eye is in a fluid, whose surface is seen from inside */
    u32      groups[WATER_DISPATCHES][3];
    WaterBox box[WATER_FLUIDS_MAX];
};

/* How a fluid looks. */
KERNEL_STRUCT(WaterFluid) {
    Vec3 color; /* linear RGB: of the light that deep fluid returns */
    f32  roughness;
    Vec3 absorption_per_m;
    f32  index;
    Vec3 emissive;
    f32  metallic;
    f32  spacing_m;
    f32  smoothing_m; /* standard deviation */
    f32  foam;
    u32  count;   /* particles */
    f32  reach_m; /* of what is drawn around the centre of a particle */
};

/* The push constants of all passes. */
KERNEL_STRUCT(WaterPush) {
    u32 width, height;                 /* pixels */
    u32 cells_wide, cells_high, cells; /* of level 0; of all levels; or words of WATER_CROWD */
    u32 fluids;
    u32 fluid, count; /* of a pass over particles */
    u32 kind;         /* of those that it is about, plus 1; 0: of all */
    f32 radius_m;     /* of a particle in depth */
    f32 spacing_m;
    f32 h;      /* its radius of influence */
    f32 unit_m; /* of thickness */
    u32 step; /* of smoothing; of depth: 0: some of the particles, 1: the others that are not hidden */
    u32 has_layers;  /* there are blended layers */
    u32 has_pyramid; /* of this picture */
    f32 duration_s;  /* that was simulated since the last pass */
    f32 fast_m_s;    /* above it, particles begin to foam */
    u32 is_map;      /* the picture is a shadow map at half its size, and the eye its light */
    u32 map;         /* which of those that are drawn */
    u32 is_kept;     /* it is that of what stands */
    u32 covered;     /* only texels that moving opaque surfaces cover are written */
};

#endif
