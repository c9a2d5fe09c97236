/* test_database_parts.c - parts that are appended to a build database.
 *
 * Invariant: after each append, in memory and in the file, the database has the rows of a plain model: an array with the
 * latest state of each file and product. What is incomplete, damaged or belongs to another database is not applied. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "database.h"
#include "test.h"

#define FILES    6
#define PRODUCTS 5
#define ROWS_MAX 6
#define PLACE    ".out.entc/database"

/* --- the model --- */

typedef struct ModelProduct {
    u32  reads, needs;
    u32  file[ROWS_MAX]; /* of the reads; the first one is the source */
    u32  bytes[ROWS_MAX];
    char need[ROWS_MAX][40];
    char reason[60];
    u64  hash;
    u32  flags;
    u64  map; /* 0: it has none */
} ModelProduct;

typedef struct Model {
    u64          content[FILES];
    ModelProduct product[PRODUCTS];
    u64          index;
} Model;

static u64 random_state;
static u32 random_below(u32 n) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (u32)(random_state >> 33) % n;
}

static Hash128   hash_of(u64 number) { return (Hash128){number, ~number}; }
static FileStamp stamp_of_number(u64 n) { return (FileStamp){n, n + 1, n + 2, n + 3}; }

static const char* path_of(u32 file) {
    static const char* const path[FILES] = {"a.entity.json", "b.entity.json", "c.entity.json",
                                            "d.entity.json", "e.entity.json", "data.bin"};
    return path[file];
}

static void product_change(Model* m, u32 at) {
    ModelProduct* p = &m->product[at];
    p->reads = 1 + random_below(ROWS_MAX - 1);
    p->needs = random_below(ROWS_MAX);
    for (u32 i = 0; i < p->reads; i++) {
        p->file[i] = i == 0 ? at : random_below(FILES);
        p->bytes[i] = random_below(1000);
    }
    for (u32 i = 0; i < p->needs; i++)
        snprintf(p->need[i], sizeof p->need[i], "need_%u", random_below(4));
    snprintf(p->reason, sizeof p->reason, "reason %u", random_below(5));
    p->hash = random_below(1000);
    p->flags = random_below(2) ? DATABASE_WARNED : 0;
    p->map = random_below(3) ? random_below(1000) + 1 : 0;
}

/* --- drafts of it --- */

static void draft_product(DatabaseDraft* d, const Model* m, u32 at, const u32* row) {
    const ModelProduct* p = &m->product[at];
    const char          name[] = {(char)('a' + at), 0};
    DatabaseProduct     product = {.name = draft_text(d, name),
                                   .type = RESOURCE_ENTITY,
                                   .file = row[at],
                                   .first_read = d->reads.count,
                                   .read_count = p->reads,
                                   .first_need = d->needs.count,
                                   .need_count = p->needs,
                                   .reason = draft_text(d, p->reason),
                                   .map = NONE,
                                   .flags = p->flags,
                                   .stamp = stamp_of_number(p->hash),
                                   .hash = hash_of(p->hash),
                                   .blob_hash = p->hash * 3};
    for (u32 i = 0; i < p->reads; i++) {
        const bool is_path = p->file[i] == FILES - 1;
        *array_push(&d->reads) = (DatabaseRead){row[p->file[i]],
                                                is_path ? NONE : draft_text(d, path_of(p->file[i])),
                                                is_path ? RESOURCE_NONE : RESOURCE_ENTITY,
                                                {row[at], i + 1, 1},
                                                p->bytes[i]};
    }
    for (u32 i = 0; i < p->needs; i++)
        *array_push(&d->needs) = (DatabaseNeed){draft_text(d, p->need[i]), RESOURCE_MESH,
                                                i % 2 ? (DatabasePlace){NONE, 0, 0}
                                                      : (DatabasePlace){row[at], 7, i + 1}};
    if (p->map) {
        product.map = d->maps.count;
        *array_push(&d->maps) = (DatabaseMap){stamp_of_number(p->map), hash_of(p->map)};
    }
    *array_push(&d->products) = product;
}

/* With the products whose bits are set, and the files that they read. */
static DatabaseDraft draft_of(const Model* m, u32 products, const Database* before) {
    DatabaseDraft d;
    u32           row[FILES];
    u32           needed = before->head ? 0 : (1u << FILES) - 1;
    draft_begin(&d, before, PRODUCTS);
    d.kept = 0;
    d.index = hash_of(m->index);
    for (u32 i = 0; i < PRODUCTS; i++) {
        for (u32 k = 0; products >> i & 1 && k < m->product[i].reads; k++)
            needed |= 1u << m->product[i].file[k];
    }
    for (u32 i = 0; i < FILES; i++) {
        if (!(needed >> i & 1)) continue;
        row[i] = d.files.count;
        *array_push(&d.files) = (DatabaseFile){.path = draft_text(&d, path_of(i)),
                                               .stamp = stamp_of_number(m->content[i]),
                                               .hash = hash_of(m->content[i]),
                                               .built = hash_of(m->content[i])};
    }
    for (u32 i = 0; i < PRODUCTS; i++)
        if (products >> i & 1) draft_product(&d, m, i, row);
    return d;
}

/* --- comparing --- */

static void expect_product(const Database* db, const Model* m, u32 at) {
    const ModelProduct* p = &m->product[at];
    const char          name[] = {(char)('a' + at), 0};
    const u32           row = database_product(db, text_of(name), RESOURCE_ENTITY);
    assert_int_equal(row, at);
    const DatabaseProduct* stored = &db->products[row];
    const FileStamp        stamp = stamp_of_number(p->hash);
    assert_int_equal(stored->read_count, p->reads);
    assert_int_equal(stored->need_count, p->needs);
    assert_int_equal(stored->file, at);
    assert_int_equal(stored->flags, p->flags);
    assert_true(hash_equal(stored->hash, hash_of(p->hash)));
    assert_true(file_stamp_equal(&stored->stamp, &stamp));
    assert_int_equal(stored->blob_hash, p->hash * 3);
    assert_string_equal(database_text(db, stored->reason), p->reason);
    for (u32 i = 0; i < p->reads; i++) {
        const DatabaseRead* read = &db->reads[stored->first_read + i];
        assert_int_equal(read->file, p->file[i]);
        assert_int_equal(read->bytes, p->bytes[i]);
        assert_int_equal(read->place.file, at);
        assert_int_equal(read->place.line, i + 1);
        if (p->file[i] == FILES - 1)
            assert_int_equal(read->name, NONE);
        else
            assert_string_equal(database_text(db, read->name), path_of(p->file[i]));
    }
    for (u32 i = 0; i < p->needs; i++) {
        const DatabaseNeed* need = &db->needs[stored->first_need + i];
        assert_string_equal(database_text(db, need->name), p->need[i]);
        assert_int_equal(need->place.file, i % 2 ? NONE : at);
    }
    if (!p->map) {
        assert_int_equal(stored->map, NONE);
    } else {
        assert_int_not_equal(stored->map, NONE);
        assert_true(hash_equal(db->maps[stored->map].hash, hash_of(p->map)));
    }
}

static void expect_model(const Database* db, const Model* m) {
    assert_non_null(db->head);
    assert_int_equal(db->head->file_count, FILES);
    assert_int_equal(db->head->product_count, PRODUCTS);
    assert_string_equal(database_text(db, db->head->environment), "entc 1");
    assert_true(hash_equal(db->head->index, hash_of(m->index)));
    for (u32 i = 0; i < FILES; i++) {
        const u32 row = database_file(db, path_of(i));
        assert_int_equal(row, i);
        assert_true(hash_equal(db->files[row].hash, hash_of(m->content[i])));
        assert_true(hash_equal(db->files[row].built, hash_of(m->content[i])));
    }
    for (u32 i = 0; i < PRODUCTS; i++) expect_product(db, m, i);
}

static Database opened(void) {
    Database db;
    assert_int_equal(database_open(&db, "out", DATABASE_ALL), ENT_OK);
    return db;
}

static void expect_stored(const Model* m, bool extended) {
    Database db = opened();
    expect_model(&db, m);
    assert_int_equal(db.is_extended, extended);
    database_close(&db);
}

static Model model_new(u64 seed) {
    static const Database none;
    Model                 m = {.index = 1};
    random_state = seed;
    for (u32 i = 0; i < FILES; i++) m.content[i] = i + 10;
    for (u32 i = 0; i < PRODUCTS; i++) product_change(&m, i);
    DatabaseDraft d = draft_of(&m, (1u << PRODUCTS) - 1, &none);
    d.source = "/sources";
    assert_int_equal(draft_write(&d, "out", "entc 1", 100), ENT_OK);
    return m;
}

/* Changes some products and the files that they read; returns the products. */
static u32 model_edit(Model* m) {
    const u32 products = 1 + random_below((1u << PRODUCTS) - 1);
    for (u32 i = 0; i < PRODUCTS; i++) {
        if (!(products >> i & 1)) continue;
        if (random_below(3)) product_change(m, i);
        m->content[i] = random_below(1000);
    }
    m->index++;
    return products;
}

static void append(Database* db, const Model* m, u32 products, ent_status wanted) {
    DatabaseDraft d = draft_of(m, products, db);
    assert_int_equal(draft_append(&d, db, "out"), wanted);
}

/* --- tests --- */

static void database_after_any_appended_parts_has_rows_of_plain_model(void** state) {
    const int here = test_enter(test_folder("database_parts"));
    UNUSED(state);
    for (u32 seed = 1; seed <= 40; seed++) {
        Model    m = model_new(seed);
        Database db = opened();
        for (u32 i = 0; i < 12; i++) {
            const u32 products = model_edit(&m);
            append(&db, &m, products, ENT_OK);
            expect_model(&db, &m);
            expect_stored(&m, true);
        }
        assert_int_equal(database_renew(&db, "out", (Text){NULL, 0}, NULL, 0, 200), ENT_OK);
        database_close(&db);
        expect_stored(&m, false);
    }
    test_leave(here);
}

/* As of a program that was killed, or of a disk that has lost something. */
static void incomplete_or_damaged_part_is_not_applied(void** state) {
    const int here = test_enter(test_folder("database_parts_damaged"));
    size_t    size, first;
    UNUSED(state);
    Model    m = model_new(7);
    Database db = opened();
    append(&db, &m, model_edit(&m), ENT_OK);
    const Model before = m;
    first = (size_t)db.bytes;
    append(&db, &m, model_edit(&m), ENT_OK);
    database_close(&db);
    u8* bytes = test_read(PLACE, &size);
    for (size_t end = first; end < size; end += 1 + (size - first) / 200) {
        test_write(".", PLACE, bytes, end);
        expect_stored(&before, true);
    }
    for (size_t at = align_up(first, 16); at < size; at += 1 + (size - first) / 200) {
        bytes[at] ^= 0x40;
        test_write(".", PLACE, bytes, size);
        expect_stored(&before, true);
        bytes[at] ^= 0x40;
    }
    test_write(".", PLACE, bytes, size);
    expect_stored(&m, true);
    free(bytes);
    test_leave(here);
}

/* Two programs have read the same database: the part of the second one belongs to what is not there any more. */
static void part_for_another_state_of_the_file_is_not_written(void** state) {
    const int here = test_enter(test_folder("database_parts_two"));
    UNUSED(state);
    Model    m = model_new(9);
    Database db = opened(), other = opened();
    append(&db, &m, model_edit(&m), ENT_OK);
    const Model first = m;
    append(&other, &m, model_edit(&m), ENT_NOT_FOUND);
    expect_stored(&first, true);
    model_new(10);
    append(&db, &m, 1, ENT_NOT_FOUND);
    assert_int_equal(unlink(PLACE), 0);
    append(&db, &m, 1, ENT_NOT_FOUND);
    assert_int_equal(access(PLACE, F_OK), -1);
    database_close(&other);
    database_close(&db);
    test_leave(here);
}

/* A part of another database of the same size, behind this one. */
static void part_of_another_database_is_not_applied(void** state) {
    const int here = test_enter(test_folder("database_parts_other"));
    size_t    size, base;
    UNUSED(state);
    Model    m = model_new(11);
    Database db = opened();
    base = (size_t)db.bytes;
    append(&db, &m, 1, ENT_OK);
    database_close(&db);
    u8*    part = test_read(PLACE, &size);
    Model  now = model_new(11); /* with another time of writing, so another hash */
    size_t same;
    u8*    bytes = test_read(PLACE, &same);
    assert_int_equal(same, base);
    memcpy(part, bytes, base);
    test_write(".", PLACE, part, size);
    expect_stored(&now, true);
    free(part);
    free(bytes);
    test_leave(here);
}

/* Products and files have rows already. */
static void part_with_an_unknown_row_changes_nothing(void** state) {
    const int here = test_enter(test_folder("database_parts_unknown"));
    UNUSED(state);
    Model         m = model_new(12);
    Database      db = opened();
    DatabaseDraft d = draft_of(&m, 1, &db);
    d.products.at[0].name = draft_text(&d, "unknown");
    assert_int_equal(draft_append(&d, &db, "out"), ENT_NOT_FOUND);
    expect_model(&db, &m);
    d = draft_of(&m, 1, &db);
    d.files.at[0].path = draft_text(&d, "unknown");
    assert_int_equal(draft_append(&d, &db, "out"), ENT_NOT_FOUND);
    expect_model(&db, &m);
    database_close(&db);
    expect_stored(&m, false);
    test_leave(here);
}

/* A part whose hash and link are right may have invalid rows: it ends what is applied. */
static void part_with_invalid_rows_is_not_applied(void** state) {
    const int here = test_enter(test_folder("database_parts_invalid"));
    size_t    size;
    UNUSED(state);
    Model    m = model_new(13);
    Database db = opened();
    append(&db, &m, model_edit(&m), ENT_OK);
    const Model  before = m;
    const size_t first = (size_t)align_up(db.bytes, 16) + sizeof(Hash128);
    append(&db, &m, 1, ENT_OK);
    database_close(&db);
    u8*           bytes = test_read(PLACE, &size);
    DatabaseHead* head = (void*)(bytes + first);
    const size_t  from = offsetof(DatabaseHead, hash) + sizeof(Hash128);
    DatabaseFile* file = (void*)(head + 1);
    file->path = head->text_bytes;
    head->hash = hash_content(bytes + first + from, size - first - from);
    test_write(".", PLACE, bytes, size);
    expect_stored(&before, true);
    free(bytes);
    test_leave(here);
}

static char* long_text(u32 bytes, char letter) {
    char* text = malloc(bytes + 1);
    memset(text, letter, bytes);
    text[bytes] = 0;
    return text;
}

/* Of two products whose reason is one long text. */
static ent_status append_long(Database* db, const Model* m, char letter) {
    char*         text = long_text(20u << 20, letter);
    DatabaseDraft d = draft_of(m, 3, db);
    d.products.at[0].reason = d.products.at[1].reason = draft_text(&d, text);
    const ent_status status = draft_append(&d, db, "out");
    for (u32 i = 0; i < 2 && status == ENT_OK; i++)
        assert_string_equal(database_text(db, db->products[i].reason), text);
    free(text);
    return status;
}

static void texts_of_parts_are_limited_and_shared_ones_stored_once(void** state) {
    const int here = test_enter(test_folder("database_parts_text"));
    UNUSED(state);
    Model    m = model_new(14);
    Database db = opened();
    assert_int_equal(append_long(&db, &m, 'a'), ENT_OK);
    assert_int_equal(db.products[0].reason, db.products[1].reason);
    assert_int_equal(append_long(&db, &m, 'b'), ENT_NOT_FOUND);
    assert_int_equal(*database_text(&db, db.products[0].reason), 'a');
    Database again = opened();
    assert_int_equal(*database_text(&again, again.products[1].reason), 'a');
    database_close(&again);
    database_close(&db);
    test_leave(here);
}

TEST_SUITE(database_parts) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(database_after_any_appended_parts_has_rows_of_plain_model),
        cmocka_unit_test(incomplete_or_damaged_part_is_not_applied),
        cmocka_unit_test(part_for_another_state_of_the_file_is_not_written),
        cmocka_unit_test(part_of_another_database_is_not_applied),
        cmocka_unit_test(part_with_an_unknown_row_changes_nothing),
        cmocka_unit_test(part_with_invalid_rows_is_not_applied),
        cmocka_unit_test(texts_of_parts_are_limited_and_shared_ones_stored_once),
    };
    return TEST_RUN("database_parts", tests);
}
