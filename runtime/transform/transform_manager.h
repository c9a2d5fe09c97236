/* transform_manager.h - local poses, world matrices and the hierarchy.
 *
 *     const uint32_t row = ent_transform_row(world, lamp);
 *     ent_transform_set_local(world, row, &pose); // the lamp and all its descendants
 *     // The lamp becomes a child of the hand, and keeps its place in the world:
 *     if (ent_transform_attach(world, lamp, hand, 0) != ENT_OK) return 1;
 *
 * World matrices are up to date after every call: a change is applied to all descendants
 * immediately. A world in which many rows move every frame should defer updates instead: calls then
 * only mark rows as dirty, and ent_transform_update computes the matrices of these rows only.
 *
 *     ent_transform_defer(world, 1);
 *     while (running) {
 *         const EntTransformRows t = ent_transform_rows(world);
 *         for (uint32_t i = 0; i < t.count; i++) t.position[i].y += 0.1f;
 *         ent_transform_touch(world, 0, t.count);
 *         ent_transform_update(world); // row numbers change here
 *     }
 *
 * When a parent is removed, its children stay without one, and their local poses, which do not
 * change, are relative to the world from then on. This applies to ent_entity_destroy,
 * ent_world_patch, and ent_manager_remove of a transform. ent_transform_detach, called before,
 * leaves a child where it is in the world instead. ent_entity_destroy_subtrees destroys the
 * children, too.
 *
 * Poses of a skeleton's joints are in a different space: they are relative to the entity, and are
 * not rows (animation.h).
 *
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 3), 2014 (links, the part at
 *          the end for what is dirty); J. Turanszki, Entity-Component System, 2019 (attaching). */
#ifndef ENT_TRANSFORM_MANAGER_H
#define ENT_TRANSFORM_MANAGER_H

#include "world.h"
#ifdef ENT_BUILD
#include "transform.h"
#else
#include "records.h"
#endif

typedef enum EntAttachFlags {
    ENT_ATTACH_CREATE =
        1 /* a parent without a transform receives one, at the origin of the world */
} EntAttachFlags;

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

/* The world matrix of an entity; NULL when it has no transform. Valid as long as its row. */
ENT_API const EntMat34* ent_transform_world(const EntWorld* world, EntEntity entity);

/* The local pose in a row. Needs    row < count (asserted). */
ENT_API EntTransformRecord ent_transform_local(const EntWorld* world, uint32_t row);

/* Parent's entity; ENT_ENTITY_NULL without one, and for an entity without a transform. */
ENT_API EntEntity ent_transform_parent(const EntWorld* world, EntEntity entity);

/* Levels of the deepest hierarchy: 1 when nothing has a parent, 0 without transforms.
 * Cost     for each row the path to its root: for tools, not for every frame. */
ENT_API uint32_t ent_transform_depth(const EntWorld* world);

/* --- moving --- */

/* Sets a local pose and updates the world matrices of the row and all below it.
 * Needs    row < count (asserted).
 * Cost     proportional to the subtree. */
ENT_API void ent_transform_set_local(EntWorld* world, uint32_t row,
                                     const EntTransformRecord* local);

/* The same for many rows; each matrix is computed once, however many of its ancestors moved.
 *
 *   rows    [count]; of duplicate rows the last pose is used
 *   locals  [count]
 *
 * Needs    rows below the manager's count (asserted).
 * Cost     proportional to the subtrees; from a quarter of all rows on, one pass over all. */
ENT_API void ent_transform_set_locals(EntWorld* world, const uint32_t* rows,
                                      const EntTransformRecord* locals, uint32_t count);

/* Sets the local pose of a row such that its world matrix is this one, up to rounding and to what a
 * position, a rotation and a scale can represent (ent_transform_attach). When there is no such pose, as
 * under a parent of scale 0, nothing changes.
 * Needs    row < count (asserted).
 * Cost     an inverse, and proportional to the subtree. */
ENT_API void ent_transform_set_world(EntWorld* world, uint32_t row, const EntMat34* matrix);

/* Moves rows to places in the world: their positions change, rotations and scales below the parent stay. Of a row and one above it,
 * the upper one is moved first. A row under a parent of scale 0 along an axis stays where it is.
 *
 *   rows    [count] different ones
 *   places  [count]
 *
 * Needs    rows below the manager's count (asserted).
 * Cost     as ent_transform_set_locals; for each row that has a parent also an inverse, and the path to its root as often as the deepest
 *          of the rows has levels. */
ENT_API void ent_transform_set_places(EntWorld* world, const uint32_t* rows, const EntVec3* places,
                                      uint32_t count);

/* Reports that these rows of EntTransformRows were written: they and all their descendants get
 * new world matrices, immediately or, when deferred, with the next ent_transform_update. Needs
 * and costs as ent_transform_set_locals. */
ENT_API void ent_transform_touch(EntWorld* world, const uint32_t* rows, uint32_t count);

/* Reports that any rows of EntTransformRows were written, and computes all world matrices in one
 * pass, with the world's jobs when it has some. When a child is before its parent after swaps,
 * the two are swapped: row numbers may change. */
ENT_API void ent_transform_update_all(EntWorld* world);

/* --- hierarchy --- */

/* Attaches an entity, with all its descendants, to a parent, as its last child. It keeps its world
 * pose: its local pose is multiplied by the inverse of the parent's matrix. That is exact up to
 * rounding unless the parent has a non-uniform scale and a rotation, which a position, a rotation
 * and a scale cannot represent; then it is an approximate pose. Rows are moved so that parents are
 * before children. When deferred, the parent's matrix is computed from the poses above it: the
 * local pose is then that of an immediate world up to rounding.
 *
 *   flags  EntAttachFlags, or 0
 *
 * Returns  ENT_OK, or with nothing changed: ENT_STALE, ENT_NO_TRANSFORM; ENT_CYCLE: the parent is
 *          the child or one of its descendants; ENT_NO_MEMORY; ENT_LIMIT: with flags.
 * Cost     proportional to the subtree. */
ENT_API ENT_MUST_CHECK EntStatus ent_transform_attach(EntWorld* world, EntEntity child,
                                                      EntEntity parent, uint32_t flags);

/* Detaches an entity from its parent; it keeps its world pose. Without a parent: does nothing.
 * Returns  ENT_OK, ENT_STALE, ENT_NO_TRANSFORM. */
ENT_API ENT_MUST_CHECK EntStatus ent_transform_detach(EntWorld* world, EntEntity child);

/* Attaches an entity to another parent, or to none with ENT_ENTITY_NULL, and keeps its local
 * pose instead. Returns as ent_transform_attach. */
ENT_API ENT_MUST_CHECK EntStatus ent_transform_reparent(EntWorld* world, EntEntity child,
                                                        EntEntity parent);

/* --- deferred --- */

/* Defers changes until ent_transform_update from now on, or, with 0, applies them immediately
 * again (deferred ones are applied first, and rows move). */
ENT_API void ent_transform_defer(EntWorld* world, int on);

/* Computes the world matrices of rows that changed, and of all their descendants. Rows that change in
 * three updates in succession are moved to the end of the arrays, where an update costs less; when
 * they did not change for five updates, they are moved out of that part.
 *
 * Returns  the number of computed matrices; 0, without any change, unless the world defers updates.
 * Cost     proportional to rows that changed, and to those at the end of the arrays. */
ENT_API uint32_t ent_transform_update(EntWorld* world);

#ifdef __cplusplus
}
#endif

#endif
