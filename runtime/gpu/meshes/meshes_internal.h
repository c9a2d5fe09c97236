/* meshes_internal.h - declarations shared by the files of this module.
 *
 * meshes_system.c    the system: create, extent, phases
 * meshes_geometry.c  vertices, indices and parts of the meshes of a library
 * meshes_material.c  the table of materials
 * meshes_views.c     meshes with other materials
 * meshes_reload.c    meshes and materials that the library has changed
 * meshes_shape.c     where bones and morph targets move the vertices of meshes
 * meshes_slots.c     the places of instances
 * meshes_skin.c      instances that skeletons and morph targets move
 * meshes_follow.c    entities that follow joints
 * meshes_scene.c     instances and matrices on the device, and the draws of all parts
 * meshes_blend.c     blended surfaces
 * meshes_moves.c     which instances move
 * meshes_shadow.c    what casts into shadow maps
 * meshes_paint.c     passes and pipelines of a picture
 * meshes_host.c      what hosts with a renderer of their own read */
#ifndef ENT_MESHES_INTERNAL_H
#define ENT_MESHES_INTERNAL_H

#include "canvas_draw.h"
#include "gpu_columns.h"
#include "gpu_places.h"
#include "gpu_frame_internal.h"
#include "gpu_image.h"
#include "gpu_mirror.h"
#include "gpu_system_internal.h"
#include "gpu_textures.h"
#include "hash.h"
#include "lighting_internal.h"
#include "meshes.h"
#include "scan.h"
#include "skinning.h"
#include "skins.h"

#include "canvas_io.h"
#include "mesh_data.h"
#include "meshes_io.h"
#include "transform_internal.h"

/* --- geometry, materials, instances --- */

/* How the triangles of a draw are rasterised. */
typedef enum MeshesClass {
    MESHES_SOLID,
    MESHES_SOLID_MIRRORED,
    MESHES_SOLID_TWO_SIDED,
    MESHES_MASKED,
    MESHES_MASKED_MIRRORED,
    MESHES_MASKED_TWO_SIDED,
    MESHES_LINES,
    MESHES_POINTS,
    MESHES_CLASSES
} MeshesClass;

/* The mesh instances of a world, each at a place that it keeps. */
typedef struct MeshesSlots {
    MeshInstance* slot;      /* [capacity] as on the device */
    Entity*       owner;     /* [capacity] the entity with the mesh */
    u32*          of_row;    /* [watch.capacity] the place of each row of the manager */
    u32*          free_of;   /* [MESHES_ROWS] the first free place of each mesh, or NONE */
    u32*          next_free; /* [capacity] behind a free place: the next one of the mesh, or NONE */
    u32*          dirty;     /* [dirty_count] places that changed */
    u8*           is_dirty;  /* [capacity] */
    u32*          rows;      /* [watch.capacity] that changed */
    u32           capacity, row_count, dirty_count;
    u32           renewed; /* how often all places were assigned */
    ManagerWatch  watch;
    bool          watched;
    bool          moved; /* a place changed whose mesh skeletons or morph targets move */
    bool          grows; /* free places are kept for instances that are added */
} MeshesSlots;

/* A mesh that skeletons or morph targets move, or not. */
typedef struct MeshesMoved {
    SkinningMesh             moved;
    u32                      bone_count; /* bones that vertices refer to; 0: no skeleton moves it */
    const MorphTargetRecord* target;     /* [moved.target_count] of MeshesShapes.target */
} MeshesMoved;

/* Where bones and morph targets move the meshes of a library. */
typedef struct MeshesShapes {
    MeshesMoved*       mesh;   /* [MESHES_ROWS] */
    SkinBox*           box;    /* [box_count] of all meshes, as on the device */
    MorphTargetRecord* target; /* [target_count] */
    SkinTarget*        masked; /* [target_count] as on the device; NULL when it has them */
    SkinMask*          mask;   /* [mask_count] likewise */
    u32                box_count, target_count, mask_count;
    GpuPool            pool;
    GpuBuffer          boxes, targets, masks;
} MeshesShapes;

/* What moves the meshes of a world. */
typedef struct MeshesSkin {
    Skins*       skins;
    Skinning     skinning;
    u32*         range_slot; /* [range_room] the place of each range */
    u32          range_room;
    ManagerWatch watch;   /* of skins */
    u32          moves;   /* of the watch, when ranges were assigned */
    u32          version; /* of the tables of poses, likewise */
    u64          wrong;   /* the mesh that was reported last as not fitting its skeleton */
    bool         watched;
} MeshesSkin;

typedef enum MeshesCast {
    MESHES_CAST_SOLID,
    MESHES_CAST_MASKED,
    MESHES_CAST_FILTER,
    MESHES_CASTS
} MeshesCast;

/* What casts into the shadow maps that are drawn. */
typedef struct MeshesShadows {
    GpuKernel  casters;
    VkPipeline pipeline[MESHES_CASTS]; /* created when there are maps to draw */
    GpuPool    pool;
    GpuBuffer  flags, counts, sums, visible, total, commands, filter_commands;
    Scan       scan;
    u32        flag_stride;
    u64        flag_room, pair_room;
    u32        draw_room, blended_room;
} MeshesShadows;

/* The instances that move, and those that stand. */
typedef struct MeshesMoves {
    u8* still; /* [capacity] frames since it has moved; 255: it stands */
    Vec4*
              sphere; /* [capacity] around it, as shadow maps show it; an infinite radius: unknown, a negative one: nothing */
    u32*      list;   /* [count] places that move */
    u32*      bit;    /* [capacity / 32 + 1] bits of these, as in `bits` */
    u32       count, capacity;
    u64*      posed;    /* [posed_room] hash of what each range was posed with last */
    u64*      followed; /* [followed_room] hash of what each follower has followed last */
    u32       posed_room, followed_room;
    u32       renewed; /* as MeshesSlots */
    bool      follows; /* there are arrays */
    bool      knows;   /* spheres are known */
    bool      bits_changed;
    f32       time_s; /* of the last picture */
    GpuPool   pool;
    GpuBuffer bits;
} MeshesMoves;

/* Where a mesh is in the buffers of vertices and indices: words. */
typedef struct MeshesPlaced {
    u64 word, words, index, indices;
} MeshesPlaced;

/* A material in place of another one. */
typedef struct MeshesPair {
    ResourceRef replaced, material;
} MeshesPair;

/* A mesh with other materials: it has the row behind the stand-in, in their order. */
typedef struct MeshesView {
    ResourceRef mesh;
    u32         first, count; /* pairs */
    u32         is_drawn;     /* the library has the mesh */
} MeshesView;

typedef struct MeshesViews {
    MeshesView* at;   /* [count] sorted */
    MeshesPair* pair; /* of all views */
    u64         hash; /* of what the world replaces */
    u32         count;
    bool        are_former; /* the ones of `hash` could not be made */
} MeshesViews;

/* Of the meshes and materials of a library. */
typedef struct MeshesGeometry {
    MeshRow*      mesh; /* [MESHES_ROWS] behind the meshes: in place of missing ones, then views */
    MeshesPlaced* placed;   /* [meshes.count + 1] */
    MeshPart*     part;     /* [part_count] */
    MeshMaterial* material; /* [MESHES_MATERIALS] one row per material, then the
                                default one, then the checker pattern */
    u32           part_count;
    u32           level_max;               /* as in MeshesPush */
    u64           word_count, index_count; /* of all meshes */
    MeshesViews   views;
    u64           draws; /* hash of what decides how parts are drawn */
    GpuPool       pool, table_pool;
    GpuBuffer     vertices, indices, meshes_table, parts, material_table;
} MeshesGeometry;

/* What the device has of tables that can change. */
typedef struct MeshesMirrors {
    GpuMirror parts, materials, boxes, targets, masks;
} MeshesMirrors;

/* The library that meshes come from. */
typedef struct MeshesSource {
    const Library* library;
    GpuSeen seen, taken; /* in the last attempt to follow it, and in the last one that succeeded */
    u32     texture_changes; /* GpuTextures.changes that materials know */
    u32     dropped;         /* Gpu.dropped */
    u32     arrays;          /* gpu_textures_constant of the pipelines */
    bool    renews;          /* all places are to be assigned again */
    u64     missing;         /* the mesh that was reported last as missing */

} MeshesSource;

/* Of instances, and of the draws of all parts. */
typedef struct MeshesScene {
    GpuPool   pool;
    GpuBuffer instances, draws, flags, counts, sums, hidden, total, commands, visible;
    Scatter   changes; /* of instances */
    Scan      scan;
} MeshesScene;

/* How the triangles of blended parts are rasterised. */
typedef enum MeshesBlendClass {
    MESHES_BLEND_ONE_SIDED,
    MESHES_BLEND_MIRRORED,
    MESHES_BLEND_TWO_SIDED,
    MESHES_BLEND_CLASSES
} MeshesBlendClass;

/* Of blended surfaces. */
typedef struct MeshesBlend {
    u32        count;                                 /* draws of all blended parts */
    u32        class_first[MESHES_BLEND_CLASSES + 1]; /* draws, in the order of classes */
    bool       bends;                                 /* some of them refract, or are glass */
    GpuBuffer  draws, commands, visible;
    GpuKernel  rounds;
    GpuKernel  shade[2];                          /* of bits; of another LightsMethod */
    VkPipeline pipeline[2][MESHES_BLEND_CLASSES]; /* that count layers, that store them */
} MeshesBlend;

/* What lists of instances are for, and where they are written. */
typedef struct MeshesFound {
    const GpuBuffer *commands, *draws, *visible;
} MeshesFound;

typedef struct MeshesKernels {
    GpuKernel place, cull, list, shade[2]; /* the same */
} MeshesKernels;

typedef struct Meshes {
    Gpu*           gpu;
    World*         world;
    MeshesSource   source;
    GpuBlobs       meshes, materials;
    MeshesGeometry geometry;
    MeshesShapes   shape;
    MeshesMirrors  mirror;
    u32            draw_count;
    u32            flag_stride;                     /* as in MeshesPush */
    u32            class_first[MESHES_CLASSES + 1]; /* draws, in the order of classes */
    MeshesSlots    slots;
    MeshesSkin     skin;
    Lighting*      lighting;
    MeshesShadows  shadow;
    MeshesMoves    moves;
    MeshesScene    scene;
    MeshesKernels  kernel;
    MeshesBlend    blend;
    VkPipeline     pipeline[MESHES_CLASSES];
    GpuExtent      extent;
    GpuPool        eye_pool; /* of ent_meshes_cull */
    GpuBuffer      eye;
    bool           instances_changed; /* in the last update, other than by transforms */
    bool
        draws_hidden; /* for tests: everything in the view is drawn, hidden or not, and casts, however small */
} Meshes;

/* Rows of meshes, of the stand-in, and of views. */
#define MESHES_ROWS(m) ((m)->meshes.count + 1 + (m)->geometry.views.count)

#define MESHES_PLAIN(meshes)     ((meshes)->materials.count)
#define MESHES_CHECKER(meshes)   ((meshes)->materials.count + 1)
#define MESHES_MATERIALS(meshes) ((meshes)->materials.count + 2)

/* The row of the material of a part of a mesh; a missing one is reported. */
u32 meshes_material(const Meshes* meshes, u32 mesh, ResourceRef material);

/* --- meshes_views.c --- */

/* Does the world replace other materials than when views were found? */
bool meshes_views_differ(const Meshes* meshes);
/* Finds the views of the world; the former ones are not freed. */
MUST_CHECK ent_status meshes_views_find(Meshes* meshes);
void                  meshes_views_free(MeshesViews* views);
/* The views remain, although the world replaces other materials. */
void meshes_views_keep(Meshes* meshes);
/* The row of the view of a mesh of the world, or that of the mesh itself. */
u32 meshes_view_row(const Meshes* meshes, u32 mesh_row, u32 mesh);
/* The number of parts of all levels of a view, and their rows. Needs the rows of the meshes. */
u32  meshes_views_parts(const Meshes* meshes, u32 view);
void meshes_view_fill(Meshes* meshes, u32 view, u32 first_part);

MUST_CHECK ent_status meshes_geometry_create(Meshes* meshes, GpuProblem* problem);
/* The tables of the host. Needs meshes->meshes, meshes->materials and meshes->shape.mesh. */
MUST_CHECK ent_status meshes_geometry_fill(Meshes* meshes, GpuProblem* problem);
/* The buffers that do not exist yet, with some room in tables when `grows`. */
MUST_CHECK ent_status meshes_streams_create(Meshes* meshes, GpuProblem* problem);
MUST_CHECK ent_status meshes_tables_create(Meshes* meshes, bool grows);
void                  meshes_geometry_free(MeshesGeometry* geometry);
/* The bytes of a mesh, as in both buffers: words, then indices. */
void                  meshes_streams_write(const Meshes* meshes, u32 mesh, u8* words, u8* indices);
MUST_CHECK ent_status meshes_materials_fill(Meshes* meshes);

/* Finds what moves each mesh: bones of its vertices, and morph targets.
 * Cost     a pass over the vertices that have bones. */
MUST_CHECK ent_status meshes_shape_create(Meshes* meshes);
/* The tables of the host. Needs meshes->meshes and meshes->geometry. */
MUST_CHECK ent_status meshes_shape_fill(Meshes* meshes);
MUST_CHECK ent_status meshes_shape_buffers_create(Meshes* meshes);
/* The device has the tables that only it reads. */
void meshes_shape_uploaded(MeshesShapes* shape);
/* The arrays of the host. */
void meshes_shape_free(MeshesShapes* shape);

/* Takes the meshes and materials that the library has changed: records their uploads. When that is impossible, the former
 * ones stay, after one warning. */
MUST_CHECK ent_status meshes_reload(Meshes* meshes, GpuFrame* frame);

static inline bool meshes_can_move(const Meshes* m, u32 mesh) {
    return m->shape.mesh[mesh].bone_count || m->shape.mesh[mesh].moved.target_count;
}

MUST_CHECK ent_status meshes_skin_create(Meshes* meshes);
void                  meshes_skin_destroy(Meshes* meshes);
/* Assigns the vertices of instances that move, when there are others than before: also to places that
 * are marked as changed. */
MUST_CHECK ent_status meshes_skin_assign(Meshes* meshes, GpuFrame* frame);
/* Records the passes that pose them. */
MUST_CHECK ent_status meshes_skin_record(Meshes* meshes, GpuFrame* frame);
/* Records the passes that move the vertices of instances that were seen since their poses changed. */
void meshes_skin_seen(const Meshes* meshes, GpuList* list);
/* The entity whose world matrix moves the vertices of a skin. */
Entity meshes_skin_root(const Meshes* meshes, u32 row, Entity owner);
/* The skin that an entity in a row of attach_to_joint follows. */
typedef struct MeshesFollowed {
    const AttachToJointRecord* record;
    Entity                     owner, root; /* of the skin */
    u32                        skin;        /* its row */
    bool                       exists;
} MeshesFollowed;

MeshesFollowed meshes_followed(const Meshes* meshes, u32 row);
/* The row of attach_to_joint of an entity; MANAGER_NO_ROW: it does not follow a joint. */
u32 meshes_follower_row(const Meshes* meshes, Entity entity);
/* The world matrix of what follows a joint; unchanged when there is no such joint. Costs a pose on the host. */
MUST_CHECK ent_status meshes_follower_pose(Meshes* meshes, u32 row, Mat34* pose);
/* Records the pass for entities that follow joints. */
MUST_CHECK ent_status meshes_follow_record(Meshes* meshes, GpuFrame* frame);

MUST_CHECK ent_status meshes_slots_create(Meshes* meshes);
void                  meshes_slot_mark(MeshesSlots* slots, u32 slot); /* it has changed */
void                  meshes_slots_free(Meshes* meshes);
/* Follows the changes of the world. False: there is no place left; all places are to be assigned
 * again. */
bool meshes_slots_update(Meshes* meshes);
void meshes_slots_clean(Meshes* meshes); /* no place has changed */

MUST_CHECK ent_status meshes_scene_create(Meshes* meshes);
void                  meshes_scene_destroy(Meshes* meshes);
/* Record the uploads of what changed since the last call: of instances, then of matrices. */
MUST_CHECK ent_status meshes_instances_update(Meshes* meshes, GpuFrame* frame);
MUST_CHECK ent_status meshes_matrices_update(Meshes* meshes, GpuFrame* frame);
/* The bounds of all instances. */
MUST_CHECK ent_status meshes_extent_find(Meshes* meshes);
/* The bounds of the vertices of a place that bones and morph targets move, in the space of its skin.
 *
 *   reach_m  how far morph targets move a vertex at most
 *   bounds   has those of the mesh */
MUST_CHECK ent_status meshes_moved_bounds(Meshes* meshes, u32 slot, f32 reach_m, Bounds* bounds);

/* Follows what moves: marked places, before they are cleaned; and the rest, after the transforms. */
void                  meshes_moves_note(Meshes* meshes);
MUST_CHECK ent_status meshes_moves_update(Meshes* meshes, GpuFrame* frame, f32 time_s);
void                  meshes_moves_forget(Meshes* meshes);
void                  meshes_moves_destroy(Meshes* meshes);

/* Record the passes that find what casts into the shadow maps that have to be drawn, and the draws. */
MUST_CHECK ent_status meshes_casters(void* meshes, GpuPicture* picture);
MUST_CHECK ent_status meshes_shadows(void* meshes, GpuPicture* picture);
MUST_CHECK ent_status meshes_filters(void* meshes, GpuPicture* picture);
void                  meshes_shadows_destroy(Meshes* meshes);

/* Words of the flags of a level. */
u32 meshes_stride_of(u64 instances);

static inline u32 meshes_flag_words(const Meshes* m) {
    return m->flag_stride * m->geometry.level_max * 2;
}

static inline bool meshes_is_blended(const Meshes* m, const MeshPart* part) {
    return part->corners == 3 && m->geometry.material[part->material].alpha_mode == MESHES_BLEND;
}
/* Does what is behind it need more than a share? */
static inline bool meshes_material_bends(const MeshMaterial* material) {
    return material->bend > 0 || material->transmission > 0;
}
/* Counts the draws of blended parts; uploads them, after the buffers are created. */
void                  meshes_blend_draws_count(Meshes* meshes);
MUST_CHECK ent_status meshes_blend_draws_upload(Meshes* meshes, GpuFrame* frame);
/* Commands without instances. */
MUST_CHECK ent_status meshes_commands_upload(const Meshes* meshes, GpuFrame* frame,
                                             const GpuBuffer* to, const MeshDraw* draws, u32 count);

MUST_CHECK ent_status meshes_blend_create(Meshes* meshes);
void                  meshes_blend_destroy(Meshes* meshes);
MUST_CHECK ent_status meshes_blend_record(void* meshes, GpuPicture* picture);

#define MESHES_MATRICES(meshes) GPU_MATRICES(&(meshes)->lighting->places)
/* What kernels and shaders read of instances, and of their vertices and materials. */
#define MESHES_PLACED(m)                                                                           \
    [MESHES_INSTANCE] = {&(m)->scene.instances, GPU_READ},                                         \
    [MESHES_MATRIX] = {MESHES_MATRICES(m), GPU_READ},                                              \
    [MESHES_MESH] = {&(m)->geometry.meshes_table, GPU_READ}
#define MESHES_GEOMETRY(m)                                                                         \
    MESHES_PLACED(m), [MESHES_PART] = {&(m)->geometry.parts, GPU_READ},                            \
                      [MESHES_VERTEX] = {&(m)->geometry.vertices, GPU_READ},                       \
                      [MESHES_RANGE] = {&(m)->skin.skinning.buffer.ranges, GPU_READ},              \
                      [MESHES_MOVED_TO] = {&(m)->skin.skinning.buffer.to, GPU_READ},               \
                      [MESHES_MATERIAL] = {&(m)->geometry.material_table, GPU_READ}

static inline MeshesPush meshes_push(const Meshes* m, const GpuPicture* picture, u32 draw_first) {
    return (MeshesPush){.instance_count = m->slots.capacity,
                        .flag_stride = m->flag_stride,
                        .level_max = m->geometry.level_max,
                        .draw_count = m->draw_count,
                        .draw_first = draw_first,
                        .id_first = picture->id_first,
                        .phase = picture->is_second ? MESHES_SECOND : MESHES_FIRST,
                        .has_pyramid = picture->has_pyramid && !m->draws_hidden,
                        .maps = 1};
}

MUST_CHECK ent_status meshes_kernels_create(Meshes* meshes);
void                  meshes_kernels_destroy(Meshes* meshes);
/* Records the passes that find the instances to draw: without pipelines, the phase `cull`, and with them. */
void meshes_find(Meshes* meshes, const GpuPicture* picture);
/* The same for other draws. */
void meshes_find_with(Meshes* meshes, const GpuPicture* picture, const MeshesPush* push,
                      const MeshesFound* found);
MUST_CHECK ent_status meshes_cull(void* meshes, GpuPicture* picture);
MUST_CHECK ent_status meshes_surfaces(void* meshes, GpuPicture* picture);
MUST_CHECK ent_status meshes_shade(void* meshes, GpuPicture* picture);

#endif
