/* lighting_internal.h - all that lights the surfaces of a picture: lights, decals and probes of tiles, shadow maps,
 * ambient occlusion; and what they share with surfaces: textures and world matrices. Shapes read it with
 * LIGHTING_READ, and draw what casts into its shadow maps.
 *
 * lighting.c         the phases of a frame
 * lighting_cookies.c the textures of lights
 * lighting_decals.c  how decals look
 * lighting_probes.c  the surroundings of probes */
#ifndef ENT_LIGHTING_INTERNAL_H
#define ENT_LIGHTING_INTERNAL_H

#include "gpu_colliders_internal.h"
#include "gpu_places.h"
#include "gpu_textures.h"
#include "lighting.h"
#include "lights.h"
#include "normals.h"
#include "shadows.h"

#include "lighting_io.h"

/* The surroundings of the probes of the world. They are captured before the first picture, and again when
 * what they were captured with changes. */
typedef struct LightingProbes {
    Canvas*   canvas; /* of a face; NULL: nothing was captured yet */
    GpuKernel map, light;
    GpuPool   pool;
    GpuBuffer table, faces; /* [room] LightingProbe */
    u32       room;
    u32       capturing; /* this many probes; 0: none */
    u64       version;   /* of the library, in the last frame */
    bool      is_old;
    f32       with[8]; /* exposure, sky, light and its colour, of the last or current capture */
} LightingProbes;

typedef struct Lighting {
    Gpu*           gpu;
    World*         world;
    GpuColliders*  colliders; /* whose bodies are shown; or NULL */
    const Library* library;
    GpuTextures    textures;
    u32            texture_changes; /* GpuTextures.changes that the rest knows */
    u32            dropped;         /* Gpu.dropped likewise */
    GpuPlaces      places;
    Lights         lights;
    Normals        normals; /* ambient occlusion */
    Shadows        shadows;
    GpuKernel      receivers;
    bool           has_filters; /* transparent surfaces were drawn into shadow maps */
    GpuPool        decal_pool;
    GpuBuffer      decals; /* [decal_room] a LightsDecal for each row */
    u32            decal_room;
    GpuPool        cookie_pool;
    GpuBuffer      cookies; /* [cookie_room] LIGHTS_COOKIE */
    u32            cookie_room;
    bool           has_cookies, knows_cookies, knows_decals;
    u64            wrong_decal;  /* the texture that was reported last as missing */
    u64            wrong_cookie; /* likewise */
    LightingProbes probes;
} Lighting;

/* What surfaces read of lights, decals, probes and shadows. */
#define LIGHTING_READ(l)                                                                           \
    [LIGHTS_STATE] = {&(l)->lights.state, GPU_READ},                                               \
    [LIGHTS_ITEM] = {&(l)->lights.scene.items, GPU_READ},                                          \
    [LIGHTS_WORD] = {&(l)->lights.picture.words, GPU_READ},                                        \
    [LIGHTS_DECAL] = {&(l)->decals, GPU_READ}, [LIGHTING_PROBE] = {&(l)->probes.table, GPU_READ},  \
    [SHADOWS_TABLE] = {&(l)->shadows.buffer, GPU_READ}

/* The shadow maps in which a stage has to draw. */
static inline u32 lighting_maps(const Lighting* l, const GpuPicture* picture) {
    return shadows_maps(&l->shadows, (ShadowsStage)picture->stage);
}

/* Are instances that move dropped where their shadow meets no surface of this picture? */
static inline bool lighting_drops(const Lighting* l, const GpuPicture* picture) {
    return picture->stage == SHADOWS_MOVING && picture->has_tiles && l->shadows.seen.movers > 0 &&
           lighting_maps(l, picture) > 0;
}

/* Those in which any stage has to draw. */
static inline u32 lighting_maps_all(const Lighting* l) { return l->shadows.table.head.now_count; }

/* Takes the textures that the library has changed, once in a frame: whatever reads them first calls it. */
MUST_CHECK ent_status lighting_follow(Lighting* lighting, GpuFrame* frame);
/* Surfaces look different: what keeps pictures of them makes others. */
void lighting_surfaces_changed(Lighting* lighting);

/* How far what bodies move can be from where the host knows it. */
static inline f32 lighting_lag(const Lighting* l) {
    return l->colliders ? gpu_bodies_lag(l->colliders) : 0;
}

/* Ensures that there is a kernel that lights the surfaces of a shape, lighting_shade.glsl, and reads all textures. One
 * for fewer textures is replaced in the frame.
 *
 *   frame  NULL: there is no kernel yet */
MUST_CHECK ent_status lighting_kernel_need(const Lighting* lighting, GpuFrame* frame,
                                           GpuKernel* kernel, const GpuKernelDesc* desc);
/* Records it for all tiles with surfaces.
 *
 *   pass  has the kernel, what is pushed, and what surface_fetch reads */
void lighting_shade(const Lighting* lighting, const GpuPicture* picture, GpuPass* pass);

/* The same for all layers of a round. The pass reads MESHES or others as before. */
void lighting_layers_shade(const Lighting* lighting, const GpuPicture* picture,
                           const CanvasLayersOf* layers, GpuPass* pass);

/* The same for other surfaces before the opaque ones: the pass states its groups. */
void lighting_before(const Lighting* lighting, const GpuPicture* picture, GpuPass* pass);

/* --- for the files of this module --- */

/* Requests the pictures of all probes, when they are old. */
MUST_CHECK ent_status lighting_capture(void* lighting, GpuPicture* picture, u32 number,
                                       GpuCapture* capture);
MUST_CHECK ent_status lighting_cookies_update(Lighting* lighting, GpuFrame* frame);
MUST_CHECK ent_status lighting_decals_update(Lighting* lighting, GpuFrame* frame);
MUST_CHECK ent_status lighting_probes_update(Lighting* lighting, GpuFrame* frame);
void                  lighting_probes_destroy(Lighting* lighting);

#endif
