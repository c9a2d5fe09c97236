/* lights.h - which lights, decals and probes of a world reach the tiles of a picture. Private: for systems
 * that draw surfaces.
 *
 *     Lights lights;
 *     TRY(lights_create(&lights, gpu, world));
 *     each frame:
 *         TRY(lights_update(&lights, frame));                  follows the world
 *     each picture, after its depth is drawn:
 *         TRY(lights_cull(&lights, frame, &picture));
 *         ... passes that read lights.state, items, words, tiles and lights.decals of their owner
 *     lights_destroy(&lights);
 *
 * Lights, decals and probes are elements, numbered in each picture: decals with the topmost first, probes
 * with the smallest first, then point and spot lights. Directional lights reach everything and are a list of
 * their own. The elements that reach a tile are stored as bits or as lists, for surfaces and for what is at
 * or before them.
 *
 * Sources  J. Turanszki, Optimizing tile-based light culling, 2018, and Thoughts on light culling: stream
 *          compaction vs flat bit arrays, 2019, wickedengine.net. */
#ifndef ENT_LIGHTS_H
#define ENT_LIGHTS_H

#include "canvas_draw.h"
#include "gpu_columns.h"

#include "lights_io.h"

/* How the elements of tiles are stored, and read by the kernels of meshes. Pictures have bits; lists are in
 * runtime/gpu/compare, for measurements.
 *
 *   words   of a tile
 *   store   the kernel that writes them: a group for each tile, and the constant TESTS
 *   shade   meshes_shade.comp
 *   blend   meshes_blend_shade.comp */
typedef struct LightsMethod {
    u32           words;
    GpuKernelDesc store, shade, blend;
} LightsMethod;

/* The second level of bits, which states which words are not empty. */
typedef enum LightsSkips {
    LIGHTS_SKIPS_BY_COUNT, /* where there are more than LIGHTS_SKIPS_FROM elements */
    LIGHTS_SKIPS_ALWAYS,
    LIGHTS_SKIPS_NEVER
} LightsSkips;

/* With 1,000 and 4,096 lights, pictures without it were as fast or up to 1.6 % faster. */
#define LIGHTS_SKIPS_FROM 512u

/* Zeroed: what was measured to be the fastest. */
typedef struct LightsSettings {
    const LightsMethod* method; /* NULL: bits */
    u32                 tile; /* samples along each side: 16 or 32; 0: by the size of the picture */
    u32                 group; /* threads: 32 for each tile of bits; of lists for one tile */
    u32                 tests; /* LIGHTS_BY_..; 0: the default */
    LightsSkips         skips;
    bool depth_first;  /* depths of tiles beside the elements, not beside coarse tiles */
    u32  view_limit;   /* for tests: fewer elements than LIGHTS_MAX */
    bool numbers_seen; /* for tests: elements outside of the view have no numbers, however
 few there are */
} LightsSettings;

/* A picture, and the transforms of the world. */
typedef struct LightsPicture {
    const GpuBuffer* eye;
    const CanvasEye* view;                     /* the same on the host */
    VkDescriptorSet  images;                   /* with its depth */
    u32              width, height;            /* samples */
    const GpuBuffer *matrices, *owners, *rows; /* as LIGHTS_MATRIX, _OWNER, _ROW */
    u32              transform_count, slot_count;
    const GpuBuffer* cookies; /* LIGHTS_COOKIE; NULL: no light has one */
    bool             reports; /* more elements than LIGHTS_MAX are reported */
} LightsPicture;

/* For how many elements the buffers of a picture have room. */
typedef struct LightsSize {
    u64 coarse, words;
    u32 edges, tiles;
} LightsSize;

/* Elements of a world. */
typedef struct LightsCounts {
    u32 decals, probes;
    u32 lights; /* point and spot lights */
    u32 spots;  /* of these */
    u32 suns;   /* directional lights */
} LightsCounts;

/* Of the world. */
typedef struct LightsScene {
    GpuPool   pool;
    u32       capacity; /* elements and directional lights for which there are buffers */
    GpuBuffer order, flags, keys, spheres, shapes, items;
} LightsScene;

/* Of the tiles of a picture. */
typedef struct LightsOfPicture {
    GpuPool    pool;
    LightsSize size;
    GpuBuffer  edges, bounds, coarse, close, words, tiles;
    Vec4       edges_of[2]; /* what the edges were computed from */
} LightsOfPicture;

typedef struct LightsKernels {
    GpuKernel seen, seen_keys, nearest, place, place_few, depth, far, occupied, bits;
    GpuKernel other; /* of another method */
} LightsKernels;

typedef struct Lights {
    Gpu*            gpu;
    World*          world;
    LightsSettings  settings;
    GpuColumns      sources[3]; /* decals, probes, lights */
    u32*            order; /* [order_room] the row of each element, then of directional lights */
    u32             order_room;
    LightsCounts    count;
    bool            is_ordered;
    LightsScene     scene;
    GpuPool         pool;
    GpuBuffer       state;
    LightsOfPicture picture;
    LightsKernels   kernel;
    LightsSettings  created; /* what kernels of tiles were created with */
    u32             excess;  /* reported last */
} Lights;

enum { LIGHTS_DECALS, LIGHTS_PROBES, LIGHTS_LIGHTS };

/* After a failure it can still be destroyed. */
MUST_CHECK ent_status lights_create(Lights* lights, Gpu* gpu, World* world);
void                  lights_destroy(Lights* lights);

/* Records the uploads of what changed since the last call. */
MUST_CHECK ent_status lights_update(Lights* lights, GpuFrame* frame);

/* The settings of the next pictures. */
void lights_set(Lights* lights, const LightsSettings* settings);
/* With the defaults in place of what is 0, but for the size of tiles: */
LightsSettings lights_settings(const Lights* lights);
/* Samples of a tile along each side, for a picture of this size. */
u32 lights_tile(const Lights* lights, u32 width, u32 height);

typedef struct LightsGrid {
    u32 tile; /* samples along each side */
    u32 wide, high;
} LightsGrid;

/* The tiles of a picture of this size. */
LightsGrid lights_grid(const Lights* lights, u32 width, u32 height);

/* Records the passes of a picture. Its depth is drawn.
 *
 *   groups_each  groups that shade a tile: the numbers of groups of an indirect dispatch over the tiles
 *                with surfaces are in `tiles`, at LIGHTS_GROUPS_OFFSET */
MUST_CHECK ent_status lights_cull(Lights* lights, GpuFrame* frame, const LightsPicture* picture,
                                  u32 groups_each);
#define LIGHTS_GROUPS_OFFSET offsetof(LightsOccupied, groups)

static inline u32 lights_elements(const Lights* l) {
    return l->count.decals + l->count.probes + l->count.lights;
}

/* Private: the parts of the calls above. lights_scene.c: */
MUST_CHECK ent_status lights_place_record(Lights* lights, GpuFrame* frame,
                                          const LightsPicture* picture, const LightsState* state);

#endif
