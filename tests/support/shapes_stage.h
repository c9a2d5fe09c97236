/* shapes_stage.h - a world of which only elements of arrays and planes are drawn, with its lighting. */
#ifndef SHAPES_STAGE_H
#define SHAPES_STAGE_H

#include "gpu_picture.h"
#include "lighting.h"
#include "rows.h"
#include "shapes.h"
#include "world.h"

typedef struct ShapesStage {
    World*   world;
    Canvas*  canvas;
    GpuPart  part[3]; /* lighting, shapes, planes */
    GpuParts parts;
} ShapesStage;

static inline void shapes_stage_close(ShapesStage* s) {
    ent_canvas_destroy(s->canvas);
    while (s->parts.count--) s->part[s->parts.count].system->destroy(s->part[s->parts.count].state);
    ent_world_destroy(s->world);
    *s = (ShapesStage){0};
}

static inline ent_status shapes_stage_fill(ShapesStage* s, Gpu* gpu, const CanvasDesc* desc) {
    static const Library   no_library;
    const GpuSystem* const systems[] = {ent_lighting_system(), ent_shapes_system(),
                                        ent_planes_system()};
    GpuProblem             problem = {0};
    GpuScene               scene = {.library = &no_library};
    TRY(ent_world_create(&s->world, NULL));
    scene.world = s->world;
    for (u32 i = 0; i < COUNT_OF(systems); i++) {
        s->part[i].system = systems[i];
        TRY(systems[i]->create(&s->part[i].state, gpu, &scene, &problem));
        s->parts.count++;
        scene.lighting = s->part[0].state;
    }
    return ent_canvas_create(&s->canvas, gpu, desc);
}

/* After a failure there is nothing to close. */
static inline ent_status shapes_stage_open(ShapesStage* s, Gpu* gpu, const CanvasDesc* desc) {
    *s = (ShapesStage){0};
    s->parts.at = s->part;
    const ent_status status = shapes_stage_fill(s, gpu, desc);
    if (status != ENT_OK) shapes_stage_close(s);
    return status;
}

/* Adds a light to its world. */
static inline ent_status shapes_stage_light(const ShapesStage* s, const LightRecord* light, Vec3 at,
                                            Quat turn) {
    const TransformRecord pose = {at, turn, {1, 1, 1}};
    Entity                entity;
    u32                   row;
    TRY(ent_entity_create(s->world, &entity, 1));
    TRY(ent_manager_create(s->world, ent_world_built_in(s->world, COMPONENT_TRANSFORM), entity,
                           &row));
    ent_transform_set_local(s->world, row, &pose);
    TRY(ent_manager_create(s->world, ent_world_built_in(s->world, COMPONENT_LIGHT), entity, &row));
    ent_light_rows(s->world).record[row] = *light;
    ent_transform_update(s->world);
    return ENT_OK;
}

static inline void* shapes_stage_shapes(const ShapesStage* s) { return s->part[1].state; }

#endif
