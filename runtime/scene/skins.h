/* skins.h - the characters of a world: the clips that they play, and their poses on the CPU.
 *
 *     EntSkins* skins;
 *     if (ent_skins_create(&skins, world, &library) != ENT_OK) return 1;
 *     while (running) {
 *         if (ent_skins_advance(skins, seconds) != ENT_OK) return 1;
 *         if (ent_skins_attach(skins) != ENT_OK) return 1; // entities that follow joints
 *     }
 *     ent_skins_destroy(skins);
 *
 * The state of a character is its row of the component `skin`: clips, times, speed, blend. A host
 * changes it with ent_skins_play, or writes to EntSkinRows and reports the rows with
 * ent_manager_changed; systems on the GPU follow it. */
#ifndef ENT_SKINS_H
#define ENT_SKINS_H

#include "clip_events.h"
#include "library.h"
#include "pose_tables.h"
#include "transform_manager.h"

/* Private. */
typedef struct EntSkins EntSkins;

#ifdef __cplusplus
extern "C" {
#endif

/* Skeletons and clips are found in the library when a skin first refers to them.
 *
 *   world, library  exist until ent_skins_destroy
 *
 * Returns  ENT_OK or ENT_NO_MEMORY. */
ENT_API ENT_MUST_CHECK EntStatus ent_skins_create(EntSkins** skins, EntWorld* world,
                                                  const EntLibrary* library);
ENT_API void                     ent_skins_destroy(EntSkins* skins); /* NULL: does nothing */

/* Moves the times of all skins by their speed. At the end of a clip, or at its beginning when the
 * speed is negative, what `end` states happens: the time begins again, stays, or the clip is removed
 * from the skin. A second clip ends in the same way.
 *
 *   seconds  0 or more
 *
 * Returns  ENT_OK; ENT_NO_MEMORY; ENT_BAD_FIELD, with nothing changed: seconds are infinite or not a
 *          number.
 * Cost     a few operations for each skin that plays. */
ENT_API ENT_MUST_CHECK EntStatus ent_skins_advance(EntSkins* skins, float seconds);

/* The events that the last call of ent_skins_advance passed, skin by skin.
 *
 * Returns  [count], valid until the next call of it, and as long as the library keeps the clips. */
ENT_API const EntClipEvent* ent_skins_events(const EntSkins* skins, uint32_t* count);

/* Sets the transforms of all entities with the component `attach_to_joint`: each follows its joint with
 * all its children. An entity that cannot follow, because there is no such skin or joint, keeps its place
 * and is reported to the world's log.
 *
 * Returns  ENT_OK or ENT_NO_MEMORY.
 * Cost     for each of them, a sample of each joint between the followed one and its root. */
ENT_API ENT_MUST_CHECK EntStatus ent_skins_attach(EntSkins* skins);

/* Plays a clip from a time on; everything else of the skin stays as it is.
 *
 *   clip  NULL: the rest pose
 *
 * Returns  ENT_OK; ENT_STALE: the entity does not exist; ENT_NOT_FOUND: it has no skin, or the library
 *          does not have the skeleton or the clip open; ENT_WRONG_TYPE: the clip moves no joint of the
 *          skeleton. When the clip cannot be played, the skin is in its rest pose. ENT_BAD_FIELD, with
 *          nothing changed: the time is infinite or not a number. */
ENT_API ENT_MUST_CHECK EntStatus ent_skins_play(EntSkins* skins, EntEntity entity,
                                                EntResourceRef clip, float time_s);

/* The joints of the skin of an entity in its present pose: model_from_joint, relative to the root of
 * the skin.
 *
 *   joints  receives them; valid until the next call
 *   count   receives their number, as ent_skeleton_joint_count
 *
 * Returns  ENT_OK, ENT_NO_MEMORY; ENT_STALE; ENT_NOT_FOUND: the entity has no skin, or the library does
 *          not have its skeleton open.
 * Cost     a binary search for each channel of the clips. */
ENT_API ENT_MUST_CHECK EntStatus ent_skins_joints(EntSkins* skins, EntEntity entity,
                                                  const EntMat34** joints, uint32_t* count);

/* The bones of the skin of an entity, which vertices refer to: model_from_mesh, as ent_skeleton_palette
 * computes it. For few skins; systems on the GPU compute those that they draw.
 *
 *   palette  receives them; valid until the next call
 *   count    receives their number, as ent_skeleton_bind_count
 *
 * Returns and costs as ent_skins_joints. */
ENT_API ENT_MUST_CHECK EntStatus ent_skins_palette(EntSkins* skins, EntEntity entity,
                                                   const EntMat34** palette, uint32_t* count);

/* --- for a renderer that computes poses itself --- */

/* The tables exist as long as the skins; their arrays grow in the other calls. */
ENT_API const EntPoseTables* ent_skins_tables(const EntSkins* skins);

/* What a row of EntSkinRows plays.
 *
 * Needs    row < count (asserted).
 * Returns  ENT_OK or ENT_NO_MEMORY.
 * Cost     some comparisons; when the row refers to other resources than in the last call, lookups of
 *          these. */
ENT_API ENT_MUST_CHECK EntStatus ent_skins_playing(EntSkins* skins, uint32_t row,
                                                   EntPosePlay* play);

/* Replaces the weights of morph targets that the clips of a row animate.
 *
 *   weights  [count] of a mesh of the entity
 *
 * Returns  ENT_OK or ENT_NO_MEMORY. */
ENT_API ENT_MUST_CHECK EntStatus ent_skins_weights(EntSkins* skins, uint32_t row, uint32_t count,
                                                   float* weights);

#ifdef __cplusplus
}
#endif

#endif
