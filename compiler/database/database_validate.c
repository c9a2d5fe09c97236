/* database_validate.c - validates a build database before anything in it is used.
 *
 * A database is a file in a folder and therefore untrusted input: its hash detects damage, but any
 * program can compute it. This validation makes every later use safe and bounded; the statements
 * about the content of files (their hashes and products) are trusted. */
#include "database.h"
#include "libc.h"
#include "relative.h"
#include "sections.h"

#define CHAIN_MAX      1024 /* longest run of used slots: far more than occurs by chance */
#define NAME_BYTES_MAX 255
#define PATH_BYTES_MAX 4095
#define NAMED_RATIO    16 /* bytes of text to which rows may refer, per byte of the database */

typedef struct Proof {
    const Database* database;
    u64             named, named_max; /* bytes of text; a text to which two rows refer counts
                                      * twice */
} Proof;

/* --- texts --- */

/* Reads a text; returns false when the offset is invalid, the text is too long, or the rows refer
 * to too much text. The text of a database ends with a 0. */
static bool text_take(Proof* p, u32 at, u64 max, Text* text) {
    if (at >= p->database->head->text_bytes) return false;
    const u64 left = p->named_max - p->named;
    *text = (Text){database_text(p->database, at), 0};
    text->bytes = text_bytes_below(text->at, (size_t)MIN_OF(max, left) + 1);
    p->named += text->bytes + 1u;
    return text->bytes <= max && p->named <= p->named_max;
}

static bool name_is_valid(Proof* p, u32 at) {
    Text name;
    return text_take(p, at, NAME_BYTES_MAX, &name);
}

/* A relative path that stays inside its folder. */
static bool path_is_valid(Proof* p, u32 at) {
    Text path;
    return text_take(p, at, PATH_BYTES_MAX, &path) && path_is_below(path);
}

/* --- rows --- */

static bool type_is_valid(u32 type) { return type != RESOURCE_NONE && type < RESOURCE_COUNT; }

static bool need_type_is_valid(u32 type) {
    return type == TYPE_OF_NAME || type == TYPE_OF_PATTERN || type_is_valid(type);
}

static bool place_is_valid(const Database* db, DatabasePlace place) {
    return place.file == NONE || place.file < db->head->file_count;
}

static bool files_are_valid(Proof* p) {
    const Database* db = p->database;
    bool            is_valid = true;
    for (u32 i = 0; is_valid && i < db->head->file_count; i++)
        is_valid = path_is_valid(p, db->files[i].path) && db->files[i].flags <= DATABASE_FILE_FLAGS;
    return is_valid;
}

static bool reads_are_valid(Proof* p) {
    const Database* db = p->database;
    bool            is_valid = true;
    for (u32 i = 0; is_valid && i < db->head->read_count; i++) {
        const DatabaseRead* r = &db->reads[i];
        is_valid = r->file < db->head->file_count && place_is_valid(db, r->place) &&
                   (r->name == NONE ? r->type == RESOURCE_NONE
                                    : type_is_valid(r->type) && name_is_valid(p, r->name));
    }
    return is_valid;
}

static bool needs_are_valid(Proof* p) {
    const Database* db = p->database;
    bool            is_valid = true;
    for (u32 i = 0; is_valid && i < db->head->need_count; i++) {
        const DatabaseNeed* n = &db->needs[i];
        is_valid =
            place_is_valid(db, n->place) &&
            (n->type == RESOURCE_NONE ? path_is_valid(p, n->name)
                                      : need_type_is_valid(n->type) && name_is_valid(p, n->name));
    }
    return is_valid;
}

/* Sorted by name, then type, without duplicates. */
static bool products_rise(const Database* db, const DatabaseProduct* a, const DatabaseProduct* b) {
    const int name = strcmp(database_text(db, a->name), database_text(db, b->name));
    return name < 0 || (name == 0 && a->type < b->type);
}

/* Successive products often share the text of the reason. */
static bool reason_is_valid(Proof* p, u32 row) {
    const DatabaseProduct* product = &p->database->products[row];
    Text                   reason;
    if (row > 0 && product->reason == product[-1].reason) return true;
    return text_take(p, product->reason, p->named_max, &reason);
}

/* The name becomes part of a path, so it must be canonical. */
static bool product_is_valid(Proof* p, u32 row) {
    const Database*        db = p->database;
    const DatabaseProduct* product = &db->products[row];
    Text                   name;
    if (!type_is_valid(product->type) || !text_take(p, product->name, NAME_BYTES_MAX, &name) ||
        !resource_name_is_canonical(name) || !reason_is_valid(p, row)) {
        return false;
    }
    if (product->flags > DATABASE_FLAGS) return false;
    return row == 0 || products_rise(db, product - 1, product);
}

/* Each read, need and map belongs to one product, in the order of the products. The first read of
 * each product is its source. */
static bool products_are_valid(Proof* p) {
    const Database*     db = p->database;
    const DatabaseHead* h = db->head;
    u32                 reads = 0, needs = 0, maps = 0;
    for (u32 i = 0; i < h->product_count; i++) {
        const DatabaseProduct* product = &db->products[i];
        if (product->first_read != reads || product->first_need != needs ||
            product->read_count == 0 || product->read_count > h->read_count - reads ||
            product->need_count > h->need_count - needs) {
            return false;
        }
        const DatabaseRead* last = &db->reads[reads];
        if (last->name == NONE || last->file != product->file || !product_is_valid(p, i))
            return false;
        if (product->map != NONE && product->map != maps++) return false;
        reads += product->read_count;
        needs += product->need_count;
    }
    return reads == h->read_count && needs == h->need_count && maps == h->map_count;
}

/* --- hash tables --- */

u32 database_slots(u32 count) { return slots_needed(count, 16); }

/* At least half of the slots are free, and a search soon reaches one of them. The slot of each row
 * is not validated: a row that is not found only costs time. */
static bool slots_are_valid(const Slots* slots, u32 count) {
    u32 used = 0, chain = 0, first = 0;
    if (slots->count != database_slots(count)) return false;
    while (first < slots->count && slots->at[first]) first++;
    for (u32 i = 0; i < slots->count; i++) {
        const u32 row = *slots_first(slots, first + i);
        chain = row ? chain + 1 : 0;
        used += row != 0;
        if (row > count || chain > CHAIN_MAX) return false;
    }
    return used == count;
}

bool database_validate(const Database* db, DatabaseScope scope) {
    const DatabaseHead* h = db->head;
    Proof               p = {db, 0, NAMED_RATIO * (u64)db->view.size};
    Text                text;
    const bool          files = h->text_bytes > 0 && h->text_bytes <= DATABASE_TEXT_MAX &&
                       h->text_used <= h->text_bytes && db->text[h->text_bytes - 1] == 0 &&
                       slots_are_valid(&db->file_slots, h->file_count) &&
                       h->product_slots == database_slots(h->product_count) &&
                       text_take(&p, h->environment, p.named_max, &text) &&
                       text_take(&p, h->boot, p.named_max, &text) &&
                       text_take(&p, h->source, PATH_BYTES_MAX, &text) && files_are_valid(&p);
    if (!files || scope == DATABASE_FILES) return files;
    return slots_are_valid(&db->product_slots, h->product_count) && reads_are_valid(&p) &&
           needs_are_valid(&p) && products_are_valid(&p) && p.named <= DATABASE_TEXT_MAX;
}
