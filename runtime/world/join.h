/* join.h - a loop over the entities that have components of several types.
 *
 *     const EntLightRows     lights = ent_light_rows(world);
 *     const EntTransformRows transforms = ent_transform_rows(world);
 *     EntJoin                join = ENT_JOIN(world, ent_world_built_in(world, ENT_COMPONENT_LIGHT),
 *                                            ent_world_built_in(world, ENT_COMPONENT_TRANSFORM));
 *     while (ent_join_next(&join)) { // lights below the ground are off
 *         if (transforms.position[join.row[1]].y < 0) lights.record[join.row[0]].intensity = 0;
 *     }
 *
 * The rows of the first type are visited in their order, so that the first type should be the one that the
 * fewest entities have. An entity with multiple instances of the first type is visited once for each of
 * them. Of the other types, it is the first instance; ent_manager_next finds further ones. A type that
 * the world does not have, and that is therefore NULL, has no rows: nothing is visited. Rows of destroyed
 * entities are left out.
 *
 * Fields may be written in the loop; entities and instances may not be added or removed. */
#ifndef ENT_JOIN_H
#define ENT_JOIN_H

#include "world.h"

#define ENT_JOIN_TYPES_MAX 6

/* `row` and `entity` are to be read in the loop; other members are private. */
typedef struct EntJoin {
    uint32_t         row[ENT_JOIN_TYPES_MAX]; /* [types] of the entity */
    EntEntity        entity;
    const EntEntity* owners; /* [count] of the first type */
    uint32_t         count, at, types;
    EntManagerFinder find[ENT_JOIN_TYPES_MAX]; /* [types] */
    int              lazy; /* the first type may have rows of destroyed entities */
} EntJoin;

/* Used by ent_join_of, for each place of the array. */
static inline void ent_join_add(EntJoin* join, const EntEntityPool* pool,
                                const EntManager* const* types, uint32_t i) {
    if (i >= join->types) return;
    if (types[i])
        join->find[i] = ent_manager_finder(types[i], pool);
    else
        join->count = 0;
}

/* A join over an array of types, which begins before the first entity.
 *
 *   types  [count] managers of the world, each valid until a type is registered or unregistered
 *
 * Needs    1 to ENT_JOIN_TYPES_MAX types.
 * Cost     of the loop: one ent_finder_row for each row of the first type and each other type. */
static inline EntJoin ent_join_of(const EntWorld* world, const EntManager* const* types,
                                  uint32_t count) {
    const EntEntityPool* pool = ent_world_entities(world);
#ifdef __cplusplus
    EntJoin join = {};
#else
    EntJoin join = {0};
#endif
    join.types = count;
    if (!types[0]) return join;
    join.owners = types[0]->entity;
    join.count = types[0]->count;
    join.lazy = types[0]->desc.lazy;
    ent_join_add(&join, pool, types, 0); /* without a loop, a compiler has no array to index */
    ent_join_add(&join, pool, types, 1);
    ent_join_add(&join, pool, types, 2);
    ent_join_add(&join, pool, types, 3);
    ent_join_add(&join, pool, types, 4);
    ent_join_add(&join, pool, types, 5);
    return join;
}

/* ENT_JOIN(world, manager, ..): of 1 to ENT_JOIN_TYPES_MAX managers. */
#ifdef __cplusplus
template <typename... Types>
static inline EntJoin ent_join_each(const EntWorld* world, Types... types) {
    const EntManager* const list[] = {types...};
    return ent_join_of(world, list, uint32_t{sizeof...(types)});
}
#define ENT_JOIN(world, ...) ent_join_each(world, __VA_ARGS__)
#else
#define ENT_JOIN_LIST(...) ((const EntManager* const[]){__VA_ARGS__})
#define ENT_JOIN(world, ...)                                                                       \
    ent_join_of(world, ENT_JOIN_LIST(__VA_ARGS__),                                                 \
                (uint32_t)(sizeof ENT_JOIN_LIST(__VA_ARGS__) / sizeof(const EntManager*)))
#endif

/* Does the entity have type i, or is there no type i? */
static inline int ent_join_has(EntJoin* join, uint32_t i, EntEntity entity) {
    if (i >= join->types) return 1;
    join->row[i] = ent_finder_row(join->find[i], entity);
    return join->row[i] != ENT_MANAGER_NO_ROW;
}

/* Goes to the next entity that has all types.
 *
 * Returns  1; 0 after the last one. */
static inline int ent_join_next(EntJoin* join) {
    while (join->at < join->count) {
        const EntEntity entity = join->owners[join->at];
        join->row[0] = join->at++;
        join->entity = entity;
        if (join->types == 1 && join->lazy && !ent_entity_alive(join->find[0].pool, entity))
            continue; /* another type has no row of a destroyed entity */
        if (ent_join_has(join, 1, entity) && ent_join_has(join, 2, entity) &&
            ent_join_has(join, 3, entity) && ent_join_has(join, 4, entity) &&
            ent_join_has(join, 5, entity))
            return 1;
    }
    return 0;
}

#endif
