/* mesh_tangents.h - tangents for normal maps, from positions, normals and texture coordinates. */
#ifndef ENTC_MESH_TANGENTS_H
#define ENTC_MESH_TANGENTS_H

#include "memory.h"
#include "types.h"

/* Triangles whose corners refer to vertices. */
typedef struct TangentInput {
    const Vec3* positions; /* [vertex_count] */
    const Vec3* normals;   /* [vertex_count] of length 1 */
    const Vec2* uvs;       /* [vertex_count] as in glTF: v points down */
    const u32*  indices;   /* [index_count] a multiple of 3, each < vertex_count */
    u32         vertex_count, index_count;
} TangentInput;

/* The tangent of each corner: its direction is that of u and has length 1, and w is 1 or -1: the
 * bitangent is w times the cross product of normal and tangent. Corners that share a vertex have
 * the same tangent, bit by bit, where the texture continues from one triangle to the next, and
 * others at a seam and where the texture is mirrored. Triangles whose texture coordinates have no
 * area have the tangents of the triangles beside them; without any, a direction along the surface.
 * Cost: linear in corners and vertices.
 *
 * Source   Morten S. Mikkelsen: Simulation of Wrinkled Surfaces Revisited, master's thesis,
 *          University of Copenhagen, 2008, section 3.3; glTF 2.0 requires these tangents.
 *
 *   out  [index_count] */
void mesh_tangents(Vec4* out, const TangentInput* in, Arena* arena);

#endif
