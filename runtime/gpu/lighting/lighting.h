/* lighting.h - the system that lights the surfaces of a world: its lights, shadow maps, decals, probes and ambient
 * occlusion. Systems that draw surfaces are created with its state, and follow it in the table of systems.
 *
 *     EntGpuPart    part[2] = {{ent_lighting_system(), NULL}, {ent_meshes_system(), NULL}};
 *     EntGpuProblem problem = {0};
 *     EntGpuScene   scene = {0};
 *     scene.world = world;
 *     scene.library = &library;
 *     if (part[0].system->create(&part[0].state, gpu, &scene, &problem) != ENT_OK) return 1;
 *     scene.lighting = part[0].state;
 *     if (part[1].system->create(&part[1].state, gpu, &scene, &problem) != ENT_OK) return 1;
 *     EntGpuParts parts = {part, 2};
 *     // In each frame: ent_picture_record(frame, &parts, canvas, &view), of gpu_picture.h
 *     part[1].system->destroy(part[1].state); // before the state of the lighting
 *     part[0].system->destroy(part[0].state); */
#ifndef ENT_LIGHTING_H
#define ENT_LIGHTING_H

#include "gpu_system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* It belongs to no component type: every world that is drawn has one. When it is created, the textures of the library
 * are uploaded; each frame uploads the lights, decals, probes and world matrices that changed. */
ENT_API const EntGpuSystem* ent_lighting_system(void);

/* Zeroed: the defaults. Sides are powers of two. */
typedef struct EntLightingShadows {
    uint32_t atlas_side; /* texels, at most; of 12 bytes, of 24 when casters have moved; 0: 4096 */
    uint32_t cascade_side, spot_side,
        face_side;     /* texels of a map of a directional, a spot and a point light, also of
                                                    a spot light above 1.4 rad; 0: 2048, 1024, 512 */
    uint32_t cascades; /* of a directional light, 1 to 4; 0: 3 */
    float
        reach_m; /* from the camera to where directional lights stop casting; 0: where the view leaves
                      the bounds of what all systems drew when they were created */
    uint32_t
        interval; /* maps of directional lights beyond the second one are drawn only in each frame
                          whose number is a multiple of it, when only what moves has changed; 0: 1 */
} EntLightingShadows;

/* Sets the maps of the lights that cast, from the next frame on. All are drawn again. Which shadows a
 * picture shows: EntCanvasView.shadows.
 *
 *   state  of ent_lighting_system */
ENT_API void ent_lighting_shadows(void* state, const EntLightingShadows* shadows);

/* The surroundings of all probes are captured again before the next picture: when something that they show
 * has changed. They are captured without it before the first picture, when the exposure, the sky or the light
 * of the view changes, when a probe changes, and when the library has taken another build. They show the meshes of the
 * world, and the sky.
 *
 *   state  of ent_lighting_system
 *
 * Cost     six pictures of 64 x 64 samples for each of at most 256 probes; the others show the sky, which a
 *          warning reports. */
ENT_API void ent_lighting_capture(void* state);

#ifdef __cplusplus
}
#endif

#endif
