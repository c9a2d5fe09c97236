/* transform_manager.h - local poses, world matrices and the hierarchy.
 *
 *     const uint32_t row = ent_transform_row(world, lamp);
 *     ent_transform_set_local(world, row, &pose);           the lamp and all its descendants
 *     ent_transform_attach(world, lamp, hand);              and now it is carried, from where it is
 *
 * World matrices are right after every call: a change goes down to all descendants at once. A world
 * in which much moves every frame should defer instead: calls then only note what is dirty, and
 * ent_transform_update makes the matrices of these rows and of nothing else.
 *
 *     ent_transform_defer(world, 1);
 *     each frame:
 *         EntTransformRows t = ent_transform_rows(world);
 *         for (...) t.position[row[i]] = ..;
 *         ent_transform_touch(world, row, count);
 *         ent_transform_update(world);                      row numbers change here
 *
 * When a parent goes, its children stay without one, and their local poses, which do not change,
 * are relative to the world from then on: so for ent_entity_destroy, ent_world_patch, and
 * ent_manager_remove of a transform. ent_transform_detach, called before, leaves a child where it
 * is in the world instead. ent_entity_destroy_subtrees destroys the children, too.
 *
 * Poses of a skeleton's joints are another space: they are relative to the entity, and are not rows
 * (animation.h).
 *
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 3), 2014 (links, the part at
 *          the end for what is dirty); J. Turanszki, Entity-Component System, 2019 (attaching). */
#ifndef ENT_TRANSFORM_MANAGER_H
#define ENT_TRANSFORM_MANAGER_H

#include "world.h"

/* Rows of the same manager, or ENT_MANAGER_NO_ROW. */
typedef struct EntTransformLinks {
    uint32_t parent, first_child, last_child, next_sibling, previous_sibling;
} EntTransformLinks;

#ifdef __cplusplus
extern "C" {
#endif

/* The runtime's own columns, beside EntTransformRows: [count] each, to be read only. */
ENT_API EntMat34*                ent_transform_worlds(EntWorld* world);
ENT_API const EntTransformLinks* ent_transform_links(EntWorld* world);

/* Row of an entity's transform, or ENT_MANAGER_NO_ROW: valid until transforms are added, removed or
 * get another parent.
 * Cost     two loads. */
ENT_API uint32_t ent_transform_row(const EntWorld* world, EntEntity entity);

/* The world matrix of an entity; NULL when it has no transform. Good for as long as its row. */
ENT_API const EntMat34* ent_transform_world(const EntWorld* world, EntEntity entity);

/* The local pose in a row. Needs    row < count (asserted). */
ENT_API EntTransformRecord ent_transform_local(const EntWorld* world, uint32_t row);

/* Parent's entity; ENT_ENTITY_NULL without one, and for an entity without a transform. */
ENT_API EntEntity ent_transform_parent(const EntWorld* world, EntEntity entity);

/* Levels of the deepest hierarchy: 1 when nothing has a parent, 0 without transforms.
 * Cost     for each row the way up to its root: for tools, not for frames. */
ENT_API uint32_t ent_transform_depth(const EntWorld* world);

/* --- moving --- */

/* Sets a local pose and updates the world matrices of the row and all below it.
 * Needs    row < count (asserted).
 * Cost     proportional to the subtree. */
ENT_API void ent_transform_set_local(EntWorld* world, uint32_t row,
                                     const EntTransformRecord* local);

/* The same for many rows; each matrix is made once, however many of its ancestors moved.
 *
 *   rows    [count]; when a row comes twice the later pose counts
 *   locals  [count]
 *
 * Needs    rows below the manager's count (asserted).
 * Cost     proportional to the subtrees; from a quarter of all rows on, one pass over all. */
ENT_API void ent_transform_set_locals(EntWorld* world, const uint32_t* rows,
                                      const EntTransformRecord* locals, uint32_t count);

/* Says that somebody wrote to EntTransformRows in these rows: they and all below them get new world
 * matrices, now or, deferred, with the next ent_transform_update. Needs and costs as above. */
ENT_API void ent_transform_touch(EntWorld* world, const uint32_t* rows, uint32_t count);

/* Says that somebody wrote to EntTransformRows anywhere, and makes all world matrices in one pass,
 * with the world's jobs when it has some. Where swaps left a child before its parent, the two trade
 * places: row numbers may change. */
ENT_API void ent_transform_update_all(EntWorld* world);

/* --- hierarchy --- */

/* Hangs an entity, with all below it, on a parent, as its last child. It stays where it is in the
 * world: its local pose becomes what the inverse of the parent's matrix makes of it. That is exact
 * up to rounding unless the parent is scaled unevenly and turned, which a position, a rotation and
 * a scale cannot undo; then it is a near such pose. Rows change places so that parents are before
 * children. Deferred, the parent's matrix is worked out from the poses above it: the local pose
 * then is that of an immediate world up to rounding.
 *
 * Returns  ENT_OK, or with nothing changed: ENT_STALE, ENT_NO_TRANSFORM; ENT_CYCLE: the parent is
 *          the child or one of its descendants; ENT_NO_MEMORY.
 * Cost     proportional to the subtree. */
ENT_API ENT_MUST_CHECK EntStatus ent_transform_attach(EntWorld* world, EntEntity child,
                                                      EntEntity parent);

/* Takes an entity off its parent; it stays where it is in the world. Without a parent: nothing.
 * Returns  ENT_OK, ENT_STALE, ENT_NO_TRANSFORM. */
ENT_API ENT_MUST_CHECK EntStatus ent_transform_detach(EntWorld* world, EntEntity child);

/* Hangs an entity on another parent, or on none with ENT_ENTITY_NULL, and keeps its local pose
 * instead. Returns as ent_transform_attach. */
ENT_API ENT_MUST_CHECK EntStatus ent_transform_reparent(EntWorld* world, EntEntity child,
                                                        EntEntity parent);

/* --- deferred --- */

/* From now on changes wait for ent_transform_update, or, with 0, are made at once again (what waits
 * is made first, and rows change places). */
ENT_API void ent_transform_defer(EntWorld* world, int on);

/* Makes the world matrices of rows that changed, and of all their descendants. These rows are at
 * the end of the arrays; what did not change for five updates leaves that place.
 *
 * Returns  rows whose matrix was made; 0, and nothing is done, unless the world defers.
 * Cost     proportional to rows that changed within the last five updates. */
ENT_API uint32_t ent_transform_update(EntWorld* world);

#ifdef __cplusplus
}
#endif

#endif
