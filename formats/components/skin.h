/* skin.h - what deforms the meshes of the entity: a skeleton, and the clips that move it and the
 * weights of morph targets.
 *
 * The pose is relative to `root`, not to the entity: as in glTF, the transform of the entity that
 * holds a skinned mesh does not move it. In a world, the fields are the state of the character:
 * ent_skins_advance moves the times, and a host writes any of them. */
#ifndef ENT_SKIN_H
#define ENT_SKIN_H

#include "playing.h"
#include "resources.h"

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
    PLAYING_FIELDS(F, R)

RECORD(SkinRecord, SKIN_FIELDS)

#endif
