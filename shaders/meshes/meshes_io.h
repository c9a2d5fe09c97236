/* meshes_io.h - the inputs and outputs of the passes that draw meshes. */
#ifndef ENT_MESHES_IO_H
#define ENT_MESHES_IO_H

#include "kernel_io.h"

#include "canvas_io.h"
#include "lighting_io.h"
#include "skinning_io.h"

#define MESHES_GROUP      128u
#define MESHES_BLOCK      16u  /* words of flags whose set bits are counted together */
#define MESHES_CULL_GROUP 512u /* instances of such a block */

#define MESHES_EYE      0  /* bindings: the camera, as CANVAS_VIEW */
#define MESHES_INSTANCE 1  /* a MeshInstance each, sorted by mesh */
#define MESHES_MATRIX   2  /* the world matrix in a row of transforms: three vec4 */
#define MESHES_PART     4  /* a MeshPart each */
#define MESHES_MESH     6  /* a MeshRow each */
#define MESHES_DRAW     7  /* a MeshDraw each */
#define MESHES_INDEX    8  /* a word each: a vertex of the mesh */
#define MESHES_VERTEX   9  /* floats of all streams */
#define MESHES_MATERIAL 10 /* a MeshMaterial each */
#define MESHES_VISIBLE  11 /* numbers of visible instances */
#define MESHES_RANGE    12 /* a SkinRange for each instance that moves */
#define MESHES_MOVED_TO 13 /* words: its vertices, as SKINNING_OUT */

/* Of the passes that find the visible instances. Their flags are bits: bit i % 32 of word i / 32 is
 * that of instance i, and the words of each level follow each other. */
#define MESHES_FLAG                                                                                \
    3 /* bits of instances that are drawn: of level 0, of level 1, ..; then of mirrored ones */
#define MESHES_SUM        4  /* the number of set bits before each block of flags */
#define MESHES_COMMAND    5  /* five words each, as VkDrawIndexedIndirectCommand */
#define MESHES_PYRAMID    8  /* as CANVAS_PYRAMID */
#define MESHES_TOTAL      8  /* one word: how many instances the first phase draws */
#define MESHES_EYE_BEFORE 9  /* the camera of the last picture */
#define MESHES_HIDDEN     10 /* bits of instances that the last picture hides */
#define MESHES_MOVES      9  /* bits of instances that move, for shadow maps */
#define MESHES_COUNT      11 /* the number of set bits of each block of flags */
#define MESHES_BOX        12 /* a SkinBounds for each instance that moves */
#define MESHES_WANTED     13 /* a word for each of these, as SKINNING_WANTED */

#define MESHES_MOVING 3 /* as MESHES_MOVES, of blended surfaces that are drawn into shadow maps */

#define MESHES_FIRST  0 /* phases */
#define MESHES_SECOND 1
#define MESHES_LAYERS 2 /* of blended parts, compared with all that is drawn */

#define MESHES_THAT_STAND 0 /* MeshesPush.moves */
#define MESHES_THAT_MOVE  1 /* and of blended surfaces, those that stand, where opaque ones move */
#define MESHES_ALL        2

#define MESHES_LEVELS_MAX 16u /* of a mesh; coarser ones are not drawn */

#define MESHES_NONE 0xffffffffu

/* Of the passes that find transforms. */
#define MESHES_ENTITY 2 /* the owner of each row of transforms */
#define MESHES_ROW    3 /* the row of each entity's transform, by the entity's index */

#define MESHES_INDEX_MASK 0x3fffffu /* of an entity: its index */

#define MESHES_UNSEEN 0u /* it is not drawn */
#define MESHES_RIGID  1u
#define MESHES_MOVED  2u /* by a skeleton or by morph targets */

/* A bit of MeshInstance.shown: no decal changes its surfaces. It is not set with MESHES_UNSEEN. */
#define MESHES_NO_DECALS 0x80000000u

#define MESHES_IS_MOVED(shown) (((shown) & ~MESHES_NO_DECALS) >= MESHES_MOVED)
#define MESHES_RANGE_OF(shown) (((shown) & ~MESHES_NO_DECALS) - MESHES_MOVED) /* its SkinRange */

KERNEL_STRUCT(MeshInstance) {
    u32 entity;    /* whose world matrix moves it: of a skin, its root */
    u32 mesh;      /* MESHES_NONE: nothing is at this place */
    u32 shown;     /* MESHES_UNSEEN, MESHES_RIGID, or MESHES_MOVED + the number of its SkinRange */
    u32 transform; /* row of its world matrix; MESHES_NONE: the identity */
};

/* The push constants of the passes that find transforms. */
KERNEL_STRUCT(MeshesPlace) {
    u32 transform_count, instance_count;
    u32 slot_count; /* entities in MESHES_ROW */
};

/* A stream begins at a word of the vertex buffer; MESHES_NONE: the mesh does not have it. */
KERNEL_STRUCT(MeshRow) {
    Vec3 low, high;             /* bounds of the positions */
    u32 first_part, part_count; /* parts of level 0; those of level n follow n x part_count later */
    u32 level_count;            /* with level 0 */
    u32 first_instance, instance_count;
    u32 position, normal, tangent, uv, uv_1, color;
    u32 opaque_count;  /* parts of level 0 that are triangles and not blended, */
    u32 blended_count; /* and that are */
    u32 scrolls;       /* the normal map of a blended part moves */
};

KERNEL_STRUCT(MeshPart) {
    u32 first_index, index_count; /* in the index buffer */
    u32 material;
    u32 corners; /* indices of a primitive: 3, 2 or 1 */
    f32 error_m; /* of its level */
};

/* A part of one level of the instances of a mesh, mirrored or not: one indirect draw. */
KERNEL_STRUCT(MeshDraw) {
    u32 mesh, part;
    u32 flags; /* which flags of instances it draws: level, and after the levels mirrored ones */
};

/* A texture of a material: texture coordinates are (a b; c d) uv + offset. */
KERNEL_STRUCT(MeshTexture) {
    u32  array, layer; /* array MESHES_NONE: the slot has no texture */
    u32  uv_set;
    f32  strength;
    Vec4 rotation; /* a b c d */
    Vec2 offset;
};

#define MESHES_MASK  1 /* alpha_mode */
#define MESHES_BLEND 2

#define MESHES_SLOTS 5 /* in the order of MATERIAL_SLOT */

#define MESHES_BASE_COLOR         0
#define MESHES_METALLIC_ROUGHNESS 1
#define MESHES_NORMAL             2
#define MESHES_OCCLUSION          3
#define MESHES_EMISSIVE           4

KERNEL_STRUCT(MeshMaterial) {
    Vec3        base_color;
    f32         opacity;
    Vec3        emissive;
    u32         alpha_mode; /* as MATERIAL_ALPHA */
    f32         alpha_cutoff;
    f32         roughness, metallic;
    u32         two_sided;
    f32         caustics;             /* strength in its shadow */
    f32         bend;                 /* by how much its index of refraction exceeds 1 */
    Vec3        transmitted;          /* transmission_color of a material */
    f32         transmission;         /* as in a material */
    f32         thick_m;              /* thickness_m of it */
    f32         coat, coat_roughness; /* clearcoat of it */
    Vec4        scroll;               /* as normal_scroll of a material */
    MeshTexture texture[MESHES_SLOTS];
};

/* The push constants of all passes. */
KERNEL_STRUCT(MeshesPush) {
    u32 instance_count;
    u32 flag_stride; /* words of the flags of a level; the last block is 0 */
    u32 level_max;   /* levels of the mesh with the most; flags of mirrored instances follow them */
    u32 draw_count;
    u32 draw_first; /* of a call: the number of its first draw */
    u32 id_first;
    u32 phase;
    u32 has_pyramid; /* of the last picture; in shadow maps: casters smaller than half a texel are dropped */
    u32 is_seen; /* in shadow maps: instances whose shadow meets nothing that is seen are dropped */
    u32 moves;   /* in shadow maps: which instances are drawn, */
    u32 is_filter; /* and whether their blended parts are */
    u32 maps; /* 1; in shadow maps how many are drawn: bit i maps + k is that of instance i in map k */
    f32         time_s;
    CanvasRound round; /* of layers */
};

#endif
