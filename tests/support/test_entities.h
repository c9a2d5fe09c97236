/* test_entities.h - entities of a world, each with a transform and a component. */
#ifndef TEST_ENTITIES_H
#define TEST_ENTITIES_H

#include "test.h"
#include "transform_manager.h"

/* An entity with a default instance of a component, at a position; `row`: of the instance. */
static inline Entity entity_with(World* world, const char* component, Vec3 at, u32* row) {
    Entity entity;
    u32    t;
    assert_int_equal(ent_entity_create(world, &entity, 1), ENT_OK);
    assert_int_equal(
        ent_manager_create(world, ent_world_built_in(world, COMPONENT_TRANSFORM), entity, &t),
        ENT_OK);
    TransformRecord pose = ent_transform_local(world, t);
    pose.position = at;
    ent_transform_set_local(world, t, &pose);
    assert_int_equal(
        ent_manager_create(world, ent_world_manager_by_name(world, component), entity, row),
        ENT_OK);
    return entity;
}

#endif
