/* shadows.h - the shadow maps of a world. Private: for systems that draw surfaces.
 *
 *     Shadows s;
 *     TRY(shadows_create(&s, gpu));                        images of one texel
 *     each frame:
 *         TRY(shadows_update(&s, frame, &places));         follows the lights; the atlas may grow
 *     each picture:
 *         TRY(shadows_plan(&s, frame, &scene));            which maps have to be drawn
 *         TRY(shadows_kept_need(&s, list));                images of what stands
 *         for each stage: if (shadows_maps(&s, stage)) shadows_begin(&s, list, stage), and draws
 *         ... passes that read s.buffer and the images, as in shadows_lookup.glsl
 *     shadows_destroy(&s);
 *
 * Directional lights have cascades: spheres around parts of the view, whose texels keep their places in the
 * world. Spot lights have one map, point lights and very wide spot lights six. Lights get the sides that they ask for
 * as long as these fit into the atlas; then those of the least important ones are halved.
 *
 * What stands is drawn into maps that are kept until it changes. What moves is drawn over a copy of them: from the first
 * frame with such casters on, there are two atlases. Transparent surfaces that stand are kept as well; where opaque ones
 * that move cover them, they are drawn again.
 *
 * Sources  J. Turanszki, Easy transparent shadow maps, wickedengine.net, 2018; M. Valient, Stable Rendering of
 *          Cascaded Shadow Maps, ShaderX 6, 2008; F. Zhang et al., Parallel-split shadow maps, 2006. */
#ifndef ENT_SHADOWS_H
#define ENT_SHADOWS_H

#include "canvas_draw.h"
#include "gpu_image.h"
#include "gpu_pipeline.h"
#include "rows.h"
#include "shadow_counts.h"
#include "gpu_places.h"
#include "world.h"

#include "shadows_io.h"

#define SHADOWS_DEPTH_FORMAT  VK_FORMAT_D32_SFLOAT
#define SHADOWS_FILTER_FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define SHADOWS_FRONT_FORMAT  VK_FORMAT_R32_SFLOAT

/* Zeroed: the defaults. */
typedef struct ShadowsSettings {
    u32 atlas_side;                         /* texels, at most; a power of two; 0: 4096 */
    u32 cascade_side, spot_side, face_side; /* of a map; powers of two; 0: 2048, 1024, 512 */
    u32 cascades;                           /* of a directional light, 1 to 4; 0: 3 */
    f32 reach_m; /* up to which cascades reach; 0: to where the view leaves the bounds of what casts */
    u32 interval; /* of frames in which far cascades are drawn while only what moves has changed; 0: 1 */
    u32 still; /* frames after which what does not move any more stands, up to 255; 0: 30 */
} ShadowsSettings;

/* What a picture is of. */
typedef struct ShadowsScene {
    World*           world;
    const CanvasEye* eye;
    Vec3             low, high; /* of what casts */
} ShadowsScene;

/* A light that casts. */
typedef struct ShadowsLight {
    u32  row, kind, first, count;
    u32  counted; /* in the counts */
    u32  refused; /* maps without a place */
    u32  side;    /* of each of its maps; 0: there is no place */
    f32  importance;
    Vec3 at, along;
    f32  range_m, half_angle;
    f32  intensity; /* of the brightest channel */
    f32  reach_m;   /* of its maps, in this picture */
} ShadowsLight;

#define SHADOWS_ANGLE_MAX                                                                          \
    1.4f /* rad: half of the widest map of a spot light; above it, it has faces */

/* Does it have a single map? */
static inline bool shadows_is_cone(const ShadowsLight* l) {
    return l->kind == LIGHT_SPOT && l->half_angle <= SHADOWS_ANGLE_MAX;
}

typedef enum ShadowsPass {
    SHADOWS_PASS_OPAQUE, /* depth */
    SHADOWS_PASS_FILTER, /* the filter and front, compared with depth */
    SHADOWS_PASSES
} ShadowsPass;

/* In their order. Until something moves, the first and the last one draw everything. */
typedef enum ShadowsStage {
    SHADOWS_STANDING,         /* depth of what stands, which is kept */
    SHADOWS_MOVING,           /* and over a copy of it, of what moves */
    SHADOWS_FILTERS_STANDING, /* the same of transparent surfaces */
    SHADOWS_FILTERS
} ShadowsStage;

/* The images of the atlas. */
typedef struct ShadowsLayer {
    GpuImage      depth, filter, front;
    VkFramebuffer frame[SHADOWS_PASSES];
} ShadowsLayer;

typedef struct ShadowsAtlas {
    ShadowsLayer shown;
    ShadowsLayer kept;                    /* of what stands; none until something moves */
    VkRenderPass pass[2][SHADOWS_PASSES]; /* of new images, and of others */
    GpuPool      pool, kept_pool;
    GpuBuffer
        nearest; /* a word per texel: depth that kernels have found; none until it is needed */
    GpuBuffer covered, blocks; /* SHADOWS_COVERED and SHADOWS_BLOCKS; with `kept` */
    bool      is_new;          /* nothing was drawn to the images yet */
    bool      has_kept, needs_kept;
    bool      has_nearest; /* in this stage */
    u32       images;      /* how often there were other ones */
} ShadowsAtlas;

#define SHADOWS_SPHERES_MAX 256u

/* Places: the center and radius of spheres. */
typedef struct ShadowsSpheres {
    Vec4 at[SHADOWS_SPHERES_MAX];
    u32  count;
    bool is_anywhere; /* or anywhere else */
} ShadowsSpheres;

/* Texels of a map. */
typedef struct ShadowsRect {
    u32 left, top, right, bottom;
} ShadowsRect;

static inline bool shadows_is_empty(ShadowsRect r) {
    return r.right <= r.left || r.bottom <= r.top;
}

/* What a map shows. */
typedef struct ShadowsShown {
    ShadowMap      map;           /* that was drawn; a side of 0: nothing */
    bool           is_current;    /* what moves is drawn over it as it was last */
    ShadowsRect    old;           /* else where it is not */
    u32            light, number; /* in the counts, and of its maps */
    u64            look;          /* hash of what the light was */
    EntShadowCause cause;         /* why nothing is shown */
} ShadowsShown;

typedef struct ShadowsLights {
    ShadowsLight* at;      /* [count] */
    u32*          side;    /* [row_room] of the maps of the light of a row, in the last picture */
    u32*          row;     /* [row_count] as in the table */
    u32*          counted; /* [row_room] where the light of a row is in the counts, or was */
    u32           count, room, row_count, row_room, map_count;
    u32           refused; /* lights without a place that were reported */
} ShadowsLights;

#define SHADOWS_TALLIES 16u /* of a map, that are not read yet: pictures of the frames in flight */

/* How many casters stand in a map. */
typedef struct ShadowsMapCount {
    u32  drawn;    /* how often what stands was drawn */
    u32  standing; /* of the last time, when it */
    bool is_known;
    u32  pending[SHADOWS_TALLIES]; /* by `drawn`: pictures that have kept them, until it is */
} ShadowsMapCount;

typedef struct ShadowsCounts {
    EntShadowCounts* at; /* [count] */
    u32              count, room;
    bool             is_counting; /* kernels count in this picture */
    ShadowsMapCount  map[SHADOWS_MAPS_MAX];
    GpuBuffer        tallies; /* [SHADOWS_MAPS_MAX] SHADOWS_TALLY */
} ShadowsCounts;

/* Where surfaces of the picture are in its maps. */
typedef struct ShadowsSeen {
    GpuBuffer squares; /* SHADOWS_SEEN; with `kept` */
    Vec3      eye[4];  /* origin, right, up and forward of the last picture */
    u32       movers; /* instances that are dropped where their shadow meets nothing that is seen */
    bool      is_used; /* maps may lack some of them */
} ShadowsSeen;

typedef struct Shadows {
    Gpu*            gpu;
    ShadowsSettings settings;
    ShadowsAtlas    atlas;
    VkPipeline      erase;   /* of depth */
    GpuKernel       filters; /* erases or copies the filter and front */
    ShadowsLights   lights;
    ShadowsCounts   counts;
    ShadowsTable    table;    /* as in `buffer` */
    u32             pictures; /* that were planned */
    u32 standing_count; /* of the maps that are drawn: the first ones, in which what stands is drawn */
    ShadowsShown   shown[SHADOWS_MAPS_MAX];
    ShadowsSpheres changed;        /* where what stands has changed since the last picture */
    ShadowsSpheres moving;         /* where something has moved since, before and after it */
    ShadowsSpheres moving_filters; /* the same of what only filters show */
    ShadowsSeen    seen;
    bool           is_uploaded;
    GpuPool        pool;
    GpuBuffer      buffer; /* SHADOWS_TABLE */
} Shadows;

/* After a failure it can still be destroyed. */
MUST_CHECK ent_status shadows_create(Shadows* shadows, Gpu* gpu);
void                  shadows_destroy(Shadows* shadows);

static inline bool shadows_casts(const Shadows* s) { return s->lights.count > 0; }

/* Follows the lights of a world; waits for the device when the atlas grows, and increments `images`. */
MUST_CHECK ent_status shadows_update(Shadows* shadows, GpuFrame* frame, const GpuPlaces* places);

/* Chooses the maps of a picture, and records the upload of the table. */
MUST_CHECK ent_status shadows_plan(Shadows* shadows, GpuFrame* frame, const ShadowsScene* scene);

/* After it: creates the images of what stands, when something has begun to move. Waits for the device then, and
 * increments `images`. */
MUST_CHECK ent_status shadows_kept_need(Shadows* shadows, GpuList* list);

/* The maps in which a stage draws: the first ones of those that are drawn. */
static inline u32 shadows_maps(const Shadows* s, ShadowsStage stage) {
    const bool has_kept = s->atlas.has_kept;
    switch (stage) {
    case SHADOWS_STANDING: return s->standing_count;
    case SHADOWS_MOVING: return has_kept ? s->table.head.now_count : 0;
    case SHADOWS_FILTERS_STANDING: return has_kept ? s->standing_count : 0;
    case SHADOWS_FILTERS: break;
    }
    return s->table.head.now_count;
}

/* For kernels that find what casts, before shadows_begin of a stage of depth: a word for each texel of the atlas, the
 * bits of the depth that is nearest to the light; 0: nothing casts. The first call in a stage sets all. */
MUST_CHECK ent_status shadows_nearest(Shadows* shadows, GpuList* list, ShadowsStage stage,
                                      const GpuBuffer** nearest);

/* Before shadows_begin of a stage of transparent surfaces, and before kernels that find these.
 *
 *   set  SHADOWS_IMAGES */
void shadows_filters_erase(const Shadows* shadows, GpuList* list, ShadowsStage stage,
                           VkDescriptorSet set);
/* Begins a render pass for the maps of a stage; draws follow. */
void shadows_begin(Shadows* shadows, GpuList* list, ShadowsStage stage);
/* The maps were drawn; records the reading of the counts of their casters. */
MUST_CHECK ent_status shadows_end(Shadows* shadows, GpuFrame* frame);

/* What stands has changed in a sphere, its radius in w; or something that moves was, or is, in it. With an infinite radius:
 * anywhere; with a negative one: nowhere. */
void shadows_add(ShadowsSpheres* spheres, Vec4 sphere);

/* What a system draws into all maps. Zeroed: nothing yet. */
typedef struct ShadowsFollowed {
    u64  shown; /* hash of what they contain; 0: nothing */
    bool moves; /* they show it over what stands, */
    u32  still; /* until it has not moved in this many frames */
} ShadowsFollowed;

/* Once in a frame: what moves is drawn into the maps again. What is shown first stands.
 *
 *   moving   of the shadows: `moving`, or `moving_filters`
 *   shown    in this frame
 *   changed  otherwise, too
 *   moved    the device has moved it since the last frame */
void shadows_follow(Shadows* shadows, ShadowsFollowed* followed, ShadowsSpheres* moving, u64 shown,
                    bool changed, bool moved);

/* The settings of the next frames. */
void shadows_set(Shadows* shadows, const ShadowsSettings* settings);

/* Private: shadows_plan.c. The settings with the defaults in place of 0; the texels that all maps of the
 * lights need. */
ShadowsSettings       shadows_settings(const Shadows* shadows);
MUST_CHECK ent_status shadows_lights_find(Shadows* shadows, const GpuPlaces* places);
u64                   shadows_texels(const Shadows* shadows);
/* Private: shadows_choose.c. */
void shadows_maps_choose(Shadows* shadows, const CanvasEye* eye);
/* Private: shadows_count.c. Where the counts of an entity are; they are first looked for at `which`. And what the maps of
 * a picture cost: before and after their draws. */
MUST_CHECK ent_status shadows_counted_find(ShadowsCounts* counts, Entity entity, u32* which);
MUST_CHECK ent_status shadows_counts_begin(Shadows* shadows, GpuFrame* frame);
MUST_CHECK ent_status shadows_counts_end(Shadows* shadows, GpuFrame* frame);
/* Private: shadows_show.c. What the maps of a light show. */
void shadows_light_fill(Shadows* shadows, ShadowsLight* light, const ShadowsScene* scene);

#endif
