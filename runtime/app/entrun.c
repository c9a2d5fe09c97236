/* entrun.c - loads a level from an output folder, spawns it, and says what there is. */
#include <stdio.h>
#include <stdlib.h>

#include "ent.h"
#include "exit_codes.h"
#include "file.h"

typedef struct Arguments {
    const char* folder;
    const char* level;
    bool        stats, strict;
} Arguments;

static int usage(FILE* out, int code) {
    fputs(
        "entrun OUT --level NAME [--stats] [--strict]\n"
        "    OUT            folder that `entc build` wrote, or a file that `entc pack` wrote\n"
        "    --level NAME   levels/town: levels/town.level of it, or NAME.entity\n"
        "    --stats        instances, bytes, depth and times\n"
        "    --strict       refuse component types that this program does not know\n"
        "exit codes: 0 ok; 1 usage; 2 a file cannot be read; 3 a blob is refused; 4 out of memory\n"
        "or over a limit; 5 a blob of another format version\n",
        out);
    return code;
}

static bool arguments_read(Arguments* a, int argc, char** argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--level") == 0 && i + 1 < argc)
            a->level = argv[++i];
        else if (strcmp(argv[i], "--stats") == 0)
            a->stats = true;
        else if (strcmp(argv[i], "--strict") == 0)
            a->strict = true;
        else if (argv[i][0] != '-' && !a->folder)
            a->folder = argv[i];
        else
            return false;
    }
    return a->folder && a->level;
}

static void log_print(void* user, LogLevel level, const char* text) {
    UNUSED(user);
    fprintf(stderr, "entrun: %s%s\n", level == LOG_INFO ? "" : "warning: ", text);
}

static size_t row_bytes(const Manager* m) {
    size_t bytes = sizeof(Entity) + (m->next ? sizeof(u32) : 0) + m->desc.type.record.bytes;
    for (u32 i = 0; i < MANAGER_EXTRAS_MAX; i++) bytes += m->desc.extra_bytes[i];
    return bytes;
}

static void resources_print(const Library* library) {
    printf("%-24s %12s %14s\n", "resource", "count", "bytes");
    for (u32 type = RESOURCE_NONE + 1; type < RESOURCE_COUNT; type++) {
        u64 count = 0, bytes = 0;
        for (u32 i = 0; i < library->count; i++) {
            const Blob* blob = &ent_library_entry(library, i)->resource.blob;
            if (blob->header->resource_type != type) continue;
            count++;
            bytes += blob->size;
        }
        if (count) {
            printf("%-24s %12llu %14llu\n", ent_resource_suffix(type), (unsigned long long)count,
                   (unsigned long long)bytes);
        }
    }
}

static void managers_print(World* world) {
    printf("\n%-24s %12s %14s\n", "component", "instances", "bytes");
    for (u32 i = 0; i < world->manager_count; i++) {
        const Manager* m = &world->manager[i];
        if (m->count == 0) continue;
        printf("%-24s %12u %14llu\n", m->desc.type.record.name, m->count,
               (unsigned long long)(m->count * row_bytes(m)));
    }
    printf("\n%-24s %12u\n", "entities", ent_entity_count(world));
    printf("%-24s %12u\n", "hierarchy depth", ent_transform_depth(world));
}

static void times_print(const Library* library, u64 spawn_ns, u32 entities) {
    printf("\n%-24s %12.3f ms\n", "open", (f64)library->open_ns / 1e6);
    printf("%-24s %12.3f ms %8.2f GB/s\n", "verify", (f64)library->verify_ns / 1e6,
           (f64)library->bytes / (f64)MAX_OF(library->verify_ns, (u64)1));
    printf("%-24s %12.3f ms %8.1f ns an entity\n", "spawn", (f64)spawn_ns / 1e6,
           (f64)spawn_ns / MAX_OF(entities, 1u));
}

static int failure(const char* text, ent_status status) {
    fprintf(stderr, "entrun: error: %s\n", text);
    return exit_code_of(status);
}

/* The level, or an entity of that name, with all that it refers to. */
static ent_status level_load(Library* library, const Arguments* a, const Blob** level) {
    char missing[sizeof library->problem];
    TRY(ent_library_open(library, a->folder, NULL));
    ent_status status = ent_library_load(library, a->level, RESOURCE_LEVEL, level);
    if (status != ENT_NOT_FOUND || library->count > 0) return status;
    strcpy(missing, library->problem);
    status = ent_library_load(library, a->level, RESOURCE_ENTITY, level);
    if (status == ENT_NOT_FOUND && library->count == 0) strcpy(library->problem, missing);
    return status;
}

static int run(const Arguments* a, Library* library) {
    World*             world = NULL;
    const WorldDesc    desc = {.log = {log_print, NULL}};
    const SpawnOptions options = {.strict = a->strict};
    const Blob*        level = NULL;
    ent_status         status = level_load(library, a, &level);
    if (status != ENT_OK) return failure(library->problem, status);
    status = ent_world_create(&world, &desc);
    if (status != ENT_OK) return failure(ent_status_text(status), status);
    const u64 start = clock_ns();
    status = ent_world_spawn(world, level, &options, NULL);
    const u64 spawned = clock_ns();
    if (status != ENT_OK) {
        ent_world_destroy(world);
        return failure(ent_status_text(status), status);
    }
    printf("%s: %u entities spawned from %u resources\n", a->level, ent_entity_count(world),
           library->count);
    if (a->stats) {
        resources_print(library);
        managers_print(world);
        times_print(library, spawned - start, ent_entity_count(world));
    }
    ent_world_destroy(world);
    return EXIT_OK;
}

int main(int argc, char** argv) {
    Arguments arguments = {0};
    Library   library = {0};
    if (argc == 2 && strcmp(argv[1], "--help") == 0) return usage(stdout, EXIT_OK);
    if (!arguments_read(&arguments, argc, argv)) return usage(stderr, EXIT_USAGE);
    int code = run(&arguments, &library);
    ent_library_close(&library);
    if (fflush(stdout) != 0 || ferror(stdout))
        code = failure("cannot write to standard output", ENT_IO);
    return code;
}
