/* mesh.h - geometry drawn at the entity. An entity may have more than one. */
#ifndef ENT_MESH_H
#define ENT_MESH_H

#include "record.h"
#include "resources.h"

#define MESH_FIELDS(F, R)                                                                          \
    F(R, ResourceRef, resource, REQUIRED, 0, 0, "", REFERS_TO(RESOURCE_MESH),                      \
      "mesh that is drawn")                                                                        \
    F(R, Bool32, visible, V1(1), 0, 1, "", PLAIN, "whether it is drawn")                           \
    F(R, u32, layer, V1(0), 0, 31, "", PLAIN, "bit of the camera's mask that makes it visible")    \
    F(R, Bool32, receives_decals, V1(1), 0, 1, "", PLAIN, "whether decals change its surfaces")

RECORD(MeshRecord, MESH_FIELDS)

#endif
