/* remove.c - `entc rm`: removes a resource to which nothing refers. */
#include "diag.h"
#include "diag_print.h"
#include "exit_codes.h"
#include "links.h"
#include "move.h"

typedef struct Removal {
    const BuildOptions* options;
    Links               links;
    const LinkProduct*  product;
    Steps               steps;
} Removal;

/* Does a file contain the resource? Its variants are removed too. */
static bool file_is_removed(const Removal* r, const LinkFile* file) {
    return file->asset->type == r->product->type &&
           strcmp(file->asset->name, r->product->name) == 0;
}

/* All other references to it, or to a resource of the same model, would be unresolved. */
static void places_report(Removal* r, Diagnostics* diag) {
    for (u32 i = 0; i < r->links.places.count; i++) {
        const LinkPlace*   place = &r->links.places.at[i];
        const LinkProduct* p = links_find(&r->links, text_of(place->name), place->type);
        if (place->kind == LINK_PATTERN) continue; /* it then matches one resource less */
        if (!p || !file_is_removed(r, p->file) || file_is_removed(r, place->file)) continue;
        diag_error(diag, E0302, &place->file->asset->source, place->offset,
                   MAX_OF(place->bytes, 1u), "this reference would be unresolved without %s \"%s\"",
                   ent_resource_suffix(p->type), p->name);
    }
}

static const char* below_root(const Removal* r, const char* path) {
    return path + strlen(r->links.projects.at[0]->assets.root) + 1;
}

static bool path_is_removed(const Removal* r, const char* path) {
    for (u32 i = 0; i < r->steps.removals.count; i++) {
        if (strcmp(path, r->steps.removals.at[i]) == 0) return true;
    }
    return false;
}

/* The settings of other textures, and models, must not refer to a file that is removed. */
static void besides_report(Removal* r, Diagnostics* diag) {
    const char* type = ent_resource_suffix(r->product->type);
    for (u32 i = 0; i < r->links.files.count; i++) {
        const LinkFile* file = r->links.files.at[i];
        const Asset*    asset = file->asset;
        for (u32 k = 0; k < asset->content->besides.count && !file_is_removed(r, file); k++) {
            const char* path = below_root(r, asset->content->besides.at[k].path);
            if (!path_is_removed(r, path)) continue;
            if (asset->content->image_offset)
                diag_error(diag, E0302, &asset->source, asset->content->image_offset, 1,
                           "this image would be missing without %s \"%s\"", type, r->product->name);
            else
                diag_error(diag, E0302, &asset->source, 0, 1,
                           "the file \"%s\", to which this one refers, would be missing without "
                           "%s \"%s\"",
                           path, type, r->product->name);
        }
    }
}

/* The settings of a texture are removed with the image of the same name, a model with its
 * settings, and NAME.EXT.data.json with NAME.EXT. */
static void files_collect(Removal* r) {
    for (u32 i = 0; i < r->links.files.count; i++) {
        const LinkFile* file = r->links.files.at[i];
        if (!file_is_removed(r, file)) continue;
        *array_push(&r->steps.removals) = file->path;
        if (file->asset->content_file)
            *array_push(&r->steps.removals) = below_root(r, file->asset->content_file);
    }
}

static int removal_do(Removal* r, const char* resource) {
    const BuildOptions* o = r->options;
    for (u32 i = 0; i < r->steps.removals.count && o->mode == BUILD_DRY_RUN; i++) {
        printf("would remove %s/%s\n", r->links.root, r->steps.removals.at[i]);
    }
    if (o->mode == BUILD_DRY_RUN) return EXIT_OK;
    r->steps.text = arena_print(&r->links.arena, "removed \"%s\"", resource);
    const int code = steps_take(&r->steps, r->links.root);
    if (code == EXIT_OK && !o->messages.quiet) fprintf(stderr, "entc: %s\n", r->steps.text);
    return code;
}

static int removal_plan(Removal* r, const char* resource) {
    int code;
    r->product = links_named(&r->links, resource, &code);
    if (!r->product) return code;
    if (!product_is_of_file(r->product)) {
        fprintf(stderr,
                "entc: error: rm: \"%s\" is part of the model \"%s/%s\"; remove it in the program "
                "that exported the model\n",
                resource, r->links.root, r->product->file->path);
        return EXIT_INVALID;
    }
    Diagnostics* diag = diag_create();
    places_report(r, diag);
    files_collect(r);
    besides_report(r, diag);
    const bool free = diag_error_count(diag) == 0;
    diag_print(diag, stderr, r->options->messages.format, r->options->messages.color);
    diag_destroy(diag);
    return free ? EXIT_OK : EXIT_INVALID;
}

int remove_run(const BuildOptions* options, const char* resource) {
    Removal r = {.options = options};
    int     code = links_open(&r.links, options, true, move_journal_use(options));
    if (code == EXIT_OK) code = removal_plan(&r, resource);
    if (code == EXIT_OK) code = removal_do(&r, resource);
    steps_drop(&r.steps);
    links_close(&r.links);
    return code;
}
