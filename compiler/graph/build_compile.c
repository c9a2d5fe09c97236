/* build_compile.c - compiles what is selected, on all threads.
 *
 * Every product with errors or warnings has its own list of diagnostics; the lists are joined in
 * the order of the products, so that the diagnostics do not depend on the number of threads. */
#include <stdlib.h>

#include "build_internal.h"
#include "declare.h"
#include "clock.h"
#include "diag.h"
#include "diag_print.h"
#include "model.h"
#include "threads.h"

#define GROUP_SIZE 8 /* number of products in one unit of work of a thread */

/* --- compiling --- */

/* Lines are counted from the previous position when that is above: the positions are in ascending
 * order. */
typedef struct Cursor {
    const Source* source;
    u32           offset, line, line_start;
} Cursor;

static Place place_at(const Build* b, Cursor* c, const Source* source, u32 offset) {
    if (!source) return (Place){"", 0, 0};
    const u32 stop = MIN_OF(source_position(source, offset), source_file_bytes(source));
    if (c->source != source || c->offset > stop) *c = (Cursor){source, 0, 1, 0};
    for (const char* end; (end = memchr(source->text + c->offset, '\n', stop - c->offset));) {
        c->line++;
        c->offset = c->line_start = (u32)(end - source->text) + 1;
    }
    c->offset = stop;
    return (Place){source->path + strlen(b->sources.root) + 1, c->line, stop - c->line_start + 1};
}

/* The position of an edge, before its line is counted. */
typedef struct Named {
    const Source* source;
    u32           offset, edge;
} Named;

static int named_order(const void* a, const void* b) {
    const Named *x = a, *y = b;
    if (x->source != y->source) return (uintptr_t)x->source < (uintptr_t)y->source ? -1 : 1;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return x->edge < y->edge ? -1 : 1;
}

/* In the order of the sources, so that each text is read only once. */
static void edges_place(const Build* b, Edge* edges, Named* named, u32 count) {
    Cursor cursor = {0};
    if (count > 1) qsort(named, count, sizeof *named, named_order);
    for (u32 i = 0; i < count; i++) {
        edges[named[i].edge].place = place_at(b, &cursor, named[i].source, named[i].offset);
    }
}

/* A single compiled resource is not recorded in a build database; then only the cache stores its
 * warnings. */
static bool places_are_kept(const Build* b) {
    return !b->options->resources.count || b->cache.folder;
}

/* Is a name in the own source of the resource? The names in its prefabs are those of the prefabs,
 * which are resources too. */
static bool name_is_in_asset(const Compile* c, const CompileName* name) {
    return name->source == &c->asset->source;
}

static u32 names_in_asset(const Compile* c) {
    u32 count = 0;
    for (u32 i = 0; i < c->names.count; i++) count += name_is_in_asset(c, &c->names.at[i]);
    return count;
}

static void product_edges(const Build* b, Product* p, Worker* w) {
    const Compile* c = &w->compile;
    const u32      reads = c->reads.count, needs = reads + c->references.count;
    const u32      names = needs + names_in_asset(c), count = names + c->patterns.count;
    const u32      named_count = product_is_source(p) ? p->asset->outline->named.count : 0;
    Edge*          edges = ARENA_NEW(&w->arena, Edge, count + named_count);
    Named*         named = memory_alloc(sizeof *named * count);
    for (u32 i = 0; i < reads; i++) {
        const CompileRead* read = &c->reads.at[i];
        named[i] = (Named){read->source, read->offset, i};
        edges[i] = (Edge){.type = read->asset->type,
                          .name = read->asset->name,
                          .asset = read->asset,
                          .bytes = read->bytes};
    }
    for (u32 i = reads; i < needs; i++) {
        const CompileReference* need = &c->references.at[i - reads];
        named[i] = (Named){need->source, need->offset, i};
        edges[i] = (Edge){
            .need = true, .type = need->type, .name = arena_text(&w->arena, text_of(need->name))};
    }
    for (u32 k = 0, i = needs; i < names; k++) {
        const CompileName* name = &c->names.at[k];
        if (!name_is_in_asset(c, name)) continue;
        named[i] = (Named){name->source, name->offset, i};
        edges[i++] = (Edge){
            .need = true, .type = TYPE_OF_NAME, .name = arena_text(&w->arena, text_of(name->text))};
    }
    for (u32 i = names; i < count; i++) {
        const CompilePattern* pattern = &c->patterns.at[i - names];
        named[i] = (Named){pattern->source, pattern->offset, i};
        edges[i] = (Edge){.need = true,
                          .type = TYPE_OF_PATTERN,
                          .name = arena_print(&w->arena, "%u %s", pattern->matches, pattern->text)};
    }
    if (places_are_kept(b)) edges_place(b, edges, named, count);
    memory_free(named);
    for (u32 i = 0; i < named_count; i++) {
        edges[count + i] =
            (Edge){.need = true, .name = p->asset->outline->named.at[i], .place = {"", 0, 0}};
    }
    p->compiled->edges = edges;
    p->compiled->edge_count =
        count + named_count; /* the cache may contain some of the data, but not everything that is
                              * needed */
}

/* Does it contain instances of a declared component whose declaration has errors? */
static bool has_invalid_component(const Build* b, const Compile* c) {
    for (u32 i = 0; i < b->registry.count; i++) {
        const Declaration* d = b->registry.compiler[i].declared;
        if (!d || !d->has_errors) continue;
        const char* suffix = ent_resource_suffix(RESOURCE_COMPONENT);
        if (compile_reference_find(c, hash_resource(text_of(d->resource), suffix))) return true;
    }
    return false;
}

static void product_keep(const Build* b, Product* p, Worker* w, bool succeeded) {
    const bool wrong = diag_error_count(w->diag) > 0;
    if (diag_report_count(w->diag) > 0) {
        p->compiled->diag = w->diag;
        w->diag = diag_create_like(w->diag);
    }
    if (!succeeded || wrong) return; /* errors of its source are stored with the source */
    product_edges(b, p, w);
    if (b->assets.hashes) p->compiled->hash = hash_content(p->compiled->bytes, p->compiled->size);
}

/* Finds a product in its model; the list of products may be older than the model. */
static bool product_locate(Build* b, Product* p, Diagnostics* diag) {
    if (p->index != NONE || !p->asset->content->model || product_is_source(p)) return true;
    const ModelResource* r = model_named(p->asset->content->model, text_of(p->name), p->type);
    if (r) return p->index = r->index, true;
    __atomic_store_n(&b->misled, 1, __ATOMIC_RELAXED);
    diag_error(diag, E0107, &p->asset->source, 0, 1,
               "the file was modified while it was being read; build again");
    return false;
}

bool product_is_warned(const Product* p) {
    if (!p->compiled) return false;
    /* Those of a source belong to one of its products. */
    return p->compiled->diag || (product_is_source(p) && p->asset->diag);
}

static void product_observe(Build* b, const Product* p, Worker* w) {
    const BuildObserver* observer = b->options->observer;
    const u32            worker = (u32)(w - b->worker), resource = (u32)(p - b->products.at);
    if (!observer->add(observer->user, worker, resource, &w->compile, p->type)) observe_end(b);
}

void product_compile(Build* b, Product* p, Worker* w) {
    Compiled*           compiled = p->compiled;
    const BuildOptions* o = b->options;
    u8*                 bytes = NULL;
    w->compile.needs_links = __atomic_load_n(&b->observed, __ATOMIC_RELAXED) != 0;
    compile_begin(&w->compile, &b->assets, w->diag, &o->compile);
    const bool is_same = asset_hold(&b->assets, p->asset);
    if (!is_same) asset_modified(p->asset, w->diag);
    bool succeeded = is_same && asset_read(&b->assets, p->asset) && product_locate(b, p, w->diag);
    compile_choose(&w->compile, p->asset, p->name, p->type, p->index);
    const u64 work = succeeded ? memory_take(b, p) : 0;
    succeeded = succeeded && compile_resource(&w->compile, &bytes, &compiled->size);
    memory_give(b, work);
    compiled->bytes = bytes;
    if (w->compile.map_text) {
        compiled->map->text = w->compile.map_text;
        compiled->map->bytes = w->compile.map_bytes;
        w->compile.map_text = NULL;
    }
    compiled->invalid = !succeeded || diag_error_count(w->diag) > 0 || w->compile.unlinked ||
                        has_invalid_component(b, &w->compile);
    if (w->compile.unusable)
        compiled->unusable = arena_text(&w->arena, text_of(w->compile.unusable));
    product_keep(b, p, w, succeeded);
    if (!compiled->invalid && !product_is_warned(p))
        product_to_cache(b, p); /* which could not report them */
    if (w->compile.needs_links && !compiled->invalid) product_observe(b, p, w);
    compile_end(&w->compile);
    asset_release(&b->assets, p->asset, true);
    product_stage(b, p);
    compiled->is_compiled = true;
    progress_add(&b->progress, 1);
}

static bool is_compiled_now(const Product* p) {
    const Compiled* c = p->compiled;
    return c && !c->is_cached && !c->skipped && !c->is_compiled;
}

Product* product_in_turn(Build* b, u32 turn) {
    return &b->products.at[b->options->backwards ? b->products.count - 1 - turn : turn];
}

static void compile_run(void* user, u32 first, u32 end, u32 worker) {
    Build*  b = user;
    Worker* w = &b->worker[worker];
    for (u32 i = first; i < end; i++) {
        Product* p = product_in_turn(b, i);
        if (!is_compiled_now(p)) continue;
        const u64 start = clock_ns();
        product_compile(b, p, w);
        p->compiled->compile_ns += clock_ns() - start;
    }
}

/* --- references for an observer --- */

/* Are there files of variants? The default variant reads none of them. */
static bool has_variants(const Build* b) {
    bool found = b->options->variant.lang || b->options->variant.platform;
    for (u32 i = 0; i < b->sources.files.count && !found; i++) {
        if (b->assets.of_file[i]) continue;
        const char* path = tree_relative(&b->sources.files.at[i]);
        found = settings_suffix(&b->settings, path).tags.bytes > 0;
    }
    return found;
}

/* Will this build compile everything that has references, unless observe_end is called? Images of models are resources for a
 * reader of references, because those of models that another variant reads are resources too. */
static bool finds_all_links(const Build* b) {
    const BuildOptions* o = b->options;
    bool all = !o->resources.count && build_writes(o) && o->plugins.count == 0 && !b->traces &&
               !b->models_have_images && diag_error_count(b->diag) == 0;
    for (u32 i = 0; i < b->products.count && all; i++) all = b->products.at[i].compiled;
    return all && !has_variants(b);
}

void observe_begin(Build* b) {
    const BuildObserver* observer = b->options->observer;
    b->observed = observer && finds_all_links(b) &&
                  observer->begin(observer->user, &b->assets, b->products.count,
                                  ent_job_worker_count(b->pool));
}

void observe_end(Build* b) { __atomic_store_n(&b->observed, 0, __ATOMIC_RELAXED); }

/* The bytes of a source are given up after the last of its products. */
static void users_count(Build* b) {
    for (u32 i = 0; i < b->products.count; i++) {
        if (!is_compiled_now(&b->products.at[i])) continue; /* its source is not touched */
        AssetHold* hold = &b->products.at[i].asset->content->hold;
        hold->users = 0;
        hold->is_in_use = false;
    }
    for (u32 i = 0; i < b->products.count; i++) {
        if (is_compiled_now(&b->products.at[i])) b->products.at[i].asset->content->hold.users++;
    }
}

void products_run(Build* b) {
    users_count(b);
    threads_run(b->pool, b->products.count, GROUP_SIZE, compile_run, b);
    progress_end(&b->progress);
    if (memory_is_scarce(b)) assets_give_up(&b->assets);
}
