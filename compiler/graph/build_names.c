/* build_names.c - compares the ids of the names in the fields of all products.
 *
 * A world finds entities by the id of a name, whatever level they are from: two names with one id
 * in two blobs would be one name. A product lists the names in its own source; those of its
 * prefabs are listed by the products of the prefabs. Names of products that are not compiled are in the build database
 * or the cache, with their positions. */
#include "build_internal.h"
#include "diag.h"

/* A name and the position at which a product first contains it. */
typedef struct NamePlace {
    u32         id;
    const char* text;
    const char* path; /* of the source, below the source folder */
    u32         line, column;
} NamePlace;

typedef struct Names {
    Build* build;
    ARRAY(NamePlace) rows;
    Slots slots; /* of the rows, by id */
} Names;

static u32* name_slot(const Names* n, u32 id) {
    u32* slot = slots_first(&n->slots, id);
    while (*slot && n->rows.at[*slot - 1].id != id) slot = slots_next(&n->slots, slot);
    return slot;
}

static void names_grow(Names* n) {
    slots_grow(&n->slots, 64);
    for (u32 i = 0; i < n->rows.count; i++) *name_slot(n, n->rows.at[i].id) = i + 1;
}

static u32 offset_of_place(const Source* source, const NamePlace* place) {
    const char *text = source->text, *at = text;
    for (u32 line = 1; line < place->line && at; line++) {
        at = strchr(at, '\n');
        if (at) at++;
    }
    const u32 start = at ? (u32)(at - text) : 0;
    return MIN_OF(start + place->column - 1, source_file_bytes(source));
}

/* The source of a position and its offset there. The source was valid when the product was
 * compiled, and is unchanged. */
static const Source* place_source(Build* b, const NamePlace* place, u32* offset) {
    const size_t root = strlen(b->sources.root) + 1;
    *offset = 0;
    for (u32 i = 0; i < b->assets.count; i++) {
        Asset* asset = b->assets.asset[i];
        if (strcmp(asset->source.path + root, place->path) != 0) continue;
        if (asset_hold(&b->assets, asset) && asset_read(&b->assets, asset))
            *offset = offset_of_place(&asset->source, place);
        asset_release(&b->assets, asset, false);
        return &asset->source;
    }
    return NULL;
}

static void clash_report(Build* b, const NamePlace* existing, const NamePlace* here) {
    u32           offset, other;
    const Source* source = place_source(b, here, &offset);
    const Source* first = place_source(b, existing, &other);
    diag_error(b->diag, E0310, source, offset, (u32)strlen(here->text) + 2,
               "the names \"%s\" and \"%s\" have the same id 0x%08x; rename one of them",
               here->text, existing->text, here->id);
    diag_note(b->diag, first, other, 1, "\"%s\" is defined here", existing->text);
}

static void name_add(Names* n, NamePlace place) {
    place.id = hash_name(text_of(place.text));
    if (slots_are_full(&n->slots, n->rows.count)) names_grow(n);
    u32* slot = name_slot(n, place.id);
    if (!*slot) {
        *array_push(&n->rows) = place;
        *slot = n->rows.count;
    } else if (strcmp(n->rows.at[*slot - 1].text, place.text) != 0) {
        clash_report(n->build, &n->rows.at[*slot - 1], &place);
        n->build->refused = true;
    }
}

static void names_of_row(Names* n, const DatabaseProduct* p) {
    const Database* db = &n->build->database;
    for (u32 i = p->first_need; i < p->first_need + p->need_count; i++) {
        const DatabaseNeed* need = &db->needs[i];
        if (need->type != TYPE_OF_NAME) continue;
        const DatabasePlace at = need->place;
        const char* path = at.file == NONE ? "" : database_text(db, db->files[at.file].path);
        name_add(n, (NamePlace){0, database_text(db, need->name), path, at.line, at.column});
    }
}

/* Products with errors have no edges. */
static void names_of_compiled(Names* n, const Compiled* compiled) {
    for (u32 i = 0; i < compiled->edge_count; i++) {
        const Edge* edge = &compiled->edges[i];
        if (edge->type != TYPE_OF_NAME) continue;
        const Place at = edge->place;
        name_add(n, (NamePlace){0, edge->name, at.path, at.line, at.column});
    }
}

void names_check(Build* b) {
    Names names = {.build = b};
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        if (p->compiled)
            names_of_compiled(&names, p->compiled);
        else if (p->row != NONE)
            names_of_row(&names, &b->database.products[p->row]);
    }
    array_drop(&names.rows);
    slots_drop(&names.slots);
}

/* --- names that are kept --- */

static u32* kept_slot(const NameTable* t, u32 id) {
    u32* slot = slots_first(&t->slots, id);
    while (*slot && hash_name(text_of(t->text.at[*slot - 1])) != id)
        slot = slots_next(&t->slots, slot);
    return slot;
}

static bool kept_add(NameTable* t, const char* text) {
    const u32 id = hash_name(text_of(text));
    if (slots_are_full(&t->slots, t->text.count)) {
        slots_grow(&t->slots, 64);
        for (u32 i = 0; i < t->text.count; i++)
            *kept_slot(t, hash_name(text_of(t->text.at[i]))) = i + 1;
    }
    u32* slot = kept_slot(t, id);
    if (*slot) return strcmp(t->text.at[*slot - 1], text) == 0;
    *array_push(&t->text) = arena_text(&t->arena, text_of(text));
    *slot = t->text.count;
    return true;
}

void name_table_fill(NameTable* t, const Build* b) {
    const Database* db = &b->database;
    *t = (NameTable){0};
    for (u32 i = 0; i < db->head->need_count; i++) {
        const DatabaseNeed* need = &db->needs[i];
        if (need->type == TYPE_OF_NAME) kept_add(t, database_text(db, need->name));
    }
}

void name_table_drop(NameTable* t) {
    array_drop(&t->text);
    slots_drop(&t->slots);
    arena_drop(&t->arena);
}

bool name_table_join(NameTable* t, const Build* b) {
    bool agree = true;
    for (u32 i = 0; i < b->products.count; i++) {
        const Compiled* compiled = b->products.at[i].compiled;
        for (u32 k = 0; compiled && k < compiled->edge_count; k++) {
            const Edge* edge = &compiled->edges[k];
            if (edge->type == TYPE_OF_NAME) agree &= kept_add(t, edge->name);
        }
    }
    return agree;
}
