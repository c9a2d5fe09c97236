/* animator.h - plays clips that move entities: doors, lifts, cameras, lights. Those entities have the
 * component `animated_node`, which refers to the entity of the animator.
 *
 * In a world, the fields are the state of the animator: ent_animators_advance moves the times, and a
 * host writes any of them. */
#ifndef ENT_ANIMATOR_H
#define ENT_ANIMATOR_H

#include "playing.h"
#include "resources.h"

#define ANIMATOR_FIELDS(F, R)                                                                      \
    F(R, ResourceRef, clip, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_CLIP),                       \
      "clip that is played; absent: its entities stay where they are")                             \
    F(R, ResourceRef, second_clip, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_CLIP),                \
      "clip that is blended over it; absent: the rest pose")                                       \
    PLAYING_FIELDS(F, R)

RECORD(AnimatorRecord, ANIMATOR_FIELDS)

#endif
