/* shapes.h - spheres and discs of arrays, and collider planes: surfaces that are lit, cast and are hidden as those of
 * meshes. Systems that simulate draw their elements in the same way.
 *
 *     EntGpuProblem problem = {0};
 *     EntGpuScene   scene = {0};
 *     scene.world = world;
 *     scene.library = &library;
 *     scene.lighting = lighting; // the state of ent_lighting_system, created before
 *     void* shapes;
 *     if (ent_shapes_system()->create(&shapes, gpu, &scene, &problem) != ENT_OK) return 1;
 *     EntShapesSpheres spheres = {0};
 *     spheres.count = count;
 *     spheres.position = position;
 *     spheres.radius_m = 0.1f;
 *     spheres.look.color.x = 0.8f;
 *     spheres.look.roughness = 0.4f;
 *     ent_shapes_clear(shapes);
 *     if (ent_shapes_spheres(shapes, &spheres) != ENT_OK) return 1;
 *     // {ent_shapes_system(), shapes} is one of the parts of ent_picture_record, after lighting
 *
 * Only depth and the number of the visible element are rasterised; a kernel lights each sample. Kernels also find the
 * nearest sphere of each sample when a draw has 65,536 spheres or more. A draw is culled as a whole, by the box around its
 * elements. Planes are not in shadow maps, and the pictures of probes show neither of them. */
#ifndef ENT_SHAPES_H
#define ENT_SHAPES_H

#include "gpu_system.h"

enum { ENT_SHAPES_DRAWS_MAX = 64 };

/* A surface without textures, opaque. */
typedef struct EntShapesLook {
    EntVec3 color; /* linear RGB */
    float   roughness, metallic;
    EntVec3 emissive; /* linear RGB, after the exposure */
} EntShapesLook;

typedef struct EntShapesSpheres {
    uint32_t       count;
    const EntVec3* position; /* [count] in the world */
    const EntVec3* velocity; /* [count], or NULL: all at rest */
    float          radius_m;
    float          speed_max_m_s; /* of ENT_CANVAS_SHOWS_SPEED: white */
    EntShapesLook  look;
} EntShapesSpheres;

/* Flat discs, which both sides show; hot discs glow. */
typedef struct EntShapesDiscs {
    uint32_t       count;
    const EntVec4* disc; /* [count] x, y, radius in the system's plane, and heat from 0 to 1 */
    EntMat34       pose; /* of that plane, its XY, in the world */
    EntShapesLook  look;
} EntShapesDiscs;

#ifdef __cplusplus
extern "C" {
#endif

/* The system of elements that a host adds. It belongs to no component type. */
ENT_API const EntGpuSystem* ent_shapes_system(void);

/* Adds elements to all pictures from the next one on, until they are cleared. The arrays are copied to the
 * device, for which the functions wait. Each system on the device has its own function that draws without a
 * copy, such as ent_particles_draw.
 *
 *   state  of ent_shapes_system
 *
 * Returns  ENT_OK; ENT_NO_MEMORY; ENT_LIMIT: more than ENT_SHAPES_DRAWS_MAX draws, or more elements than a kernel
 *          can access. */
ENT_API ENT_MUST_CHECK EntStatus ent_shapes_spheres(void* state, const EntShapesSpheres* spheres);
ENT_API ENT_MUST_CHECK EntStatus ent_shapes_discs(void* state, const EntShapesDiscs* discs);
ENT_API void                     ent_shapes_clear(void* state);

/* The system of the component type `collider`: draws the planes of the view. */
ENT_API const EntGpuSystem* ent_planes_system(void);

#ifdef __cplusplus
}
#endif

#endif
