/* build.c - builds a folder of outputs from a folder of sources: the order of all steps. Nothing is written if there
 * is any error. */
#include "build_internal.h"
#include "build_manifest.h"
#include "diag.h"
#include "diag_print.h"
#include "failure.h"
#include "plugin_load.h"
#include "report.h"
#include "clock.h"

static int build_idle(Build* b) {
    const BuildOptions* o = b->options;
    b->unchanged = b->database.head->product_count;
    if (b->up_to_date.stale && !o->check && !o->dry_run) build_record_stamps(b);
    return EXIT_OK;
}

/* `looked`: settings in a wrong place were searched already. */
static int build_compile(Build* b, bool looked) {
    const int code = assets_look(b);
    if (code != EXIT_OK && code != EXIT_INVALID) return code;
    if (!looked && !b->options->resource) settings_misplaced_find(b);
    products_select(b);
    products_compile(b);
    if (!b->options->resource && !models_agree(b)) b->misled = 1;
    return diag_error_count(b->diag) > 0 ? diag_exit_code(b->diag) : code;
}

/* The actions that replace a build. */
static int build_outline(Build* b) {
    int code = assets_look(b);
    assets_report(&b->assets, b->diag);
    if (code == EXIT_OK) code = diag_exit_code(b->diag);
    if (code != EXIT_OK) return code;
    return b->options->list ? outputs_list(b) : graph_write(b);
}

static int build_write(Build* b) {
    const BuildOptions* o = b->options;
    const bool          writes = !o->check && !o->dry_run;
    Print               depfile;
    int                 code = depfile_make(b, &depfile);
    if (code != EXIT_OK) return code;
    code = products_write(b);
    if (code == EXIT_OK && writes && !folders_make(arena_print(&b->arena, "%s/.", o->out)))
        code = io_failure("cannot create the output folder", o->out); /* of no output */
    if (code == EXIT_OK && !o->resource) code = stale_remove(b);
    if (code == EXIT_OK && !o->resource && writes) code = build_record(b);
    code = depfile_put(b, &depfile, code);
    b->differs = code == EXIT_OK && o->check && b->written + b->maps + b->removed > 0;
    if (b->differs) code = EXIT_INVALID;
    return code;
}

static int build_all(Build* b) {
    const BuildOptions* o = b->options;
    int                 code = build_open(b);
    if (code != EXIT_OK) return code;
    const bool same = database_compare(b) && !b->settings.has_errors;
    const bool idle = same && !o->report && !o->budget;
    code = o->list ? EXIT_OK : outputs_check_project(b);
    if (code != EXIT_OK) return code;
    if (o->list || o->graph) return build_outline(b);
    code = compare_failed(b);
    if (code != EXIT_OK) return code;
    b->idle = idle;
    if (idle) settings_misplaced_find(b);
    b->idle &= diag_error_count(b->diag) == 0;
    if (b->idle) return build_idle(b);
    const int found = build_compile(b, idle);
    if (found != EXIT_OK && (!o->keep_going || b->refused || b->misled)) return found;
    code = found == EXIT_OK ? build_estimate(b) : EXIT_OK;
    if (code == EXIT_OK) code = build_write(b);
    b->kept_going = found != EXIT_OK && code == EXIT_OK;
    return MAX_OF(code, found);
}

/* The resources of a model with errors are known only from an earlier build or the cache. */
static bool is_of_invalid_model(const Product* p) {
    return p->type != RESOURCE_ENTITY && form_is_model(p->asset->form) &&
           p->asset->state == ASSET_INVALID;
}

/* With -k: what was not written. */
static void invalid_print(const Build* b) {
    const BuildOptions* o = b->options;
    u32                 invalid = 0, count = 0;
    if (o->quiet || o->format != DIAG_TEXT || diag_error_count(b->diag) == 0) return;
    if (b->refused || b->misled) {
        fputs("entc: nothing is written, because an error concerns all resources\n", stderr);
        return;
    }
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        if (is_of_invalid_model(p)) continue;
        invalid += p->made && p->made->invalid;
        count++;
    }
    if (invalid == 0) return;
    fprintf(stderr, "entc: %u of %u resources %s not written, because of errors in their sources\n",
            invalid, count, invalid == 1 ? "is" : "are");
}

static int build_once(Build* b) {
    const int code = build_all(b);
    return unusable_is_compiled(b) ? unusable_compile(b) : code;
}

/* The caller frees the memory of `b` and its plugins. */
static int build_whole(Build* b, const BuildOptions* options, BuildCounts* counts) {
    const u64 start = clock_ns();
    int       code = build_begin(b, options);
    if (code == EXIT_OK) code = build_once(b);
    if (b->misled) {
        code = build_restart(b);
        if (code == EXIT_OK) code = build_once(b);
    }
    const bool built = code == EXIT_OK && !options->list && !options->graph;
    const bool wrote = (built || b->kept_going) && !options->check && !options->dry_run;
    const int  listed =
        options->manifest && wrote ? manifest_write(options->manifest, options->out) : EXIT_OK;
    code = MAX_OF(code, listed);
    const bool is_valid = built || (b->differs && diag_error_count(b->diag) == 0);
    if (is_valid && !options->resource) unread_find(b);
    const f64 ms = (f64)(clock_ns() - start) / 1e6;
    diag_print(b->diag, stderr, options->format, options->color);
    if (is_valid) unread_print(b, stderr);
    if (options->keep_going && !built) invalid_print(b);
    if (built && options->verbose && !options->quiet) {
        fprintf(stderr,
                "entc: %u resource%s, %u compiled, %u from the cache, %u written, %u unchanged, "
                "%u removed, %.0f ms\n",
                b->written + b->unchanged, b->written + b->unchanged == 1 ? "" : "s", b->compiled,
                b->cached, b->written, b->unchanged, b->removed, ms);
    }
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
    return code;
}

int build_run(const BuildOptions* options, BuildCounts* counts) {
    Build     build;
    const int code = build_whole(&build, options, counts);
    build_end(&build);
    return code;
}

int build_last(const BuildOptions* options) {
    static Build build; /* so that a leak checker finds the remaining memory */
    const int    code = build_whole(&build, options, NULL);
    workers_stop(&build);
    plugins_close(&build.registry);
    return code;
}
