/* meshes.h - draws the meshes of a world: the system of the component type `mesh`.
 *
 * When it is created, the meshes, materials and textures of the library are uploaded: vertices and
 * indices to one buffer each, textures of the same format, size and sampler to one array each. A
 * picture is drawn in four steps: a kernel finds the instances whose bounds are in the view, and
 * for each the coarsest level of detail whose error is at most one pixel; they are drawn with one
 * indirect call for each kind of surface, into depth, the number of the instance and the number of
 * the triangle; a kernel computes the colours of the samples from materials and textures, with the
 * light and the sky of the canvas. What the depth of the last picture hides is tested again with what
 * has been drawn. Blended surfaces are drawn at the end, the farthest first.
 *
 * Skins and morph targets are not applied: such meshes are drawn as they are modelled. */
#ifndef ENT_MESHES_H
#define ENT_MESHES_H

#include "gpu_system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The system of the component type `mesh`. Instances are uploaded when it is created; `run` uploads
 * the rows that changed. A mesh, a material or a texture that the library does not have is drawn as a
 * checker pattern, after a warning. */
ENT_API const EntGpuSystem* ent_meshes_system(void);

#ifdef __cplusplus
}
#endif

#endif
