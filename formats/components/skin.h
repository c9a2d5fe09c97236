/* skin.h - a skeleton that deforms the meshes of the entity.
 *
 * The pose is relative to `root`, not to the entity: as in glTF, the transform of the entity that
 * holds a skinned mesh does not move it. */
#ifndef ENT_SKIN_H
#define ENT_SKIN_H

#include "record.h"
#include "resources.h"

#define SKIN_FIELDS(F, R)                                                                          \
    F(R, ResourceRef, skeleton, REQUIRED, 0, 0, "", REFERS_TO(RESOURCE_SKELETON),                  \
      "skeleton with the joints")                                                                  \
    F(R, ResourceRef, clip, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_CLIP),                       \
      "clip that is played")                                                                       \
    F(R, EntityRef, root, NO_ENTITY, 0, ALL, "", PLAIN,                                            \
      "entity to which the pose is relative; absent: this entity")                                 \
    F(R, f32, start_s, V1(0), 0, 1e6, "s", PLAIN, "time in the clip at spawn")                     \
    F(R, f32, speed, V1(1), -100, 100, "", PLAIN, "speed of playback: clip seconds per second")

RECORD(SkinRecord, SKIN_FIELDS)

#endif
