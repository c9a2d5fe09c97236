/* build_inputs.c - writes the list of inputs of one resource, with which it can be compiled without the other files of
 * the folder, or the list of all files for a graph of single commands.
 *
 * The list of a resource contains what it was compiled from, and what every build reads: the settings of the project,
 * and all declarations of components. */
#include <stdlib.h>

#include "build_internal.h"
#include "print.h"
#include "sections.h"
#include "order.h"

typedef struct InputLines {
    const Build* build;
    ARRAY(const char*) lines;
    const char* invalid; /* a path that cannot be written, or NULL */
} InputLines;

static void file_add(InputLines* l, Arena* arena, const char* path) {
    const char* below = path + strlen(l->build->sources.root) + 1;
    if (!input_list_can_have(below)) l->invalid = path;
    *array_push(&l->lines) = arena_print(arena, "file %s", below);
}

static void asset_add(InputLines* l, Arena* arena, const Asset* asset) {
    file_add(l, arena, asset->source.path);
    for (u32 i = 0; i < asset->content->besides.count; i++)
        file_add(l, arena, asset->content->besides.at[i].path);
}

static const char* need_line(const Build* b, const Edge* need, Arena* arena) {
    const bool has_file = assets_file(&b->assets, text_of(need->name), need->type) != NULL;
    return arena_print(arena, "%s %s.%s", has_file ? "resource" : "part", need->name,
                       ent_resource_suffix(need->type));
}

static void product_add_inputs(InputLines* l, Arena* arena, const Product* p) {
    asset_add(l, arena, p->asset);
    for (u32 i = 0; i < p->compiled->edge_count; i++) {
        const Edge* edge = &p->compiled->edges[i];
        if (!edge->need)
            asset_add(l, arena, edge->asset);
        else if (edge->type != RESOURCE_NONE && edge->type < RESOURCE_COUNT)
            *array_push(&l->lines) = need_line(l->build, edge, arena);
    }
}

static void lines_find(InputLines* l, Arena* arena) {
    const Build* b = l->build;
    if (b->settings.exists) file_add(l, arena, b->settings.source.path);
    for (u32 i = 0; i < b->assets.count; i++) {
        const Asset* asset = b->assets.asset[i];
        if (asset->type == RESOURCE_COMPONENT) asset_add(l, arena, asset);
    }
    for (u32 i = 0; i < b->products.count; i++) product_add_inputs(l, arena, &b->products.at[i]);
}

/* Each line once, in the order of bytes. Returns an exit code. */
static int lines_put(InputLines* l, const char* path) {
    Print print;
    FILE* out = print_begin(&print);
    if (l->lines.count) qsort(l->lines.at, l->lines.count, sizeof *l->lines.at, order_texts);
    for (u32 i = 0; i < l->lines.count; i++)
        if (i == 0 || strcmp(l->lines.at[i - 1], l->lines.at[i]) != 0)
            fprintf(out, "%s\n", l->lines.at[i]);
    if (!l->invalid) return print_put(&print, path, NULL);
    print_end(&print);
    print_drop(&print);
    fprintf(stderr,
            "entc: error: the path \"%s\" contains a line break, which cannot be written to a list "
            "of inputs; rename it\n",
            l->invalid);
    return EXIT_USAGE;
}

int inputs_list(const Build* b) {
    InputLines l = {.build = b};
    Arena      arena = {0};
    lines_find(&l, &arena);
    const int code = lines_put(&l, b->options->out);
    array_drop(&l.lines);
    arena_drop(&arena);
    return code;
}

/* Folders, which a build reports, are not listed, and no file whose path cannot be: no edge has it as a source. */
int inputs_list_all(const Build* b, const char* path) {
    InputLines l = {.build = b};
    Arena      arena = {0};
    for (u32 i = 0; i < b->sources.files.count; i++) {
        const TreeFile* file = &b->sources.files.at[i];
        if (file->kind == FILE_REGULAR && input_list_can_have(tree_relative(file)))
            file_add(&l, &arena, file->path);
    }
    const int code = lines_put(&l, path);
    array_drop(&l.lines);
    arena_drop(&arena);
    return code;
}
