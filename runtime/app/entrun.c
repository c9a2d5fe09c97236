/* entrun.c - loads a level from an output folder, spawns it, and prints a summary. */
#include <stdio.h>
#include <stdlib.h>

#include "command_line.h"
#include "ent.h"
#include "clock.h"
#include "exposure.h"
#include "file.h"
#include "frames.h"
#include "reload.h"
#include "rows.h"
#include "shared_library.h"

struct Options {
    Words       arguments;
    const char* level;
    bool        stats, strict, watch, verbose;
    Words       plugins;
    u32         frames, every;
    const char *png, *csv, *size, *device, *view, *shadows, *shadow_reach, *exposure, *time;
    u32         shadow_interval;
    u32         device_mib; /* 0: all */
};

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
    for (u32 i = 0; i < ent_world_manager_count(world); i++) {
        const Manager* m = ent_world_manager_at(world, i);
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

/* The component types that the project declares: every one that the level refers to was opened. */
static ent_status components_declare(World* world, Library* library) {
    for (u32 i = 0; i < library->count; i++) {
        const LibraryEntry* entry = ent_library_entry(library, i);
        const Blob*         blob = &entry->resource.blob;
        if (blob->header->resource_type != RESOURCE_COMPONENT) continue;
        const ent_status status = ent_world_declare(world, blob);
        if (status == ENT_OK) continue;
        snprintf(library->problem, sizeof library->problem, "the component \"%s\": %s", entry->name,
                 ent_status_text(status));
        return status;
    }
    return ENT_OK;
}

/* --- plugins --- */

static void plugins_close(void** plugins, u32 count) {
    for (u32 i = 0; i < count; i++) shared_library_close(plugins[i]);
    free(plugins);
}

/* Loads all plugins, or reports which one cannot be loaded. They are closed after the world is
 * destroyed. */
static int plugins_open(const Options* o, void*** plugins) {
    char reason[512];
    *plugins = calloc((size_t)o->plugins.count + 1, sizeof **plugins);
    if (!*plugins) return failure("out of memory", ENT_NO_MEMORY);
    for (u32 i = 0; i < o->plugins.count; i++) {
        (*plugins)[i] = shared_library_open(o->plugins.at[i], reason, sizeof reason);
        if ((*plugins)[i]) continue;
        fprintf(stderr, "entrun: error: the plugin \"%s\" cannot be loaded: %s\n", o->plugins.at[i],
                reason);
        plugins_close(*plugins, i);
        return EXIT_IO;
    }
    return EXIT_OK;
}

static ent_status plugins_add(World* world, const Options* o, void** plugins, Library* library) {
    for (u32 i = 0; i < o->plugins.count; i++) {
        ApiGet*          get = (ApiGet*)shared_library_function(plugins[i], "ent_get_plugin_api");
        const ent_status status = get ? ent_world_plugin(world, get) : ENT_BAD_PLUGIN;
        if (status == ENT_OK) continue;
        snprintf(library->problem, sizeof library->problem, "the plugin \"%s\" %s",
                 o->plugins.at[i],
                 get ? "cannot be used" : "exports no ent_get_plugin_api: it is no plugin");
        return status;
    }
    return ENT_OK;
}

/* --- a level --- */

/* Opens the level, or the entity or mesh of that name, with all resources that it refers to. */
static ent_status level_load(Library* library, const Options* o, const Blob** level) {
    static const ResourceType others[] = {RESOURCE_ENTITY, RESOURCE_MESH};
    char                      missing[sizeof library->problem];
    const LibraryDesc         desc = {.skip_missing = o->png != NULL, .log = {log_print, NULL}};
    TRY(ent_library_open(library, o->arguments.at[0], &desc));
    ent_status status = ent_library_load(library, o->level, RESOURCE_LEVEL, level);
    strcpy(missing, library->problem);
    for (u32 i = 0; i < COUNT_OF(others); i++) {
        if (status != ENT_NOT_FOUND || library->count > 0) return status;
        status = ent_library_load(library, o->level, others[i], level);
    }
    if (status == ENT_NOT_FOUND && library->count == 0) strcpy(library->problem, missing);
    return status;
}

/* An entity with the mesh, and nothing else. */
static ent_status mesh_spawn(World* world, const char* name, Entity* entity) {
    u32 row;
    TRY(ent_entity_create(world, entity, 1));
    TRY(ent_manager_create(world, ent_world_manager_by_name(world, "mesh"), *entity, &row));
    ent_mesh_rows(world).record[row].resource = ent_resource_ref(name, RESOURCE_MESH);
    return ENT_OK;
}

static ent_status level_spawn(World* world, const Options* o, const Blob* level, Entity* entities) {
    const SpawnOptions options = {.strict = o->strict};
    if (level->header->resource_type == RESOURCE_MESH) return mesh_spawn(world, o->level, entities);
    return ent_world_spawn(world, level, &options, entities);
}

/* Watches the level's files until a signal arrives. `pictures`: to be drawn again, or NULL. */
static int level_watch(const Options* o, Library* library, World* world, const Blob* level,
                       Entity** entities, FramesOpen* pictures) {
    Reload    reload = {.folder = o->arguments.at[0],
                        .level = o->level,
                        .verbose = o->verbose,
                        .strict = o->strict,
                        .world = world,
                        .library = library,
                        .blob = level,
                        .entities = *entities,
                        .pictures = pictures,
                        .png = o->png};
    const int code = reload_watch(&reload);
    *entities = reload.entities;
    return code;
}

/* Runs the GPU systems that the level needs, and follows its files if that is requested. */
static int level_frames(const Options* o, Library* library, World* world, const Blob* level,
                        Entity** entities) {
    const bool        is_mesh = level->header->resource_type == RESOURCE_MESH;
    const EntityNames names = {is_mesh ? NULL : level, *entities};
    Frames            frames = {.world = world,
                                .library = library,
                                .names = names,
                                .count = o->frames,
                                .every = o->every,
                                .png = o->png,
                                .csv = o->csv,
                                .device = o->device,
                                .device_bytes = (u64)o->device_mib << 20};
    f32               ev;
    if (o->view) frames_view_read(o->view, &frames.shows);
    if (o->shadows) frames_shadows_read(o->shadows, &frames.shadows);
    if (o->shadow_reach) frames_reach_read(o->shadow_reach, &frames.maps.reach_m);
    frames.maps.interval = o->shadow_interval;
    if (o->time) frames_time_read(o->time, &frames.time_s);
    if (o->exposure && exposure_read(o->exposure, &ev)) frames.exposure_ev = &ev;
    if (o->size) frames_size_read(o->size, &frames.width, &frames.height);
    fflush(stdout);
    if (!o->watch) return frames_run(&frames);
    int         code;
    FramesOpen* pictures = frames_open(&frames, &code);
    if (pictures) code = level_watch(o, library, world, level, entities, pictures);
    frames_close(pictures);
    return code;
}

static int spawn_and_report(const Options* o, Library* library, void** plugins) {
    World*          world = NULL;
    const WorldDesc desc = {.log = {log_print, NULL}};
    const Blob*     level = NULL;
    ent_status      status = level_load(library, o, &level);
    if (status != ENT_OK) return failure(library->problem, status);
    status = ent_world_create(&world, &desc);
    if (status != ENT_OK) return failure(ent_status_text(status), status);
    status = plugins_add(world, o, plugins, library);
    if (status == ENT_OK) status = components_declare(world, library);
    if (status != ENT_OK) {
        ent_world_destroy(world);
        return failure(library->problem, status);
    }
    Entity*   entities = malloc(sizeof(Entity) * ((size_t)level->header->element_count + 1));
    const u64 start = clock_ns();
    status = entities ? level_spawn(world, o, level, entities) : ENT_NO_MEMORY;
    const u64 spawned = clock_ns();
    if (status != ENT_OK) {
        free(entities);
        ent_world_destroy(world);
        return failure(ent_status_text(status), status);
    }
    const u32 spawned_count = ent_entity_count(world);
    printf("%s: %u entit%s spawned from %u resource%s\n", o->level, spawned_count,
           spawned_count == 1 ? "y" : "ies", library->count, library->count == 1 ? "" : "s");
    if (o->stats) {
        resources_print(library);
        managers_print(world);
        times_print(library, spawned - start, ent_entity_count(world));
    }
    const bool is_mesh = level->header->resource_type == RESOURCE_MESH;
    int        code = EXIT_OK;
    if (o->frames || o->png)
        code = level_frames(o, library, world, level, &entities);
    else if (o->watch && is_mesh)
        code = failure("--watch follows a mesh only with --png FILE", ENT_BAD_FIELD);
    else if (o->watch)
        code = level_watch(o, library, world, level, &entities, NULL);
    free(entities);
    ent_world_destroy(world);
    return code;
}

/* A message when the combination of options is invalid; NULL: it is valid. */
static const char* options_disagree(const Options* o) {
    u32              width, height;
    f32              ev, reach_m, time_s;
    EntCanvasShows   shows;
    EntCanvasShadows shadows;
    if (!o->level) return "--level NAME is required: it names the level to load";
    if (o->watch && o->frames) return "--watch and --frames exclude each other";
    if (!o->frames && o->csv) return "--csv requires --frames N";
    if (!o->frames && !o->png && o->device) return "--device requires --frames N or --png FILE";
    if (!o->frames && !o->png && o->device_mib)
        return "--device-memory requires --frames N or --png FILE";
    if (!o->frames && o->every) return "--every requires --frames N";
    if (!o->png && (o->every || o->size)) return "--every and --size require --png FILE";
    if (!o->png && (o->view || o->exposure || o->shadows))
        return "--view, --exposure and --shadows require --png FILE";
    if (o->view && !frames_view_read(o->view, &shows))
        return "--view requires lit, albedo, normals, normals-depth, normals-plain, depth, "
               "occlusion, heat or speed";
    if (o->shadows && !frames_shadows_read(o->shadows, &shadows))
        return "--shadows requires two-depths, simple or off";
    if (!o->png && (o->shadow_reach || o->shadow_interval))
        return "--shadow-reach and --shadow-interval require --png FILE";
    if (o->shadow_reach && !frames_reach_read(o->shadow_reach, &reach_m))
        return "--shadow-reach requires a distance in metres above 0, for example 80";
    if (o->exposure && !exposure_read(o->exposure, &ev))
        return "--exposure requires an exposure value from -20 to 30, for example 12.5";
    if (!o->png && o->time) return "--time requires --png FILE";
    if (o->time && !frames_time_read(o->time, &time_s))
        return "--time requires seconds from 0 to 1000000, for example 2.5";
    if (o->every > o->frames) return "--every is greater than --frames: no picture would be drawn";
    if (o->size && !frames_size_read(o->size, &width, &height))
        return "--size requires width and height in pixels, for example 1280x720, each at most "
               "16384";
    return NULL;
}

static int run(const Options* o) {
    Library     library = {0};
    void**      plugins;
    const char* wrong = options_disagree(o);
    if (wrong) {
        fprintf(stderr, "entrun: error: %s\n", wrong);
        return EXIT_USAGE;
    }
    int code = plugins_open(o, &plugins);
    if (code != EXIT_OK) return code;
    code = spawn_and_report(o, &library, plugins);
    ent_library_close(&library);
    plugins_close(plugins, o->plugins.count);
    return code;
}

/* --- the command line --- */

static const Command command = {
    .arguments = "OUT --level NAME",
    .text = "load a compiled level, spawn it, and report what was spawned",
    .manual =
        "Opens the blob OUT/NAME.level, or OUT/NAME.entity or OUT/NAME.mesh if there is no such "
        "level, and every blob that it refers to, validates them, spawns the level into a world "
        "and counts what was "
        "spawned.\n\nWith --watch it then continues until a signal ends it: whenever `entc build "
        "--watch`, or any other build, changes the level in OUT, the running world is updated, and "
        "one line reports how many entities were added, removed and re-parented, and how many "
        "fields and instances changed; -v lists each of them. With --png each change draws the "
        "picture again, and "
        "the file is replaced when it is complete. If the new files cannot be used, "
        "because one is damaged for example, this is reported and the world stays unchanged.\n\n"
        "With --frames it runs the level's systems on a GPU for that number of frames and prints "
        "the time of each pass, of all steps of a frame and with each pass waiting for the "
        "previous "
        "one, the host's times to record and to submit a frame, and the device's time from the "
        "first "
        "to the last pass. With --png it draws the last frame, or without --frames the level as it "
        "was spawned: meshes with their materials and textures, fluids and particles, seen by the "
        "level's first camera and lit by its lights; without a camera, the view "
        "contains everything. Each picture is exposed to the light that reaches its surfaces: "
        "their "
        "median luminance is 0.21 of white in a level with a directional light, and 0.14, under a "
        "dark sky, in one with other lights only. On a software device the times are those of the "
        "processor's clock.",
    .min = 1,
    .max = 1,
    .run = run,
};

static const Option options[] = {
    {"--level", "NAME", "the level to load, for example levels/town", NULL, OPTION_TEXT,
     offsetof(Options, level), 0, 0},
    {"--stats", NULL, "print instances, bytes, hierarchy depth and times", NULL, OPTION_SWITCH,
     offsetof(Options, stats), 0, 0},
    {"--watch", NULL, "then reload the level whenever it changes, and report each reload in a line",
     NULL, OPTION_SWITCH, offsetof(Options, watch), 0, 0},
    {"-v", NULL, "list each difference of a reload by its path", NULL, OPTION_SWITCH,
     offsetof(Options, verbose), 0, 0},
    {"--frames", "N", "then run the level's systems on a GPU for N frames", NULL, OPTION_NUMBER,
     offsetof(Options, frames), 1, 1000000},
    {"--png", "FILE", "draw the last frame; without --frames, the level as it was spawned", NULL,
     OPTION_PATH, offsetof(Options, png), 0, 0},
    {"--every", "K", "draw each K-th frame instead, to files such as FILE_0010.png", NULL,
     OPTION_NUMBER, offsetof(Options, every), 1, 1000000},
    {"--size", "WxH", "size of a picture in pixels, for example 1920x1080; the default is 1280x720",
     NULL, OPTION_TEXT, offsetof(Options, size), 0, 0},
    {"--view", "NAME",
     "what pictures show: lit, the default; albedo; normals; normals-depth and "
     "normals-plain, which are computed from depth; depth, with a line each "
     "metre; "
     "occlusion; heat, the lights of each tile; speed, of what is simulated",
     NULL, OPTION_TEXT, offsetof(Options, view), 0, 0},
    {"--exposure", "EV",
     "expose all pictures alike: at this exposure value of ISO 100 instead of one that follows the "
     "light; one more halves the brightness",
     NULL, OPTION_TEXT, offsetof(Options, exposure), 0, 0},
    {"--time", "S",
     "the time of the first picture in seconds, of what moves by itself, such as normal maps; each "
     "frame adds 1/60; the default is 0",
     NULL, OPTION_TEXT, offsetof(Options, time), 0, 0},
    {"--shadows", "NAME",
     "shadows of the lights that cast: two-depths, the default; simple, in which transparent "
     "surfaces "
     "do not colour each other; off",
     NULL, OPTION_TEXT, offsetof(Options, shadows), 0, 0},
    {"--shadow-reach", "M",
     "directional lights cast shadows up to this distance from the camera in metres; the default "
     "is where "
     "the view leaves the level",
     NULL, OPTION_TEXT, offsetof(Options, shadow_reach), 0, 0},
    {"--shadow-interval", "N",
     "draw shadow maps of directional lights beyond the second one only in each N-th frame while "
     "the "
     "camera stands; the default is 1",
     NULL, OPTION_NUMBER, offsetof(Options, shadow_interval), 1, 1000},
    {"--csv", "FILE",
     "write the time of each pass in each frame, and to FILE_lights what the shadow maps of each "
     "light "
     "have cost",
     NULL, OPTION_PATH, offsetof(Options, csv), 0, 0},
    {"--device", "D", "the GPU: its number, or a part of its name", NULL, OPTION_TEXT,
     offsetof(Options, device), 0, 0},
    {"--device-memory", "MIB", "use at most this much memory of the GPU", NULL, OPTION_NUMBER,
     offsetof(Options, device_mib), 1, 1 << 20},
    {"--plugin", "LIB", "load a plugin library with component types; can be repeated", NULL,
     OPTION_LIST, offsetof(Options, plugins), 0, 0},
    {"--strict", NULL, "refuse component types that this program does not have", NULL,
     OPTION_SWITCH, offsetof(Options, strict), 0, 0},
};

static const ManualRow exits[] = {
    {"0", "ok"},
    {"1", "usage"},
    {"2", "a file cannot be read or written"},
    {"3", "a blob or a plugin is invalid"},
    {"4", "out of memory, or a limit is exceeded"},
    {"5", "a blob has another format version"},
    {"6", "no suitable GPU was found, or it failed"},
    {NULL, NULL},
};

static const ManualRow none[] = {{NULL, NULL}};

static const ManualRow files[] = {
    {"OUT/NAME.TYPE", "blobs, as `entc build` writes them"},
    {NULL, NULL},
};

static const ManualRow examples[] = {
    {"entrun out --level levels/town --stats",
     "prints the contents of the town and the time that loading takes"},
    {"entrun out --level levels/town --png town.png", "a picture of the town"},
    {"entrun out --level levels/dam_break --frames 200 --png dam.png --every 10",
     "a picture of each tenth frame, dam_0010.png to dam_0200.png"},
    {"entc build assets -o out --watch & entrun out --level levels/town --watch -v",
     "updates the running town whenever a source is saved"},
    {NULL, NULL},
};

static void version_print(FILE* out) {
    fprintf(out, "entrun %s, blob format %u\n", ENT_VERSION, BLOB_VERSION);
}

static const Program program = {
    .name = "entrun",
    .text = "loads and spawns compiled levels",
    .manual = "entrun is a host of libent: it loads a level in the way a game would, and reports "
              "what was spawned and the time that it took.",
    .number = ENT_VERSION,
    .date = ENT_VERSION_DATE,
    .commands = &command,
    .command_count = 1,
    .options = options,
    .option_count = COUNT_OF(options),
    .exits = exits,
    .variables = none,
    .files = files,
    .examples = examples,
    .see_also = "entc",
    .arguments = offsetof(Options, arguments),
    .version_print = version_print,
};

int main(int argc, char** argv) {
    Options given = {0};
    return program_run(&program, &given, argc, argv);
}
