/* colliders.h - the colliders of a world as shapes with a motion: where each is at the end of a frame, and where it was at its
 * beginning. What is simulated meets them: fluids and particles on a GPU (gpu_colliders.h).
 *
 *     EntColliders* colliders;
 *     if (ent_colliders_create(&colliders, world) != ENT_OK) return 1;
 *     // In each frame, after transforms have been set:
 *     if (ent_colliders_advance(colliders) != ENT_OK) return 1;
 *     uint32_t                 count;
 *     const EntColliderMotion* collider = ent_colliders_list(colliders, &count);
 *     ent_colliders_destroy(colliders);
 *
 * A shape is rigid: it is in a space of its own, which is turned and moved. Its size is that of the component scaled by the
 * entity; what shears an entity is left out. */
#ifndef ENT_COLLIDERS_H
#define ENT_COLLIDERS_H

#include "collider_shape.h"
#include "world.h"

typedef struct EntColliders EntColliders;

/* What is moved by a fluid: an entity with a point_mass, and with colliders that are no planes. All of its colliders are around `position`. */
typedef struct EntBody {
    EntVec3   position; /* m, in the world */
    float     mass_kg;
    EntVec3   velocity_m_s;
    EntEntity entity;
    EntVec3   force_n; /* that acts on it beside those of the fluid, and its gravity */
} EntBody;

#ifdef __cplusplus
extern "C" {
#endif

/* Needs    the world to exist until it is destroyed.
 * Returns  ENT_OK; ENT_NO_MEMORY. */
ENT_API ENT_MUST_CHECK EntStatus ent_colliders_create(EntColliders** colliders, EntWorld* world);
ENT_API void                     ent_colliders_destroy(EntColliders* colliders);

/* Begins a frame: what an entity's transform is now is where its colliders are at the end of the frame; they begin where they were at
 * the end of the last one. Those that are new stand.
 *
 * Returns  ENT_OK; ENT_NO_MEMORY: the list is that of the last frame.
 * Cost     a comparison for each that stands; about 100 ns for one that moves; in a world with point masses two lookups more. */
ENT_API ENT_MUST_CHECK EntStatus ent_colliders_advance(EntColliders* colliders);

/* Of the frame that has begun: planes first, otherwise in the order of rows; without those whose pose has no volume. Valid until
 * the next call of ent_colliders_advance. */
ENT_API const EntColliderMotion* ent_colliders_list(const EntColliders* colliders, uint32_t* count);

/* The bodies of the frame that has begun, as their point masses are now: EntColliderMotion.body refers to them. Valid until the next call of
 * ent_colliders_advance. */
ENT_API const EntBody* ent_colliders_bodies(const EntColliders* colliders, uint32_t* count);

/* A number that changes whenever the list of colliders does. */
ENT_API uint32_t ent_colliders_version(const EntColliders* colliders);

/* The planes of a world, for a picture: unit normals to the free side, and their dot products with a point of the plane.
 *
 *   plane    [capacity]
 *
 * Returns  how many were written. */
ENT_API uint32_t ent_collider_planes(EntWorld* world, EntVec4* plane, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
