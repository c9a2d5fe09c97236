/* mesh_data.h - the sections of a mesh resource, one field table each. */
#ifndef ENT_MESH_DATA_H
#define ENT_MESH_DATA_H

#include "record.h"
#include "resources.h"

#define MESH_TOPOLOGY(X)                                                                           \
    X(MESH_TRIANGLES, "triangles")                                                                 \
    X(MESH_LINES, "lines")                                                                         \
    X(MESH_POINTS, "points")

#define MESH_BOUNDS_FIELDS(F, R)                                                                   \
    F(R, Vec3, bounds_min, REQUIRED, LOW, HIGH, "m", PLAIN, "minimum of all positions")            \
    F(R, Vec3, bounds_max, REQUIRED, LOW, HIGH, "m", PLAIN, "maximum of all positions")

/* A range of indices with one material. Indices count from the mesh's first vertex. */
#define MESH_PART_FIELDS(F, R)                                                                     \
    F(R, ResourceRef, material, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_MATERIAL),               \
      "material of the part, or none")                                                             \
    F(R, Enum32, topology, V1(0), 0, 2, "", ENUM(MESH_TOPOLOGY),                                   \
      "primitives that the indices form")                                                          \
    F(R, u32, first_index, REQUIRED, 0, ALL, "", PLAIN, "index into the index section")            \
    F(R, u32, index_count, REQUIRED, 0, ALL, "", PLAIN,                                            \
      "a multiple of 3 for triangles, and of 2 for lines")                                         \
    F(R, u32, first_vertex, REQUIRED, 0, ALL, "", PLAIN, "lowest vertex that the part uses")       \
    F(R, u32, vertex_count, REQUIRED, 0, ALL, "", PLAIN,                                           \
      "number of vertices from first_vertex on")                                                   \
    F(R, Vec3, bounds_min, REQUIRED, LOW, HIGH, "m", PLAIN, "minimum of its positions")            \
    F(R, Vec3, bounds_max, REQUIRED, LOW, HIGH, "m", PLAIN, "maximum of its positions")

#define POSITION_FIELDS(F, R) F(R, Vec3, position, REQUIRED, LOW, HIGH, "m", PLAIN, "")
#define NORMAL_FIELDS(F, R)   F(R, Vec3, normal, REQUIRED, LOW, HIGH, "", PLAIN, "unit length")
#define TANGENT_FIELDS(F, R)                                                                       \
    F(R, Vec4, tangent, REQUIRED, LOW, HIGH, "", PLAIN, "w: sign of the bitangent")
#define UV_FIELDS(F, R) F(R, Vec2, uv, REQUIRED, LOW, HIGH, "", PLAIN, "origin at the top left")

/* Four joints of 16 bits, the first in the low half of joints_01; they index the binds of the
 * skeleton. */
#define VERTEX_JOINTS_FIELDS(F, R)                                                                 \
    F(R, u32, joints_01, REQUIRED, 0, ALL, "", PLAIN, "joint 0; joint 1 in the high half")         \
    F(R, u32, joints_23, REQUIRED, 0, ALL, "", PLAIN, "joint 2; joint 3 in the high half")

/* Four weights of 16 bits, in units of 1 / 65535; their sum is 65535. */
#define VERTEX_WEIGHTS_FIELDS(F, R)                                                                \
    F(R, u32, weights_01, REQUIRED, 0, ALL, "", PLAIN, "weight 0; weight 1 in the high half")      \
    F(R, u32, weights_23, REQUIRED, 0, ALL, "", PLAIN, "weight 2; weight 3 in the high half")

#define INDEX_FIELDS(F, R) F(R, u32, vertex, REQUIRED, 0, ALL, "", PLAIN, "")

RECORD_ENUM(MeshPartTopology, MESH_TOPOLOGY)
RECORD(MeshBoundsRecord, MESH_BOUNDS_FIELDS)
RECORD(MeshPartRecord, MESH_PART_FIELDS)
RECORD(PositionRecord, POSITION_FIELDS)
RECORD(NormalRecord, NORMAL_FIELDS)
RECORD(TangentRecord, TANGENT_FIELDS)
RECORD(UvRecord, UV_FIELDS)
RECORD(VertexJointsRecord, VERTEX_JOINTS_FIELDS)
RECORD(VertexWeightsRecord, VERTEX_WEIGHTS_FIELDS)
RECORD(IndexRecord, INDEX_FIELDS)

#endif
