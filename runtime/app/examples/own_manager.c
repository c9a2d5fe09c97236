/* own_manager.c - a component that a project declares, stored in a custom manager of the host.
 *
 *     entc build assets -o out
 *     entc codegen assets -o components.h
 *     cc -I. own_manager.c $(pkg-config --cflags --libs libent) -o own_manager
 *     ./own_manager out levels/town gameplay/health
 *
 * gameplay/health.component.json declares "health", and levels use it. ent_world_declare would be
 * enough to store its rows. This host adds a column, sets it when rows are spawned, and tracks the
 * index of one row while other rows are removed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ent/ent.h>

#include "components.h" /* written by entc codegen: HealthRows */

/* Behind the columns of the declaration. */
#define SHOWN HEALTH_COLUMNS

typedef struct Game {
    uint32_t aimed;  /* row that the player aims at, or ENT_MANAGER_NO_ROW */
    uint32_t broken; /* */
} Game;

/* The points that a bar shows: the host's own column. */
static float* shown_of(const EntManager* m) { return m->column[SHOWN]; }

/* Adds all instances of a level in one call: append copies the columns of the blob; the host sets
 * the added column. */
static void health_spawn(EntWorld* world, EntManager* m, const EntSpawnBatch* batch) {
    const uint32_t   first = ent_manager_append(m, batch);
    const HealthRows health = health_rows_of(m);
    (void)world;
    for (uint32_t i = first; i < health.count; i++) shown_of(m)[i] = health.points[i];
}

/* Called before the row is removed. */
static void health_removed(EntManager* m, uint32_t row) {
    Game* game = (Game*)m->desc.user;
    if (game->aimed == row) game->aimed = ENT_MANAGER_NO_ROW;
    game->broken++;
}

/* Called before the last row moves into the gap of a removed row: rows stay dense. */
static void health_moved(EntManager* m, uint32_t from, uint32_t to) {
    Game* game = (Game*)m->desc.user;
    if (game->aimed == from) game->aimed = to;
}

/* Lightning damages one row, rain damages all rows; entities with no points left are destroyed with
 * their children. */
static int storm(EntWorld* world, EntManager* m, uint32_t strike, float dt) {
    const HealthRows health = health_rows(world);
    float *          points = health.points, *armor = health.armor, *shown = shown_of(m);
    points[strike] -= 60 * (1 - armor[strike]);
    for (uint32_t i = 0; i < health.count; i++) {
        points[i] -= 2 * (1 - armor[i]) * dt;
        shown[i] += (points[i] - shown[i]) / 2; /* the displayed value changes gradually */
    }
    for (uint32_t row = 0; row < m->count;) {
        const EntEntity owner = m->entity[row];
        if (points[row] > 0)
            row++; /* otherwise this row now contains another instance */
        else if (ent_entity_destroy_subtrees(world, &owner, 1, NULL) != ENT_OK)
            return 0;
    }
    return 1;
}

static int run(EntWorld* world, const EntBlob* level, const EntBlob* declaration, void* memory) {
    Game           game = {ENT_MANAGER_NO_ROW, 0};
    EntManagerDesc desc;
    memset(&desc, 0, sizeof desc);
    desc.type = ent_component_type_open(declaration, memory);
    desc.extra_bytes[0] = sizeof(float); /* SHOWN */
    desc.user = &game;
    desc.spawn = health_spawn;
    desc.removed = health_removed;
    desc.moved = health_moved;
    if (ent_world_register(world, &desc) != ENT_OK) return 1;
    if (ent_world_spawn(world, level, NULL, NULL) != ENT_OK) return 1;

    EntManager* m = ent_world_manager_by_name(world, "health");
    game.aimed = m->count - 1;
    printf("%u of %u entities can break\n", m->count, ent_entity_count(world));
    for (int second = 1; second <= 4 && m->count > 0; second++) {
        if (!storm(world, m, (uint32_t)second % m->count, 1)) return 1;
        printf("after %d s: %u broken, %u rows left; ", second, game.broken, m->count);
        if (game.aimed == ENT_MANAGER_NO_ROW)
            puts("the target is gone");
        else
            printf("the target is row %u, its bar at %g\n", game.aimed,
                   (double)shown_of(m)[game.aimed]);
    }
    return 0;
}

int main(int argc, char** argv) {
    EntLibrary     library;
    const EntBlob *level, *declaration;
    EntWorld*      world;
    int            code = 1;
    if (argc != 4) return fputs("usage: own_manager OUT LEVEL COMPONENT\n", stderr), 1;
    if (ent_library_open(&library, argv[1], NULL) != ENT_OK)
        return fprintf(stderr, "%s\n", library.problem), 1;
    if (ent_library_load(&library, argv[2], ENT_RESOURCE_LEVEL, &level) != ENT_OK ||
        ent_library_load(&library, argv[3], ENT_RESOURCE_COMPONENT, &declaration) != ENT_OK) {
        fprintf(stderr, "%s\n", library.problem);
    } else if (ent_world_create(&world, NULL) == ENT_OK) {
        /* It must exist as long as the world. */
        void* memory = malloc(ent_component_type_bytes(declaration));
        if (memory) code = run(world, level, declaration, memory);
        ent_world_destroy(world);
        free(memory);
    }
    ent_library_close(&library);
    return code;
}
