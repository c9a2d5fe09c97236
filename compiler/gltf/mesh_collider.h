/* mesh_collider.h - the mesh of a collider: a hull, or triangles, of positions alone. */
#ifndef ENTC_MESH_COLLIDER_H
#define ENTC_MESH_COLLIDER_H

#include "mesh_build.h"

/* All primitives are one part. Positions that are equal are one vertex.
 *
 *   mesh  whose form is GLTF_HULL or GLTF_TRIANGLES
 *
 * Returns  false: it has no hull, or no triangle with an area. */
bool mesh_collider_build(MeshBuild* out, const GltfMesh* mesh, Arena* arena);

#endif
