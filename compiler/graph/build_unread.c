/* build_unread.c - finds the files of the source folder that are not read, so that a file in a
 * format that entc does not support is not overlooked.
 *
 * Read are: sources, including those of other variants, the settings, the buffers and images of
 * models, and the files of NAME.EXT.data.json. Names that begin with a dot are ignored. A build with nothing to compile finds the files
 * that were read in the build database; it examines the sources only if there is a file that is not
 * in the build database. */
#include <stdlib.h>

#include "build_internal.h"
#include "diag.h"
#include "diag_print.h"
#include "path_alike.h"
#include "sections.h"
#include "order.h"

#define KINDS_SHOWN 5

static int file_order(const void* a, const void* b) {
    return strcmp((*(const TreeFile* const*)a)->path, (*(const TreeFile* const*)b)->path);
}

/* --- candidates --- */

static void misplaced_report(Build* b, const TreeFile* file) {
    const bool named = strcmp(file->path + file->name, SETTINGS_FILE) == 0;
    if (!named || file->kind != FILE_REGULAR || strcmp(tree_relative(file), SETTINGS_FILE) == 0)
        return;
    Source* source = ARENA_NEW(&b->arena, Source, 1);
    *source = source_of(file->path, "", 0);
    diag_warning(b->diag, W0705, source, 0, 1,
                 "this file is not read: the settings of a project must be in the root of its "
                 "source folder, in \"%s/" SETTINGS_FILE "\"",
                 b->sources.root);
}

void settings_misplaced_find(Build* b) {
    for (u32 i = 0; b->idle && i < b->up_to_date.others.count; i++) {
        misplaced_report(b, &b->sources.files.at[b->up_to_date.others.at[i]]);
    }
    for (u32 i = 0; !b->idle && i < b->sources.files.count; i++) {
        const TreeFile* file = &b->sources.files.at[i];
        const bool      is_data =
            b->assets.of_file[i] || assets_have_data(&b->assets, tree_relative(file));
        if (!is_data) misplaced_report(b, file);
    }
}

static void candidate_add(Build* b, const TreeFile* file) {
    if (file->kind != FILE_REGULAR || strcmp(file->path + file->name, SETTINGS_FILE) == 0) return;
    *array_push(&b->unread) = file;
}

static void candidates_find(Build* b) {
    for (u32 i = 0; b->idle && i < b->up_to_date.others.count; i++) {
        candidate_add(b, &b->sources.files.at[b->up_to_date.others.at[i]]);
    }
    for (u32 i = 0; !b->idle && i < b->sources.files.count; i++) {
        const TreeFile* file = &b->sources.files.at[i];
        if (!b->assets.of_file[i] && !assets_concern(&b->settings, tree_relative(file)))
            candidate_add(b, file);
    }
}

/* --- files to which models refer --- */

const char* path_named(const Build* b, const char* path) {
    const char* second;
    const char* found = path_alike(&b->sources, path, &second);
    return found ? found : path;
}

/* From the build database: the files beside the source of a product, and those that it refers
 * to. */
static void paths_of_row(const Build* b, const DatabaseProduct* p, Paths* paths) {
    const Database* db = &b->database;
    for (u32 i = p->first_read; i < p->first_read + p->read_count; i++) {
        if (db->reads[i].name != NONE) continue;
        *array_push(&paths->at) = database_text(db, db->files[db->reads[i].file].path);
    }
    for (u32 i = p->first_need; i < p->first_need + p->need_count; i++) {
        if (db->needs[i].type != RESOURCE_NONE) continue;
        *array_push(&paths->at) = path_named(b, database_text(db, db->needs[i].name));
    }
}

static void paths_of_model(const Build* b, const Product* p, Paths* paths) {
    const Asset* asset = p->asset;
    for (u32 i = 0; i < asset->content->besides.count; i++) {
        *array_push(&paths->at) = asset->content->besides.at[i].path + strlen(b->sources.root) + 1;
    }
    for (u32 i = 0; p->compiled && i < p->compiled->edge_count; i++) {
        const Edge* edge = &p->compiled->edges[i];
        if (edge->need && edge->type == RESOURCE_NONE)
            *array_push(&paths->at) = path_named(b, edge->name);
    }
    if (p->row != NONE && (!p->compiled || !job_once_done(&asset->load)))
        paths_of_row(b, &b->database.products[p->row], paths);
}

static void paths_of_models(const Build* b, Paths* paths) {
    for (u32 i = 0; b->idle && i < b->database.head->product_count; i++) {
        paths_of_row(b, &b->database.products[i], paths);
    }
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        const bool     model = form_is_model(p->asset->form) && product_is_source(p);
        if (model || p->type == RESOURCE_TEXTURE) paths_of_model(b, p, paths);
    }
}

/* --- files to which other variants refer --- */

static void path_add(void* user, const char* path) {
    Paths* paths = user;
    *array_push(&paths->at) = arena_text(&paths->arena, text_of(path));
}

/* The files to which a model refers that this build does not read. */
static void paths_of_other(const Build* b, const TreeFile* file, AssetForm form, Paths* paths) {
    FileView  view;
    FileStamp stamp;
    if (file_copy_stamped(&view, file->path, &stamp, SOURCE_BYTES_MAX, NULL) != ENT_OK) return;
    if (view.size <= SOURCE_BYTES_MAX)
        model_images_each(&b->sources, file, form, &view, path_add, paths);
    file_unmap(&view);
}

static bool is_read(const Build* b, u32 file) {
    if (!b->idle) return b->assets.of_file[file] != NULL;
    const u32 row = database_file(&b->database, tree_relative(&b->sources.files.at[file]));
    return row != NONE && database_is_read(&b->database.files[row]);
}

void paths_of_others(const Build* b, Paths* paths) {
    for (u32 i = 0; i < b->sources.files.count; i++) {
        const TreeFile* file = &b->sources.files.at[i];
        const Suffix    suffix = settings_suffix(&b->settings, tree_relative(file));
        const Text      data = data_file_of(text_of(tree_relative(file)));
        if (data.bytes) *array_push(&paths->at) = path_named(b, arena_text(&paths->arena, data));
        if (suffix.kind != SUFFIX_VALID || !form_is_model(suffix.form) || is_read(b, i)) continue;
        paths_of_other(b, file, suffix.form, paths);
    }
}

/* --- the complete search --- */

static void named_remove(Build* b, Paths* paths) {
    u32 kept = 0;
    if (paths->at.count) qsort(paths->at.at, paths->at.count, sizeof *paths->at.at, order_texts);
    for (u32 i = 0; i < b->unread.count; i++) {
        const char* path = tree_relative(b->unread.at[i]);
        if (paths->at.count &&
            bsearch(&path, paths->at.at, paths->at.count, sizeof path, order_texts)) {
            continue;
        }
        b->unread.at[kept++] = b->unread.at[i];
    }
    b->unread.count = kept;
    paths->at.count = 0;
}

void unread_find(Build* b) {
    Paths paths = {0};
    candidates_find(b);
    if (b->unread.count) {
        paths_of_models(b, &paths);
        named_remove(b, &paths);
    }
    if (b->unread.count) {
        paths_of_others(b, &paths);
        named_remove(b, &paths);
    }
    array_drop(&paths.at);
    arena_drop(&paths.arena);
    if (b->unread.count) qsort(b->unread.at, b->unread.count, sizeof *b->unread.at, file_order);
}

u64 unread_digest(const Build* b) {
    u64 digest = 0;
    for (u32 i = 0; i < b->unread.count; i++) {
        const char* path = b->unread.at[i]->path;
        digest = hash_bytes(path, strlen(path), digest + 1);
    }
    return digest;
}

/* --- reporting --- */

typedef struct Kind {
    const char* name; /* ".fbx"; "" when there is none that can be shown */
    u32         count;
} Kind;

/* The text from the last dot, if it is short and has only plain characters. */
static const char* kind_of(const TreeFile* file) {
    const char* name = file->path + file->name;
    const char* dot = strrchr(name, '.');
    if (!dot || dot == name || !dot[1] || strlen(dot) > 16) return "";
    for (const char* at = dot + 1; *at; at++) {
        const bool plain = (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') ||
                           (*at >= 'A' && *at <= 'Z') || *at == '_' || *at == '-';
        if (!plain) return "";
    }
    return dot;
}

static int name_order(const void* a, const void* b) {
    return strcmp(((const Kind*)a)->name, ((const Kind*)b)->name);
}

static int count_order(const void* a, const void* b) {
    const Kind *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* "2 .fbx, 1 .png, 1 without a suffix" */
static void kinds_print(FILE* out, const Build* b) {
    Kind* kinds = memory_alloc(sizeof(Kind) * b->unread.count);
    u32   count = 0, others = 0;
    for (u32 i = 0; i < b->unread.count; i++) kinds[i] = (Kind){kind_of(b->unread.at[i]), 1};
    qsort(kinds, b->unread.count, sizeof *kinds, name_order);
    for (u32 i = 0; i < b->unread.count; i++) {
        if (count && strcmp(kinds[count - 1].name, kinds[i].name) == 0)
            kinds[count - 1].count++;
        else
            kinds[count++] = kinds[i];
    }
    qsort(kinds, count, sizeof *kinds, count_order);
    for (u32 i = 0; i < count; i++) {
        if (i >= KINDS_SHOWN)
            others += kinds[i].count;
        else
            fprintf(out, "%s%u %s", i ? ", " : "", kinds[i].count,
                    *kinds[i].name ? kinds[i].name : "without a suffix");
    }
    if (others) fprintf(out, ", %u others", others);
    memory_free(kinds);
}

static void text_print(FILE* out, const char* text) {
    for (; *text; text++) fputc((u8)*text < 0x20 || *text == 0x7f ? '?' : *text, out);
}

void unread_print(const Build* b, FILE* out) {
    const BuildOptions* o = b->options;
    const u32           count = b->unread.count;
    const bool          github = o->messages.format == DIAG_GITHUB;
    if (count == 0 || o->messages.quiet || (o->messages.format != DIAG_TEXT && !github)) return;
    if (o->unread_reported && o->unread_reported == unread_digest(b)) return;
    fputs(github ? "::notice title=entc::" : "entc: ", out);
    fprintf(out, "%u file%s in \"", count, count == 1 ? "" : "s");
    text_print(out, b->sources.root);
    fprintf(out, "\" %s not read (", count == 1 ? "is" : "are");
    kinds_print(out, b);
    fprintf(out, ")%s\n",
            o->messages.verbose ? ":"
            : count == 1        ? "; -v shows it"
                                : "; -v lists them");
    for (u32 i = 0; i < count && o->messages.verbose; i++) {
        fputs("    ", out);
        text_print(out, b->unread.at[i]->path);
        fputc('\n', out);
    }
}
