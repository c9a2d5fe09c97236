/* bench_gpu_world.h - entities of the worlds that are drawn. */
#ifndef BENCH_GPU_WORLD_H
#define BENCH_GPU_WORLD_H

#include "bench_gpu.h"
#include "rows.h"
#include "transform_manager.h"
#include "world.h"

/* A new entity with a transform and this component. Returns the row of the component. */
static inline u32 bench_entity_add(World* world, const char* type, Vec3 at, Quat turn) {
    Entity          entity;
    u32             row;
    TransformRecord pose = {at, turn, {1, 1, 1}};
    bench_must(ent_entity_create(world, &entity, 1), "an entity");
    bench_must(
        ent_manager_create(world, ent_world_manager_by_name(world, "transform"), entity, &row),
        "a transform");
    ent_transform_set_local(world, row, &pose);
    bench_must(ent_manager_create(world, ent_world_manager_by_name(world, type), entity, &row),
               type);
    return row;
}

#endif
