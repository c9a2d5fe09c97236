/* build_image.c - compiles single resources among which is an image that cannot be decoded: whether this is an error
 * depends on everything that can refer to it. */
#include "build_internal.h"
#include "diag_print.h"
#include "print.h"

bool unusable_is_compiled(const Build* b) {
    return b->options->resources.count && b->options->mode != BUILD_INPUTS && unusable_exists(b);
}

/* The requested resources, each of which may be an image that has no output. */
typedef struct Requested {
    Text         name;
    ResourceType type;
} Requested;

/* Finds them. `absent`: those that do not exist were reported already, with this exit code. */
static int requested_find(Build* b, const Words* resources, int absent, Requested* requested) {
    int code = absent;
    for (u32 i = 0; i < resources->count; i++) {
        Text           name;
        ResourceType   type;
        const Product* p = NULL;
        if (resource_is_named(text_of(resources->at[i]), &name, &type))
            p = product_find(b, name, type);
        if (p) {
            requested[i] = (Requested){text_of(p->name), p->type};
        } else if (absent == EXIT_OK) {
            const int found = product_named(b, resources->at[i], &p);
            code = MAX_OF(code, found);
        }
    }
    return code;
}

/* Compiles them, and reports errors, or the warnings, as a build does: of sources that are read again, which are those
 * of the requested resources. */
static int requested_compile(Build* b, const Requested* requested, u32 count) {
    bool* wanted = memory_alloc((size_t)b->products.count + 1);
    for (u32 i = 0; i < count; i++) {
        if (requested[i].type == RESOURCE_NONE) continue;
        const Product* p = product_find(b, requested[i].name, requested[i].type);
        if (p) wanted[p - b->products.at] = true;
    }
    for (u32 i = 0; i < b->assets.count; i++) b->assets.asset[i]->unneeded = true;
    products_select_only(b, wanted);
    memory_free(wanted);
    products_count(b);
    products_run(b);
    assets_report(&b->assets, b->diag);
    unusable_remove(b);
    for (u32 i = 0; i < b->products.count; i++) {
        const Compiled* compiled = b->products.at[i].compiled;
        if (compiled && compiled->diag) diag_absorb(b->diag, compiled->diag);
    }
    return diag_exit_code(b->diag);
}

/* The output of an earlier compile is removed. Any source may begin to refer to the image. */
static int images_withdraw(Build* b, const Requested* requested, u32 count) {
    int  code = EXIT_OK;
    char room[4096];
    for (u32 i = 0; i < count; i++) {
        if (requested[i].type == RESOURCE_NONE) continue;
        const Product image = {.name = arena_text(&b->arena, requested[i].name),
                               .type = requested[i].type};
        if (product_find(b, requested[i].name, requested[i].type)) continue;
        const int withdrawn = output_withdraw(b, product_path(b, &image, room, sizeof room),
                                              requested[i].name, requested[i].type);
        code = MAX_OF(code, withdrawn);
    }
    return code;
}

/* Writes those that have no errors. */
static int requested_write(Build* b, const Requested* requested, u32 count, int found) {
    const BuildOptions* o = b->options;
    Print               depfile;
    if (found != EXIT_OK && !o->keep_going) return found;
    int code = depfile_make(b, &depfile);
    if (code != EXIT_OK) return code;
    code = images_withdraw(b, requested, count);
    if (code == EXIT_OK) code = products_write(b);
    code = depfile_put(b, &depfile, code);
    b->differs = code == EXIT_OK && o->mode == BUILD_CHECK && b->written + b->removed > 0;
    if (b->differs) code = EXIT_INVALID;
    return MAX_OF(code, found);
}

int unusable_compile(Build* b) {
    const BuildOptions* const options = b->options;
    const bool                distrust = b->distrust;
    const int                 absent = b->absent_code;
    const u32                 count = options->resources.count;
    BuildOptions              complete = *options;
    Requested*                requested = memory_alloc(sizeof *requested * ((size_t)count + 1));
    complete.resources = (Words){0};
    complete.out = NULL;
    complete.mode = BUILD_DRY_RUN;
    build_end(b);
    int code = build_begin(b, &complete);
    b->distrust = distrust;
    if (code == EXIT_OK) code = build_look(b);
    if (code == EXIT_OK || (code == EXIT_INVALID && options->keep_going)) {
        const int found = requested_find(b, &options->resources, absent, requested);
        code = MAX_OF(code, found);
        if (code == EXIT_OK || options->keep_going) {
            const int compiled = requested_compile(b, requested, count);
            b->options = options;
            code = requested_write(b, requested, count, MAX_OF(code, compiled));
        }
    }
    b->options = options;
    memory_free(requested);
    return code;
}
