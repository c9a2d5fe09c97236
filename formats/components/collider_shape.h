/* collider_shape.h - a collider as a rigid shape: in a space of its own, which is turned and moved.
 *
 * Its size is that of the component scaled by the entity; what shears an entity is left out. */
#ifndef ENT_COLLIDER_SHAPE_H
#define ENT_COLLIDER_SHAPE_H

#include "status.h"
#include "types.h"
#ifdef ENT_BUILD
#include "collider.h"
#else
#include "records.h"
#endif

/* A plane: everything below y = 0 in its space. Any other one: all points nearer than radius_m to a box around the origin, whose
 * half size is 0 along all axes for a sphere, and along x and z for a capsule. */
typedef struct EntColliderMotion {
    EntQuat  turn_was, turn; /* of its space, before and after the motion */
    EntVec3  at_was;         /* m, origin of its space */
    float    radius_m;
    EntVec3  at;
    float    reach_m; /* distance of its farthest point from the origin; 0: a plane */
    EntVec3  half_m;
    uint32_t is_plane;              /* 0 or 1 */
    float    friction, restitution; /* as the component states */
    uint32_t unused;
    uint32_t body; /* number of the body that it belongs to, plus 1; 0: none */
} EntColliderMotion;

#ifdef __cplusplus
extern "C" {
#endif

/* A collider that stands at a pose.
 *
 * Returns  1; 0: the pose has no volume, its numbers are not finite, or the collider is a hull or triangles. */
ENT_API int ent_collider_of(EntColliderMotion* collider, const EntColliderRecord* record,
                            const EntMat34* pose);

/* At the end of its motion: how far a point is outside of the shape, in metres; negative: it is inside. */
ENT_API float ent_collider_distance(const EntColliderMotion* collider, EntVec3 point);

/* The same of a plane: unit normal to the free side, and its dot product with a point of the plane. */
ENT_API EntVec4 ent_collider_plane(const EntColliderMotion* collider);

#ifdef __cplusplus
}
#endif

#endif
