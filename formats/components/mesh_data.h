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
    F(R, Enum32, topology, V1(0), 0, 0, "", ENUM(MESH_TOPOLOGY),                                   \
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
#define UV_FIELDS(F, R)   F(R, Vec2, uv, REQUIRED, LOW, HIGH, "", PLAIN, "origin at the top left")
#define UV_1_FIELDS(F, R) F(R, Vec2, uv, REQUIRED, LOW, HIGH, "", PLAIN, "origin at the top left")

/* Linear RGB and opacity, which multiply those of the material: 16 bits each, in units of
 * 1 / 65535. */
#define COLOR_FIELDS(F, R)                                                                         \
    F(R, u32, red_green, REQUIRED, 0, ALL, "", PLAIN, "red; green in the high half")               \
    F(R, u32, blue_alpha, REQUIRED, 0, ALL, "", PLAIN, "blue; opacity in the high half")

/* Four joints of 16 bits, the first in the low half of joints_01; they index the binds of the
 * skeleton. */
#define VERTEX_JOINTS_FIELDS(F, R)                                                                 \
    F(R, u32, joints_01, REQUIRED, 0, ALL, "", PLAIN, "joint 0; joint 1 in the high half")         \
    F(R, u32, joints_23, REQUIRED, 0, ALL, "", PLAIN, "joint 2; joint 3 in the high half")

/* Four weights of 16 bits, in units of 1 / 65535. The sum of all weights of a vertex, four or eight,
 * is 65535. */
#define VERTEX_WEIGHTS_FIELDS(F, R)                                                                \
    F(R, u32, weights_01, REQUIRED, 0, ALL, "", PLAIN, "weight 0; weight 1 in the high half")      \
    F(R, u32, weights_23, REQUIRED, 0, ALL, "", PLAIN, "weight 2; weight 3 in the high half")

/* Four more joints, and their weights: of meshes with vertices that have more than four. The eight
 * weights of such a mesh are in descending order. */
#define VERTEX_JOINTS_1_FIELDS(F, R)                                                               \
    F(R, u32, joints_45, REQUIRED, 0, ALL, "", PLAIN, "joint 4; joint 5 in the high half")         \
    F(R, u32, joints_67, REQUIRED, 0, ALL, "", PLAIN, "joint 6; joint 7 in the high half")
#define VERTEX_WEIGHTS_1_FIELDS(F, R)                                                              \
    F(R, u32, weights_45, REQUIRED, 0, ALL, "", PLAIN, "weight 4; weight 5 in the high half")      \
    F(R, u32, weights_67, REQUIRED, 0, ALL, "", PLAIN, "weight 6; weight 7 in the high half")

#define INDEX_FIELDS(F, R) F(R, u32, vertex, REQUIRED, 0, ALL, "", PLAIN, "")

/* A morph target moves vertices: weight x displacement is added to each of its streams. Only the
 * vertices that it moves have rows in morph_vertex and in the streams of displacements. */
#define MORPH_TARGET_FIELDS(F, R)                                                                  \
    F(R, u32, name, REQUIRED, 0, ALL, "", TEXT_IN(MORPH_NAME), "its name, or empty")               \
    F(R, f32, weight, V1(0), LOW, HIGH, "", PLAIN, "unless an instance or a clip defines one")     \
    F(R, f32, reach_m, REQUIRED, LOW, HIGH, "m", PLAIN, "largest displacement of a position")      \
    F(R, u32, first_row, REQUIRED, 0, ALL, "", PLAIN, "index of its first row in morph_vertex")    \
    F(R, u32, row_count, REQUIRED, 0, ALL, "", PLAIN, "number of vertices that it moves")

#define MORPH_VERTEX_FIELDS(F, R)                                                                  \
    F(R, u32, vertex, REQUIRED, 0, ALL, "", PLAIN, "strictly ascending in a target")
#define MORPH_POSITION_FIELDS(F, R)                                                                \
    F(R, Vec3, displacement, REQUIRED, LOW, HIGH, "m", PLAIN, "of the position")
#define MORPH_NORMAL_FIELDS(F, R)                                                                  \
    F(R, Vec3, displacement, REQUIRED, LOW, HIGH, "", PLAIN, "of the normal")
#define MORPH_TANGENT_FIELDS(F, R)                                                                 \
    F(R, Vec3, displacement, REQUIRED, LOW, HIGH, "", PLAIN, "of the tangent; its w stays")

/* A level of detail draws fewer triangles between the same vertices. The mesh without its levels is
 * level 0 and has no row; the error of a row is not smaller than that of the row before it. Errors
 * hold without skinning and morph targets. */
#define MESH_LOD_FIELDS(F, R)                                                                      \
    F(R, f32, error_m, REQUIRED, LOW, HIGH, "m", PLAIN,                                            \
      "no point of the full surface is farther from the surface of this level")

/* What a level draws of a part: row level x number of parts + part. */
#define LOD_RANGE_FIELDS(F, R)                                                                     \
    F(R, u32, first_index, REQUIRED, 0, ALL, "", PLAIN, "index into the section lod_index")        \
    F(R, u32, index_count, REQUIRED, 0, ALL, "", PLAIN,                                            \
      "a multiple of 3 for triangles, and of 2 for lines")

#define LOD_INDEX_FIELDS(F, R) F(R, u32, vertex, REQUIRED, 0, ALL, "", PLAIN, "")

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
RECORD(Uv1Record, UV_1_FIELDS)
RECORD(ColorRecord, COLOR_FIELDS)
RECORD(VertexJoints1Record, VERTEX_JOINTS_1_FIELDS)
RECORD(VertexWeights1Record, VERTEX_WEIGHTS_1_FIELDS)
RECORD(MorphTargetRecord, MORPH_TARGET_FIELDS)
RECORD(MorphVertexRecord, MORPH_VERTEX_FIELDS)
RECORD(MorphPositionRecord, MORPH_POSITION_FIELDS)
RECORD(MorphNormalRecord, MORPH_NORMAL_FIELDS)
RECORD(MorphTangentRecord, MORPH_TANGENT_FIELDS)
RECORD(MeshLodRecord, MESH_LOD_FIELDS)
RECORD(LodRangeRecord, LOD_RANGE_FIELDS)
RECORD(LodIndexRecord, LOD_INDEX_FIELDS)

#endif
