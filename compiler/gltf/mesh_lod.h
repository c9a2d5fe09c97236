/* mesh_lod.h - levels of detail of a mesh: fewer triangles between the same vertices.
 *
 * Each level keeps a share of the triangles of the one before it. Its error is a bound that holds
 * for every point of the surface, see mesh_distance.h. */
#ifndef ENTC_MESH_LOD_H
#define ENTC_MESH_LOD_H

#include "mesh_build.h"
#include "model_settings.h"

typedef struct MeshLods {
    MeshLodRecord*  lods;    /* [lod_count] without the full one */
    LodRangeRecord* ranges;  /* [lod_count * part_count of the mesh] */
    LodIndexRecord* indices; /* [index_count] */
    u32             lod_count, index_count;
} MeshLods;

/* Adds levels until the settings have enough, the next one would have a larger error than they
 * permit, or it would have almost as many triangles as the one before it. */
void mesh_lods_build(MeshLods* out, const MeshBuild* mesh, const ModelSettings* settings,
                     Arena* arena);

#endif
