/* points.h - point masses that move: by gravity and their forces, through a medium that slows them, and among colliders.
 *
 *     const EntColliders* solids = NULL; // or those of ent_colliders_create
 *     EntPointsDesc       points = {0};
 *     points.step_s = 0.01f;
 *     points.gravity_m_s2.y = -9.81f;
 *     points.colliders = solids;
 *     // In each frame, after ent_colliders_advance:
 *     if (ent_simulate_points(world, &points) != ENT_OK) return 1;
 *
 * A step of each mass is
 *
 *   velocity = (velocity + (force / mass + gravity) step_s) / (1 + drag_per_s step_s)
 *   position = position + velocity step_s
 *
 * and a mass ends at the first surface on its way, with the velocity that it has after a bounce (`restitution`) and a slide (`friction`), of
 * colliders that move from where they were to where they are. Its `position` is its place in the world: the transform of its entity
 * follows, also below a parent, and keeps rotation and scale. `force` stays as it is until the host changes it.
 *
 * Masses do not meet each other, nor colliders of their own entity that are no planes. Those that are bodies, which a fluid moves on a GPU, are left out with
 * `leaves_bodies`. Results are the same bits with any number of threads. */
#ifndef ENT_POINTS_H
#define ENT_POINTS_H

#include "colliders.h"
#include "world.h"

typedef struct EntPointsDesc {
    float   step_s;     /* above 0 */
    float   drag_per_s; /* 0: none; the speed decreases by this share of it, per second */
    EntVec3 gravity_m_s2;
    const EntColliders* colliders; /* of this frame; NULL: there are none */
    int                 leaves_bodies; /* 1: the bodies of `colliders` stay as they are, because a fluid moves them on a GPU */
} EntPointsDesc;

#ifdef __cplusplus
extern "C" {
#endif

/* Moves all point masses of a world by a step, and their transforms, as ent_transform_set_places does. With the world's jobs, when it has
 * some.
 *
 * Needs    one call for each ent_colliders_advance: in a second one, colliders would move again.
 * Returns  ENT_OK; ENT_NO_MEMORY: nothing has changed.
 * Cost     about 2 ns for a mass; among colliders 30 ns for a mass, 2 ns for each collider whose range along x it is in, which contains those that
 *          are very wide, and 60 ns for each whose sphere it is near; colliders are sorted. Transforms cost as ent_transform_set_places
 *          states. Memory grows with the number of masses, and is kept. */
ENT_API ENT_MUST_CHECK EntStatus ent_simulate_points(EntWorld* world, const EntPointsDesc* desc);

#ifdef __cplusplus
}
#endif

#endif
