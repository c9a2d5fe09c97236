/* skinning_io.h - the inputs and outputs of the passes that pose skeletons and skin vertices. */
#ifndef ENT_SKINNING_IO_H
#define ENT_SKINNING_IO_H

#include "pose_io.h"

/* Threads that sample or that compute palettes and bounds; threads that skin, and vertices of each: the
 * fastest on an H200 of 64, 128 and 256 threads with 4 and 8 vertices. A thread computes one vertex of a
 * mesh that only morph targets move. */
#define SKINNING_GROUP   64u
#define SKINNING_THREADS 256u
#define SKINNING_EACH    8u

#define SKINNING_INSTANCE 0 /* bindings: a SkinInstance each */
#define SKINNING_JOINT    1 /* a SkinJoint each, of all skeletons */
#define SKINNING_BIND     2 /* a SkinBind each, of all skeletons */
#define SKINNING_CHANNEL  3 /* a ClipChannel each: three for each joint, of all clips */
#define SKINNING_KEY      4 /* floats or words: times and values of the keys of all clips */
#define SKINNING_LOCAL    5 /* three vec4 for each joint of each instance: its parent from the joint */
#define SKINNING_PALETTE  6  /* three vec4 for each bind of each instance: the skin from the mesh */
#define SKINNING_RANGE    7  /* a SkinRange each */
#define SKINNING_BLOCK    8  /* a SkinBlock each */
#define SKINNING_VERTEX   9  /* words: the streams of vertices */
#define SKINNING_OUT      10 /* words: skinned vertices */
#define SKINNING_WEIGHT   1  /* words: weights of morph targets */
#define SKINNING_TARGET   2  /* a SkinTarget each, of all meshes */
#define SKINNING_MASK     3  /* a SkinMask each, of all targets */
#define SKINNING_BOX      4  /* a SkinBox each, of all meshes */
#define SKINNING_BOUNDS   5  /* a SkinBounds for each range */

#define SKINNING_WANTED 11 /* a word for each range: SKINNING_UNWANTED, .. */
#define SKINNING_CHOSEN                                                                            \
    12 /* the SkinBlocks of wanted ranges, those of each kernel from its first on */
#define SKINNING_CALL 13 /* a SkinCall for each kernel */

#define SKINNING_FOLLOWER 6 /* a SkinFollower each */
#define SKINNING_WORLD    7 /* three vec4 for each row of transforms: its world matrix */

#define SKINNING_NONE 0xffffffffu

/* Kernels that skin: with memory for 64, 128 and 256 bones, without it, and without bones. */
#define SKINNING_BUFFER  3u
#define SKINNING_MORPH   4u
#define SKINNING_KERNELS 5u

/* The vertices of a range since its pose changed: no picture shows them; one does; they are computed. */
#define SKINNING_UNWANTED  0u
#define SKINNING_IS_WANTED 1u
#define SKINNING_DONE      2u

/* A JointRecord. */
KERNEL_STRUCT(SkinJoint) {
    u32  parent; /* of the skeleton, an earlier one; SKINNING_NONE: the skin's space */
    u32  node, name;
    Vec3 position;
    Vec4 rotation;
    Vec3 scale;
};

/* A BindRecord. */
KERNEL_STRUCT(SkinBind) {
    u32  joint; /* of the skeleton */
    Vec4 row_x, row_y, row_z;
};

KERNEL_STRUCT(SkinInstance) {
    u32 first_joint, joint_count, first_bind,
        bind_count; /* counts of 0: nothing is computed, because
                                                             another instance has the same palette */
    u32 first_local, first_palette;
    u32 channels, channels_2; /* the first of the clip, and of the clip that is blended over it;
                                 SKINNING_NONE: the rest pose */
    f32 time_s, time_2_s;
    f32 blend; /* 0: the first clip, 1: the second one */
};

/* The vertices of one mesh of one instance. Streams begin at words of SKINNING_VERTEX, those of joints
 * and weights at even ones; SKINNING_NONE: the mesh does not have it. */
KERNEL_STRUCT(SkinRange) {
    u32 vertex_count;
    u32 position, normal, tangent; /* floats: three, three and four for each vertex */
    u32 joints, weights;           /* two words for each vertex: four numbers of 16 bits */
    u32 joints_1, weights_1;       /* four more */
    u32 move, move_normal,
        move_along; /* displacements of morph targets: three floats for each row */
    u32 instance;   /* SKINNING_NONE: only morph targets move it */
    u32 bone_count; /* of its palette */
    u32 first_box, box_count;
    u32 first_target; /* of its mesh */
    u32 first_weight; /* word of SKINNING_WEIGHT: for each target that is active its number and its
                           weight, then SKINNING_NONE; SKINNING_NONE: the mesh has no targets */
    u32 to, to_tangent; /* words of SKINNING_OUT: four for each vertex, from a multiple of four on,
                           and one for each */
};

/* SKINNING_THREADS x SKINNING_EACH vertices of a range, or SKINNING_THREADS where there are no bones. */
KERNEL_STRUCT(SkinBlock) { u32 range, first; };

/* The groups of an indirect dispatch, of which the first `count` have a block. */
KERNEL_STRUCT(SkinCall) {
    u32 groups[3];
    u32 count;
};
#define SKINNING_WIDE 64u /* groups of a row */

/* A morph target of a mesh. Word v / 32 of its masks has bit v % 32 of a vertex v that it moves. */
KERNEL_STRUCT(SkinTarget) {
    u32 first_mask;
    f32 reach_m; /* the largest displacement of a position */
};
KERNEL_STRUCT(SkinMask) {
    u32 bits;
    u32 row; /* of the first of these vertices */
};

/* Where the vertices of a mesh are that a bone moves. */
KERNEL_STRUCT(SkinBox) {
    u32  bone; /* SKINNING_NONE: no skeleton moves the mesh */
    Vec3 low, high;
};
KERNEL_STRUCT(SkinBounds) { Vec3 low, high; };

/* An entity that follows a joint. */
KERNEL_STRUCT(SkinFollower) {
    u32  instance, joint; /* joint of its skeleton */
    u32  first_joint;     /* of that skeleton */
    u32  root, row; /* of transforms: of the root of the skin, SKINNING_NONE without one; and of
                             the entity. No root follows a joint itself */
    Vec4 row_x, row_y, row_z; /* its pose in the space of the joint */
};

KERNEL_STRUCT(SkinningPush) {
    u32 instance_count;
    u32 groups;      /* of each instance: for the skeleton with the most joints, or binds */
    u32 range_count; /* or of followers */
    u32 block_first[SKINNING_KERNELS + 1]; /* of each kernel, and the number of all */
    u32 kernel;
};

#endif
