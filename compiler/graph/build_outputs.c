/* build_outputs.c - the files that are in the output folder before a build writes: which of them are
 * outputs of entc, which are removed, and which are foreign.
 *
 * A file at the path of a recorded output is an output, whatever it contains. Without a record, a blob whose
 * header names the resource of its path is one, and a source map that names it. The index is one too,
 * whatever it contains: without a record, it may be that of an earlier build. All other files are
 * foreign: they are neither removed nor overwritten. */
#include <errno.h>

#include "build_internal.h"
#include "failure.h"
#include "map_file.h"
#include "output_index_internal.h"
#include "sections.h"

/* --- outputs --- */

/* ENT_IO with errno: it cannot be read, so this is unknown. */
static ent_status blob_names(const char* path, Text name, ResourceType type, bool* names) {
    FileView         view;
    const ent_status status = file_map(&view, path);
    *names = false;
    if (status != ENT_OK) return status == ENT_NOT_FOUND ? ENT_OK : ENT_IO;
    *names =
        blob_header_names(view.bytes, view.size, hash_resource(name, ent_resource_suffix(type)));
    file_unmap(&view);
    return ENT_OK;
}

/* The path of a file of the output folder as the name of a resource. */
typedef struct OutputName {
    Text         name;
    ResourceType type; /* RESOURCE_NONE: it is the path of no output */
    bool         map;
} OutputName;

static OutputName output_name(const TreeFile* file) {
    OutputName n;
    n.type = output_named(tree_relative(file), &n.name, &n.map);
    return n;
}

static bool is_recorded(const Build* b, const OutputName* n) {
    const u32              row = database_product(&b->database, n->name, n->type);
    const DatabaseProduct* p = row == NONE ? NULL : &b->database.products[row];
    return p && (n->map ? p->map != NONE : !(p->flags & DATABASE_NO_OUTPUT));
}

static ent_status is_output(const Build* b, const TreeFile* file, const OutputName* n,
                            bool* is_product) {
    *is_product = is_recorded(b, n);
    if (*is_product) return ENT_OK;
    return n->map ? source_map_is_of(file->path, n->name, n->type, is_product)
                  : blob_names(file->path, n->name, n->type, is_product);
}

/* Does this build have an output at the path? The outputs of a model with errors are unknown. */
static bool is_requested(const Build* b, const OutputName* n) {
    if (n->map && !b->options->compile.source_map) return false;
    return product_find(b, n->name, n->type) || unread_model_of(b, n->name);
}

/* Does this build write to the path? */
static bool is_written(const Build* b, const OutputName* n) {
    const Product* p = product_find(b, n->name, n->type);
    return p && p->compiled && !p->compiled->invalid && (!n->map || p->compiled->map->bytes > 0);
}

/* --- before a build writes --- */

static int foreign_report(const TreeFile* file, const OutputName* n) {
    fprintf(
        stderr,
        "entc: error: \"%s\" was not written by entc: it is not an output of the last build, and "
        "does not contain %.*s.%s%s; nothing is written until it is moved, renamed or removed\n",
        file->path, (int)n->name.bytes, n->name.at, ent_resource_suffix(n->type),
        n->map ? SOURCE_MAP_SUFFIX : "");
    return EXIT_IO;
}

/* [outputs.files] Which files are outputs that the build database contains and that this build has too. A resource
 * that has had errors since it is recorded has no output: a file at its path is not known. */
static bool* kept_find(const Build* b) {
    bool* kept = memory_alloc((size_t)b->outputs.files.count + 1);
    for (u32 i = 0; i < b->products.count; i++) {
        const u32 row = b->products.at[i].row;
        if (row == NONE || (b->database.products[row].flags & DATABASE_NO_OUTPUT)) continue;
        const u32 output = b->up_to_date.output[row].file, map = b->database.products[row].map;
        const u32 map_file = map == NONE ? NONE : b->up_to_date.map[map].file;
        if (output != NONE) kept[output] = true;
        if (map_file != NONE) kept[map_file] = b->options->compile.source_map;
    }
    return kept;
}

static int output_look(Build* b, const TreeFile* file) {
    const OutputName n = output_name(file);
    const bool       requested = n.type != RESOURCE_NONE && is_requested(b, &n);
    bool             is_product = false;
    if (n.type == RESOURCE_NONE || file->kind != FILE_REGULAR) return EXIT_OK;
    if (requested && !is_written(b, &n)) return EXIT_OK;
    if (is_output(b, file, &n, &is_product) != ENT_OK) return io_failure("cannot read", file->path);
    if (requested) return is_product ? EXIT_OK : foreign_report(file, &n);
    if (is_product) *array_push(&b->stale) = file;
    return EXIT_OK;
}

int outputs_look(Build* b) {
    bool* kept = kept_find(b);
    int   code = EXIT_OK;
    b->stale.count = 0;
    for (u32 i = 0; i < b->outputs.files.count; i++) {
        const int look = kept[i] ? EXIT_OK : output_look(b, &b->outputs.files.at[i]);
        code = MAX_OF(code, look);
    }
    memory_free(kept);
    return code;
}

/* --- removing --- */

static int output_remove(Build* b, const char* path) {
    const BuildOptions* o = b->options;
    const bool          writes = build_writes(o);
    if (writes && file_remove(path) != ENT_OK) return io_failure("cannot remove", path);
    b->removed++;
    if (!o->messages.quiet && (o->messages.verbose || !writes))
        printf("%s %s\n", writes ? "removed" : "would remove", path);
    return EXIT_OK;
}

static int stale_file_remove(Build* b, const TreeFile* file) {
    const int code = output_remove(b, file->path);
    if (code == EXIT_OK && build_writes(b->options))
        folders_remove_empty(file->path, strlen(b->outputs.root));
    return code;
}

int output_withdraw(Build* b, const char* path, Text name, ResourceType type) {
    char map[4096];
    bool is_product, has_map = false;
    if (blob_names(path, name, type, &is_product) != ENT_OK) return io_failure("cannot read", path);
    int code = is_product ? output_remove(b, path) : EXIT_OK;
    if (!map_path(path, map, sizeof map)) return code;
    if (source_map_is_of(map, name, type, &has_map) != ENT_OK)
        return io_failure("cannot read", map);
    if (has_map && code == EXIT_OK) code = output_remove(b, map);
    return code;
}

int stale_remove(Build* b) {
    int code = EXIT_OK;
    for (u32 i = 0; i < b->stale.count && code == EXIT_OK; i++)
        code = stale_file_remove(b, b->stale.at[i]);
    return code;
}

/* --- the outputs of another project --- */

/* Is none of the recorded sources in the source folder? The settings have the same name in every project. */
static bool sources_are_gone(const Build* b) {
    const Database* db = &b->database;
    bool            gone = true, any = false;
    for (u32 i = 0; i < db->head->file_count && gone; i++) {
        if (strcmp(database_text(db, db->files[i].path), SETTINGS_FILE) == 0) continue;
        any = true;
        gone = b->up_to_date.source[i].file == NONE;
    }
    return any && gone;
}

int outputs_check_project(const Build* b) {
    const BuildOptions* o = b->options;
    const Database*     db = &b->database;
    char                here[4096];
    if (!db->head || o->take_over || !sources_are_gone(b)) return EXIT_OK;
    const char* recorded = database_text(db, db->head->source);
    if (path_resolve(o->source, here, sizeof here) != ENT_OK)
        return io_failure("cannot read the asset folder", o->source);
    if (strcmp(here, recorded) == 0) return EXIT_OK; /* all its sources were removed or renamed */
    fprintf(
        stderr,
        "entc: error: the outputs in \"%s\" were built from \"%s\", and none of its sources is in "
        "\"%s\"; choose another output folder, or replace these outputs with --take-over\n",
        o->out, recorded, o->source);
    return EXIT_USAGE;
}
