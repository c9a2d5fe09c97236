/* build_image.c - compiles a single image that cannot be decoded: whether this is an error depends on everything
 * that can refer to it. */
#include "build_internal.h"
#include "diag_print.h"
#include "print.h"

bool unusable_is_compiled(const Build* b) { return b->options->resource && unusable_exists(b); }

/* Reports its error, or the warning, as a build does. */
static int image_settle(Build* b, const Product* image) {
    const Text         name = text_of(image->name);
    const ResourceType type = image->type;
    product_select(b, image);
    products_count(b);
    products_run(b);
    unusable_remove(b);
    image = product_find(b, name, type);
    if (image && image->compiled->diag) diag_absorb(b->diag, image->compiled->diag);
    return diag_exit_code(b->diag);
}

/* There is no output: one of an earlier compile is removed. Any source may begin to refer to the image. */
static int image_withdraw(Build* b, Text name, ResourceType type) {
    const BuildOptions* o = b->options;
    Print               depfile;
    int                 code = depfile_make(b, &depfile);
    if (code != EXIT_OK) return code;
    code = depfile_put(b, &depfile, output_withdraw(b, o->out, name, type));
    b->differs = code == EXIT_OK && o->mode == BUILD_CHECK && b->removed > 0;
    return b->differs ? EXIT_INVALID : code;
}

int unusable_compile(Build* b) {
    const BuildOptions* const options = b->options;
    const bool                distrust = b->distrust;
    const Product*            image = NULL;
    Text                      name = {0};
    ResourceType              type = RESOURCE_NONE;
    BuildOptions              complete = *options;
    complete.resource = complete.out = NULL;
    complete.mode = BUILD_DRY_RUN;
    build_end(b);
    int code = build_begin(b, &complete);
    b->distrust = distrust;
    if (code == EXIT_OK) code = build_look(b);
    if (code == EXIT_OK) code = product_named(b, options->resource, &image);
    if (code == EXIT_OK) {
        name = text_of(image->name), type = image->type;
        code = image_settle(b, image);
    }
    b->options = options;
    return code == EXIT_OK ? image_withdraw(b, name, type) : code;
}
