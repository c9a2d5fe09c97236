/* hot_reload.c - a game that keeps running while all its resources are edited.
 *
 *     cc hot_reload.c $(pkg-config --cflags --libs libent) -o hot_reload
 *     entc build assets -o out --watch &
 *     ./hot_reload out levels/town
 *
 * Each line on standard input is a frame: press Enter, save a source, press Enter. Everything that
 * has a velocity moves; edited fields change, and entities that have moved keep their position. */
#include <stdio.h>

#include <ent/ent.h>

/* Of all resources: systems on a GPU follow them by themselves. */
static void changed(void* user, const EntLibraryChange* change) {
    static const char* const signs[] = {"changed", "added", "removed"};
    (void)user;
    printf("%s: %s.%s\n", signs[change->kind], change->entry->name,
           ent_resource_suffix(change->entry->resource.blob.header->resource_type));
}

/* Without a new build it costs the query of a time stamp. */
static void follow(EntLibrary* library, EntWorld* world) {
    EntLibraryChanges changes;
    EntWorldFollowed  f;
    EntStatus         status = ent_library_follow(library, &changes);
    if (status != ENT_OK) printf("not reloaded: %s\n", library->problem);
    if (status != ENT_OK || changes.count == 0) return;
    status = ent_world_follow(world, &changes, &f);
    if (status != ENT_OK) printf("not reloaded: %s: %s\n", f.failed->name, ent_status_text(status));
    printf("reloaded: %u added, %u removed, %u fields written\n", f.result.entities_added,
           f.result.entities_removed, f.result.fields_written);
}

static void step(EntWorld* world, float dt) {
    const EntPointMassRows mass = ent_point_mass_rows(world);
    for (uint32_t i = 0; i < mass.count; i++) {
        const uint32_t row = ent_transform_row(world, mass.entity[i]);
        if (row == ENT_MANAGER_NO_ROW) continue;
        EntTransformRecord local = ent_transform_local(world, row);
        local.position.x += mass.velocity[i].x * dt;
        local.position.y += mass.velocity[i].y * dt;
        local.position.z += mass.velocity[i].z * dt;
        ent_transform_set_local(world, row, &local);
        printf("%u of %u: %g %g %g\n", i + 1, mass.count, (double)local.position.x,
               (double)local.position.y, (double)local.position.z);
    }
}

int main(int argc, char** argv) {
    const EntLibraryDesc  desc = {.changed = changed};
    EntSpawned            spawned;
    const EntSpawnOptions options = {.spawned = &spawned};
    EntLibrary            library;
    const EntBlob*        level;
    EntWorld*             world;
    if (argc != 3) return fputs("usage: hot_reload OUT NAME\n", stderr), 1;
    if (ent_library_open(&library, argv[1], &desc) != ENT_OK ||
        ent_library_load(&library, argv[2], ENT_RESOURCE_LEVEL, &level) != ENT_OK)
        return fprintf(stderr, "%s\n", library.problem), 1;
    if (ent_world_create(&world, NULL) != ENT_OK ||
        ent_world_spawn(world, level, &options, NULL) != ENT_OK)
        return fputs("the level cannot be spawned\n", stderr), 1;
    for (int c; (c = getchar()) != EOF;) {
        if (c != '\n') continue;
        follow(&library, world);
        step(world, 0.5f);
        fflush(stdout);
    }
    ent_world_destroy(world);
    ent_library_close(&library);
}
