/* collider_contact_internal.h - how a point that moves meets a collider that moves, on the CPU: as shaders/colliders/colliders_shape.glsl
 * states, which does the same on a GPU. */
#ifndef ENT_COLLIDER_CONTACT_INTERNAL_H
#define ENT_COLLIDER_CONTACT_INTERNAL_H

#include "base.h"
#include "collider_shape.h"

/* After a contact a point is somewhere else, where it can meet others: so often its way is looked at again. */
#define CONTACT_ROUNDS 4u

/* Keeps a point that has moved out of a collider.
 *
 *   from      where it was before the step, in which the collider moves
 *   to        where it is after it; may be changed
 *   velocity  the same
 *
 * Returns  whether they met. */
bool collider_meet(const ColliderMotion* collider, Vec3 from, Vec3* to, Vec3* velocity, f32 step_s);

#endif
