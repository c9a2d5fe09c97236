/* shadows.h - the shadow maps of a world. Private: for systems that draw surfaces.
 *
 *     Shadows s;
 *     TRY(shadows_create(&s, gpu));                        images of one texel
 *     each frame:
 *         TRY(shadows_update(&s, frame, world));           follows the lights; the atlas may grow
 *     each picture:
 *         TRY(shadows_plan(&s, frame, &scene));            s.now has the maps that have to be drawn
 *         if (s.table.head.now_count) for each pass: shadows_begin(&s, list, pass), and draws
 *         ... passes that read s.buffer and the images, as in shadows_lookup.glsl
 *     shadows_destroy(&s);
 *
 * Directional lights have cascades: spheres around parts of the view, whose texels keep their places in the
 * world. Spot lights have one map, point lights and very wide spot lights six. Lights get the sides that they ask for
 * as long as these fit into the atlas; then those of the least important ones are halved.
 *
 * Sources  J. Turanszki, Easy transparent shadow maps, wickedengine.net, 2018; M. Valient, Stable Rendering of
 *          Cascaded Shadow Maps, ShaderX 6, 2008; F. Zhang et al., Parallel-split shadow maps, 2006. */
#ifndef ENT_SHADOWS_H
#define ENT_SHADOWS_H

#include "canvas_draw.h"
#include "gpu_image.h"
#include "gpu_pipeline.h"
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
    f32 reach_m; /* up to which cascades reach; 0: the size of the world */
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
    u32  side; /* of each of its maps; 0: there is no place */
    f32  importance;
    Vec3 at, along;
    f32  range_m, half_angle;
} ShadowsLight;

typedef enum ShadowsPass {
    SHADOWS_PASS_OPAQUE, /* depth */
    SHADOWS_PASS_FILTER, /* the filter and front, compared with depth */
    SHADOWS_PASSES
} ShadowsPass;

typedef struct ShadowsAtlas {
    GpuImage      depth, filter, front;
    VkRenderPass  pass[2][SHADOWS_PASSES]; /* of new images, and of others */
    VkFramebuffer frame[SHADOWS_PASSES];
    GpuPool       pool;
    GpuBuffer
         nearest;     /* a word per texel: depth that kernels have found; none until it is needed */
    bool is_new;      /* nothing was drawn to the images yet */
    bool has_nearest; /* in this picture */
    u32  images;      /* how often they were replaced */
} ShadowsAtlas;

typedef struct Shadows {
    Gpu*            gpu;
    ShadowsSettings settings;
    ShadowsAtlas    atlas;
    VkPipeline      erase; /* of depth */
    GpuKernel       clear; /* of the filter and front */
    ShadowsLight*   light; /* [light_count] */
    u32*            side;  /* [row_room] of the maps of the light of a row, in the last picture */
    u32*            row;   /* [row_count] as in the table */
    u64*            moved; /* [row_room] increases when a caster of the light has moved */
    u32             light_count, light_room, row_count, row_room, map_count;
    u32             refused;                 /* lights without a place that were reported */
    ShadowsTable    table;                   /* as in `buffer` */
    ShadowMap       drawn[SHADOWS_MAPS_MAX]; /* what the maps show; w all 0: nothing */
    u64             epoch[SHADOWS_MAPS_MAX]; /* of the casters in them */
    bool            is_uploaded;
    GpuPool         pool;
    GpuBuffer       buffer; /* SHADOWS_TABLE */
} Shadows;

/* After a failure it can still be destroyed. */
MUST_CHECK ent_status shadows_create(Shadows* shadows, Gpu* gpu);
void                  shadows_destroy(Shadows* shadows);

static inline bool shadows_casts(const Shadows* s) { return s->light_count > 0; }

/* Follows the lights of a world; waits for the device when the atlas grows, and increments `images`. */
MUST_CHECK ent_status shadows_update(Shadows* shadows, GpuFrame* frame, World* world);

/* Chooses the maps of a picture, and records the upload of the table. */
MUST_CHECK ent_status shadows_plan(Shadows* shadows, GpuFrame* frame, const ShadowsScene* scene);

/* For kernels that find what casts, between shadows_plan and shadows_begin: a word for each texel of the atlas, the
 * bits of the depth that is nearest to the light; 0: nothing casts. The first call in a picture sets all to 0. */
MUST_CHECK ent_status shadows_nearest(Shadows* shadows, GpuList* list, const GpuBuffer** nearest);

/* Begins a render pass for the maps that have to be drawn, which are erased; draws follow.
 *
 *   set  SHADOWS_IMAGES */
void shadows_begin(const Shadows* shadows, GpuList* list, ShadowsPass pass, VkDescriptorSet set);
/* The maps were drawn. */
void shadows_end(Shadows* shadows);

/* What casts has moved: in a sphere, its radius in w, or with an infinite radius anywhere. The maps of the
 * lights that reach it are drawn again. Before it: shadows_update. */
void shadows_casters_moved(Shadows* shadows, Vec4 sphere);

/* The settings of the next frames. */
void shadows_set(Shadows* shadows, const ShadowsSettings* settings);

/* Private: shadows_plan.c. The settings with the defaults in place of 0; the texels that all maps of the
 * lights need. */
ShadowsSettings       shadows_settings(const Shadows* shadows);
MUST_CHECK ent_status shadows_lights_find(Shadows* shadows, World* world);
u64                   shadows_texels(const Shadows* shadows);

#endif
