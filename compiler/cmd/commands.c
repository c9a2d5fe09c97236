/* commands.c - converts the options of the command line to the parameters of each module. */
#include <errno.h>
#include <stdlib.h>

#include "bundles.h"
#include "cache.h"
#include "codegen.h"
#include "conform.h"
#include "diag_print.h"
#include "migrate.h"
#include "declaration_search.h"
#include "fix_overrides.h"
#include "init.h"
#include "jobserver.h"
#include "link_collect.h"
#include "move.h"
#include "options.h"
#include "output_files.h"
#include "places.h"
#include "plugin_load.h"
#include "refs.h"
#include "schema.h"
#include "verify_determinism.h"
#include "watch.h"
#include "why.h"
#include "temporary.h"

static bool is_set(const char* variable) {
    const char* value = getenv(variable);
    return value && *value;
}

static bool needs_color(ColorChoice choice) {
    if (choice != COLOR_AUTO) return choice == COLOR_ALWAYS;
    if (is_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0") != 0) return true;
    return !is_set("NO_COLOR") && progress_is_seen();
}

static bool shows_progress(const MessageOptions* m) {
    return !m->quiet && !m->verbose && m->format == DIAG_TEXT && progress_is_seen();
}

/* What cannot be combined, beside two modes, which the command line refuses. --emit-ninja is a mode with a file. */
static bool modes_agree(BuildOptions* b, const char* command) {
    static const char* const options[] = {
        [BUILD_WATCH] = "--watch",      [BUILD_DRY_RUN] = "--dry-run",
        [BUILD_CHECK] = "--check",      [BUILD_LIST] = "--list-outputs",
        [BUILD_GRAPH] = "--emit-ninja", [BUILD_VARIANTS] = "--variants"};
    const char* other = b->graph && b->mode != BUILD_WRITE ? "--emit-ninja" : NULL;
    if (b->graph && !other) b->mode = BUILD_GRAPH;
    const bool builds = b->mode != BUILD_LIST && b->mode != BUILD_GRAPH;
    if (b->keep_going && !builds) other = "-k";
    if (b->mode == BUILD_WATCH && b->messages.format == DIAG_SARIF) other = "--diag-format sarif";
    if (b->mode == BUILD_VARIANTS)
        other = b->variant.lang       ? "--lang"
                : b->variant.platform ? "--platform"
                : b->budget           ? "--budget"
                                      : other;
    if (!other) return true;
    fprintf(stderr, "entc: error: %s: %s and %s cannot be combined\n", command, other,
            options[b->mode]);
    return false;
}

/* The path with a suffix; NULL: there is no path, or it is too long, which is reported when it is written. */
static const char* file_beside(const char* path, const char* suffix, char room[4096]) {
    return path && snprintf(room, 4096, "%s%s", path, suffix) < 4096 ? room : NULL;
}

/* No file that is written is another one of the command, or one of its outputs. */
static int build_files(const BuildOptions* b, const char* command) {
    char              map_room[4096], list_room[4096];
    const bool        one = b->resources.count == 1;
    const bool        has_map = one && b->compile.source_map;
    const char*       map = file_beside(has_map ? b->out : NULL, ".map", map_room);
    const char*       list = file_beside(b->graph, GRAPH_LIST_SUFFIX, list_room);
    const PlaceOption files[] = {{"-o", one ? b->out : NULL},       {"the source map", map},
                                 {"--inputs", b->inputs},           {"--budget", b->budget},
                                 {"-MF", b->depfile.path},          {"--report", b->report},
                                 {"--manifest", b->manifest},       {"--emit-ninja", b->graph},
                                 {"the list of --emit-ninja", list}};
    int               code = places_check_distinct(command, files, COUNT_OF(files));
    for (u32 i = 2; i < COUNT_OF(files) && code == EXIT_OK && !one; i++)
        if (files[i].file != b->budget) code = places_check_output(command, &files[i], b->out);
    return code;
}

/* Outputs must not be in the source folder. */
static int build_places(const BuildOptions* b, const char* command) {
    int        code = build_files(b, command);
    const bool one = b->resources.count == 1;
    if (code == EXIT_OK && !one && b->out) code = places_check_apart(command, b->source, b->out);
    if (code == EXIT_OK && one) code = places_check_file(command, "-o", b->source, b->out);
    if (code == EXIT_OK && b->cache)
        code = places_check_folder(command, "--cache", b->source, b->cache);
    if (code == EXIT_OK) code = places_check_file(command, "-MF", b->source, b->depfile.path);
    if (code == EXIT_OK) code = places_check_file(command, "--report", b->source, b->report);
    if (code == EXIT_OK) code = places_check_file(command, "--manifest", b->source, b->manifest);
    if (code == EXIT_OK) code = places_check_file(command, "--emit-ninja", b->source, b->graph);
    return code;
}

/* Reads a number such as "2G"; returns false when it is invalid. */
static bool bytes_of(const char* text, u64* bytes) {
    static const char units[] = "KMG";
    char*             end;
    errno = 0;
    *bytes = strtoull(text, &end, 10);
    const char* unit = *end ? strchr(units, *end) : NULL;
    bool        fits = errno == 0;
    for (const char* at = units; unit && at <= unit; at++) {
        fits &= *bytes <= UINT64_MAX / 1000;
        *bytes *= 1000;
    }
    return fits && text[0] >= '0' && text[0] <= '9' && (*end == 0 || (unit && end[1] == 0));
}

/* Reads an option whose text, if there is one, is a number of bytes; returns false when it is not greater than 0. */
static bool bytes_read(const char* text, const char* command, const char* option,
                       const char* example, u64* bytes) {
    if (!text || (bytes_of(text, bytes) && *bytes > 0)) return true;
    fprintf(stderr, "entc: error: %s: %s needs a number of bytes greater than 0, such as %s\n",
            command, option, example);
    return false;
}

static bool max_output_read(const Options* o, const char* command, u64* bytes) {
    return bytes_read(o->max_output, command, "--max-output", "500M or 2G", bytes);
}

/* Reads --clip-error; returns false when it is not a number from 0 to 1. */
static bool clip_error_read(const Options* o, const char* command, f32* error) {
    char* end = NULL;
    *error = CLIP_ERROR;
    if (!o->clip_error) return true;
    *error = strtof(o->clip_error, &end);
    if (end != o->clip_error && *end == 0 && *error >= 0 && *error <= 1) return true;
    fprintf(
        stderr,
        "entc: error: %s: --clip-error needs a number from 0 to 1, such as 0.0001, which is the "
        "default\n",
        command);
    return false;
}

/* Completes the options of `build` and `compile`. Returns an exit code. */
static int build_options_read(BuildOptions* b, const Options* o, const char* command,
                              Words resources) {
    static char depfile[4096];
    *b = o->build;
    if (!b->out && b->mode != BUILD_ALONE && b->mode != BUILD_VARIANTS) {
        fprintf(stderr, "entc: error: %s: -o is required: the path to write to\n", command);
        return EXIT_USAGE;
    }
    if (!modes_agree(b, command) || !max_output_read(o, command, &b->max_output) ||
        !bytes_read(o->memory, command, "--memory", "500M or 2G", &b->memory) ||
        !bytes_read(o->cache_min, command, "--cache-min", "4K", &b->cache_min) ||
        !clip_error_read(o, command, &b->compile.clip_error))
        return EXIT_USAGE;
    file_clean_on_end();
    signals_call(jobserver_leave);
    if (make_is_dry_run() && build_writes(b)) b->mode = BUILD_DRY_RUN;
    b->messages.progress = shows_progress(&b->messages);
    if (!b->cache) b->cache = getenv("ENTC_CACHE_DIR");
    b->source = o->arguments.at[0];
    b->resources = resources;
    b->messages.color = needs_color(o->color);
    if (b->batch && b->mode != BUILD_GRAPH) {
        fprintf(stderr, "entc: error: build: --batch needs --emit-ninja FILE\n");
        return EXIT_USAGE;
    }
    if (o->depend && !b->depfile.path && build_is_batch(b)) {
        fprintf(stderr,
                "entc: error: compile: -MD with several resources needs -MF FILE, the path of the "
                "depfile\n");
        return EXIT_USAGE;
    }
    if (o->depend && !b->depfile.path) {
        snprintf(depfile, sizeof depfile, "%s.d", b->out);
        b->depfile.path = depfile;
    }
    return build_places(b, command);
}

/* A build of everything stores the references that it finds. */
COMMAND(build) {
    LinksBuild          links = {0};
    const BuildObserver observer = links_build_observer(&links);
    BuildOptions        b;
    int                 code = build_options_read(&b, o, "build", (Words){0});
    if (code != EXIT_OK) return code;
    b.observer = &observer;
    code = b.mode == BUILD_WATCH ? watch_run(&b) : build_last(&b);
    links_build_close(&links);
    return code;
}

COMMAND(check) {
    BuildOptions b;
    Options      checked = *o;
    if (checked.build.mode == BUILD_WRITE) checked.build.mode = BUILD_ALONE;
    const int code = build_options_read(&b, &checked, "check", (Words){0});
    if (code != EXIT_OK) return code;
    return b.mode == BUILD_VARIANTS ? build_check_variants(&b) : build_last(&b);
}

/* The arguments after the folder. */
static Words resources_of(const Options* o) {
    return (Words){o->arguments.at + 1, o->arguments.count - 1};
}

COMMAND(compile) {
    BuildOptions b;
    int          code = build_options_read(&b, o, "compile", resources_of(o));
    for (u32 i = 0; i < b.resources.count && code == EXIT_OK; i++) {
        Text         name;
        ResourceType type;
        if (!resource_parse(b.resources.at[i], &name, &type)) code = EXIT_USAGE;
    }
    b.keep_going = build_is_batch(&b);
    return code == EXIT_OK ? build_last(&b) : code;
}

COMMAND(why) {
    BuildOptions b = o->build;
    if (!b.out) {
        fprintf(stderr, "entc: error: why: -o is required: the output folder of the build\n");
        return EXIT_USAGE;
    }
    if (!clip_error_read(o, "why", &b.compile.clip_error)) return EXIT_USAGE;
    b.source = o->arguments.at[0];
    b.mode = BUILD_DRY_RUN;
    const int code = places_check_apart("why", b.source, b.out);
    if (code != EXIT_OK) return code;
    return why_run(&b, o->arguments.count > 1 ? o->arguments.at[1] : NULL);
}

COMMAND(cache) {
    u64         bytes;
    const char* folder = o->build.cache ? o->build.cache : getenv("ENTC_CACHE_DIR");
    if (!o->trim || !bytes_of(o->trim, &bytes)) {
        fprintf(stderr,
                "entc: error: cache: --trim %s the number of bytes to keep, such as 500M or 2G\n",
                o->trim ? "needs" : "is required:");
        return EXIT_USAGE;
    }
    if (!folder || !*folder) {
        fprintf(stderr,
                "entc: error: cache: specify the cache folder with --cache or ENTC_CACHE_DIR\n");
        return EXIT_USAGE;
    }
    return cache_trim(folder, bytes, o->build.messages.quiet);
}

COMMAND(codegen) {
    BuildOptions b = o->build;
    b.source = o->arguments.at[0];
    b.messages.color = needs_color(o->color);
    const int code = places_check_file("codegen", "-o", b.source, b.out);
    return code == EXIT_OK ? codegen_run(&b) : code;
}

COMMAND(schema) {
    BuildOptions b = o->build;
    if (!b.out) {
        fprintf(stderr, "entc: error: schema: -o is required: the path to write to\n");
        return EXIT_USAGE;
    }
    b.source = o->arguments.count ? o->arguments.at[0] : NULL;
    b.messages.color = needs_color(o->color);
    const int code = b.source ? places_check_folder("schema", "-o", b.source, b.out) : EXIT_OK;
    return code == EXIT_OK ? schema_run(&b) : code;
}

/* --- commands that follow references in a source folder --- */

static BuildOptions source_options(const Options* o) {
    BuildOptions b = o->build;
    b.source = o->arguments.at[0];
    b.messages.color = needs_color(o->color);
    return b;
}

COMMAND(refs) {
    const BuildOptions b = source_options(o);
    return refs_run(&b, o->arguments.at[1], o->json);
}

/* Compiles the resource to find out what it reads. */
static int deps_list(const Options* o, BuildOptions* b) {
    if (o->all || o->json) {
        fprintf(stderr, "entc: error: deps: --inputs and %s cannot be combined\n",
                o->all ? "--all" : "--json");
        return EXIT_USAGE;
    }
    b->resources = resources_of(o);
    b->out = o->inputs;
    b->mode = BUILD_INPUTS;
    b->jobs = 1;
    b->compile.strip = false;
    b->compile.target = TARGET_LITTLE;
    b->compile.clip_error = CLIP_ERROR;
    file_clean_on_end();
    const int code = places_check_file("deps", "--inputs", b->source, b->out);
    return code == EXIT_OK ? build_last(b) : code;
}

COMMAND(deps) {
    BuildOptions b = source_options(o);
    if (o->inputs) return deps_list(o, &b);
    return deps_run(&b, o->arguments.at[1], o->all, o->json);
}

COMMAND(unused) {
    const BuildOptions b = source_options(o);
    return unused_run(&b, o->roots.at, o->roots.count, o->why, o->json);
}

COMMAND(mv) {
    const BuildOptions b = source_options(o);
    const u32          alone = (u32)o->canonical + o->finish + o->drop;
    if (alone + o->references > 1 || o->arguments.count != (alone ? 1 : 3)) {
        fputs("entc: error: mv: expected SRC OLD NEW, SRC --references OLD NEW, SRC --canonical, "
              "SRC --finish or SRC --drop\n",
              stderr);
        return EXIT_USAGE;
    }
    file_clean_on_end();
    if (o->canonical) return move_run(&b, NULL, NULL);
    if (o->references) return move_references_run(&b, o->arguments.at[1], o->arguments.at[2]);
    if (alone) return move_finish(b.source, o->finish ? JOURNAL_FINISH : JOURNAL_DROP);
    return (strchr(o->arguments.at[1], ':') ? move_entity_run : move_run)(&b, o->arguments.at[1],
                                                                          o->arguments.at[2]);
}

COMMAND(rm) {
    const BuildOptions b = source_options(o);
    file_clean_on_end();
    return remove_run(&b, o->arguments.at[1]);
}

COMMAND(fix_overrides) {
    const BuildOptions b = source_options(o);
    file_clean_on_end();
    return fix_overrides_run(&b);
}

COMMAND(init) { return init_run(o->arguments.at[0], o->build.messages.quiet); }

COMMAND(conform) { return conform_run(o->arguments.at[0], o->arguments.at[1]); }

/* --- commands that read blobs, with the same component types as those that write them --- */

static int inspect(const Options* o, int (*run)(const Options* o, const BlobOptions* known)) {
    Diagnostics* diag = diag_create();
    Registry     registry;
    int          code = EXIT_INVALID;
    if (registry_init(&registry, diag)) {
        code = plugins_open(&registry, &o->build.plugins, o->build.messages.quiet, diag);
    }
    if (code == EXIT_OK) {
        code = declaration_search_in(o->declarations.at, o->declarations.count);
    }
    if (code == EXIT_OK) {
        const BlobOptions known = registry_options(&registry);
        code = run(o, &known);
    }
    declaration_search_end();
    diag_print(diag, stderr, DIAG_TEXT, false);
    diag_destroy(diag);
    plugins_close(&registry);
    return code;
}

static int migrate(const Options* o, const BlobOptions* known) {
    return migrate_run(o->arguments.at[0], o->arguments.at + 1, o->arguments.count - 1, known,
                       o->build.mode == BUILD_DRY_RUN);
}

static int dump(const Options* o, const BlobOptions* known) {
    if (o->picture) return inspect_picture(o->arguments.at[0], o->picture_level, o->picture, known);
    if (o->picture_level) {
        fprintf(stderr, "entc: error: dump: --level requires --png FILE\n");
        return EXIT_USAGE;
    }
    return inspect_dump(o->arguments.at[0], o->dump, known);
}
static int diff(const Options* o, const BlobOptions* known) {
    return inspect_diff(o->arguments.at[0], o->arguments.at[1], o->diff, known);
}
static int determinism(const Options* o, const BlobOptions* known) {
    BuildOptions b = source_options(o);
    int          code =
        clip_error_read(o, "verify-determinism", &b.compile.clip_error) ? EXIT_OK : EXIT_USAGE;
    if (code == EXIT_OK && b.out) code = places_check_apart("verify-determinism", b.source, b.out);
    return code == EXIT_OK ? verify_determinism(&b, known) : code;
}

/* The limit for the bytes of the resources of a bundle. Returns an exit code. */
static int expanded_limit(const Options* o, const char* command, u64* max) {
    *max = BUNDLE_EXPANDED_MAX;
    return max_output_read(o, command, max) ? EXIT_OK : EXIT_USAGE;
}

static int verify(const Options* o, const BlobOptions* known) {
    u64       max;
    const int code = expanded_limit(o, "verify", &max);
    if (code != EXIT_OK) return code;
    return inspect_verify(o->arguments.at, o->arguments.count, known, max, o->build.messages.quiet);
}
static int info(const Options* o, const BlobOptions* known) {
    u64       max;
    const int code = expanded_limit(o, "info", &max);
    return code == EXIT_OK ? inspect_info(o->arguments.at[0], known, max, o->json) : code;
}

static int pack(const Options* o, const BlobOptions* known) {
    const PackOptions options = {.folder = o->arguments.at[0],
                                 .file = o->build.out,
                                 .package = o->packages.at,
                                 .package_count = o->packages.count,
                                 .root = o->roots.at,
                                 .root_count = o->roots.count,
                                 .level = o->level,
                                 .jobs = o->build.jobs,
                                 .progress = shows_progress(&o->build.messages),
                                 .verbose = o->build.messages.verbose};
    const PlaceOption bundle = {"-o", options.file};
    const int         code = places_check_output("pack", &bundle, options.folder);
    return code == EXIT_OK ? pack_run(&options, known) : code;
}
static int unpack(const Options* o, const BlobOptions* known) {
    u64       max;
    const int code = expanded_limit(o, "unpack", &max);
    if (code != EXIT_OK) return code;
    return unpack_run(o->arguments.at[0], o->build.out, known, max, o->build.jobs,
                      o->build.messages.verbose);
}

static int writes(const Options* o, const char* command,
                  int (*run)(const Options* o, const BlobOptions* known)) {
    if (!o->build.out) {
        fprintf(stderr, "entc: error: %s: -o is required: the path to write to\n", command);
        return EXIT_USAGE;
    }
    file_clean_on_end();
    signals_call(jobserver_leave);
    return inspect(o, run);
}

COMMAND(pack) { return writes(o, "pack", pack); }
COMMAND(unpack) { return writes(o, "unpack", unpack); }
COMMAND(index) {
    const bool other = (o->build.compile.target == TARGET_LITTLE) != HOST_IS_LITTLE;
    return index_run(o->arguments.at[0], o->arguments.at + 1, o->arguments.count - 1, other,
                     o->build.messages.verbose);
}
COMMAND(list) { return list_run(o->arguments.at[0], o->json); }
COMMAND(dump) { return inspect(o, dump); }
COMMAND(diff) { return inspect(o, diff); }
COMMAND(verify) { return inspect(o, verify); }
COMMAND(migrate) {
    file_clean_on_end();
    return inspect(o, migrate);
}
COMMAND(verify_determinism) {
    file_clean_on_end();
    return inspect(o, determinism);
}
COMMAND(info) { return inspect(o, info); }
