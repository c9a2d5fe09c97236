/* refs.c - lists references and dependencies of resources. */
#include "refs.h"

#include <stdlib.h>

#include "exit_codes.h"
#include "links.h"
#include "pretty.h"
#include "search.h"

static int output_end(int code) {
    return fflush(stdout) == 0 && !ferror(stdout) ? code : io_failure("cannot write", "stdout");
}

static const char* own_name(Links* l, const LinkFile* file) {
    return arena_print(&l->arena, "%s.%s", file->asset->name,
                       ent_resource_suffix(file->asset->type));
}

/* --- refs --- */

static void ref_json(Pretty* w, Links* l, const LinkPlace* place, const LinkCursor* at) {
    pretty_object(w, NULL);
    pretty_text(w, "file", place->file->asset->source.path);
    pretty_number(w, "line", at->line);
    pretty_number(w, "column", at->column);
    pretty_number(w, "bytes", place->bytes);
    pretty_text(w, "kind", link_kind_name(place->kind));
    pretty_text(w, "in", own_name(l, place->file));
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
                   link_kind_name(place->kind), own_name(l, place->file));
    }
    if (json) pretty_end(&w);
}

int refs_run(const BuildOptions* options, const char* resource, bool json) {
    Links l;
    int   code = links_open(&l, options, true, JOURNAL_REFUSE);
    if (code == EXIT_OK) {
        const LinkProduct* product = links_named(&l, resource, &code);
        if (product) refs_print(&l, product, json);
        code = output_end(code);
    }
    links_close(&l);
    return code;
}

/* --- deps --- */

typedef struct Deps {
    Links* links;
    ARRAY(const char*) made_of, needs;
} Deps;

static void deps_add(Deps* d, LinkProduct* product, bool all) {
    ARRAY(LinkProduct*) queue = {0};
    *array_push(&queue) = product;
    product->listed = true;
    for (u32 i = 0; i < queue.count; i++) {
        const LinkProduct* p = queue.at[i];
        for (u32 k = 0; k < p->made_of_count; k++) *array_push(&d->made_of) = p->made_of[k];
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

static int text_order(const void* a, const void* b) {
    return strcmp(*(const char* const*)a, *(const char* const*)b);
}

static u32 texts_unique(const char** texts, u32 count) {
    u32 kept = 0;
    if (count) qsort(texts, count, sizeof *texts, text_order);
    for (u32 i = 0; i < count; i++) {
        if (kept == 0 || strcmp(texts[kept - 1], texts[i]) != 0) texts[kept++] = texts[i];
    }
    return kept;
}

static void deps_print(Deps* d, const char* resource, bool json) {
    Pretty      w = {.out = stdout};
    const char* root = d->links->root;
    d->made_of.count = texts_unique(d->made_of.at, d->made_of.count);
    d->needs.count = texts_unique(d->needs.at, d->needs.count);
    for (u32 i = 0; i < d->made_of.count; i++) {
        d->made_of.at[i] = arena_print(&d->links->arena, "%s/%s", root, d->made_of.at[i]);
        if (!json) printf("made of  %s\n", d->made_of.at[i]);
    }
    for (u32 i = 0; i < d->needs.count && !json; i++) printf("needs    %s\n", d->needs.at[i]);
    if (!json) return;
    pretty_object(&w, NULL);
    pretty_text(&w, "resource", resource);
    pretty_array(&w, "made_of");
    for (u32 i = 0; i < d->made_of.count; i++) pretty_text(&w, NULL, d->made_of.at[i]);
    pretty_end(&w);
    pretty_array(&w, "needs");
    for (u32 i = 0; i < d->needs.count; i++) pretty_text(&w, NULL, d->needs.at[i]);
    pretty_end(&w);
    pretty_end(&w);
}

int deps_run(const BuildOptions* options, const char* resource, bool all, bool json) {
    Links l;
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
    array_drop(&d.made_of);
    array_drop(&d.needs);
    links_close(&l);
    return code;
}

/* --- unused --- */

/* References are in the order of the paths of their files. */
static u32 first_place(const Links* l, const LinkFile* file) {
    Search s = search_between(0, l->places.count);
    while (search_continues(&s)) {
        search_narrow(&s, strcmp(l->places.at[s.middle].file->path, file->path) < 0);
    }
    return s.first;
}

typedef ARRAY(LinkFile*) LinkFiles;

/* All files of a resource: each variant may be built. */
static void reach(Links* l, LinkFiles* queue, Text name, ResourceType type) {
    const LinkProduct* end = l->products.at + l->products.count;
    for (LinkProduct* p = links_find(l, name, type); p && p < end; p++) {
        if (p->type != type || !text_equal(text_of(p->name), name)) return;
        if (p->file->reached) continue;
        p->file->reached = true;
        *array_push(queue) = p->file;
    }
}

/* Follows the references of all reached files: all the others can be removed together, and the rest
 * still builds. */
static void reach_all(Links* l, LinkFiles* queue) {
    for (u32 i = 0; i < queue->count; i++) {
        const LinkFile* file = queue->at[i];
        for (u32 k = first_place(l, file); k < l->places.count; k++) {
            const LinkPlace* place = &l->places.at[k];
            if (place->file != file) break;
            reach(l, queue, text_of(place->name), place->type);
        }
    }
}

static int roots_reach(Links* l, LinkFiles* queue, const char* const* roots, u32 count) {
    int code = EXIT_OK;
    for (u32 i = 0; i < count && code == EXIT_OK; i++) {
        const LinkProduct* p = links_named(l, roots[i], &code);
        if (p) reach(l, queue, text_of(p->name), p->type);
    }
    if (count) return code;
    for (u32 i = 0; i < l->products.count; i++) {
        const LinkProduct* p = &l->products.at[i];
        if (p->type == RESOURCE_PACKAGE) reach(l, queue, text_of(p->name), p->type);
    }
    if (queue->count) return EXIT_OK;
    fprintf(stderr,
            "entc: error: unused: \"%s\" has no package; specify the roots with --root NAME.TYPE\n",
            l->root);
    return EXIT_USAGE;
}

static int unused_print(Links* l, bool json) {
    Pretty w = {.out = stdout};
    u32    count = 0;
    if (json) pretty_array(&w, NULL);
    for (u32 i = 0; i < l->products.count; i++) {
        const LinkProduct* p = &l->products.at[i];
        if (!product_is_own(p) || p->file->reached) continue;
        count++;
        if (!json) {
            printf("%s  %s\n", own_name(l, p->file), p->file->asset->source.path);
            continue;
        }
        pretty_object(&w, NULL);
        pretty_text(&w, "resource", own_name(l, p->file));
        pretty_text(&w, "file", p->file->asset->source.path);
        pretty_end(&w);
    }
    if (json) pretty_end(&w);
    return count ? EXIT_USAGE : EXIT_OK;
}

int unused_run(const BuildOptions* options, const char* const* roots, u32 root_count, bool json) {
    Links     l;
    LinkFiles queue = {0};
    int       code = links_open(&l, options, true, JOURNAL_REFUSE);
    if (code == EXIT_OK) code = roots_reach(&l, &queue, roots, root_count);
    if (code == EXIT_OK) {
        reach_all(&l, &queue);
        code = output_end(unused_print(&l, json));
    }
    array_drop(&queue);
    links_close(&l);
    return code;
}
