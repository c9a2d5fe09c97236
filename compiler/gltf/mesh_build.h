/* mesh_build.h - converts a mesh of glTF to the arrays of one mesh resource.
 *
 * All primitives become parts of one vertex and one index array, in the order of the file. The
 * result is deterministic: nothing depends on addresses, time or threads. */
#ifndef ENTC_MESH_BUILD_H
#define ENTC_MESH_BUILD_H

#include "gltf.h"

/* The morph targets: only the vertices that they move have rows. */
typedef struct MeshMorphs {
    MorphTargetRecord*   targets;   /* [target_count] */
    char*                names;     /* [name_bytes] */
    MorphVertexRecord*   vertices;  /* [row_count] */
    MorphPositionRecord* positions; /* [row_count], or NULL when no target has them; */
    MorphNormalRecord*   normals;   /* the same applies to the following streams */
    MorphTangentRecord*  tangents;
    u32                  target_count, name_bytes, row_count;
} MeshMorphs;

typedef struct MeshBuild {
    MeshBoundsRecord      bounds;
    MeshPartRecord*       parts;      /* [part_count] `material` is zero */
    u32*                  materials;  /* [part_count] index in the model, or NONE */
    u32*                  degenerate; /* [part_count] triangles of two or three equal corners */
    PositionRecord*       positions;  /* [vertex_count] */
    NormalRecord*         normals;    /* [vertex_count], or NULL when no primitive has them; */
    TangentRecord*        tangents;   /* the same applies to the following streams */
    UvRecord*             uvs;
    Uv1Record*            uvs_1;
    ColorRecord*          colors;
    VertexJointsRecord*   joints;
    VertexWeightsRecord*  weights;
    VertexJoints1Record*  joints_1;
    VertexWeights1Record* weights_1;
    IndexRecord*          indices; /* [index_count] */
    const GltfPrimitive**
               sources; /* [part_count] of levels: mesh_levels.h; NULL: those of the mesh */
    u32        part_count, vertex_count, index_count;
    MeshMorphs morphs;
} MeshBuild;

/* Joins, welds and orders. Degenerate triangles are removed, except one in a part that has no
 * others. The cost grows linearly with the indices, apart from sorting them. If some primitives
 * have a stream, the others get smooth normals, the tangent (1 0 0 1), the uv 0, the color
 * white, and joint 0 with the complete weight. Primitives with tangent_uvs get tangents, also of
 * each morph target that changes positions or normals: mesh_tangents.h; vertices whose corners have
 * different ones are divided.
 *
 *   mesh  as gltf_read left it: nothing in it is checked again
 *
 * Needs    a sum of vertices and of indices below 2^32, which gltf_read limits. */
void mesh_build(MeshBuild* out, const GltfMesh* mesh, Arena* arena);

#endif
