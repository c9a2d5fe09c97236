/* spawn_level.c - an introduction for hosts: load a level, spawn it, iterate over its components,
 * move entities.
 *
 *     entc build assets -o out
 *     cc spawn_level.c $(pkg-config --cflags --libs libent) -o spawn_level
 *     ./spawn_level out levels/town
 *
 * `out` may also be a bundle of `entc pack`. */
#include <stdio.h>
#include <stdlib.h>

#include <ent/ent.h>

/* Component types that the project declares as data, such as "health" in the town. They are
 * opened with the level that uses them; a type that is not declared is skipped when the level is
 * spawned. */
static EntStatus declare_components(EntWorld* world, const EntLibrary* library) {
    for (uint32_t i = 0; i < library->count; i++) {
        const EntBlob* blob = &ent_library_entry(library, i)->resource.blob;
        if (blob->header->resource_type != ENT_RESOURCE_COMPONENT) continue;
        const EntStatus status = ent_world_declare(world, blob);
        if (status != ENT_OK) return status;
    }
    return ENT_OK;
}

/* Systems are loops over columns: row i of every array of a manager is the same instance, and
 * there are no gaps. */
static void lights_report(EntWorld* world) {
    const EntLightRows lights = ent_light_rows(world);
    uint32_t           shadows = 0;
    for (uint32_t i = 0; i < lights.count; i++) shadows += lights.record[i].casts_shadow;
    printf("%u lights, %u of them cast shadows\n", lights.count, shadows);
}

/* Integrates the velocities; the transforms of the entities and their children follow. */
static void step(EntWorld* world, float dt, uint32_t* moved) {
    const EntPointMassRows mass = ent_point_mass_rows(world);
    for (uint32_t i = 0; i < mass.count; i++) {
        mass.velocity[i].y += mass.force[i].y / mass.mass[i] * dt;
        mass.position[i].y += mass.velocity[i].y * dt;
        mass.position[i].z += mass.velocity[i].z * dt;
    }
    const EntTransformRows transforms = ent_transform_rows(world);
    uint32_t               count = 0;
    for (uint32_t i = 0; i < mass.count; i++) {
        const uint32_t row = ent_transform_row(world, mass.entity[i]);
        if (row == ENT_MANAGER_NO_ROW) continue;
        transforms.position[row] = mass.position[i];
        moved[count++] = row;
    }
    ent_transform_touch(world, moved, count); /* world matrices follow */
}

static int run(EntWorld* world, const EntBlob* level) {
    if (ent_world_spawn(world, level, NULL, NULL) != ENT_OK) return 1;
    printf("%u entities, %u levels deep\n", ent_entity_count(world), ent_transform_depth(world));
    lights_report(world);

    const EntEntity ball = ent_name_find(world, "ball"); /* the name component's id */
    uint32_t* moved = (uint32_t*)malloc(sizeof(uint32_t) * (ent_point_mass_rows(world).count + 1));
    if (!moved) return 1;
    for (int second = 0; second < 3; second++) {
        const EntMat34* at = ent_transform_world(world, ball); /* NULL: it has no transform */
        if (at)
            printf("the ball is at %g %g %g\n", (double)at->m[0][3], (double)at->m[1][3],
                   (double)at->m[2][3]);
        for (int frame = 0; frame < 4; frame++) step(world, 0.25f, moved);
    }
    free(moved);
    return 0;
}

int main(int argc, char** argv) {
    EntLibrary     library;
    const EntBlob* level;
    EntWorld*      world;
    int            code = 1;
    if (argc != 3) return fputs("usage: spawn_level OUT NAME\n", stderr), 1;
    if (ent_library_open(&library, argv[1], NULL) != ENT_OK) {
        return fprintf(stderr, "%s\n", library.problem), 1;
    }
    if (ent_library_load(&library, argv[2], ENT_RESOURCE_LEVEL, &level) != ENT_OK) {
        fprintf(stderr, "%s\n", library.problem);
    } else if (ent_world_create(&world, NULL) == ENT_OK) {
        if (declare_components(world, &library) == ENT_OK) code = run(world, level);
        ent_world_destroy(world);
    }
    ent_library_close(&library);
    return code;
}
