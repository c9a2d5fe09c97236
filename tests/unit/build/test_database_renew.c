/* test_database_renew.c - a build database that is written again by a command that reads references: what builds have
 * stored is kept, and what is known about files is never more than was read. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "database.h"
#include "test.h"

static const char part[] = "references";
#define PART ((Text){part, sizeof part})

static FileStamp stamp_at(u64 ns) {
    return (FileStamp){.size = 3, .inode = 4, .modified_ns = ns, .changed_ns = ns};
}

static Hash128 hash_of(u64 number) { return (Hash128){number, number}; }

/* Three files, of which two were read, and one product with a map. Stored at 100. */
static DatabaseDraft draft_new(void) {
    static const Database none;
    static const char*    paths[] = {"a.material.json", "a.fr.material.json", "b.material.json"};
    DatabaseDraft         d;
    draft_begin(&d, &none, 1);
    for (u32 i = 0; i < COUNT_OF(paths); i++) {
        *array_push(&d.files) = (DatabaseFile){.path = draft_text(&d, paths[i]),
                                               .stamp = stamp_at(i == 2 ? 100 : 50 + i),
                                               .hash = hash_of(i + 1),
                                               .built = i == 1 ? DATABASE_UNREAD : hash_of(i + 1)};
    }
    const u32 name = draft_text(&d, "a");
    *array_push(&d.reads) =
        (DatabaseRead){.file = 0, .name = name, .type = RESOURCE_MATERIAL, .place = {0, 1, 1}};
    *array_push(&d.maps) = (DatabaseMap){stamp_at(11), hash_of(12)};
    *array_push(&d.products) = (DatabaseProduct){.name = name,
                                                 .type = RESOURCE_MATERIAL,
                                                 .read_count = 1,
                                                 .reason = draft_text(&d, "it is new"),
                                                 .map = 0,
                                                 .stamp = stamp_at(9),
                                                 .hash = hash_of(10)};
    d.source = "/sources";
    return d;
}

static Database stored(void) {
    Database      db;
    DatabaseDraft d = draft_new();
    assert_int_equal(draft_write(&d, "out", "entc 1", 100), ENT_OK);
    assert_int_equal(database_open(&db, "out", DATABASE_ALL), ENT_OK);
    assert_non_null(db.head);
    return db;
}

static Database renewed(Database* db, const DatabaseSeen* seen, u32 count) {
    Database now;
    assert_int_equal(database_renew(db, "out", PART, seen, count, 200), ENT_OK);
    database_close(db);
    assert_int_equal(database_open(&now, "out", DATABASE_ALL), ENT_OK);
    assert_non_null(now.head);
    assert_int_equal(now.links.bytes, sizeof part);
    assert_memory_equal(now.links.at, part, sizeof part);
    assert_int_equal((uintptr_t)now.links.at % DATABASE_LINKS_ALIGN, 0);
    assert_string_equal(database_text(&now, now.head->environment), "entc 1");
    assert_string_equal(database_text(&now, now.head->source), "/sources");
    assert_string_equal(database_text(&now, now.products[0].reason), "it is new");
    assert_true(hash_equal(now.products[0].hash, hash_of(10)));
    assert_true(hash_equal(now.maps[0].hash, hash_of(12)));
    assert_int_equal(database_product(&now, text_of("a"), RESOURCE_MATERIAL), 0);
    return now;
}

static const DatabaseFile* file_of(const Database* db, const char* path) {
    const u32 row = database_file(db, path);
    assert_int_not_equal(row, NONE);
    return &db->files[row];
}

static bool has(const DatabaseFile* file, u64 stamp_ns, u64 hash, Hash128 built) {
    const FileStamp stamp = stamp_ns ? stamp_at(stamp_ns) : (FileStamp){0};
    return file_stamp_equal(&file->stamp, &stamp) && hash_equal(file->hash, hash_of(hash)) &&
           hash_equal(file->built, built);
}

static const DatabaseSeen seen[] = {{"b.material.json", {3, 120, 120, 4}, {7, 7}},
                                    {"b.png", {3, 130, 130, 4}, {8, 8}}};

static void renewed_database_has_what_is_known_about_files(void** state) {
    const int here = test_enter(test_folder("database_renewed"));
    UNUSED(state);
    Database  old = stored();
    const u64 written_ns = old.head->written_ns;
    Database  db = renewed(&old, seen, 2);
    assert_int_equal(db.head->scanned_ns, 200);
    assert_int_equal(db.head->written_ns, written_ns);
    assert_int_equal(db.head->file_count, 4);
    assert_true(has(file_of(&db, "a.material.json"), 50, 1, hash_of(1)));
    assert_true(has(file_of(&db, "a.fr.material.json"), 51, 2, DATABASE_UNREAD));
    assert_true(has(file_of(&db, "b.material.json"), 120, 7, hash_of(3)));
    assert_true(has(file_of(&db, "b.png"), 130, 8, DATABASE_UNLISTED));
    const FileStamp output = stamp_at(9), map = stamp_at(11);
    assert_true(file_stamp_equal(&db.products[0].stamp, &output));
    assert_true(file_stamp_equal(&db.maps[0].stamp, &map));
    assert_true(database_is_read(file_of(&db, "b.material.json")));
    assert_false(database_is_read(file_of(&db, "a.fr.material.json")));
    assert_false(database_is_read(file_of(&db, "b.png")));
    database_close(&db);
    test_leave(here);
}

/* The stamp of a file that was as old as its list would seem to prove its content at the time of a later list. */
static void stamp_that_proved_nothing_proves_nothing_after_renewal(void** state) {
    const int here = test_enter(test_folder("database_unsettled"));
    UNUSED(state);
    Database old = stored();
    Database db = renewed(&old, &seen[1], 1);
    assert_true(has(file_of(&db, "b.material.json"), 0, 3, hash_of(3)));
    assert_true(has(file_of(&db, "a.material.json"), 50, 1, hash_of(1)));
    database_close(&db);
    test_leave(here);
}

/* After a restart of the machine no stamp proves anything, also none of an output, which is not read here. */
static void renewal_after_a_restart_keeps_no_stamps(void** state) {
    const int       here = test_enter(test_folder("database_rebooted"));
    const FileStamp none = {0};
    UNUSED(state);
    Database old = stored();
    old.is_rebooted = true;
    const FileStamp is = stamp_at(50);
    assert_false(database_is_settled(&old, &is, &is, 100));
    old.is_rebooted = false;
    assert_true(database_is_settled(&old, &is, &is, 100));
    assert_false(database_is_settled(&old, &is, &is, 50));
    assert_false(database_is_settled(&old, &is, &none, 100));
    old.is_rebooted = true;
    Database db = renewed(&old, &seen[1], 1);
    assert_false(db.is_rebooted);
    assert_true(has(file_of(&db, "a.material.json"), 0, 1, hash_of(1)));
    assert_true(file_stamp_equal(&db.products[0].stamp, &none));
    assert_true(file_stamp_equal(&db.maps[0].stamp, &none));
    database_close(&db);
    test_leave(here);
}

static void database_of_an_earlier_start_of_the_machine_is_recognized(void** state) {
    char      path[] = ".out.entc/database";
    size_t    size;
    const int here = test_enter(test_folder("database_boot"));
    UNUSED(state);
    Database db = stored();
    assert_false(db.is_rebooted);
    const size_t boot = (size_t)(database_text(&db, db.head->boot) - (const char*)db.view.bytes);
    database_close(&db);
    u8*           bytes = test_read(path, &size);
    const size_t  from = offsetof(DatabaseHead, hash) + sizeof(Hash128);
    DatabaseHead* head = (void*)bytes;
    assert_true(bytes[boot] != 0);
    bytes[boot] ^= 1;
    head->hash = hash_content(bytes + from, size - from);
    test_write(".", path, bytes, size);
    free(bytes);
    assert_int_equal(database_open(&db, "out", DATABASE_FILES), ENT_OK);
    assert_true(db.is_rebooted);
    /* Without anything that was read since, it stays one of the earlier start. */
    assert_int_equal(database_renew(&db, "out", PART, NULL, 0, 200), ENT_OK);
    database_close(&db);
    assert_int_equal(database_open(&db, "out", DATABASE_FILES), ENT_OK);
    assert_true(db.is_rebooted);
    assert_int_equal(db.head->scanned_ns, 100);
    assert_int_equal(db.links.bytes, sizeof part);
    assert_true(has(file_of(&db, "b.material.json"), 100, 3, hash_of(3)));
    database_close(&db);
    test_leave(here);
}

/* Another process has replaced or removed it: its work is not undone. */
static void database_that_was_replaced_is_not_renewed(void** state) {
    const int here = test_enter(test_folder("database_replaced"));
    UNUSED(state);
    Database      old = stored();
    DatabaseDraft d = draft_new();
    d.files.at[0].hash = hash_of(77);
    assert_int_equal(draft_write(&d, "out", "entc 2", 101), ENT_OK);
    assert_int_equal(database_renew(&old, "out", PART, seen, 2, 200), ENT_OK);
    Database db;
    assert_int_equal(database_open(&db, "out", DATABASE_ALL), ENT_OK);
    assert_string_equal(database_text(&db, db.head->environment), "entc 2");
    assert_int_equal(db.links.bytes, 0);
    database_close(&db);
    assert_int_equal(unlink(".out.entc/database"), 0);
    assert_int_equal(database_renew(&old, "out", PART, seen, 2, 200), ENT_OK);
    assert_int_equal(access(".out.entc/database", F_OK), -1);
    database_close(&old);
    test_leave(here);
}

/* It stays where it was found. */
static void database_within_the_output_folder_is_renewed_there(void** state) {
    const int here = test_enter(test_folder("database_renewed_within"));
    UNUSED(state);
    Database db = stored();
    database_close(&db);
    assert_int_equal(
        system("mkdir -p out/.entc && mv .out.entc/database out/.entc && rmdir .out.entc"), 0);
    assert_int_equal(database_open(&db, "out", DATABASE_ALL), ENT_OK);
    assert_true(db.within);
    Database now = renewed(&db, seen, 2);
    assert_true(now.within);
    assert_int_equal(access(".out.entc", F_OK), -1);
    database_close(&now);
    test_leave(here);
}

/* A command that needs the files only does not read the other rows; a build refuses such a database. */
static void database_with_invalid_products_has_files(void** state) {
    const int here = test_enter(test_folder("database_scopes"));
    Database  db;
    UNUSED(state);
    DatabaseDraft d = draft_new();
    d.products.at[0].type = RESOURCE_NONE;
    d.products.at[0].first_read = d.products.at[0].first_need = d.products.at[0].map = 1u << 30;
    assert_int_equal(draft_write(&d, "out", "entc 1", 100), ENT_OK);
    assert_int_equal(database_open(&db, "out", DATABASE_ALL), ENT_OK);
    assert_null(db.head);
    assert_int_equal(database_open(&db, "out", DATABASE_FILES), ENT_OK);
    assert_non_null(db.head);
    assert_int_equal(database_renew(&db, "out", PART, seen, 2, 200), ENT_OK);
    database_close(&db);
    assert_int_equal(database_open(&db, "out", DATABASE_ALL), ENT_OK);
    assert_null(db.head);
    test_leave(here);
}

/* The slots of products are copied, although they are not validated: their number must be right. */
static void database_with_fewer_slots_of_products_is_refused_without_them_too(void** state) {
    const int here = test_enter(test_folder("database_slots"));
    Database  db = stored();
    size_t    size;
    UNUSED(state);
    database_close(&db);
    u8*           bytes = test_read(".out.entc/database", &size);
    const size_t  from = offsetof(DatabaseHead, hash) + sizeof(Hash128);
    DatabaseHead* head = (void*)bytes;
    head->product_slots /= 2; /* the others become the beginning of the text */
    const u32     more = head->product_slots * (u32)sizeof(u32);
    DatabaseFile* files = (void*)(head + 1);
    for (u32 i = 0; i < head->file_count; i++) files[i].path += more;
    head->environment += more, head->boot += more, head->source += more;
    head->text_bytes += more;
    head->hash = hash_content(bytes + from, size - from);
    test_write(".", ".out.entc/database", bytes, size);
    free(bytes);
    assert_int_equal(database_open(&db, "out", DATABASE_FILES), ENT_OK);
    assert_null(db.head);
    test_leave(here);
}

TEST_SUITE(database_renew) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renewed_database_has_what_is_known_about_files),
        cmocka_unit_test(stamp_that_proved_nothing_proves_nothing_after_renewal),
        cmocka_unit_test(renewal_after_a_restart_keeps_no_stamps),
        cmocka_unit_test(database_of_an_earlier_start_of_the_machine_is_recognized),
        cmocka_unit_test(database_that_was_replaced_is_not_renewed),
        cmocka_unit_test(database_within_the_output_folder_is_renewed_there),
        cmocka_unit_test(database_with_invalid_products_has_files),
        cmocka_unit_test(database_with_fewer_slots_of_products_is_refused_without_them_too),
    };
    return TEST_RUN("database_renew", tests);
}
