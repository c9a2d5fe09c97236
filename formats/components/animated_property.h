/* animated_property.h - a property of the light or camera of the entity is set by the clips of an animator:
 * ent_animators_pose, ent_animators_properties. An entity has one for each such property. */
#ifndef ENT_ANIMATED_PROPERTY_H
#define ENT_ANIMATED_PROPERTY_H

#include "clip.h"

#define ANIMATED_PROPERTY_FIELDS(F, R)                                                             \
    F(R, EntityRef, animator, NO_ENTITY, 0, ALL, "", PLAIN,                                        \
      "entity with the animator; absent: this entity")                                             \
    F(R, u32, index, V1(0), 0, 65535, "", PLAIN,                                                   \
      "which animator of that entity, in their order; 0 is the first one")                         \
    F(R, Enum32, property, REQUIRED, 0, 0, "", ENUM(CLIP_PROPERTY), "what is animated")            \
    F(R, NameRef, target, REQUIRED, 1, ALL, "", PLAIN, "name of the light or camera in its model") \
    F(R, Vec3, rest, V3(0, 0, 0), LOW, HIGH, "", PLAIN,                                            \
      "value at rest, which clips are blended with; of a number, the first one")

RECORD(AnimatedPropertyRecord, ANIMATED_PROPERTY_FIELDS)

#endif
