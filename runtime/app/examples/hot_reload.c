/* hot_reload.c - a game that keeps running while its level is edited.
 *
 *     cc hot_reload.c $(pkg-config --cflags --libs libent) -o hot_reload
 *     entc build assets -o out --watch &
 *     ./hot_reload out/levels/town.level
 *
 * Each line on standard input is a frame: press Enter, save a source, press Enter. Everything that
 * has a velocity moves; edited fields change, and entities that have moved keep their position. */
#include <stdio.h>
#include <stdlib.h>

#include <ent/ent.h>

typedef struct Game {
    EntWorld*   world;
    const char* path;
    EntResource level;    /* the level that was spawned or last applied to the world */
    EntEntity*  entities; /* [entities of the level] the entity of each element */
} Game;

static EntEntity* entities_new(const EntBlob* blob) {
    return malloc(sizeof(EntEntity) * ((size_t)blob->header->element_count + 1));
}

static int game_start(Game* game) {
    if (ent_resource_open(&game->level, game->path, NULL, NULL) != ENT_OK) return 0;
    if (ent_world_create(&game->world, NULL) != ENT_OK) return 0;
    game->entities = entities_new(&game->level.blob);
    return game->entities &&
           ent_world_spawn(game->world, &game->level.blob, NULL, game->entities) == ENT_OK;
}

static void game_end(Game* game) {
    free(game->entities);
    ent_world_destroy(game->world);
    ent_resource_close(&game->level);
}

/* Updates the world to `next`, or leaves it unchanged. */
static EntStatus game_follow(Game* game, EntResource* next) {
    EntPatchResult result;
    EntPatch*      patch;
    EntStatus status = ent_patch_create(&patch, game->world, &game->level.blob, &next->blob, NULL);
    if (status != ENT_OK) return status;
    EntEntity* entities = entities_new(&next->blob);
    status = ENT_NO_MEMORY;
    if (entities)
        status = ent_world_patch(game->world, patch, NULL, game->entities, entities, &result);
    ent_patch_destroy(patch); /* it refers to both blobs */
    if (status != ENT_OK) {
        free(entities);
        return status;
    }
    printf("reloaded: %u added, %u removed, %u fields written\n", result.entities_added,
           result.entities_removed, result.fields_written);
    free(game->entities);
    ent_resource_close(&game->level);
    game->entities = entities;
    game->level = *next;
    return ENT_OK;
}

/* entc replaces files by renaming, so the old level stays mapped and complete. */
static void game_reload(Game* game) {
    const EntResourceRef old = game->level.blob.header->hash;
    EntResource          next;
    EntBlobFault         fault;
    if (ent_resource_open(&next, game->path, NULL, &fault) != ENT_OK) {
        printf("not reloaded: %s\n", ent_status_text(fault.status));
        return;
    }
    const EntResourceRef current = next.blob.header->hash;
    if (current.lo == old.lo && current.hi == old.hi) {
        ent_resource_close(&next);
        return;
    }
    const EntStatus status = game_follow(game, &next);
    if (status == ENT_OK) return;
    printf("not reloaded: %s\n", ent_status_text(status));
    ent_resource_close(&next);
}

static void game_step(Game* game, float dt) {
    const EntPointMassRows mass = ent_point_mass_rows(game->world);
    for (uint32_t i = 0; i < mass.count; i++) {
        const uint32_t row = ent_transform_row(game->world, mass.entity[i]);
        if (row == ENT_MANAGER_NO_ROW) continue;
        EntTransformRecord local = ent_transform_local(game->world, row);
        local.position.x += mass.velocity[i].x * dt;
        local.position.y += mass.velocity[i].y * dt;
        local.position.z += mass.velocity[i].z * dt;
        ent_transform_set_local(game->world, row, &local);
        printf("%u of %u: %g %g %g\n", i + 1, mass.count, (double)local.position.x,
               (double)local.position.y, (double)local.position.z);
    }
}

int main(int argc, char** argv) {
    Game game = {0};
    if (argc != 2) return fputs("usage: hot_reload OUT/NAME.level\n", stderr), 1;
    game.path = argv[1];
    const int started = game_start(&game);
    if (!started) fprintf(stderr, "%s cannot be spawned\n", game.path);
    for (int c; started && (c = getchar()) != EOF;) {
        if (c != '\n') continue;
        game_reload(&game);
        game_step(&game, 0.5f);
        fflush(stdout);
    }
    game_end(&game);
    return !started;
}
