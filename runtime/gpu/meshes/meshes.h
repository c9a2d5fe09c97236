/* meshes.h - draws the meshes of a world: the system of the component type `mesh`. It is created with that of
 * lighting (lighting.h).
 *
 * When it is created, the meshes and materials of the library are uploaded: vertices and indices to one buffer
 * each. A picture is drawn in four steps: a kernel finds the instances whose bounds are in the view, and
 * for each the coarsest level of detail whose error is at most one pixel; they are drawn with one
 * indirect call for each kind of surface, into depth, the number of the instance and the number of
 * the triangle; a kernel computes the colours of the samples from materials and textures, with the
 * lights of the world. What the depth of the last picture hides is tested again with what
 * has been drawn. Blended surfaces are drawn at the end, the farthest first.
 *
 * Instances whose entity has mesh_material share the vertices of their mesh; instances with the same materials in place of the
 * same others share a row of ENT_MESHES_TABLE, with parts of their own. Changes of the
 * component are found in each frame, without ent_manager_changed.
 *
 * Instances whose entity has a skin, or whose mesh has morph targets, have vertices of their own. Their
 * bounds are computed when the clips, times and weights of the components `skin` and `morph_weight`
 * change; their vertices as well, when a picture or ent_meshes_cull has then found that they are in the
 * view and not hidden. Morph targets move a mesh also where no skeleton does. */
#ifndef ENT_MESHES_H
#define ENT_MESHES_H

#include "gpu_system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The system of the component type `mesh`. Instances are uploaded when it is created; each frame
 * uploads the rows that changed. A mesh, a material or a texture that the library does not have is drawn
 * as a checker pattern, after a warning. */
ENT_API const EntGpuSystem* ent_meshes_system(void);

/* --- for a host with a renderer of its own --- */

/* The records of the ranges below. Words that refer to something, and have nothing to refer to, are
 * ENT_MESHES_NONE. */
#define ENT_MESHES_NONE 0xffffffffu

/* A mesh. Its streams begin at floats of ENT_MESHES_VERTICES. */
typedef struct EntMeshesTable {
    EntVec3  low, high;              /* bounds of the positions */
    uint32_t first_part, part_count; /* of level 0; those of level n follow n x part_count later */
    uint32_t level_count;            /* with level 0 */
    uint32_t first_instance, instance_count; /* places */
    uint32_t position, normal, tangent, uv, uv_1, color;
    uint32_t opaque_count;  /* parts of level 0 that are triangles and not blended, */
    uint32_t blended_count; /* and that are */
    uint32_t scrolls;       /* 1: the normal map of a blended part moves */
} EntMeshesTable;

typedef struct EntMeshesPart {
    uint32_t first_index, index_count;
    uint32_t material;
    uint32_t corners; /* indices of a primitive: 3, 2 or 1 */
    float    error_m; /* of its level */
} EntMeshesPart;

/* A texture of a material: texture coordinates are (a b; c d) uv + offset. */
typedef struct EntMeshesTexture {
    uint32_t array, layer; /* the system's arrays of textures */
    uint32_t uv_set;
    float    strength;
    EntVec4  rotation; /* a b c d */
    EntVec2  offset;
} EntMeshesTexture;

typedef struct EntMeshesMaterial {
    EntVec3  base_color;
    float    opacity;
    EntVec3  emissive;
    uint32_t alpha_mode; /* EntMaterialAlphaMode */
    float    alpha_cutoff;
    float    roughness, metallic;
    uint32_t two_sided;
    float    caustics;             /* strength in its shadow */
    float    bend;                 /* by how much its index of refraction exceeds 1 */
    EntVec3  transmitted;          /* transmission_color of the material */
    float    transmission;         /* as in the material */
    float    thick_m;              /* thickness_m of it */
    float    coat, coat_roughness; /* clearcoat of it */
    EntVec4  scroll;               /* normal_scroll of the material */
    EntMeshesTexture
        texture[5]; /* base colour, metallic and roughness, normal, occlusion, emissive */
} EntMeshesMaterial;

/* The vertices of an instance that a skeleton or morph targets move: of its mesh, and where they are. */
typedef struct EntMeshesMover {
    uint32_t vertex_count;
    uint32_t position, normal, tangent;
    uint32_t joints, weights;     /* two words for each vertex: four numbers of 16 bits */
    uint32_t joints_1, weights_1; /* four more */
    uint32_t move, move_normal,
        move_along;    /* displacements of morph targets: three floats for each row */
    uint32_t instance; /* ENT_MESHES_NONE: only morph targets move it */
    uint32_t bone_count;
    uint32_t first_box, box_count;       /* the system's own */
    uint32_t first_target, first_weight; /* the system's own */
    uint32_t to,
        to_tangent; /* words of ENT_MESHES_MOVED: four for each vertex, then one for each */
} EntMeshesMover;

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
    ENT_MESHES_TABLE,     /* [meshes] EntMeshesTable */
    ENT_MESHES_PARTS,     /* [parts] EntMeshesPart */
    ENT_MESHES_MATERIALS, /* [materials] EntMeshesMaterial */
    ENT_MESHES_RANGES,    /* [ranges] EntMeshesMover */
    ENT_MESHES_MOVED, /* words: the positions, normals and tangents of these vertices, of instances that
                             were found since their poses changed */
    ENT_MESHES_BOXES /* [ranges] six floats: the lowest and the highest corner of their bounds,
                             before the world matrix */
} EntMeshesRange;

/* Records the passes that find the instances in the view of a camera, with their levels of detail, for
 * pictures of this size; instances that others hide are included.
 *
 *   state  of ent_meshes_system; ent_picture_record comes before in the same frame
 *   view   its camera and pose are read */
ENT_API ENT_MUST_CHECK EntStatus ent_meshes_cull(void* state, EntGpuFrame* frame,
                                                 const EntCanvasView* view, uint32_t width,
                                                 uint32_t height);

/* Records the passes that compute the vertices of all instances that skeletons or morph targets move: for
 * hosts that find visible instances in another way.
 *
 *   state  of ent_meshes_system; ent_picture_record comes before in the same frame */
ENT_API ENT_MUST_CHECK EntStatus ent_meshes_move_all(void* state, EntGpuFrame* frame);

/* Until the next frame or picture of the system, which may replace buffers. */
ENT_API void ent_meshes_range(const void* state, EntMeshesRange which, EntGpuRange* range);

#ifdef __cplusplus
}
#endif

#endif
