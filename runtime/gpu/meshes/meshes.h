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
 * Instances whose entity has a skin, or whose mesh has morph targets, have vertices of their own. Their
 * bounds are computed once a frame from the clips, times and weights of the components `skin` and
 * `morph_weight`; their vertices as well, when a picture or ent_meshes_cull of that frame has found that
 * they are in the view and not hidden. Morph targets move a mesh also where no skeleton does. */
#ifndef ENT_MESHES_H
#define ENT_MESHES_H

#include "gpu_system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The system of the component type `mesh`. Instances are uploaded when it is created; `record`
 * uploads the rows that changed. A mesh, a material or a texture that the library does not have is drawn
 * as a checker pattern, after a warning. */
ENT_API const EntGpuSystem* ent_meshes_system(void);

/* Zeroed: the defaults. Sides are powers of two. */
typedef struct EntMeshesShadows {
    uint32_t atlas_side; /* texels, at most; 12 bytes each; 0: 4096 */
    uint32_t cascade_side, spot_side,
        face_side;     /* texels of a map of a directional, a spot and a point light, also of
                                                    a spot light above 1.4 rad; 0: 2048, 1024, 512 */
    uint32_t cascades; /* of a directional light, 1 to 4; 0: 3 */
    float reach_m; /* from the camera to where directional lights stop casting; 0: the size of the
                          world when the system was created */
} EntMeshesShadows;

/* Sets the maps of the lights that cast, from the next `record` on. All are drawn again. Which shadows a
 * picture shows: EntCanvasView.shadows.
 *
 *   state  of ent_meshes_system */
ENT_API void ent_meshes_shadows(void* state, const EntMeshesShadows* shadows);

/* --- for a host with a renderer of its own --- */

/* What it reads on the device, after the passes of a frame. */
typedef enum EntMeshesRange {
    ENT_MESHES_INSTANCES, /* [places] four words: the entity whose world matrix moves it, of a skin the
                             root; its mesh (0xffffffff: nothing is at this place); 0: it is not
                             visible, 1: it has the vertices of the mesh, 2 + n: those of range n, and
                             bit 31 is set if it receives no decals; and the row of its world matrix
                             (0xffffffff: the identity). Instances of a mesh follow each other */
    ENT_MESHES_MATRICES, /* [rows of transforms] EntMat34 */
    ENT_MESHES_VISIBLE,  /* [visible count] words: places of the instances in the view, by level of
                             detail, and within a level in the order of places */
    ENT_MESHES_COUNT,    /* one word: how many there are */
    ENT_MESHES_COMMANDS, /* [draws] VkDrawIndexedIndirectCommand: a part of a level of a mesh, for the
                             instances that `visible` lists from its firstInstance on. Indices count
                             from the beginning of the buffer, not of the range */
    ENT_MESHES_DRAWS,    /* [draws] three words: the mesh, its part, and the level */
    ENT_MESHES_INDICES,   /* words: vertices of the mesh */
    ENT_MESHES_VERTICES,  /* floats: the streams of all meshes */
    ENT_MESHES_TABLE,     /* [meshes] the streams and bounds of each: struct MeshRow of
                             shaders/meshes/meshes_io.h */
    ENT_MESHES_PARTS,     /* [parts] struct MeshPart of that file */
    ENT_MESHES_MATERIALS, /* [materials] struct MeshMaterial of that file */
    ENT_MESHES_RANGES,    /* [ranges] struct SkinRange of shaders/skinning/skinning_io.h: where the
                             vertices of an instance that skeletons or morph targets move begin */
    ENT_MESHES_MOVED, /* words: the positions, normals and tangents of these vertices, of instances that
                             were found in this frame */
    ENT_MESHES_BOXES /* [ranges] six floats: the lowest and the highest corner of their bounds,
                             before the world matrix */
} EntMeshesRange;

/* The surroundings of all probes are captured again before the next picture: when something that they show
 * has changed. They are captured without it before the first picture, when the exposure, the sky or the light
 * of the view changes, and when a probe changes.
 *
 * Cost     six pictures of 64 x 64 samples for each of at most 256 probes; the others show the sky, which a
 *          warning reports. */
ENT_API void ent_meshes_capture(void* state);

/* Records the passes that find the instances in the view of a camera, with their levels of detail, for
 * pictures of this size; instances that others hide are included.
 *
 *   state  of ent_meshes_system, whose `record` comes before in the same frame
 *   view   its camera and pose are read */
ENT_API ENT_MUST_CHECK EntStatus ent_meshes_cull(void* state, EntGpuFrame* frame,
                                                 const EntCanvasView* view, uint32_t width,
                                                 uint32_t height);

/* Records the passes that compute the vertices of all instances that skeletons or morph targets move: for
 * hosts that find visible instances in another way.
 *
 *   state  of ent_meshes_system, whose `record` comes before in the same frame */
ENT_API ENT_MUST_CHECK EntStatus ent_meshes_move_all(void* state, EntGpuFrame* frame);

/* Until the next `record`, which may replace buffers. */
ENT_API void ent_meshes_range(const void* state, EntMeshesRange which, EntGpuRange* range);

#ifdef __cplusplus
}
#endif

#endif
