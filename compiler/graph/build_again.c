/* build_again.c - builds repeatedly, and keeps what is known between two builds.
 *
 * What is kept was looked at as by any build, after the watch of the output folder was opened, and found to be up to
 * date; the caller watches the source folder. So each change since then is either known, or everything is looked at
 * again. */
#include "build_again.h"

#include <stdlib.h>

#include "build_edit.h"
#include "clock.h"
#include "diag.h"

#define RUNS_MAX     256u         /* builds before a new look, because each leaves some memory */
#define PRODUCTS_MAX 2000u        /* products of one build, likewise */
#define LATER_MAX    4096u        /* reads that products did not have before */
#define APPENDED_MAX (4ull << 20) /* bytes behind the build database, beside half of its size */

struct BuildAgain {
    const BuildOptions* options;
    BuildOptions        part_options; /* without an observer: not all products are compiled */
    BuildLook           look;
    bool                is_kept;    /* the look */
    bool                is_used;    /* sources were read since it was made */
    bool                is_limited; /* the kernel's watches do not suffice for the output folder */
    u32                 runs;
    u64                 unread; /* BuildCounts.unread of the last complete build */
};

/* --- what is kept --- */

static void look_drop(BuildLook* look) {
    folder_watch_close(look->outputs);
    memory_free(look->first);
    memory_free(look->reader);
    memory_free(look->product);
    array_drop(&look->later);
    array_drop(&look->warned);
    array_drop(&look->pending);
    name_table_drop(&look->names);
    build_end(&look->build);
}

static void kept_drop(BuildAgain* again) {
    if (again->is_kept) look_drop(&again->look);
    again->is_kept = false;
}

/* Other builds write files that concern all products, or depend on more than the folders. */
static bool may_keep(const BuildOptions* o) {
    return o->mode == BUILD_WATCH && !o->report && !o->manifest && !o->budget && !o->depfile.path &&
           !o->force && !o->keep_going && o->plugins.count == 0;
}

/* Is everything up to date? Each build compiles products with warnings. */
static bool is_up_to_date(BuildLook* look) {
    Build*          b = &look->build;
    const Database* db = &b->database;
    b->idle = true;
    settings_misplaced_find(b); /* which each build reports */
    bool same = db->head && !db->head->invalid && !db->is_extended && sources_are_kept(look) &&
                b->same_environment && diag_report_count(b->diag) == 0 && maps_are_settled(b) &&
                index_is_settled(b) && database_fits(b);
    for (u32 i = 0; i < b->products.count && same; i++) {
        const Reason reason = product_reason(b, &b->products.at[i]);
        same = reason == REASON_NONE || reason == REASON_WARNED ||
               (reason == REASON_READ_CHANGED && look->pending.count > 0);
    }
    for (u32 i = 0; i < b->assets.count && same; i++) same = !b->assets.asset[i]->diag;
    return same;
}

static void look_begin(BuildLook* look) {
    Build* b = &look->build;
    database_rows_copy(&b->database);
    readers_find(look);
    name_table_fill(&look->names, b);
    index_make(b);
    for (u32 i = 0; i < b->database.head->product_count; i++)
        look->bytes += b->up_to_date.output[i].stamp.size;
}

/* What is known about the resources of a model is found in the build database again. */
static void sources_forget(BuildAgain* again) {
    Build*    b = &again->look.build;
    const u32 count = b->assets.read_count;
    u32*      read = memory_alloc(sizeof(u32) * ((size_t)count + 1));
    memcpy(read, b->assets.read, sizeof(u32) * count);
    assets_forget(&b->assets);
    for (u32 i = 0; i < count; i++) {
        Asset* asset = b->assets.asset[read[i]];
        if (form_is_model(asset->form) && model_is_recorded(b, asset)) model_open(b, asset);
    }
    memory_free(read);
    again->is_used = false;
}

void build_again_prepare(BuildAgain* again) {
    BuildLook* look = &again->look;
    if (again->is_kept && again->is_used) sources_forget(again);
    if (again->is_kept || again->is_limited || !may_keep(again->options)) return;
    *look = (BuildLook){0};
    const ent_status watched = folder_watch_open(&look->outputs, again->options->out);
    again->is_limited = watched == ENT_LIMIT;
    if (watched != ENT_OK) return;
    Build* b = &look->build;
    if (build_begin(b, again->options) == EXIT_OK && build_look(b) == EXIT_OK &&
        is_up_to_date(look)) {
        look_begin(look);
        again->is_kept = true;
        again->runs = 0;
        return;
    }
    look_drop(look);
}

/* --- a build of what has changed --- */

/* It has its own products, diagnostics and results; the folders, the sources and the threads are those of the look. */
static void part_begin(BuildAgain* again, Build* part) {
    const Build* b = &again->look.build;
    again->part_options = *again->options;
    again->part_options.observer = NULL;
    *part = *b;
    part->options = &again->part_options;
    part->diag = diag_create();
    if (part->options->messages.quiet) diag_hide_warnings(part->diag);
    part->arena = (Arena){0};
    part->shared_reason = NULL;
    part->links = (Text){0};
    part->stage = (BuildStage){0};
    memset(&part->products, 0, sizeof part->products);
    memset(&part->stale, 0, sizeof part->stale);
    memset(&part->unread, 0, sizeof part->unread);
    part->product_slots = (Slots){0};
    part->compiled = part->cached = part->written = part->unchanged = part->removed = 0;
    part->maps = part->observed = part->misled = 0;
    part->is_eager = false;
    part->is_part = true;
    severities_set(part);
}

static void part_end(BuildLook* look, Build* part) {
    look->build.assets = part->assets;
    for (u32 i = 0; i < part->products.count; i++) {
        Compiled* compiled = part->products.at[i].compiled;
        if (compiled) compiled_drop(compiled); /* else not all of them were found */
    }
    for (u32 i = 0; i < ent_job_worker_count(part->pool); i++) arena_drop(&part->worker[i].arena);
    array_drop(&part->products);
    slots_drop(&part->product_slots);
    diag_destroy(part->diag);
    arena_drop(&part->arena);
}

/* Are its results those of a complete build? If not, nothing was reported or written yet. */
static bool part_suffices(BuildLook* look, const Build* part) {
    const u64 max = part->options->max_output ? part->options->max_output : MAX_OUTPUT_BYTES;
    u64       bytes = look->bytes;
    for (u32 i = 0; i < part->products.count; i++) {
        const Compiled* compiled = part->products.at[i].compiled;
        bytes += MAX_OF(compiled->cost, (u64)compiled->size);
    }
    return !part->misled && !part->refused && !unusable_exists(part) && bytes <= max &&
           besides_are_kept(look, part) && name_table_join(&look->names, part);
}

static int part_write(BuildLook* look, Build* part, bool* is_recorded) {
    int code = outputs_write(part);
    *is_recorded = false;
    part->unchanged += look->build.products.count - part->products.count;
    if (code != EXIT_OK) return code;
    index_change(part); /* that of the look */
    code = build_record_part(part, &look->build.database, is_recorded);
    if (*is_recorded) part_keep(look, part);
    return code == EXIT_OK ? index_put(part) : code;
}

/* Another program may have replaced the database; a long file costs each program that reads it. */
static bool database_is_kept(const Database* db) {
    return db->bytes - db->view.size < db->view.size / 2 + APPENDED_MAX;
}

/* Returns false when everything has to be looked at. */
static bool part_run(BuildAgain* again, u64 start, BuildCounts* counts, int* code) {
    BuildLook* look = &again->look;
    Build      part;
    bool       is_recorded = true;
    part_begin(again, &part);
    bool known = products_affected(look, &part);
    part.assets = look->build.assets; /* models may have been read since it began */
    if (known) {
        again->is_used = true;
        products_count(&part);
        products_run(&part);
        known = part_suffices(look, &part);
    }
    if (known) {
        products_settle(&part);
        *code = diag_exit_code(part.diag);
        if (*code == EXIT_OK && part.products.count)
            *code = part_write(look, &part, &is_recorded);
        else if (*code == EXIT_OK)
            part.unchanged = look->build.products.count;
        *code = build_report(&part, *code, start, counts);
        counts->unread = again->unread;
    }
    stages_drop(&part);
    const bool many = part.products.count > PRODUCTS_MAX;
    part_end(look, &part);
    if (!known) return false;
    if (!is_recorded || many || *code == EXIT_IO || *code == EXIT_LIMIT ||
        !database_is_kept(&look->build.database) || look->later.count > LATER_MAX ||
        ++again->runs == RUNS_MAX)
        kept_drop(again);
    return true;
}

/* --- builds --- */

/* The build has failed before it took them. */
static void lists_drop(BuildLists* lists) {
    tree_drop(&lists->sources);
    tree_drop(&lists->outputs);
}

BuildAgain* build_again_open(const BuildOptions* options) {
    BuildAgain* again = memory_alloc(sizeof *again);
    again->options = options;
    return again;
}

void build_again_close(BuildAgain* again) {
    if (!again) return;
    kept_drop(again);
    memory_free(again);
}

void build_again_forget(BuildAgain* again) {
    kept_drop(again);
    again->is_limited = true;
}

int build_again_run(BuildAgain* again, const FolderChanges* changes, BuildCounts* counts,
                    bool* complete) {
    const u64    start = clock_ns();
    BuildOptions options = *again->options;
    BuildLists   lists = {0};
    int          code = EXIT_OK;
    *complete = true;
    if (again->is_kept && again->is_used) sources_forget(again);
    const bool known = again->is_kept && changes &&
                       database_is_current(&again->look.build.database, again->options->out) &&
                       outputs_are_kept(&again->look);
    if (known) code = journal_finish(again->options);
    if (code != EXIT_OK) return kept_drop(again), code;
    *complete =
        !known || !edits_look(&again->look, changes) || !part_run(again, start, counts, &code);
    if (!*complete) return code;
    if (known && again->is_kept) lists_keep(&again->look, changes, &lists);
    kept_drop(again);
    options.unread_reported = again->unread;
    options.lists = &lists;
    code = build_run(&options, counts);
    if (lists.is_complete) lists_drop(&lists);
    if (code == EXIT_OK) again->unread = counts->unread;
    return code;
}
