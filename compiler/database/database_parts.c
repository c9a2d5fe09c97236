/* database_parts.c - what was appended to a build database: parts, each of them a database of its own that contains
 * only the products that were compiled again, and the files that they read. The newest part decides.
 *
 * Before a part is the hash of what it follows, so that one that belongs to another database, or to a file that two
 * programs have extended, is not applied. An incomplete part, of a program that was killed, has a wrong hash. Rows keep
 * their numbers; a product that reads more than before has its rows at the end, so that the rows of reads, needs and
 * maps are not in the order of the products any more. */
#include "database_internal.h"

#define TEXT_ROOM (32u << 20) /* for texts of parts, beside as much as the database has */

/* Own memory. */
typedef struct DatabaseRows {
    DatabaseHead head;
    ARRAY(DatabaseFile) files;
    ARRAY(DatabaseRead) reads;
    ARRAY(DatabaseNeed) needs;
    ARRAY(DatabaseProduct) products;
    ARRAY(DatabaseMap) maps;
    ARRAY(char) text;
} DatabaseRows;

/* --- own memory --- */

/* After rows were added. */
static void rows_show(Database* db) {
    DatabaseRows* rows = db->rows;
    rows->head.read_count = rows->reads.count;
    rows->head.need_count = rows->needs.count;
    rows->head.map_count = rows->maps.count;
    rows->head.text_bytes = rows->text.count;
    db->head = &rows->head;
    db->files = rows->files.at;
    db->reads = rows->reads.at;
    db->needs = rows->needs.at;
    db->products = rows->products.at;
    db->maps = rows->maps.at;
    db->text = rows->text.at;
}

/* For texts of parts. */
static u64 text_room(const Database* db) {
    const u32 used = db->head->text_bytes;
    if (db->rows) return db->rows->text.capacity - db->rows->text.count;
    return MIN_OF((u64)used * 2 + TEXT_ROOM, (u64)DATABASE_TEXT_MAX) - used;
}

void database_rows_copy(Database* db) {
    const DatabaseHead* head = db->head;
    if (db->rows) return;
    DatabaseRows* rows = memory_alloc(sizeof *rows);
    *rows = (DatabaseRows){.head = *head};
    array_append(&rows->files, db->files, head->file_count);
    array_append(&rows->reads, db->reads, head->read_count);
    array_append(&rows->needs, db->needs, head->need_count);
    array_append(&rows->products, db->products, head->product_count);
    array_append(&rows->maps, db->maps, head->map_count);
    /* Others refer to texts by their addresses, so they never move. */
    rows->text.capacity = (u32)(head->text_bytes + text_room(db));
    rows->text.at = memory_alloc_sparse(rows->text.capacity);
    memcpy(rows->text.at, db->text, head->text_bytes);
    rows->text.count = head->text_bytes;
    db->rows = rows;
    rows_show(db);
}

void database_rows_drop(Database* db) {
    DatabaseRows* rows = db->rows;
    if (!rows) return;
    array_drop(&rows->files);
    array_drop(&rows->reads);
    array_drop(&rows->needs);
    array_drop(&rows->products);
    array_drop(&rows->maps);
    array_drop(&rows->text);
    memory_free(rows);
    db->rows = NULL;
}

/* --- applying a part --- */

typedef struct Apply {
    DatabaseRows*   rows;
    const Database* part;
    u32*            file;    /* [files of the part] their rows in the database */
    u32*            product; /* [products of the part] */
    u32             reason;  /* of the previous product */
} Apply;

/* The same text at the same place, or a copy at the end. */
static u32 text_put(DatabaseRows* rows, u32 before, const char* text) {
    const u32 at = rows->text.count, bytes = (u32)strlen(text) + 1;
    if (before != NONE && strcmp(rows->text.at + before, text) == 0) return before;
    assert(bytes <= rows->text.capacity - at && "text_fits");
    memcpy(rows->text.at + at, text, bytes);
    rows->text.count += bytes;
    return at;
}

/* Takes the bytes of a text from what is left. */
static bool room_take(u64* room, const Database* part, u32 at) {
    const u64 bytes = at == NONE ? 0 : strlen(database_text(part, at)) + 1;
    if (bytes > *room) return false;
    *room -= bytes;
    return true;
}

/* Successive products often share the text of the reason. */
static bool reason_is_shared(const Database* part, u32 row) {
    return row > 0 && part->products[row].reason == part->products[row - 1].reason;
}

/* Is there room for all texts of a part? */
static bool text_fits(const Database* db, const Database* part) {
    const DatabaseHead* head = part->head;
    u64                 room = text_room(db);
    bool                fits = true;
    for (u32 i = 0; i < head->read_count && fits; i++)
        fits = room_take(&room, part, part->reads[i].name);
    for (u32 i = 0; i < head->need_count && fits; i++)
        fits = room_take(&room, part, part->needs[i].name);
    for (u32 i = 0; i < head->product_count && fits; i++)
        fits = reason_is_shared(part, i) || room_take(&room, part, part->products[i].reason);
    return fits;
}

static DatabasePlace place_put(const Apply* a, DatabasePlace place) {
    if (place.file != NONE) place.file = a->file[place.file];
    return place;
}

static void reads_put(const Apply* a, DatabaseProduct* p, const DatabaseProduct* from) {
    DatabaseRows* rows = a->rows;
    const u32     known = p->read_count;
    if (from->read_count > known) {
        p->first_read = rows->reads.count;
        for (u32 i = 0; i < from->read_count; i++)
            *array_push(&rows->reads) = (DatabaseRead){.name = NONE};
    }
    p->read_count = from->read_count;
    for (u32 i = 0; i < from->read_count; i++) {
        const DatabaseRead* read = &a->part->reads[from->first_read + i];
        const u32           before = rows->reads.at[p->first_read + i].name;
        const u32           name =
            read->name == NONE ? NONE : text_put(rows, before, database_text(a->part, read->name));
        rows->reads.at[p->first_read + i] = (DatabaseRead){a->file[read->file], name, read->type,
                                                           place_put(a, read->place), read->bytes};
    }
}

static void needs_put(const Apply* a, DatabaseProduct* p, const DatabaseProduct* from) {
    DatabaseRows* rows = a->rows;
    const u32     known = p->need_count;
    if (from->need_count > known) {
        p->first_need = rows->needs.count;
        for (u32 i = 0; i < from->need_count; i++)
            *array_push(&rows->needs) = (DatabaseNeed){.name = NONE};
    }
    p->need_count = from->need_count;
    for (u32 i = 0; i < from->need_count; i++) {
        const DatabaseNeed* need = &a->part->needs[from->first_need + i];
        const u32           before = rows->needs.at[p->first_need + i].name;
        const u32           name = text_put(rows, before, database_text(a->part, need->name));
        rows->needs.at[p->first_need + i] =
            (DatabaseNeed){name, need->type, place_put(a, need->place)};
    }
}

static void product_put(Apply* a, DatabaseProduct* p, const DatabaseProduct* from) {
    DatabaseRows* rows = a->rows;
    reads_put(a, p, from);
    needs_put(a, p, from);
    if (from->map == NONE) {
        p->map = NONE;
    } else {
        if (p->map == NONE) {
            p->map = rows->maps.count;
            *array_push(&rows->maps) = (DatabaseMap){0};
        }
        rows->maps.at[p->map] = a->part->maps[from->map];
    }
    p->file = a->file[from->file];
    if (reason_is_shared(a->part, (u32)(from - a->part->products)))
        p->reason = a->reason;
    else
        p->reason = text_put(rows, p->reason, database_text(a->part, from->reason));
    a->reason = p->reason;
    p->flags = from->flags;
    p->stamp = from->stamp;
    p->hash = from->hash;
    p->blob_hash = from->blob_hash;
}

/* False: there is a row that the database does not have. */
static bool rows_match(Apply* a, const Database* db) {
    const Database* part = a->part;
    bool            known = true;
    for (u32 i = 0; i < part->head->file_count && known; i++) {
        a->file[i] = database_file(db, database_text(part, part->files[i].path));
        known = a->file[i] != NONE;
    }
    for (u32 i = 0; i < part->head->product_count && known; i++) {
        const DatabaseProduct* p = &part->products[i];
        a->product[i] = database_product(db, text_of(database_text(part, p->name)), p->type);
        known = a->product[i] != NONE;
    }
    return known;
}

static Apply apply_begin(const Database* part) {
    return (Apply){.part = part,
                   .file = memory_alloc(sizeof(u32) * ((size_t)part->head->file_count + 1)),
                   .product = memory_alloc(sizeof(u32) * ((size_t)part->head->product_count + 1))};
}

static void apply_end(Apply* a) {
    memory_free(a->file);
    memory_free(a->product);
}

bool database_fits_part(const Database* db, const Database* part) {
    Apply      a = apply_begin(part);
    const bool fits = rows_match(&a, db) && text_fits(db, part);
    apply_end(&a);
    return fits;
}

bool database_apply(Database* db, const Database* part) {
    Apply      a = apply_begin(part);
    const bool fits = rows_match(&a, db) && text_fits(db, part);
    if (fits) {
        database_rows_copy(db);
        a.rows = db->rows;
        for (u32 i = 0; i < part->head->file_count; i++) {
            DatabaseFile* file = &a.rows->files.at[a.file[i]];
            file->flags = part->files[i].flags;
            file->stamp = part->files[i].stamp;
            file->hash = part->files[i].hash;
            file->built = part->files[i].built;
        }
        for (u32 i = 0; i < part->head->product_count; i++)
            product_put(&a, &a.rows->products.at[a.product[i]], &part->products[i]);
        a.rows->head.index = part->head->index;
        rows_show(db);
        db->last = part->head->hash;
    }
    apply_end(&a);
    return fits;
}

/* --- reading --- */

void database_parts_read(Database* db) {
    u64  at = database_layout(db->head).end;
    bool is_valid = true;
    db->last = db->head->hash;
    db->is_extended = at < db->view.size;
    while (is_valid) {
        Database         part = {0};
        DatabasePartLink link;
        at = align_up(at, DATABASE_PART_ALIGN);
        if (at + sizeof link >= db->view.size) break;
        memcpy(&link, db->view.bytes + at, sizeof link);
        at += sizeof link;
        if (!hash_equal(link, db->last) ||
            !database_rows_find(&part, db->view.bytes + at, db->view.size - at))
            break;
        part.view.size = (size_t)database_layout(part.head).end; /* limits the text of its rows */
        is_valid = database_validate(&part, DATABASE_ALL) && database_apply(db, &part);
        at += part.view.size;
    }
}
