/* shapes_io.h - the inputs and outputs of the passes that draw elements of a simple shape, such as spheres. */
#ifndef ENT_SHAPES_IO_H
#define ENT_SHAPES_IO_H

#include "kernel_io.h"

#include "lighting_io.h"

#define SHAPES_GROUP 128u

#define SHAPES_ELEMENT 1 /* bindings: of a draw, a vec4 per element */
#define SHAPES_EXTRA                                                                               \
    2 /* of a draw, a vec4 per element: its velocity; of discs, one word is their heat */
#define SHAPES_BOX        3 /* a ShapesBox for each draw */
#define SHAPES_COMMAND    4 /* of the passes that find what is drawn: a ShapesCommand for each draw */
#define SHAPES_CAST       6 /* four words for each shadow map of a draw, as VkDrawIndirectCommand */
#define SHAPES_PLANE      7 /* a vec4 each: unit normal, and its dot product with a point */
#define SHAPES_EYE_BEFORE 9 /* the camera of the last picture */
#define SHAPES_NEAREST    10 /* a word per sample: bits of the depth of the nearest sphere, 0: none */
#define SHAPES_NUMBER     11 /* a word per sample: the id of that sphere */
#define SHAPES_LARGE      12 /* a count, and the ids of spheres that cover many samples */

#define SHAPES_DRAWS_MAX 64u

#define SHAPES_SPLAT_SMALL  12u /* a thread computes spheres in boxes of up to this many samples, */
#define SHAPES_SPLAT_LARGE  4096u  /* and a subgroup those of up to this many */
#define SHAPES_SPLAT_LISTED 65536u /* larger ones; if there are more, a thread computes each */
#define SHAPES_SPLAT_PARTS  16u    /* of the box of a large sphere, which a group each computes */
#define SHAPES_SPLAT_GROUPS 1024u  /* for all parts */

/* The push constants of a draw. */
KERNEL_STRUCT(ShapesPush) {
    Vec4 pose_x, pose_y, pose_z; /* rows of the matrix from the space of elements to the world */
    Vec3 color;                  /* linear RGB */
    f32  roughness;
    Vec3 emissive;
    f32  metallic;
    f32  radius_m;      /* around the centre of an element, in the world */
    f32  speed_max_m_s; /* 0: elements have no speed */
    u32  word;          /* of SHAPES_EXTRA: of discs, the one with the heat */
    u32  is_flat;       /* 1: elements are in the XY plane of their space; z is of another use */
    u32  id_first;      /* the id of element i is id_first + i + 1 */
    u32  count;
    u32  draw;       /* number of the draw */
    Vec3 color_end;  /* factor of the colour at the end of the life of a disc */
    u32  kind;       /* of elements that are drawn, plus 1; 0: of all */
    u32  life_shift; /* of the word of a disc: where the share of its life begins; 0: it has none */
};

/* The push constants of the passes that find which draws are seen, or cast. */
KERNEL_STRUCT(ShapesFind) {
    u32 draw, count, vertex_count;
    f32 radius_m;
    u32 is_second, has_pyramid; /* as in a picture */
    u32 is_splatted;            /* kernels find its samples, and a triangle is drawn */
    u32 maps;                   /* shadow maps that are drawn */
    u32 moves;                  /* over what stands in them */
};

/* The box around the centres of all elements: bits of floats in an order that is that of the floats; those of
 * `high` are inverted. All bits set: there are no elements. */
KERNEL_STRUCT(ShapesBox) {
    u32 low[3], high[3];
    u32 is_hidden; /* in the last picture */
    u32 unused;
};

KERNEL_STRUCT(ShapesCommand) {
    u32 vertices, instances, first_vertex, first_instance; /* as VkDrawIndirectCommand */
    u32 groups[3]; /* of a kernel with SHAPES_GROUP threads for all elements */
    u32 unused;
};

#endif
