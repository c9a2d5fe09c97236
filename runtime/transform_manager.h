/* transform_manager.h - where things are: local poses, world matrices, and who hangs on whom.
 *
 * World matrices are right after every call: a change goes down to all descendants at once. */
#ifndef ENT_TRANSFORM_MANAGER_H
#define ENT_TRANSFORM_MANAGER_H

#include "world.h"

/* The upper three rows of a 4x4 matrix for column vectors: translation in the last column. The same
 * bytes are a row_major mat4x3 in GLSL. */
typedef struct Mat34 {
    f32 m[3][4];
} Mat34;

/* Rows of the same manager, or MANAGER_NO_ROW. */
typedef struct TransformLinks {
    u32 parent, first_child, next_sibling, previous_sibling;
} TransformLinks;

/* The runtime's own columns, beside TransformRows. */
static inline Mat34* ent_transform_worlds(World* world) {
    return (Mat34*)world->manager[world->built_in[COMPONENT_TRANSFORM]].column[3];
}
static inline const TransformLinks* ent_transform_links(World* world) {
    return (const TransformLinks*)world->manager[world->built_in[COMPONENT_TRANSFORM]].column[4];
}

#ifdef __cplusplus
extern "C" {
#endif

/* Row of an entity's transform, or MANAGER_NO_ROW. */
ENT_API u32 ent_transform_row(const World* world, Entity entity);

/* The world matrix of an entity; NULL when it has no transform. Good until the next spawn or
 * removal. */
ENT_API const Mat34* ent_transform_world(const World* world, Entity entity);

ENT_API TransformRecord ent_transform_local(const World* world, u32 row);

/* Sets a local pose and updates the world matrices of the row and all below it.
 * Cost     proportional to the subtree. */
ENT_API void ent_transform_set_local(World* world, u32 row, const TransformRecord* local);

/* Parent's entity, or ENTITY_NOBODY. */
ENT_API Entity ent_transform_parent(const World* world, Entity entity);

/* Levels of the deepest hierarchy: 1 when nothing has a parent, 0 without transforms. */
ENT_API u32 ent_transform_depth(const World* world);

#ifdef __cplusplus
}
#endif

/* Private to the library: how the list's row `transform` is managed. */
void transform_manager_desc(ManagerDesc* desc);

#endif
