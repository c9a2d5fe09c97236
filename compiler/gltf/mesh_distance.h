/* mesh_distance.h - how far a surface of triangles is from another one.
 *
 * The result is an upper bound: no point of the first surface is farther from the second one. The
 * distance to one triangle is a convex function, so that over another triangle it is largest at a
 * corner; a triangle for which this bound is too large is divided. Distances below a ten-thousandth
 * of the size of the second surface are not distinguished. The work is limited: beyond, as for large triangles that are everywhere,
 * the bound is not refined, and at last it is the size of both surfaces. */
#ifndef ENTC_MESH_DISTANCE_H
#define ENTC_MESH_DISTANCE_H

#include "memory.h"
#include "vec.h"

/* Triangles between shared positions. */
typedef struct Surface {
    const Vec3* positions; /* [position_count] */
    const u32*  indices;   /* [index_count] */
    u32         position_count, index_count;
} Surface;

/* Returns the bound in the unit of the positions.
 *
 * Needs    at least one triangle in `to`. */
f64 surface_distance(Surface from, Surface to);

#endif
