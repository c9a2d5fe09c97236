/* why.c - why a resource was last compiled, and why it would be compiled now. */
#include "why.h"

#include "diag.h"
#include "diag_print.h"
#include "sections.h"

/* Control characters are shown as '?', because a reason may come from a build database. */
static void lines_print(const char* text) {
    bool begun = false;
    for (; *text; text++) {
        const bool control = (u8)*text < 0x20 || *text == 0x7f;
        if (!begun) fputs("    ", stdout);
        begun = *text != '\n';
        putchar(control && begun ? '?' : *text);
    }
    if (begun) putchar('\n');
}

/* Would a build write its output, or its source map? */
static bool product_differs(const Product* p) {
    const Compiled* compiled = p->compiled;
    return compiled && !compiled->invalid &&
           (compiled->change == FILE_CHANGED || compiled->map->change == FILE_CHANGED);
}

static void product_print(Build* b, const Product* p) {
    const char* suffix = ent_resource_suffix(p->type);
    if (p->found != REASON_NONE) {
        printf("%s.%s would be compiled:\n", p->name, suffix);
        lines_print(p->reason);
        if (!p->compiled->invalid && !product_differs(p)) puts("    its output would not change");
    }
    if (p->row == NONE) return;
    const char* last = database_text(&b->database, b->database.products[p->row].reason);
    if (*last) {
        printf("%s.%s was last compiled because:\n", p->name, suffix);
        lines_print(last);
    }
}

static int one_print(Build* b, const Product* p) {
    const char* suffix = ent_resource_suffix(p->type);
    if (!p->compiled) printf("%s.%s is up to date.\n", p->name, suffix);
    product_print(b, p);
    if (p->compiled && !p->compiled->invalid && !product_differs(p))
        printf("%s.%s is up to date.\n", p->name, suffix);
    const bool unread = diag_has(b->diag, E0107) || diag_has(b->diag, E0108);
    return unread || (p->compiled && p->compiled->invalid) ? diag_exit_code(b->diag) : EXIT_OK;
}

/* Of an image that nothing uses, which a warning reports. */
static int unwritten_print(Build* b, const char* resource) {
    const int code = outputs_look(b);
    bool      is_stale = false;
    for (u32 i = 0; i < b->stale.count; i++)
        is_stale |= strcmp(tree_relative(b->stale.at[i]), resource) == 0;
    if (is_stale)
        printf("%s would be removed: it is not written any more\n", resource);
    else
        printf("%s is not written, and has no output\n", resource);
    return code;
}

static int all_print(Build* b) {
    bool same = diag_error_count(b->diag) == 0 && b->stale.count == 0;
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        same &= !product_differs(p);
        if (p->found != REASON_NONE) product_print(b, p);
    }
    for (u32 i = 0; i < b->stale.count; i++)
        printf("%s would be removed: it is the output of no source\n", b->stale.at[i]->path);
    if (same) puts("everything is up to date");
    return diag_error_count(b->diag) ? diag_exit_code(b->diag) : EXIT_OK;
}

/* Compiles what is not up to date, or only one resource, and writes nothing: an input may have changed
 * although the output would not. */
static int differences_find(Build* b, const Product* only) {
    if (only)
        product_select(b, only);
    else
        products_select(b);
    products_compile(b);
    if (!models_agree(b)) b->misled = 1;
    const bool looks = !only && diag_error_count(b->diag) == 0; /* otherwise nothing is written */
    const int  code = looks ? outputs_look(b) : EXIT_OK;
    if (code == EXIT_OK) products_put(b);
    return code;
}

static int why_find(Build* b, const char* resource, const Product** only) {
    int code = build_look(b);
    *only = NULL;
    if (code == EXIT_OK && resource) code = product_named(b, resource, only);
    if (code != EXIT_OK) return code;
    const Product named = *only ? **only : (Product){0};
    code = differences_find(b, *only);
    if (*only) *only = product_find(b, text_of(named.name), named.type);
    return code;
}

int why_run(const BuildOptions* options, const char* resource) {
    Build          build;
    const Product* only;
    int            code = build_begin(&build, options);
    if (code == EXIT_OK) code = why_find(&build, resource, &only);
    if (build.misled) {
        code = build_restart(&build, true);
        if (code == EXIT_OK) code = why_find(&build, resource, &only);
    }
    if (code == EXIT_OK)
        code = only       ? one_print(&build, only)
               : resource ? unwritten_print(&build, resource)
                          : all_print(&build);
    texts_read(&build);
    diag_print(build.diag, stderr, options->messages.format, options->messages.color);
    build_end(&build);
    return code;
}
