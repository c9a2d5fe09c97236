/* why.c - the reasons as text. */
#include "why.h"

#include "identity.h"
#include "print.h"
#include "sections.h"

#define WAY_MAX   64         /* maximum number of nested prefabs in a reason */
#define STEPS_MAX (1u << 24) /* maximum number of reads that are examined for this */

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
    const DatabaseFile* was = &t->database->files[read->file];
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
        print_hash(t, &was->stamp, was->hash);
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

const char* reason_text(const Build* b, const Product* product, Arena* arena) {
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

/* --- the command --- */

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
    const Made* made = p->made;
    return made && !made->invalid &&
           (made->change == FILE_CHANGED || made->map.change == FILE_CHANGED);
}

static void product_print(Build* b, const Product* p) {
    const char* suffix = ent_resource_suffix(p->type);
    if (p->found != REASON_NONE) {
        printf("%s.%s would be compiled:\n", p->name, suffix);
        lines_print(p->why);
        if (!p->made->invalid && !product_differs(p)) puts("    its output would not change");
    }
    if (p->row == NONE) return;
    const char* last = database_text(&b->database, b->database.products[p->row].why);
    if (*last) {
        printf("%s.%s was last compiled because:\n", p->name, suffix);
        lines_print(last);
    }
}

static int one_print(Build* b, const Product* p) {
    const char* suffix = ent_resource_suffix(p->type);
    if (!p->made) printf("%s.%s is up to date.\n", p->name, suffix);
    product_print(b, p);
    if (p->made && !p->made->invalid && !product_differs(p))
        printf("%s.%s is up to date.\n", p->name, suffix);
    const bool unread = diag_has(b->diag, E0107) || diag_has(b->diag, E0108);
    return unread || (p->made && p->made->invalid) ? diag_exit_code(b->diag) : EXIT_OK;
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

/* Returns EXIT_OK with the product of a name, or reports that there is none. */
int product_named(Build* b, const char* resource, const Product** found) {
    const char*        dot = strrchr(resource, '.');
    const ResourceType type = dot ? resource_from_suffix(text_of(dot + 1)) : RESOURCE_NONE;
    const Text         name = {resource, dot ? (u32)(dot - resource) : 0};
    *found = type == RESOURCE_NONE ? NULL : product_find(b, name, type);
    if (*found) return EXIT_OK;
    assets_report(&b->assets, b->diag);
    if (diag_error_count(b->diag) > 0)
        return EXIT_INVALID; /* it may be in a model that has errors */
    const char* near = type == RESOURCE_NONE ? NULL : assets_nearest(&b->assets, name, type);
    fprintf(stderr, "entc: error: there is no \"%s\" in \"%s\"%s%s%s%s%s\n", resource,
            b->sources.root, ASSETS_NEAREST(near, type));
    return EXIT_IO;
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
        code = build_restart(&build);
        if (code == EXIT_OK) code = why_find(&build, resource, &only);
    }
    if (code == EXIT_OK)
        code = only       ? one_print(&build, only)
               : resource ? unwritten_print(&build, resource)
                          : all_print(&build);
    diag_print(build.diag, stderr, options->format, options->color);
    build_end(&build);
    return code;
}
