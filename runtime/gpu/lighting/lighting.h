/* lighting.h - all that lights the surfaces of a picture: lights, decals and probes of tiles, shadow maps, ambient
 * occlusion. Shapes read it with LIGHTING_READ, and state what casts.
 *
 * lighting.c         the phases of a frame
 * lighting_decals.c  how decals look
 * lighting_probes.c  the surroundings of probes */
#ifndef ENT_LIGHTING_INTERNAL_H
#define ENT_LIGHTING_INTERNAL_H

#include "gpu_places.h"
#include "gpu_textures.h"
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
    bool      is_old;
    f32       with[8]; /* exposure, sky, light and its colour, of the last or current capture */
} LightingProbes;

typedef struct Lighting {
    Gpu*               gpu;
    World*             world;
    const GpuTextures* textures;
    const GpuPlaces*   places;
    Lights             lights;
    Normals            normals; /* ambient occlusion */
    Shadows            shadows;
    GpuPool            decal_pool;
    GpuBuffer          decals; /* [decal_room] a LightsDecal for each row */
    u32                decal_room;
    u64                wrong_decal; /* the texture that was reported last as missing */
    LightingProbes     probes;
} Lighting;

/* What surfaces read of lights, decals, probes and shadows. */
#define LIGHTING_READ(l)                                                                           \
    [LIGHTS_STATE] = {&(l)->lights.state, GPU_READ},                                               \
    [LIGHTS_ITEM] = {&(l)->lights.items, GPU_READ},                                                \
    [LIGHTS_WORD] = {&(l)->lights.words, GPU_READ}, [LIGHTS_DECAL] = {&(l)->decals, GPU_READ},     \
    [LIGHTING_PROBE] = {&(l)->probes.table, GPU_READ},                                             \
    [SHADOWS_TABLE] = {&(l)->shadows.buffer, GPU_READ}

/* Textures and places exist as long as the lighting. After a failure it can still be destroyed. */
MUST_CHECK ent_status lighting_create(Lighting* lighting, Gpu* gpu, World* world,
                                      const GpuTextures* textures, const GpuPlaces* places);
void                  lighting_destroy(Lighting* lighting);

/* The phase `place`: follows lights, decals, probes and the lights that cast. */
MUST_CHECK ent_status lighting_place(Lighting* lighting, GpuFrame* frame);
/* Requests the pictures of all probes, when they are old. */
MUST_CHECK ent_status lighting_capture(Lighting* lighting, GpuPicture* picture, u32 number,
                                       GpuCapture* capture);
/* The phase `occlusion`; and the buffer that surfaces read of it. */
MUST_CHECK ent_status lighting_occlusion(Lighting* lighting, GpuPicture* picture);
const GpuBuffer*      lighting_open(const Lighting* lighting, const GpuPicture* picture);
/* The phase `lights`: for kernels with this many threads in a group. */
MUST_CHECK ent_status lighting_lights(Lighting* lighting, GpuPicture* picture, u32 group);

/* --- for the files of this module --- */

MUST_CHECK ent_status lighting_decals_update(Lighting* lighting, GpuFrame* frame);
MUST_CHECK ent_status lighting_probes_update(Lighting* lighting, GpuFrame* frame);
void                  lighting_probes_destroy(Lighting* lighting);

#endif
