/* lights_io.h - the inputs and outputs of the passes that find which lights, decals and probes reach the
 * tiles of a picture. All three are called elements. */
#ifndef ENT_LIGHTS_IO_H
#define ENT_LIGHTS_IO_H

#include "kernel_io.h"

#define LIGHTS_GROUP 256u   /* threads of the passes over elements */
#define LIGHTS_MAX   65536u /* elements in a view */

/* Bindings of the passes over elements. */
#define LIGHTS_EYE      0 /* the camera, as CANVAS_VIEW */
#define LIGHTS_ORDER    1 /* the row of each element */
#define LIGHTS_MATRIX   2 /* the world matrix in a row of transforms: three vec4 */
#define LIGHTS_OWNER    3 /* the owner of each row of transforms */
#define LIGHTS_ROW      4 /* the row of each entity's transform, by the entity's index */
#define LIGHTS_ENTITY   5 /* the owners of the rows of decals, probes and lights */
#define LIGHTS_ENTITY_2 6
#define LIGHTS_ENTITY_3 7
#define LIGHTS_RECORD   8 /* the records of decals, probes and lights */
#define LIGHTS_RECORD_2 9
#define LIGHTS_RECORD_3 10
#define LIGHTS_FLAG     11 /* a bit for each element: it is in the view */
#define LIGHTS_COOKIE                                                                              \
    16 /* a word for each row of lights: 1 + LIGHTS_COOKIE_LAYERS array + layer of its texture, or 0 */
#define LIGHTS_KEY 19 /* its distance as a word; LIGHTS_NONE: it is not in the view */

/* Bindings of the passes over tiles. */
#define LIGHTS_EDGE   1 /* a vec4 for each edge between tiles: columns, then rows */
#define LIGHTS_BOUNDS 2 /* a LightsBounds for each tile */
#define LIGHTS_COARSE 3 /* lists of elements of coarse tiles, LIGHTS_COARSE_WORDS each */
#define LIGHTS_CLOSE  4 /* the spheres of these elements */

/* Bindings of both, and of what reads the results. */
#define LIGHTS_SPHERE 12 /* of each element in the view: see lights_volume.glsl */
#define LIGHTS_SHAPE  13 /* likewise */
#define LIGHTS_STATE  14 /* a LightsState */
#define LIGHTS_ITEM                                                                                \
    15 /* of each element in the view, then of all directional lights: a LightsItem */
#define LIGHTS_WORD  16 /* bits or lists of each tile */
#define LIGHTS_DECAL 17 /* a LightsDecal for each row of decals */
#define LIGHTS_TILE  18 /* a LightsOccupied, then the numbers of its tiles */

#define LIGHTS_COOKIE_LAYERS 16384u

#define LIGHTS_NONE       0xffffffffu
#define LIGHTS_INDEX_MASK 0x3fffffu /* of an entity: its index */

/* As LIGHT_KIND. */
#define LIGHTS_POINT       0u
#define LIGHTS_SPOT        1u
#define LIGHTS_DIRECTIONAL 2u

/* Tests of an element that touches the frustum of a tile, for surfaces: selectable. */
#define LIGHTS_BY_BOX   1u /* against the box around the surfaces of the tile */
#define LIGHTS_BY_SLICE 2u /* against the occupied ones of its 32 slices */
#define LIGHTS_BY_CONE  4u /* spot lights as cones */
#define LIGHTS_BY_FAR   8u /* first against the frustum of a coarse tile */
/* What there is in the world: kernels without the tests of boxes and cones need fewer registers. */
#define LIGHTS_HAS_BOXES 16u
#define LIGHTS_HAS_SPOTS 32u

#define LIGHTS_SLICES 32u

#define LIGHTS_TEAM        32u   /* threads of a tile */
#define LIGHTS_CHUNK       4096u /* elements whose bits are in shared memory */
#define LIGHTS_CHUNK_WORDS 128u
#define LIGHTS_FEW         1024u /* elements up to which those outside of the view keep their numbers */
#define LIGHTS_SIDE        4u /* tiles of a coarse tile, along each side */

/* The list of a coarse tile: the number of elements, then their numbers. LIGHTS_NONE: there are too many,
 * so that all elements are tested. Their spheres are in the same order. */
#define LIGHTS_COARSE_MAX   2047u
#define LIGHTS_COARSE_WORDS 2048u
#define LIGHTS_SPREAD                                                                              \
    1024u /* of so many elements, neighbours in the list are far from each other */

#define LIGHTS_LIST_MAX 1024u /* entries of a list */
#define LIGHTS_LIST_HEAD                                                                           \
    4u /* words before them: entries, decals, probes, 1 when some are missing */
#define LIGHTS_LIST_WORDS (LIGHTS_LIST_HEAD + LIGHTS_LIST_MAX / 2) /* two entries in each word */

#define LIGHTS_SURFACES 0u /* which of a tile's bits or lists: of what is at its surfaces, */
#define LIGHTS_BEFORE   1u /* and of what is at or before them, for transparent surfaces */

/* The elements in a view, and how their tiles are stored. Elements are numbered: decals, the topmost first, then
 * probes, then lights. Directional lights are not among them. */
KERNEL_STRUCT(LightsState) {
    u32 first_probe, first_light, count;
    u32 excess;    /* elements in the view that are farther than the nearest LIGHTS_MAX */
    u32 overflows; /* lists with more than LIGHTS_LIST_MAX elements */
    u32 tile;      /* samples of a tile along each side */
    u32 wide;      /* tiles of a row */
    u32 stride;    /* words of the bits of a tile; of a list LIGHTS_LIST_WORDS */
    u32 skips; /* where the words begin that have a bit for each word of bits; 0: there are none */
    u32 skip_stride;
    u32 first_sun, sun_count; /* items of directional lights */
    u32 is_lit;               /* the world has lights */
    u32 unused;
};

/* The tiles with surfaces; their numbers follow. */
KERNEL_STRUCT(LightsOccupied) {
    u32 adding;    /* tiles that have been added; 0 between pictures */
    u32 groups[3]; /* for an indirect dispatch over the tiles */
    u32 count;
    u32 done; /* groups that have added theirs */
    u32 unused[2];
};

/* What shading reads of an element.
 *   lights          x: position, range_m; y: colour times intensity, scale of the cone; z: unit vector in which
 *                   it shines, offset of the cone; w: kind, row, cookie, and how its x axis is turned
 *   decals, probes  x, y, z: rows of the matrix from the world to the box, whose half size is 1; w: -, row */
KERNEL_STRUCT(LightsItem) { Vec4 x, y, z, w; };

/* How a decal looks; arrays as in MeshTexture. */
KERNEL_STRUCT(LightsDecal) {
    Vec3 color;
    f32  opacity;
    f32  fade_cos; /* of the angle at which it has vanished */
    u32  color_array, color_layer, normal_array, normal_layer;
};

/* Distances along `forward` in a tile. */
KERNEL_STRUCT(LightsBounds) {
    f32 near_m, far_m; /* of its surfaces; near_m > far_m: there are none */
    f32 reach_m;       /* to which transparent surfaces are visible */
    u32 mask;          /* its slices with surfaces */
};

/* The push constants of the passes over elements. */
KERNEL_STRUCT(LightsPush) {
    u32 decal_count, probe_count, light_count, sun_count;
    u32 transform_count, slot_count; /* rows of transforms, and entities in LIGHTS_ROW */
    u32 first_sun;                   /* item of the first directional light */
    u32 limit;                       /* of elements in the view */
    u32 tile, wide, stride, skips, skip_stride;
    u32 is_lit;
    u32 has_cookies;
};

/* The push constants of the passes over tiles. */
KERNEL_STRUCT(LightsTiles) {
    u32 wide, high; /* tiles */
    u32 coarse_wide, coarse_high;
    u32 stride, skips, skip_stride;
    u32 width, height; /* samples */
    u32 groups_each;   /* groups that shade a tile */
};

#endif
