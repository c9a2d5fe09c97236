/* mesh_material.h - the meshes of the entity have another material in place of one of theirs. In JSON, a mesh lists these by
 * name: "mesh": { "materials": { "red": "materials/blue" } }. An entity may have more than one. */
#ifndef ENT_MESH_MATERIAL_H
#define ENT_MESH_MATERIAL_H

#include "record.h"
#include "resources.h"

#define MESH_MATERIAL_FIELDS(F, R)                                                                 \
    F(R, u32, mesh, V1(0), 0, 65535, "", PLAIN,                                                    \
      "which mesh of the entity, in their order; 0 is the first one")                              \
    F(R, ResourceRef, replaced, REQUIRED, 0, 0, "", REFERS_TO(RESOURCE_MATERIAL),                  \
      "material of the mesh that is not drawn")                                                    \
    F(R, ResourceRef, material, REQUIRED, 0, 0, "", REFERS_TO(RESOURCE_MATERIAL),                  \
      "material in its place")

RECORD(MeshMaterialRecord, MESH_MATERIAL_FIELDS)

#endif
