/* database_parts.c - what was appended to a build database: parts, each of them a database of its own that contains
 * only the products that were compiled again, and the files that they read. The newest part decides.
 *
 * A part names the hash of what it follows, so that one that belongs to another database, or to a file that two
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
    DatabaseRows* own = db->own;
    own->head.read_count = own->reads.count;
    own->head.need_count = own->needs.count;
    own->head.map_count = own->maps.count;
    own->head.text_bytes = own->text.count;
    db->head = &own->head;
    db->files = own->files.at;
    db->reads = own->reads.at;
    db->needs = own->needs.at;
    db->products = own->products.at;
    db->maps = own->maps.at;
    db->text = own->text.at;
}

void database_own(Database* db) {
    const DatabaseHead* head = db->head;
    if (db->own) return;
    DatabaseRows* own = memory_alloc(sizeof *own);
    *own = (DatabaseRows){.head = *head};
    array_append(&own->files, db->files, head->file_count);
    array_append(&own->reads, db->reads, head->read_count);
    array_append(&own->needs, db->needs, head->need_count);
    array_append(&own->products, db->products, head->product_count);
    array_append(&own->maps, db->maps, head->map_count);
    /* Others refer to texts by their addresses, so they never move. */
    own->text.capacity = (u32)MIN_OF((u64)head->text_bytes * 2 + TEXT_ROOM, DATABASE_TEXT_MAX);
    own->text.at = memory_alloc_sparse(own->text.capacity);
    memcpy(own->text.at, db->text, head->text_bytes);
    own->text.count = head->text_bytes;
    db->own = own;
    rows_show(db);
}

void database_disown(Database* db) {
    DatabaseRows* own = db->own;
    if (!own) return;
    array_drop(&own->files);
    array_drop(&own->reads);
    array_drop(&own->needs);
    array_drop(&own->products);
    array_drop(&own->maps);
    array_drop(&own->text);
    memory_free(own);
    db->own = NULL;
}

/* --- applying a part --- */

typedef struct Apply {
    DatabaseRows*   own;
    const Database* part;
    u32*            file;    /* [files of the part] their rows in the database */
    u32*            product; /* [products of the part] */
} Apply;

/* The same text at the same place, or a copy at the end. */
static u32 text_put(DatabaseRows* own, u32 before, const char* text) {
    const u32 at = own->text.count, bytes = (u32)strlen(text) + 1;
    if (before != NONE && strcmp(own->text.at + before, text) == 0) return before;
    assert(bytes <= own->text.capacity - at && "text_fits");
    memcpy(own->text.at + at, text, bytes);
    own->text.count += bytes;
    return at;
}

static u64 text_bytes(const Database* part, u32 at) {
    return at == NONE ? 0 : strlen(database_text(part, at)) + 1;
}

/* Is there room for all texts of a part? Rows may share one. */
static bool text_fits(const DatabaseRows* own, const Database* part) {
    u64 bytes = own->text.count;
    for (u32 i = 0; i < part->head->read_count; i++) bytes += text_bytes(part, part->reads[i].name);
    for (u32 i = 0; i < part->head->need_count; i++) bytes += text_bytes(part, part->needs[i].name);
    for (u32 i = 0; i < part->head->product_count; i++)
        bytes += text_bytes(part, part->products[i].reason);
    return bytes <= own->text.capacity;
}

static DatabasePlace place_put(const Apply* a, DatabasePlace place) {
    if (place.file != NONE) place.file = a->file[place.file];
    return place;
}

static void reads_put(const Apply* a, DatabaseProduct* p, const DatabaseProduct* from) {
    DatabaseRows* own = a->own;
    const u32     known = p->read_count;
    if (from->read_count > known) {
        p->first_read = own->reads.count;
        for (u32 i = 0; i < from->read_count; i++)
            *array_push(&own->reads) = (DatabaseRead){.name = NONE};
    }
    p->read_count = from->read_count;
    for (u32 i = 0; i < from->read_count; i++) {
        const DatabaseRead* read = &a->part->reads[from->first_read + i];
        const u32           before = own->reads.at[p->first_read + i].name;
        const u32           name =
            read->name == NONE ? NONE : text_put(own, before, database_text(a->part, read->name));
        own->reads.at[p->first_read + i] = (DatabaseRead){a->file[read->file], name, read->type,
                                                          place_put(a, read->place), read->bytes};
    }
}

static void needs_put(const Apply* a, DatabaseProduct* p, const DatabaseProduct* from) {
    DatabaseRows* own = a->own;
    const u32     known = p->need_count;
    if (from->need_count > known) {
        p->first_need = own->needs.count;
        for (u32 i = 0; i < from->need_count; i++)
            *array_push(&own->needs) = (DatabaseNeed){.name = NONE};
    }
    p->need_count = from->need_count;
    for (u32 i = 0; i < from->need_count; i++) {
        const DatabaseNeed* need = &a->part->needs[from->first_need + i];
        const u32           before = own->needs.at[p->first_need + i].name;
        const u32           name = text_put(own, before, database_text(a->part, need->name));
        own->needs.at[p->first_need + i] =
            (DatabaseNeed){name, need->type, place_put(a, need->place)};
    }
}

static void product_put(const Apply* a, DatabaseProduct* p, const DatabaseProduct* from) {
    DatabaseRows* own = a->own;
    reads_put(a, p, from);
    needs_put(a, p, from);
    if (from->map == NONE) {
        p->map = NONE;
    } else {
        if (p->map == NONE) {
            p->map = own->maps.count;
            *array_push(&own->maps) = (DatabaseMap){0};
        }
        own->maps.at[p->map] = a->part->maps[from->map];
    }
    p->file = a->file[from->file];
    p->reason = text_put(own, p->reason, database_text(a->part, from->reason));
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

bool database_apply(Database* db, const Database* part) {
    Apply a = {.part = part,
               .file = memory_alloc(sizeof(u32) * ((size_t)part->head->file_count + 1)),
               .product = memory_alloc(sizeof(u32) * ((size_t)part->head->product_count + 1))};
    bool  known = rows_match(&a, db);
    if (known) database_own(db);
    a.own = db->own;
    known = known && text_fits(a.own, part);
    if (known) {
        for (u32 i = 0; i < part->head->file_count; i++) {
            DatabaseFile* file = &a.own->files.at[a.file[i]];
            file->stamp = part->files[i].stamp;
            file->hash = part->files[i].hash;
            file->built = part->files[i].built;
        }
        for (u32 i = 0; i < part->head->product_count; i++)
            product_put(&a, &a.own->products.at[a.product[i]], &part->products[i]);
        a.own->head.index = part->head->index;
        rows_show(db);
        db->last = part->head->hash;
    }
    memory_free(a.file);
    memory_free(a.product);
    return known;
}

/* --- reading --- */

void database_parts_read(Database* db) {
    u64  at = database_layout(db->head).end;
    bool is_valid = true;
    db->last = db->head->hash;
    db->is_extended = at < db->view.size;
    while (is_valid && (at = align_up(at, DATABASE_PART_ALIGN)) < db->view.size) {
        Database part = {0};
        is_valid = database_rows_find(&part, db->view.bytes + at, db->view.size - at) &&
                   hash_equal(part.head->before, db->last);
        if (!is_valid) break;
        part.view.size = (size_t)database_layout(part.head).end; /* limits the text of its rows */
        is_valid = database_validate(&part, DATABASE_ALL) && database_apply(db, &part);
        at += part.view.size;
    }
}
