/* bench_names.c - names of entities, and loops over entities with several types.
 *
 *     bench_names LEVEL    a blob with names, transforms, meshes and point masses
 *
 * Contenders alternate in one process; medians. */
#include <string.h>

#include "bench_rows.h"
#include "ent.h"
#include "file.h"
#include "hash.h"

#define FINDS 200000u /* names that are looked up in a table */
#define LOOPS 20u     /* and by a loop over all rows */

static void check(bool holds, const char* what) {
    if (holds) return;
    fprintf(stderr, "bench_names: %s\n", what);
    exit(1);
}

static World* world_new(bool names) {
    const WorldDesc desc = {.names = names};
    World*          world;
    check(ent_world_create(&world, &desc) == ENT_OK, "world");
    return world;
}

/* --- the component `name` --- */

static Entity find_by_hand(World* world, const char* name) {
    const NameRows rows = ent_name_rows(world);
    const u32      id = hash_name(text_of(name));
    for (u32 i = 0; i < rows.count; i++) {
        if (rows.record[i].id == id) return rows.entity[i];
    }
    return ENTITY_NULL;
}

#define NAME_BYTES 16

/* Names in an order without neighbours: the next one is never in the same line of the cache. */
static void finds_run(World* world, const char* names, u32 count, u32 times,
                      Entity (*find)(World*, const char*)) {
    for (u32 i = 0, at = 0; i < times; i++, at = (at + 7919) % count) {
        const char* name = names + (size_t)at * NAME_BYTES;
        check(find(world, name) != ENTITY_NULL, name);
    }
}

static void bench_find(u32 count) {
    World*     world = world_new(false);
    Entity*    entities = malloc(sizeof *entities * count);
    char*      names = malloc((size_t)count * NAME_BYTES);
    BenchTimes map = {0}, hand = {0};
    check(entities && names && ent_entity_create(world, entities, count) == ENT_OK, "entities");
    for (u32 i = 0; i < count; i++) {
        char* name = names + (size_t)i * NAME_BYTES;
        snprintf(name, NAME_BYTES, "name_%u", i);
        check(ent_name_set(world, entities[i], name) == ENT_OK, "name");
    }
    for (u32 r = 0; r < BENCH_RUNS; r++) {
        BENCH_TIMED(map, finds_run(world, names, count, FINDS, ent_name_find));
        BENCH_TIMED(hand, finds_run(world, names, count, LOOPS, find_by_hand));
    }
    const f64 one = bench_median(&map) / FINDS, loop = bench_median(&hand) / LOOPS;
    bench_row("entity by its component `name`; ns", count, one, "ns", one, count == 10000 ? 30 : 0);
    bench_row("entity by its component `name` / a loop by hand", count, loop, "ns", one / loop, 0);
    ent_world_destroy(world);
    free(entities);
    free(names);
}

/* --- joins --- */

/* A value that the loops compute, so that none is left out. */
static f64 total;

static void join_run(World* world) {
    const TransformRows t = ent_transform_rows(world);
    const PointMassRows p = ent_point_mass_rows(world);
    EntJoin             join = ENT_JOIN(world, ent_world_built_in(world, COMPONENT_POINT_MASS),
                                        ent_world_built_in(world, COMPONENT_TRANSFORM),
                                        ent_world_built_in(world, COMPONENT_MESH));
    f32                 sum = 0;
    while (ent_join_next(&join))
        sum += p.position[join.row[0]].y + t.position[join.row[1]].y + (f32)join.row[2];
    total += (f64)sum;
}

static void join_by_hand(World* world) {
    const EntityPool*      pool = ent_world_entities(world);
    const TransformRows    t = ent_transform_rows(world);
    const PointMassRows    p = ent_point_mass_rows(world);
    const EntManagerFinder transforms =
        ent_manager_finder(ent_world_built_in(world, COMPONENT_TRANSFORM), pool);
    const EntManagerFinder meshes =
        ent_manager_finder(ent_world_built_in(world, COMPONENT_MESH), pool);
    f32 sum = 0;
    for (u32 i = 0; i < p.count; i++) {
        const u32 row = ent_finder_row(transforms, p.entity[i]);
        if (row == MANAGER_NO_ROW) continue;
        const u32 mesh = ent_finder_row(meshes, p.entity[i]);
        if (mesh == MANAGER_NO_ROW) continue;
        sum += p.position[i].y + t.position[row].y + (f32)mesh;
    }
    total += (f64)sum;
}

static void bench_join(const Blob* blob) {
    World*     world = world_new(false);
    BenchTimes join = {0}, hand = {0};
    check(ent_world_spawn(world, blob, NULL, NULL) == ENT_OK, "spawn");
    for (u32 r = 0; r < BENCH_RUNS; r++) {
        BENCH_TIMED(join, for (u32 i = 0; i < 8; i++) join_run(world));
        BENCH_TIMED(hand, for (u32 i = 0; i < 8; i++) join_by_hand(world));
    }
    const u32 rows = 8 * ent_world_built_in(world, COMPONENT_POINT_MASS)->count;
    const f64 one = bench_median(&join), other = bench_median(&hand);
    bench_row("join of three types / a loop by hand", rows / 8, one / rows, "ns/row", one / other,
              1.05);
    ent_world_destroy(world);
}

/* --- worlds with names --- */

static void respawn(World* world, const Blob* blob) {
    check(ent_world_spawn(world, blob, NULL, NULL) == ENT_OK, "spawn");
    ent_world_clear(world);
}

static void bench_spawn(const Blob* blob) {
    World *    plain = world_new(false), *named = world_new(true);
    BenchTimes with = {0}, without = {0}, paths = {0};
    const u32  count = blob->header->element_count;
    char       path[256];
    respawn(plain, blob);
    respawn(named, blob);
    for (u32 r = 0; r < BENCH_RUNS; r++) {
        BENCH_TIMED(without, respawn(plain, blob));
        BENCH_TIMED(with, respawn(named, blob));
    }
    const f64 one = bench_median(&with), other = bench_median(&without);
    bench_row("spawn and clear with names / without", count, one / count, "ns/entity", one / other,
              0);
    check(ent_world_spawn(named, blob, NULL, NULL) == ENT_OK, "spawn");
    for (u32 r = 0; r < BENCH_RUNS; r++) {
        BENCH_TIMED(
            paths, for (u32 i = 0; i < 1000; i++) {
                ent_blob_path(blob, i * (count / 1000), path, sizeof path);
                check(ent_world_path_find(named, path) != ENTITY_NULL, path);
            });
    }
    const f64 each = bench_median(&paths) / 1000;
    bench_row("path of an entity and the entity at it; ns", count, each, "ns", each, 0);
    ent_world_destroy(plain);
    ent_world_destroy(named);
}

int main(int argc, char** argv) {
    FileView view;
    Blob     blob;
    check(argc == 2, "LEVEL");
    check(file_map(&view, argv[1]) == ENT_OK, "the level cannot be read");
    check(ent_blob_open(&blob, view.bytes, view.size, NULL, NULL) == ENT_OK, "it is no blob");
    bench_find(10000);
    bench_find(1000000);
    bench_join(&blob);
    bench_spawn(&blob);
    file_unmap(&view);
    return total == 0.5;
}
