/* refs.c - lists references and dependencies of resources. */
#include "refs.h"

#include <stdlib.h>

#include "exit_codes.h"
#include "link_store.h"
#include "path_pattern.h"
#include "pretty.h"
#include "streams.h"
#include "order.h"

static int output_end(int code) {
    return streams_flush() == 0 ? code : EXIT_IO; /* reported at the end of the program */
}

static const char* file_resource_name(Links* l, const LinkFile* file) {
    return arena_print(&l->arena, "%s.%s", file->asset->name,
                       ent_resource_suffix(file->asset->type));
}

static const char* product_name(Links* l, const LinkProduct* p) {
    return arena_print(&l->arena, "%s.%s", p->name, ent_resource_suffix(p->type));
}

/* --- refs --- */

static void ref_json(Pretty* w, Links* l, const LinkPlace* place, const LinkCursor* at) {
    pretty_object(w, NULL);
    pretty_text(w, "file", place->file->asset->source.path);
    pretty_number(w, "line", at->line);
    pretty_number(w, "column", at->column);
    pretty_number(w, "bytes", place->bytes);
    pretty_text(w, "kind", link_kind_name(place->kind));
    pretty_text(w, "in", file_resource_name(l, place->file));
    pretty_end(w);
}

static void refs_print(Links* l, const LinkProduct* product, bool json) {
    Pretty     w = {.out = stdout};
    LinkCursor at = {0};
    if (json) pretty_array(&w, NULL);
    for (u32 i = 0; i < l->places.count; i++) {
        const LinkPlace* place = &l->places.at[i];
        if (place->type != product->type || strcmp(place->name, product->name) != 0) continue;
        links_locate(&at, place);
        if (json)
            ref_json(&w, l, place, &at);
        else
            printf("%s:%u:%u: %s in %s\n", place->file->asset->source.path, at.line, at.column,
                   link_kind_name(place->kind), file_resource_name(l, place->file));
    }
    if (json) pretty_end(&w);
}

/* Resources by their names: "levels/town.level". */
typedef struct Names {
    const char* const* at;
    u32                count;
} Names;

static bool names_exist(const Links* l, const void* user) {
    const Names* names = user;
    bool         exist = true;
    for (u32 i = 0; i < names->count && exist; i++) {
        Text         name;
        ResourceType type;
        exist = resource_is_named(text_of(names->at[i]), &name, &type) && links_find(l, name, type);
    }
    return exist;
}

int refs_run(const BuildOptions* options, const char* resource, bool json) {
    Links       l = {0};
    LinkStore   store = {0};
    const Names names = {&resource, 1};
    int         code = links_open_stored(&l, &store, options, JOURNAL_REFUSE, names_exist, &names);
    if (code == EXIT_OK) {
        const LinkProduct* product = links_named(&l, resource, &code);
        if (product) refs_print(&l, product, json);
        code = output_end(code);
    }
    links_close(&l);
    link_store_close(&store);
    return code;
}

/* --- deps --- */

typedef struct Deps {
    Links* links;
    ARRAY(const char*) compiled_from, needs;
} Deps;

static void deps_add(Deps* d, LinkProduct* product, bool all) {
    ARRAY(LinkProduct*) queue = {0};
    *array_push(&queue) = product;
    product->listed = true;
    for (u32 i = 0; i < queue.count; i++) {
        const LinkProduct* p = queue.at[i];
        for (u32 k = 0; k < p->compiled_from_count; k++)
            *array_push(&d->compiled_from) = p->compiled_from[k];
        for (u32 k = 0; k < p->need_count; k++) {
            const LinkNeed* need = &p->needs[k];
            *array_push(&d->needs) =
                arena_print(&d->links->arena, "%s.%s", need->name, ent_resource_suffix(need->type));
            LinkProduct* next = links_find(d->links, text_of(need->name), need->type);
            if (!all || !next || next->listed) continue;
            next->listed = true;
            *array_push(&queue) = next;
        }
    }
    array_drop(&queue);
}

static u32 texts_unique(const char** texts, u32 count) {
    u32 kept = 0;
    if (count) qsort(texts, count, sizeof *texts, order_texts);
    for (u32 i = 0; i < count; i++) {
        if (kept == 0 || strcmp(texts[kept - 1], texts[i]) != 0) texts[kept++] = texts[i];
    }
    return kept;
}

static void deps_print(Deps* d, const char* resource, bool json) {
    Pretty      w = {.out = stdout};
    const char* root = d->links->root;
    d->compiled_from.count = texts_unique(d->compiled_from.at, d->compiled_from.count);
    d->needs.count = texts_unique(d->needs.at, d->needs.count);
    for (u32 i = 0; i < d->compiled_from.count; i++) {
        d->compiled_from.at[i] =
            arena_print(&d->links->arena, "%s/%s", root, d->compiled_from.at[i]);
        if (!json) printf("made of  %s\n", d->compiled_from.at[i]);
    }
    for (u32 i = 0; i < d->needs.count && !json; i++) printf("needs    %s\n", d->needs.at[i]);
    if (!json) return;
    pretty_object(&w, NULL);
    pretty_text(&w, "resource", resource);
    pretty_array(&w, "made_of");
    for (u32 i = 0; i < d->compiled_from.count; i++) pretty_text(&w, NULL, d->compiled_from.at[i]);
    pretty_end(&w);
    pretty_array(&w, "needs");
    for (u32 i = 0; i < d->needs.count; i++) pretty_text(&w, NULL, d->needs.at[i]);
    pretty_end(&w);
    pretty_end(&w);
}

int deps_run(const BuildOptions* options, const char* resource, bool all, bool json) {
    Links l = {0};
    Deps  d = {.links = &l};
    int   code = links_open(&l, options, false, JOURNAL_REFUSE);
    if (code == EXIT_OK) {
        LinkProduct* product = links_named(&l, resource, &code);
        if (product) {
            deps_add(&d, product, all);
            deps_print(&d, resource, json);
        }
        code = output_end(code);
    }
    array_drop(&d.compiled_from);
    array_drop(&d.needs);
    links_close(&l);
    return code;
}

/* --- unused --- */

typedef ARRAY(LinkFile*) LinkFiles;

/* The reference through which a resource is reached; of a root no place. */
typedef struct Step {
    const LinkPlace* place;
    LinkCursor       at;
} Step;

/* All files of a resource: each variant may be built. */
static void reach(Links* l, LinkFiles* queue, Text name, ResourceType type, Step* step) {
    const LinkProduct* end = l->products.at + l->products.count;
    for (LinkProduct* p = links_find(l, name, type); p && p < end; p++) {
        if (p->type != type || !text_equal(text_of(p->name), name)) return;
        LinkFile* file = p->file;
        if (file->reached) continue;
        file->reached = true;
        file->by = step->place;
        if (step->place) {
            links_locate(&step->at, step->place);
            file->by_line = step->at.line, file->by_column = step->at.column;
        } else {
            file->root = product_name(l, p);
        }
        *array_push(queue) = file;
    }
}

/* Follows the references of all reached files: all the others can be removed together, and the rest
 * still builds. Files are reached in the order of the length of their chains. */
static void reach_all(Links* l, LinkFiles* queue) {
    for (u32 i = 0; i < queue->count; i++) {
        const LinkFile* file = queue->at[i];
        Step            step = {0};
        for (u32 k = links_first_place(l, file); k < l->places.count; k++) {
            step.place = &l->places.at[k];
            if (step.place->file != file) break;
            reach(l, queue, text_of(step.place->name), step.place->type, &step);
        }
    }
}

/* All resources that a pattern matches. */
static int pattern_reach(Links* l, LinkFiles* queue, const char* pattern) {
    Step        none = {0};
    u32         matches = 0;
    const char* fault = path_pattern_fault(pattern);
    if (fault) {
        fprintf(stderr, "entc: error: unused: invalid pattern \"%s\": %s\n", pattern, fault);
        return EXIT_USAGE;
    }
    for (u32 i = 0; i < l->products.count; i++) {
        const LinkProduct* p = &l->products.at[i];
        if (!path_pattern_matches(pattern, product_name(l, p))) continue;
        reach(l, queue, text_of(p->name), p->type, &none);
        matches++;
    }
    if (matches) return EXIT_OK;
    fprintf(stderr, "entc: error: no resource in \"%s\" matches \"%s\"\n", l->root, pattern);
    return EXIT_IO;
}

static int roots_reach(Links* l, LinkFiles* queue, const char* const* roots, u32 count) {
    int  code = EXIT_OK;
    Step none = {0};
    for (u32 i = 0; i < count && code == EXIT_OK; i++) {
        const bool         pattern = path_pattern_is(roots[i]);
        const LinkProduct* p = pattern ? NULL : links_named(l, roots[i], &code);
        if (p) reach(l, queue, text_of(p->name), p->type, &none);
        if (pattern) code = pattern_reach(l, queue, roots[i]);
    }
    if (count) return code;
    for (u32 i = 0; i < l->products.count; i++) {
        const LinkProduct* p = &l->products.at[i];
        if (p->type == RESOURCE_PACKAGE) reach(l, queue, text_of(p->name), p->type, &none);
    }
    if (queue->count) return EXIT_OK;
    fprintf(stderr,
            "entc: error: unused: \"%s\" has no package; specify the roots with --root NAME.TYPE\n",
            l->root);
    return EXIT_USAGE;
}

/* The files from the root to this one. */
static void chain_find(const LinkFile* file, LinkFiles* chain) {
    chain->count = 0;
    for (; file; file = file->by ? file->by->file : NULL) *array_push(chain) = (LinkFile*)file;
    for (u32 i = 0; i < chain->count / 2; i++) {
        LinkFile** other = &chain->at[chain->count - 1 - i];
        LinkFile*  kept = chain->at[i];
        chain->at[i] = *other;
        *other = kept;
    }
}

/* "levels/town.level is a root", then a line for each reference. */
static void chain_print(const LinkFiles* chain) {
    printf("    %s is a root\n", chain->at[0]->root);
    for (u32 i = 1; i < chain->count; i++) {
        const LinkFile* file = chain->at[i];
        printf("    %s:%u:%u: %s %s.%s\n", file->by->file->asset->source.path, file->by_line,
               file->by_column, link_kind_name(file->by->kind), file->by->name,
               ent_resource_suffix(file->by->type));
    }
}

static void chain_json(Links* l, Pretty* w, const LinkFiles* chain) {
    pretty_text(w, "root", chain->at[0]->root);
    pretty_array(w, "chain");
    for (u32 i = 1; i < chain->count; i++) {
        const LinkFile* file = chain->at[i];
        pretty_object(w, NULL);
        pretty_text(w, "file", file->by->file->asset->source.path);
        pretty_number(w, "line", file->by_line);
        pretty_number(w, "column", file->by_column);
        pretty_text(w, "kind", link_kind_name(file->by->kind));
        pretty_text(
            w, "resource",
            arena_print(&l->arena, "%s.%s", file->by->name, ent_resource_suffix(file->by->type)));
        pretty_end(w);
    }
    pretty_end(w);
}

/* Prints the sources that are reached, with their chains, or those that are not. Returns their
 * number. */
static u32 sources_print(Links* l, bool reached, bool json, Pretty* w) {
    LinkFiles chain = {0};
    u32       count = 0;
    for (u32 i = 0; i < l->products.count; i++) {
        const LinkProduct* p = &l->products.at[i];
        if (!product_is_of_file(p) || p->file->reached != reached) continue;
        count++;
        if (reached) chain_find(p->file, &chain);
        if (json) {
            pretty_object(w, NULL);
            pretty_text(w, "resource", file_resource_name(l, p->file));
            pretty_text(w, "file", p->file->asset->source.path);
            if (reached) chain_json(l, w, &chain);
            pretty_end(w);
        } else {
            printf("%s  %s\n", file_resource_name(l, p->file), p->file->asset->source.path);
            if (reached) chain_print(&chain);
        }
    }
    array_drop(&chain);
    return count;
}

static u32 unused_why_json(Links* l) {
    Pretty w = {.out = stdout};
    pretty_object(&w, NULL);
    pretty_array(&w, "unused");
    const u32 count = sources_print(l, false, true, &w);
    pretty_end(&w);
    pretty_array(&w, "kept");
    sources_print(l, true, true, &w);
    pretty_end(&w);
    pretty_end(&w);
    return count;
}

static int unused_print(Links* l, bool with_reasons, bool json) {
    Pretty w = {.out = stdout};
    u32    count;
    if (json && with_reasons) {
        count = unused_why_json(l);
    } else {
        if (json) pretty_array(&w, NULL);
        count = sources_print(l, false, json, &w);
        if (json) pretty_end(&w);
        if (with_reasons && count) printf("\n");
        if (with_reasons) sources_print(l, true, false, &w);
    }
    return count ? EXIT_USAGE : EXIT_OK;
}

int unused_run(const BuildOptions* options, const char* const* roots, u32 root_count,
               bool with_reasons, bool json) {
    Links       l = {0};
    LinkStore   store = {0};
    LinkFiles   queue = {0};
    const Names names = {roots, root_count};
    int         code = links_open_stored(&l, &store, options, JOURNAL_REFUSE, names_exist, &names);
    if (code == EXIT_OK) code = roots_reach(&l, &queue, roots, root_count);
    if (code == EXIT_OK) {
        reach_all(&l, &queue);
        code = output_end(unused_print(&l, with_reasons, json));
    }
    array_drop(&queue);
    links_close(&l);
    link_store_close(&store);
    return code;
}
