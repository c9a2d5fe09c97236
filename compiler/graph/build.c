/* build.c - builds a folder of outputs from a folder of sources: the order of all steps. Nothing is written if there
 * is any error. */
#include "build_internal.h"
#include "build_manifest.h"
#include "diag.h"
#include "diag_print.h"
#include "failure.h"
#include "plugin_load.h"
#include "process_memory.h"
#include "report.h"
#include "clock.h"

/* The actions that replace a build. */
static int build_outline(Build* b) {
    int code = assets_look(b);
    assets_report(&b->assets, b->diag);
    if (b->options->mode == BUILD_GRAPH) renamed_report(b);
    if (code == EXIT_OK) code = diag_exit_code(b->diag);
    if (code != EXIT_OK) return code;
    return b->options->mode == BUILD_LIST ? outputs_list(b) : graph_write(b);
}

/* What follows from the sources alone: other threads make it while the outputs are written. For many products it needs as
 * much memory as the outputs; if there are few threads, it is made after them. */
static void describe_run(void* user, u32 first, u32 end, u32 worker) {
    Build* b = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        if (i == 0)
            links_make(b);
        else
            index_make(b);
    }
}

static int build_write(Build* b) {
    const BuildOptions* o = b->options;
    const bool          writes = build_writes(o);
    JobGroup            described = {0};
    Print               depfile;
    int                 code = depfile_make(b, &depfile);
    if (code != EXIT_OK) return code;
    const bool waits = memory_is_scarce(b);
    if (!o->resources.count && !waits) ent_job_dispatch(b->pool, &described, 2, 1, describe_run, b);
    code = products_write(b);
    if (waits) memory_trim();
    if (!o->resources.count && waits) ent_job_dispatch(b->pool, &described, 2, 1, describe_run, b);
    if (code == EXIT_OK && writes && !folders_make(arena_print(&b->arena, "%s/.", o->out)))
        code = io_failure("cannot create the output folder", o->out); /* of no output */
    if (code == EXIT_OK && !o->resources.count) code = stale_remove(b);
    ent_job_wait(b->pool, &described);
    if (code == EXIT_OK && !o->resources.count) code = index_check(b);
    if (code == EXIT_OK && !o->resources.count && writes) code = build_record(b);
    if (code == EXIT_OK && !o->resources.count) code = index_put(b);
    code = depfile_put(b, &depfile, code);
    b->differs = code == EXIT_OK && o->mode == BUILD_CHECK &&
                 (b->written + b->maps + b->removed > 0 || b->index_differs);
    if (b->differs) code = EXIT_INVALID;
    return code;
}

/* --- the steps --- */

/* There is nothing to build: only settings in a wrong place are reported. Returns false when there are errors. */
static bool is_idle(Build* b) {
    const BuildOptions* o = b->options;
    b->idle = true;
    settings_misplaced_find(b);
    renamed_report(b);
    b->idle = diag_error_count(b->diag) == 0;
    if (!b->idle) return false;
    b->unchanged = b->database.head->product_count;
    if ((b->up_to_date.stale || b->database.is_extended) && build_writes(o)) build_record_stamps(b);
    return true;
}

/* Opens the inputs, and ends the build when its outputs are up to date or are only listed. */
static int inputs_open(Build* b) {
    const BuildOptions* o = b->options;
    const bool          outlines = o->mode == BUILD_LIST || o->mode == BUILD_GRAPH;
    int                 code = build_open(b);
    if (code != EXIT_OK) return code;
    const bool same = database_compare(b) && !b->settings.has_errors && !o->report && !o->budget;
    if (o->mode != BUILD_LIST) code = outputs_check_project(b);
    b->is_done = outlines;
    if (code == EXIT_OK && outlines) return build_outline(b);
    if (code == EXIT_OK) code = compare_failed(b);
    if (code != EXIT_OK) return code;
    b->is_done = same && is_idle(b);
    if (!same && !o->resources.count) b->misplaced_unknown = true;
    return EXIT_OK;
}

/* Lists the products, and finds those that have to be compiled. */
static int products_choose(Build* b) {
    int code = assets_look(b);
    if (code == EXIT_OK && build_is_batch(b->options)) code = batch_links_check(b);
    if (code != EXIT_OK && code != EXIT_INVALID) return code;
    if (b->misplaced_unknown) settings_misplaced_find(b);
    products_select(b);
    return EXIT_OK;
}

/* Reports what was compiled, and writes it unless there are errors. */
static int products_finish(Build* b) {
    const BuildOptions* o = b->options;
    if (unusable_is_compiled(b))
        return EXIT_OK; /* unusable_compile reports and writes everything */
    products_settle(b);
    if (!o->resources.count && !models_agree(b)) b->misled = 1;
    const int found = diag_exit_code(b->diag);
    if (b->misled || (found != EXIT_OK && (!o->keep_going || b->refused))) return found;
    int code = found == EXIT_OK ? build_estimate(b) : EXIT_OK;
    if (code == EXIT_OK && o->mode == BUILD_INPUTS) return inputs_list(b);
    if (code == EXIT_OK && o->mode != BUILD_ALONE) code = build_write(b);
    b->kept_going = found != EXIT_OK && code == EXIT_OK;
    return MAX_OF(MAX_OF(code, found), b->absent_code);
}

/* --- the results --- */

/* The resources of a model with errors are known only from an earlier build or the cache. */
static bool is_of_invalid_model(const Product* p) {
    return !product_is_source(p) && form_is_model(p->asset->form) &&
           p->asset->state == ASSET_INVALID;
}

/* With -k: what was not written. */
static void invalid_print(const Build* b) {
    const BuildOptions* o = b->options;
    u32                 invalid = 0, count = 0;
    if (o->messages.quiet || o->messages.format != DIAG_TEXT || diag_error_count(b->diag) == 0)
        return;
    if (b->refused || b->misled) {
        fputs("entc: nothing is written, because an error concerns all resources\n", stderr);
        return;
    }
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        if (is_of_invalid_model(p)) continue;
        invalid += p->compiled && p->compiled->invalid;
        count++;
    }
    if (invalid == 0) return;
    fprintf(stderr, "entc: %u of %u resources %s not written, because of errors in their sources\n",
            invalid, count, invalid == 1 ? "is" : "are");
}

static void counts_print(const Build* b, f64 ms) {
    const MessageOptions* m = &b->options->messages;
    const u32             count = b->products.count;
    if (!m->verbose || m->quiet) return;
    const f64 megabytes = (f64)process_memory_peak() / 1e6;
    if (b->options->mode == BUILD_ALONE) {
        fprintf(stderr,
                "entc: %u resource%s, %u compiled, %u from the cache, %.0f ms, %.0f MB of memory\n",
                count, count == 1 ? "" : "s", b->compiled, b->cached, ms, megabytes);
        return;
    }
    fprintf(stderr,
            "entc: %u resource%s, %u compiled, %u from the cache, %u written, %u unchanged, "
            "%u removed, %.0f ms, %.0f MB of memory\n",
            b->written + b->unchanged, b->written + b->unchanged == 1 ? "" : "s", b->compiled,
            b->cached, b->written, b->unchanged, b->removed, ms, megabytes);
}

int build_report(Build* b, int code, u64 start, BuildCounts* counts) {
    const BuildOptions* o = b->options;
    const bool          built = code == EXIT_OK && o->mode != BUILD_LIST && o->mode != BUILD_GRAPH;
    const bool          wrote = (built || b->kept_going) && build_writes(o);
    const int  listed = o->manifest && wrote ? manifest_write(o->manifest, o->out) : EXIT_OK;
    const bool is_valid = built || (b->differs && diag_error_count(b->diag) == 0);
    if (is_valid && !o->resources.count && !b->is_part) unread_find(b);
    const f64 ms = (f64)(clock_ns() - start) / 1e6;
    texts_read(b);
    diag_print(b->diag, stderr, o->messages.format, o->messages.color);
    if (is_valid) unread_print(b, stderr);
    if (o->keep_going && !built) invalid_print(b);
    if (built) counts_print(b, ms);
    if (counts) {
        *counts = (BuildCounts){diag_shown_count(b->diag),
                                b->compiled,
                                b->cached,
                                b->written,
                                b->unchanged,
                                b->removed,
                                ms,
                                unread_digest(b)};
    }
    return MAX_OF(code, listed);
}

/* --- the build --- */

static int build_try(Build* b) {
    int code = inputs_open(b);
    if (code == EXIT_OK && !b->is_done) code = products_choose(b);
    if (code != EXIT_OK || b->is_done) return code;
    products_count(b);
    if (b->is_hasty) return EXIT_OK;
    products_run(b);
    return products_finish(b);
}

static int build_repeat(Build* b, bool distrust) {
    stages_drop(b);
    const int code = build_restart(b, distrust);
    return code == EXIT_OK ? build_try(b) : code;
}

/* The caller frees the memory of `b` and its plugins. All steps are repeated once when the build is rejected after
 * something was compiled: messages must not depend on what that was. The same when the build database and the cache were
 * inconsistent with the sources, without them. */
static int build_do(Build* b, const BuildOptions* options, BuildCounts* counts) {
    const u64 start = clock_ns();
    int       code = build_begin(b, options);
    b->is_eager = !options->resources.count;
    if (code == EXIT_OK) code = build_try(b);
    if (b->is_hasty) code = build_repeat(b, false);
    if (b->misled) code = build_repeat(b, true);
    if (code == EXIT_OK && unusable_is_compiled(b)) code = unusable_compile(b);
    stages_drop(b);
    return build_report(b, code, start, counts);
}

int build_run(const BuildOptions* options, BuildCounts* counts) {
    Build     build;
    const int code = build_do(&build, options, counts);
    build_end(&build);
    return code;
}

int build_last(const BuildOptions* options) {
    static Build build; /* so that a leak checker finds the remaining memory */
    const int    code = build_do(&build, options, NULL);
    workers_stop(&build);
    plugins_close(&build.registry);
    return code;
}
