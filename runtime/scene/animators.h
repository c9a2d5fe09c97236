/* animators.h - entities that clips move: doors, lifts, cameras, lights.
 *
 *     EntAnimators* animators;
 *     if (ent_animators_create(&animators, world, &library) != ENT_OK) return 1;
 *     while (running) {
 *         if (ent_animators_advance(animators, seconds) != ENT_OK) return 1;
 *         if (ent_animators_pose(animators) != ENT_OK) return 1; // before ent_skins_attach
 *     }
 *     ent_animators_destroy(animators);
 *
 * The state of an animator is its row of the component `animator`: clips, times, speed, blend. A host
 * changes it with ent_animators_play, or writes to EntAnimatorRows. The entities that it moves have the
 * component `animated_node`: they are moved as long as they exist, also when they have got another
 * parent. Their children follow as those of any transform. */
#ifndef ENT_ANIMATORS_H
#define ENT_ANIMATORS_H

#include "clip_events.h"
#include "library.h"
#include "pose_tables.h"
#include "transform_manager.h"
#include "world.h"

/* Private. */
typedef struct EntAnimators EntAnimators;

/* What moves the entity of a row of `animated_node`. */
typedef struct EntAnimatorNode {
    uint32_t animator; /* row of `animator`; ENT_POSE_NONE: there is none, and nothing moves it */
    uint32_t first_channel,
        first_channel_2; /* rows of the tables, three of each clip that the animator plays:
                            translation, rotation, scale. ENT_POSE_NONE: the clip does not move it */
    uint32_t
        properties; /* bit 0: one of these clips animates its translation; bit 1: its rotation; bit 2:
                            its scale */
} EntAnimatorNode;

#ifdef __cplusplus
extern "C" {
#endif

/* Clips are found in the library when an animator first refers to them.
 *
 *   world, library  exist until ent_animators_destroy
 *
 * Returns  ENT_OK or ENT_NO_MEMORY. */
ENT_API ENT_MUST_CHECK EntStatus ent_animators_create(EntAnimators** animators, EntWorld* world,
                                                      const EntLibrary* library);
ENT_API void ent_animators_destroy(EntAnimators* animators); /* NULL: does nothing */

/* Moves the times of all animators by their speed. At the end of a clip, or at its beginning when the
 * speed is negative, what `end` states happens: the time begins again, stays, or the clip is removed
 * from the animator, whose entities get the pose of its end.
 *
 *   seconds  0 or more
 *
 * Returns  ENT_OK; ENT_NO_MEMORY; ENT_BAD_FIELD, with nothing changed: seconds are infinite or not a
 *          number.
 * Cost     a few operations for each animator that plays; when a clip is removed, some for each row of
 *          `animated_node` and `animated_property`. */
ENT_API ENT_MUST_CHECK EntStatus ent_animators_advance(EntAnimators* animators, float seconds);

/* The events that the last call of ent_animators_advance passed, animator by animator.
 *
 * Returns  [count], valid until the next call of it, and as long as the library keeps the clips. */
ENT_API const EntClipEvent* ent_animators_events(const EntAnimators* animators, uint32_t* count);

/* Sets the local poses of the entities of all animators whose clips, times or blend have changed since
 * the last call, as ent_transform_touch does; of an entity with `attach_to_joint`, the pose below its
 * joint. A property that no clip animates stays as it is, and so does an entity whose animator does not
 * exist, or plays nothing. What clips animate of lights and cameras is set as ent_animators_properties does.
 * When animators are added or removed, those of others may be posed again.
 *
 * Returns  ENT_OK or ENT_NO_MEMORY.
 * Cost     for each entity some comparisons; for each that moves, a binary search for each of its channels. */
ENT_API ENT_MUST_CHECK EntStatus ent_animators_pose(EntAnimators* animators);

/* Plays a clip from a time on with each animator of an entity that moves something that the clip moves, or changes a
 * light or camera that it changes. The entities of these animators first get the poses and values of their times, as
 * by ent_animators_pose; then, what the former clip animates, and this one does not, gets the rest pose, or the value
 * at rest.
 *
 *   clip  NULL: nothing is played by any of them, no second clip either, and the entities stay where they are
 *
 * Returns  ENT_OK; ENT_STALE: the entity does not exist; ENT_NOT_FOUND, with nothing changed: it has no
 *          animator, or the library does not have the clip open; ENT_WRONG_TYPE, with nothing changed: the
 *          clip animates nothing that an animator of the entity animates; ENT_BAD_FIELD, with nothing changed:
 *          the time is infinite or not a number; ENT_NO_MEMORY.
 * Cost     some comparisons for each row of `animated_node` and `animated_property`. */
ENT_API ENT_MUST_CHECK EntStatus ent_animators_play(EntAnimators* animators, EntEntity entity,
                                                    EntResourceRef clip, float time_s);

/* Sets what the clips of all animators change of lights and cameras, for entities with the component
 * `animated_property`: the intensity and the color of the light, and the field of view of the camera. A value
 * keeps what it was set to when its clip ends, and one that the host sets stays until the clip, the time or the
 * blend changes. A host that computes poses on a device calls this before it computes its view;
 * ent_animators_pose does it too.
 *
 * Returns  ENT_OK or ENT_NO_MEMORY.
 * Cost     some comparisons for each animator and each row of `animated_property`; a binary search in the keys for each
 *          one that changes. */
ENT_API ENT_MUST_CHECK EntStatus ent_animators_properties(EntAnimators* animators);

/* --- for a host that computes poses on a device --- */

/* What clips move, in tables that are uploaded as they are. Arrays grow, and are replaced, when an animator
 * refers to a clip for the first time. */
ENT_API const EntPoseTables* ent_animators_tables(const EntAnimators* animators);

/* Finds the clips of all animators. The functions below need it after animators, nodes or clips were added,
 * removed or replaced; their rows exist.
 *
 * Returns  ENT_OK or ENT_NO_MEMORY.
 * Cost     some comparisons for each animator. */
ENT_API ENT_MUST_CHECK EntStatus ent_animators_resolve(EntAnimators* animators);

/* What an animator plays; `skeleton` and the sets are ENT_POSE_NONE. Without `clip`, and with a blend of 0, its
 * entities are where their transforms are.
 *
 *   row  of `animator` */
ENT_API void ent_animators_playing(const EntAnimators* animators, uint32_t row, EntPosePlay* out);

/* What moves an entity. Each property that a clip animates has the value of the channel at the time; when only
 * the other clip animates it, that of the record of `animated_node`; in other cases, that of the transform.
 *
 *   row  of `animated_node`
 *
 * Returns  ENT_OK or ENT_NO_MEMORY. */
ENT_API ENT_MUST_CHECK EntStatus ent_animators_node(EntAnimators* animators, uint32_t row,
                                                    EntAnimatorNode* out);

/* Changes a local pose of an entity as ent_animators_pose would change that of its transform: not at all where
 * nothing is played.
 *
 *   row  of `animated_node`
 *
 * Returns  ENT_OK or ENT_NO_MEMORY. */
ENT_API ENT_MUST_CHECK EntStatus ent_animators_local(EntAnimators* animators, uint32_t row,
                                                     EntTransformRecord* pose);

#ifdef __cplusplus
}
#endif

#endif
