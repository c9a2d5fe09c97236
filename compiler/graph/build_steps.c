/* build_steps.c - the steps that every action has: it begins, reads the folders and the build database, lists the
 * products, compiles those that are not up to date, and ends. */
#include <errno.h>
#include <stdlib.h>

#include "build_internal.h"
#include "declare.h"
#include "diag.h"
#include "diag_print.h"
#include "failure.h"
#include "identity.h"
#include "model.h"
#include "move_journal.h"
#include "plugin_load.h"
#include "sections.h"
#include "clock.h"
#include "temporary.h"
#include "threads.h"
#include "order.h"

/* --- the list of products --- */

static Known known_list(const Database* db, Arena* arena) {
    Known known = {0};
    if (!db->head) return known;
    known.first = ARENA_NEW(arena, u32, db->head->file_count + 1);
    known.next = ARENA_NEW(arena, u32, db->head->product_count + 1);
    for (u32 i = db->head->product_count; i-- > 0;) {
        u32* first = &known.first[db->products[i].file];
        known.next[i] = *first;
        *first = i + 1;
    }
    return known;
}

static void models_open(void* user, u32 first, u32 end, u32 worker) {
    Build* b = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        if (form_is_model(b->assets.asset[i]->form)) model_open(b, b->assets.asset[i]);
    }
}

/* The images to which models refer, also those of other variants, belong to these models only. */
static void images_of_models(const Build* b, Paths* named) {
    for (u32 i = 0; i < b->assets.count; i++) {
        const Asset* asset = b->assets.asset[i];
        for (u32 k = 0; k < asset->outline->named.count; k++)
            *array_push(&named->at) = path_named(b, asset->outline->named.at[k]);
    }
    paths_of_others(b, named);
    if (named->at.count) qsort(named->at.at, named->at.count, sizeof *named->at.at, order_texts);
}

static bool is_image_of_model(const Build* b, const Paths* named, const char* image) {
    const char* path = image + strlen(b->sources.root) + 1;
    return named->at.count &&
           bsearch(&path, named->at.at, named->at.count, sizeof *named->at.at, order_texts);
}

/* Such an image is no texture. */
static bool asset_is_product(Build* b, const Paths* named, Asset* asset) {
    if (asset->form != ASSET_IMAGE) return true;
    const bool owned = is_image_of_model(b, named, asset->source.path);
    asset->owned = owned ? OWNER_MODEL : OWNER_NONE;
    b->models_have_images |= owned;
    return !owned;
}

static void products_list(Build* b) {
    Paths named = {0};
    models_count(b);
    threads_run(b->pool, b->assets.count, 4, models_open, b);
    u32 count = b->assets.count;
    for (u32 i = 0; i < b->assets.count; i++)
        count += b->assets.asset[i]->outline->sub_resources.count;
    array_reserve(&b->products, count);
    images_of_models(b, &named);
    for (u32 i = 0; i < b->assets.count; i++) {
        Asset* asset = b->assets.asset[i];
        if (!asset_is_product(b, &named, asset)) continue;
        product_add(b, asset, asset->name, asset->type, NONE);
        for (u32 k = 0; k < asset->outline->sub_resources.count; k++) {
            const SubResource* sub_resource = &asset->outline->sub_resources.at[k];
            product_add(b, asset, sub_resource->name, sub_resource->type, NONE);
        }
    }
    array_drop(&named.at);
    arena_drop(&named.arena);
    products_sort(b);
    products_index(b);
}

/* A resource that `compile` requests. */
static int product_pick(Build* b, const char* resource) {
    Text         name;
    ResourceType type;
    u32          index;
    if (!resource_parse(resource, &name, &type)) return EXIT_USAGE;
    const u32 errors = diag_error_count(b->diag);
    Asset*    asset = assets_resource(&b->assets, name, type, &index);
    if (asset) {
        product_add(b, asset, arena_text(&b->assets.arena, name), type, index);
        return EXIT_OK;
    }
    if (diag_error_count(b->diag) != errors) return diag_exit_code(b->diag);
    const Asset* model = unread_model_of(b, name);
    if (model && model->state == ASSET_INVALID) return EXIT_INVALID; /* its errors are reported */
    Asset* listed = b->options->inputs ? assets_file(&b->assets, name, type) : NULL;
    if (listed && !assets_image_is_owned(&b->assets, listed)) {
        fprintf(stderr, "entc: error: \"%s\" contains \"%s\", which is not a file\n",
                b->inputs.source.path, listed->source.path);
        return EXIT_IO;
    }
    if (input_list_resource(&b->inputs, name, type)) {
        fprintf(stderr,
                "entc: error: \"%s\" contains \"%s\" only as a resource, without its file\n",
                b->inputs.source.path, resource);
        return EXIT_IO;
    }
    const char* near = assets_nearest(&b->assets, name, type);
    fprintf(stderr, "entc: error: there is no \"%s\" in \"%s\"%s%s%s%s%s\n", resource,
            b->inputs.source.path ? b->inputs.source.path : b->assets.root,
            ASSETS_NEAREST(near, type));
    return EXIT_IO;
}

/* All of them, each once. The others are compiled when one of a batch does not exist. */
static int products_pick(Build* b) {
    const Words* resources = &b->options->resources;
    u32          kept = 0;
    for (u32 i = 0; i < resources->count; i++) {
        const int code = product_pick(b, resources->at[i]);
        b->absent_code = MAX_OF(b->absent_code, code);
    }
    products_sort(b);
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        if (kept == 0 || !product_same(&b->products.at[kept - 1], p)) b->products.at[kept++] = *p;
    }
    b->products.count = kept;
    if (kept) return EXIT_OK;
    assets_report(&b->assets, b->diag);
    return b->absent_code;
}

/* --- reading --- */

typedef struct TreeJob {
    Tree*       tree;
    const char* root;
    bool        stamps;
    JobPool*    pool;
    const char* failed;
    ent_status  status;
    int         reason; /* errno */
} TreeJob;

static void trees_read(void* user, u32 first, u32 end, u32 worker) {
    TreeJob* job = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        job[i].status =
            tree_read(job[i].tree, job[i].root, job[i].stamps, job[i].pool, &job[i].failed);
        job[i].reason = errno;
    }
}

/* Removes temporary files of killed processes from the folder of an output. */
static void output_sweep(const BuildOptions* o) {
    if (build_is_batch(o))
        folders_sweep(o->out);
    else
        folder_sweep(o->out);
}

/* Instead of listing any folder. */
static int inputs_read(Build* b) {
    const BuildOptions* o = b->options;
    if (o->cache) cache_open(&b->cache, o->cache);
    tree_begin(&b->sources, o->source);
    if (input_list_read(&b->inputs, o->inputs, &b->sources, b->diag) != ENT_OK)
        return io_failure("cannot read the list of inputs", o->inputs);
    return diag_exit_code(b->diag);
}

/* Takes the lists of a program that builds repeatedly. */
static bool lists_take(Build* b) {
    BuildLists* lists = b->options->lists;
    if (!lists || !lists->is_complete) return false;
    b->sources = lists->sources;
    b->outputs = lists->outputs;
    b->scanned_ns = lists->scanned_ns;
    *lists = (BuildLists){0};
    return true;
}

/* Reads both folders at the same time. An output folder that does not exist yet is not an error. */
static int folders_read(Build* b) {
    const BuildOptions* o = b->options;
    TreeJob jobs[2] = {{&b->sources, o->source, !o->resources.count, b->pool, NULL, ENT_OK, 0},
                       {&b->outputs, o->out, true, b->pool, NULL, ENT_OK, 0}};
    if (o->cache)
        cache_open(&b->cache, o->cache); /* which removes old entries, even when there is
                                                    * nothing to build */
    if (lists_take(b)) return EXIT_OK;
    b->scanned_ns = clock_wall_ns();
    threads_run(b->pool, o->resources.count || !o->out ? 1 : 2, 1, trees_read, jobs);
    errno = jobs[0].reason;
    if (jobs[0].status != ENT_OK) return io_failure("cannot read the asset folder", jobs[0].failed);
    if (o->backwards) tree_reverse(&b->sources);
    if (build_writes(o)) tree_sweep(&b->sources);
    if (o->resources.count) {
        if (build_writes(o)) output_sweep(o);
        return EXIT_OK;
    }
    errno = jobs[1].reason;
    if (jobs[1].status != ENT_OK && jobs[1].status != ENT_NOT_FOUND)
        return io_failure("cannot read the output folder", jobs[1].failed);
    if (!build_writes(o)) return EXIT_OK;
    tree_sweep(&b->outputs);
    database_sweep(o->out);
    return EXIT_OK;
}

/* A build reports every warning that a clean build would report. */
static bool is_warned(const Database* db) {
    bool warned = false;
    for (u32 i = 0; i < db->head->product_count && !warned; i++)
        warned = db->products[i].flags & DATABASE_WARNED;
    return warned;
}

static GltfRules rules_of(const Build* b) {
    GltfRules rules = gltf_rules(settings_accepted(&b->settings), b->options->strict_models,
                                 settings_strict(&b->settings));
    rules.names_off = settings_names_off(&b->settings);
    return rules;
}

static char* environment_text(const Build* b) {
    const BuildOptions* o = b->options;
    const GltfRules     rules = rules_of(b);
    return identity_text(&b->registry, &o->compile, o->variant, &rules, &b->settings.severities);
}

/* Reads the build database and determines whether there is anything to build. The declarations of a
 * project are at the end of the environment: when no source has changed, they have not changed
 * either. */
bool database_compare(Build* b) {
    const BuildOptions* o = b->options;
    b->environment = environment_text(b);
    if (o->out && !o->resources.count && !b->distrust &&
        database_open(&b->database, o->out, DATABASE_ALL) != ENT_OK)
        b->database_unread = errno;
    const Database* db = &b->database;
    b->known = known_list(db, &b->arena);
    up_to_date_compare(&b->up_to_date, db, &b->sources, &b->outputs, &b->settings, b->pool);
    return db->head && !db->head->invalid && b->up_to_date.idle && !o->force &&
           maps_are_settled(b) && index_is_settled(b) && !is_warned(db) && database_fits(b) &&
           strncmp(database_text(db, db->head->environment), b->environment,
                   strlen(b->environment)) == 0;
}

/* A build that writes replaces a file that cannot be read, or reads it again to compile it. A build
 * that only reports what would change cannot determine this. */
int compare_failed(const Build* b) {
    if (build_writes(b->options) || !b->up_to_date.unread) return EXIT_OK;
    errno = b->up_to_date.unread_reason;
    return io_failure("cannot read", b->up_to_date.unread);
}

/* Adds the declared components of the project to the built-in types. */
static void declarations_join(Build* b) {
    const Database* db = &b->database;
    const u32       built_in = b->registry.count;
    declarations_read(&b->assets, &b->registry, b->diag);
    if (b->registry.count > built_in) {
        free(b->environment);
        b->environment = environment_text(b);
    }
    u32 files = 0;
    for (u32 i = 0; i < b->assets.count; i++) {
        files += b->assets.asset[i]->type == RESOURCE_COMPONENT;
    }
    b->refused |= b->registry.count - built_in != files; /* two have one key, or one id */
    b->environment_hash = hash_content(b->environment, strlen(b->environment));
    b->same_environment =
        db->head && strcmp(database_text(db, db->head->environment), b->environment) == 0;
}

static bool product_known(void* user, Text name, ResourceType type) {
    return product_find(user, name, type) != NULL;
}

int assets_look(Build* b) {
    const BuildOptions* o = b->options;
    if (!assets_open(&b->assets, &b->sources, &b->registry, &b->settings, o->variant, b->diag)) {
        return io_failure("cannot read the asset folder", o->source);
    }
    b->assets.severities = &b->settings.severities;
    b->registry.inputs = o->inputs;
    if (o->inputs) b->assets.inputs = &b->inputs;
    b->assets.rules = rules_of(b);
    b->assets.pool = b->pool;
    b->assets.complete = !o->resources.count;
    b->assets.hashes = !o->resources.count || b->cache.folder;
    if (!o->resources.count) b->assets.kept_max = b->memory.kept;
    b->refused |= b->settings.has_errors || diag_has(b->diag, E0303);
    declarations_join(b);
    if (o->resources.count) return products_pick(b);
    products_list(b);
    b->assets.known = product_known, b->assets.user = b;
    return EXIT_OK;
}

bool models_agree(const Build* b) {
    bool agree = !b->assets.misled;
    for (u32 i = 0; i < b->assets.count && agree; i++) {
        const Asset* asset = b->assets.asset[i];
        if (!form_is_model(asset->form) || asset->state != ASSET_VALID) continue;
        agree = asset->outline->sub_resources.count == asset->content->model->resource_count;
    }
    return agree;
}

/* Only a build of the complete folder that writes completes an interrupted rename. */
int journal_finish(const BuildOptions* o) {
    const bool writes = !o->resources.count && build_writes(o) && o->mode != BUILD_GRAPH;
    return move_finish(o->source, writes ? JOURNAL_COMPLETE : JOURNAL_REFUSE);
}

void severities_set(Build* b) {
    diag_set_severities(b->diag, &b->settings.severities);
    for (u32 i = 0; i < ent_job_worker_count(b->pool); i++) {
        diag_set_severities(b->worker[i].diag, &b->settings.severities);
    }
}

/* Reads the component types, both folders, and the settings of the project. */
int build_open(Build* b) {
    const BuildOptions* o = b->options;
    if (!registry_init(&b->registry, b->diag)) return diag_exit_code(b->diag);
    int code = plugins_open(&b->registry, &o->plugins, o->messages.quiet, b->diag);
    if (code == EXIT_OK && !o->inputs) code = journal_finish(o);
    if (code == EXIT_OK) code = o->inputs ? inputs_read(b) : folders_read(b);
    if (code != EXIT_OK) return code;
    if (!o->inputs || input_list_file(&b->inputs, SETTINGS_FILE))
        settings_read(&b->settings, &b->sources, b->diag);
    severities_set(b);
    return settings_check_variant(&b->settings, o->variant);
}

int build_look(Build* b) {
    const int code = build_open(b);
    if (code != EXIT_OK) return code;
    database_compare(b);
    errno = b->database_unread;
    if (errno) return io_failure("cannot read the build database in", b->options->out);
    int compared = compare_failed(b);
    if (compared == EXIT_OK) compared = outputs_check_project(b);
    return compared == EXIT_OK ? assets_look(b) : compared;
}

/* --- compiling --- */

void products_settle(Build* b) {
    unusable_remove(b);
    assets_report(&b->assets, b->diag);
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        if (!p->compiled) continue;
        const bool listed = b->options->mode == BUILD_INPUTS && p->compiled->unusable;
        if (p->compiled->diag && !listed) diag_absorb(b->diag, p->compiled->diag);
        if (p->compiled->is_cached)
            b->cached++;
        else
            b->compiled++;
    }
    if (!b->options->resources.count) names_check(b);
    if (!b->options->resources.count && !b->is_part) renamed_report(b);
}

static void text_read(void* user, const Source* source) {
    Build* b = user;
    asset_text_again(&b->assets, source);
}

void texts_read(Build* b) { diag_sources_each(b->diag, text_read, b); }

void products_compile(Build* b) {
    products_count(b);
    products_run(b);
    products_settle(b);
}

/* --- the beginning and the end --- */

int build_begin(Build* b, const BuildOptions* options) {
    *b = (Build){.options = options, .diag = diag_create()};
    if (options->messages.quiet) diag_hide_warnings(b->diag);
    b->pool = threads_open(options->jobs);
    if (!b->pool) return EXIT_LIMIT;
    if (!options->resources.count || ent_job_worker_count(b->pool) > 1) memory_open(b);
    b->worker = memory_alloc(sizeof(Worker) * ent_job_worker_count(b->pool));
    for (u32 i = 0; i < ent_job_worker_count(b->pool); i++) b->worker[i].diag = diag_create();
    return EXIT_OK;
}

int build_restart(Build* b, bool distrust) {
    const BuildOptions* options = b->options;
    build_end(b);
    const int code = build_begin(b, options);
    b->distrust = distrust;
    return code;
}

void workers_stop(Build* b) {
    for (u32 i = 0; b->pool && i < ent_job_worker_count(b->pool); i++) {
        diag_destroy(b->worker[i].diag);
        arena_drop(&b->worker[i].arena);
        memory_free(b->worker[i].compile.read_stamp);
        memory_free(b->worker[i].compile.asset_bytes);
    }
    memory_free(b->worker);
    threads_close(b->pool);
    b->worker = NULL;
    b->pool = NULL;
}

void build_end(Build* b) {
    workers_stop(b);
    for (u32 i = 0; i < b->products.count; i++) {
        if (b->products.at[i].compiled) compiled_drop(b->products.at[i].compiled);
    }
    assets_close(&b->assets);
    array_drop(&b->products);
    array_drop(&b->unread);
    array_drop(&b->stale);
    slots_drop(&b->product_slots);
    free(b->environment);
    memory_free(b->index);
    arena_drop(&b->arena);
    up_to_date_drop(&b->up_to_date);
    database_close(&b->database);
    file_unmap(&b->budget);
    settings_drop(&b->settings);
    tree_drop(&b->sources);
    tree_drop(&b->outputs);
    input_list_drop(&b->inputs);
    diag_destroy(b->diag);
    plugins_close(&b->registry);
}
