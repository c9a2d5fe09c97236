/* skinning.h - poses of skeletons and skinned vertices on the device. Private: for systems that draw.
 *
 *     Skinning s;
 *     TRY(skinning_create(&s, gpu));
 *     TRY(skinning_skeleton(&s, skeleton, &which));            tables: each skeleton, and
 *     TRY(skinning_clip(&s, which, clip, &channels));          each clip that moves it
 *     TRY(skinning_instance(&s, which, &instance));            instances, and
 *     TRY(skinning_range(&s, instance, &streams, &range));     their meshes
 *     TRY(skinning_upload(&s));
 *     each frame:
 *         s.instance[instance].time_s = ...;                   also channels and blend
 *         TRY(skinning_record(&s, frame, &vertices));
 *     skinning_destroy(&s);
 *
 * A thread samples a joint, a thread computes a bone, and a thread skins eight vertices. Vertices of
 * skeletons with few bones read these from shared memory; the results are the same.
 *
 * Source   J. Turanszki, Thoughts on skinning and LDS, wickedengine.net, 2017. */
#ifndef ENT_SKINNING_H
#define ENT_SKINNING_H

#include "blob.h"
#include "gpu_frame_internal.h"

#include "skinning_io.h"

/* Bones up to which shared memory is faster, measured on an H200 by `bench_gpu skinning`: with 64 bones by
 * 7 %, with 256 by 1 % to 4 %. */
#define SKINNING_SHARED_MAX 256u

/* Where the streams of a mesh begin, as in SkinRange: those of joints and weights at even words. */
typedef struct SkinningStreams {
    u32 vertex_count;
    u32 position, normal, tangent, joints, weights, joints_1, weights_1;
} SkinningStreams;

typedef struct SkinningSkeleton {
    const Blob* blob;
    u32         first_joint, joint_count, first_bind, bind_count;
} SkinningSkeleton;

typedef struct Skinning {
    Gpu*              gpu;
    SkinningSkeleton* skeleton; /* [skeleton_count] */
    SkinJoint*        joint;    /* [joint_count] of all skeletons; likewise the next two */
    SkinBind*         bind;     /* [bind_count] */
    SkinChannel*      channel;  /* [channel_count] */
    f32*              key;      /* [key_count] */
    SkinInstance*     instance; /* [instance_count] */
    SkinRange*        range;    /* [range_count] */
    SkinBlock*        block;    /* [block_count] those with shared memory first */
    u32               skeleton_count, joint_count, bind_count, channel_count, key_count;
    u32               instance_count, range_count, block_count, shared_blocks;
    u32               skeleton_room, joint_room, bind_room, channel_room, key_room;
    u32               instance_room, range_room;
    u32               local_count, palette_count, to_count; /* of all instances */
    u32               joint_most, bind_most;                /* of an instance */
    u32               shared_most; /* 0: every palette is read from the buffer */
    GpuKernel         sample, palette, shared, direct;
    GpuPool           tables, pool;
    GpuBuffer         joints, binds, channels, keys;
    GpuBuffer         instances, locals, palettes, ranges, blocks, to;
} Skinning;

MUST_CHECK ent_status skinning_create(Skinning* skinning, Gpu* gpu);
void                  skinning_destroy(Skinning* skinning);

/* Adds a skeleton; the same one only once.
 *
 *   skeleton  exists until skinning_upload */
MUST_CHECK ent_status skinning_skeleton(Skinning* skinning, const Blob* skeleton, u32* which);

/* Adds a clip for a skeleton. Tracks whose node is no joint of it are left out.
 *
 *   channels  for SkinInstance */
MUST_CHECK ent_status skinning_clip(Skinning* skinning, u32 skeleton, const Blob* clip,
                                    u32* channels);

/* Adds an instance in the rest pose. */
MUST_CHECK ent_status skinning_instance(Skinning* skinning, u32 skeleton, u32* instance);

/* Adds the vertices of a mesh of an instance. Joints of vertices are below the skeleton's binds. */
MUST_CHECK ent_status skinning_range(Skinning* skinning, u32 instance,
                                     const SkinningStreams* streams, u32* range);

/* Creates the buffers. Nothing can be added afterwards. */
MUST_CHECK ent_status skinning_upload(Skinning* skinning);

/* Records the passes of a frame. */
MUST_CHECK ent_status skinning_record(Skinning* skinning, GpuFrame* frame,
                                      const GpuBuffer* vertices);

#endif
