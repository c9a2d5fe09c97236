/* skin.h - what deforms the meshes of the entity: a skeleton, and the clips that move it and the
 * weights of morph targets.
 *
 * The pose is relative to `root`, not to the entity: as in glTF, the transform of the entity that
 * holds a skinned mesh does not move it. In a world, the fields are the state of the character:
 * ent_skins_advance moves the times, and a host writes any of them. */
#ifndef ENT_SKIN_H
#define ENT_SKIN_H

#include "record.h"
#include "resources.h"

#define SKIN_END(X)                                                                                \
    X(SKIN_LOOP, "loop")                                                                           \
    X(SKIN_HOLD, "hold")                                                                           \
    X(SKIN_STOP, "stop")

#define SKIN_FIELDS(F, R)                                                                          \
    F(R, ResourceRef, skeleton, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_SKELETON),               \
      "skeleton with the joints; absent: clips animate only the weights of morph targets")         \
    F(R, ResourceRef, clip, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_CLIP),                       \
      "clip that is played; absent: the skeleton keeps its rest pose")                             \
    F(R, ResourceRef, second_clip, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_CLIP),                \
      "clip that is blended over it; absent: the rest pose")                                       \
    F(R, EntityRef, root, NO_ENTITY, 0, ALL, "", PLAIN,                                            \
      "entity to which the pose is relative; absent: this entity")                                 \
    F(R, NameRef, node, NO_NAME, 0, ALL, "", PLAIN,                                                \
      "node of a model whose weights of morph targets are animated; absent: none")                 \
    F(R, f32, time_s, V1(0), 0, 1e6, "s", PLAIN, "time in the clip")                               \
    F(R, f32, second_time_s, V1(0), 0, 1e6, "s", PLAIN, "time in the second clip")                 \
    F(R, f32, speed, V1(1), -100, 100, "", PLAIN,                                                  \
      "speed of playback: clip seconds per second; of both clips")                                 \
    F(R, f32, blend, V1(0), 0, 1, "", PLAIN, "0: only the clip; 1: only the second clip")          \
    F(R, Enum32, end, V1(0), 0, 0, "", ENUM(SKIN_END),                                             \
      "behind the last key, \"loop\" begins again, \"hold\" keeps it, and \"stop\" removes the "   \
      "clip")

RECORD_ENUM(SkinEnd, SKIN_END)
RECORD(SkinRecord, SKIN_FIELDS)

#endif
