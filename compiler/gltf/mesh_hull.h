/* mesh_hull.h - the convex hull of points, with at most so many vertices.
 *
 * A hull of more vertices is approximated from inside: beginning with a simplex, the point that is farthest outside is
 * added until the limit is reached. Source: Barber, Dobkin and Huhdanpaa, "The Quickhull Algorithm for Convex Hulls",
 * 1996; Qhull computes each hull. */
#ifndef ENTC_MESH_HULL_H
#define ENTC_MESH_HULL_H

#include "memory.h"
#include "vec.h"

#define HULL_VERTICES_MAX 64u

typedef struct MeshHull {
    Vec3* points;  /* [point_count] in the order in which they were given */
    u32*  indices; /* [index_count] triangles, counterclockwise from outside */
    u32   point_count, index_count;
} MeshHull;

/* Points of one plane have a hull of two sides. The cost grows with the points times the vertices.
 *
 * Returns  false: the points are all on one line, so that there is no hull. */
bool mesh_hull(MeshHull* out, const Vec3* points, u32 count, Arena* arena);

#endif
