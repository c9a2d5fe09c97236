/* build_select.c - which products have to be compiled, and why: the reason also as text. */
#include <stdlib.h>

#include "build_internal.h"
#include "identity.h"
#include "path_pattern.h"
#include "print.h"
#include "sections.h"

#define WAY_MAX   64         /* maximum number of nested prefabs in a reason */
#define STEPS_MAX (1u << 24) /* maximum number of reads that are examined for this */

/* Does another file belong to the source because of its name: the image of the settings of a texture, or the
 * settings of a model? A file may also be of another type than before. */
static bool content_file_is_other(const Build* b, const DatabaseProduct* p, const Asset* asset) {
    const Database* db = &b->database;
    if (!asset->content_file) return p->flags & DATABASE_CONTENT_FILE;
    const u32 file = database_file(db, asset->content_file + strlen(b->sources.root) + 1);
    for (u32 i = p->first_read; i < p->first_read + p->read_count; i++) {
        if (db->reads[i].file == file) return false;
    }
    return true;
}

/* Has a model that was read got settings, or lost them, or other ones? */
static bool settings_are_others(const Build* b, const Asset* model) {
    const u32 row = database_product(&b->database, text_of(model->name), model->type);
    return row != NONE && content_file_is_other(b, &b->database.products[row], model);
}

static Reason read_reason(const Build* b, u32 row) {
    const DatabaseRead* read = &b->database.reads[row];
    const UpToDateRow*  now = &b->up_to_date.source[read->file];
    const Asset*        current = now->file == NONE ? NULL : b->assets.of_file[now->file];
    const char*         name = read->name == NONE ? NULL : database_text(&b->database, read->name);
    const bool          leads =
        current && name && current->type == read->type && !strcmp(current->name, name);
    if (name && !leads) { /* the file to which the name refers now */
        const Asset* asset = assets_file(&b->assets, text_of(name), (ResourceType)read->type);
        return asset ? REASON_READ_MOVED : REASON_READ_REMOVED;
    }
    if (now->file == NONE) return REASON_READ_REMOVED;
    if (current && form_is_model(current->form) && settings_are_others(b, current))
        return REASON_READ_CHANGED;
    return now->state == UP_TO_DATE_SAME ? REASON_NONE : REASON_READ_CHANGED;
}

static bool need_is_removed(const Build* b, u32 row) {
    const DatabaseNeed* need = &b->database.needs[row];
    if (need->type == RESOURCE_NONE || need->type >= RESOURCE_COUNT) return false;
    return !product_find(b, text_of(database_text(&b->database, need->name)),
                         (ResourceType)need->type);
}

bool pattern_is_changed(const Build* b, const Asset* package, const char* recorded) {
    char*     pattern;
    const u64 before = strtoull(recorded, &pattern, 10);
    u64       matches = 0;
    if (*pattern++ != ' ' || path_pattern_fault(pattern)) return true;
    for (u32 i = 0; i < b->assets.count; i++) {
        matches += package_pattern_matches(&b->assets, package, pattern, b->assets.asset[i]);
    }
    return matches != before;
}

static bool patterns_are_changed(const Build* b, const DatabaseProduct* p, const Asset* package) {
    const Database* db = &b->database;
    bool            changed = false;
    for (u32 i = p->first_need; i < p->first_need + p->need_count && !changed; i++) {
        changed = db->needs[i].type == TYPE_OF_PATTERN &&
                  pattern_is_changed(b, package, database_text(db, db->needs[i].name));
    }
    return changed;
}

static Reason reads_reason(const Build* b, const DatabaseProduct* p) {
    Reason reason = REASON_NONE;
    for (u32 i = 0; i < p->read_count && reason == REASON_NONE; i++) {
        reason = read_reason(b, p->first_read + i);
    }
    return reason;
}

static bool row_is_of(const Build* b, u32 row, const Asset* asset) {
    return b->up_to_date.source[b->database.products[row].file].file == asset->file;
}

Reason product_reason(const Build* b, const Product* product) {
    const Database* db = &b->database;
    if (b->traces && trace_holds(b, product)) return REASON_NONE;
    if (b->options->force) return REASON_FORCED;
    if (!db->head) return REASON_NO_DATABASE;
    if (!b->same_environment) return REASON_ENVIRONMENT;
    if (product->row == NONE) return REASON_NEW;
    const DatabaseProduct* p = &db->products[product->row];
    if (p->flags & DATABASE_FAILED) return REASON_FAILED;
    const Reason reason = reads_reason(b, p);
    if (reason != REASON_NONE) return reason;
    if (!row_is_of(b, product->row, product->asset)) return REASON_NEW;
    if (content_file_is_other(b, p, product->asset)) return REASON_NEW;
    for (u32 i = p->first_need; i < p->first_need + p->need_count; i++) {
        if (need_is_removed(b, i)) return REASON_NEED_REMOVED;
    }
    if (product->type == RESOURCE_PACKAGE && patterns_are_changed(b, p, product->asset))
        return REASON_PATTERN;
    const UpToDateRow* output = &b->up_to_date.output[product->row];
    if (output->file == NONE) return REASON_OUTPUT_REMOVED;
    if (output->state != UP_TO_DATE_SAME) return REASON_OUTPUT_CHANGED;
    if (b->options->compile.source_map && !map_is_settled(b, product->row)) return REASON_MAP;
    return p->flags & DATABASE_WARNED ? REASON_WARNED : REASON_NONE;
}

bool model_is_recorded(const Build* b, const Asset* asset) {
    if (!b->same_environment || b->options->force) return false;
    const u32 row = database_product(&b->database, text_of(asset->name), asset->type);
    if (row == NONE || !row_is_of(b, row, asset)) return false;
    const DatabaseProduct* p = &b->database.products[row];
    return !(p->flags & DATABASE_FAILED) && reads_reason(b, p) == REASON_NONE &&
           !content_file_is_other(b, p, asset);
}

/* --- the reason as text --- */

typedef struct ReasonText {
    const Build*    build;
    const Database* database;
    const Product*  product;
    FILE*           out;
    u32             steps; /* so far: the database may list many reads that have all changed */
} ReasonText;

static const char* file_path(const ReasonText* t, u32 file) {
    return database_text(t->database, t->database->files[file].path);
}

static void print_place(const ReasonText* t, DatabasePlace place) {
    fprintf(t->out, "%s/%s:%u:%u", t->build->sources.root, file_path(t, place.file), place.line,
            place.column);
}

/* Returns the read through which a product refers to a file, or NULL. */
static const DatabaseRead* read_of_file(ReasonText* t, const DatabaseProduct* p, u32 file) {
    const u32 end = p->first_read + p->read_count;
    for (u32 i = p->first_read; i < end && t->steps < STEPS_MAX; i++, t->steps++) {
        if (t->database->reads[i].file == file) return &t->database->reads[i];
    }
    return NULL;
}

/* Prints the chain of references from the file back to the own source of the product. */
static void print_way(ReasonText* t, const DatabaseProduct* p, const DatabaseRead* read) {
    for (u32 n = 0; read && read->place.file != NONE && n < WAY_MAX; n++) {
        const char* name = read->name == NONE ? NULL : database_text(t->database, read->name);
        fputs("\n    ", t->out);
        print_place(t, read->place);
        if (name)
            fprintf(t->out, " refers to %s.%s", name, ent_resource_suffix(read->type));
        else
            fputs(" is the source that refers to it", t->out);
        if (read->place.file == p->file) return;
        const DatabaseRead* next = read_of_file(t, p, read->place.file);
        if (next == read) return;
        read = next;
    }
}

static void print_hash(const ReasonText* t, const FileStamp* stamp, Hash128 hash) {
    fprintf(t->out, "%llu bytes, hash %016llx", (unsigned long long)stamp->size,
            (unsigned long long)hash.high);
}

static void print_read(ReasonText* t, const DatabaseProduct* p, u32 row, Reason reason) {
    const DatabaseRead* read = &t->database->reads[row];
    const DatabaseFile* stored = &t->database->files[read->file];
    const UpToDateRow*  now = &t->build->up_to_date.source[read->file];
    fprintf(t->out, "%s/%s ", t->build->sources.root, file_path(t, read->file));
    if (reason == REASON_READ_MOVED) {
        const Text   name = text_of(database_text(t->database, read->name));
        const Asset* asset = assets_file(&t->build->assets, name, (ResourceType)read->type);
        fprintf(t->out, "is no longer the source of %.*s.%s: the source is now %s", (int)name.bytes,
                name.at, ent_resource_suffix(read->type), asset ? asset->source.path : "nothing");
    } else if (reason == REASON_READ_REMOVED) {
        fputs("no longer exists", t->out);
    } else {
        fputs("has changed: ", t->out);
        print_hash(t, &stored->stamp, stored->hash);
        fputs(" -> ", t->out);
        print_hash(t, &now->stamp, now->hash);
    }
    print_way(t, p, read);
    fputc('\n', t->out);
}

static void print_need(const ReasonText* t, u32 row) {
    const DatabaseNeed* need = &t->database->needs[row];
    fprintf(t->out, "%s.%s, which is needed at runtime, no longer exists",
            database_text(t->database, need->name), ent_resource_suffix(need->type));
    if (need->place.file != NONE) {
        fputs("\n    ", t->out);
        print_place(t, need->place);
        fputs(" refers to it", t->out);
    }
    fputc('\n', t->out);
}

static void print_line(void* user, Text what, Text before, Text now) {
    const ReasonText* t = user;
    fprintf(t->out, "%.*s has changed: %.*s -> %.*s\n", (int)what.bytes, what.at,
            before.bytes ? (int)before.bytes : 4, before.bytes ? before.at : "none",
            now.bytes ? (int)now.bytes : 4, now.bytes ? now.at : "none");
}

static void print_output(const ReasonText* t, bool gone) {
    fprintf(t->out, "%s/%s.%s %s\n", t->build->options->out, t->product->name,
            ent_resource_suffix(t->product->type),
            gone ? "no longer exists" : "was changed by another program");
}

/* Every input that has changed, not only the first. */
static void print_inputs(ReasonText* t) {
    const DatabaseProduct* p = &t->database->products[t->product->row];
    for (u32 i = p->first_read; i < p->first_read + p->read_count; i++) {
        const Reason reason = read_reason(t->build, i);
        if (reason != REASON_NONE) print_read(t, p, i, reason);
    }
    for (u32 i = p->first_need; i < p->first_need + p->need_count; i++) {
        if (need_is_removed(t->build, i)) print_need(t, i);
    }
}

/* Returns all reasons for a product that has any, one per line followed by the chain of references:
 * the input, its old and new state, and the position of the reference. The memory belongs to the
 * arena. */
static const char* reason_text(const Build* b, const Product* product, Arena* arena) {
    Print      print;
    ReasonText t = {b, &b->database, product, print_begin(&print), 0};
    switch (product->found) {
    case REASON_NONE: break;
    case REASON_FORCED: fputs("--force was specified\n", t.out); break;
    case REASON_NO_DATABASE:
        fputs("there was no build database of an earlier build\n", t.out);
        break;
    case REASON_ENVIRONMENT:
        identity_compare(database_text(t.database, t.database->head->environment), b->environment,
                         print_line, &t);
        break;
    case REASON_PATTERN: fputs("a pattern in it matches resources that are new\n", t.out); break;
    case REASON_NEW: fputs("the resource was not part of the previous build\n", t.out); break;
    case REASON_FAILED: fputs("the last build found errors in its sources\n", t.out); break;
    case REASON_MAP:
        fputs("its source map is requested, but is missing or was changed\n", t.out);
        break;
    case REASON_WARNED:
        fputs("the last build reported warnings for it, which are repeated until they are fixed\n",
              t.out);
        break;
    case REASON_OUTPUT_REMOVED:
    case REASON_OUTPUT_CHANGED: print_output(&t, product->found == REASON_OUTPUT_REMOVED); break;
    default: print_inputs(&t); break;
    }
    Text text = print_end(&print);
    while (text.bytes > 0 && text.at[text.bytes - 1] == '\n') text.bytes--;
    const char* kept = arena_text(arena, text);
    print_drop(&print);
    return kept;
}

/* --- what is compiled --- */

/* A reason that is the same for all products is printed only once. */
static const char* reason_shared(Build* b, const Product* p) {
    const bool shared = p->found == REASON_FORCED || p->found == REASON_NO_DATABASE ||
                        p->found == REASON_ENVIRONMENT;
    if (!shared) return reason_text(b, p, &b->arena);
    if (!b->shared_reason) b->shared_reason = reason_text(b, p, &b->arena);
    return b->shared_reason;
}

void products_select(Build* b) {
    u32 count = 0;
    for (u32 i = 0; i < b->products.count; i++) {
        Product* p = &b->products.at[i];
        p->found = product_reason(b, p);
        count += p->found != REASON_NONE;
    }
    Compiled* compiled = compiled_alloc(b, count);
    for (u32 i = 0; i < b->products.count; i++) {
        Product* p = &b->products.at[i];
        if (p->found == REASON_NONE) continue;
        p->compiled = compiled++;
        p->reason = reason_shared(b, p);
    }
}

void products_explain(const Build* b, Build* part) {
    const u32 count = part->products.count;
    Compiled* compiled = compiled_alloc(part, count);
    for (u32 i = 0; i < count; i++) {
        Product* p = &part->products.at[i];
        p->compiled = compiled++;
        p->reason = reason_text(b, p, &part->arena);
    }
}

void products_select_only(Build* b, const bool* wanted) {
    products_select(b);
    b->is_single = true;
    for (u32 i = 0; i < b->products.count; i++)
        if (!wanted[i]) b->products.at[i].compiled = NULL;
}

void product_select(Build* b, const Product* only) {
    bool* wanted = memory_alloc((size_t)b->products.count + 1);
    wanted[only - b->products.at] = true;
    products_select_only(b, wanted);
    memory_free(wanted);
}
