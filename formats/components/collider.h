/* collider.h - what fluids and particles cannot enter: a plane, sphere, box or capsule, which follows the entity. Hulls and
 * triangles are for the physics of the host: fluids, particles and bodies of this runtime do not meet them.
 *
 * Sizes are scaled with the entity: a sphere and the radius of a capsule by its largest scale along the axes that are round, a box
 * and the length of a capsule along each axis. A collider that moves has the velocity of its entity: it pushes what it meets. */
#ifndef ENT_COLLIDER_H
#define ENT_COLLIDER_H

#include "record.h"
#include "resources.h"

#define COLLIDER_KIND(X)                                                                           \
    X(COLLIDER_PLANE, "plane")                                                                     \
    X(COLLIDER_SPHERE, "sphere")                                                                   \
    X(COLLIDER_BOX, "box")                                                                         \
    X(COLLIDER_CAPSULE, "capsule")                                                                 \
    X(COLLIDER_HULL, "hull")                                                                       \
    X(COLLIDER_TRIANGLES, "triangles")

#define COLLIDER_FIELDS(F, R)                                                                      \
    F(R, Enum32, kind, V1(0), 0, 0, "", ENUM(COLLIDER_KIND), "shape")                              \
    F(R, Vec3, normal, V3(0, 1, 0), -1, 1, "", AXES(DIRECTION),                                    \
      "of a plane: unit vector to the free side, in the entity's space")                           \
    F(R, f32, offset_m, V1(0), -1e6, 1e6, "m", PLAIN,                                              \
      "of a plane: distance from the entity along the normal")                                     \
    F(R, Vec3, half_extent_m, V3(0.5, 0.5, 0.5), 0.0001, 1e4, "m", AXES(SIZE),                     \
      "of a box: half its size")                                                                   \
    F(R, f32, radius_m, V1(0.5), 0.0001, 1e4, "m", PLAIN, "of a sphere or capsule")                \
    F(R, f32, length_m, V1(1), 0, 1e4, "m", PLAIN,                                                 \
      "of a capsule: between the centres of its ends, along the entity's Y axis")                  \
    F(R, Vec3, center_m, V3(0, 0, 0), -1e4, 1e4, "m", AXES(POINT),                                 \
      "of a sphere, box or capsule: its centre, in the entity's space")                            \
    F(R, ResourceRef, resource, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_MESH),                   \
      "of a hull, which is convex, or of triangles: a mesh with positions and indices")            \
    F(R, f32, friction, V1(0), 0, 10, "", PLAIN,                                                   \
      "change of the speed along the surface, per change of that along the normal")                \
    F(R, f32, restitution, V1(0.5), 0, 1, "", PLAIN,                                               \
      "fraction of the speed along the normal after a bounce")

/* Is it a body that fluids and particles meet, besides planes? */
#define COLLIDER_IS_SOLID(kind)                                                                    \
    ((kind) == COLLIDER_SPHERE || (kind) == COLLIDER_BOX || (kind) == COLLIDER_CAPSULE)

RECORD_ENUM(ColliderKind, COLLIDER_KIND)
RECORD(ColliderRecord, COLLIDER_FIELDS)

#endif
