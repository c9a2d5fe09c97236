/* bench_follow.c - a running world whose level is removed, or changes: a spawn is removed by its number, a build is
 * followed.
 *
 *     bench_follow unspawn LEVEL        a blob
 *     bench_follow reload FOLDER NAME   FOLDER/before and FOLDER/after: outputs of two builds, between which one field
 *                                       of the level changed; FOLDER/live is written
 *
 * Contenders alternate in one process, in one world, which keeps its memory; medians. */
#include <string.h>
#include <sys/stat.h>

#include "bench_rows.h"
#include "ent.h"
#include "file.h"
#include "world_follow.h"

#define ROUNDS 9
#define IDLE   20000u /* looks at an index that has not changed */

static void check(bool holds, const char* what) {
    if (holds) return;
    fprintf(stderr, "bench_follow: %s\n", what);
    exit(1);
}

/* --- removal --- */

typedef enum Removed { CLEARED, ALL, LATER, EARLIER, REMOVED_COUNT } Removed;

/* Spawns what is removed, and what stays; the time of the removal by its number, or of clearing the world. */
static f64 removal_ns(World* world, const Blob* blob, Removed which) {
    const u32    count = blob->header->element_count;
    const u32    spawns = which <= ALL ? 1 : 2;
    Spawned      number[2];
    SpawnOptions options = {0};
    Unspawned    out = {0};
    ent_world_clear(world);
    for (u32 i = 0; i < spawns; i++) {
        options.spawned = &number[i];
        check(ent_world_spawn(world, blob, &options, NULL) == ENT_OK, "spawn");
    }
    const u64 start = clock_ns();
    if (which == CLEARED)
        ent_world_clear(world);
    else
        check(ent_world_unspawn(world, number[which == LATER], 0, &out) == ENT_OK, "unspawn");
    const u64 ns = clock_ns() - start;
    check(ent_entity_count(world) == count * (spawns - 1), "entities remain");
    check(out.entities == (which == CLEARED ? 0 : count), "entities were removed");
    return (f64)ns / count;
}

static void bench_unspawn(const char* path) {
    static const char* const names[REMOVED_COUNT] = {
        "clear a world of one spawn", "unspawn all by its number / clear",
        "unspawn the later of two / clear", "unspawn the earlier of two / clear"};
    static const f64 target[REMOVED_COUNT] = {0, 1.3, 0, 0};
    FileView         view;
    Blob             blob;
    World*           world;
    f64              ns[REMOVED_COUNT][ROUNDS], clear_ns = 0;
    check(file_map(&view, path) == ENT_OK, "the level cannot be read");
    check(ent_blob_open(&blob, view.bytes, view.size, NULL, NULL) == ENT_OK, "it is no blob");
    check(ent_world_create(&world, NULL) == ENT_OK, "world");
    const u32 count = blob.header->element_count;
    for (u32 r = 0; r < ROUNDS; r++) {
        for (u32 k = 0; k < REMOVED_COUNT; k++) ns[k][r] = removal_ns(world, &blob, (Removed)k);
    }
    for (u32 k = 0; k < REMOVED_COUNT; k++) {
        const f64 each = bench_median_of(ns[k], ROUNDS);
        if (k == CLEARED) clear_ns = each;
        bench_row(names[k], count, each, "ns/entity", each / clear_ns, target[k]);
    }
    ent_world_destroy(world);
    file_unmap(&view);
}

/* --- reload --- */

/* A file of another build, as a build replaces it. */
static void file_take(const char* folder, const char* build, const char* name) {
    char       from[1024], to[1024];
    FileView   view;
    FileChange change;
    snprintf(from, sizeof from, "%s/%s/%s", folder, build, name);
    snprintf(to, sizeof to, "%s/live/%s", folder, name);
    check(file_map(&view, from) == ENT_OK, from);
    check(file_replace(to, view.bytes, view.size, &change) == ENT_OK, to);
    file_unmap(&view);
}

static void build_take(const char* folder, const char* build, const char* name) {
    char level[512];
    snprintf(level, sizeof level, "%s.level", name);
    file_take(folder, build, level);
    file_take(folder, build, ".entc.index");
}

static void bench_idle(Library* library, const char* folder, u32 count) {
    char           path[1024];
    struct stat    info;
    LibraryChanges changes;
    BenchTimes     looks = {0}, stats = {0};
    snprintf(path, sizeof path, "%s/live/.entc.index", folder);
    for (u32 r = 0; r < BENCH_RUNS; r++) {
        BENCH_TIMED(looks, for (u32 i = 0; i < IDLE; i++)
                               check(ent_library_follow(library, &changes) == ENT_OK, "follow"));
        BENCH_TIMED(stats, for (u32 i = 0; i < IDLE; i++) check(stat(path, &info) == 0, "stat"));
    }
    const f64 look = bench_median(&looks), one = bench_median(&stats);
    bench_row("follow a build that has not changed / stat", count, look / IDLE, "ns", look / one,
              1.5);
}

static void bench_reload(const char* folder, const char* name) {
    char           live[1024];
    Library        library;
    const Blob*    level;
    World*         world;
    Spawned        number;
    SpawnOptions   options = {.spawned = &number};
    LibraryChanges changes;
    WorldFollowed  followed;
    f64            read_ns[ROUNDS], patch_ns[ROUNDS], both_ns[ROUNDS];
    snprintf(live, sizeof live, "%s/live", folder);
    build_take(folder, "before", name);
    check(ent_library_open(&library, live, NULL) == ENT_OK, "library");
    check(ent_library_load(&library, name, RESOURCE_LEVEL, &level) == ENT_OK, "level");
    check(ent_world_create(&world, NULL) == ENT_OK, "world");
    check(ent_world_spawn(world, level, &options, NULL) == ENT_OK, "spawn");
    const u32 count = level->header->element_count;
    for (u32 r = 0; r < ROUNDS; r++) {
        build_take(folder, r % 2 ? "before" : "after", name);
        const u64 start = clock_ns();
        check(ent_library_follow(&library, &changes) == ENT_OK, library.problem);
        const u64 read = clock_ns();
        check(ent_world_follow(world, &changes, &followed) == ENT_OK, "patch");
        const u64 end = clock_ns();
        check(followed.spawns == 1 && followed.result.fields_written == 1, "one field changed");
        read_ns[r] = (f64)(read - start);
        patch_ns[r] = (f64)(end - read);
        both_ns[r] = (f64)(end - start);
    }
    const f64 both = bench_median_of(both_ns, ROUNDS) / 1e6;
    bench_row("one field: read and validate; ms", count, bench_median_of(read_ns, ROUNDS) / 1e6,
              "ms", bench_median_of(read_ns, ROUNDS) / 1e6, 0);
    bench_row("one field: patch the world; ms", count, bench_median_of(patch_ns, ROUNDS) / 1e6,
              "ms", bench_median_of(patch_ns, ROUNDS) / 1e6, 0);
    bench_row("one field: read to patched; ms", count, both, "ms", both, 6);
    bench_idle(&library, folder, count);
    ent_world_destroy(world);
    ent_library_close(&library);
}

int main(int argc, char** argv) {
    if (argc == 3 && strcmp(argv[1], "unspawn") == 0)
        bench_unspawn(argv[2]);
    else if (argc == 4 && strcmp(argv[1], "reload") == 0)
        bench_reload(argv[2], argv[3]);
    else
        check(false, "unspawn LEVEL, or reload FOLDER NAME");
    return 0;
}
