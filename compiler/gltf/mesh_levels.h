/* mesh_levels.h - levels of detail that the author of a mesh has made: other meshes, each with its own vertices.
 *
 * Parts of all levels with one material and topology are one part of the result, whose vertices are those of all
 * levels; a part that a level does not have is empty there. The error of a level is how far its surface is from
 * the full one, and the full one from it, see mesh_distance.h. */
#ifndef ENTC_MESH_LEVELS_H
#define ENTC_MESH_LEVELS_H

#include "mesh_lod.h"

/* Builds the mesh with its levels. MeshBuild.sources are the primitives of the parts.
 *
 * Needs    mesh->level_count > 0, and the sums of vertices and of indices of all levels below 2^32. */
void mesh_levels_build(MeshBuild* out, MeshLods* lods, const GltfMesh* mesh, Arena* arena);

#endif
