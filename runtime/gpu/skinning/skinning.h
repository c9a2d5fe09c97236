/* skinning.h - poses of skeletons and skinned vertices on the device. Private: for systems that draw.
 *
 *     Skinning s;
 *     TRY(skinning_create(&s, gpu, &tables));
 *     when there are others than before:
 *         skinning_clear(&s);
 *         TRY(skinning_instance(&s, skeleton, &instance));         instances, and
 *         TRY(skinning_range(&s, instance, &mesh, &range));        their meshes
 *         TRY(skinning_place(&s, frame));
 *     each frame:
 *         skinning_play(&s, instance, &play);                      what each instance plays
 *         skinning_weights(&s, range)[target] = ...;               of morph targets
 *         TRY(skinning_record(&s, frame, &input));                 poses and bounds
 *         passes of the caller that mark in s.wanted which ranges are seen, and
 *         skinning_skin(&s, list, &input);                         their vertices: any number of times
 *     skinning_destroy(&s);
 *
 * A thread samples a joint, a thread computes a bone, and a thread skins eight vertices. Vertices of
 * skeletons with few bones read these from shared memory; the results are the same. Vertices that nothing
 * shows are not computed; poses, bounds and the vertices of a range are computed once for what instances
 * play, and kept until that, a weight or the ranges change.
 *
 * Source   J. Turanszki, Thoughts on skinning and LDS, wickedengine.net, 2017. */
#ifndef ENT_SKINNING_H
#define ENT_SKINNING_H

#include "gpu_frame_internal.h"
#include "gpu_mirror.h"
#include "pose_tables.h"

#include "skinning_io.h"

/* Bones up to which shared memory is faster, measured on an H200 by `bench_gpu skinning`: with 64 bones by
 * 7 %, with 256 by 1 % to 4 %. There is a kernel with memory for 64, for 128 and for 256 of them. */
#define SKINNING_SHARED_MAX 256u

/* A mesh, of which there may be many instances. The streams, boxes, targets and masks are the owner's:
 * SkinningInput. */
typedef struct SkinningMesh {
    SkinRange range;        /* its streams, boxes and targets; the rest is filled in */
    u32       target_count; /* morph targets */
} SkinningMesh;

/* What an owner uploads once, for all meshes. */
typedef struct SkinningInput {
    const GpuBuffer *vertices, *boxes, *targets, *masks;
} SkinningInput;

/* What an instance has unless it shares the palette of another one. */
typedef struct SkinningSource {
    u32 palette_first, local_first;
    u32 skeleton; /* of the tables, or NONE */
} SkinningSource;

/* Of all instances and ranges. */
typedef struct SkinningCounts {
    u32 instances, locals, palettes, ranges, blocks, weights, active, to;
} SkinningCounts;

typedef struct SkinningRooms {
    u32 instance, source, range, range_targets, block, weight, active;
} SkinningRooms;

/* The tables of the host, as they were uploaded last. */
typedef struct SkinningTable {
    GpuPool   pool;
    u32       joint_count, bind_count, channel_count, key_count;
    u32       version; /* of the tables */
    u32       dropped; /* Gpu.dropped */
    GpuBuffer joints, binds, channels, keys;
    GpuMirror mirror[4]; /* of these */
} SkinningTable;

typedef struct SkinningBuffers {
    GpuPool   pool;
    GpuBuffer instances, locals, palettes, ranges, blocks, weights, boxes, to;
    GpuBuffer
        wanted; /* [count.ranges] u32: SKINNING_IS_WANTED is set where it is SKINNING_UNWANTED */
    GpuBuffer      chosen, calls;
    SkinningCounts places; /* elements for which there are buffers */
} SkinningBuffers;

typedef struct SkinningKernels {
    GpuKernel sample, palette, bounds, attach, select, skin[SKINNING_KERNELS];
} SkinningKernels;

typedef struct Skinning {
    Gpu*              gpu;
    const PoseTables* tables;
    SkinInstance*     instance;      /* [count.instances] */
    SkinningSource*   source;        /* [count.instances] */
    SkinRange*        range;         /* [count.ranges] */
    u32*              range_targets; /* [count.ranges] the first weight of each */
    SkinBlock*        block;         /* [count.blocks] in the order of kernels */
    f32*              weight;        /* [count.weights] of morph targets, of all ranges */
    u32*              active;        /* [count.active] as SKINNING_WEIGHT */
    SkinningCounts    count;
    SkinningRooms     room;
    u32               block_first[SKINNING_KERNELS + 1]; /* of each kernel */
    u32               joint_max, bind_max;               /* of an instance */
    u32               shared_max; /* 0: every palette is read from the buffer */
    SkinningKernels   kernel;
    SkinningTable     table;
    SkinningBuffers   buffer;
    u64 posed; /* hash of what the device has posed last; 0: nothing, or other ranges */
} Skinning;

/* The tables may grow later. After a failure it can still be destroyed. */
MUST_CHECK ent_status skinning_create(Skinning* skinning, Gpu* gpu, const PoseTables* tables);
void                  skinning_destroy(Skinning* skinning);

/* Removes all instances and ranges. */
void skinning_clear(Skinning* skinning);

/* Adds an instance in the rest pose.
 *
 *   skeleton  of the tables; NONE: it has no joints */
MUST_CHECK ent_status skinning_instance(Skinning* skinning, u32 skeleton, u32* instance);

/* Adds the vertices of a mesh of an instance. Joints of vertices are below the skeleton's binds.
 *
 *   instance  NONE: only morph targets move the mesh */
MUST_CHECK ent_status skinning_range(Skinning* skinning, u32 instance, const SkinningMesh* mesh,
                                     u32* range);

/* Creates buffers when those that exist are too small, and records their uploads. */
MUST_CHECK ent_status skinning_place(Skinning* skinning, GpuFrame* frame);

static inline u32 skinning_skeleton(const Skinning* skinning, u32 instance) {
    return skinning->source[instance].skeleton;
}

/* Sets what an instance plays, on the skeleton with which it was added. */
void skinning_play(Skinning* skinning, u32 instance, const PosePlay* play);
/* The instance has the palette of another one, which is computed once. */
void skinning_share(Skinning* skinning, u32 instance, u32 other);

/* [target_count] the weights of a range; 0 at first. */
f32* skinning_weights(const Skinning* skinning, u32 range);

/* Records the passes of a frame that are not for vertices, if something has changed: then `boxes` has the bounds
 * of all ranges afterwards, and none is wanted. */
MUST_CHECK ent_status skinning_record(Skinning* skinning, GpuFrame* frame,
                                      const SkinningInput* input);
/* Records a pass that marks all ranges. */
void skinning_want_all(const Skinning* skinning, GpuList* list);
/* Records the passes that compute the vertices of the ranges that are wanted: afterwards `to` has them, and
 * they are done until poses change. Others have the vertices of earlier poses, or none. */
void skinning_skin(const Skinning* skinning, GpuList* list, const SkinningInput* input);

/* Records the pass that computes the world matrices of entities that follow joints, after the passes
 * above.
 *
 *   followers  [count], read before the function returns
 *   worlds     the matrices of all transforms */
MUST_CHECK ent_status skinning_attach(Skinning* skinning, GpuFrame* frame,
                                      const SkinFollower* followers, u32 count,
                                      const GpuBuffer* worlds);

#endif
